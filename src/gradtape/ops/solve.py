"""Inverses of square matrices, and systems of linear equations, general and triangular."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.array_protocol import overridable
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec, broadcast
from gradtape.ops import blas
from gradtape.ops.diagonal import BandPart
from gradtape.ops.family import NO_LOWERING, align, conj, unbroadcast, unbroadcast_to
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import Transpose
from gradtape.ops.reduction import wide

# Substitution in NumPy, vectorised over the batch, beats one call of BLAS per matrix for many small matrices.
_SMALL = 16
_MANY = 8


def swapped(x: Any) -> Any:
    """The transposes of matrices in the last two axes."""
    n = x.ndim
    return Transpose(x, perm=(*range(n - 2), n - 1, n - 2))


def adjoint(x: Any) -> Any:
    """The conjugate transposes of matrices in the last two axes."""
    return conj(swapped(x))


def conj_swapped(x: Any) -> Any:
    """As `adjoint`, of arrays: for kernels."""
    x = np.swapaxes(x, -1, -2)
    return np.conj(x) if x.dtype.kind == "c" else x


class Inverting(Op):
    """An op on square matrices that must not be singular."""

    kinds = "fVc"
    lower = NO_LOWERING
    singular_text = "Input matrix is not invertible."

    def check_square(self, a: Spec, name: str = "a") -> None:
        """Raises unless the last two axes hold square matrices."""
        if a.rank < 2 or a.shape[-1] != a.shape[-2]:
            raise self.error(
                errors.ShapeError,
                f"{name} is {a}, and the last two dimensions must be those of square matrices.",
                "use tf.linalg.lstsq or tf.linalg.pinv for matrices that are not square."
                if a.rank >= 2
                else "give matrices [..., n, n].",
            )

    def singular(self) -> Exception:
        """The error for a matrix without an inverse."""
        return self.error(
            errors.InvalidArgumentError,
            self.singular_text,
            "add a small multiple of the identity, or use tf.linalg.lstsq or tf.linalg.pinv.",
        )


@declare("matrix_inverse")
class MatrixInverse(Inverting):
    """The inverses of square matrices in the last two axes, or of their adjoints."""

    def infer(self, a: Spec, *, adjoint: bool = False) -> Spec:
        dtype = self.check_dtypes(a)
        self.check_square(a)
        return Spec(a.shape, dtype)

    singular_text = "Input is not invertible."

    def kernel(self, a: Any, *, adjoint: bool = False) -> Any:
        try:
            y = blas.inv(wide(a))
        except np.linalg.LinAlgError:
            if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
                raise
            raise self.singular() from None
        if np.any(np.isnan(a)):
            raise self.singular()
        return _rounded(conj_swapped(y) if adjoint else y, a)

    def vjp(self, dy: Any, y: Any, *, adjoint: bool = False) -> Any:
        if adjoint:
            return (-MatMul(y, MatMul(conj(dy), y, transpose_a=True)),)
        y = conj(y)
        return (-MatMul(y, MatMul(dy, y, transpose_b=True), transpose_a=True),)

    def batch(self, batched: tuple[bool, ...], a: Any, *, adjoint: bool = False) -> Any:
        return self(a, adjoint=adjoint)


class Solving(Inverting):
    """y with `a y = b` for matrices a [..., n, n] and b [..., n, k]; leading axes broadcast."""

    validate = True

    def infer(self, a: Spec, b: Spec, **params: Any) -> Spec:
        dtype = self.check_dtypes(a, b)
        self.check_square(a)
        if b.rank < 2 or b.shape[-2] != a.shape[-1]:
            raise self.error(
                errors.ShapeError,
                f"a is {a}, b is {b}, and b must hold matrices of {a.shape[-1]} rows.",
                "give a vector as a matrix of one column: b[..., tf.newaxis].",
            )
        lead = broadcast(a.shape[:-2], b.shape[:-2])
        if lead is None:
            raise self.error(
                errors.ShapeError,
                f"leading dimensions do not broadcast: a is {a}, b is {b}.",
                "aligned from the right, each pair before the last two must be equal or contain a 1.",
            )
        return Spec((*lead, *b.shape[-2:]), dtype)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return self(*align(batched, inputs), **params)


@declare("matrix_solve")
class MatrixSolve(Solving):
    """y with `a y = b`, or with `a^H y = b`, by LU factors with pivoting."""

    def kernel(self, a: Any, b: Any, *, adjoint: bool = False) -> Any:
        p = wide(a)
        try:
            y = by_columns(blas.solve, conj_swapped(p) if adjoint else p, wide(b))
        except np.linalg.LinAlgError:
            raise self.singular() from None
        if np.any(np.isnan(a)):
            raise self.singular()
        return _rounded(y, b)

    def vjp(self, dy: Any, a: Any, b_shape: Any, y: Any, *, adjoint: bool = False, needs: Any) -> Any:
        db = MatrixSolve(a, dy, adjoint=not adjoint)
        da = unbroadcast(_cotangent(db, y, adjoint), a) if needs[0] else None
        return da, unbroadcast_to(db, b_shape) if needs[1] else None


@declare("triangular_solve")
class TriangularSolve(Solving):
    """y with `a y = b`, or with `a^H y = b`, where only the lower or the upper triangle of a is read."""

    def kernel(self, a: Any, b: Any, *, lower: bool = True, adjoint: bool = False) -> Any:
        # A zero on the diagonal gives inf and nan, as in TensorFlow.
        p = wide(a)
        return _rounded(by_columns(substitute, p, wide(b), bool(lower), bool(adjoint)), b)

    def vjp(
        self, dy: Any, a: Any, b_shape: Any, y: Any, *, lower: bool = True, adjoint: bool = False, needs: Any
    ) -> Any:
        db = TriangularSolve(a, dy, lower=lower, adjoint=not adjoint)
        da = None
        if needs[0]:
            da = unbroadcast(_cotangent(db, y, adjoint), a)
            da = BandPart(da, lower=-1 if lower else 0, upper=0 if lower else -1)
        return da, unbroadcast_to(db, b_shape) if needs[1] else None


def _cotangent(db: Any, y: Any, is_adjoint: bool) -> Any:
    """The cotangent of `a` from that of `b`, before a sum over broadcast axes: `-db y^H`, or its adjoint."""
    left, right = (y, db) if is_adjoint else (db, y)
    return -MatMul(left, conj(right), transpose_b=True)


def _rounded(y: Any, x: Any) -> Any:
    """A result in the dtype of an input."""
    return y if y.dtype == x.dtype else y.astype(x.dtype)


def by_columns(solve: Callable[..., Any], a: Any, b: Any, *options: Any) -> Any:
    """A solver's result; right-hand sides of one matrix become columns of one, so that it is factored once."""
    if a.ndim > 2 or b.ndim == 2:
        return solve(a, b, *options)
    n = b.shape[-2]
    rows = np.moveaxis(b, -2, 0)
    y = solve(a, np.reshape(rows, (n, math.prod(rows.shape[1:]))), *options)
    return np.moveaxis(np.reshape(y, rows.shape), 0, -2)


