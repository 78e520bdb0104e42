"""Nodes that do more than compute: assignments of variables, prints, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradtape.core import state
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


class Reread:
    """The value of a variable after code has run that may have assigned it: Python code in this thread, or any code in another.

    The input is the value before, which tells the shape.
    """

    name = "read_variable"
    effect = True
    differentiable = False
    any_size = True

    @staticmethod
    def kernel(before: Any, slots: Mapping[int, Variable], *, variable: Variable) -> tuple[Any]:
        """The value that the variable has now."""
        return (slots.get(variable._id, variable)._value._array,)

    def __call__(self, before: Any, *, variable: Variable) -> tuple[Any]:
        """The value that the variable has now, outside of a program."""
        return (variable._read(),)


REREAD = Reread()


class Effect:
    """A Python function of tensors that is called for what it does.

    Attributes:
      name: of the public function that it belongs to.
      act: the function.
    """

    effect = True
    differentiable = False

    def __init__(self, name: str, act: Callable[..., None]) -> None:
        self.name, self.act = name, act

    def kernel(self, *arrays: Any) -> tuple[()]:
        """Call the function on the arrays of a run; the last argument, which variables take part, is not needed."""
        with state.outside():
            self.act(*[wrap(a) for a in arrays[:-1]])
        return ()

    def __call__(self, *tensors: Any) -> tuple[()]:
        """Call the function on tensors, outside of a program."""
        self.act(*tensors)
        return ()
