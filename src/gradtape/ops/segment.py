"""Reductions over segments: elements or slices with the same id are summed, multiplied, or compared.

`ids` has the shape of the first axes of `data`; negative ids are left out. The first `batch_dims` axes of both run
together, each with segments of its own.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import Op, declare
from gradtape.core.patterns.indexing import Places, Put, Take
from gradtape.core.shape import Spec
from gradtape.ops.arithmetic import MultiplyNoNan
from gradtape.ops.cast import Cast
from gradtape.ops.comparison import Equal
from gradtape.ops.family import NO_LOWERING, conj, dims
from gradtape.ops.indexing import Gather, ScatterRows, spread
from gradtape.ops.logical import LogicalNot
from gradtape.ops.movement import BroadcastTo, Reshape
from gradtape.ops.reduction import rounded, wide
from gradtape.ops.row_positions import batch_positions, check_integers, check_kind, sum_rows
from gradtape.ops.scan import LinearRecurrence, following
from gradtape.ops.selection import Keep, Maximum, number
from gradtape.ops.slicing import Pad, StridedSlice
from gradtape.ops.sorting import ArgSort


class Segments(Op):
    """One slice for each of `segments` segments."""

    kinds = "fVciu"
    homogeneous = False
    lower: Any = NO_LOWERING

    def infer(self, data: Spec, ids: Spec, *, segments: int, batch_dims: int = 0) -> Spec:
        check_kind(self, "data", data)
        check_integers(self, "segment_ids", ids)
        if ids.rank < batch_dims or data.shape[: ids.rank] != ids.shape:
            raise self.error(
                errors.ShapeError,
                f"data is {data}, segment_ids is {ids}: the shape of data must start with that of segment_ids.",
                "give one id for each element or slice.",
            )
        if segments < 0:
            raise self.error(errors.ShapeError, f"num_segments must not be negative, got {segments}.", "use 0 or more.")
        return Spec((*ids.shape[:batch_dims], segments, *data.shape[ids.rank :]), data.dtype)

    def kernel(self, data: Any, ids: Any, *, segments: int, batch_dims: int = 0) -> Any:
        if data.dtype.kind not in self.kinds or data.shape[: ids.ndim] != ids.shape or segments < 0:
            raise ValueError("data and ids do not fit")
        lead, inner = ids.shape[:batch_dims], data.shape[ids.ndim :]
        batch, width = math.prod(lead), math.prod(inner)
        # Negative ids go to one more segment, which is cut off.
        positions = numbered(self.name, ids, segments, batch_dims, segments + 1)
        values = wide(np.reshape(data, (positions.size, width)))
        y = self.combine(values, positions, batch * (segments + 1), data.dtype)
        y = np.reshape(y, (batch, segments + 1, width))[:, :segments]
        return rounded(np.reshape(y, (*lead, segments, *inner)), data.dtype)

    def combine(self, values: Any, positions: Any, rows: int, dtype: Any) -> Any:
        """Rows `[rows, width]`, made of the values `[n, width]` with their number; they will be rounded to the dtype."""
        raise NotImplementedError

    def batch(self, batched: tuple[bool, ...], data: Any, ids: Any, *, segments: int, batch_dims: int = 0) -> Any:
        data, ids = spread(batched, data, ids)
        return self(data, ids, segments=segments, batch_dims=batch_dims + 1)


def _places(ids: Spec, segments: int, inner: tuple[int, ...], batch_dims: int) -> Places:
    """The segments that ids name; negative ones are left out."""
    batch, count = math.prod(ids.shape[:batch_dims]), math.prod(ids.shape[batch_dims:])
    return Places(batch, 1, (segments,), count, math.prod(inner), ids.dtype, skips=True)


def numbered(who: str, ids: Any, segments: int, batch_dims: int, spare: int) -> Any:
    """Flat positions of ids in the segments of all batch entries, of which each has `spare`; negative ids in the last.

    RangeError for an id that is too large.
    """
    if ids.dtype.kind not in "iu":
        raise TypeError("ids must be integers")
    host: Any = ids if isinstance(ids, (np.ndarray, np.generic)) else None
    if host is not None and host.size and np.max(host) >= segments:
        place = tuple(np.argwhere(np.asarray(host >= segments))[0])
        where = f"[{','.join(map(str, place))}]" if place else ""
        raise errors.build(
            errors.RangeError,
            f"{who}: segment_ids{where} = {host[place]} is out of range [0, {segments}).",
            "ids count from 0; negative ones are left out.",
        )
    batch = math.prod(ids.shape[:batch_dims])
    flat = np.reshape(ids, (batch, math.prod(ids.shape[batch_dims:])))
    if host is None or (host.size and np.min(host) < 0):
        flat = flat.astype(np.intp)
        flat = np.where(flat < 0, spare - 1, flat)
    return np.reshape(batch_positions(flat, spare), (ids.size,))


@declare("segment_gather")
class SegmentGather(Op):
    """Slices of `values` at `ids`, and zeros where the id is negative: each segment's value, for each of its members."""

    kinds = "fVciu"
    homogeneous = False

    def infer(self, values: Spec, ids: Spec, *, batch_dims: int = 0) -> Spec:
        check_kind(self, "values", values)
        check_integers(self, "segment_ids", ids)
        if min(ids.rank, values.rank - 1) < batch_dims or values.shape[:batch_dims] != ids.shape[:batch_dims]:
            raise self.error(
                errors.ShapeError,
                f"values is {values}, segment_ids is {ids}, batch_dims is {batch_dims}: these do not match.",
                "both must start with the batch dimensions, followed in values by an axis of segments.",
            )
        return Spec((*ids.shape, *values.shape[batch_dims + 1 :]), values.dtype)

    def kernel(self, values: Any, ids: Any, *, batch_dims: int = 0) -> Any:
        lead, segments, inner = values.shape[:batch_dims], values.shape[batch_dims], values.shape[batch_dims + 1 :]
        if ids.shape[:batch_dims] != lead:
            raise ValueError("the leading dimensions differ")
        positions = numbered(self.name, ids, segments, batch_dims, segments + 1)
        rows = np.zeros_like(values, shape=(math.prod(lead), segments + 1, math.prod(inner)))
        rows[:, :segments] = np.reshape(values, (math.prod(lead), segments, math.prod(inner)))
        rows = np.reshape(rows, (math.prod(lead) * (segments + 1), math.prod(inner)))
        return np.reshape(np.take(rows, positions, axis=0), (*ids.shape, *inner))

    def vjp(self, dy: Any, values_shape: Any, ids: Any, *, batch_dims: int = 0) -> Any:
        return UnsortedSegmentSum(dy, ids, segments=values_shape[batch_dims], batch_dims=batch_dims), None

    def batch(self, batched: tuple[bool, ...], values: Any, ids: Any, *, batch_dims: int = 0) -> Any:
        values, ids = spread(batched, values, ids)
        return self(values, ids, batch_dims=batch_dims + 1)

    def lower(self, values: Spec, ids: Spec, *, batch_dims: int = 0) -> Any:
        places = _places(ids, values.shape[batch_dims], values.shape[batch_dims + 1 :], batch_dims)
        return Take(places, values.dtype.size) if places.fits else None


