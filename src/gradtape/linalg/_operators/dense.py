"""Operators of full and of triangular matrices."""

from __future__ import annotations

from typing import Any, ClassVar

from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.linalg import _diagonals as diagonals
from gradtape.linalg._operators.base import DERIVED, LinearOperator, kept, of_rank, product, sizes_of, tensor_of
from gradtape.linalg._solvers import cholesky_solve, solve, triangular_solve
from gradtape.math._elementwise import abs as absolute
from gradtape.math._elementwise import log
from gradtape.math._reductions import reduce_prod, reduce_sum


class LinearOperatorFullMatrix(LinearOperator):
    """A dense matrix without known structure.

    Args:
      matrix: of shape `[..., rows, columns]`.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)
    """

    _matrix_ranks: ClassVar = {"matrix": 2}

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        self._matrix = of_rank(name, kept(matrix), 2)
        if not (self._matrix.dtype.is_floating or self._matrix.dtype.is_complex):
            raise errors.build(
                errors.DTypeError,
                f"{name}: matrix must have a floating point or complex dtype, got {self._matrix.dtype.name}.",
                "use tf.cast(matrix, tf.float32).",
            )
        super().__init__(
            self._matrix.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    matrix = property(lambda self: self._matrix, doc="The matrix.")

    def _dims(self) -> tuple[Any, ...]:
        return sizes_of(self._matrix)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return product(tensor_of(self._matrix), x, adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        if self.is_positive_definite and self.is_self_adjoint:
            return cholesky_solve(self._cholesky().to_dense(), rhs)
        return solve(tensor_of(self._matrix), rhs, adjoint=adjoint)

    def _to_dense(self) -> Any:
        return tensor_of(self._matrix)


class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix.

    Args:
      tril: of shape `[..., n, n]`; what is above the diagonal does not count.

    >>> operator = tf.linalg.LinearOperatorLowerTriangular([[2.0, 9.0], [1.0, 4.0]])
    >>> operator.solvevec([2.0, 5.0]).numpy(), operator.determinant().numpy()
    (array([1., 1.], dtype=float32), np.float32(8.0))
    """

    _matrix_ranks: ClassVar = {"tril": 2}

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        self._tril = of_rank(name, kept(tril), 2)
        super().__init__(
            self._tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    tril = property(lambda self: self._tril, doc="The matrix.")

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """InvalidArgumentError if an eigenvalue is zero."""
        self._assert_eigenvalues(self._diag_part(), "diagonal", positive=False)

    def _dims(self) -> tuple[Any, ...]:
        return sizes_of(self._tril)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return product(self._to_dense(), x, adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return triangular_solve(tensor_of(self._tril), rhs, lower=True, adjoint=adjoint)

    def _to_dense(self) -> Any:
        return diagonals.band_part(tensor_of(self._tril), -1, 0)

    def _diag_part(self) -> Any:
        return diagonals.diag_part(tensor_of(self._tril))

    def _determinant(self) -> Any:
        return reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(log(absolute(self._diag_part())), -1)

    def _eigvals(self) -> Any:
        return self._diag_part()


DERIVED["lower triangular"] = LinearOperatorLowerTriangular
