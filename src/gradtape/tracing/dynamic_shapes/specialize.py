"""Programs of functions whose sizes are known only when they run: the graph is written anew for each size.

The graph that was traced for unknown sizes is walked once with known ones: `infer` tells the specs again, and late nodes are
called on symbols of known sizes, so that they mostly become plain nodes. What comes out is compiled as if it had been
traced for these sizes, without running the Python function again.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.compiler.effects import ASSIGN
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.compiler.runtime.program import NO_SLOTS
from gradtape.core import errors, provenance
from gradtape.core.deferral import Unknown
from gradtape.core.op import Op
from gradtape.core.shape import Spec
from gradtape.core.variable import Variable
from gradtape.tracing.dynamic_shapes.late_node import Late
from gradtape.tracing.dynamic_shapes.probe import Quiet
from gradtape.tracing.dynamic_shapes.symbolic_shapes import narrowed
from gradtape.tracing.symbol import Symbol, symbol
from gradtape.tracing.trace import Trace
from gradtape.transform.opaque_op import recorded_by

_KEPT = 32  # programs of one graph; the least recently used go first
_WORTH = 3  # runs after which a size gets machine code; the first size gets it at once


class Rewriting(Trace):
    """A trace that is written from a graph."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.recording = Quiet(self)

    def add(self, op: Op, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The outputs of a new node; shapes that are known are constants."""
        if op.name == "shape_of":
            spec = self.value_of(inputs[0]).spec
            if spec.is_known:
                return self.constant(np.array(spec.shape, params["dtype"].numpy))
        return super().add(op, inputs, params)


def walk(
    graph: Graph, trace: Trace, known: dict[Value, Any], assign: Callable[[Node, Any], None] | None = None
) -> None:
    """Write the nodes of a graph anew in an entered trace. No recorder sees them.

    Args:
      graph: whose nodes.
      trace: where to.
      known: the symbols that stand for the graph's values; those of all nodes are added.
      assign: called with assignments and their tensors, if they are not nodes of the new graph as they were of the old.
    """
    for value in graph.constants:
        trace.graph.constants[value] = graph.constants[value]
        known[value] = symbol(value, trace)
    before = trace.place
    with recorded_by():
        for node in graph.nodes:
            trace.place = node.place
            if node.op is ASSIGN and assign is not None:
                assign(node, known[node.inputs[0]])
                continue
            results = _again(node, [known[v] for v in node.inputs], trace)
            for old, new in zip(node.outputs, results, strict=True):
                known[old] = new
                if isinstance(new, Symbol) and not new.value.spec.is_known:
                    new.value.spec = Spec(narrowed(new.value.spec.shape, old.spec.shape), old.spec.dtype)
    trace.place = before


def _again(node: Node, operands: list[Any], trace: Trace) -> Sequence[Any]:
    if isinstance(node.op, Late):
        try:
            return [_own(trace, t) for t in node.op.run(operands)]
        except Unknown:
            return _copied(node, operands, trace)  # it depends on values: it is called when they are there
    if node.effect or not hasattr(node.op, "infer"):
        return _copied(node, operands, trace)
    result = trace.add(node.op, tuple(operands), node.params)
    return result if node.several else (result,)


def _copied(node: Node, operands: list[Any], trace: Trace) -> list[Symbol]:
    copied = node.on([trace.value_of(x) for x in operands])
    trace.graph.nodes.append(copied)
    for value in copied.outputs:
        trace._sized(value, None)
    return [symbol(v, trace) for v in copied.outputs]


def _own(trace: Trace, x: Any) -> Symbol:
    """A tensor as a symbol of a trace; one of an argument is not the argument itself."""
    return x if isinstance(x, Symbol) and x.trace is trace else symbol(trace.value_of(x), trace)


class Size:
    """The program for one size: NumPy's kernels first, machine code once the size has come up often enough.

    Attributes:
      runner: what runs now.
      seconds: how long it took to make.
    """

    __slots__ = ("_graph", "_left", "_outputs", "runner", "seconds")

    def __init__(self, graph: Graph, outputs: list[Value], runs: int) -> None:
        self._graph, self._outputs, self._left = graph, outputs, runs
        self.seconds = 0.0
        self._make(native=not runs)

    def _make(self, native: bool) -> None:
        from gradtape.tracing.staged import Runner

        self.runner = Runner(self._graph, self._outputs, native)
        self.seconds += self.runner.seconds

    def used(self) -> Any:
        """What runs, for another run."""
        if self._left:
            self._left -= 1
            if not self._left:
                self._make(native=True)
        return self.runner


class Specialized:
    """The programs of some values of a trace with unknown sizes, made as sizes come up."""

    def __init__(self, trace: Trace, outputs: Sequence[Value]) -> None:
        self._graph, self._outputs = trace.graph, list(outputs)
        self._programs: OrderedDict[Any, Size] = OrderedDict()
        captures = trace.graph.captures
        self._count = len(trace.graph.parameters)
        self._sized = [(i, s) for i, (s, v) in enumerate(captures) if not v.spec.is_known]

    @property
    def program(self) -> Any:
        """The latest program; ValueError if there is none, since nobody has told a size."""
        if not self._programs:
            raise ValueError(
                errors.compose(f"{self._graph.name} has not run yet, and its sizes are not known.", "call it first.")
            )
        return next(reversed(self._programs.values())).runner.program

    @property
    def seconds(self) -> float:
        """How long it took to make those that are there."""
        return sum(size.seconds for size in list(self._programs.values()))

    def __call__(self, arrays: Sequence[Any], slots: Mapping[int, Variable] = NO_SLOTS) -> tuple[Any, ...]:
        """The values for the arrays of the parameters and captures."""
        own = [a.shape for a in arrays[: self._count]]
        more = [arrays[self._count + i].shape for i, _ in self._sized]
        result: tuple[Any, ...] = self._for(own, more)(arrays, slots)
        return result

    def run(self, arrays: Sequence[Any], slots: Mapping[int, Variable] = NO_SLOTS) -> tuple[Any, ...]:
        """The values for the arrays of the parameters; the program fetches what it captures."""
        more = []
        for _, source in self._sized:
            actual = slots.get(source._id, source)
            more.append(tuple((actual._value if isinstance(actual, Variable) else actual).shape))
        result: tuple[Any, ...] = self._for([a.shape for a in arrays], more).run(arrays, slots)
        return result

    def _for(self, shapes: list[Any], more: list[Any]) -> Any:
        key = (*shapes, *more)
        found = self._programs.get(key)
        if found is None:
            found = self._programs[key] = self._made(shapes, dict(zip([i for i, _ in self._sized], more, strict=True)))
            if len(self._programs) > _KEPT:
                self._programs.popitem(last=False)
        elif len(self._programs) > 1:
            with contextlib.suppress(KeyError):  # another thread has just dropped it
                self._programs.move_to_end(key)
        return found.used()

    def _made(self, shapes: list[Any], more: dict[int, Any]) -> Size:
        graph = self._graph
        with Rewriting(graph.name) as trace:
            known: dict[Value, Any] = {}
            for value, shape in zip(graph.parameters, shapes, strict=True):
                known[value] = trace.parameter(Spec(tuple(shape), value.spec.dtype), value.name)
            for i, (source, value) in enumerate(graph.captures):
                spec = Spec(tuple(more[i]), value.spec.dtype) if i in more else value.spec
                own = Value(spec)
                trace.graph.captures.append((source, own))
                known[value] = symbol(own, trace)
            try:
                walk(graph, trace, known)
            except Exception as problem:
                site = provenance.Site.of(trace.place)
                raise errors.in_graph(problem, "shape", graph.name, site) from problem.__cause__
            outputs = [trace.value_of(known[v]) for v in self._outputs]
        return Size(trace.graph, outputs, _WORTH if self._programs else 0)
