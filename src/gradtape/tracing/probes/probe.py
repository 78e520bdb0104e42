"""Scratch: a temporary trace that runs a call on symbolic sizes to find its results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.compiler.graph import Value
from gradtape.core import state
from gradtape.core.dims import INFINITY, Atom, Dim, Undecided, atoms, new_size, substitute
from gradtape.core.paths import RANKS
from gradtape.core.shape import ANY, Spec, Steps, spec_of
from gradtape.core.symbolic_arrays import has_symbols
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.tracing.dynamic_shapes.symbolic_shapes import with_symbols
from gradtape.tracing.dynamic_shapes.symbolic_values import SymbolicValues
from gradtape.tracing.symbol import Symbol, symbol
from gradtape.tracing.trace import Trace, TraceRecording

_current = state.current
_MOST = 1 << 16  # elements that are made up for a tensor


class Quiet(TraceRecording):
    """Notes the constants that are made, and nothing else."""

    __slots__ = ()

    def see(self, *seen: Any) -> None:
        """An op became a node."""

    def see_pair(self, *seen: Any) -> None:
        """An op became a node."""


class Scratch(Trace):
    """The trace of a call on one path: no size in it is None, but some are symbols.

    Attributes:
      assigned: by identity, the variables that were assigned.
      asked: True if the values of a tensor were asked for that holds no integers.
    """

    asked = False

    def __init__(self, around: Trace) -> None:
        super().__init__(around.graph.name)
        self.recording = Quiet(self)
        self._around = around
        self._origins: dict[Value, Any] = {}
        self._asked: dict[Value, Any] = {}
        self._symbolic = SymbolicValues(self)
        self.assigned: dict[int, Variable] = {}

    def stand_in(self, x: Tensor, shape: Any) -> Symbol:
        """A symbol for a tensor of the trace around."""
        found = self.parameter(Spec(shape, x.dtype))
        self._origins[found.value] = x
        return found

    def _sized(self, value: Value, shape: Any) -> Value:
        """The value; a size that depends on values is a symbol, and a rank that does is one of each."""
        own = value.spec.shape
        if type(own) is not Steps and None in own:
            value.spec = Spec(self.sized_shape(own), value.spec.dtype)
        return value

    def sized_shape(self, shape: Any) -> Any:
        """A shape in which nothing is None."""
        if shape is ANY:
            return tuple([new_size() for _ in range(_current.path.choose_rank())])
        return with_symbols(shape)

    def value_of(self, x: Any) -> Value:
        """The value of an operand; tensors from around have symbolic sizes here."""
        if isinstance(x, Symbol) and x.trace is not self and id(x) not in self._values:
            spec = spec_of(x)
            if not spec.is_known:
                value = Value(Spec(self.sized_shape(self._around.symbolic_shape(x)), spec.dtype))
                self.graph.captures.append((x, value))
                self._values[id(x)] = (x, value)
                return value
        return super().value_of(x)

    def assign(self, variable: Variable, tensor: Tensor) -> None:
        """Later reads see the new value."""
        self.read(variable)
        self._variables[variable._id] = symbol(self.value_of(tensor), self, variable._id)
        self.assigned[variable._id] = variable

    def lift(self, variable: Variable, initial: Tensor) -> Tensor:
        """A variable that is made by a function of ours lives only as long as the call."""
        return initial

    def peek(self, value: Value) -> Any:
        """The array of a value, of symbols where it is not known."""
        found = self._symbolic.of(value)
        return self._unknown(value) if found is None else found

    def source_of(self, value: Value) -> Any:
        """The array of a value that no node makes."""
        origin = self._origins.get(value)
        if origin is None:
            return super().source_of(value)
        found = self._around.peek_symbolic(origin)
        return self._unknown(value) if found is None else found

    def _unknown(self, value: Value) -> Any:
        """An array of symbols in place of a value that is not known; a condition is True on one path and False on another."""
        if value not in self._asked:
            shape, dtype = value.spec
            if dtype.is_bool and not shape:
                self._asked[value] = np.array(bool(_current.path.choose(2)))
            elif dtype.is_integer and len(shape) < 3:
                self._asked[value] = _symbols([_current.path.small_number(d, RANKS) for d in shape])
            else:
                raise Undecided("the value of a tensor was asked for.")
        return self._asked[value]


def _symbols(shape: list[int]) -> Any:
    found = np.empty(shape, object)
    for place in np.ndindex(*shape):
        found[place] = new_size(-INFINITY)
    return found


class Numbered(Scratch):
    """A scratch in which symbols are numbers. It tells how many results a function has, of which dtypes, and nothing else."""

    def __init__(self, around: Trace, size: int, value: int) -> None:
        super().__init__(around)
        self._size, self._value = size, value
        self._made_up: set[Value] = set()

    def sized_shape(self, shape: Any) -> Any:
        """A shape of numbers."""
        if shape is ANY:
            return (self._size,) * 2
        return tuple([self._size if d is None or type(d) is Dim else d for d in shape])

    def peek(self, value: Value) -> Any:
        """The array of a value, or one of numbers."""
        found = self._symbolic.of(value)
        return self._unknown(value) if found is None or has_symbols(found) else found

    def _unknown(self, value: Value) -> Any:
        shape, dtype = value.spec
        self._made_up.add(value)
        # Of several numbers all are the same here, which tells nothing of their difference.
        self.asked = self.asked or not dtype.is_integer or len(self._made_up) > 1
        number = b"" if dtype.kind == "O" else self._value
        return np.full(shape, number, dtype.numpy)[()]


class Drawn(Numbered):
    """A scratch in which every size has a number of its own, and elements count up from a number."""

    def __init__(self, around: Trace, draw: Callable[[int], int], value: int, step: int) -> None:
        super().__init__(around, 1, value)
        self._draw, self._step = draw, step
        self.numbers: list[int] = []
        self._drawn: dict[Atom, int] = {}
        self._scalars: dict[Value, int] = {}

    def sized_shape(self, shape: Any) -> Any:
        """A shape of numbers; a size that comes up again has the same number."""
        open_ = (None, None) if shape is ANY else shape
        found = tuple([self._number(d, axis) for axis, d in enumerate(open_)])
        self.numbers += [n for n, d in zip(found, open_, strict=True) if d is None or type(d) is Dim]
        return found

    def _number(self, d: Any, axis: int) -> int:
        if d is None:
            return self._draw(axis)
        for atom in atoms(d):
            self._drawn.setdefault(atom, self._draw(axis))
        return int(substitute(d, lambda atom: self._drawn.get(atom, 1)))

    def _unknown(self, value: Value) -> Any:
        shape, dtype = value.spec
        if not (dtype.is_integer or dtype.is_floating):
            return super()._unknown(value)
        if not shape:  # several numbers may be limits, which must not be equal
            self._made_up.add(value)
            self.asked = self.asked or not dtype.is_integer or len(self._made_up) > 1
            number = self._scalars.setdefault(value, self._value + self._step * len(self._scalars))
            return np.array(number, dtype.numpy)[()]
        self.asked = self.asked or not dtype.is_integer
        if math.prod(shape) > _MOST:
            raise Undecided("the values of a large tensor were asked for.")
        counted = self._value + self._step * np.arange(math.prod(shape))
        return counted.reshape(shape).astype(dtype.numpy)
