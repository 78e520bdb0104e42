"""Reductions over segments: elements or slices with the same id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.api.families import family
from gradtape.core import dtypes, errors
from gradtape.core.annotations import TensorLike
from gradtape.core.dims import new_size
from gradtape.core.shape import spec_of
from gradtape.core.state import current as _current
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.ops import segment
from gradtape.ops.cast import Cast
from gradtape.ops.creation import OnesLike
from gradtape.ops.division import TruncateDiv
from gradtape.ops.exponential import Sqrt
from gradtape.ops.family import dims
from gradtape.ops.movement import Reshape
from gradtape.ops.selection import Maximum, Where, number


def _or_zero(y: Tensor, ids: Any) -> Tensor:
    """Segments with 0 for those whose id does not occur."""
    if _current.path is not None and type(ids) is not Tensor:
        return y
    present = np.bincount(np.asarray(host(ids._array)).astype(np.intp), minlength=dims(y)[0]) > 0
    if present.all():
        return y
    mask = present.reshape(-1, *[1] * (y.ndim - 1))
    return Where(wrap(mask), y, wrap(number(0, y)))


def _sum(data: Tensor, ids: Tensor, count: int) -> Tensor:
    return segment.UnsortedSegmentSum(data, ids, segments=count)


def _mean(data: Tensor, ids: Tensor, count: int) -> Tensor:
    return _average(data, ids, count, TruncateDiv if data.dtype.is_integer else None)


def _prod(data: Tensor, ids: Tensor, count: int) -> Tensor:
    return segment.UnsortedSegmentProd(data, ids, segments=count)


def _max(data: Tensor, ids: Tensor, count: int) -> Tensor:
    return _or_zero(segment.UnsortedSegmentMax(data, ids, segments=count), ids)


def _min(data: Tensor, ids: Tensor, count: int) -> Tensor:
    return _or_zero(segment.UnsortedSegmentMin(data, ids, segments=count), ids)


@family(
    "One slice for each id up to the last; 0 for those that do not occur.",
    data="numbers, with at least one axis.",
    segment_ids="a vector of ids, one for each slice along the first axis. They count from 0 and never fall.",
)
def _of_sorted(who: str, reduce: Callable[[Tensor, Tensor, int], Tensor]) -> Callable[..., Tensor]:
    def function(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
        return reduce(*_sorted(who, data, segment_ids))

    return function


segment_sum = _of_sorted(
    "segment_sum",
    "The sums of slices of `data` with the same id.",
    "tf.math.segment_sum([1.0, 4.0, 3.0], [0, 0, 1]).numpy() -> array([5., 3.], dtype=float32)",
    _sum,
)
segment_mean = _of_sorted(
    "segment_mean",
    "The means of slices of `data` with the same id. Those of integers are rounded toward zero.",
    "tf.math.segment_mean([1.0, 4.0, 3.0], [0, 0, 1]).numpy() -> array([2.5, 3. ], dtype=float32)",
    _mean,
)
segment_prod = _of_sorted(
    "segment_prod",
    "The products of slices of `data` with the same id. The gradient is exact where\nelements are zero.",
    "tf.math.segment_prod([1.0, 4.0, 3.0], [0, 0, 1]).numpy() -> array([4., 3.], dtype=float32)",
    _prod,
    returns="One slice for each id up to the last; 1 for those that do not occur.",
)
segment_max = _of_sorted(
    "segment_max",
    "The largest of slices of `data` with the same id. Those that tie share the gradient equally.",
    "tf.math.segment_max([1.0, 4.0, 3.0], [0, 0, 1]).numpy() -> array([4., 3.], dtype=float32)",
    _max,
    data="real numbers, with at least one axis.",
)
segment_min = _of_sorted(
    "segment_min",
    "The smallest of slices of `data` with the same id. Those that tie share the gradient equally.",
    "tf.math.segment_min([1.0, 4.0, 3.0], [0, 0, 1]).numpy() -> array([1., 3.], dtype=float32)",
    _min,
    data="real numbers, with at least one axis.",
)


def _sorted(who: str, data: Any, segment_ids: Any) -> tuple[Any, Any, int]:
    """Data and ids as tensors, and the number of segments; raises unless the ids are a vector that never falls."""
    data, ids = tensor(data), tensor(segment_ids)
    if not data.ndim or ids.ndim != 1 or not ids.dtype.is_integer or dims(data)[0] != dims(ids)[0]:
        raise errors.build(
            errors.ShapeError if ids.dtype.is_integer else errors.DTypeError,
            f"{who}: data is {spec_of(data)}, segment_ids is {spec_of(ids)}; data must be at least rank 1.",
            "give a vector of integers, one for each slice of data along its first axis.",
        )
    if _current.path is not None and type(ids) is not Tensor:
        return data, ids, new_size()  # type: ignore[return-value]
    numbers = np.asarray(host(ids._array))
    check_order(who, numbers, f"sort them, or use tf.math.unsorted_{who}(data, segment_ids, num_segments).")
    return data, ids, int(numbers[-1]) + 1 if numbers.size else 0


def check_order(who: str, ids: Any, fix: str, count: int | None = None) -> None:
    """InvalidArgumentError unless ids rise from 0 or more. Without a count, the last one tells how many segments there are."""
    if not ids.size:
        return
    rows = int(ids[-1]) + 1 if count is None else count
    if ids[-1] < 0:
        said = f"segment ids must be >= 0, got segment_ids[{ids.size - 1}] = {ids[-1]}."
    else:
        falls = np.append(ids[1:] < ids[:-1], False)
        wrong = np.append(falls[:-1] | (ids[1:] != ids[:-1]), True) & (falls | (ids < 0) | (ids >= rows))
        if not wrong.any():
            return
        place = int(np.argmax(wrong))
        if falls[place]:
            said = (
                f"segment ids are not increasing: segment_ids[{place}] = {ids[place]} is followed by {ids[place + 1]}."
            )
        else:
            said = (
                f"Segment id {ids[place]} out of range [0, {rows}), possibly because 'segment_ids' input is not sorted."
            )
    raise errors.build(errors.InvalidArgumentError, f"{who}: {said}", fix)


def _average(data: Any, ids: Any, segments: int, divide: Any = None, root: bool = False) -> Tensor:
    """Sums over counts, or over their roots. float16 and bfloat16 are computed in float32: a sum could overflow."""
    narrow = data.dtype.is_floating and data.dtype.size < 4
    work = Cast(data, dtype=dtypes.float32) if narrow else data
    total = segment.UnsortedSegmentSum(work, ids, segments=segments)
    count = segment.UnsortedSegmentSum(OnesLike(ids, dtype=work.dtype.real_dtype), ids, segments=segments)
    count = Maximum(count, number(1, count))
    count = Reshape(Sqrt(count) if root else count, shape=(segments,) + (1,) * (total.ndim - 1))
    if work.dtype.is_complex:
        count = Cast(count, dtype=work.dtype)
    y = total / count if divide is None else divide(total, count)
    return Cast(y, dtype=data.dtype) if narrow else y


def _root_mean(data: Tensor, ids: Tensor, segments: int) -> Tensor:
    if data.dtype.is_integer:
        raise errors.build(
            errors.DTypeError,
            f"unsorted_segment_sqrt_n: data must hold floating numbers, it is {spec_of(data)}.",
            "the result is no integer: use tf.cast(data, tf.float32).",
        )
    return _average(data, ids, segments, root=True)


@family(
    "One element or slice for each segment; 0 for those without members.",
    data="numbers.",
    segment_ids="integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.",
    num_segments="how many segments there are.",
)
def _of_unsorted(who: str, reduce: Any) -> Callable[..., Tensor]:
    def function(
        data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
    ) -> Tensor:
        result: Tensor = reduce(tensor(data), tensor(segment_ids), segments=integer(num_segments, who, "num_segments"))
        return result

    return function


unsorted_segment_sum = _of_unsorted(
    "unsorted_segment_sum",
    "The sums of elements or slices of `data` with the same id.",
    "tf.math.unsorted_segment_sum([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy() -> array([4., 4.], dtype=float32)",
    segment.UnsortedSegmentSum,
)
unsorted_segment_mean = _of_unsorted(
    "unsorted_segment_mean",
    "The means of elements or slices of `data` with the same id.",
    "tf.math.unsorted_segment_mean([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy() -> array([4., 2.], dtype=float32)",
    _average,
    data="numbers; integers give floating point.",
)
unsorted_segment_sqrt_n = _of_unsorted(
    "unsorted_segment_sqrt_n",
    "The sums, divided by the square roots of how many they are, of elements or slices of `data` with the same id.",
    "tf.math.unsorted_segment_sqrt_n([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy() -> "
    "array([4.       , 2.828427], dtype=float32)",
    _root_mean,
    data="floating point or complex numbers.",
)
unsorted_segment_prod = _of_unsorted(
    "unsorted_segment_prod",
    "The products of elements or slices of `data` with the same id. The gradient is exact where\nelements are zero.",
    "tf.math.unsorted_segment_prod([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy() -> array([4., 3.], dtype=float32)",
    segment.UnsortedSegmentProd,
    returns="One element or slice for each segment; 1 for those without members.",
)
unsorted_segment_max = _of_unsorted(
    "unsorted_segment_max",
    "The largest of elements or slices of `data` with the same id. Those that tie share the gradient equally.",
    "tf.math.unsorted_segment_max([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy() -> array([4., 3.], dtype=float32)",
    segment.UnsortedSegmentMax,
    returns="One element or slice for each segment; the least finite value for those without members.",
    data="real numbers.",
)
unsorted_segment_min = _of_unsorted(
    "unsorted_segment_min",
    "The smallest of elements or slices of `data` with the same id. Those that tie share the gradient equally.",
    "tf.math.unsorted_segment_min([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy() -> array([4., 1.], dtype=float32)",
    segment.UnsortedSegmentMin,
    returns="One element or slice for each segment; the largest finite value for those without members.",
    data="real numbers.",
)
