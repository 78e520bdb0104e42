"""Softmax and its logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors, hot_kernels, memory
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec, normalize_axis
from gradtape.ops import row_blocks
from gradtape.ops.exponential import Exp
from gradtape.ops.family import NO_LOWERING
from gradtape.ops.indexing import spread
from gradtape.ops.reduction import ReduceSum, in_wide, rounded, wide
from gradtape.ops.summation import total

# Where the sums of exp(x) are in this range, nothing that the softmax shows has overflowed or underflowed on the way.
_SAFE = {"f": (0.5, 1e37), "d": (0.5, 1e307)}


class Normalizer(Op):
    """Normalises along one axis; the shape stays."""

    kinds = "fV"
    lower = NO_LOWERING

    def infer(self, x: Spec, *, axis: int) -> Spec:
        normalize_axis(axis, x.rank, self.name)
        return Spec(x.shape, self.check_dtypes(x))

    def kernel(self, x: Any, *, axis: int) -> Any:
        if axis == x.ndim - 1 and row_blocks.suits(x):
            native = hot_kernels.kernel(self, (x,), {"axis": axis})
            if native is not None:
                return native(x)
        return rounded(self.normalize(wide(x), axis), x.dtype) if x.size else x

    def rows(self, x: Spec, *, axis: int) -> Any:
        """What `row` describes the rows of, and how the inputs lie beside it; None if the axis is not the last."""
        return (x.shape, x.shape) if axis == x.rank - 1 else None

    def normalize(self, x: Any, axis: int) -> Any:
        """The result for float32 and float64."""
        raise NotImplementedError

    def batch(self, batched: tuple[bool, ...], x: Any, *, axis: int) -> Any:
        return self(x, axis=axis + 1)


@declare("softmax")
class Softmax(Normalizer):
    """exp(x) over its sum along an axis."""

    def normalize(self, x: Any, axis: int) -> Any:
        if axis == x.ndim - 1 and row_blocks.suits(x):
            return _softmax_of_rows(x)
        y = below_peak(x, axis)
        np.exp(y, out=y)
        y /= total(y, (axis,), keepdims=True)
        return y

    def vjp(self, dy: Any, y: Any, *, axis: int) -> Any:
        return (SoftmaxGrad(dy, y, axis=axis),)

    def expand(self, build: Any, x: Any, *, axis: int) -> Any:
        """The parts of the kernel, unless `row` describes it."""
        if axis == x.spec.rank - 1 and x.spec.shape[axis] > 1:
            return None
        e = build("exp", _below_peak(build, x, axis))
        total = build("reduce_sum", e, axis=(axis,), keepdims=True)
        return build.cast(build("divide", e, total), x.spec.dtype)

    def row(self, cg: Any, x: Any, *, axis: int) -> Any:
        """One row."""
        e = cg.exp(cg.sub(x, cg.row_max(x)))
        return cg.mul(e, cg.div(cg.constant(1, e), cg.row_sum(e)))


@declare("softmax_grad")
class SoftmaxGrad(Op):
    """(g - sum(g * p)) * p along an axis: the cotangent of softmax's input, where p is its result and g the cotangent of that."""

    kinds = "fV"
    lower = NO_LOWERING

    def infer(self, g: Spec, p: Spec, *, axis: int) -> Spec:
        normalize_axis(axis, p.rank, self.name)
        if g.shape != p.shape:
            raise self.error(
                errors.ShapeError, f"g is {g}, p is {p}, and both need one shape.", "give one g for each element."
            )
        return Spec(p.shape, self.check_dtypes(g, p))

    def kernel(self, g: Any, p: Any, *, axis: int) -> Any:
        if g.shape != p.shape:
            raise ValueError("shapes differ")
        own, g, p = p.dtype, wide(g), wide(p)
        if axis == p.ndim - 1 and row_blocks.suits(g, p):
            native = hot_kernels.kernel(self, (g, p), {"axis": axis})
            return rounded(_cotangent_of_rows(g, p), own) if native is None else native(g, p)
        return rounded((g - total(g * p, (axis,), keepdims=True)) * p, own)

    def vjp(self, dy: Any, g: Any, p: Any, *, axis: int, needs: Any) -> Any:
        # The map from g is its own transpose.
        dg = SoftmaxGrad(dy, p, axis=axis) if needs[0] else None
        if not needs[1]:
            return dg, None
        over = {"axis": (axis,), "keepdims": True}
        return dg, dy * (g - ReduceSum(g * p, **over)) - g * ReduceSum(dy * p, **over)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, axis: int) -> Any:
        return self(*spread(batched, *inputs), axis=axis + 1)

    def rows(self, g: Spec, p: Spec, *, axis: int) -> Any:
        """What `row` describes the rows of, and how the inputs lie beside it; None if the axis is not the last."""
        return (p.shape, g.shape, p.shape) if axis == p.rank - 1 else None

    def expand(self, build: Any, g: Any, p: Any, *, axis: int) -> Any:
        """The parts of the kernel, unless `row` describes it."""
        if axis == p.spec.rank - 1 and p.spec.shape[axis] > 1:
            return None
        g, p, dtype = in_wide(build, g), in_wide(build, p), p.spec.dtype
        total = build("reduce_sum", build("multiply", g, p), axis=(axis,), keepdims=True)
        return build.cast(build("multiply", build("subtract", g, total), p), dtype)

    def row(self, cg: Any, g: Any, p: Any, *, axis: int) -> Any:
        """One row."""
        return cg.mul(cg.sub(g, cg.row_sum(cg.mul(g, p))), p)


