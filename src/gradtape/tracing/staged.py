"""Staged: a finished trace, as something to run alone, under tapes, and inside other traces.

Under a tape a run is one op. Its outputs are those of the function and the values that the derivative reads; its vjp is
another staged function, traced from the recording that went along with the first. That one is differentiated in the
same way, so derivatives have any order.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from gradtape.compiler.effects import ASSIGN, REREAD
from gradtape.compiler.graph import Graph, Node, Value, blocks
from gradtape.compiler.runtime.program import NO_SLOTS
from gradtape.core import state
from gradtape.core.caching import cached
from gradtape.core.dims import is_symbolic
from gradtape.core.dispatch import notify
from gradtape.core.indexed_slices import IndexedSlices, RowCotangent, dense_dims, densify
from gradtape.core.op import REGISTRY, Op
from gradtape.core.tensor import Interpreted, Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.ops.selection import zeros
from gradtape.tracing.runner import Runner
from gradtape.tracing.specialize import Specialized, bound, walk
from gradtape.tracing.symbol import Symbol, symbol
from gradtape.tracing.trace import Trace, current_trace
from gradtape.transform.backward import backward, bare
from gradtape.transform.batched import Batched
from gradtape.transform.opaque_op import recorded_by, show
from gradtape.transform.touched import touched
from gradtape.transform.vectorized_map import refuse_shared_draws

_current = state.current


class Staged:
    """A function of tensors, known by its graph.

    Attributes:
      trace: the finished trace: its graph, and the recording from which derivatives are made.
      outputs: the symbols that a run returns.
    """

    def __init__(self, trace: Trace, outputs: Sequence[Symbol]) -> None:
        self.trace = trace
        self.outputs = list(outputs)

    @property
    def name(self) -> str:
        """The function's name."""
        return self.trace.graph.name

    def run(
        self, inputs: Sequence[Any], closed: Sequence[Any] | None = None, slots: Mapping[int, Variable] = NO_SLOTS
    ) -> list[Any]:
        """The outputs as tensors. Recorders see one op.

        Args:
          inputs: tensors for the parameters.
          closed: values for the captures, where they are not to be fetched from their sources.
          slots: variables that are assigned in place of others, by identity.
        """
        if _current.depth and self.draws:
            refuse_shared_draws(self.name)
        if closed is None and not _current.recorders and _current.trace is None and _are_plain(inputs):
            # The usual call: nobody looks at it, and the program reads its variables itself.
            return [wrap(y) for y in self.program.run([x._array for x in inputs], slots)]
        sources = [source for source, _ in self.trace.graph.captures] if closed is None else closed
        tensors = [x._read() if isinstance(x, Variable) else x for x in (*inputs, *sources)]
        outer = current_trace()
        if outer is not None and self._assigned:
            own = {slots.get(v._id, v)._id for v in self._assigned}
            for i, x in enumerate((*inputs, *sources)):
                if isinstance(x, Variable) and x._id in own:
                    tensors[i] = outer.read_for_update(x)
        if outer is not None and not _holds_examples(tensors, outer):
            return self._inline(outer, tensors, slots)
        if any(type(x) is not Tensor for x in tensors):
            return self._on_examples(tensors, slots)
        arrays = [x._array for x in tensors]
        recorders = _current.recorders
        if not recorders:
            return [wrap(y) for y in self.program(arrays, slots)]
        ids = tuple([x._id for x in tensors])
        # Nothing is derived for a tape that watches none of the inputs: deriving runs custom gradients.
        op = self.call if any(r.concerns(ids) for r in recorders) else self.unwatched
        made = op.program(arrays, slots)
        results = tuple([wrap(y) for y in made])
        notify(op, ids, arrays, {}, results, made)
        return list(results[: len(self.outputs)])

    @cached
    def _assigned(self) -> list[Variable]:
        """The variables that it assigns."""
        return [node.params["variable"] for node in self.trace.graph.nodes if node.op is ASSIGN]

    @cached
    def draws(self) -> bool:
        """True if it draws random numbers: it moves a generator on, perhaps in a branch or loop."""
        return _draws(self.trace.graph)

    @cached
    def values(self) -> list[Value]:
        """The values of the outputs."""
        return [y.value for y in self.outputs]

    @cached
    def program(self) -> Runner | Specialized:
        """What a run without tapes runs."""
        return program_of(self.trace, self.values)

    @property
    def compiled(self) -> Runner | Specialized | None:
        """The program that has run, with or without tapes; None if none has."""
        if "program" in vars(self):
            return self.program
        return self.call.program if "call" in vars(self) and "program" in vars(self.call) else None

    @cached
    def call(self) -> Call:
        """The op that tapes see."""
        return Call(self)

    @cached
    def call_inside(self) -> Call:
        """The op that the recorders of a function around it see. A derivative of the user's own is made only if it is asked for."""
        if "call" in vars(self) or not (self.has_own_gradients or _has_own_in_blocks(self.trace.recording)):
            return self.call
        return DeferredCall(self)

    @cached
    def unwatched(self) -> Unwatched:
        """The op that tapes see where they watch none of its inputs."""
        return Unwatched(self)

    @cached
    def has_own_gradients(self) -> bool:
        """True if something in it has another derivative than the ops that it is made of."""
        ops = [record[0] for record in self.trace.recording.records]
        return any(op.wants_tensors or (isinstance(op, Call) and op.staged.has_own_gradients) for op in ops)

    def _on_examples(self, tensors: Sequence[Any], slots: Mapping[int, Variable]) -> list[Any]:
        """The outputs for tensors of a transformation. Tapes see the ops, or one op with the derivative of the function."""
        recorders = _current.recorders
        if not recorders or not self.has_own_gradients:
            return self.replay(tensors, self.values, slots)
        transparent = tuple([r for r in recorders if not hasattr(r, "tracked")])
        with recorded_by(*transparent):
            made = self.replay(tensors, self.call.values, slots)
        count = len(self.outputs)

        def pullback(dys: tuple[Any, ...], needs: Sequence[bool]) -> list[Any]:
            return self.call.pull(dys, made[count:], needs, {})

        return show(self.name, pullback, tensors, made[:count], transparent)

    def replay(self, tensors: Sequence[Any], values: Sequence[Value], slots: Mapping[int, Variable]) -> list[Any]:
        """Values of the graph, op by op, for tensors of a transformation: of `vectorized_map`, of a Jacobian's rows."""
        known = dict(zip(self._operands(), tensors, strict=True))
        known.update({v: wrap(a) for v, a in self.trace.graph.constants.items()})
        for node in self.trace.graph.nodes:
            operands = [known[v] for v in node.inputs]
            if node.op is ASSIGN:
                _actual(node, slots).assign(operands[0])
                continue
            result = node.op(*operands, **node.params)
            known.update(zip(node.outputs, result if node.several else (result,), strict=True))
        return [known[v] for v in values]

    def _operands(self) -> list[Value]:
        graph = self.trace.graph
        return [*graph.parameters, *[v for _, v in graph.captures]]

    def _inline(self, outer: Trace, tensors: list[Any], slots: Mapping[int, Variable]) -> list[Any]:
        """The nodes as nodes of the function that is being traced; the recorders there are shown one op."""
        op = self.call_inside  # made now: its saved values belong to the graph that is copied
        if self.trace.is_general:
            return self._rewritten(outer, tensors, slots)
        moved = {v: outer.value_of(x) for v, x in zip(self._operands(), tensors, strict=True)}
        outer.graph.constants.update(self.trace.graph.constants)
        for node in self.trace.graph.nodes:
            operands = [moved.get(v, v) for v in node.inputs]
            if node.op in (ASSIGN, REREAD):
                with recorded_by():
                    used = _use_variable(outer, node, symbol(operands[0], outer), slots)
                moved.update(zip(node.outputs, [y.value for y in used], strict=True))
                continue
            copied = bound(node, slots).on(operands)
            outer.graph.nodes.append(copied)
            outer.notice(copied)
            moved.update(zip(node.outputs, copied.outputs, strict=True))
        return self._shown(outer, tensors, [moved.get(v, v) for v in op.values])

    def _shown(self, outer: Trace, tensors: list[Any], values: list[Value]) -> list[Any]:
        results = tuple([symbol(v, outer) for v in values])
        notify(self.call_inside, tuple([x._id for x in tensors]), tensors, {}, results, results)
        return list(results[: len(self.outputs)])

    def _rewritten(self, outer: Trace, tensors: list[Any], slots: Mapping[int, Variable]) -> list[Any]:
        """The nodes, specialised for the sizes of the tensors."""
        known = {v: symbol(outer.value_of(x), outer) for v, x in zip(self._operands(), tensors, strict=True)}
        walk(self.trace.graph, outer, known, lambda node, tensor: _use_variable(outer, node, tensor, slots), slots)
        return self._shown(outer, tensors, [outer.value_of(known[v]) for v in self.call_inside.values])


