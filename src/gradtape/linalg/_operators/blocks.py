"""Operators of matrices that consist of blocks."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from gradtape.arrays.creation import zeros
from gradtape.arrays.movement import concat, expand_dims, split, squeeze
from gradtape.core import errors
from gradtape.core.convert import convert_to_tensor
from gradtape.core.tensor import Tensor
from gradtape.linalg import _diagonals as diagonals
from gradtape.linalg._operators.base import LinearOperator, batch_of, require_hint, spread
from gradtape.linalg._operators.compositions import Joint, checked
from gradtape.linalg._operators.dense import LinearOperatorFullMatrix
from gradtape.ops.family import dims


class Blocks(LinearOperator):
    """An operator of blocks: products and solutions of lists of blocks are lists of blocks."""

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """The product with a matrix, another operator, or a list with one matrix for each block."""
        if not isinstance(x, (list, tuple)) or not _are_blocks(x):
            return super().matmul(x, adjoint, adjoint_arg)
        given = self._given("matmul", x, adjoint_arg, -2 if adjoint else -1)
        return split(super().matmul(given, adjoint), self._block_sizes(-1 if adjoint else -2), -2)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """The matrix whose product with this operator is `rhs`, which may be a list with one matrix for each block."""
        if not isinstance(rhs, (list, tuple)) or not _are_blocks(rhs):
            return super().solve(rhs, adjoint, adjoint_arg)
        given = self._given("solve", rhs, adjoint_arg, -1 if adjoint else -2)
        return split(super().solve(given, adjoint), self._block_sizes(-2 if adjoint else -1), -2)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with a vector, or with a list of one vector for each block."""
        return self._of_vectors(self.matmul, x, adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The vector whose product with this operator is `rhs`, which may be a list with one vector for each block."""
        return self._of_vectors(self.solve, rhs, adjoint)

    def _of_vectors(self, function: Any, x: Any, adjoint: bool) -> Any:
        if not isinstance(x, (list, tuple)) or not all(getattr(part, "shape", ()) for part in x):
            return squeeze(function(expand_dims(x, -1), adjoint), -1)
        return [squeeze(y, -1) for y in function([expand_dims(part, -1) for part in x], adjoint)]

    def _given(self, what: str, x: Any, adjoint_arg: bool, axis: int) -> Any:
        """One matrix for each block, one below the other."""
        given = [_adjoint_of(part) if adjoint_arg else convert_to_tensor(part, self._dtype) for part in x]
        sizes = self._block_sizes(axis)
        rows = [dims(part)[-2] for part in given]
        if len(rows) != len(sizes) or any(
            n is not None and m is not None and n != m for n, m in zip(rows, sizes, strict=True)
        ):
            raise ValueError(
                errors.compose(
                    f"{what}: Dimensions {rows} and {sizes} are not compatible: the dimension does not match that of the blocks.",
                    "give one matrix for each block, with as many rows as the block has columns.",
                )
            )
        return joined(given)

    def _block_sizes(self, axis: int) -> list[int]:
        """The lengths of the blocks on the diagonal along an axis."""
        raise NotImplementedError


def _are_blocks(parts: Any) -> bool:
    """True for a list of matrices, which a matrix in nested lists is not."""
    return all(len(getattr(part, "shape", ())) >= 2 for part in parts)


def _adjoint_of(part: Any) -> Any:
    return diagonals.adjoint(convert_to_tensor(part))


class LinearOperatorBlockDiag(Blocks, Joint):
    """A matrix with operators along its diagonal, and zero elsewhere.

    Args:
      operators: at least one.

    >>> one, two = tf.linalg.LinearOperatorIdentity(1), tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorBlockDiag([one, two]).matvec([1.0, 1.0, 1.0]).numpy()
    array([1., 3., 7.], dtype=float32)
    """

    what = "The direct sum"
    sign = "_ds_"

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        super().__init__(operators, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """InvalidArgumentError if one of the operators is singular."""
        self._assert_each("assert_non_singular", name)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """InvalidArgumentError if one of the operators is not self-adjoint."""
        self._assert_each("assert_self_adjoint", name)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """InvalidArgumentError if one of the operators is not positive definite."""
        self._assert_each("assert_positive_definite", name)

    def _dims(self) -> tuple[Any, ...]:
        return (*self._batch(), sum(self._sizes(-2)), sum(self._sizes(-1)))

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return self._each(x, self._sizes(-2 if adjoint else -1), lambda op, part: op.matmul(part, adjoint=adjoint))

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        if not self._are_square():
            return super()._solve(rhs, adjoint)
        return self._each(rhs, self._sizes(-2), lambda op, part: op.solve(part, adjoint=adjoint))

    def _block_sizes(self, axis: int) -> list[int]:
        return self._sizes(axis)

    def _each(self, x: Tensor, sizes: list[int], apply: Any) -> Any:
        parts = split(x, sizes, -2)
        return joined([apply(op, part) for op, part in zip(self._operators, parts, strict=True)])

    def _diag_part(self) -> Any:
        if not self._are_square():
            return super()._diag_part()
        return squeeze(joined([expand_dims(op.diag_part(), -1) for op in self._operators]), -1)

    def _determinant(self) -> Any:
        return functools.reduce(lambda a, b: a * b, [op.determinant() for op in self._operators])

    def _log_abs_determinant(self) -> Any:
        return functools.reduce(lambda a, b: a + b, [op.log_abs_determinant() for op in self._operators])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorBlockDiag([op.adjoint() for op in self._operators], self.is_non_singular)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorBlockDiag([op.inverse() for op in self._operators], True)

    def _cholesky(self) -> LinearOperator:
        if not all(op.is_positive_definite and op.is_self_adjoint for op in self._operators):
            return super()._cholesky()
        return LinearOperatorBlockDiag([op.cholesky() for op in self._operators], True)


class LinearOperatorBlockLowerTriangular(Blocks):
    """A block matrix whose blocks above the diagonal are zero.

    Args:
      operators: rows of operators; row i has i + 1 of them, and the last is square.

    >>> one = tf.linalg.LinearOperatorIdentity(1)
    >>> tf.linalg.LinearOperatorBlockLowerTriangular([[one], [one, one]]).to_dense().numpy()
    array([[1., 0.],
           [1., 1.]], dtype=float32)
    """

    def __init__(
        self,
        operators: Sequence[Sequence[LinearOperator]],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        self._operators = [list(row) for row in operators]
        everything = checked([op for row in self._operators for op in row])
        for i, row in enumerate(self._operators):
            if len(row) != i + 1:
                raise ValueError(f"Argument `operators[{i}]` must contain `{i + 1}` blocks, got {len(row)}.")
            if row[-1].is_square is False:
                raise ValueError(f"The operators on the diagonal must be square, {row[-1].name} is {row[-1].shape}.")
        self._check_sizes()
        known = [row[-1].is_non_singular for row in self._operators]
        if all(known) or False in known:
            which = "non-singular" if all(known) else "singular"
            sentence = f"A lower triangular matrix of blocks with {which} operators on its diagonal is always {which}."
            is_non_singular = require_hint(is_non_singular, all(known), sentence)
        super().__init__(
            everything[0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    operators = property(lambda self: self._operators, doc="The rows of operators.")

    def _check_sizes(self) -> None:
        """ValueError unless each block has the rows and columns of the blocks on the diagonal."""
        for i, row in enumerate(self._operators):
            for j, op in enumerate(row):
                for axis, k, what in ((-2, i, "range"), (-1, j, "domain")):
                    own, wanted = op.shape[axis], self._operators[k][k].shape[axis]
                    if None not in (own, wanted) and own != wanted:
                        raise ValueError(
                            errors.compose(
                                f"Argument `operators[{i}][{j}].{what}_dimension` ({own}) must be the same as "
                                f"`operators[{k}][{k}].{what}_dimension` ({wanted}).",
                                "blocks of a row have equally many rows, blocks of a column equally many columns.",
                            )
                        )

    def _dims(self) -> tuple[Any, ...]:
        size = sum(self._sizes())
        return (*batch_of(*[op.batch_shape for row in self._operators for op in row]), size, size)

    def _sizes(self) -> list[int]:
        return [row[-1].shape[-1] for row in self._operators]

    def _block_sizes(self, axis: int) -> list[int]:
        return self._sizes()

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        parts = split(x, self._sizes(), -2)
        count = len(self._operators)
        results = []
        for i in range(count):
            terms = (
                [(self._operators[k][i], parts[k]) for k in range(i, count)]
                if adjoint
                else [(op, parts[k]) for k, op in enumerate(self._operators[i])]
            )
            results.append(
                functools.reduce(lambda a, b: a + b, [op.matmul(part, adjoint=adjoint) for op, part in terms])
            )
        return joined(results)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        parts = split(rhs, self._sizes(), -2)
        count = len(self._operators)
        found: dict[int, Tensor] = {}
        for i in reversed(range(count)) if adjoint else range(count):
            rest = parts[i]
            for k, value in found.items():
                op = self._operators[k][i] if adjoint else self._operators[i][k]
                rest = rest - op.matmul(value, adjoint=adjoint)
            found[i] = self._operators[i][-1].solve(rest, adjoint=adjoint)
        return joined([found[i] for i in range(count)])

    def _to_dense(self) -> Any:
        sizes, batch = self._sizes(), self._dims()[:-2]
        rows = []
        for i, row in enumerate(self._operators):
            blocks = [spread(op.to_dense(), batch) for op in row]
            blocks += [zeros((*batch, sizes[i], n), self._dtype) for n in sizes[i + 1 :]]
            rows.append(concat(blocks, -1))
        return concat(rows, -2)

    def _inverse(self) -> LinearOperator:
        """The inverse, row by row: the part below the diagonal follows from the rows above."""
        count = len(self._operators)
        rows: list[list[LinearOperator]] = []
        for i in range(count):
            last = self._operators[i][-1].inverse()
            row: list[LinearOperator] = []
            for j in range(i):
                terms = [self._operators[i][k].matmul(rows[k][j].to_dense()) for k in range(j, i)]
                row.append(LinearOperatorFullMatrix(-last.matmul(functools.reduce(lambda a, b: a + b, terms))))
            rows.append([*row, last])
        return LinearOperatorBlockLowerTriangular(rows, is_non_singular=True)

    def _determinant(self) -> Any:
        return functools.reduce(lambda a, b: a * b, [row[-1].determinant() for row in self._operators])

    def _log_abs_determinant(self) -> Any:
        return functools.reduce(lambda a, b: a + b, [row[-1].log_abs_determinant() for row in self._operators])


def joined(parts: list[Tensor]) -> Tensor:
    """Matrices one below the other; batches broadcast."""
    batch = batch_of(*[dims(p)[:-2] for p in parts])
    return concat([spread(p, batch) for p in parts], -2)
