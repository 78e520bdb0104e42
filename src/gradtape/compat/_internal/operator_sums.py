"""Sums of linear operators, as operators of the simplest kind that can hold them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import gradtape as tf


def add_operators(
    operators: Sequence[Any], operator_name: str | None = None, addition_tiers: Any = None, name: str | None = None
) -> list[Any]:
    """The sum of operators, as a list of one operator."""
    if not isinstance(operators, (list, tuple)) or not operators:
        raise ValueError("add_operators: operators must contain at least one LinearOperator.")
    for operator in operators:
        if not isinstance(operator, tf.linalg.LinearOperator):
            raise TypeError(f"add_operators: operators must contain only LinearOperator objects, got {operator!r}.")
    _check(operators)
    if len(operators) == 1:
        return list(operators)
    hints: dict[str, Any] = {
        "is_self_adjoint": all(op.is_self_adjoint for op in operators) or None,
        "is_positive_definite": all(op.is_positive_definite for op in operators) or None,
        "name": operator_name,
    }
    linalg = tf.linalg
    scaled = (linalg.LinearOperatorIdentity, linalg.LinearOperatorScaledIdentity)
    if all(isinstance(op, scaled) for op in operators):
        return [_scaled_identity(operators, hints)]
    if all(isinstance(op, (*scaled, linalg.LinearOperatorDiag)) for op in operators):
        return [linalg.LinearOperatorDiag(_sum([op.diag_part() for op in operators]), **hints)]
    dense = _sum([op.to_dense() for op in operators])
    if all(
        isinstance(op, (*scaled, linalg.LinearOperatorDiag, linalg.LinearOperatorLowerTriangular)) for op in operators
    ):
        return [linalg.LinearOperatorLowerTriangular(dense, **hints)]
    return [linalg.LinearOperatorFullMatrix(dense, **hints)]


def _check(operators: Sequence[Any]) -> None:
    """ValueError unless operators of all these shapes can be added."""
    first, *others = operators
    batch = first.batch_shape
    for what in ("domain_dimension", "range_dimension"):
        for other in others:
            if not getattr(first, what).is_compatible_with(getattr(other, what)):
                raise ValueError(
                    f"add_operators: operators must have the same `{what}`: {first.name} is {first.shape}, {other.name} is "
                    f"{other.shape}."
                )
    for other in others:
        try:
            batch = tf.broadcast_static_shape(batch, other.batch_shape)
        except ValueError:
            raise ValueError(
                f"add_operators: Incompatible shapes of batches: {batch} and {other.batch_shape} of {other.name}."
            ) from None


def _sum(values: list[Any]) -> Any:
    return functools.reduce(lambda a, b: a + b, values)


def _scaled_identity(operators: Sequence[Any], hints: dict[str, Any]) -> Any:
    factors = [
        op.multiplier if isinstance(op, tf.linalg.LinearOperatorScaledIdentity) else tf.ones(op.batch_shape, op.dtype)
        for op in operators
    ]
    return tf.linalg.LinearOperatorScaledIdentity(int(operators[0].domain_dimension), _sum(factors), **hints)
