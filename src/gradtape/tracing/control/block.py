"""Blocks: the branches of a conditional and the bodies of loops, as graphs.

A branch or body is traced like a function. What it reads from around it becomes further parameters, and variables that it
assigns are further results, so that a block only computes. Only where code of the user runs in it are variables assigned at once: see
`settle`. Blocks are graphs for the compiler, and remember the trace
with its recording, from which their derivatives are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from gradtape.compiler.effects import ASSIGN
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.compiler.runtime.program import calls_user
from gradtape.core import provenance, state
from gradtape.core.dispatch import notify
from gradtape.core.indexed_slices import IndexedSlices, densify
from gradtape.core.op import REGISTRY
from gradtape.core.shape import ANY, Spec, Steps, spec_of
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.tracing.runner import Runner
from gradtape.tracing.symbol import Symbol, symbol
from gradtape.tracing.trace import Trace, TraceRecording, current_trace
from gradtape.transform.backward import backward
from gradtape.transform.batched import Batched
from gradtape.transform.touched import touched

_current = state.current


class _Tracked(set[int]):
    """The identities through which a gradient flows in a block: also those from around, before the block captures them."""

    def __init__(self, around: tuple[Any, ...]) -> None:
        super().__init__()
        self._around = [r.tracked for r in around if hasattr(r, "tracked")]

    def __contains__(self, identity: object) -> bool:
        return super().__contains__(identity) or any(identity in tracked for tracked in self._around)


class BlockRecording(TraceRecording):
    """The tape that goes along with the trace of a block.

    Ops on tensors that have values already run while the block is traced, and are no nodes of it. The recorders around
    are shown those, as if they had run before the block.
    """

    __slots__ = ("around",)

    def __init__(self, trace: BlockTrace, around: tuple[Any, ...]) -> None:
        super().__init__(trace)
        self.around = around
        self.tracked = _Tracked(around[0])

    def see(self, op: Any, ids: Any, values: Any, params: Any, outputs: Any, result: Any) -> None:
        """An op became a node, or has run."""
        first = outputs[0] if type(outputs) is tuple and outputs else outputs
        if not self.around[0] or isinstance(first, Symbol) or (type(outputs) is tuple and not outputs):
            for value in values:  # a custom gradient may be the first to use a tensor from around
                if isinstance(value, Symbol):
                    self._trace.value_of(value)
            super().see(op, ids, values, params, outputs, result)
            return
        before = _current.recorders, _current.depth, _current.trace
        _current.recorders, _current.depth, _current.trace = self.around
        try:
            notify(op, ids, values, params, outputs, result)
        finally:
            _current.recorders, _current.depth, _current.trace = before

    def see_pair(self, op: Any, i: int, j: int, p: Any, q: Any, y: Any, result: Any) -> None:
        """An operator became a node, or has run."""
        self.see(op, (i, j), (p, q), {}, y, result)


class BlockTrace(Trace):
    """The trace of a branch or body.

    Attributes:
      assigned: by identity, the variables that it assigns. Their values at its end are results of the block, which whoever
        traces around it assigns, unless they are assigned while the block runs.
    """

    is_block = True

    def __init__(self, name: str, sees: tuple[Trace, ...] = ()) -> None:
        super().__init__(name, sees=sees)
        self.assigned: dict[int, Variable] = {}
        # Nodes that are needed only if code of the user runs in the block: see `settle`.
        self._provisional: set[Node] = set()

    def __enter__(self) -> BlockTrace:
        if not hasattr(self, "recording"):
            around = _current.recorders, _current.depth, _current.trace
            self.recording = BlockRecording(self, around)
            self.recording.depth = self.level
        super().__enter__()
        return self

    def value_of(self, x: Any) -> Value:
        """The value of an operand; one that stands twice outside is captured once."""
        if isinstance(x, Symbol) and x.trace is not self and id(x) not in self._values:
            for source, value in self.graph.captures:
                if isinstance(source, Symbol) and source.value is x.value and source._id == x._id:
                    self._values[id(x)] = (x, value)
                    return value
        return super().value_of(x)

    def assign(self, variable: Variable, tensor: Tensor) -> None:
        """Later reads in the block see the new value."""
        value = self.value_of(tensor)
        for recorder in _current.recorders:
            recorder.access(variable)
            recorder.assigned(variable, tensor._id, provenance.user_place(3))
        self.read(variable)  # a loop carries the value from step to step, so it needs the one before the first
        self._put(variable, value)
        self.assigned[variable._id] = variable
        node = Node(ASSIGN, (value,), {"variable": variable}, (), provenance.user_place(3))
        self.graph.nodes.append(node)
        self._provisional.add(node)

    def read(self, variable: Variable) -> Symbol:
        """The value of a variable at this point. If other threads may have updated it since the block began, or since code of the user was
        called, it is read again, where that code has ended: so no kernels come between several such reads."""
        found = super().read(variable)
        if self._taken_after.get(variable._id) == self._pauses:
            return found
        node, nodes = self._reading(variable, found), self.graph.nodes
        nodes.insert(0 if self._last_pause is None else nodes.index(self._last_pause) + 1, node)
        self._provisional.add(node)
        self.rereads[node.outputs[0]] = []
        return self._put(variable, node.outputs[0])

    read_for_update = read

    def settle(self, assigned: Set[int]) -> None:
        """Decide which variables are read and assigned at once in the block: those of these identities.

        If code of the user runs in a block, that sees what the block assigns, and other threads update the same variables meanwhile. If
        not, the block only computes, and whoever runs it assigns the variables when it is done.
        """
        same: dict[Value, Value] = {}
        for node in self.graph.nodes:
            node.inputs = tuple([same.get(v, v) for v in node.inputs])
            if node in self._provisional and node.params["variable"]._id not in assigned and node.outputs:
                same[node.outputs[0]] = node.inputs[0]
        for value, before in same.items():
            for tensor in self.rereads[value]:
                tensor.value = before
        self.graph.nodes[:] = [
            n for n in self.graph.nodes if n not in self._provisional or n.params["variable"]._id in assigned
        ]
        self._provisional, self.rereads = set(), {}

    def _python_ran(self) -> None:
        """The next step reads what Python code has assigned in this one: a block carries all variables that it has read."""
        super()._python_ran()
        for source, _ in list(self.graph.captures):
            if isinstance(source, Variable):
                self.read(source)

    def _reread(self, variable: Variable, before: Symbol) -> Symbol:
        """The value after the Python code that was called last, which is a result of the block."""
        self.assigned[variable._id] = variable
        return super()._reread(variable, before)

    def lift(self, variable: Variable, initial: Tensor) -> Tensor:
        """The initial value of a variable that is made in the block: the function around it decides."""
        return super().lift(variable, initial) if self.outer is None else self.outer.lift(variable, initial)

    def captured(self, source: Any) -> Value | None:
        """The value that stands for something from outside; None if the block does not read it."""
        return next((value for own, value in self.graph.captures if own is source), None)

    def own(self, x: Any) -> Symbol:
        """A tensor as a symbol of this trace."""
        x = densify(x) if isinstance(x, IndexedSlices) else x
        if isinstance(x, Symbol) and x.trace is self:
            return x
        return symbol(self.value_of(x), self, x._id if isinstance(x, Tensor) else 0)


def settle(traces: Sequence[BlockTrace]) -> bool:
    """True if blocks that one op runs assign variables while they run; see `BlockTrace.settle`."""
    is_paused = any(calls_user(node) for trace in traces for node in trace.graph.nodes)
    assigned = {i for trace in traces for i in trace.assigned} if is_paused else set()
    for trace in traces:
        trace.settle(assigned)
    return is_paused


class Block(Graph):
    """A branch or body: a graph whose parameters are all that it reads.

    The nodes are those of the trace, also those that are added to it later; the compiler drops what the outputs do not need.

    Attributes:
      trace: the trace that it came from.
      inputs: the identities of the parameters on the trace's recording; 0 for those that no gradient reaches.
      results: those of the outputs.
      derived: what was made from the block before, by what was asked for.
      quiet: True if it runs again for more results: what it does besides has been done.
    """

    __slots__ = ("_runner", "derived", "inputs", "quiet", "results", "trace")

    def __init__(
        self, trace: BlockTrace, parameters: Sequence[Value], outputs: Sequence[tuple[Value, int]], quiet: bool = False
    ) -> None:
        super().__init__(trace.graph.name)
        self.trace = trace
        self.parameters = list(parameters)
        self.nodes, self.constants = trace.graph.nodes, trace.graph.constants
        known = {p.value: p._id for p in trace.parameters}
        known.update({value: source._id for source, value in trace.graph.captures})
        self.inputs = _once([known.get(value, 0) for value in parameters])
        self.outputs = [value for value, _ in outputs]
        self.results = [identity for _, identity in outputs]
        self.derived: dict[Any, Any] = {}
        self.quiet = quiet
        self._runner: Runner | None = None

    @property
    def runner(self) -> Runner:
        """The program of the block, made when it first runs."""
        if self._runner is None:
            self._runner = Runner(self.running(), self.outputs)
        return self._runner

    def running(self) -> Graph:
        """A copy of the graph as it is now, for the compiler."""
        graph = Graph(self.name)
        graph.parameters, graph.constants, graph.outputs = (
            list(self.parameters),
            dict(self.constants),
            list(self.outputs),
        )
        graph.nodes = [n for n in self.nodes if n.outputs or not (self.quiet and n.effect)]
        return graph

    @property
    def specs(self) -> list[Spec]:
        """The specs of the outputs."""
        return [value.spec for value in self.outputs]

    @property
    def effect(self) -> bool:
        """True if something in it does more than compute."""
        return any(node.effect for node in self.nodes)

    def own(self) -> set[Value]:
        """The parameters that it can read; others only carry a result that is the same in all steps of a loop."""
        return {*[p.value for p in self.trace.parameters], *[v for _, v in self.trace.graph.captures]}

    def touched(self, given: Sequence[bool]) -> list[bool]:
        """For each output, whether it has a tangent if the `given` parameters have one."""
        start = [i for i, flag in zip(self.inputs, given, strict=True) if flag]
        known = touched(self.trace.recording.records, start)
        return [i in known for i in self.results]

    def returns(self) -> list[tuple[Value, int]]:
        """The outputs with their identities."""
        return list(zip(self.outputs, self.results, strict=True))


def _once(identities: list[int]) -> list[int]:
    """The identities, with 0 where one comes again: a cotangent belongs to one parameter only."""
    seen: set[int] = set()
    return [0 if i in seen else (seen.add(i), i)[1] for i in identities]  # type: ignore[func-returns-value]


def spec(x: Any) -> Spec:
    """The spec of a tensor, symbol, variable or array; sizes may be unknown."""
    return x.value.spec if isinstance(x, Symbol) else spec_of(x)


def operand(source: Any) -> Any:
    """What a block captured, as an operand for the one who runs it."""
    return source._read() if isinstance(source, Variable) else source


def seen_from(block: Block) -> tuple[Trace, ...]:
    """The traces whose symbols the derivative of a block may read: its own, and those around it."""
    found: list[Trace] = []
    todo: list[Trace | None] = [block.trace]
    while todo:
        trace = todo.pop()
        if trace is not None and trace not in found:
            found.append(trace)
            todo += [trace.outer, *trace.sees]
    return tuple(found)


def gradient_trace(block: Block) -> BlockTrace:
    """A trace for the derivative of a block. It may read what the block has read, also of a map that has ended."""
    trace = BlockTrace(f"gradient of {block.name}", sees=seen_from(block))
    trace.level = max(trace.level, block.trace.level)
    return trace


def pulled(
    trace: BlockTrace, block: Block, seeds: Sequence[tuple[int, Any]], wanted: Sequence[int]
) -> dict[int, Symbol]:
    """The cotangents by identity of a block's inputs, computed in an entered trace from those of its outputs.

    Args:
      seeds: identities of outputs, with their cotangents.
      wanted: identities of inputs.
    """
    cotangents: dict[int, Any] = {}
    for identity, seed in seeds:
        before = cotangents.get(identity)
        cotangents[identity] = seed if before is None else before + seed
    sources = {i for i in wanted if i}
    backward(block.trace.recording, cotangents, sources, consume=False, arrays=False)
    return {i: trace.own(cotangents[i]) for i in sources if cotangents.get(i) is not None}


def again(results: Sequence[Any], op: Any, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
    """An op run once more, for more results: in the trace in which it ran first, so that it can be run once for both."""
    first = results[0]
    if not isinstance(first, Symbol):
        return op(*inputs, **params)
    trace: Any = first.trace
    # Constants of the graph come as arrays; the backward pass has made tensors of them.
    inputs = [x._array if type(x) is Tensor and not x._id and id(x) not in trace._values else x for x in inputs]
    if trace is _current.trace:
        return op(*inputs, **params)
    with trace:
        return op(*inputs, **params)


def run_op(op: Any, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
    """An op on blocks. In a trace it is a node if it does more than compute, also where all operands are known already."""
    trace = _current.trace
    if getattr(op, "effect", False) and trace is not None and not any(isinstance(x, (Symbol, Batched)) for x in inputs):
        return trace.add(op, tuple(inputs), params)
    return op(*inputs, **params)


@contextmanager
def placed(results: Sequence[Any]) -> Iterator[None]:
    """Run a block whose nodes belong to the line of the user's where some results were computed."""
    trace, first = current_trace(), results[0] if results else None
    node = first.value.node if isinstance(first, Symbol) else None
    if trace is None or node is None:
        yield
        return
    before, trace.place = trace.place, node.place
    try:
        yield
    finally:
        trace.place = before


