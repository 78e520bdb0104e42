"""`tf.linalg`: products, norms and transposes of matrices."""

from gradtape.core import lazy
from gradtape.names.clipping import (
    global_norm,
)
from gradtape.names.creating import (
    eye,
)
from gradtape.names.linear import (
    l2_normalize,
    matmul,
    matvec,
    norm,
    normalize,
    tensordot,
)
from gradtape.names.moving import (
    matrix_transpose,
)

_LATER = {
    "gradtape.linalg.experimental": "*",
    "gradtape.names.contraction": "einsum",
    "gradtape.names.decompositions": "cholesky eig eigh eigh_tridiagonal eigvals eigvalsh lu matrix_rank pinv qr svd",
    "gradtape.names.determinants": "det logdet slogdet",
    "gradtape.names.diagonals": "adjoint band_part cross diag diag_part kron set_diag tensor_diag tensor_diag_part trace",
    "gradtape.names.linear_operators.base": "LinearOperator",
    "gradtape.names.linear_operators.blocks": "LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular",
    "gradtape.names.linear_operators.circulant": (
        "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D"
    ),
    "gradtape.names.linear_operators.combined": (
        "LinearOperatorAdjoint LinearOperatorComposition LinearOperatorInversion LinearOperatorKronecker"
    ),
    "gradtape.names.linear_operators.dense": "LinearOperatorFullMatrix LinearOperatorLowerTriangular",
    "gradtape.names.linear_operators.diagonal": (
        "LinearOperatorDiag LinearOperatorIdentity LinearOperatorScaledIdentity LinearOperatorZeros"
    ),
    "gradtape.names.linear_operators.low_rank": "LinearOperatorLowRankUpdate",
    "gradtape.names.linear_operators.structured": (
        "LinearOperatorHouseholder LinearOperatorPermutation LinearOperatorToeplitz LinearOperatorTridiag"
    ),
    "gradtape.names.matrix_functions": "expm logm matrix_power sqrtm",
    "gradtape.names.solving": (
        "banded_triangular_solve cholesky_solve inv lstsq lu_matrix_inverse lu_reconstruct lu_solve "
        "solve triangular_solve tridiagonal_matmul tridiagonal_solve"
    ),
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    "eye",
    "global_norm",
    "l2_normalize",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "tensordot",
    *_later,
]
