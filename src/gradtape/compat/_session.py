"""Sessions: programs of parts of a graph, and the values of its variables."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.compat._graphs import (
    Graph,
    GraphOperation,
    GraphVariable,
    default_graph,
    defaults,
    plainly,
)
from gradtape.compiler.effects import ASSIGN
from gradtape.compiler.graph import Graph as Nodes
from gradtape.compiler.graph import Node, Value
from gradtape.core import convert, dtypes, errors, nest, state
from gradtape.core.composite import Composite
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.polymorphic_function.function import function
from gradtape.tracing.operation import Operation
from gradtape.tracing.specialize import walk
from gradtape.tracing.symbol import Symbol, symbol

_current = state.current


class Session:
    """Runs parts of a graph, and holds the values of its variables.

    Args:
      target, config: ignored.
      graph: the graph; the default one if None.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        self.graph = graph if graph is not None else default_graph()
        self._cells: dict[int, Variable] = {}
        self._plans: dict[Any, Any] = {}
        self._entered: list[Any] = []
        self._closed = False

    def __enter__(self) -> Session:
        defaults.sessions.append(self)
        if self.graph is not (defaults.graphs[-1] if defaults.graphs else None):
            entered = self.graph.as_default()
            entered.__enter__()
            self._entered.append(entered)
        else:
            self._entered.append(None)
        return self

    def __exit__(self, *problem: Any) -> None:
        defaults.sessions.remove(self)
        entered = self._entered.pop()
        if entered is not None:
            entered.__exit__(*problem)
        self.close()

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Session]:
        """A block in which `tensor.eval()` means this session."""
        defaults.sessions.append(self)
        try:
            yield self
        finally:
            defaults.sessions.remove(self)

    def close(self) -> None:
        """Release the values of the variables."""
        self._closed = True

    def list_devices(self) -> list[Any]:
        """The devices."""
        from gradtape import config

        return list(config.list_logical_devices())

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Callable[..., Any]:
        """A function of the fed values."""
        return lambda *values, **_: self.run(fetches, dict(_pairs(feed_list or [], values)))

    def partial_run(self, *_: Any) -> Any:
        """Not supported: fetch everything in one run."""
        raise errors.build(
            NotImplementedError, "Session.partial_run cannot be used: it is left out.", "use session.run."
        )

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """The values of tensors, with others given.

        Args:
          fetches: a tensor, operation, variable, the name of one, or a structure of them.
          feed_dict: values by the tensor that they replace.
          options, run_metadata: ignored.

        Returns:
          NumPy arrays and None for operations, in the same structure.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        wanted = [self._element(x) for x in nest.flatten(fetches)]
        with contextlib.ExitStack() as stack:
            if _current.trace is not self.graph.trace:
                stack.enter_context(self.graph.trace)
            fed = self._fed(feed_dict or {})
            targets = [self._target(x) for x in wanted]
        found = self._evaluate(targets, fed)
        return nest.pack_sequence_as(fetches, [_result(x, f) for x, f in zip(wanted, found, strict=True)])

    def _element(self, fetch: Any) -> Any:
        if isinstance(fetch, str):
            return self.graph.as_graph_element(fetch)
        if fetch is None or isinstance(fetch, (int, float)):
            raise errors.build(
                TypeError,
                f"Argument `fetch` = {fetch!r} has invalid type {type(fetch).__name__!r}. Must be a tensor, an operation or "
                "a name of one.",
                "fetch tensors of the graph.",
            )
        return fetch

    def _target(self, element: Any) -> Any:
        """A fetch as values of the graph and operations."""
        if isinstance(element, GraphVariable):
            return [self.graph.read(element).value]
        if isinstance(element, Composite):
            return [self._value(part) for part in element._components()]
        if isinstance(element, (GraphOperation, Operation)):
            return element
        return [self._value(element)]

    def _value(self, tensor: Any) -> Value:
        if isinstance(tensor, Symbol) and tensor.trace is not self.graph.trace:
            raise ValueError(f"Tensor {tensor} is not an element of this graph.")
        # What is computed of constants alone has its value already, also in a graph.
        if not isinstance(tensor, Symbol) and not (isinstance(tensor, Tensor) and self._is_entered()):
            what = f"Session.run: a fetch must be a tensor of the graph, got {errors.brief(tensor)}, which has its value already."
            raise errors.build(
                TypeError, what, "read it with x.numpy(), or compute it in `with tf.Graph().as_default():`."
            )
        return self.graph.trace.value_of(tensor)

    def _is_entered(self) -> bool:
        """Whether ops belong to this session's graph just now."""
        return self.graph in defaults.graphs

    def _fed(self, feed_dict: Mapping[Any, Any]) -> dict[Value, Any]:
        fed: dict[Value, Any] = {}
        for key, given in feed_dict.items():
            tensor = getattr(self.graph.as_graph_element(key), "_deref", lambda k=key: self.graph.as_graph_element(k))()
            if isinstance(tensor, Composite):
                parts = given if isinstance(given, tuple) else tuple(given._components())
                pairs = list(zip(tensor._components(), parts, strict=True))
            elif isinstance(tensor, (list, tuple)):
                pairs = list(zip(tensor, given, strict=True))
            else:
                pairs = [(tensor, given)]
            for part, value in pairs:
                own = self.graph.read(part).value if isinstance(part, GraphVariable) else self._value(part)
                fed[own] = _array_for(part, value)
        return fed

    def has(self, variable: GraphVariable) -> bool:
        """Whether a variable has a value here."""
        return variable._id in self._cells

    def put(self, variable: GraphVariable, value: Any) -> None:
        """Give a variable a value."""
        with state.outside(), plainly():
            array = np.asarray(value, variable.dtype.numpy)
            if self.has(variable):
                self._cells[variable._id].assign(array)
            else:
                self._cells[variable._id] = Variable(array[()], dtype=variable.dtype, shape=variable._shape)

    def _evaluate(self, targets: Sequence[Any], fed: dict[Value, Any]) -> list[Any]:
        wanted = [v for t in targets if isinstance(t, list) for v in t]
        operations = tuple([t for t in targets if not isinstance(t, list)])
        key = (tuple(wanted), operations, tuple(fed), len(self.graph.trace.graph.nodes))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = Plan(self.graph, wanted, operations, list(fed))
        given = [*fed.values(), *[np.asarray(self.graph.defaults[v]) for v in plan.defaulted]]
        with state.outside(), plainly():
            for variable in plan.written:
                if not self.has(variable):
                    zeros = np.zeros_like(variable._value._array)
                    self._cells[variable._id] = Variable(zeros, dtype=variable.dtype, shape=variable._shape)
                    plan.fresh.add(variable._id)
            try:
                self._check(plan)
                made = iter(plan.run(self._cells, given))
            except BaseException:
                for identity in plan.fresh:
                    self._cells.pop(identity, None)
                raise
            finally:
                plan.fresh = set()
        return [[next(made) for _ in t] if isinstance(t, list) else None for t in targets]

    def _check(self, plan: Plan) -> None:
        for variable in plan.read:
            if not self.has(variable) or (variable._id in plan.fresh and variable not in plan.written_first):
                raise errors.build(
                    errors.FailedPreconditionError,
                    f"Attempting to use uninitialized value {variable._name}.",
                    "run tf.compat.v1.global_variables_initializer() in the session first.",
                )
        if plan.missing:
            raise errors.build(
                errors.InvalidArgumentError,
                f"You must feed a value for placeholder tensor {plan.missing[0].name!r} with dtype "
                f"{plan.missing[0].spec.dtype.name}.",
                "give it in feed_dict.",
            )


