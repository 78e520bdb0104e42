"""Reductions. Axes are sorted tuples, counted from the front; see `summation` for how sums are taken."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes
from gradtape.core.op import REGISTRY, NotDifferentiable, declare
from gradtape.core.patterns.reduction import Reduce, reduce
from gradtape.core.shape import Spec, normalize_axes
from gradtape.ops import hot_kernels
from gradtape.ops.family import Reduction, conj, dims, reduced_shape
from gradtape.ops.movement import BroadcastTo, Reshape, Transpose, inverse
from gradtape.ops.summation import total
from gradtape.ops.summation import wide as wide  # for kernels in other files

# Untyped: NumPy's stubs know no `keepdims` that is just a bool.
_sum: Any = np.add.reduce
_largest: Any = np.maximum.reduce
_smallest: Any = np.minimum.reduce
_product: Any = np.multiply.reduce
_one: Any = np.logical_or.reduce
_every: Any = np.logical_and.reduce

_MANY = 1 << 18  # elements from which on generated code beats NumPy's reductions


def keep(y: Any, shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> Any:
    """A reduced value with length 1 on the reduced axes, so that it broadcasts against the input."""
    if keepdims or axis == _FIRST[: len(axis)]:
        return y  # leading axes come back by broadcasting
    return Reshape(y, shape=reduced_shape(shape, axis, True))


_FIRST = tuple(range(64))


def spread(dy: Any, shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> Any:
    """A reduced value, as wide as the input again."""
    return BroadcastTo(keep(dy, shape, axis, keepdims), shape=shape)


def count(shape: tuple[int, ...], axis: tuple[int, ...]) -> int:
    """How many elements each result is made of."""
    return math.prod([shape[a] for a in axis])


def in_wide(build: Any, x: Any) -> Any:
    """A value of a graph in the dtype that it is accumulated in: float16, bfloat16 and float8 as float32."""
    return build.cast(x, dtypes.float32) if x.spec.dtype.kind in "fV" and x.spec.dtype.size < 4 else x


def computed_in_float32(build: Any, name: str, *values: Any, **params: Any) -> Any:
    """An op of float16 or bfloat16 values as the same op of float32 values, rounded once; None for other dtypes."""
    dtype = values[0].spec.dtype
    if dtype not in (dtypes.float16, dtypes.bfloat16) or any(v.spec.dtype is not dtype for v in values):
        return None
    return build.cast(build(name, *[build.cast(v, dtypes.float32) for v in values], **params), dtype)


def rounded(y: Any, dtype: Any) -> Any:
    """A result in the dtype of the input."""
    return y if y.dtype is dtype or y.dtype == dtype else y.astype(dtype)


class Join(Reduction):
    """Joins two elements, and the result with the next, over axes."""

    join = ""

    def lower(self, x: Spec, *, axis: tuple[int, ...], keepdims: bool = False) -> Reduce | None:
        return reduce(self.join, x.shape, axis, x.dtype)

    def native(self, x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
        """The result from generated code, if it exists by now."""
        return hot_kernels.run(self, (x,), {"axis": axis, "keepdims": keepdims})


@declare("reduce_sum")
class ReduceSum(Join):
    """The sum over axes."""

    join = "sum"

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        if x.size >= _MANY and (native := self.native(x, axis, keepdims)) is not None:
            return native
        return rounded(total(x, axis, keepdims), x.dtype)

    def vjp(self, dy: Any, x_shape: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        return (spread(dy, x_shape, axis, keepdims),)


@declare("reduce_mean")
class ReduceMean(Join):
    """The mean over axes; of integers, rounded toward zero. The mean of nothing is nan."""

    join = "mean"

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        if x.size >= _MANY and (native := self.native(x, axis, keepdims)) is not None:
            return native
        n = count(x.shape, axis)
        if x.dtype.kind in "iu":
            # In 64 bits, where sums of smaller integers do not wrap, and n fits.
            y = _sum(x, axis, np.int64 if x.dtype.kind == "i" else np.uint64, None, keepdims)
            return rounded(_truncated_quotient(y, max(n, 1)), x.dtype)
        y = total(x, axis, keepdims)
        return rounded(y / n if n else y * np.nan, x.dtype)

    def vjp(self, dy: Any, x_shape: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        return (spread(dy / float(count(x_shape, axis) or 1), x_shape, axis, keepdims),)

    def expand(self, build: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        """A sum that is divided."""
        if x.spec.dtype.kind not in "fV" or not count(x.spec.shape, axis):
            return None
        total = build("reduce_sum", in_wide(build, x), axis=axis, keepdims=keepdims)
        return build.cast(build("divide", total, build.number(count(x.spec.shape, axis), total)), x.spec.dtype)


def _truncated_quotient(x: Any, n: int) -> Any:
    """Integers divided by a positive number, rounded toward zero."""
    below = x // n
    return below + ((x < 0) & (below * n != x)) if x.dtype.kind == "i" else below


class Extremum(Join):
    """The largest or smallest element over axes; the cotangent is shared equally by all that tie."""

    kinds = "fViu"

    def vjp(self, dy: Any, x: Any, y: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        shape = dims(x)
        chosen = REGISTRY["equal"](x, keep(y, shape, axis, keepdims))
        chosen = REGISTRY["cast"](chosen, dtype=dtypes.as_dtype(x.dtype))
        ties = ReduceSum(chosen, axis=axis, keepdims=keepdims)
        return (chosen * keep(dy / ties, shape, axis, keepdims),)


@declare("reduce_max")
class ReduceMax(Extremum):
    """The maximum over axes; nan if there is one. Of nothing: -inf, or the least integer."""

    join = "maximum"

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        if not x.size:
            return _largest(x, axis, None, None, keepdims, _limit(x.dtype, "min"))
        if x.size >= _MANY and (native := self.native(x, axis, keepdims)) is not None:
            return native
        return _largest(x, axis, None, None, keepdims)


@declare("reduce_min")
class ReduceMin(Extremum):
    """The minimum over axes; nan if there is one. Of nothing: inf, or the largest integer."""

    join = "minimum"

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        if not x.size:
            return _smallest(x, axis, None, None, keepdims, _limit(x.dtype, "max"))
        if x.size >= _MANY and (native := self.native(x, axis, keepdims)) is not None:
            return native
        return _smallest(x, axis, None, None, keepdims)


def _limit(dtype: Any, side: str) -> Any:
    """The value that an extremum starts from."""
    own = dtypes.as_dtype(dtype)
    if own.is_floating:
        return own.numpy.type(-np.inf if side == "min" else np.inf)
    return getattr(own, side)


@declare("reduce_prod")
class ReduceProd(Join):
    """The product over axes. The derivative is a product of the other elements, never a quotient: zeros are harmless."""

    join = "prod"

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        work = wide(x)
        return rounded(_product(work, axis, work.dtype, None, keepdims), x.dtype)

    def vjp(self, dy: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        shape = dims(x)
        if not count(shape, axis):
            return (spread(dy, shape, axis, keepdims),)
        dy = Reshape(dy, shape=(1, *reduced_shape(shape, axis, False)))
        return (from_rows(_by_pairs(conj(to_rows(x, axis)), dy), shape, axis),)


def to_rows(x: Any, axis: tuple[int, ...]) -> Any:
    """x with the axes to be reduced made one, which stands first."""
    shape = dims(x)
    perm = axis + tuple([i for i in range(len(shape)) if i not in axis])
    return Reshape(Transpose(x, perm=perm), shape=(count(shape, axis), *reduced_shape(shape, axis, False)))


def from_rows(rows: Any, shape: tuple[int, ...], axis: tuple[int, ...]) -> Any:
    """What `to_rows` made, in the shape that it had."""
    perm = axis + tuple([i for i in range(len(shape)) if i not in axis])
    return Transpose(Reshape(rows, shape=tuple([shape[i] for i in perm])), perm=inverse(perm))


def _by_pairs(factors: Any, dy: Any) -> Any:
    """Cotangents of the factors along axis 0 of their product.

    Factors are multiplied in pairs, the pairs in pairs; each gets the cotangent of its pair times its partner. Made of
    products alone, this is exact with zeros to any order, in as many steps as the logarithm of the number of factors.
    """
    n = dims(factors)[0]
    if n == 1:
        return dy
    take, join = REGISTRY["strided_slice"], REGISTRY["concat"]
    half = n // 2
    a = take(factors, index=((0, half, 1),))
    b = take(factors, index=((half, 2 * half, 1),))
    single = [take(factors, index=((n - 1, n, 1),))] if n % 2 else []
    d = _by_pairs(join(a * b, *single, axis=0) if single else a * b, dy)
    first = take(d, index=((0, half, 1),)) if single else d
    last = [take(d, index=((half, half + 1, 1),))] if single else []
    return join(first * b, first * a, *last, axis=0)


@declare("reduce_euclidean_norm")
class ReduceEuclideanNorm(Reduction):
    """sqrt(sum(|x|²)) over axes; of integers, rounded toward zero. The gradient at 0 is nan, but 0 for a cotangent of 0.

    Right over the whole range of floats: squares that would overflow or vanish are scaled first.
    """

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        if x.dtype.kind == "c":
            squares = np.real(x) * np.real(x) + np.imag(x) * np.imag(x)
        else:
            work = wide(x)
            squares = work * work
        y = np.sqrt(total(squares, axis, keepdims))
        if x.dtype.kind not in "iu" and x.size and not _is_safe_root(y):
            y = _scaled_norm(np.abs(wide(x)), axis, keepdims)
        return rounded(y, x.dtype)

    def vjp(self, dy: Any, x: Any, y: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        if dy.dtype.kind == "c":
            dy = 0.5 * (dy + conj(dy))  # the norm is real, so only the real part of its cotangent counts
        # Not x * (dy / y), which overflows where y is tiny. Where nothing depends on the norm, neither does its singularity.
        direction = x / keep(y, dims(x), axis, keepdims)
        return (REGISTRY["multiply_no_nan"](direction, keep(dy, dims(x), axis, keepdims)),)

    def expand(self, build: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        """The root of a sum in float64, where squares of smaller floats are exact."""
        if x.spec.dtype.kind not in "fV" or x.spec.dtype.size > 4:
            return None
        work = build.cast(x, dtypes.float64)
        total = build("reduce_sum", build("multiply", work, work), axis=axis, keepdims=keepdims)
        return build.cast(build("sqrt", total), x.spec.dtype)


def _is_safe_root(y: Any) -> bool:
    """True if no square of which these are the roots of sums can have overflowed, nor lost digits to underflow."""
    safe = (y > _SAFE[y.dtype.char]) & (y < np.inf)
    return bool(safe if not y.ndim else np.all(safe))


# From here on, squares of numbers so small that they matter no more are all that underflow can take away.
_SAFE = {d: math.sqrt(np.finfo(d).tiny / np.finfo(d).eps) for d in "fd"}


def _scaled_norm(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The norm of magnitudes, with the largest of each taken out before they are squared."""
    top = _largest(x, axis, None, None, True)
    scaled = x / np.where((top > 0) & (top < np.inf), top, x.dtype.type(1))
    y = np.sqrt(total(scaled * scaled, axis, True)) * np.where(top < np.inf, top, x.dtype.type(1))
    return y if keepdims else Reshape(y, shape=reduced_shape(x.shape, axis, False))


