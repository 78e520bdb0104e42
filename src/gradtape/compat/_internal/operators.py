"""What libraries do to classes of linear operators."""

from __future__ import annotations

import functools
from typing import Any


def make_composite_tensor(cls: Any, module_name: str = "tf.linalg") -> Any:
    """The class itself: operators are modules, whose tensors are found by their attributes."""
    return cls


def add_operators(
    operators: Any, operator_name: str | None = None, addition_tiers: Any = None, name: str | None = None
) -> list[Any]:
    """The sum of operators, as a list of one dense operator."""
    import gradtape as tf

    if len(operators) == 1:
        return list(operators)
    dense = functools.reduce(lambda a, b: a + b, [operator.to_dense() for operator in operators])
    return [tf.linalg.LinearOperatorFullMatrix(dense)]
