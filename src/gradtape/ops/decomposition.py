"""Shared parts of matrix decompositions: checks, and the terms of their derivatives.

Two things make these derivatives delicate.

Equal values. Derivatives of eigenvectors hold 1 / (e_j - e_i). Where two values are equal up to rounding, their vectors are
not functions of the matrix, only the space that they span is; the term is then left out (`gaps`). So the gradient is right
for what is well defined there: functions that treat equal values alike, and the spaces themselves (projections, and the
unitary factor u v^H of an SVD). It is not for `v f(e) v^H` with f' != 0: its derivative between two equal values is f' times
something, and the cotangents of e and v are the same whatever f' is there. For the same reason second derivatives are right for
values that differ from all others, and for vectors only if all values differ. `sqrtm`, `expm`, `logm`, `inv`, `pinv` and `det`
have derivatives of their own, which do not mind.

Phases. A complex vector of unit length may be multiplied by any phase. Ours are turned so that one large element, the
anchor, is real and positive: the first that is at least half as large as the largest. That makes the result a function
with a derivative of its own, and changes nothing for those who do not look at phases. Signs of real vectors are LAPACK's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import Op
from gradtape.core.shape import Spec, spec_of
from gradtape.ops import blas
from gradtape.ops.argmax import ArgMax
from gradtape.ops.complex import Complex, Imag, Real
from gradtape.ops.creation import OneHot
from gradtape.ops.diagonal import BandPart, Diag, check_matrices
from gradtape.ops.division import DivideNoNan
from gradtape.ops.family import NO_LOWERING, conj, dims
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import Reshape
from gradtape.ops.reduction import ReduceMax, ReduceSum
from gradtape.ops.selection import Keep, number
from gradtape.ops.slicing import StridedSlice


class Decomposition(Op):
    """An op on matrices in the last two axes, computed by LAPACK."""

    kinds = "fc"
    lower = NO_LOWERING
    square = True
    advice = "look for nan and inf in x."

    def check(self, x: Spec) -> dtypes.DType:
        """The dtype of x; raises unless it holds matrices in a dtype of LAPACK's, which are square if they must be."""
        dtype = self.check_dtypes(x)
        if dtype is dtypes.float16:
            raise self.error(
                errors.DTypeError,
                f"x is {x}, and must be float32, float64, complex64 and complex128.",
                "convert it first: tf.cast(x, tf.float32)",
            )
        check_matrices(self, "x", x)
        if self.square and x.shape[-1] != x.shape[-2]:
            raise self.error(
                errors.ShapeError,
                f"Input matrix must be square: x is {x}.",
                "tf.linalg.svd, qr and pinv take matrices that are not square.",
            )
        return dtype

    def unsuccessful(self, x: Any) -> Exception:
        """The error for matrices on which LAPACK gave up."""
        spec = spec_of(x)
        self.check(spec)
        return self.error(
            errors.InvalidArgumentError,
            f"the decomposition was not successful: x is {spec}. The input might not be valid.",
            self.advice,
        )

    def singular(self, x: Any, **options: Any) -> Any:
        """What `singular` gives, with an error of ours."""
        try:
            return singular(x, **options)
        except np.linalg.LinAlgError:
            raise self.unsuccessful(x) from None

    def batch(self, batched: tuple[bool, ...], x: Any, **params: Any) -> Any:
        return self(x, **params)


def singular(x: Any, **options: Any) -> Any:
    """What `np.linalg.svd` gives, for kernels; nan for a matrix with nan or inf, on which LAPACK may never end."""
    finite = np.isfinite(x)
    if np.all(finite):
        return blas.svd(x, **options)
    finite = np.all(finite, axis=(-2, -1), keepdims=True)
    found = blas.svd(np.where(finite, x, number(0, x)), **options)
    if not isinstance(found, tuple):
        return np.where(finite[..., 0], found, number(np.nan, found))
    return tuple([np.where(finite[..., 0] if y.ndim < x.ndim else finite, y, number(np.nan, y)) for y in found])


def half_lower(x: Any) -> Any:
    """The lower triangle, with half of the diagonal: `h + h^H` of the result is x again, if x is Hermitian."""
    return BandPart(x, lower=-1, upper=0) - 0.5 * BandPart(x, lower=0, upper=0)


