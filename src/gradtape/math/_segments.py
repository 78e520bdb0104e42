"""Reductions over segments: elements or slices with the same id."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.core import dtypes, errors
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

__all__ = [
    "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
]  # fmt: skip


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The sums of slices of `data` with the same id.

    Args:
      data: numbers, with at least one axis.
      segment_ids: a vector of ids, one for each slice along the first axis. They count from 0 and never fall.
      name: ignored.

    Returns:
      One slice for each id up to the last; 0 for those that do not occur.

    >>> tf.math.segment_sum([1.0, 4.0, 3.0], [0, 0, 1]).numpy()
    array([5., 3.], dtype=float32)
    """
    data, ids, count = _sorted("segment_sum", data, segment_ids)
    return segment.UnsortedSegmentSum(data, ids, segments=count)


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The means of slices of `data` with the same id. Those of integers are rounded toward zero.

    Args:
      data: numbers, with at least one axis.
      segment_ids: a vector of ids, one for each slice along the first axis. They count from 0 and never fall.
      name: ignored.

    Returns:
      One slice for each id up to the last; 0 for those that do not occur.

    >>> tf.math.segment_mean([1.0, 4.0, 3.0], [0, 0, 1]).numpy()
    array([2.5, 3. ], dtype=float32)
    """
    data, ids, count = _sorted("segment_mean", data, segment_ids)
    return _average(data, ids, count, TruncateDiv if data.dtype.is_integer else None)


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The products of slices of `data` with the same id. The gradient is exact where
    elements are zero.

    Args:
      data: numbers, with at least one axis.
      segment_ids: a vector of ids, one for each slice along the first axis. They count from 0 and never fall.
      name: ignored.

    Returns:
      One slice for each id up to the last; 1 for those that do not occur.

    >>> tf.math.segment_prod([1.0, 4.0, 3.0], [0, 0, 1]).numpy()
    array([4., 3.], dtype=float32)
    """
    data, ids, count = _sorted("segment_prod", data, segment_ids)
    return segment.UnsortedSegmentProd(data, ids, segments=count)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The largest of slices of `data` with the same id. Those that tie share the gradient equally.

    Args:
      data: real numbers, with at least one axis.
      segment_ids: a vector of ids, one for each slice along the first axis. They count from 0 and never fall.
      name: ignored.

    Returns:
      One slice for each id up to the last; 0 for those that do not occur.

    >>> tf.math.segment_max([1.0, 4.0, 3.0], [0, 0, 1]).numpy()
    array([4., 3.], dtype=float32)
    """
    data, ids, count = _sorted("segment_max", data, segment_ids)
    return _or_zero(segment.UnsortedSegmentMax(data, ids, segments=count), ids)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The smallest of slices of `data` with the same id. Those that tie share the gradient equally.

    Args:
      data: real numbers, with at least one axis.
      segment_ids: a vector of ids, one for each slice along the first axis. They count from 0 and never fall.
      name: ignored.

    Returns:
      One slice for each id up to the last; 0 for those that do not occur.

    >>> tf.math.segment_min([1.0, 4.0, 3.0], [0, 0, 1]).numpy()
    array([1., 3.], dtype=float32)
    """
    data, ids, count = _sorted("segment_min", data, segment_ids)
    return _or_zero(segment.UnsortedSegmentMin(data, ids, segments=count), ids)


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
    if np.any(numbers[1:] < numbers[:-1]):
        place = int(np.argmax(numbers[1:] < numbers[:-1]))
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: segment ids are not increasing: segment_ids[{place}] = {numbers[place]} is followed by "
            f"{numbers[place + 1]}.",
            f"sort them, or use tf.math.unsorted_{who}(data, segment_ids, num_segments).",
        )
    if numbers.size and numbers[0] < 0:
        raise errors.build(
            errors.RangeError,
            f"{who}: segment_ids[0] = {numbers[0]} is negative.",
            f"ids count from 0; tf.math.unsorted_{who} leaves out what has a negative id.",
        )
    return data, ids, int(numbers[-1]) + 1 if numbers.size else 0


def _or_zero(y: Tensor, ids: Any) -> Tensor:
    """Segments with 0 for those whose id does not occur."""
    if _current.path is not None and type(ids) is not Tensor:
        return y
    present = np.bincount(np.asarray(host(ids._array)).astype(np.intp), minlength=dims(y)[0]) > 0
    if present.all():
        return y
    mask = present.reshape(-1, *[1] * (y.ndim - 1))
    return Where(wrap(mask), y, wrap(number(0, y)))


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sums of elements or slices of `data` with the same id.

    Args:
      data: numbers.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; 0 for those without members.

    >>> tf.math.unsorted_segment_sum([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4., 4.], dtype=float32)
    """
    return _unsorted(segment.UnsortedSegmentSum, data, segment_ids, num_segments)


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The means of elements or slices of `data` with the same id.

    Args:
      data: numbers; integers give floating point.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; 0 for those without members.

    >>> tf.math.unsorted_segment_mean([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4., 2.], dtype=float32)
    """
    count = integer(num_segments, "unsorted_segment_mean", "num_segments")
    return _average(tensor(data), tensor(segment_ids), count)


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sums, divided by the square roots of how many they are, of elements or slices of `data` with the same id.

    Args:
      data: floating point or complex numbers.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; 0 for those without members.

    >>> tf.math.unsorted_segment_sqrt_n([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4.       , 2.828427], dtype=float32)
    """
    data, count = tensor(data), integer(num_segments, "unsorted_segment_sqrt_n", "num_segments")
    if data.dtype.is_integer:
        raise errors.build(
            errors.DTypeError,
            f"unsorted_segment_sqrt_n: data is {spec_of(data)}.",
            "the result is no integer: use tf.cast(data, tf.float32).",
        )
    return _average(data, tensor(segment_ids), count, root=True)


def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The products of elements or slices of `data` with the same id. The gradient is exact where
    elements are zero.

    Args:
      data: numbers.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; 1 for those without members.

    >>> tf.math.unsorted_segment_prod([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4., 3.], dtype=float32)
    """
    return _unsorted(segment.UnsortedSegmentProd, data, segment_ids, num_segments)


def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The largest of elements or slices of `data` with the same id. Those that tie share the gradient equally.

    Args:
      data: real numbers.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; the least finite value for those without members.

    >>> tf.math.unsorted_segment_max([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4., 3.], dtype=float32)
    """
    return _unsorted(segment.UnsortedSegmentMax, data, segment_ids, num_segments)


def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The smallest of elements or slices of `data` with the same id. Those that tie share the gradient equally.

    Args:
      data: real numbers.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; the largest finite value for those without members.

    >>> tf.math.unsorted_segment_min([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4., 1.], dtype=float32)
    """
    return _unsorted(segment.UnsortedSegmentMin, data, segment_ids, num_segments)


def _unsorted(op: Any, data: Any, segment_ids: Any, num_segments: Any) -> Tensor:
    result: Tensor = op(tensor(data), tensor(segment_ids), segments=integer(num_segments, op.name, "num_segments"))
    return result


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