def _are_plain(tensors: Sequence[Any]) -> bool:
    """True if none of the tensors belongs to a transformation."""
    for x in tensors:  # noqa: SIM110 - quicker than a generator, on the way of every call
        if type(x) is not Tensor:
            return False
    return True


def _holds_examples(tensors: Sequence[Any], trace: Trace) -> bool:
    """True if a tensor belongs to a map that runs inside a trace."""
    return any(isinstance(x, Batched) and x.level > trace.level for x in tensors)


def _actual(node: Node, slots: Mapping[int, Variable]) -> Variable:
    """The variable that an assignment means in a call."""
    variable: Variable = node.params["variable"]
    return slots.get(variable._id, variable)


def _use_variable(outer: Trace, node: Node, tensor: Any, slots: Mapping[int, Variable]) -> list[Symbol]:
    """The results of a node that assigns a variable or reads it again, in the function that is being traced."""
    variable = _actual(node, slots)
    if node.op is REREAD:
        return [outer._reread(variable, tensor)]
    outer.assign(variable, tensor)
    return []


def program_of(trace: Trace, values: Sequence[Value]) -> Runner | Specialized:
    """What runs some values of a trace; one program for each size if sizes are not known."""
    return Specialized(trace, values) if trace.is_general else Runner(trace.graph, values)


