"""Determinants under TensorFlow's names."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape.api.arguments import tensor
from gradtape.core.tensor import Tensor
from gradtape.ops.cholesky import Cholesky
from gradtape.ops.complex import Real
from gradtape.ops.decomposition import like
from gradtape.ops.determinant import Det, Slogdet
from gradtape.ops.diagonal import DiagPart
from gradtape.ops.exponential import Log
from gradtape.ops.reduction import ReduceSum


class LogMatrixDeterminant(NamedTuple):
    """The signs of determinants, and the logarithms of their absolute values."""

    sign: Tensor
    log_abs_determinant: Tensor


def det(input: Any, name: str | None = None) -> Tensor:
    """The determinants of square matrices.

    The gradient is the matrix of cofactors, also for singular matrices; so is the gradient's own. Higher orders need
    matrices with an inverse.

    Args:
      input: matrices `[..., n, n]`.

    Returns:
      A tensor `[...]`.

    >>> tf.linalg.det([[2.0, 1.0], [0.0, 3.0]]).numpy()
    np.float32(6.0)
    """
    return Det(tensor(input))


def slogdet(input: Any, name: str | None = None) -> LogMatrixDeterminant:
    """The signs of the determinants of square matrices, and the logarithms of their absolute values.

    Args:
      input: matrices `[..., n, n]`.

    Returns:
      The pair `sign`, of absolute value 1, and `log_abs_determinant`, both `[...]` in the dtype of the input; 0 and -inf
      for singular matrices, which have no gradient.

    >>> sign, log = tf.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> sign.numpy(), log.numpy()
    (np.float32(-1.0), np.float32(0.0))
    """
    sign, log = Slogdet(tensor(input))
    return LogMatrixDeterminant(sign, like(log, sign))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithms of the determinants of Hermitian positive definite matrices; only the lower triangles are read.

    Args:
      matrix: matrices `[..., n, n]`.

    Returns:
      A real tensor `[...]`; nan where a matrix is not positive definite.

    >>> tf.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]).numpy()
    np.float32(0.0)
    """
    scale = DiagPart(Cholesky(tensor(matrix)), k=(0, 0))
    scale = Real(scale) if scale.dtype.is_complex else scale
    return 2.0 * ReduceSum(Log(scale), axis=(scale.ndim - 1,))
