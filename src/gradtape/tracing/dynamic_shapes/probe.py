"""Scratch: a trace in which a call runs on symbols of known sizes, only to see what comes out."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.compiler.graph import Value
from gradtape.core import state
from gradtape.core.shape import ANY, Spec, Steps, spec_of
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.tracing.dynamic_shapes import sample_shapes as examples
from gradtape.tracing.symbol import Symbol, symbol
from gradtape.tracing.trace import Trace, TraceRecording

_current = state.current
_FLOATS = (0.5, 0.25, 1.0)
_BOOLS = (True, False, True)


class Quiet(TraceRecording):
    """Notes the constants that are made, and nothing else."""

    __slots__ = ()

    def see(self, *seen: Any) -> None:
        """An op became a node."""

    def see_pair(self, *seen: Any) -> None:
        """An op became a node."""


class Scratch(Trace):
    """See the module's text.

    Attributes:
      guessed: True once a value was asked for that is not known: an example was given.
      assigned: by identity, the variables that were assigned.
    """

    def __init__(self, around: Trace, world: int, guess: int | None) -> None:
        super().__init__(around.graph.name)
        self.recording = Quiet(self)
        self._around, self._world, self._guess = around, world, guess
        self._origins: dict[Value, Any] = {}
        self._numbers: dict[int, int] = {}
        self.guessed = False
        self.assigned: dict[int, Variable] = {}

    def stand_in(self, x: Tensor, spec: Spec) -> Symbol:
        """A symbol of known size for a tensor of the trace around."""
        found = self.parameter(spec)
        self._origins[found.value] = x
        return found

    def _sized(self, value: Value, shapes: examples.Examples | None) -> Value:
        """The value; a size that depends on values is an example too, the same for all results of a node."""
        shape = value.spec.shape
        if value.node is not None and shape is not ANY and type(shape) is not Steps and None in shape:
            number = self._numbers.setdefault(id(value.node), len(self._numbers) + 1)
            value.spec = Spec(examples.filled(shape, examples.size(self._world, number)), value.spec.dtype)
            self.guessed = True
        return super()._sized(value, shapes)

    def value_of(self, x: Any) -> Value:
        """The value of an operand; tensors from around have known sizes here."""
        if isinstance(x, Symbol) and x.trace is not self and id(x) not in self._values:
            spec = spec_of(x)
            if not spec.is_known:
                shape = self._around.examples_of(x)[self._world]
                value = Value(Spec(shape if shape is not None else examples.filled(spec.shape, 1), spec.dtype))
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
        """The array of a value, or an example of one."""
        found = super().peek(value)
        return self._example(value) if found is None else found

    def _peek_source(self, value: Value) -> Any:
        origin = self._origins.get(value)
        if origin is None:
            return super()._peek_source(value)
        found = self._around.peek_in(origin, self._world)
        return self._example(value) if found is None else found

    def _example(self, value: Value) -> Any:
        self.guessed = True
        (shape, dtype), world = value.spec, self._world
        if dtype.is_bool:
            number: Any = _BOOLS[world]
        elif dtype.is_floating or dtype.is_complex:
            number = _FLOATS[world]
        elif dtype.is_integer:
            while value.node is not None and value.node.op.name == "identity":  # tapes put them around what they watch
                value = value.node.inputs[0]
            order = list(self._origins).index(value) if value in self._origins else 0
            number = examples.size(world, order) if self._guess is None else self._guess
            number = min(number, dtype.max)
        else:
            number = b""
        return np.full(shape, number, dtype.numpy)[()]