def blank(x: Any) -> Any:
    """Zeros in the likeness of a tensor, symbol or array."""
    if isinstance(x, (Symbol, Batched)):
        return x.zeros_like()
    if isinstance(x, Tensor):
        return wrap(_zeros_like(x._array))
    return _zeros_like(x)


def _zeros_like(array: Any) -> Any:
    """Zeros, or empty strings, in the likeness of an array."""
    # A string alone is no array, so strings of rank 0 stay in one.
    return np.full_like(array, b"") if array.dtype.kind == "O" else np.zeros_like(array)[()]


def blank_of(trace: BlockTrace, like: Symbol) -> Symbol:
    """Zeros in the likeness of a value that a trace sees, as a symbol of that trace."""
    if None in like.value.spec.shape:
        return cast(Symbol, REGISTRY["zeros_like"](like))
    return trace.constant(empty(like.value.spec))


def empty(like: Spec) -> Any:
    """Zeros of a spec that take no memory; unknown dimensions are 0."""
    zero = np.zeros((), like.dtype.numpy) if like.dtype.kind != "O" else np.array(b"", object)
    zeros = np.broadcast_to(zero, [d or 0 for d in like.shape])
    return zeros if like.dtype.kind == "O" else zeros[()]


def joined(specs: Sequence[Spec]) -> Spec:
    """The spec of a value that is one of several of equal dtype: dimensions that differ are unknown."""
    if any(s.shape is ANY for s in specs) or len({s.rank for s in specs}) > 1:
        return Spec(ANY, specs[0].dtype)
    shape = tuple([ds[0] if len(set(ds)) == 1 else None for ds in zip(*[s.shape for s in specs], strict=True)])
    kind = Steps if type(specs[0].shape) is Steps else tuple
    return Spec(kind(shape), specs[0].dtype)  # type: ignore[arg-type]


