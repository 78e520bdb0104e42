"""Operators of diagonal matrices: any diagonal, multiples of the identity, zero."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gradtape.arrays.creation import ones, zeros, zeros_like
from gradtape.arrays.movement import broadcast_to, expand_dims
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.linalg import _diagonals as diagonals
from gradtape.linalg._operators.base import LinearOperator, batch_of, kept, of_rank, sizes_of, spread, tensor_of
from gradtape.math._conversion import conj, imag
from gradtape.math._elementwise import abs as absolute
from gradtape.math._elementwise import log, sqrt
from gradtape.math._reductions import reduce_prod, reduce_sum
from gradtape.ops.family import dims


class LinearOperatorDiag(LinearOperator):
    """A diagonal matrix.

    Args:
      diag: the diagonal, of shape `[..., n]`.

    >>> operator = tf.linalg.LinearOperatorDiag([1.0, -2.0])
    >>> operator.to_dense().numpy()
    array([[ 1.,  0.],
           [ 0., -2.]], dtype=float32)
    """

    _matrix_ranks: ClassVar = {"diag": 1}

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        self._diag = of_rank(name, kept(diag), 1)
        if is_square is False:
            raise ValueError("Only square, non-batched diagonal operators are supported: is_square must not be False.")
        if is_self_adjoint is None and not self._diag.dtype.is_complex:
            is_self_adjoint = True
        super().__init__(self._diag.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    diag = property(lambda self: self._diag, doc="The diagonal.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """InvalidArgumentError unless the diagonal is real."""
        from gradtape.debugging._value_checks import assert_equal

        entries = tensor_of(self._diag)
        if entries.dtype.is_complex:
            message = "This diagonal operator contained non-zero imaginary values. Thus it was not self-adjoint."
            assert_equal(imag(entries), zeros_like(imag(entries)), message)

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """InvalidArgumentError if an eigenvalue is zero."""
        self._assert_eigenvalues(self._diag, "diagonal", positive=False)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """InvalidArgumentError if the real part of an eigenvalue is not positive."""
        self._assert_eigenvalues(self._diag, "diagonal", positive=True)

    def _dims(self) -> tuple[Any, ...]:
        shape = sizes_of(self._diag)
        return (*shape, shape[-1])

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return expand_dims(self._entries(adjoint), -1) * x

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return rhs / expand_dims(self._entries(adjoint), -1)

    def _entries(self, adjoint: bool) -> Any:
        entries = tensor_of(self._diag)
        return conj(entries) if adjoint and entries.dtype.is_complex else entries

    def _to_dense(self) -> Any:
        return diagonals.diag(tensor_of(self._diag))

    def _diag_part(self) -> Any:
        return tensor_of(self._diag)

    def _determinant(self) -> Any:
        return reduce_prod(tensor_of(self._diag), -1)

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(log(absolute(tensor_of(self._diag))), -1)

    def _eigvals(self) -> Any:
        return tensor_of(self._diag)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorDiag(self._entries(True), self.is_non_singular, False, self.is_positive_definite)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1.0 / tensor_of(self._diag), True, self.is_self_adjoint, self.is_positive_definite)

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(sqrt(tensor_of(self._diag)), True, True, True)


class LinearOperatorScaledIdentity(LinearOperator):
    """A multiple of the identity.

    Args:
      num_rows: how many rows and columns there are.
      multiplier: a scalar, or one for each matrix of a batch.
      assert_proper_shapes: accepted: shapes are always checked.

    >>> tf.linalg.LinearOperatorScaledIdentity(2, 3.0).matvec([1.0, 2.0]).numpy()
    array([3., 6.], dtype=float32)
    """

    _matrix_ranks: ClassVar = {"multiplier": 0}

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        self._multiplier, self._rows = kept(multiplier), _size("num_rows", num_rows)
        if is_self_adjoint is None and not self._multiplier.dtype.is_complex:
            is_self_adjoint = True
        super().__init__(
            self._multiplier.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name
        )

    multiplier = property(lambda self: self._multiplier, doc="The factor.")

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """InvalidArgumentError if an eigenvalue is zero."""
        self._assert_eigenvalues(self._multiplier, "multiplier", positive=False)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """InvalidArgumentError if the real part of an eigenvalue is not positive."""
        self._assert_eigenvalues(self._multiplier, "multiplier", positive=True)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """InvalidArgumentError if the multiplier is not real."""
        from gradtape.debugging._value_checks import assert_equal

        part = imag(tensor_of(self._multiplier))
        assert_equal(part, zeros_like(part), "LinearOperator was not self-adjoint.")

    def _dims(self) -> tuple[Any, ...]:
        return (*sizes_of(self._multiplier), self._rows, self._rows)

    def _factor(self, adjoint: bool) -> Any:
        factor = tensor_of(self._multiplier)
        return conj(factor) if adjoint and factor.dtype.is_complex else factor

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return x * expand_dims(expand_dims(self._factor(adjoint), -1), -1)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return rhs / expand_dims(expand_dims(self._factor(adjoint), -1), -1)

    def _diag_part(self) -> Any:
        factor = tensor_of(self._multiplier)
        return broadcast_to(expand_dims(factor, -1), (*dims(factor), self._rows))

    def _to_dense(self) -> Any:
        return diagonals.diag(self._diag_part())

    def _determinant(self) -> Any:
        return tensor_of(self._multiplier) ** self._rows

    def _log_abs_determinant(self) -> Any:
        return float(self._rows) * log(absolute(tensor_of(self._multiplier)))

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._rows, self._factor(True), self.is_non_singular)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            self._rows, 1.0 / tensor_of(self._multiplier), True, self.is_self_adjoint, self.is_positive_definite
        )

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._rows, sqrt(tensor_of(self._multiplier)), True, True, True)


class LinearOperatorIdentity(LinearOperatorScaledIdentity):
    """The identity.

    Args:
      num_rows: how many rows and columns there are.
      batch_shape: the shape of a batch of them, or None.
      dtype: float32 by default.

    >>> tf.linalg.LinearOperatorIdentity(2).to_dense().numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool = True,
        is_self_adjoint: bool = True,
        is_positive_definite: bool = True,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        hints = {
            "self adjoint": is_self_adjoint,
            "square": is_square,
            "non-singular": is_non_singular,
            "positive-definite": is_positive_definite,
        }
        for what, hint in hints.items():
            if not hint:
                raise ValueError(
                    errors.compose(
                        f"An identity operator is always {what}: the hint must not be {hint}.", "leave the hint out."
                    )
                )
        batch = _batch_shape(name, batch_shape)
        super().__init__(num_rows, ones(batch, dtype or dtypes.float32), True, True, True, True, name=name)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return spread(x, self._dims()[:-2])

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return spread(rhs, self._dims()[:-2])

    def _inverse(self) -> LinearOperator:
        return self

    def _cholesky(self) -> LinearOperator:
        return self


