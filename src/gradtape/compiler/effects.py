"""Nodes that do more than compute: assignments of variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradtape.core.tensor import wrap
from gradtape.core.variable import Variable


class Assign:
    """The effect of `variable.assign` in a graph. An effect's kernel is also told which variables take part in a call in
    place of others, by identity."""

    name = "assign"
    effect = True

    @staticmethod
    def kernel(array: Any, slots: Mapping[int, Variable], *, variable: Variable) -> tuple[()]:
        """Replace the variable's value."""
        variable = slots.get(variable._id, variable)
        variable._value = wrap(array, variable._id)
        return ()


ASSIGN = Assign()