@overridable
def substitute(a: Any, b: Any, lower: bool, is_adjoint: bool) -> Any:
    """The solutions of triangular systems, by substitution."""
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    n, k = b.shape[-2:]
    count = math.prod(lead)
    if not count * n * k:
        return np.zeros((*lead, n, k), b.dtype)
    if count == 1:
        y = _by_blas(a.reshape(1, n, n), b.reshape(1, n, k), lower, is_adjoint)
        return y.reshape(*lead, n, k)
    a = np.broadcast_to(a, (*lead, n, n)).reshape(count, n, n)
    b = np.broadcast_to(b, (*lead, n, k)).reshape(count, n, k)
    many = n <= _SMALL and count >= _MANY * n
    return (_by_steps if many else _by_blas)(a, b, lower, is_adjoint).reshape(*lead, n, k)


def _by_blas(a: Any, b: Any, lower: bool, is_adjoint: bool) -> Any:
    """One call of BLAS per matrix. It sees the transposes, which are in the order that it reads: `y^T a^T = b^T`."""
    from scipy.linalg.blas import get_blas_funcs

    trsm = get_blas_funcs("trsm", (a, b))
    y = np.empty(b.shape, b.dtype)
    for i in range(len(b)):
        y[i] = trsm(1.0, a[i].T, b[i].T, 1, not lower, 2 if is_adjoint else 0).T
    return y


def _by_steps(a: Any, b: Any, lower: bool, is_adjoint: bool) -> Any:
    """Row by row in all systems at once; the batch is the last axis, along which NumPy is quick."""
    if is_adjoint:
        a, lower = conj_swapped(a), not lower
    n = a.shape[-1]
    a = np.ascontiguousarray(np.moveaxis(a, 0, -1))
    y = np.moveaxis(b, 0, -1).copy()
    for i in range(n) if lower else reversed(range(n)):
        y[i] /= a[i, i]
        rest = slice(i + 1, n) if lower else slice(0, i)
        y[rest] -= a[rest, i][:, np.newaxis] * y[i]
    return np.ascontiguousarray(np.moveaxis(y, -1, 0))