@declare("log_softmax")
class LogSoftmax(Normalizer):
    """x minus the logarithm of the sum of exp(x) along an axis."""

    def normalize(self, x: Any, axis: int) -> Any:
        y = below_peak(x, axis)
        y -= np.log(total(np.exp(y), (axis,), keepdims=True))
        return y

    def vjp(self, dy: Any, y: Any, *, axis: int) -> Any:
        return (dy - Exp(y) * ReduceSum(dy, axis=(axis,), keepdims=True),)

    def expand(self, build: Any, x: Any, *, axis: int) -> Any:
        """The parts of the kernel, unless `row` describes it."""
        if axis == x.spec.rank - 1 and x.spec.shape[axis] > 1:
            return None
        below = _below_peak(build, x, axis)
        total = build("reduce_sum", build("exp", below), axis=(axis,), keepdims=True)
        return build.cast(build("subtract", below, build("log", total)), x.spec.dtype)

    def row(self, cg: Any, x: Any, *, axis: int) -> Any:
        """One row."""
        below = cg.sub(x, cg.row_max(x))
        return cg.sub(below, cg.log(cg.row_sum(cg.exp(below))))


def _below_peak(build: Any, x: Any, axis: int) -> Any:
    """The same as `below_peak`, in a graph."""
    x = in_wide(build, x)
    return build("subtract", x, build("reduce_max", x, axis=(axis,), keepdims=True))


def below_peak(x: Any, axis: int) -> Any:
    """A new array, C-ordered: x minus its largest value along an axis, so that exp does not overflow."""
    if not x.size:
        return x - x  # no elements, hence no peak
    if type(x) is np.ndarray:
        return np.subtract(x, np.maximum.reduce(x, axis, keepdims=True), order="C")
    return x - np.max(x, axis=axis, keepdims=True)


def _softmax_of_rows(x: Any) -> Any:
    """Softmax along the last axis of a large array.

    The largest element is subtracted only in blocks that need it. Where it is not, there is a rounding less.
    """
    rows, result = row_blocks.matrix(x), memory.empty(x.shape, x.dtype)
    out, ones = row_blocks.matrix(result), np.ones(x.shape[-1], x.dtype)
    low, high = _SAFE[x.dtype.char]

    def compute(block: slice) -> None:
        y = out[block]
        np.exp(rows[block], out=y)
        sums = row_blocks.dots(y, ones)
        if not (sums.min() >= low and sums.max() <= high):
            np.subtract(rows[block], np.maximum.reduce(rows[block], 1, keepdims=True), out=y)
            np.exp(y, out=y)
            sums = row_blocks.dots(y, ones)
        np.multiply(y, 1 / sums, out=y)

    row_blocks.by_blocks(compute, *rows.shape)
    return result


def _cotangent_of_rows(g: Any, p: Any) -> Any:
    """(g - sum(g * p)) * p along the last axis of large arrays."""
    cotangents, rows, result = row_blocks.matrix(g), row_blocks.matrix(p), memory.empty(p.shape, p.dtype)
    out = row_blocks.matrix(result)

    def compute(block: slice) -> None:
        c, y, d = cotangents[block], rows[block], out[block]
        np.subtract(c, row_blocks.dots(c, y), out=d)
        np.multiply(d, y, out=d)

    row_blocks.by_blocks(compute, *rows.shape)
    return result