class Truth(Join):
    """Reductions of bools."""

    kinds = "b"
    vjp = NotDifferentiable("the result is true or false")


@declare("reduce_any")
class ReduceAny(Truth):
    """True where one element over the axes is true."""

    join = "any"

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        return _one(x, axis, None, None, keepdims)


@declare("reduce_all")
class ReduceAll(Truth):
    """True where every element over the axes is true."""

    join = "all"

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        return _every(x, axis, None, None, keepdims)


@declare("count_nonzero")
class CountNonzero(Reduction):
    """How many elements over axes are not zero, false or the empty string."""

    kinds = "fVciubO"
    vjp = NotDifferentiable("a count is piecewise constant")

    def infer(  # type: ignore[override]
        self, x: Spec, *, axis: tuple[int, ...], keepdims: bool = False, dtype: dtypes.DType
    ) -> Spec:
        self.check_dtypes(x)
        return Spec(reduced_shape(x.shape, normalize_axes(axis, x.rank, self.name), keepdims), dtype)

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False, dtype: dtypes.DType) -> Any:
        return np.count_nonzero(x, axis=axis, keepdims=keepdims).astype(dtype.numpy)

    def expand(self, build: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool = False, dtype: dtypes.DType) -> Any:
        """A sum of ones."""
        if x.spec.dtype.kind not in "fVciub" or dtype.kind not in "iu":
            return None
        found = x if x.spec.dtype.is_bool else build("not_equal", x, build.number(0, x))
        return build("reduce_sum", build.cast(found, dtype), axis=axis, keepdims=keepdims)
