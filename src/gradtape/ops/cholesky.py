"""The Cholesky decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, log
from gradtape.core.op import declare
from gradtape.core.shape import Spec, spec_of
from gradtape.ops import blas
from gradtape.ops.decomposition import Decomposition, half_lower
from gradtape.ops.family import conj
from gradtape.ops.matmul import MatMul
from gradtape.ops.reduction import ReduceAll, ReduceMax
from gradtape.ops.selection import Where
from gradtape.ops.solve import TriangularSolve, adjoint


@declare("cholesky")
class Cholesky(Decomposition):
    """Lower triangular y with `y y^H = x`, for Hermitian positive definite matrices. Only the lower triangle is read.

    The gradient with respect to a Hermitian matrix is Hermitian, as is usual: it is the gradient among Hermitian
    matrices. If the upper triangle holds something else than a mirror image, it plainly does not count; then the gradient
    is that of the lower triangle.
    """

    numpy = (np.linalg.cholesky,)

    def infer(self, x: Spec) -> Spec:
        return Spec(x.shape, self.check(x))

    def kernel(self, x: Any) -> Any:
        try:
            return blas.cholesky(x)
        except np.linalg.LinAlgError:
            self.check(spec_of(x))
        log.warning(
            "Cholesky decomposition was not successful: the lower triangles of some results are nan. "
            "Use a symmetric positive definite matrix, for instance a + 1e-6 * tf.eye(n)."
        )
        return _one_by_one(x)

    def vjp(self, dy: Any, x: Any, y: Any) -> Any:
        # Murray, "Differentiation of the Cholesky decomposition" (2016), (10).
        inner = half_lower(MatMul(conj(y), dy, transpose_a=True))
        left = TriangularSolve(y, inner, lower=True, adjoint=True)
        d = TriangularSolve(y, adjoint(left), lower=True, adjoint=True)
        d = d + adjoint(d)
        return (Where(_is_hermitian(x), 0.5 * d, half_lower(d)),)


def _one_by_one(x: Any) -> Any:
    """The factors, with nan in the lower triangle where there is none: NumPy gives nothing if one matrix fails."""
    factors = []
    for one in np.reshape(x, (-1, *x.shape[-2:])):
        try:
            factors.append(blas.cholesky(one))
        except np.linalg.LinAlgError:
            factors.append(np.tril(np.full_like(one, np.nan)))
    return np.reshape(np.stack(factors), x.shape)


def _is_hermitian(x: Any) -> Any:
    """True for each matrix whose upper triangle mirrors the lower one, but for roundings."""
    axes = (x.ndim - 2, x.ndim - 1)
    rounding = float(np.finfo(dtypes.as_dtype(x.dtype).numpy).eps) ** 0.5
    limit = rounding * ReduceMax(abs(x), axis=axes, keepdims=True)
    return ReduceAll(abs(x - adjoint(x)) <= limit, axis=axes, keepdims=True)