@declare("unsorted_segment_sum")
class UnsortedSegmentSum(Segments):
    """The sum of each segment; 0 for those without members."""

    def combine(self, values: Any, positions: Any, rows: int, dtype: Any) -> Any:
        return sum_rows(positions, values, rows)

    def vjp(self, dy: Any, ids: Any, *, segments: int, batch_dims: int = 0) -> Any:
        return SegmentGather(dy, ids, batch_dims=batch_dims), None

    def lower(self, data: Spec, ids: Spec, *, segments: int, batch_dims: int = 0) -> Any:
        places = _places(ids, segments, data.shape[ids.rank :], batch_dims)
        return Put(places, data.dtype, "add", 0, (None, 1, 0)) if places.fits else None


@declare("unsorted_segment_prod")
class UnsortedSegmentProd(Segments):
    """The product of each segment; 1 for those without members. The derivative is made of products, so zeros are harmless."""

    def combine(self, values: Any, positions: Any, rows: int, dtype: Any) -> Any:
        return combined(np.multiply, np.ones_like(values, shape=(rows, values.shape[1])), values, positions)

    def vjp(self, dy: Any, data: Any, ids: Any, *, segments: int, batch_dims: int = 0) -> Any:
        shape, lead = dims(data), dims(ids)[:batch_dims]
        batch, n, width = math.prod(lead), math.prod(dims(ids)[batch_dims:]), math.prod(shape[len(dims(ids)) :])
        flat = Reshape(ids, shape=(batch, n))
        order = ArgSort(flat, output_type=dtypes.int64)
        numbers = Gather(flat, order, axis=1, batch_dims=1)
        factors = Gather(conj(Reshape(data, shape=(batch, n, width))), order, axis=1, batch_dims=1)
        seeds = SegmentGather(Reshape(dy, shape=(batch, segments, width)), numbers, batch_dims=1)
        d = ScatterRows(order, MultiplyNoNan(_others(factors, numbers), seeds), rows=n, axis=1, batch_dims=1)
        return Reshape(d, shape=shape), None

    def lower(self, data: Spec, ids: Spec, *, segments: int, batch_dims: int = 0) -> Any:
        places = _places(ids, segments, data.shape[ids.rank :], batch_dims)
        return Put(places, data.dtype, "multiply", 1, (None, 1, 0)) if places.fits else None