def _draws(graph: Graph) -> bool:
    return any(n.op.name == "random_skip" or any(map(_draws, blocks(n))) for n in graph.nodes)


class Call(Op):
    """A run of a staged function as the op that tapes record.

    Attributes:
      values: what it computes: the function's outputs, what the first derivative reads, and the inputs, from which
        higher derivatives compute what else they need.
      identities: those of `values` on the function's recording; 0 where no gradient flows.
    """

    differentiable = True
    takes_needs = True
    takes_none = True

    def __init__(self, staged: Staged, known: tuple[list[Value], list[int], list[bool] | None] | None = None) -> None:
        """The op of a staged function. `known` are the values, their identities and the inputs that the derivative
        reaches, where they were found before."""
        self.staged = staged
        self.name = staged.name  # type: ignore[misc]
        self._pullbacks: dict[tuple[int, ...], Pullback] = {}
        self.values, self.identities, self._reached = known or self._found()
        self.inputs = tuple([f"x{i}" for i in range(len(staged._operands()))])  # type: ignore[misc]
        self.outputs = tuple([f"y{i}" for i in range(len(self.values))])  # type: ignore[misc]
        self.residuals = tuple([(name, "") for name in self.outputs[len(staged.outputs) :]])

    @property
    def reached(self) -> list[bool]:
        """For each of the inputs, whether the derivative reaches it."""
        if self._reached is None:
            self._reached = self._first().present
        return self._reached

    def _first(self) -> Pullback:
        """The derivative for cotangents of all outputs."""
        outputs = enumerate(self.staged.outputs)
        return self._pullback(tuple([i for i, y in outputs if y.dtype.is_trainable and y._id]))

    def _found(self) -> tuple[list[Value], list[int], list[bool] | None]:
        staged, trace = self.staged, self.staged.trace
        self.values, self.identities = list(staged.values), [y._id for y in staged.outputs]
        first = self._first()
        kept = {trace.value_of(s): s._id for s in first.reads}
        for value, identity in zip(staged._operands(), trace.identities, strict=True):
            kept.setdefault(value, identity)
        for node in trace.graph.nodes if kept else ():  # a second run would do again what they do
            kept.update({v: 0 for v in node.outputs if node.effect and v not in kept})
        return [*self.values, *kept], [*self.identities, *kept.values()], first.present

    @cached
    def program(self) -> Runner | Specialized:
        """What a run under tapes runs."""
        return program_of(self.staged.trace, self.values)

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        """What derivatives read."""
        return tuple(result[len(self.staged.outputs) :])

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
        """The cotangents of the inputs."""
        pairs = zip(self.identities, self.values, strict=True)
        trains = [identity and value.spec.dtype.is_trainable for identity, value in pairs]
        given = tuple([i for i, d in enumerate(dy) if d is not None and trains[i]])
        kept = dict(zip(self.values[len(self.staged.outputs) :], residuals, strict=True))
        grads = self._pullback(given).run([dy[i] for i in given], kept, needs)
        # An input that reaches some output has a gradient, be it zero: a call is connected as a whole, as in TensorFlow.
        operands = [kept[v] for v in self.staged._operands()]
        return [
            zeros(x) if d is None and reached and needed else d
            for d, x, reached, needed in zip(grads, operands, self.reached, needs, strict=True)
        ]

    def touches(self, given: Sequence[bool], params: dict[str, Any]) -> list[bool] | None:
        """The outputs that tangents of some inputs reach through the ops of the function; what derivatives read has none."""
        trace, count = self.staged.trace, len(self.staged.outputs)
        known = touched(trace.recording.records, [i for i, flag in zip(trace.identities, given, strict=True) if flag])
        return [k < count and identity in known for k, identity in enumerate(self.identities)]

    def _pullback(self, given: tuple[int, ...]) -> Pullback:
        """The derivative for cotangents of some of the values."""
        found = self._pullbacks.get(given)
        if found is None:
            pairs = [(self.identities[i], self.values[i]) for i in given]
            found = self._pullbacks[given] = Pullback(self.staged, pairs)
        return found


