"""Reductions of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import integer
from gradtape.arrays import creation, indexing
from gradtape.core import convert, dtypes, errors
from gradtape.core.doors import adapt
from gradtape.core.op import REGISTRY
from gradtape.math import _elementwise as elementwise
from gradtape.math import _reductions as reductions
from gradtape.math import _segments as segments
from gradtape.math._conversion import cast
from gradtape.ragged import _construct as construct
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._base import axis_of
from gradtape.ragged._tensor import RaggedTensor


def _mean(data: Any, ids: Any, count: int) -> Any:
    number = segments.unsorted_segment_sum(creation.ones_like(data), ids, count)
    return segments.unsorted_segment_sum(data, ids, count) / number


def _logsumexp(data: Any, ids: Any, count: int) -> Any:
    # Without the largest of each segment, which is taken as a constant, the exponentials do not overflow.
    top = REGISTRY["stop_gradient"](segments.unsorted_segment_max(data, ids, count))
    top = elementwise.where(elementwise.is_finite(top), top, creation.zeros_like(top))
    total = segments.unsorted_segment_sum(elementwise.exp(data - indexing.gather(top, ids)), ids, count)
    return elementwise.log(total) + top


def _any(data: Any, ids: Any, count: int) -> Any:
    return elementwise.greater(segments.unsorted_segment_max(cast(data, dtypes.int32), ids, count), 0)


def _all(data: Any, ids: Any, count: int) -> Any:
    return elementwise.greater(segments.unsorted_segment_min(cast(data, dtypes.int32), ids, count), 0)


# For each public function: of a dense tensor, and of values that belong to segments.
REDUCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "reduce_sum": (reductions.reduce_sum, segments.unsorted_segment_sum),
    "reduce_prod": (reductions.reduce_prod, segments.unsorted_segment_prod),
    "reduce_max": (reductions.reduce_max, segments.unsorted_segment_max),
    "reduce_min": (reductions.reduce_min, segments.unsorted_segment_min),
    "reduce_mean": (reductions.reduce_mean, _mean),
    "reduce_logsumexp": (reductions.reduce_logsumexp, _logsumexp),
    "reduce_any": (reductions.reduce_any, _any),
    "reduce_all": (reductions.reduce_all, _all),
}


def of_rows(of_segments: Callable[..., Any], data: Any, ids: Any, count: int) -> Any:
    """The result of a segment function on rows; rows that are ragged themselves are reduced element by element.

    Args:
      of_segments: a function of values, the numbers of their segments, and how many of these there are.
      data: the rows.
      ids: the number of each row's segment.
      count: how many segments there are.
    """
    if not isinstance(data, RaggedTensor):
        return of_segments(data, ids, count)
    places, splits = row_partition.places_in_segments(data.row_splits, ids, count=count)
    return RaggedTensor(of_rows(of_segments, data.values, places, int(splits[-1])), splits)


def of_segments(function: Callable[..., Any], data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Rows, or values, of a ragged tensor that belong together, reduced by a public function of segments."""
    ids, count = construct.tensor(segment_ids), integer(num_segments, function.__name__, "num_segments")
    if not isinstance(ids, RaggedTensor):
        return of_rows(function, data, ids, count)
    splits = row_partition.same(data.row_splits, cast(ids.row_splits, data.row_splits.dtype), who=function.__name__)
    return of_segments(function, data.with_values(data.values).values, RaggedTensor(ids.values, splits).values, count)


def reduce(name: str, input_tensor: RaggedTensor, axis: Any = None, keepdims: Any = False) -> Any:
    """A reduction over axes, by the name of the public function."""
    if name in ("reduce_variance", "reduce_std"):
        found = _variance(name, input_tensor, axis, keepdims)
        return elementwise.sqrt(found) if name == "reduce_std" else found
    if name == "reduce_mean" and input_tensor.dtype.is_integer:
        wide = dtypes.float32 if input_tensor.dtype.size < 4 else dtypes.float64  # as in a division of integers
        input_tensor = input_tensor.with_flat_values(cast(input_tensor.flat_values, wide))
    whole, of_segments = REDUCTIONS[name]
    rank = input_tensor.ndim
    if axis is None:
        found = whole(input_tensor.flat_values)
        return _with_ones(found, range(rank)) if keepdims else found
    places = [axis] if isinstance(axis, int) else np.asarray(convert.convert_to_tensor(axis)).ravel().tolist()
    axes = sorted({axis_of(a, rank, name) for a in places})
    if len(axes) == rank:
        return reduce(name, input_tensor, None, keepdims)
    if len(axes) > 1 and name == "reduce_mean":
        # The mean of means is not the mean where rows have different lengths.
        found = _mean_over(input_tensor, axes)
    else:
        found = over_axes(whole, of_segments, input_tensor, axes)
    return _with_ones(found, axes) if keepdims else found


