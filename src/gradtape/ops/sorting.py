"""Order: sorted values, the permutation that sorts, the largest few, and the distinct ones. All work on the last axis.

NaN counts as larger than anything, as in NumPy: last in rising order, first in falling order and among the largest.
Equal elements keep their order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, memory
from gradtape.core.array_protocol import overridable
from gradtape.core.op import NotDifferentiable, Op, Unsupported, declare
from gradtape.core.shape import Spec
from gradtape.ops.accumulation_dtype import is_narrow
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.indexing import ScatterRows
from gradtape.ops.interruptible import PART, apart, by_rows
from gradtape.ops.reduction import rounded, wide


class Sorting(Op):
    """An op on the order of elements along the last axis."""

    kinds = "fViu"
    lower = NO_LOWERING

    def check(self, x: Spec) -> None:
        """Raises unless there is an axis, of a dtype that has an order."""
        self.check_dtypes(x)
        if not x.rank:
            raise self.error(
                errors.ShapeError,
                f"x is {x}, and must not be a scalar: input must be >= 1-D.",
                "put the scalar in a list, or leave the call out.",
            )

    def batch(self, batched: tuple[bool, ...], x: Any, **params: Any) -> Any:
        return self(x, **params)


@declare("sort")
class Sort(Sorting):
    """The elements along the last axis in rising or falling order."""

    def infer(self, x: Spec, *, descending: bool = False) -> Spec:
        self.check(x)
        return x

    def kernel(self, x: Any, *, descending: bool = False) -> Any:
        # Values alone are sorted several times faster than positions, which only the gradient needs.
        y = by_rows(_rising, x)
        return np.copy(np.flip(y, -1)) if descending else y

    def vjp(self, dy: Any, x: Any, *, descending: bool = False) -> Any:
        order = ArgSort(x, descending=descending, output_type=dtypes.int32)
        return (to_places(order, dy, dims(x)[-1]),)


def _rising(x: Any) -> Any:
    return rounded(np.sort(wide(x), axis=-1), x.dtype)


def to_places(places: Any, values: Any, n: int) -> Any:
    """Values along the last axis, each added to zeros at its place among `n`."""
    last = len(dims(places)) - 1
    return ScatterRows(places, values, rows=n, axis=last, batch_dims=last)


@declare("argsort")
class ArgSort(Sorting):
    """The positions that put the last axis in order; equal elements keep theirs."""

    vjp = NotDifferentiable("a position is an integer")

    def infer(self, x: Spec, *, descending: bool = False, output_type: dtypes.DType) -> Spec:
        self.check(x)
        return Spec(x.shape, output_type)

    def kernel(self, x: Any, *, descending: bool = False, output_type: dtypes.DType) -> Any:
        if not x.ndim:
            raise ValueError("x is a scalar")
        return stable_order(x, descending).astype(output_type.numpy, copy=False)


@declare("top_k")
class TopK(Sorting):
    """The `k` largest elements along the last axis, in falling order, and their positions; of equal ones the first."""

    outputs = ("values", "indices")
    takes_none = True

    def infer(self, x: Spec, *, k: int, index_type: dtypes.DType) -> tuple[Spec, Spec]:
        self.check(x)
        if not 0 <= k <= x.shape[-1]:
            raise self.error(
                errors.ShapeError,
                f"k is {k}, but x is {x}: input must have at least k columns, and has {x.shape[-1]}."
                if k >= 0
                else f"k is {k}, and must be non-negative: need k >= 0, got {k}.",
                f"use a k from 0 to {x.shape[-1]}.",
            )
        shape = (*x.shape[:-1], k)
        return Spec(shape, x.dtype), Spec(shape, index_type)

    def kernel(self, x: Any, *, k: int, index_type: dtypes.DType) -> Any:
        if not 0 <= k <= x.shape[-1]:
            raise ValueError("k is out of range")
        values, indices = largest(x, k)
        return values, indices.astype(index_type.numpy, copy=False)

    def vjp(self, dy: Any, indices: Any, x_shape: Any, *, k: int, index_type: dtypes.DType) -> Any:
        return (to_places(indices, dy[0], x_shape[-1]),)


@declare("unique_positions")
class UniquePositions(Op):
    """For a vector: where each distinct element is first, which of them each element is, and how often it occurs.

    Distinct elements are numbered in the order of their first occurrence. NaN is unlike any other.
    """

    kinds = "fVciubO"
    outputs = ("first", "index", "count")
    vjp = NotDifferentiable("positions and counts are integers")
    batch = Unsupported("how many distinct elements there are depends on the values")
    lower = NO_LOWERING

    def infer(self, x: Spec, *, output_type: dtypes.DType) -> tuple[Spec, Spec, Spec]:
        self.check_dtypes(x)
        if x.rank != 1:
            raise self.error(errors.ShapeError, f"x is {x}, and must be a vector.", "use tf.reshape(x, [-1]).")
        unknown: Any = (None,)
        return Spec(unknown, output_type), Spec(x.shape, output_type), Spec(unknown, output_type)

    def kernel(self, x: Any, *, output_type: dtypes.DType) -> Any:
        if x.ndim != 1:
            raise ValueError("x must be a vector")
        found = apart(_distinct, x) if type(x) is np.ndarray and x.size > PART else _distinct(x)
        return tuple([v.astype(output_type.numpy, copy=False) for v in found])


@overridable
def _distinct(x: Any) -> Any:
    order = stable_order(x, False)
    ordered = x[order]
    starts = np.ones(x.shape, bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    group = np.cumsum(starts) - 1
    first = order[starts]
    by_occurrence = np.argsort(first)
    number = np.empty(first.shape, np.intp)
    number[by_occurrence] = np.arange(first.size)
    index = np.empty(x.shape, np.intp)
    index[order] = number[group]
    return first[by_occurrence], index, np.bincount(index, minlength=first.size)


_SMALL = 512  # elements up to which the packing below costs more than it saves


@overridable
def stable_order(x: Any, descending: bool) -> Any:
    """The positions that put the last axis in order, with equal elements in the order that they had."""
    return _stable_order(x, descending) if x.size <= PART else by_rows(lambda part: _stable_order(part, descending), x)


def _stable_order(x: Any, descending: bool) -> Any:
    if is_narrow(x):
        x = x.astype(np.float32)
    if x.dtype.kind in "fiu" and x.dtype.itemsize == 4 and x.size > _SMALL:
        return _by_packing(x, descending)
    if not descending:
        return x.argsort(axis=-1, kind="stable")
    backward = x[..., ::-1].argsort(axis=-1, kind="stable")
    return x.shape[-1] - 1 - backward[..., ::-1]


def _by_packing(x: Any, descending: bool) -> Any:
    """Positions for elements of 32 bits: value and position together are an integer of 64 bits, and NumPy sorts integers
    eight times faster than positions."""
    if x.dtype.kind == "f":
        bits = (x + np.float32(0)).view(np.int32)  # -0.0 becomes 0.0
        bits ^= (bits >> 31) & np.int32(0x7FFFFFFF)  # negative floats fall where their bits rise
        unordered = np.isnan(x)
        if unordered.any():
            bits[unordered] = np.int32(0x7FFFFFFF)
    else:
        bits = x if x.dtype.kind == "i" else (x ^ np.uint32(1 << 31)).view(np.int32)
    if descending:
        bits = ~bits
    packed = bits.astype(np.int64)
    packed <<= 32
    packed |= np.arange(x.shape[-1])
    packed.sort(axis=-1)
    return packed.astype(np.int32)  # the lower half


_PART = 1 << 18  # elements that a thread takes at a time


@overridable
def largest(x: Any, k: int) -> Any:
    """The `k` largest along the last axis, in falling order, and their positions; of equal ones the first."""
    places = _places_of_largest(x, k)
    if x.ndim == 1:
        return x[places], places
    # np.take_along_axis would take three times as long.
    rows = np.arange(math.prod(x.shape[:-1])) * x.shape[-1]
    return x.reshape(-1)[rows.reshape(*x.shape[:-1], 1) + places], places


def _places_of_largest(x: Any, k: int) -> Any:
    n = x.shape[-1]
    if 8 * k > n or x.size <= _SMALL:
        return stable_order(x, True)[..., :k]
    rows = wide(x).reshape(-1, n)
    result = np.empty((rows.shape[0], k), np.intp)

    def compute(start: int) -> None:
        part = slice(start, start + step)
        result[part] = _few_largest(rows[part], k)

    step = max(1, _PART // n)
    if step >= rows.shape[0]:
        compute(0)
    else:
        memory.run(compute, range(0, rows.shape[0], step))
    return result.reshape(*x.shape[:-1], k)


def _few_largest(rows: Any, k: int) -> Any:
    """The positions of the `k` largest in each row of a matrix; k is well below the length of a row."""
    count, n = rows.shape
    if not (k and count):
        return np.empty((count, k), np.intp)
    bound = _lower_bound(rows, k)
    found = () if np.isnan(bound).any() else np.flatnonzero(rows >= bound)
    if not count * k <= len(found) <= _MANY_TIES * count * k:
        return stable_order(rows, True)[:, :k]
    row = found // n
    counts = np.bincount(row, minlength=count)
    place = np.arange(len(found)) - np.repeat(np.cumsum(counts) - counts, counts)
    # The rest of each row are dummies: they come last, since equal elements keep their order.
    shape = count, int(counts.max())
    values = np.full(shape, dtypes.as_dtype(rows.dtype).min if rows.dtype.kind != "f" else -np.inf, rows.dtype)
    columns = np.zeros(shape, np.intp)
    values[row, place], columns[row, place] = rows.reshape(-1)[found], found - row * n
    return np.take_along_axis(columns, stable_order(values, True)[:, :k], 1)


_GROUPS = 4  # groups per element that is looked for: few of those share a group
_ROW = 1024  # NumPy compares rows that long at full speed
_MEMBERS = 8  # with fewer members in a group, one partition of the rows is as quick
_MANY_TIES = 8


def _lower_bound(rows: Any, k: int) -> Any:
    """A number for each row that at least `k` of its elements reach, and few others; nan if there is a nan.

    The k-th largest of the maxima of groups is one, and takes a pass over the rows at the speed of memory.
    """
    groups = max(_GROUPS * k, min(rows.shape[1] // _MEMBERS, _ROW))
    members = rows.shape[1] // groups
    maxima = rows
    if members >= _MEMBERS:
        maxima = rows[:, : members * groups].reshape(-1, members, groups).max(axis=1)
    top = np.partition(maxima, -k, axis=1)[:, -k:]
    rest = rows[:, members * groups :] if maxima is not rows else top
    bound = top[:, :1]
    if rows.dtype.kind == "f" and (np.isnan(top).any() or np.isnan(rest).any()):
        return np.full_like(bound, np.nan)
    return bound