def _has_own_in_blocks(recording: Any) -> bool:
    """True if a branch or loop has another derivative than the ops that it is made of."""
    for record in recording.records:
        params = record[3] if isinstance(record[3], dict) else {}
        for block in (*params.get("branches", ()), params.get("body")):
            inner = getattr(getattr(block, "trace", None), "recording", None)
            if inner is None:
                continue
            ops = [r[0] for r in inner.records]
            if any(op.wants_tensors or isinstance(op, DeferredCall) for op in ops) or _has_own_in_blocks(inner):
                return True
    return False


class DeferredCall(Call):
    """A run of a staged function in another one, derived when its cotangents are asked for.

    It keeps the inputs and what effects gave; the derivative computes from these what else it reads.
    """

    def _found(self) -> tuple[list[Value], list[int], list[bool] | None]:
        staged, trace = self.staged, self.staged.trace
        kept = dict(zip(staged._operands(), trace.identities, strict=True))
        for node in trace.graph.nodes:
            kept.update({v: 0 for v in node.outputs if node.effect})
        identities = [y._id for y in staged.outputs]
        return [*staged.values, *kept], [*identities, *kept.values()], None


class Unwatched(Op):
    """A run of a staged function on inputs without gradients, which tapes only note for `explain`."""

    differentiable = True

    def __init__(self, staged: Staged) -> None:
        self.staged = staged
        self.name = staged.name  # type: ignore[misc]
        self.program = staged.program
        self.inputs = tuple([f"x{i}" for i in range(len(staged._operands()))])  # type: ignore[misc]
        self.outputs = tuple([f"y{i}" for i in range(len(staged.outputs))])  # type: ignore[misc]


class Pullback:
    """The derivative of a staged function, itself staged.

    Attributes:
      present: for each of the function's inputs, whether it has a cotangent.
      reads: the tensors that it reads, of the function and of what that one captured.
    """

    def __init__(self, function: Staged, targets: list[tuple[int, Value]]) -> None:
        self.function = function
        trace = function.trace
        with Trace(f"gradient of {trace.graph.name}", sees=(trace, *trace.sees)) as own:
            cotangents: dict[int, Any] = {}
            for identity, value in targets:
                seed = own.parameter(value.spec, shape=trace.shapes.get(value))
                before = cotangents.get(identity)
                cotangents[identity] = seed if before is None else before + seed
            sources = trace.identities
            backward(trace.recording, cotangents, set(sources), consume=False, arrays=False)
            grads = [cotangents.get(i) if i else None for i in sources]
            self._results = [None if d is None else _parts_of(own, d) for d in grads]
        self.present = [d is not None for d in grads]
        self._trace = own
        self._parts: dict[tuple[bool, ...], Staged] = {}
        self.reads = _read_of(trace, [s for s, _ in own.graph.captures])

    def run(self, dy: list[Any], kept: dict[Value, Any], needs: Sequence[bool]) -> list[Any]:
        """The cotangents of the function's inputs, None where there is none and where none is needed.

        Args:
          dy: cotangents of the targets.
          kept: values of the function, from the run that is differentiated.
          needs: for each of the inputs, whether its cotangent is wanted.
        """
        wanted = tuple([here and needed for here, needed in zip(self.present, needs, strict=True)])
        staged = self._part(wanted)
        in_arrays = not any(isinstance(x, Tensor) and type(x) is Tensor for x in (*dy, *kept.values()))
        if in_arrays:
            dy, kept = [_tensor(d) for d in dy], {v: _tensor(x) for v, x in kept.items()}
        trace = self.function.trace
        kept = {trace.value_of(s): s for s in self.reads if not isinstance(s, Symbol)} | kept
        missing = [s for s in self.reads if trace.value_of(s) not in kept]
        if missing:
            again = Staged(_without_effects(trace), missing)
            operands = [kept[v] for v in self.function._operands()]
            count = len(trace.graph.parameters)
            more = again.run(operands[:count], operands[count:])
            kept = kept | dict(zip([trace.value_of(s) for s in missing], more, strict=True))
        # A symbol is one of the function's own, or of a function around it, which this one has captured.
        read = {id(s) for s in self.reads}
        closed = [kept[trace.value_of(s)] if id(s) in read else s for s, _ in self._trace.graph.captures]
        found: Iterator[Any] = iter(staged.run(dy, closed))
        grads = [
            _joined(parts, found) if flag and parts is not None else None
            for parts, flag in zip(self._results, wanted, strict=True)
        ]
        return [bare(d) for d in grads] if in_arrays else grads

    @property
    def staged(self) -> Staged:
        """What computes the cotangents of all inputs that have one."""
        return self._part(tuple(self.present))

    def _part(self, wanted: tuple[bool, ...]) -> Staged:
        """What computes the cotangents of some inputs, and no others: those may have no value, or cost much."""
        found = self._parts.get(wanted)
        if found is None:
            pairs = zip(self._results, wanted, strict=True)
            results = [s for parts, flag in pairs if flag and parts is not None for s in parts.symbols]
            found = self._parts[wanted] = Staged(self._trace, results)
        return found


