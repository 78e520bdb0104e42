"""Variables that a function creates in its first trace, and their initial values.

The Python code of the first trace saw the objects before they had their variables, so a function that makes some is traced
a second time, and the second trace is the one that runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradtape.compiler.effects import ASSIGN
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.core import errors
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.core.variable_creation import names
from gradtape.ops.creation import Likeness
from gradtape.tracing.runner import Runner
from gradtape.tracing.staged import program_of
from gradtape.tracing.symbol import Symbol
from gradtape.tracing.trace import made_too_late


@contextmanager
def noticed(made: list[Variable] | None) -> Iterator[None]:
    """Run a block whose new variables are added to a list, also those that `init_scope` or Keras make outside of the trace.
    Without a list no variables may be made."""
    before, names.witness = names.witness, _refuse if made is None else made.append
    try:
        yield
    finally:
        names.witness = before


def _refuse(variable: Variable) -> None:
    raise made_too_late(3)


def initial_values(tensors: Sequence[Tensor]) -> Callable[[Symbol], Tensor]:
    """A function that computes initial values which depend on what was traced before them: the graph so far, run on the tensors of
    the call."""

    def compute(initial: Symbol) -> Tensor:
        trace, value = initial.trace, initial.value
        if _is_likeness(value):
            return wrap(_likeness(value))
        needed = _sources(value)
        arrays = (
            [x._array for x in tensors] if len(tensors) == len(trace.parameters) else [None] * len(trace.parameters)
        )
        if any(a is None and p.value in needed for a, p in zip(arrays, trace.parameters, strict=True)):
            raise _unknown(initial)
        arrays += [_array(s, compute) if v in needed else None for s, v in trace.graph.captures]
        whole = trace.is_general and all(a is not None for a in arrays)
        run = program_of(trace, [value]) if whole else Runner(_needed_part(trace.graph, value, needed), [value])
        return wrap(run(arrays)[0])

    return compute


def _array(source: Any, compute: Callable[[Symbol], Tensor]) -> Any:
    """The array of a capture; in a branch or a loop, that may be something that the function around it computes."""
    if isinstance(source, Variable):
        return source._value._array
    return (compute(source) if isinstance(source, Symbol) else source)._array


def _needed_part(graph: Graph, value: Value, needed: set[Value]) -> Graph:
    """The graph without what the value does not need: what the function assigns is assigned when it is called. The states of
    random numbers that were drawn move on."""
    part = Graph(graph.name)
    part.parameters, part.captures, part.constants = graph.parameters, graph.captures, dict(graph.constants)
    read = {id(source) for source, v in graph.captures if v in needed}
    kept = _makers(value)
    for node in graph.nodes:
        if node.op is ASSIGN and id(node.params["variable"]) in read and _sources(node.inputs[0]) <= needed:
            kept |= {node, *_makers(node.inputs[0])}
    part.nodes = [node for node in graph.nodes if node in kept]
    for node in part.nodes:
        part.constants.update({v: _likeness(v) for v in node.inputs if _is_likeness(v)})
    return part


def _is_likeness(value: Value) -> bool:
    """Whether a value is zeros or ones in a shape that is known: it does not depend on the tensor which has that shape."""
    return value.node is not None and isinstance(value.node.op, Likeness) and value.spec.is_known


def _likeness(value: Value) -> Any:
    """Such a value."""
    assert value.node is not None
    empty = np.empty(value.spec.shape, value.node.inputs[0].spec.dtype.numpy)
    return value.node.op.kernel(empty, **value.node.params)


def _makers(value: Value) -> set[Node]:
    """The nodes that a value is computed by."""
    found: set[Node] = set()
    waiting = [value]
    while waiting:
        node = waiting.pop().node
        if node is not None and node not in found:
            found.add(node)
            waiting += [v for v in node.inputs if not _is_likeness(v)]
    return found


def _sources(value: Value) -> set[Value]:
    """The parameters, captures and constants that a value is computed from."""
    found: set[Value] = set()
    waiting, seen = [value], {value}
    while waiting:
        value = waiting.pop()
        inputs = [] if value.node is None else [v for v in value.node.inputs if not _is_likeness(v)]
        if value.node is None:
            found.add(value)
        waiting += [v for v in inputs if v not in seen]
        seen.update(inputs)
    return found


def _unknown(initial: Symbol) -> ValueError:
    return ValueError(
        errors.compose(
            f"Unable to lift the initial value {initial!r} of a variable: it depends on arguments whose values are not given.",
            "call the function with tensors first, or give the variable a value that does not depend on its arguments.",
            depth=3,
        )
    )
