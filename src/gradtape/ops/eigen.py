"""Eigenvalues and eigenvectors. What `decomposition` says about equal values and phases holds here."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.dtypes import DType, as_dtype, complex64, complex128, float32
from gradtape.core.op import declare
from gradtape.core.shape import Spec
from gradtape.ops import blas
from gradtape.ops.complex import Real
from gradtape.ops.decomposition import (
    Decomposition,
    before_turning,
    diagonal,
    gaps,
    half_lower,
    like,
    row,
    turns,
)
from gradtape.ops.family import conj
from gradtape.ops.matmul import MatMul
from gradtape.ops.reduction import ReduceSum
from gradtape.ops.solve import MatrixSolve, adjoint


class Hermitian(Decomposition):
    """An op that reads the lower triangle, as that of a Hermitian matrix; of the diagonal only the real part."""

    def by(self, function: Any, x: Any) -> Any:
        """A function of LAPACK's on x, which must be finite where it is read."""
        try:
            if np.all(np.isfinite(x)) or np.all(np.isfinite(np.tril(x))):
                return function(x)
        except np.linalg.LinAlgError:
            pass
        raise self.unsuccessful(x)


@declare("eigh")
class Eigh(Hermitian):
    """The eigenvalues of Hermitian matrices, ascending, and their eigenvectors as columns.

    Only the lower triangle is read, so the gradient is a lower triangle too.
    """

    outputs = ("e", "v")
    takes_none = True

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        dtype = self.check(x)
        return Spec(x.shape[:-1], dtype.real_dtype), Spec(x.shape, dtype)

    def kernel(self, x: Any) -> Any:
        e, v = self.by(blas.eigh, x)
        return e, v * turns(v) if x.dtype.kind == "c" else v

    def vjp(self, dy: Any, e: Any, v: Any) -> Any:
        de, dv = dy
        inner = None if de is None else diagonal(like(de, v))
        if dv is not None:
            dv = before_turning(dv, v)
            turning = like(gaps(e), v) * MatMul(conj(v), dv, transpose_a=True)
            inner = turning if inner is None else inner + turning
        return (_of_lower(MatMul(MatMul(v, inner), conj(v), transpose_b=True)),)


@declare("eigvalsh")
class Eigvalsh(Hermitian):
    """The eigenvalues of Hermitian matrices, ascending. Only the lower triangle is read."""

    def infer(self, x: Spec) -> Spec:
        return Spec(x.shape[:-1], self.check(x).real_dtype)

    def kernel(self, x: Any) -> Any:
        return self.by(blas.eigvalsh, x)

    def vjp(self, dy: Any, x: Any) -> Any:
        _, v = Eigh(x)
        return (_of_lower(MatMul(v * like(row(dy), v), conj(v), transpose_b=True)),)


def _of_lower(d: Any) -> Any:
    """The cotangent of a lower triangle, from that of the Hermitian matrix that it stands for."""
    return half_lower(d + adjoint(d))


@declare("eig")
class Eig(Decomposition):
    """The eigenvalues of any square matrices, in LAPACK's order, and their eigenvectors as columns of length 1; complex.

    The gradient needs a basis of eigenvectors: a defective matrix has none, and there is no derivative.
    """

    outputs = ("e", "v")
    takes_none = True

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        dtype = _complex(self.check(x))
        return Spec(x.shape[:-1], dtype), Spec(x.shape, dtype)

    def kernel(self, x: Any) -> Any:
        try:
            e, v = blas.eig(x)
        except np.linalg.LinAlgError:
            raise self.unsuccessful(x) from None
        dtype = _complex(as_dtype(x.dtype)).numpy
        v = v.astype(dtype)
        return e.astype(dtype), v * turns(v)

    def vjp(self, dy: Any, x_dtype: Any, e: Any, v: Any) -> Any:
        de, dv = dy
        inner = None if de is None else diagonal(de)
        if dv is not None:
            # The length of a vector is fixed: what would change it does not count.
            length = Real(ReduceSum(conj(v) * dv, axis=(v.ndim - 2,), keepdims=True))
            dv = before_turning(dv, v) - v * like(length, v)
            turning = conj(gaps(e)) * MatMul(conj(v), dv, transpose_a=True)
            inner = turning if inner is None else inner + turning
        dx = MatrixSolve(v, MatMul(inner, conj(v), transpose_b=True), adjoint=True)
        return (dx if as_dtype(x_dtype).is_complex else Real(dx),)


def _complex(dtype: DType) -> DType:
    """The complex dtype of the precision of another."""
    return complex64 if dtype.real_dtype is float32 else complex128