def _read_of(trace: Trace, sources: Sequence[Any]) -> list[Any]:
    """Those of the tensors that a derivative captures which a run of the function hands to it.

    A derivative that reads a number of the function is connected with it, in TensorFlow even if that number is a constant: the
    second derivative of 2 * x is zero through a function, not absent. So one constant counts if nothing else connects them.
    """
    captured = {id(source) for source, _ in trace.graph.captures}
    read = [s for s in sources if isinstance(s, Symbol) or id(s) in captured]
    numbers = [s for s in sources if type(s) is Tensor and s.dtype.is_trainable and id(s) not in captured]
    if numbers and not any(s._id and s.dtype.is_trainable for s in read):
        smallest = min(numbers, key=lambda s: s._array.size)
        trace.keep_constant(smallest)
        read.append(smallest)
    return read


def _without_effects(trace: Trace) -> Trace:
    """The trace for a second run, which only computes: what has been assigned, printed or checked is not so again."""
    pure = copy.copy(trace)
    pure.value_of = trace.value_of  # type: ignore[method-assign]
    pure.graph = _Quiet(trace.graph)
    pure.sees = (trace, *trace.sees)
    return pure


class _Quiet(Graph):
    """A graph without its effects. Nodes that are added to the whole graph later, for derivatives of loops, are in it."""

    __slots__ = ("_whole",)

    def __init__(self, whole: Graph) -> None:
        self._whole = whole
        super().__init__(whole.name)
        self.parameters, self.captures, self.constants = whole.parameters, list(whole.captures), whole.constants

    @property
    def nodes(self) -> list[Node]:
        """The nodes that only compute."""
        return [node for node in self._whole.nodes if not node.effect]

    @nodes.setter
    def nodes(self, nodes: list[Node]) -> None:
        """Those of the whole graph are what counts."""


def _tensor(x: Any) -> Tensor:
    return x.full() if isinstance(x, Interpreted) else wrap(x)


class _Parts(NamedTuple):
    """A cotangent as results of a trace: a tensor, or the values and the indices of rows of a tensor of size `dims`."""

    symbols: tuple[Symbol, ...]
    dims: tuple[int, ...] | None


def _parts_of(trace: Trace, d: Any) -> _Parts:
    if isinstance(d, RowCotangent) and not is_symbolic(dense_dims(d)):
        return _Parts((_own(trace, d.values), _own(trace, d.indices)), dense_dims(d))
    return _Parts((_own(trace, densify(d) if isinstance(d, IndexedSlices) else d),), None)


def _joined(parts: _Parts, found: Iterator[Any]) -> Any:
    """The cotangent, of results that come one by one."""
    if parts.dims is None:
        return next(found)
    return RowCotangent(next(found), next(found), parts.dims)


def _own(trace: Trace, d: Any) -> Symbol:
    """A tensor as a symbol of a trace."""
    if isinstance(d, Symbol) and d.trace is trace:
        return d
    return cast(Symbol, REGISTRY["identity"](symbol(trace.value_of(d), trace)))
