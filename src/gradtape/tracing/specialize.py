"""Programs of functions whose sizes are known only when they run: the graph is specialised for each size.

The graph that was traced for unknown sizes is walked once with known ones: `infer` tells the specs again, and late nodes are
called on symbols of known sizes, so that they mostly become plain nodes. What comes out is compiled as if it had been
traced for these sizes, without running the Python function again.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from gradtape.compiler.effects import ASSIGN, REREAD
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.compiler.runtime.program import NO_SLOTS
from gradtape.core import errors, locks, provenance
from gradtape.core.deferral import Unknown
from gradtape.core.op import Op
from gradtape.core.shape import Spec, Steps
from gradtape.core.variable import Variable
from gradtape.tracing.dynamic_shapes.late_node import Late
from gradtape.tracing.dynamic_shapes.symbolic_shapes import narrowed
from gradtape.tracing.probes.probe import Quiet
from gradtape.tracing.runner import Runner
from gradtape.tracing.symbol import Symbol, symbol
from gradtape.tracing.trace import Trace
from gradtape.transform.opaque_op import recorded_by

_KEPT = 32  # programs of one graph; the least recently used go first
_WORTH = 3  # runs after which a size gets machine code; the first size gets it at once


class Rewriting(Trace):
    """A trace that is written from a graph.

    Attributes:
      blocks: the blocks that were written for sizes in it, once there are some.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.recording = Quiet(self)
        self.blocks: Any = None

    def add(self, op: Op, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The outputs of a new node; shapes that are known are constants."""
        if op.name == "shape_of":
            spec = self.value_of(inputs[0]).spec
            if spec.is_known:
                return self.constant(np.array(spec.shape, params["dtype"].numpy))
        return super().add(op, inputs, params)


def walk(
    graph: Graph,
    trace: Trace,
    known: dict[Value, Any],
    use: Callable[[Node, Any], Sequence[Any]] | None = None,
    slots: Mapping[int, Variable] = NO_SLOTS,
) -> None:
    """Write the nodes of a graph again in an entered trace. No recorder sees them.

    Args:
      graph: whose nodes.
      trace: where to.
      known: the symbols that stand for the graph's values; those of all nodes are added.
      use: called with assignments and reads of variables and their tensors, if they are not nodes of the new graph as they were of
        the old. Returns the results.
      slots: variables that nodes use in place of others, by identity.
    """
    for value in graph.constants:
        trace.graph.constants[value] = graph.constants[value]
        known[value] = symbol(value, trace)
    before = trace.place
    with recorded_by():
        for node in graph.nodes:
            trace.place = node.place
            operands = [known[v] for v in node.inputs]
            through = use if node.op in (ASSIGN, REREAD) else None
            results = through(node, operands[0]) if through is not None else _again(bound(node, slots), operands, trace)
            for old, new in zip(node.outputs, results, strict=True):
                known[old] = new
                is_open = isinstance(new, Symbol) and not new.value.spec.is_known
                if is_open and type(new.value.spec.shape) is not Steps:
                    new.value.spec = Spec(narrowed(new.value.spec.shape, old.spec.shape), old.spec.dtype)
    trace.place = before


def bound(node: Node, slots: Mapping[int, Variable]) -> Node:
    """A node whose blocks use some variables in place of others."""
    if not slots or not node.effect or not hasattr(node.op, "bound"):
        return node
    specs = tuple([v.spec for v in node.outputs])
    return Node(node.op.bound(slots), node.inputs, node.params, specs, node.place)


def _again(node: Node, operands: list[Any], trace: Trace) -> Sequence[Any]:
    if isinstance(node.op, Late):
        try:
            return [_own(trace, t) for t in node.op.run(operands)]
        except Unknown:
            return _copied(node, operands, trace)  # it depends on values: it is called when they are there
    specialize = getattr(node.op, "specialize", None)
    if specialize is not None and isinstance(trace, Rewriting):
        found = specialize(node, operands, trace)
        if found is not None:
            return cast(Sequence[Any], found)
    if node.effect or not hasattr(node.op, "infer"):
        return _copied(node, operands, trace)
    result = trace.add(node.op, tuple(operands), node.params)
    return result if node.several else (result,)


def _copied(node: Node, operands: list[Any], trace: Trace) -> list[Symbol]:
    copied = node.on([trace.value_of(x) for x in operands])
    trace.graph.nodes.append(copied)
    trace.notice(copied)
    for value in copied.outputs:
        trace._sized(value, None)
    return [symbol(v, trace) for v in copied.outputs]


def _own(trace: Trace, x: Any) -> Symbol:
    """A tensor as a symbol of a trace; one of an argument is not the argument itself."""
    return x if isinstance(x, Symbol) and x.trace is trace else symbol(trace.value_of(x), trace)


class Size:
    """The program for one size: NumPy's kernels first, machine code once the size has come up often enough. One thread at a time makes it;
    others that call with this size wait, so that the count of the run alone decides which of the two it gets, and with it the last bits.

    Attributes:
      runner: what runs now; None until it is made.
      seconds: how long it took to make.
      written: its graph, and the outputs of that; None until it is made.
    """

    __slots__ = ("_left", "_turn", "_write", "runner", "seconds", "written")

    def __init__(self, write: Callable[[], tuple[Graph, list[Value]]], runs: int) -> None:
        """What makes the program from what `write` returns, a graph and its outputs; machine code in the run of number `runs`."""
        self._write, self._left = write, runs
        self.written: tuple[Graph, list[Value]] | None = None
        self._turn = locks.Turn("cached")
        self.runner: Any = None
        self.seconds = 0.0

    def used(self) -> Any:
        """What runs, for another run."""
        if self.runner is not None and not self._left:
            return self.runner
        with self._turn.taken():
            return self._counted()

    def _counted(self) -> Any:
        if self.written is None:
            self.written = self._write()
        is_last = self._left == 1
        if self.runner is None or is_last:
            self._make(self.written, native=self._left <= 1)
        if self._left:
            self._left -= 1  # once the program is made: until then, others wait
        return self.runner

    def _make(self, written: tuple[Graph, list[Value]], native: bool) -> None:
        self.runner = Runner(*written, native)
        self.seconds += self.runner.seconds


class Specialized:
    """The programs of some values of a trace with unknown sizes, made as sizes come up."""

    def __init__(self, trace: Trace, outputs: Sequence[Value]) -> None:
        self._graph, self._outputs = trace.graph, list(outputs)
        self._programs: OrderedDict[Any, Size] = OrderedDict()
        self._lock = locks.lock("sizes")
        captures = trace.graph.captures
        self._count = len(trace.graph.parameters)
        self._sized = [
            (i, s) for i, (s, v) in enumerate(captures) if not v.spec.is_known and type(v.spec.shape) is not Steps
        ]

    @property
    def program(self) -> Any:
        """The latest program; ValueError if there is none, since nobody has told a size."""
        made = [size.runner for size in list(self._programs.values()) if size.runner is not None]
        if not made:
            raise ValueError(
                errors.compose(f"{self._graph.name} has not run yet, and its sizes are not known.", "call it first.")
            )
        return made[-1].program

    @property
    def graphs(self) -> list[Graph]:
        """The graphs for the sizes that came up, before they are optimised."""
        found = []
        for size in list(self._programs.values()):
            if size.written is not None:
                graph, outputs = size.written
                graph.outputs = outputs
                found.append(graph)
        return found

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
            found = self._new(key, shapes, dict(zip([i for i, _ in self._sized], more, strict=True)))
        elif len(self._programs) > 1:
            with contextlib.suppress(KeyError):  # another thread has just dropped it
                self._programs.move_to_end(key)
        try:
            return found.used()
        finally:
            if found.runner is None:  # it could not be made: the next call tries again
                with self._lock:
                    if self._programs.get(key) is found:
                        del self._programs[key]

    def _new(self, key: Any, shapes: list[Any], more: dict[int, Any]) -> Size:
        """The size of a key, in the table; of threads that come with it together, all get the same one."""
        with self._lock:
            found = self._programs.get(key)
            if found is None:
                runs = _WORTH if self._programs else 0
                found = self._programs[key] = Size(lambda: self._written(shapes, more), runs)
                if len(self._programs) > _KEPT:
                    self._programs.popitem(last=False)
        return found

    def _written(self, shapes: list[Any], more: dict[int, Any]) -> tuple[Graph, list[Value]]:
        """The graph for a size, and its outputs."""
        graph = self._graph
        with Rewriting(graph.name) as trace:
            known: dict[Value, Any] = {}
            for value, shape in zip(graph.parameters, shapes, strict=True):
                own_spec = value.spec if type(value.spec.shape) is Steps else Spec(tuple(shape), value.spec.dtype)
                known[value] = trace.parameter(own_spec, value.name)
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
        return trace.graph, outputs
