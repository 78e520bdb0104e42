"""Operators of Toeplitz, tridiagonal, Householder and permutation matrices."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gradtape.arrays.creation import one_hot, ones, zeros
from gradtape.arrays.indexing import gather
from gradtape.arrays.movement import broadcast_to, concat, expand_dims, matrix_transpose, pad, reverse
from gradtape.arrays.sorting import argsort
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor, host
from gradtape.linalg import _diagonals as diagonals
from gradtape.linalg._banded import tridiagonal_matmul, tridiagonal_solve
from gradtape.linalg._operators.base import (
    LinearOperator,
    batch_of,
    kept,
    of_rank,
    product,
    require_hint,
    sizes_of,
    spread,
    tensor_of,
)
from gradtape.linalg._products import l2_normalize
from gradtape.math._conversion import conj
from gradtape.math._elementwise import cast
from gradtape.ops.family import dims
from gradtape.signal._fft import fft, ifft


class LinearOperatorToeplitz(LinearOperator):
    """A Toeplitz matrix: equal along its diagonals. Products are computed by Fourier transforms.

    Args:
      col: the first column, of shape `[..., n]`.
      row: the first row, of shape `[..., n]`; its first element does not count.

    >>> operator = tf.linalg.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, -4.0, -9.0])
    >>> operator.to_dense().numpy()
    array([[ 1., -4., -9.],
           [ 2.,  1., -4.],
           [ 3.,  2.,  1.]], dtype=float32)
    """

    _matrix_ranks: ClassVar = {"col": 1, "row": 1}

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        self._col, self._row = of_rank(name, kept(col), 1), of_rank(name, kept(row), 1)
        if None not in (sizes := (sizes_of(self._col)[-1], sizes_of(self._row)[-1])) and sizes[0] != sizes[1]:
            raise ValueError(
                errors.compose(
                    f"{name}: Expected square matrix, got row and col with mismatched dimensions: col is {self._col.shape}, "
                    f"row {self._row.shape}.",
                    "give both the same length.",
                )
            )
        super().__init__(self._col.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    col = property(lambda self: self._col, doc="The first column.")
    row = property(lambda self: self._row, doc="The first row.")

    def _dims(self) -> tuple[Any, ...]:
        *batch, size = sizes_of(self._col)
        return (*batch_of(batch, sizes_of(self._row)[:-1]), size, size)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        size, kind = self._dims()[-1], _complex(self._dtype)
        circle = cast(self._circle(adjoint), kind)
        filled = pad(cast(x, kind), [*[[0, 0]] * (x.ndim - 2), [0, size], [0, 0]])
        columns = matrix_transpose(fft(matrix_transpose(filled)))
        found = matrix_transpose(ifft(matrix_transpose(expand_dims(fft(circle), -1) * columns)))[..., :size, :]
        return cast(found, self._dtype)

    def _circle(self, adjoint: bool) -> Any:
        """The first column of a circulant matrix of twice the size that contains this one."""
        col, row = tensor_of(self._col), tensor_of(self._row)
        batch = self._dims()[:-2]
        size = dims(col)[-1]
        col = broadcast_to(col, (*batch, size))
        row = concat([col[..., :1], broadcast_to(row, (*batch, size))[..., 1:]], -1)
        if adjoint:
            col, row = row, col
            if col.dtype.is_complex:
                col, row = conj(col), conj(row)
        return concat([col, zeros((*batch, 1), self._dtype), reverse(row[..., 1:], [-1])], -1)

    def _to_dense(self) -> Any:
        size = self._dims()[-1]
        places = (np.arange(size)[:, None] - np.arange(size)[None, :]) % (2 * size)
        return gather(self._circle(False), places, axis=-1)

    def _diag_part(self) -> Any:
        col = tensor_of(self._col)
        return broadcast_to(col[..., :1], (*self._dims()[:-2], dims(col)[-1]))


class LinearOperatorTridiag(LinearOperator):
    """A tridiagonal matrix.

    Args:
      diagonals: in the "compact" format `[..., 3, n]`: the upper, the main and the lower diagonal, where the last element of the
        upper and the first of the lower do not count; "sequence" is a list of the three; "matrix" the matrix itself.
      diagonals_format: one of these.

    >>> operator = tf.linalg.LinearOperatorTridiag([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]])
    >>> operator.to_dense().numpy()
    array([[2., 1.],
           [1., 2.]], dtype=float32)
    """

    _matrix_ranks: ClassVar = {"diagonals": 2}

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        if diagonals_format not in ("compact", "sequence", "matrix"):
            raise ValueError(
                f"Argument `diagonals_format` must be one of compact, matrix, or sequence, got {diagonals_format!r}."
            )
        sequence = diagonals_format == "sequence"
        self._diagonals: Any = [kept(d) for d in diagonals] if sequence else kept(diagonals)
        if sequence:
            self._matrix_ranks = {"diagonals": 1}  # type: ignore[misc]  # of each of the three
        self._format = diagonals_format
        main: Any = self._diagonals[1] if sequence else self._diagonals
        super().__init__(main.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    diagonals = property(lambda self: self._diagonals, doc="The diagonals, in their format.")
    diagonals_format = property(lambda self: self._format, doc="The format of the diagonals.")

    def _dims(self) -> tuple[Any, ...]:
        if self._format == "sequence":
            size = sizes_of(self._diagonals[1])[-1]
            return (*batch_of(*[sizes_of(d)[:-1] for d in self._diagonals]), size, size)
        *batch, _, size = sizes_of(self._diagonals)
        return (*batch, size, size)

    def _compact(self, adjoint: bool = False) -> Any:
        """The three diagonals as rows, as `tridiagonal_solve` wants them."""
        if self._format == "compact":
            rows = tensor_of(self._diagonals)
            upper, main, lower = rows[..., 0, :], rows[..., 1, :], rows[..., 2, :]
        elif self._format == "sequence":
            batch = self._dims()[:-2]
            size = self._dims()[-1]
            upper, main, lower = [_fitted(tensor_of(d), batch, size, k) for k, d in enumerate(self._diagonals)]
        else:
            found = diagonals.diag_part(tensor_of(self._diagonals), k=(-1, 1), align="LEFT_RIGHT")
            upper, main, lower = found[..., 0, :], found[..., 1, :], found[..., 2, :]
        if adjoint:
            edge = zeros((*dims(main)[:-1], 1), main.dtype)
            upper, lower = concat([lower[..., 1:], edge], -1), concat([edge, upper[..., :-1]], -1)
        rows = concat([expand_dims(d, -2) for d in (upper, main, lower)], -2)
        return conj(rows) if adjoint and rows.dtype.is_complex else rows

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return tridiagonal_matmul(*_in_one_batch(self._compact(adjoint), x), "compact")

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return tridiagonal_solve(*_in_one_batch(self._compact(adjoint), rhs), "compact")

    def _diag_part(self) -> Any:
        return self._compact()[..., 1, :]


class LinearOperatorHouseholder(LinearOperator):
    """A reflection: `I - 2 v v^H` with a unit vector v.

    Args:
      reflection_axis: v, of shape `[..., n]`; it is normalised.

    >>> tf.linalg.LinearOperatorHouseholder([0.0, 2.0]).matvec([3.0, 4.0]).numpy()
    array([ 3., -4.], dtype=float32)
    """

    _matrix_ranks: ClassVar = {"reflection_axis": 1}

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        require_hint(is_self_adjoint, True, "A Householder operator is always self adjoint.")
        require_hint(is_positive_definite, False, "A Householder operator is never positive definite.")
        require_hint(is_square, True, "A Householder operator is always square.")
        self._axis = of_rank(name, kept(reflection_axis), 1)
        super().__init__(self._axis.dtype, None, is_non_singular, True, False, True, name)

    reflection_axis = property(lambda self: self._axis, doc="The axis.")

    def _dims(self) -> tuple[Any, ...]:
        shape = sizes_of(self._axis)
        return (*shape, shape[-1])

    def _unit(self) -> Any:
        return expand_dims(l2_normalize(tensor_of(self._axis), -1), -1)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        unit = self._unit()
        return x - 2.0 * product(unit, product(unit, x, True))

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return self._matmul(rhs, adjoint)

    def _determinant(self) -> Any:
        return -ones(self._dims()[:-2], self._dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._dims()[:-2], self._dtype)

    def _eigvals(self) -> Any:
        shape = self._dims()[:-1]
        return concat([-ones((*shape[:-1], 1), self._dtype), ones((*shape[:-1], shape[-1] - 1), self._dtype)], -1)

    def _inverse(self) -> LinearOperator:
        return self


class LinearOperatorPermutation(LinearOperator):
    """A permutation of rows: row i of the product is row `perm[i]` of the argument.

    Args:
      perm: ints, of shape `[..., n]`.
      dtype: of the matrix.

    >>> tf.linalg.LinearOperatorPermutation([2, 0, 1]).matvec([10.0, 20.0, 30.0]).numpy()
    array([30., 10., 20.], dtype=float32)
    """

    _matrix_ranks: ClassVar = {"perm": 1}

    def __init__(
        self,
        perm: Any,
        dtype: Any = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        self._perm = of_rank(name, convert.convert_to_tensor(perm), 1)
        if not self._perm.dtype.is_integer:
            raise TypeError(
                errors.compose(
                    f"LinearOperatorPermutation: perm must be integer dtype, got {self._perm.dtype.name}.",
                    "pass integers.",
                )
            )
        require_hint(is_non_singular, True, "A Permutation operator is always non-singular.")
        require_hint(is_square, True, "A Permutation operator is always square.")
        if (
            type(self._perm) is Tensor
            and (np.sort(np.asarray(host(self._perm._array))) != np.arange(dims(self._perm)[-1])).any()
        ):
            raise ValueError(
                errors.compose(
                    f"{name}: perm must be a vector of unique integers from 0 to {dims(self._perm)[-1] - 1}, got {perm!r}.",
                    "name each row once.",
                )
            )
        super().__init__(dtype, None, True, is_self_adjoint, is_positive_definite, True, name)

    perm = property(lambda self: self._perm, doc="The permutation.")

    def _dims(self) -> tuple[Any, ...]:
        shape = tuple(self._perm.shape)
        return (*shape, shape[-1])

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        perm = argsort(self._perm, -1) if adjoint else self._perm
        batch = batch_of(dims(perm)[:-1], dims(x)[:-2])
        return gather(
            broadcast_to(x, (*batch, *dims(x)[-2:])),
            broadcast_to(perm, (*batch, dims(perm)[-1])),
            axis=len(batch),
            batch_dims=len(batch),
        )

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return self._matmul(rhs, not adjoint)

    def _to_dense(self) -> Any:
        return one_hot(self._perm, self._dims()[-1], dtype=self._dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._dims()[:-2], self._dtype)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorPermutation(argsort(self._perm, -1), self._dtype)

    def _inverse(self) -> LinearOperator:
        return self._adjoint()


def _complex(dtype: Any) -> Any:
    return dtypes.complex128 if dtype in (dtypes.float64, dtypes.complex128) else dtypes.complex64


def _in_one_batch(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Matrices, repeated so that the batches of both have one shape."""
    batch = batch_of(dims(a)[:-2], dims(b)[:-2])
    return spread(a, batch), spread(b, batch)


def _fitted(diagonal: Tensor, batch: Any, size: int, which: int) -> Any:
    """A diagonal of the "sequence" format, as long as the main one."""
    missing = size - dims(diagonal)[-1]
    if missing:
        sides = [0, missing] if which == 0 else [missing, 0]
        diagonal = pad(diagonal, [*[[0, 0]] * (diagonal.ndim - 1), sides])
    return broadcast_to(diagonal, (*batch, size))