def sources_of(traces: Sequence[Trace]) -> list[Any]:
    """What blocks capture, each once."""
    found: dict[int, Any] = {}
    for trace in traces:
        found.update({id(source): source for source, _ in trace.graph.captures})
    return list(found.values())


def value_for(trace: BlockTrace, source: Any) -> Value:
    """The value that stands for a source in a block; a new one, which nothing reads, if the block does not capture it."""
    found = trace.captured(source)
    return Value(spec(source)) if found is None else found


class Reads:
    """What the derivative of a block reads, by where it can be had.

    Attributes:
      inputs: parameters of the block, by number: (value in the derivative, number).
      values: what the block computes: (value in the derivative, value of the block, its identity).
      others: what neither is: (value in the derivative, source).
    """

    def __init__(self, trace: BlockTrace, block: Block) -> None:
        self.inputs: list[tuple[Value, int]] = []
        self.values: list[tuple[Value, Value, int]] = []
        self.others: list[tuple[Value, Any]] = []
        number = {value: i for i, value in enumerate(block.parameters)}
        for source, value in trace.graph.captures:
            is_own = isinstance(source, Symbol) and source.trace is block.trace
            own = source.value if is_own else block.trace.captured(source)
            if own is None:
                self.others.append((value, source))
            elif own in block.constants:
                trace.graph.constants[value] = block.constants[own]
            elif own in number:
                self.inputs.append((value, number[own]))
            else:
                self.values.append((value, own, source._id))
