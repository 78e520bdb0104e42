"""Determinants. The derivative of a determinant is the matrix of cofactors, which singular matrices have too."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import declare
from gradtape.core.shape import Spec
from gradtape.ops import blas
from gradtape.ops.complex import Complex, Imag
from gradtape.ops.decomposition import Decomposition
from gradtape.ops.diagonal import DiagPart
from gradtape.ops.family import conj, dims
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import BroadcastTo, Reshape
from gradtape.ops.reduction import ReduceSum
from gradtape.ops.selection import zeros
from gradtape.ops.solve import MatrixInverse, conj_swapped, swapped


@declare("det")
class Det(Decomposition):
    """The determinants of square matrices."""

    numpy = (np.linalg.det,)

    def infer(self, x: Spec) -> Spec:
        return Spec(x.shape[:-2], self.check(x))

    def kernel(self, x: Any) -> Any:
        if not np.all(np.isfinite(x)):
            sign, log = _eliminate(x)
            return (sign * np.exp(log)).astype(x.dtype)[()]
        return blas.det(x)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (per_matrix(dy) * conj(Cofactor(x)),)


def _eliminate(x: Any) -> tuple[Any, Any]:
    """Signs and logarithms of determinants by elimination with the largest pivots, for matrices with infinities or nan.

    LAPACK leaves out products with 0 and takes a pivot of nan for a singular matrix; here both give nan.
    """
    rest = np.reshape(np.array(x, np.result_type(x.dtype, np.float64)), (-1, *x.shape[-2:]))
    every = np.arange(len(rest))
    sign, log = np.ones(len(rest), rest.dtype), np.zeros(len(rest))
    with np.errstate(all="ignore"):
        while rest.shape[-1]:
            place = np.argmax(np.abs(rest[:, :, 0]), axis=1)
            rest[every, place], rest[:, 0] = rest[:, 0].copy(), rest[every, place].copy()
            pivot = rest[:, 0, 0]
            size = np.abs(pivot)
            phase = pivot / size if np.iscomplexobj(pivot) else np.sign(pivot)
            sign = sign * np.where(place > 0, -1, 1) * np.where(size > 0, phase, size)
            log = log + np.log(size)
            factors = np.where(size[:, None] == 0, 0, rest[:, 1:, 0] / pivot[:, None])
            rest = rest[:, 1:, 1:] - factors[:, :, None] * rest[:, :1, 1:]
        lost = np.isnan(log) | np.isnan(sign) | np.isnan(np.reshape(x, (len(log), -1))).any(1)
    lead = x.shape[:-2]
    return np.where(lost, np.nan, sign).reshape(lead), np.where(lost, np.nan, log).reshape(lead)


@declare("slogdet")
class Slogdet(Decomposition):
    """The signs (complex: phases) of determinants, and the logarithms of their absolute values; 0 and -inf of a singular
    matrix, which has no derivative."""

    outputs = ("sign", "log")

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        dtype = self.check(x)
        return Spec(x.shape[:-2], dtype), Spec(x.shape[:-2], dtype.real_dtype)

    def kernel(self, x: Any) -> Any:
        if np.all(np.isfinite(x)):
            sign, log = blas.slogdet(x)
            return sign, log
        sign, log = _eliminate(x)
        return sign.astype(x.dtype)[()], log.astype(np.zeros((), x.dtype).real.dtype)[()]

    def vjp(self, dy: Any, x: Any, sign: Any) -> Any:
        d_sign, d = dy
        if sign.dtype.kind == "c":
            # The logarithm of a determinant changes by the trace of x^-1 dx, the phase by the imaginary part of that.
            d = Complex(d, -Imag(conj(d_sign) * sign))
        return (per_matrix(d) * MatrixInverse(x, adjoint=True),)


@declare("cofactor")
class Cofactor(Decomposition):
    """The matrices of cofactors: the determinant of the rest without row i and column j, with signs as on a chess board."""

    def infer(self, x: Spec) -> Spec:
        return Spec(x.shape, self.check(x))

    def kernel(self, x: Any) -> Any:
        det = blas.det(x)[..., np.newaxis, np.newaxis]
        # Where there is an inverse, det(x) x^-T is accurate however small the determinant is, since both come from the same
        # factors; and it takes a tenth of the time of singular values.
        finite = np.isfinite(det)
        eye = np.eye(x.shape[-1], dtype=x.dtype, like=x)
        y = det * np.swapaxes(blas.inv(np.where(finite & (det != 0), x, eye)), -1, -2)
        good = (np.all(np.isfinite(y), axis=(-2, -1), keepdims=True) & (det != 0)) | ~finite
        return y if np.all(good) else np.where(good, y, self.by_singular_values(x))

    def by_singular_values(self, x: Any) -> Any:
        """Cofactors of any matrices: those of `u s v^H` are the products of all singular values but one."""
        u, s, vh = self.singular(x)
        others = _without_one(s).astype(s.dtype)[..., np.newaxis, :]
        return _sign(u, vh) * blas.matmul(np.conj(u) * others, np.conj(vh))

    def vjp(self, dy: Any, x: Any) -> Any:
        return (conj(CofactorDerivative(x, conj(dy))),)


@declare("cofactor_derivative")
class CofactorDerivative(Decomposition):
    """How cofactors change when x changes by `change`. Its derivative with respect to x needs invertible matrices."""

    def infer(self, x: Spec, change: Spec) -> Spec:
        self.check_dtypes(x, change)
        dtype = self.check(x)
        if change.shape != x.shape:
            raise self.error(
                errors.ShapeError,
                f"x is {x}, change is {change}: these do not match.",
                "a change has the shape of what changes.",
            )
        return Spec(x.shape, dtype)

    def kernel(self, x: Any, change: Any) -> Any:
        u, s, vh = self.singular(x)
        others = _without_two(s).astype(s.dtype)
        core = blas.matmul(blas.matmul(conj_swapped(u), change), conj_swapped(vh))
        trace = blas.matmul(others, np.diagonal(core, 0, -2, -1)[..., np.newaxis])
        eye = np.eye(x.shape[-1], dtype=s.dtype, like=x)
        inner = _sign(u, vh) * (eye * trace - others * core)
        return blas.matmul(blas.matmul(np.conj(u), np.swapaxes(inner, -1, -2)), np.conj(vh))

    def vjp(self, dy: Any, x: Any, change: Any, *, needs: Any) -> Any:
        dy = conj(dy)
        dx = conj(_third(x, change, dy)) if needs[0] else None
        return dx, conj(CofactorDerivative(x, dy)) if needs[1] else None

    def batch(self, batched: tuple[bool, ...], x: Any, change: Any) -> Any:  # type: ignore[override]
        shape = dims(x if batched[0] else change)
        return self(*[v if flag else BroadcastTo(v, shape=shape) for flag, v in zip(batched, (x, change), strict=True)])


def per_matrix(x: Any) -> Any:
    """Numbers, one for each matrix, as matrices of one element."""
    return Reshape(x, shape=(*dims(x), 1, 1))


def _sign(u: Any, vh: Any) -> Any:
    """The determinant of a product of unitary matrices."""
    return (blas.det(u) * blas.det(vh))[..., np.newaxis, np.newaxis]


def _without_one(s: Any) -> Any:
    """The products of all elements of vectors but one."""
    logs = np.log(s.astype(np.float64))
    return np.exp(_before(logs) + _after(logs))


def _without_two(s: Any) -> Any:
    """The products of all elements of vectors but two, for each pair; zero on the diagonal."""
    logs = np.log(s.astype(np.float64))
    pairs = np.broadcast_to(logs[..., np.newaxis, :], (*s.shape, s.shape[-1]))
    between = _before(np.triu(pairs, 1))
    upper = np.triu(np.exp(_before(logs)[..., np.newaxis] + between + _after(logs)[..., np.newaxis, :]), 1)
    return upper + np.swapaxes(upper, -1, -2)


def _before(x: Any) -> Any:
    """The sums of all earlier elements along the last axis. (Not of all less this one: elements may be infinite.)"""
    return np.concatenate([np.zeros_like(x[..., :1]), np.cumsum(x, axis=-1)[..., :-1]], axis=-1)


def _after(x: Any) -> Any:
    return np.flip(_before(np.flip(x, -1)), -1)


def _third(x: Any, g: Any, h: Any) -> Any:
    """The third derivative of the determinant in the directions g and h, as a function of the third direction."""
    if dims(x)[-1] < 3:
        return zeros(x)
    b = MatrixInverse(x)
    bg, bh = MatMul(b, g), MatMul(b, h)
    along_g, along_h = _trace(bg), _trace(bh)
    both = MatMul(bg, bh)
    inner = both + MatMul(bh, bg) - along_h * bg - along_g * bh
    inner = MatMul(inner, b) + (along_g * along_h - _trace(both)) * b
    return per_matrix(Det(x)) * swapped(inner)


def _trace(x: Any) -> Any:
    """Traces, as matrices of one element."""
    return per_matrix(ReduceSum(DiagPart(x, k=(0, 0)), axis=(x.ndim - 2,), keepdims=False))