class InteractiveSession(Session):
    """A session that is the default from the moment it is made."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        defaults.sessions.append(self)

    def close(self) -> None:
        """Release the values of the variables."""
        if self in defaults.sessions:
            defaults.sessions.remove(self)
        super().close()


def _pairs(feed_list: Sequence[Any], values: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    yield from zip(feed_list, values, strict=True)


def _array_for(tensor: Any, value: Any) -> Any:
    """The fed value, with the dtype of the tensor that it replaces; ValueError if it does not match."""
    array = value.numpy() if isinstance(value, Tensor) else value
    found = convert.convert_to_tensor(array, tensor.dtype) if tensor.dtype is dtypes.string else None
    made = found._array if found is not None else np.asarray(array).astype(tensor.dtype.numpy, copy=False)
    if not tensor.shape.is_compatible_with(made.shape):
        raise errors.build(
            ValueError,
            f"Cannot feed value of shape {made.shape} for Tensor {getattr(tensor, 'name', '')}, which has shape {tensor.shape}.",
            "feed an array of that shape.",
        )
    return made


def _result(element: Any, found: list[Any] | None) -> Any:
    if found is None:
        return None
    arrays = [t.numpy() for t in found]
    return element._form().build(arrays) if isinstance(element, Composite) else arrays[0]


class Plan:
    """A program that computes values of a graph from others.

    Attributes:
      read: variables whose values are needed.
      written: variables that are assigned, `written_first` those that nothing reads before.
      defaulted: placeholders with a default that nobody gives.
      missing: placeholders that nobody gives.
    """

    def __init__(self, graph: Graph, wanted: Sequence[Value], operations: Sequence[Any], fed: Sequence[Value]) -> None:
        self._graph, self._wanted, self._fed = graph, list(wanted), list(fed)
        self.fresh: set[int] = set()
        nodes, sources = self._needed([*wanted, *operations], set(fed))
        self._add_own_assignments(nodes, sources, set(fed))
        self._nodes = [n for n in graph.trace.graph.nodes if n in nodes]
        self._reads = [v for v in sources if v in graph.reads]
        self.read = list(dict.fromkeys([graph.reads[v] for v in self._reads]))
        writes = [graph.assigned[v] for n in self._nodes for v in n.outputs if v in graph.assigned]
        self.written = list(dict.fromkeys(writes))
        late = {graph.reads[v] for v in self._reads if v in graph.needed_by}
        early = {graph.reads[v] for v in self._reads if v not in graph.needed_by}
        self.written_first = [v for v in self.written if v in late and v not in early]
        parameters = [v for v in sources if v in graph.trace.graph.parameters and v not in graph.reads]
        self.defaulted = [v for v in parameters if v in graph.defaults]
        self.missing = [v for v in parameters if v not in graph.defaults]
        self._captures = [(s, v) for s, v in graph.trace.graph.captures if v in sources]
        self._constants = {v: a for v, a in graph.trace.graph.constants.items() if v in sources}
        self._programs: dict[Any, Any] = {}

    def _needed(self, wanted: Sequence[Any], fed: set[Value]) -> tuple[set[Node], dict[Value, None]]:
        """The nodes that some values and operations need, and the values that no node makes."""
        nodes: set[Node] = set()
        sources: dict[Value, None] = {}
        rest = list(wanted)
        seen: set[int] = set()
        while rest:
            item = rest.pop()
            if id(item) in seen or (isinstance(item, Value) and item in fed):
                continue
            seen.add(id(item))
            rest += _before(item, self._graph)
            if isinstance(item, Value):
                if item.node is None:
                    sources[item] = None
                else:
                    nodes.add(item.node)
        return nodes, sources

    def _add_own_assignments(self, nodes: set[Node], sources: dict[Value, None], fed: set[Value]) -> None:
        """Add the assignments of the library itself: the states of random number generators."""
        read = {id(source) for source, value in self._graph.trace.graph.captures if value in sources}
        for node in self._graph.trace.graph.nodes:
            if node.op is ASSIGN and id(node.params["variable"]) in read:
                further, more = self._needed(node.inputs, fed)
                nodes |= {node, *further}
                sources.update(more)

    def run(self, cells: Mapping[int, Variable], given: Sequence[Any]) -> list[Any]:
        """The values, with variables in their cells."""
        key = tuple([cells[v._id]._id for v in (*self.read, *self.written)])
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = function(self._written(cells), autograph=False)
        outside = [s for s, _ in self._captures if not isinstance(s, Variable)]
        return list(program([convert.convert_to_tensor(g) for g in given], outside))

    def _written(self, cells: Mapping[int, Variable]) -> Callable[..., Any]:
        graph = self._graph

        def program(given: Sequence[Any], captured: Sequence[Any]) -> list[Any]:
            trace: Any = _current.trace
            known: dict[Value, Any] = {}
            for value, tensor in zip([*self._fed, *self.defaulted], given, strict=True):
                known[value] = _own(trace, tensor)
            rest = iter(captured)
            for source, value in self._captures:
                known[value] = _own(trace, source._read() if isinstance(source, Variable) else next(rest))
            for value in self._reads:
                if value not in graph.needed_by and value not in known:
                    known[value] = _own(trace, cells[graph.reads[value]._id]._read())
            self._walk(trace, known, cells)
            return [symbol(known[v].value, trace) for v in self._wanted]

        return program

    def _walk(self, trace: Any, known: dict[Value, Any], cells: Mapping[int, Variable]) -> None:
        graph = self._graph
        part = Nodes("session")
        part.constants = {v: a for v, a in self._constants.items() if v not in known}
        late = [v for v in self._reads if v in graph.needed_by]

        def flush() -> None:
            walk(part, trace, known, lambda node, tensor: _use_variable(node, symbol(tensor.value, trace)))
            part.constants, part.nodes = {}, []

        for node in self._nodes:
            if all(v in known for v in node.outputs) and node.outputs:
                continue
            again = [v for v in late if v in node.inputs and v not in known]
            if again:
                flush()
                for value in again:
                    known[value] = _own(trace, cells[graph.reads[value]._id]._read())
            part.nodes.append(node)
            changed = [v for v in node.outputs if v in graph.assigned]
            if changed:
                flush()
                cells[graph.assigned[changed[0]]._id].assign(symbol(known[changed[0]].value, trace))
        flush()
        for value in late:
            if value not in known:
                known[value] = _own(trace, cells[graph.reads[value]._id]._read())


def _before(item: Any, graph: Graph) -> list[Any]:
    """The values and operations that something depends on."""
    if isinstance(item, GraphOperation):
        return list(item.control_inputs)
    if isinstance(item, GraphVariable):
        return [graph.read(item).value]
    if isinstance(item, Operation):
        return [y.value for y in item.outputs]
    if isinstance(item, Tensor):
        return [graph.trace.value_of(item)] if isinstance(item, Symbol) else []
    if not isinstance(item, Value):
        return list(nest.flatten(item._components())) if isinstance(item, Composite) else []
    if item.node is None:
        return list(graph.needed_by.get(item, ()))
    return [*item.node.inputs, *graph.needed_by.get(item.node, ())]


def _use_variable(node: Node, tensor: Symbol) -> list[Any]:
    """The results of a node that assigns a variable or reads it again, in the trace of a session."""
    variable: Variable = node.params["variable"]
    if node.op is not ASSIGN:
        return [variable._read()]
    variable.assign(tensor)
    return []


def _own(trace: Any, tensor: Any) -> Symbol:
    return symbol(trace.value_of(tensor), trace)
