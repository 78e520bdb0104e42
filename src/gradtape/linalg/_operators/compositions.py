"""Operators made of others: products, adjoints, inverses, Kronecker products."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from gradtape.arrays.movement import expand_dims, reshape, transpose
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.linalg import _diagonals as diagonals
from gradtape.linalg._operators.base import DERIVED, LinearOperator, all_known, batch_of, require_hint, spread
from gradtape.math._conversion import conj
from gradtape.ops.family import dims

# What the hints say, in words.
_WORDS = {
    "is_non_singular": "non-singular",
    "is_self_adjoint": "self-adjoint",
    "is_positive_definite": "positive-definite",
}


class Joint(LinearOperator):
    """Base of operators that are made of several.

    Attributes:
      shared: what is known of the whole if it is known of each of them.
      what: how messages call it.
      sign: stands between the names of the operators in its own.
    """

    what = "An operator made"
    sign = "_"

    shared: tuple[str, ...] = ("is_non_singular", "is_self_adjoint", "is_positive_definite")

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        self._operators = checked(operators)
        known = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
        }
        for flag in self.shared:
            of_all = all_known(getattr(op, flag) for op in self._operators)
            if of_all and known[flag] is False:
                word = _WORDS[flag]
                raise ValueError(
                    errors.compose(
                        f"{flag} cannot be False, since {self.what[0].lower()}{self.what[1:]} of {word} operators is always {word}.",
                        "leave the hint out.",
                    )
                )
            known[flag] = of_all if known[flag] is None else known[flag]
        own = name or self.sign.join([op.name for op in self._operators])
        super().__init__(self._operators[0].dtype, None, **known, is_square=is_square, name=own)

    operators = property(lambda self: self._operators, doc="The operators.")

    def _are_square(self) -> bool:
        """True if each of them is known to be square."""
        return all(op.is_square for op in self._operators)

    def _assert_each(self, what: str, name: str) -> None:
        """A check of each operator; of the whole if they are not square."""
        if not self._are_square():
            getattr(LinearOperator, what)(self, name)
            return
        for operator in self._operators:
            getattr(operator, what)()

    def _batch(self) -> Any:
        return batch_of(*[op.batch_shape for op in self._operators])

    def _sizes(self, axis: int) -> list[int]:
        return [op.shape[axis] for op in self._operators]


class LinearOperatorComposition(Joint):
    """The composition of operators; the first one is applied last.

    Args:
      operators: at least one, whose sizes fit.

    >>> first, second = tf.linalg.LinearOperatorDiag([1.0, 2.0]), tf.linalg.LinearOperatorFullMatrix([[1.0, 1.0], [0.0, 1.0]])
    >>> tf.linalg.LinearOperatorComposition([first, second]).to_dense().numpy()
    array([[1., 1.],
           [0., 2.]], dtype=float32)
    """

    shared = ("is_non_singular",)
    what = "The composition"
    sign = "_o_"

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        members = checked(operators)
        if _is_square_of_itself(members):  # A A^H
            sentence = "The composition of an operator with its adjoint is always {}."
            is_square = require_hint(is_square, True, sentence.format("square"))
            is_self_adjoint = require_hint(is_self_adjoint, True, sentence.format("self-adjoint"))
            if is_non_singular or all(op.is_non_singular for op in members):
                sentence = "The composition of a non-singular operator with its adjoint is always {}."
                is_positive_definite = require_hint(is_positive_definite, True, sentence.format("positive definite"))
        super().__init__(members, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)
        for left, right in zip(self._operators, self._operators[1:], strict=False):
            if left.shape[-1] != right.shape[-2]:
                raise errors.build(
                    errors.ShapeError,
                    f"LinearOperatorComposition: inner dimensions differ: {left.name} is {left.shape}, {right.name} is {right.shape}. "
                    "Operators are incompatible.",
                    "each operator needs as many columns as the next has rows.",
                )

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """InvalidArgumentError if one of the operators is singular."""
        self._assert_each("assert_non_singular", name)

    def _dims(self) -> tuple[Any, ...]:
        return (*self._batch(), self._operators[0].shape[-2], self._operators[-1].shape[-1])

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        for op in self._operators if adjoint else reversed(self._operators):
            x = op.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        if not self._are_square():
            return super()._solve(rhs, adjoint)
        for op in reversed(self._operators) if adjoint else self._operators:
            rhs = op.solve(rhs, adjoint=adjoint)
        return rhs

    def _to_dense(self) -> Any:
        result = self._operators[-1].to_dense()
        for op in reversed(self._operators[:-1]):
            result = op.matmul(result)
        return spread(result, self._dims()[:-2])

    def _determinant(self) -> Any:
        if not self._are_square():
            return super()._determinant()
        return functools.reduce(lambda a, b: a * b, [op.determinant() for op in self._operators])

    def _log_abs_determinant(self) -> Any:
        if not self._are_square():
            return super()._log_abs_determinant()
        return functools.reduce(lambda a, b: a + b, [op.log_abs_determinant() for op in self._operators])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorComposition([op.adjoint() for op in reversed(self._operators)], self.is_non_singular)

    def _cholesky(self) -> LinearOperator:
        first, last = self._operators[0], self._operators[-1]
        is_product = len(self._operators) == 2 and isinstance(last, LinearOperatorAdjoint) and last.operator is first
        # L L^H of a triangular L with a positive diagonal is decomposed already.
        if is_product and first.is_positive_definite and type(first) is DERIVED["lower triangular"]:
            return first
        return super()._cholesky()

    def _inverse(self) -> LinearOperator:
        if not self._are_square():
            return super()._inverse()
        return LinearOperatorComposition([op.inverse() for op in reversed(self._operators)], True)


def _is_square_of_itself(operators: Sequence[LinearOperator]) -> bool:
    """True if operators are known to be `A B … B^H A^H`."""
    pairs = list(zip(operators, reversed(operators), strict=True))[: len(operators) // 2]
    return len(operators) % 2 == 0 and all(_are_adjoint(a, b) for a, b in pairs)


def _are_adjoint(a: LinearOperator, b: LinearOperator) -> bool:
    if a is b:
        return bool(a.is_self_adjoint)
    return any(isinstance(x, LinearOperatorAdjoint) and x.operator is y for x, y in ((a, b), (b, a)))


class _Derived(LinearOperator):
    """Base of operators that are made of one other; its flags hold for them too."""

    _suffix = ""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        self._operator = operator
        given = (is_non_singular, is_self_adjoint, is_positive_definite)
        own = (operator.is_non_singular, operator.is_self_adjoint, operator.is_positive_definite)
        known, adjoint, definite = [a if b is None else b for a, b in zip(own, given, strict=True)]
        super().__init__(
            operator.dtype, None, known, adjoint, definite, is_square, name or operator.name + self._suffix
        )

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """InvalidArgumentError if the operator is singular."""
        self._operator.assert_non_singular()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """InvalidArgumentError if the operator is not self-adjoint."""
        self._operator.assert_self_adjoint()

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """InvalidArgumentError if the operator is not positive definite."""
        self._operator.assert_positive_definite()

    operator = property(lambda self: self._operator, doc="The operator that this one is made of.")


def _agree(operator: LinearOperator, made: str, *given: bool | None) -> None:
    """ValueError if a hint contradicts what is known of the operator that another one is made of."""
    for (flag, word), hint in zip(_WORDS.items(), given, strict=True):
        known = getattr(operator, flag)
        if None not in (known, hint) and known != hint:
            raise ValueError(
                errors.compose(f"An operator is {word} if and only if its {made} is {word}.", "leave the hint out.")
            )


class LinearOperatorAdjoint(_Derived):
    """The adjoint of an operator.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(operator).matvec([1.0, 0.0]).numpy()
    array([1., 2.], dtype=float32)
    """

    _suffix = "_adjoint"

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        _agree(operator, "adjoint", is_non_singular, is_self_adjoint, is_positive_definite)
        super().__init__(operator, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)

    def _dims(self) -> tuple[Any, ...]:
        *batch, rows, columns = self._operator._dims()
        return (*batch, columns, rows)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return self._operator._matmul(x, not adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return self._operator._solve(rhs, not adjoint)

    def _to_dense(self) -> Any:
        return diagonals.adjoint(self._operator.to_dense())

    def _diag_part(self) -> Any:
        return _conjugate(self._operator.diag_part())

    def _determinant(self) -> Any:
        return _conjugate(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _adjoint(self) -> LinearOperator:
        return self._operator


class LinearOperatorInversion(_Derived):
    """The inverse of an operator; it multiplies by solving.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]])
    >>> tf.linalg.LinearOperatorInversion(operator).matvec([1.0, 1.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """

    _suffix = "_inv"

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        if operator.is_square is False or operator.is_non_singular is False:
            raise ValueError(
                f"{operator.name} has no inverse: it must be square and non-singular; its hints are "
                f"is_square={operator.is_square} and is_non_singular={operator.is_non_singular}."
            )
        require_hint(
            is_non_singular, True, "The inverse of an operator is always non-singular: is_non_singular is False."
        )
        _agree(operator, "inverse", is_non_singular, is_self_adjoint, is_positive_definite)
        super().__init__(operator, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)

    def _dims(self) -> tuple[Any, ...]:
        return self._operator._dims()

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return self._operator._solve(x, adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return self._operator._matmul(rhs, adjoint)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self._operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return 1.0 / self._operator.eigvals()

    def _inverse(self) -> LinearOperator:
        return self._operator


class LinearOperatorKronecker(Joint):
    """The Kronecker product of operators.

    >>> a, b = tf.linalg.LinearOperatorDiag([1.0, 2.0]), tf.linalg.LinearOperatorFullMatrix([[1.0, 1.0]])
    >>> tf.linalg.LinearOperatorKronecker([a, b]).to_dense().numpy()
    array([[1., 1., 0., 0.],
           [0., 0., 2., 2.]], dtype=float32)
    """

    what = "The Kronecker product"
    sign = "_x_"

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """InvalidArgumentError if one of the operators is singular."""
        self._assert_each("assert_non_singular", name)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """InvalidArgumentError if one of the operators is not self-adjoint."""
        self._assert_each("assert_self_adjoint", name)

    def _dims(self) -> tuple[Any, ...]:
        return (*self._batch(), math.prod(self._sizes(-2)), math.prod(self._sizes(-1)))

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return self._each(x, lambda op, part: op.matmul(part, adjoint=adjoint), self._sizes(-2 if adjoint else -1))

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        if not self._are_square():
            return super()._solve(rhs, adjoint)
        return self._each(rhs, lambda op, part: op.solve(part, adjoint=adjoint), self._sizes(-2))

    def _each(self, x: Tensor, apply: Any, sizes: list[int]) -> Any:
        """Apply each operator along its own axis: rows of x are numbered by one index for each operator."""
        x = spread(x, self._dims()[:-2])
        batch, columns = dims(x)[:-2], dims(x)[-1]
        for op, size in zip(self._operators, sizes, strict=True):
            # The first of the remaining axes becomes the rows; afterwards it goes behind the others.
            part = reshape(x, (*batch, size, -1))
            x = _last_first(apply(op, part), len(batch), columns)
        return x

    def _determinant(self) -> Any:
        if not self._are_square():
            return super()._determinant()
        total = math.prod(self._sizes(-1))
        powers = [op.determinant() ** (total // op.shape[-1]) for op in self._operators]
        return functools.reduce(lambda a, b: a * b, powers)

    def _log_abs_determinant(self) -> Any:
        if not self._are_square():
            return super()._log_abs_determinant()
        total = math.prod(self._sizes(-1))
        parts = [float(total // op.shape[-1]) * op.log_abs_determinant() for op in self._operators]
        return functools.reduce(lambda a, b: a + b, parts)

    def _diag_part(self) -> Any:
        if not self._are_square():
            return super()._diag_part()
        return functools.reduce(_outer, [op.diag_part() for op in self._operators])

    def _eigvals(self) -> Any:
        return functools.reduce(_outer, [op.eigvals() for op in self._operators])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([op.adjoint() for op in self._operators], self.is_non_singular)

    def _inverse(self) -> LinearOperator:
        if not self._are_square():
            return super()._inverse()
        return LinearOperatorKronecker([op.inverse() for op in self._operators], True)

    def _cholesky(self) -> LinearOperator:
        if not all(op.is_positive_definite and op.is_self_adjoint for op in self._operators):
            return super()._cholesky()
        return LinearOperatorKronecker([op.cholesky() for op in self._operators], True)


def _last_first(x: Tensor, batch: int, columns: int) -> Any:
    """Rows that one operator gave go behind the rows of the others: `[a, bc n] -> [b c a, n]`."""
    *outer, rows, rest = dims(x)
    parts = reshape(x, (*outer, rows, rest // columns, columns))
    moved = transpose(parts, [*range(batch), batch + 1, batch, batch + 2])
    return reshape(moved, (*outer, rows * (rest // columns), columns))


def _outer(a: Tensor, b: Tensor) -> Any:
    """All products of two vectors, the second of which changes faster."""
    products = expand_dims(a, -1) * expand_dims(b, -2)
    return reshape(products, (*dims(products)[:-2], dims(a)[-1] * dims(b)[-1]))


def _conjugate(x: Tensor) -> Any:
    return conj(x) if x.dtype.is_complex else x


def checked(operators: Sequence[LinearOperator]) -> list[LinearOperator]:
    """The operators as a list, after a check that there is one, and that they have one dtype."""
    found = list(operators)
    if not found:
        raise ValueError("Expected a non-empty list of operators: it must be a list of >=1 operators.")
    if any(op.dtype is not found[0].dtype for op in found):
        raise TypeError(f"Expected all operators to have the same dtype, found {[op.dtype.name for op in found]}.")
    return found


DERIVED["adjoint"] = LinearOperatorAdjoint
DERIVED["inverse"] = LinearOperatorInversion
