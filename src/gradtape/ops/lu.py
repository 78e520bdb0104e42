"""The LU decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.array_protocol import overridable
from gradtape.core.op import declare
from gradtape.core.shape import Spec, spec_of
from gradtape.ops.creation import OneHot, OnesLike
from gradtape.ops.decomposition import Decomposition, diagonal
from gradtape.ops.diagonal import BandPart, DiagPart
from gradtape.ops.family import conj, dims
from gradtape.ops.matmul import MatMul
from gradtape.ops.solve import TriangularSolve, adjoint


@declare("lu")
class Lu(Decomposition):
    """The factors of matrices whose rows were permuted, `x[p] = l u`: u in the upper triangle, and l below it, without its
    diagonal of ones. The order p of the rows has no derivative."""

    outputs = ("lu", "p")

    def infer(self, x: Spec, *, index_dtype: dtypes.DType = dtypes.int32) -> tuple[Spec, Spec]:
        return Spec(x.shape, self.check(x)), Spec(x.shape[:-1], index_dtype)

    def kernel(self, x: Any, *, index_dtype: dtypes.DType = dtypes.int32) -> Any:
        self.check(spec_of(x))
        lu, p = factors(x)
        if not np.all(np.abs(np.diagonal(lu, 0, -2, -1)) > 0):
            raise self.error(
                errors.InvalidArgumentError,
                f"Input is not invertible: x is {spec_of(x)}.",
                "use tf.linalg.qr or tf.linalg.svd for singular matrices.",
            )
        return lu, p.astype(index_dtype.numpy)

    def vjp(self, dy: Any, lu: Any, p: Any, *, index_dtype: dtypes.DType = dtypes.int32) -> Any:
        d = dy[0]
        lower = _strict(lu) + diagonal(OnesLike(DiagPart(lu, k=(0, 0))))
        upper = BandPart(lu, lower=0, upper=-1)
        inner = _strict(MatMul(conj(lower), _strict(d), transpose_a=True)) + BandPart(
            MatMul(BandPart(d, lower=0, upper=-1), conj(upper), transpose_b=True), lower=0, upper=-1
        )
        left = TriangularSolve(lower, inner, lower=True, adjoint=True)
        dx = adjoint(TriangularSolve(upper, adjoint(left), lower=False))
        order = OneHot(p, depth=dims(lu)[-1], axis=p.ndim, dtype=dtypes.as_dtype(d.dtype))
        return (MatMul(order, dx, transpose_a=True),)


def _strict(x: Any) -> Any:
    """What lies below the diagonal."""
    return BandPart(x, lower=-1, upper=0) - BandPart(x, lower=0, upper=0)


@overridable
def factors(x: Any) -> tuple[Any, Any]:
    """The factors in one matrix, and the order of the rows."""
    from scipy.linalg import lu

    if not x.size:
        return x, np.zeros(x.shape[:-1], np.int32)
    p, lower, upper = lu(x, p_indices=True, check_finite=False)
    return np.tril(lower, -1) + upper, np.argsort(p, axis=-1)