def diagonal(x: Any) -> Any:
    """Matrices with vectors [..., n] on the diagonal."""
    n = dims(x)[-1]
    return Diag(x, k=(0, 0), shape=(n, n))


def row(x: Any) -> Any:
    """Vectors [..., n] as matrices of one row, which scale columns."""
    return Reshape(x, shape=(*dims(x)[:-1], 1, dims(x)[-1]))


def column(x: Any) -> Any:
    """Vectors [..., n] as matrices of one column, which scale rows."""
    return Reshape(x, shape=(*dims(x), 1))


def like(x: Any, other: Any) -> Any:
    """A real value in the dtype of another, which may be complex."""
    return Complex(x, number(0, x)) if other.dtype.kind == "c" and x.dtype.kind != "c" else x


def least(e: Any) -> Any:
    """What counts as zero beside values e [..., n], because of rounding: [..., 1]."""
    eps = float(np.finfo(dtypes.as_dtype(e.dtype).numpy).eps)
    return (eps * dims(e)[-1]) * ReduceMax(abs(e), axis=(e.ndim - 1,), keepdims=True)


def gaps(e: Any) -> Any:
    """The matrices 1 / (e_j - e_i), with zero where the two are equal up to rounding."""
    return inverted(row(e) - column(e), column(least(e)))


def inverted(x: Any, zero: Any) -> Any:
    """1 / x, and zero where x is not larger than `zero` in absolute value."""
    return DivideNoNan(number(1, x), Keep(x, abs(x) > zero))


def anchor(v: Any) -> Any:
    """True at the anchor of each column of v."""
    axis = v.ndim - 2
    size = abs(v)
    large = size >= 0.5 * ReduceMax(size, axis=(axis,), keepdims=True)
    first = ArgMax(large, axis=axis, output_type=dtypes.int64)
    return OneHot(first, depth=dims(v)[-2], axis=axis, dtype=dtypes.bool_)


def turns(v: Any) -> Any:
    """The phases [..., 1, n] that make the anchors of the columns of v real and positive, for kernels."""
    if not v.size:
        return np.ones_like(v, shape=(*v.shape[:-2], 1, v.shape[-1]))
    head = np.sum(np.where(anchor(v), v, number(0, v)), axis=-2, keepdims=True)
    return np.conj(head) / np.abs(head)


def before_turning(dv: Any, v: Any, *, dw: Any = None, w: Any = None) -> Any:
    """The cotangent of the columns of v before they were turned by their own phases, and those of w along with them.

    Turning takes i Im(a) / v_a from every change of v, where a is the change of the anchor and v_a its value.
    """
    if v.dtype.kind != "c" or 0 in dims(v):
        return dv
    axis = (v.ndim - 2,)
    phase = Imag(ReduceSum(conj(dv) * v, axis=axis, keepdims=True))
    if dw is not None:
        phase = phase + Imag(ReduceSum(conj(dw) * w, axis=axis, keepdims=True))
    place = anchor(v)
    share = Keep(phase / Real(ReduceSum(Keep(v, place), axis=axis, keepdims=True)), place)
    return dv + Complex(number(0, share), share)


def columns(x: Any, start: int, stop: int) -> Any:
    """Some columns of matrices."""
    return _part(x, (*dims(x)[:-1], (start, stop)))


def rows(x: Any, start: int, stop: int) -> Any:
    """Some rows of matrices."""
    return _part(x, (*dims(x)[:-2], (start, stop), dims(x)[-1]))


def _part(x: Any, ranges: tuple[Any, ...]) -> Any:
    index = tuple([(*r, 1) if isinstance(r, tuple) else (0, r, 1) for r in ranges])
    return x if index == tuple([(0, n, 1) for n in dims(x)]) else StridedSlice(x, index=index)


def without_rest(u: Any, du: Any, k: int) -> tuple[Any, Any]:
    """The first k columns of unitary matrices and their cotangent, into which that of the other columns went.

    The others follow the first: where these turn out of their space, the others turn into it.
    """
    width = dims(u)[-1]
    first, d_first = columns(u, 0, k), columns(du, 0, k)
    if width == k:
        return first, d_first
    rest = columns(u, k, width)
    d_rest = before_turning(columns(du, k, width), rest)
    return first, d_first - MatMul(rest, MatMul(conj(d_rest), first, transpose_a=True))
