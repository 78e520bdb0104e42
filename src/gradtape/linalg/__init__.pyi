# Written by tools/stubs.py.
# ruff: noqa
from gradtape.arrays.creation import eye
from gradtape.arrays.movement import matrix_transpose
from gradtape.core.tensor import Tensor
from gradtape.linalg import experimental
from gradtape.linalg._banded import banded_triangular_solve
from gradtape.linalg._banded import tridiagonal_matmul
from gradtape.linalg._banded import tridiagonal_solve
from gradtape.linalg._decompositions import cholesky
from gradtape.linalg._decompositions import eig
from gradtape.linalg._decompositions import eigh
from gradtape.linalg._decompositions import eigh_tridiagonal
from gradtape.linalg._decompositions import eigvals
from gradtape.linalg._decompositions import eigvalsh
from gradtape.linalg._decompositions import lu
from gradtape.linalg._decompositions import matrix_rank
from gradtape.linalg._decompositions import pinv
from gradtape.linalg._decompositions import qr
from gradtape.linalg._decompositions import svd
from gradtape.linalg._determinants import det
from gradtape.linalg._determinants import logdet
from gradtape.linalg._determinants import slogdet
from gradtape.linalg._diagonals import adjoint
from gradtape.linalg._diagonals import band_part
from gradtape.linalg._diagonals import cross
from gradtape.linalg._diagonals import diag
from gradtape.linalg._diagonals import diag_part
from gradtape.linalg._diagonals import kron
from gradtape.linalg._diagonals import set_diag
from gradtape.linalg._diagonals import tensor_diag
from gradtape.linalg._diagonals import tensor_diag_part
from gradtape.linalg._diagonals import trace
from gradtape.linalg._einsum import einsum
from gradtape.linalg._matrix_functions import matrix_power
from gradtape.linalg._operators.base import LinearOperator
from gradtape.linalg._operators.blocks import LinearOperatorBlockDiag
from gradtape.linalg._operators.blocks import LinearOperatorBlockLowerTriangular
from gradtape.linalg._operators.circulant import LinearOperatorCirculant
from gradtape.linalg._operators.circulant import LinearOperatorCirculant2D
from gradtape.linalg._operators.circulant import LinearOperatorCirculant3D
from gradtape.linalg._operators.compositions import LinearOperatorAdjoint
from gradtape.linalg._operators.compositions import LinearOperatorComposition
from gradtape.linalg._operators.compositions import LinearOperatorInversion
from gradtape.linalg._operators.compositions import LinearOperatorKronecker
from gradtape.linalg._operators.dense import LinearOperatorFullMatrix
from gradtape.linalg._operators.dense import LinearOperatorLowerTriangular
from gradtape.linalg._operators.diagonal import LinearOperatorDiag
from gradtape.linalg._operators.diagonal import LinearOperatorIdentity
from gradtape.linalg._operators.diagonal import LinearOperatorScaledIdentity
from gradtape.linalg._operators.diagonal import LinearOperatorZeros
from gradtape.linalg._operators.low_rank_update import LinearOperatorLowRankUpdate
from gradtape.linalg._operators.structured import LinearOperatorHouseholder
from gradtape.linalg._operators.structured import LinearOperatorPermutation
from gradtape.linalg._operators.structured import LinearOperatorToeplitz
from gradtape.linalg._operators.structured import LinearOperatorTridiag
from gradtape.linalg._products import l2_normalize
from gradtape.linalg._products import matmul
from gradtape.linalg._products import matvec
from gradtape.linalg._products import norm
from gradtape.linalg._products import normalize
from gradtape.linalg._products import tensordot
from gradtape.linalg._solvers import cholesky_solve
from gradtape.linalg._solvers import inv
from gradtape.linalg._solvers import lstsq
from gradtape.linalg._solvers import lu_matrix_inverse
from gradtape.linalg._solvers import lu_reconstruct
from gradtape.linalg._solvers import lu_solve
from gradtape.linalg._solvers import solve
from gradtape.linalg._solvers import triangular_solve
from gradtape.math._clipping import global_norm
from typing import Any

__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
    "LinearOperatorZeros",
    "adjoint",
    "band_part",
    "banded_triangular_solve",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvalsh",
    "einsum",
    "experimental",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "kron",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]

def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponentials of square matrices: the sum of `a^n / n!`.

    Args:
      input: matrices `[..., n, n]`.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.linalg.expm([[0.0, 2.0], [0.0, 0.0]]).numpy()
    array([[1., 2.],
           [0., 1.]], dtype=float32)
    """

def logm(input: Any, name: str | None = None) -> Tensor:
    """The principal logarithms of square matrices: the inverse of `expm`.

    Args:
      input: matrices `[..., n, n]`. Real ones must not have negative eigenvalues, unless they are cast to a complex
        dtype first. Singular ones give NaN.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.linalg.logm([[1.0, 2.0], [0.0, 1.0]]).numpy()
    array([[0., 2.],
           [0., 0.]], dtype=float32)
    """

def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """The principal square roots of square matrices: those whose eigenvalues have no negative real parts.

    Args:
      input: matrices `[..., n, n]`. Real ones must not have negative eigenvalues, unless they are cast to a complex
        dtype first.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.linalg.sqrtm([[1.0, 2.0], [0.0, 1.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
