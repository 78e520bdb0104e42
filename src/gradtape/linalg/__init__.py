"""`tf.linalg`: products, norms and transposes of matrices.

_banded.py              Band matrices: `tf.linalg.tridiagonal_solve`, `tridiagonal_matmul`
_conjugate_gradient.py  Iterative solvers: `tf.linalg.experimental.conjugate_gradient`
_decompositions.py      Decompositions of matrices under TensorFlow's names
_determinants.py        Determinants under TensorFlow's names
_diagonals.py           Diagonals, bands and simple products of matrices: `tf.linalg.diag`, `band_part`, `trace`
_einsum.py              Sums of products in the notation of labels
_matrix_functions.py    Functions of square matrices: `tf.linalg.expm`, `logm`, `sqrtm`, and `matrix_power`
_products.py            Linear algebra that is made of products: `tf.matmul`, `tf.tensordot`, norms
_solvers.py             Linear systems: `tf.linalg.solve`, `inv`, `lstsq`, and solutions from triangular
experimental.py         Iterative solvers
_operators/             Linear operators: matrices by what they do, so that structure saves memory and work
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.arrays.creation": "eye",
    "gradtape.arrays.movement": "matrix_transpose",
    "gradtape.linalg.experimental": "*",
    "gradtape.linalg._einsum": "einsum",
    "gradtape.linalg._decompositions": "cholesky eig eigh eigh_tridiagonal eigvals eigvalsh lu matrix_rank pinv qr svd",
    "gradtape.linalg._determinants": "det logdet slogdet",
    "gradtape.linalg._diagonals": "adjoint band_part cross diag diag_part kron set_diag tensor_diag tensor_diag_part trace",
    "gradtape.linalg._operators.base": "LinearOperator",
    "gradtape.linalg._operators.blocks": "LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular",
    "gradtape.linalg._operators.circulant": (
        "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D"
    ),
    "gradtape.linalg._operators.compositions": (
        "LinearOperatorAdjoint LinearOperatorComposition LinearOperatorInversion LinearOperatorKronecker"
    ),
    "gradtape.linalg._operators.dense": "LinearOperatorFullMatrix LinearOperatorLowerTriangular",
    "gradtape.linalg._operators.diagonal": (
        "LinearOperatorDiag LinearOperatorIdentity LinearOperatorScaledIdentity LinearOperatorZeros"
    ),
    "gradtape.linalg._operators.low_rank_update": "LinearOperatorLowRankUpdate",
    "gradtape.linalg._operators.structured": (
        "LinearOperatorHouseholder LinearOperatorPermutation LinearOperatorToeplitz LinearOperatorTridiag"
    ),
    "gradtape.linalg._matrix_functions": "expm logm matrix_power sqrtm",
    "gradtape.linalg._products": "l2_normalize matmul matvec norm normalize tensordot",
    "gradtape.linalg._solvers": (
        "cholesky_solve inv lstsq lu_matrix_inverse lu_reconstruct lu_solve solve triangular_solve"
    ),
    "gradtape.math._clipping": "global_norm",
    "gradtape.linalg._banded": "banded_triangular_solve tridiagonal_matmul tridiagonal_solve",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