def over_axes(whole: Callable[..., Any], of_segments: Callable[..., Any], x: Any, axes: list[int]) -> Any:
    """A reduction over axes, in rising order, one after the other from the last.

    Args:
      whole: of a dense tensor and an axis.
      of_segments: of values that belong to segments.
      x: a ragged tensor.
      axes: counted from the front.
    """
    # Each axis waits for its sizes by itself: those of the result are open then.
    for k in axes[::-1]:
        x = adapt(along_axis)(whole, of_segments, x, k)
    return x


def _mean_over(x: Any, axes: list[int]) -> Any:
    ones = x.with_flat_values(creation.ones_like(x.flat_values))
    total, number = (over_axes(*REDUCTIONS["reduce_sum"], v, axes) for v in (x, ones))
    if isinstance(total, RaggedTensor):
        return total.with_flat_values(total.flat_values / number.flat_values)
    return total / number


def _variance(name: str, x: Any, axis: Any, keepdims: Any) -> Any:
    """The variance from the mean of squares and the mean: not negative, but not as exact as that of a dense tensor."""
    if x.dtype.is_complex:
        raise ValueError(
            errors.compose(
                f"{name} is not supported for RaggedTensors with complex dtypes.", "use tf.math.real and tf.math.imag."
            )
        )
    squares = reduce("reduce_mean", x.with_flat_values(elementwise.square(x.flat_values)), axis, keepdims)
    found = squares - elementwise.square(reduce("reduce_mean", x, axis, keepdims))
    return elementwise.maximum(found, convert.like(0, found.dtype))


def _with_ones(x: Any, axes: Any) -> Any:
    for k in axes:
        x = rearrange.expand_dims(x, k)
    return x


def along_axis(whole: Callable[..., Any], of_segments: Callable[..., Any], x: Any, axis: int) -> Any:
    """A reduction over one axis; see `over_axes`."""
    if not isinstance(x, RaggedTensor):
        return whole(x, axis)
    if axis > 1:
        return x.with_values(along_axis(whole, of_segments, x.values, axis - 1))
    if axis == 1:
        return of_rows(of_segments, x.values, x.value_rowids(), int(x.nrows()))
    columns = row_partition.coordinates(x.row_splits)[:, 1]
    return of_rows(of_segments, x.values, columns, int(x.bounding_shape(axis=1)))


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """The softmax of each row, along the innermost ragged axis or one behind it."""
    from gradtape.nn._softmax import softmax as of_dense
    from gradtape.transform.stop_gradient import stop_gradient

    place = axis_of(-1 if axis is None else axis, logits.ndim, "softmax")
    if place > logits.ragged_rank:
        return logits.with_flat_values(of_dense(logits.flat_values, place - logits.ragged_rank))
    if place != logits.ragged_rank:
        raise errors.build(
            errors.ShapeError,
            f"softmax: axis must be the innermost ragged one, {logits.ragged_rank}, or a later one, got {place}.",
            "use axis=-1, or x.to_tensor().",
        )
    rows = _innermost(logits)
    ids, count = rows.value_rowids(), int(rows.nrows())
    largest = stop_gradient(segments.unsorted_segment_max(rows.values, ids, count))
    powers = elementwise.exp(rows.values - indexing.gather(largest, ids))
    total = segments.unsorted_segment_sum(powers, ids, count)
    return logits.with_flat_values(powers / indexing.gather(total, ids))


def _innermost(x: Any) -> Any:
    return _innermost(x.values) if isinstance(x.values, RaggedTensor) else x


def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Any:
    """The cumulative sums along an axis, in the same rows."""
    from gradtape.math._cumulative import cumsum as of_dense

    place = axis_of(axis, x.ndim, "cumsum")
    if place > x.ragged_rank:
        return x.with_flat_values(of_dense(x.flat_values, place - x.ragged_rank, exclusive, reverse))
    # The zeros that fill up rows stand behind their elements, and add nothing.
    sums = of_dense(x.to_tensor(), place, exclusive, reverse)
    return x.with_flat_values(indexing.gather_nd(sums, row_partition.coordinates(*x.nested_row_splits)))
