"""Scans: sums, products and log-sums of everything so far along an axis.

Their gradients are recurrences along the axis, y[i] = a[i] * y[i - 1] + b[i], which are an op of their own. It is closed
under differentiation and made of sums and products alone: zeros among the factors of a product do no harm, to any order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import errors, memory
from gradtape.core.array_protocol import overridable
from gradtape.core.op import Op, declare
from gradtape.core.patterns.reduction import Scan as Running
from gradtape.core.patterns.reduction import around
from gradtape.core.shape import Spec, normalize_axis
from gradtape.ops.arithmetic import MultiplyNoNan
from gradtape.ops.family import NO_LOWERING, conj, dims
from gradtape.ops.indexing import spread
from gradtape.ops.interruptible import PART
from gradtape.ops.interruptible import accumulate as in_parts
from gradtape.ops.reduction import rounded, wide
from gradtape.ops.slicing import Pad, StridedSlice, whole


class Cumulative(Op):
    """One value for each place along an axis, made of the elements up to it.

    `exclusive` leaves out the element at the place itself, `reverse` runs from the end.
    """

    kinds = "fVciu"
    lower = NO_LOWERING

    def infer(self, x: Spec, *, axis: int, **params: Any) -> Spec:
        normalize_axis(axis, x.rank, self.name)
        return Spec(x.shape, self.check_dtypes(x))

    def batch(self, batched: tuple[bool, ...], x: Any, *, axis: int, **params: Any) -> Any:
        return self(x, axis=axis + 1, **params)


def accumulate(ufunc: Any, x: Any, axis: int, exclusive: bool, reverse: bool, start: Any) -> Any:
    """The results of a ufunc on all elements so far, in the dtype of x; `start` is that of no elements."""
    y = _empty_like(x)
    source, target = (np.flip(x, axis), np.flip(y, axis)) if reverse else (x, y)
    if exclusive:
        before = (slice(None),) * axis
        target[(*before, slice(0, 1))] = start
        source, target = source[(*before, slice(0, -1))], target[(*before, slice(1, None))]
    if axis < x.ndim - 1 and x.shape[axis] > exclusive and x.size >= _LARGE_SLICE * x.shape[axis]:
        # NumPy would run along the axis, over distant memory, one element after the other.
        source, target = np.moveaxis(source, axis, 0), np.moveaxis(target, axis, 0)
        target[0] = source[0]
        for i in range(1, source.shape[0]):
            ufunc(target[i - 1], source[i], out=target[i])
    elif type(x) is np.ndarray and x.size > PART:
        in_parts(ufunc, source, axis, target)
    else:
        ufunc.accumulate(source, axis=axis, dtype=x.dtype, out=target)
    return y


_LARGE_SLICE = 256


def _empty_like(x: Any) -> Any:
    if type(x) is np.ndarray and x.size >= memory.THRESHOLD:
        return memory.empty(x.shape, x.dtype)
    return np.empty_like(x)


def following(x: Any, axis: int, reverse: bool) -> Any:
    """x moved by one place against the direction of a scan, so that each place has what the scan meets next; 0 at its end."""
    shape = dims(x)
    n = shape[axis]
    if not n:
        return x
    start, stop = (0, n - 1) if reverse else (1, n)
    sides = [(0, 0)] * len(shape)
    sides[axis] = (1, 0) if reverse else (0, 1)
    part = StridedSlice(x, index=(*whole(shape[:axis]), (start, stop, 1)))
    return Pad(part, paddings=tuple(sides), mode="constant", value=0)


@declare("cumsum")
class CumSum(Cumulative):
    """The sum of the elements so far along an axis."""

    def kernel(self, x: Any, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Any:
        return rounded(accumulate(np.add, wide(x), axis, exclusive, reverse, 0), x.dtype)

    def vjp(self, dy: Any, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Any:
        return (CumSum(dy, axis=axis, exclusive=exclusive, reverse=not reverse),)

    def lower(self, x: Spec, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Running:
        return Running("sum", around(x.shape, axis), x.dtype, exclusive, reverse)


@declare("cumprod")
class CumProd(Cumulative):
    """The product of the elements so far along an axis."""

    def kernel(self, x: Any, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Any:
        return rounded(accumulate(np.multiply, wide(x), axis, exclusive, reverse, 1), x.dtype)

    def vjp(self, dy: Any, x: Any, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Any:
        # The product before each place, times the sum over later results of dy times the product in between.
        x = conj(x)
        seen = following(dy, axis, reverse) if exclusive else dy
        later = LinearRecurrence(following(x, axis, reverse), seen, axis=axis, reverse=not reverse)
        # Where nothing came from later results, it does not matter if the product has overflowed.
        return (MultiplyNoNan(CumProd(x, axis=axis, exclusive=True, reverse=reverse), later),)

    def lower(self, x: Spec, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Running:
        return Running("prod", around(x.shape, axis), x.dtype, exclusive, reverse)


@declare("cumulative_logsumexp")
class CumulativeLogSumExp(Cumulative):
    """log(sum(exp(x))) of the elements so far along an axis; -inf of none. Sums are made in float64."""

    kinds = "fV"

    def kernel(self, x: Any, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Any:
        return rounded(accumulate(np.logaddexp, _double(x), axis, exclusive, reverse, -np.inf), x.dtype)

    def vjp(self, dy: Any, x: Any, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Any:
        share, rest = CumulativeShare(x, axis=axis, reverse=reverse)
        seen = following(dy, axis, reverse) if exclusive else dy
        return (share * LinearRecurrence(following(rest, axis, reverse), seen, axis=axis, reverse=not reverse),)


@declare("cumulative_share")
class CumulativeShare(Cumulative):
    """How much of the sum of exp(x) so far along an axis is each element's own, and how much was there before it.

    The two add up to 1, and both are accurate where they are small. Where an element and all before it are -inf, or it
    and one before it are inf, both are 0: a derivative that has no limit is taken to be 0.
    """

    kinds = "fV"
    outputs = ("share", "rest")

    def infer(self, x: Spec, *, axis: int, **params: Any) -> Any:
        return (super().infer(x, axis=axis),) * 2

    def kernel(self, x: Any, *, axis: int, reverse: bool = False) -> Any:
        work = _double(x)
        before = accumulate(np.logaddexp, work, axis, True, reverse, -np.inf)
        lead = work - before
        lost = np.isnan(lead) & ~np.isnan(work) & ~np.isnan(before)
        lead = np.where(lost, -np.inf, lead)
        share, rest = 1 / (1 + np.exp(-lead)), np.where(lost, 0.0, 1 / (1 + np.exp(lead)))
        if x.shape[axis]:
            first = (slice(None),) * axis + (slice(-1, None) if reverse else slice(0, 1),)
            share[first], rest[first] = 1, 0
        return rounded(share, x.dtype), rounded(rest, x.dtype)

    def vjp(self, dy: Any, share: Any, rest: Any, *, axis: int, reverse: bool = False) -> Any:
        d = (dy[0] - dy[1]) * share * rest
        later = LinearRecurrence(
            following(rest, axis, reverse), following(d, axis, reverse), axis=axis, reverse=not reverse
        )
        return (d - share * later,)


def _double(x: Any) -> Any:
    return x if x.dtype.char == "d" else x.astype(np.float64)


@declare("linear_recurrence")
class LinearRecurrence(Op):
    """y with y[i] = a[i] * y[i - 1] + b[i] along an axis, from y[0] = b[0]; `reverse` runs from the end."""

    kinds = "fVc"
    lower = NO_LOWERING

    def infer(self, a: Spec, b: Spec, *, axis: int, reverse: bool = False) -> Spec:
        dtype = self.check_dtypes(a, b)
        if a.shape != b.shape:
            raise self.error(
                errors.ShapeError, f"shapes differ: a is {a}, b is {b}.", "give one factor and one term per element."
            )
        normalize_axis(axis, a.rank, self.name)
        return Spec(a.shape, dtype)

    def kernel(self, a: Any, b: Any, *, axis: int, reverse: bool = False) -> Any:
        if a.shape != b.shape:
            raise ValueError("shapes differ")
        if not b.shape[axis]:
            return np.copy(b)
        first = [np.moveaxis(np.flip(wide(v), axis) if reverse else wide(v), axis, 0) for v in (a, b)]
        y = np.moveaxis(_recur(*first), 0, axis)
        return rounded(np.flip(y, axis) if reverse else y, b.dtype)

    def vjp(self, dy: Any, a: Any, y: Any, *, axis: int, reverse: bool = False, needs: Any) -> Any:
        total = LinearRecurrence(following(conj(a), axis, reverse), dy, axis=axis, reverse=not reverse)
        return total * following(conj(y), axis, not reverse) if needs[0] else None, total

    def batch(self, batched: tuple[bool, ...], a: Any, b: Any, *, axis: int, reverse: bool = False) -> Any:
        a, b = spread(batched, a, b)
        return self(a, b, axis=axis + 1, reverse=reverse)


@overridable
def _recur(a: Any, b: Any) -> Any:
    """The recurrence along axis 0."""
    n = b.shape[0]
    return _by_blocks(a.reshape(n, -1), b.reshape(n, -1)).reshape(b.shape)


_FEW_STEPS = 64
_WIDE_ROWS = 512  # arrays of such rows keep NumPy busy through each step


def _by_blocks(a: Any, b: Any) -> Any:
    """The recurrence on `[n, width]`. A long and narrow one is cut into blocks, which take their steps side by side; what
    enters each block then follows from a recurrence of the blocks."""
    n, width = b.shape
    if n <= _FEW_STEPS or width >= _WIDE_ROWS:
        return _by_steps(a, b)
    length = math.isqrt(n)
    count = -(-n // length)
    factors, terms = (_side_by_side(v, count, length) for v in (a, b))
    y = _by_steps(factors, terms)
    gain = np.multiply.accumulate(factors, axis=0)
    ends = _by_blocks(*[v[-1].reshape(count, width) for v in (gain, y)])
    entering = np.zeros_like(ends)
    entering[1:] = ends[:-1]
    flat = entering.reshape(-1)
    y += np.where(flat == 0, flat, gain * flat)  # nothing enters: no matter how large the gain has become
    return y.reshape(length, count, width).swapaxes(0, 1).reshape(count * length, width)[:n]


def _side_by_side(v: Any, count: int, length: int) -> Any:
    """`[n, width]` as `[length, count * width]`: place i of all blocks is row i. The last block is filled up with 0."""
    n, width = v.shape
    padded = np.zeros((count * length, width), v.dtype)
    padded[:n] = v
    return np.ascontiguousarray(padded.reshape(count, length, width).swapaxes(0, 1)).reshape(length, count * width)


def _by_steps(a: Any, b: Any) -> Any:
    y = np.empty(b.shape, b.dtype)
    y[0] = b[0]
    for i in range(1, b.shape[0]):
        np.multiply(a[i], y[i - 1], out=y[i])
        y[i] += b[i]
    return y
