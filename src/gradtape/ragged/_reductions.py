"""Reductions of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import normalize_axis
from gradtape.math import _elementwise as elementwise, _reductions as reducing, _segments as segments
from gradtape.arrays import indexing
from gradtape.math._conversion import cast
from gradtape.ragged import _rearrange as arranging, _row_partition as partitions
from gradtape.ragged._tensor import RaggedTensor


def _mean(data: Any, ids: Any, count: int) -> Any:
    total = segments.unsorted_segment_sum(data, ids, count)
    ones = elementwise.add(data * 0, convert.like(1, data.dtype)) if data.dtype.is_integer else data * 0.0 + 1.0
    number = segments.unsorted_segment_sum(ones, ids, count)
    return total // number if data.dtype.is_integer else total / number


def _variance(data: Any, ids: Any, count: int) -> Any:
    center = indexing.gather(_mean(data, ids, count), ids)
    return _mean(elementwise.square(elementwise.abs(data - center)), ids, count)


def _std(data: Any, ids: Any, count: int) -> Any:
    return elementwise.sqrt(_variance(data, ids, count))


def _any(data: Any, ids: Any, count: int) -> Any:
    return elementwise.greater(segments.unsorted_segment_max(cast(data, dtypes.int32), ids, count), 0)


def _all(data: Any, ids: Any, count: int) -> Any:
    return elementwise.greater(segments.unsorted_segment_min(cast(data, dtypes.int32), ids, count), 0)


# For each public function: of a dense tensor, and of values that belong to segments.
REDUCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "reduce_sum": (reducing.reduce_sum, segments.unsorted_segment_sum),
    "reduce_prod": (reducing.reduce_prod, segments.unsorted_segment_prod),
    "reduce_max": (reducing.reduce_max, segments.unsorted_segment_max),
    "reduce_min": (reducing.reduce_min, segments.unsorted_segment_min),
    "reduce_mean": (reducing.reduce_mean, _mean),
    "reduce_variance": (reducing.reduce_variance, _variance),
    "reduce_std": (reducing.reduce_std, _std),
    "reduce_any": (reducing.reduce_any, _any),
    "reduce_all": (reducing.reduce_all, _all),
}


def reduce(name: str, input_tensor: RaggedTensor, axis: Any = None, keepdims: Any = False) -> Any:
    """A reduction over axes, by the name of the public function."""
    whole, of_segments = REDUCTIONS[name]
    rank = input_tensor.ndim
    if axis is None:
        found = whole(input_tensor.flat_values)
        return _with_ones(found, range(rank)) if keepdims else found
    places = [axis] if isinstance(axis, int) else np.asarray(convert.convert_to_tensor(axis)).ravel().tolist()
    axes = sorted({normalize_axis(a, rank, name) for a in places})
    if len(axes) > 1 and name in ("reduce_mean", "reduce_variance", "reduce_std"):
        if len(axes) == rank:
            return reduce(name, input_tensor, None, keepdims)
        # The mean of means is not the mean where rows have different lengths: the axes become one first.
        if axes != list(range(axes[0], axes[-1] + 1)):
            raise ValueError(errors.compose(f"{name}: axes {axes} of a ragged tensor.", "reduce neighbouring axes."))
        merged = input_tensor.merge_dims(axes[0], axes[-1])
        found = _reduced(name, whole, of_segments, merged, axes[0])
    else:
        found = input_tensor
        for k in axes[::-1]:
            found = _reduced(name, whole, of_segments, found, k)
    return _with_ones(found, axes) if keepdims else found


def _with_ones(x: Any, axes: Any) -> Any:
    for k in axes:
        x = arranging.expand_dims(x, k)
    return x


def _reduced(name: str, whole: Callable[..., Any], of_segments: Callable[..., Any], x: Any, axis: int) -> Any:
    if not isinstance(x, RaggedTensor):
        return whole(x, axis)
    if axis > 1:
        return x.with_values(_reduced(name, whole, of_segments, x.values, axis - 1))
    if isinstance(x.values, RaggedTensor):
        raise ValueError(
            errors.compose(
                f"{name}: axis {axis} of a tensor of ragged rank {x.ragged_rank} holds rows that are ragged themselves.",
                f"reduce axis {x.ragged_rank} or one behind it, merge axes with x.merge_dims, or use x.to_tensor().",
            )
        )
    if axis == 1:
        return of_segments(x.values, x.value_rowids(), int(x.nrows()))
    columns = partitions.coordinates(x.row_splits)[:, 1]
    return of_segments(x.values, columns, int(x.bounding_shape(axis=1)))


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """The softmax of each row, along the innermost ragged axis or one behind it."""
    from gradtape.nn._softmax import softmax as of_dense
    from gradtape.transform.stop_gradient import stop_gradient

    place = normalize_axis(-1 if axis is None else axis, logits.ndim, "softmax")
    if place > logits.ragged_rank:
        return logits.with_flat_values(of_dense(logits.flat_values, place - logits.ragged_rank))
    if place != logits.ragged_rank:
        raise ValueError(
            errors.compose(
                f"softmax: axis {place} of ragged rank {logits.ragged_rank}.", "use the innermost ragged axis."
            )
        )
    rows = _innermost(logits)
    ids, count = rows.value_rowids(), int(rows.nrows())
    largest = stop_gradient(segments.unsorted_segment_max(rows.values, ids, count))
    powers = elementwise.exp(rows.values - indexing.gather(largest, ids))
    total = segments.unsorted_segment_sum(powers, ids, count)
    return logits.with_flat_values(powers / indexing.gather(total, ids))


def _innermost(x: Any) -> Any:
    return _innermost(x.values) if isinstance(x.values, RaggedTensor) else x