def _others(factors: Any, numbers: Any) -> Any:
    """For factors `[batch, n, width]` in the order of their segments: the product of the others in the same segment.

    It is the product of those before times the product of those behind, each by a recurrence that starts with every
    segment anew. Elements that belong to no segment are alone.
    """
    batch, n, width = dims(factors)
    if not n:
        return factors
    left, right = (StridedSlice(numbers, index=((0, batch, 1), (i, n - 1 + i, 1))) for i in (0, 1))
    together = Equal(left, right) & (left >= number(0, left))

    def chain(reverse: bool) -> Any:
        sides = ((0, 0), (0, 1) if reverse else (1, 0))
        linked = Reshape(Pad(together, paddings=sides, mode="constant", value=False), shape=(batch, n, 1))
        starts = Cast(LogicalNot(linked), dtype=dtypes.as_dtype(factors.dtype))
        links = Keep(following(factors, 1, not reverse), linked)
        return LinearRecurrence(links, BroadcastTo(starts, shape=(batch, n, width)), axis=1, reverse=reverse)

    return chain(False) * chain(True)


class SegmentExtremum(Segments):
    """The largest or smallest element of each segment; members that tie share the cotangent equally."""

    kinds = "fViu"
    better: ClassVar[Any]
    worst: ClassVar[str]

    def combine(self, values: Any, positions: Any, rows: int, dtype: Any) -> Any:
        own, shape = dtypes.as_dtype(dtype), (rows, values.shape[1])
        empty = getattr(own, self.worst)
        start = empty if not own.is_floating else -np.inf if self.worst == "min" else np.inf
        y = combined(self.better, np.full_like(values, start, shape=shape), values, positions)
        members = np.zeros_like(values, shape=(rows, 1), dtype=bool)
        members[positions] = True
        return np.where(members, y, values.dtype.type(empty))

    def vjp(self, dy: Any, data: Any, ids: Any, y: Any, *, segments: int, batch_dims: int = 0) -> Any:
        chosen = Equal(data, SegmentGather(y, ids, batch_dims=batch_dims))
        chosen = Cast(chosen, dtype=dtypes.as_dtype(data.dtype))
        ties = UnsortedSegmentSum(chosen, ids, segments=segments, batch_dims=batch_dims)
        share = dy / Maximum(ties, number(1, ties))
        return chosen * SegmentGather(share, ids, batch_dims=batch_dims), None

    def lower(self, data: Spec, ids: Spec, *, segments: int, batch_dims: int = 0) -> Any:
        places = _places(ids, segments, data.shape[ids.rank :], batch_dims)
        if not places.fits or not data.dtype.is_integer:
            return None  # the extremum of floats may be infinite, that of no member is finite
        how = "max" if self.worst == "min" else "min"
        return Put(places, data.dtype, how, int(getattr(data.dtype, self.worst)), (None, 1, 0))


@declare("unsorted_segment_max")
class UnsortedSegmentMax(SegmentExtremum):
    """The maximum of each segment; the least finite value for those without members."""

    better, worst = np.maximum, "min"


@declare("unsorted_segment_min")
class UnsortedSegmentMin(SegmentExtremum):
    """The minimum of each segment; the largest finite value for those without members."""

    better, worst = np.minimum, "max"


def combined(ufunc: Any, result: Any, values: Any, positions: Any) -> Any:
    """`result`, with each row of values combined into the row of its number, in place."""
    n, width = values.shape
    # NumPy has a quick loop for one index array on one axis.
    places = np.reshape(positions.astype(np.intp) * width, (n, 1))
    places = np.reshape(places + np.arange(width, like=places), (n * width,))
    flat = np.reshape(result, (result.size,))
    ufunc.at(flat, places, np.reshape(values, (n * width,)))
    return np.reshape(flat, result.shape)