class LinearOperatorZeros(LinearOperator):
    """The matrix of zeros.

    Args:
      num_rows: how many rows there are.
      num_columns: how many columns there are; as many as rows by default.
      batch_shape: the shape of a batch of them, or None.
      dtype: float32 by default.

    >>> tf.linalg.LinearOperatorZeros(1, 2, is_square=False).matvec([1.0, 2.0]).numpy()
    array([0.], dtype=float32)
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool = False,
        is_self_adjoint: bool = True,
        is_positive_definite: bool = False,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        if is_non_singular:
            raise ValueError(errors.compose("A zero operator is always singular.", "leave the hint out."))
        if is_positive_definite:
            raise ValueError(
                errors.compose(
                    "A zero operator is always not positive-definite: is_positive_definite must not be True.",
                    "leave the hint out.",
                )
            )
        self._rows = _size("num_rows", num_rows)
        self._columns = self._rows if num_columns is None else _size("num_columns", num_columns)
        self._batch = tuple(_batch_shape(name, batch_shape))
        square = self._rows == self._columns
        if is_square and not square:
            raise ValueError(
                errors.compose(
                    f"{name}: initialized as is_square=True, but num_rows is {self._rows} and num_columns {self._columns}.",
                    "pass is_square=False.",
                )
            )
        super().__init__(dtype or dtypes.float32, None, False, square, False, square, name)

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """InvalidArgumentError: zeros have no inverse."""
        self._never("non-invertible")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """InvalidArgumentError: zeros are not positive."""
        self._never("non-positive definite")

    def _never(self, what: str) -> None:
        raise errors.build(
            errors.InvalidArgumentError,
            f"The assertion failed: zero operators are always {what}.",
            "use another operator.",
        )

    def _dims(self) -> tuple[Any, ...]:
        return (*self._batch, self._rows, self._columns)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        rows = self._columns if adjoint else self._rows
        return zeros((*batch_of(self._batch, dims(x)[:-2]), rows, dims(x)[-1]), self._dtype)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        raise NotImplementedError(
            errors.compose("solve: the zero operator has no inverse.", "add a multiple of the identity.")
        )

    def _to_dense(self) -> Any:
        return zeros(self._dims(), self._dtype)

    def _diag_part(self) -> Any:
        return zeros((*self._batch, min(self._rows, self._columns)), self._dtype)

    def _determinant(self) -> Any:
        return zeros(self._batch, self._dtype)

    def _log_abs_determinant(self) -> Any:
        return log(zeros(self._batch, self._dtype))

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorZeros(
            self._columns, self._rows, self._batch, self._dtype, is_square=self._rows == self._columns
        )


def _batch_shape(who: str, value: Any) -> TensorShape:
    """The batch dimensions of an operator; none without a value."""
    _no_variable("batch_shape", value)
    rank = 1 if value is None or isinstance(value, TensorShape) else np.ndim(value)
    if rank != 1:
        raise ValueError(
            errors.compose(f"{who}: batch_shape must be a 1-D Tensor, got {value}.", "give a list of ints.")
        )
    if isinstance(value, (list, tuple, np.ndarray)) and any(isinstance(n, (int, np.integer)) and n < 0 for n in value):
        raise ValueError(errors.compose(f"{who}: batch_shape must be non-negative, got {value}.", "give lengths."))
    try:
        return TensorShape([] if value is None else value)
    except ValueError as problem:
        if "negative" not in str(problem):
            raise
        raise ValueError(
            errors.compose(f"{who}: batch_shape must be non-negative, got {value}.", "give lengths.")
        ) from None


def _no_variable(what: str, value: Any) -> None:
    if isinstance(value, Variable):
        raise TypeError(
            errors.compose(
                f"{what} cannot be reference type: the shape of an operator does not change, got a Variable.",
                "give its value: variable.read_value().",
            )
        )


def _size(what: str, value: Any) -> int:
    _no_variable(what, value)
    given = convert.convert_to_tensor(value)
    if not given.dtype.is_integer:
        raise TypeError(errors.compose(f"{what} must be integer type, got {value}.", "give an int."))
    if given.ndim:
        raise ValueError(errors.compose(f"{what} must be a 0-D Tensor, got {value}.", "give a single int."))
    size = int(given)
    if size < 0:
        raise ValueError(errors.compose(f"{what} must be non-negative, got {size}.", "give a count of rows."))
    return size
