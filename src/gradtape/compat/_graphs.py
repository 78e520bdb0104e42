"""tf.Graph and sessions: a trace that stays open, and programs of parts of it.

While a graph is the default, ops on its tensors become nodes as in a function that is being traced. `Session.run` takes the nodes
that the fetches need, in the order in which they were made, and has a `tf.function` write them anew: so they are compiled, once
for each shape of what is fed. A variable belongs to the graph and its value to a session. Reading one is a value of the
graph, assigning one a node; what runs under `tf.control_dependencies` depends on what is named there, and reads variables again.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from gradtape.compiler.effects import ASSIGN
from gradtape.compiler.graph import Graph as Nodes
from gradtape.compiler.graph import Node, Value
from gradtape.core import convert, dtypes, errors, nest, state
from gradtape.core.composite import Composite
from gradtape.core.op import REGISTRY
from gradtape.core.shape import ANY, Spec, TensorShape
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable, VariableAggregation, VariableSynchronization, names
from gradtape.polymorphic_function.function import function
from gradtape.tracing.dynamic_shapes.specialize import walk
from gradtape.tracing.operation import Operation
from gradtape.tracing.symbol import Symbol, symbol
from gradtape.tracing.trace import Trace

_current = state.current


class GraphTrace(Trace):
    """The trace behind a graph: variables of the graph are read as its values."""

    def __init__(self, graph: Graph) -> None:
        with state.outside():
            super().__init__("graph", tracks_constants=True)
        self.session_graph = graph

    def read(self, variable: Variable) -> Symbol:
        """The value of a variable at this point."""
        if isinstance(variable, GraphVariable):
            return self.session_graph.read(variable)
        return super().read(variable)

    def lift(self, variable: Variable, initial: Tensor) -> Tensor:
        """The initial value of a variable that is made outside of the graph's own creator."""
        return initial

    def fresh(self, spec: Spec, name: str, identity: int) -> Symbol:
        """A value that is given from outside, under the identity of a variable."""
        value = self._sized(Value(spec, name=name), None)
        self.graph.parameters.append(value)
        tensor = symbol(value, self, identity)
        self._watch(tensor)
        return tensor


class GraphOperation:
    """Something that a session can do: a group of other operations and tensors."""

    def __init__(self, graph: Graph, inputs: Sequence[Any], name: str, kind: str = "NoOp") -> None:
        self.graph, self.name, self.type = graph, graph.unique_name(name), kind
        self.control_inputs = [*inputs, *graph.dependencies]
        self.inputs: tuple[Any, ...] = ()
        self.outputs: list[Any] = []

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Do it in a session."""
        (session or default_session(self.graph)).run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


class Graph:
    """A graph of ops that sessions run.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None])
    ...     slope = tf.gradients(x**2, x)[0]
    >>> with tf.compat.v1.Session(graph=graph) as session:
    ...     session.run(slope, feed_dict={x: [1.0, 2.0]})
    array([2., 4.], dtype=float32)
    """

    building_function = False
    version = 0
    seed: int | None = None

    def __init__(self) -> None:
        self.trace = GraphTrace(self)
        self.dependencies: tuple[Any, ...] = ()
        self.variables: list[GraphVariable] = []
        self.collections: dict[Any, list[Any]] = {}
        self.reads: dict[Value, GraphVariable] = {}
        self.assigned: dict[Value, GraphVariable] = {}
        self.needed_by: dict[Any, tuple[Any, ...]] = {}
        self.defaults: dict[Value, Any] = {}
        self.named: dict[str, Any] = {}
        self.scopes: dict[Any, Any] = {}
        self._names: dict[str, int] = {}
        self._latest: dict[int, Symbol] = {}
        self._finalized = False

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """A block in which ops belong to this graph."""
        before, scopes = names.creators, names.scopes
        defaults.graphs.append(self)
        names.creators = (self._create,)
        try:
            with self.trace:
                yield self
        finally:
            names.creators, names.scopes = before, scopes
            defaults.graphs.remove(self)

    def _create(self, _: Any, **arguments: Any) -> Any:
        return GraphVariable(self, **arguments)

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that no op has yet: `x`, `x_1`, …, with the scopes around."""
        whole = "/".join((*names.scopes, name))
        count = self._names.get(whole, 0)
        if mark_as_used:
            self._names[whole] = count + 1
        return whole if not count else f"{whole}_{count}"

    def get_name_scope(self) -> str:
        """The scopes around."""
        return "/".join(names.scopes)

    def name_scope(self, name: str) -> Any:
        """A scope of names."""
        from gradtape.toplevel.module import name_scope

        return name_scope(name)

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """A block whose ops run after some others; variables that it reads have the value that these leave."""
        before, latest, start = self.dependencies, dict(self._latest), len(self.trace.graph.nodes)
        self.dependencies = () if control_inputs is None else (*before, *[c for c in control_inputs if c is not None])
        self._latest = {}
        try:
            yield
        finally:
            for node in self.trace.graph.nodes[start:]:
                self.needed_by[node] = (*self.needed_by.get(node, ()), *self.dependencies)
            self.dependencies, self._latest = before, latest

    def read(self, variable: GraphVariable) -> Symbol:
        """The value of a variable, as a value of this graph."""
        if variable.graph is not self:
            raise ValueError(
                errors.compose(
                    f"{variable.name} must be from the same graph as what it is used with.",
                    "make the variable under the graph's as_default().",
                )
            )
        found: Symbol | None = self._latest.get(variable._id)
        if found is None:
            spec = Spec(_dims(variable.shape), variable.dtype)
            found = self._latest[variable._id] = self.trace.fresh(spec, variable._name, variable._id)
            self.reads[found.value] = variable
            if self.dependencies:
                self.needed_by[found.value] = self.dependencies
        return found

    def write(self, variable: GraphVariable, tensor: Any) -> Symbol:
        """A tensor that assigns a variable when it is computed."""
        if not variable.shape.is_compatible_with(tensor.shape):
            raise ValueError(
                errors.compose(
                    f"Shapes must be compatible: variable {variable.name} has {variable.shape}, the value {tensor.shape}.",
                    "reshape the value.",
                )
            )
        given = symbol(self.trace.value_of(tensor), self.trace)
        made = cast("Symbol", REGISTRY["identity"](given))
        made._id = 0
        self.assigned[made.value] = variable
        if self.dependencies and made.value.node is not None:
            self.needed_by[made.value.node] = self.dependencies
        return made

    def group(self, inputs: Sequence[Any], name: str | None = None) -> GraphOperation:
        """All of some operations as one."""
        return GraphOperation(self, [x for x in nest.flatten(list(inputs)) if x is not None], name or "group_deps")

    def placeholder(self, dtype: Any, shape: Any = None, name: str | None = None) -> Symbol:
        """A tensor that a session is given."""
        spec = Spec(_dims(TensorShape(shape)), dtypes.as_dtype(dtype))
        own = self.unique_name(name or "Placeholder")
        with self._entered():
            found = self.trace.parameter(spec, own)
        self.named[f"{own}:0"] = found
        return found

    @contextlib.contextmanager
    def _entered(self) -> Iterator[None]:
        with contextlib.nullcontext() if _current.trace is self.trace else self.trace:
            yield

    def evaluate(self, tensor: Any, feed_dict: Any = None, session: Any = None) -> Any:
        """The value of a tensor in a session."""
        return (session or default_session(self)).run(tensor, feed_dict)

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Put something into a collection."""
        self.collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Put something into several collections."""
        for name in [names] if isinstance(names, str) else names:
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """What is in a collection, of names that begin with a scope."""
        found = list(self.collections.get(name, ()))
        return found if not scope else [x for x in found if getattr(x, "name", "").startswith(scope)]

    def get_collection_ref(self, name: Any) -> list[Any]:
        """A collection itself."""
        return self.collections.setdefault(name, [])

    def clear_collection(self, name: Any) -> None:
        """Empty a collection."""
        self.collections.pop(name, None)

    def get_tensor_by_name(self, name: str) -> Any:
        """A placeholder or variable by its name, such as `x:0`; KeyError if there is none."""
        if name in self.named:
            return self.named[name]
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise KeyError(f"The name {name!r} refers to a Tensor which does not exist.")

    def get_operation_by_name(self, name: str) -> Any:
        """The operation that makes a placeholder or variable."""
        return self.get_tensor_by_name(f"{name}:0").op

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """A tensor or operation by itself or by its name."""
        if isinstance(obj, str):
            return self.get_tensor_by_name(obj if ":" in obj else f"{obj}:0")
        return obj

    def get_operations(self) -> list[Any]:
        """The operations, in the order in which they were made."""
        made = [Operation(symbol(node.outputs[0], self.trace)) for node in self.trace.graph.nodes if node.outputs]
        return [*[Operation(t) for t in self.trace.parameters], *made]

    def finalize(self) -> None:
        """Nothing may be added from now on."""
        self._finalized = True

    @property
    def finalized(self) -> bool:
        """Whether something may be added."""
        return self._finalized

    def device(self, device_name: Any) -> Any:
        """A block on a device; there is one."""
        return contextlib.nullcontext()

    def gradient_override_map(self, op_type_map: Mapping[str, str]) -> Any:
        """A block in which ops have other gradients, by name: ops have no string names here, so only an empty map is taken."""
        if op_type_map:
            raise NotImplementedError(
                errors.compose(
                    "Graph.gradient_override_map cannot replace the gradients of ops.", "use tf.custom_gradient."
                )
            )
        return contextlib.nullcontext()

    def __repr__(self) -> str:
        return f"<tf.Graph of {len(self.trace.graph.nodes)} nodes>"


def _dims(shape: TensorShape) -> Any:
    return ANY if shape.rank is None else tuple(shape.as_list())


class GraphVariable(Variable):
    """A variable of a graph: it has a value in each session that has initialised it."""

    def __init__(
        self,
        graph: Graph,
        initial_value: Any = None,
        trainable: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        constraint: Any = None,
        shape: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        collections: Any = None,
        **_: Any,
    ) -> None:
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must be specified.")
        if callable(initial_value) and not isinstance(initial_value, (Tensor, Variable)):
            initial_value = initial_value()
        initial = convert.convert_to_tensor(initial_value, dtype)
        self._graph, self._initial = graph, initial
        self._shape = TensorShape(initial.shape if shape is None else shape)
        dims = [d or 0 for d in self._shape.as_list()] if self._shape.rank is not None else []
        self._id = self._order = state.new_id()
        self._value = wrap(np.zeros(dims, initial.dtype.numpy)[()], self._id)
        self._trainable = trainable is not False
        self._constraint, self._synchronization, self._aggregation = constraint, synchronization, aggregation
        self._name = graph.unique_name(name or "Variable")
        self._initializer: GraphOperation | None = None
        graph.variables.append(self)
        from gradtape.compat.v1._variables import GraphKeys

        keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if self._trainable and GraphKeys.LOCAL_VARIABLES not in keys:
            keys.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(keys, self)

    graph = property(lambda self: self._graph, doc="The graph.")
    dtype = property(lambda self: self._initial.dtype, doc="The type of the elements.")
    initial_value = property(lambda self: self._initial, doc="The tensor that the initializer assigns.")

    @property
    def initializer(self) -> GraphOperation:
        """The operation that gives the variable its initial value."""
        if self._initializer is None:
            with self._graph._entered():
                made = self._graph.write(self, self._initial)
                self._initializer = GraphOperation(self._graph, [made], f"{self._name}/Assign", "Assign")
        return self._initializer

    def initialized_value(self) -> Any:
        """The initial value."""
        return self._initial

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """A tensor that assigns the variable when a session computes it."""
        return self._graph.write(self, convert.convert_to_tensor(value, self.dtype))

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """A tensor that adds to the variable when a session computes it."""
        return self._graph.write(self, self._graph.read(self) + convert.convert_to_tensor(delta, self.dtype))

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """A tensor that subtracts from the variable when a session computes it."""
        return self._graph.write(self, self._graph.read(self) - convert.convert_to_tensor(delta, self.dtype))

    def eval(self, session: Any = None) -> Any:
        """The value in a session."""
        return (session or default_session(self._graph)).run(self)

    def load(self, value: Any, session: Any = None) -> None:
        """Give the variable a value in a session."""
        (session or default_session(self._graph)).put(self, value)

    def is_initialized(self, name: str | None = None) -> Any:
        """Whether the default session has a value of it."""
        return convert.convert_to_tensor(default_session(self._graph).has(self))

    def __repr__(self) -> str:
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __hash__(self) -> int:
        return id(self)


class _Defaults(threading.local):
    """The graphs and sessions that are the default on this thread, the innermost last."""

    def __init__(self) -> None:
        self.graphs: list[Graph] = []
        self.sessions: list[Session] = []
        self.root: Graph | None = None
        self.entered: Any = None


defaults = _Defaults()


def default_graph() -> Graph:
    """The graph to which ops belong, or would belong if they were not run at once."""
    if defaults.graphs:
        return defaults.graphs[-1]
    if defaults.root is None:
        defaults.root = Graph()
    return defaults.root


def current_graph() -> Graph | None:
    """The graph that is being built; None where ops run at once, and in functions."""
    trace: Any = _current.trace
    while trace is not None:
        if isinstance(trace, GraphTrace):
            return trace.session_graph
        trace = trace.outer
    return defaults.graphs[-1] if defaults.graphs else None


def leave_eager_mode() -> None:
    """From now on ops of this thread belong to the default graph."""
    if defaults.entered is None:
        atexit.register(enter_eager_mode)  # while there is something to put back
        defaults.entered = default_graph().as_default()
        defaults.entered.__enter__()


def enter_eager_mode() -> None:
    """From now on ops run at once again."""
    if defaults.entered is not None:
        defaults.entered.__exit__(None, None, None)
        defaults.entered = None
        atexit.unregister(enter_eager_mode)


def reset_default_graph() -> None:
    """An empty graph takes the place of the default one."""
    entered = defaults.entered is not None
    enter_eager_mode()
    defaults.root = None
    if entered:
        leave_eager_mode()


def default_session(graph: Graph | None = None) -> Session:
    """The session of the innermost `with`; ValueError if there is none."""
    if not defaults.sessions:
        raise ValueError(
            errors.compose(
                "Cannot evaluate tensor: No default session is registered.",
                "use `with tf.compat.v1.Session() as session:`, or pass the session.",
            )
        )
    return defaults.sessions[-1]


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
        """Give the values of the variables up."""
        self._closed = True

    def list_devices(self) -> list[Any]:
        """The devices."""
        from gradtape import config

        return list(config.list_logical_devices())

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Callable[..., Any]:
        """A function of what is fed."""
        return lambda *values, **_: self.run(fetches, dict(_pairs(feed_list or [], values)))

    def partial_run(self, *_: Any) -> Any:
        """Not supported: run what is wanted at once."""
        raise NotImplementedError(
            errors.compose("Session.partial_run cannot be used: it is left out.", "use session.run.")
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
            raise TypeError(
                errors.compose(
                    f"Argument `fetch` = {fetch!r} has invalid type {type(fetch).__name__!r}. Must be a tensor, an operation or "
                    "a name of one.",
                    "fetch tensors of the graph.",
                )
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
        return self.graph.trace.value_of(tensor)

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
        with state.outside(), _plainly():
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
        with state.outside(), _plainly():
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
        """Give the values of the variables up."""
        if self in defaults.sessions:
            defaults.sessions.remove(self)
        super().close()


@contextlib.contextmanager
def _plainly() -> Iterator[None]:
    """A block in which variables are ordinary ones."""
    before, names.creators = names.creators, ()
    try:
        yield
    finally:
        names.creators = before


def _pairs(feed_list: Sequence[Any], values: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    yield from zip(feed_list, values, strict=True)


def _array_for(tensor: Any, value: Any) -> Any:
    """What is fed, with the dtype of the tensor that it replaces; ValueError if it does not fit."""
    array = value.numpy() if isinstance(value, Tensor) else value
    found = convert.convert_to_tensor(array, tensor.dtype) if tensor.dtype is dtypes.string else None
    made = found._array if found is not None else np.asarray(array).astype(tensor.dtype.numpy, copy=False)
    if not tensor.shape.is_compatible_with(made.shape):
        raise ValueError(
            errors.compose(
                f"Cannot feed value of shape {made.shape} for Tensor {getattr(tensor, 'name', '')}, which has shape {tensor.shape}.",
                "feed an array of that shape.",
            )
        )
    return made


def _result(element: Any, found: list[Any] | None) -> Any:
    if found is None:
        return None
    arrays = [t.numpy() for t in found]
    return element._form().build(arrays) if isinstance(element, Composite) else arrays[0]


class Plan:
    """How to compute some values of a graph from others.

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
        """Add what the library assigns itself when something is computed: the states of random numbers that are drawn."""
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
            walk(part, trace, known, lambda node, tensor: node.params["variable"].assign(symbol(tensor.value, trace)))
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
    """What must be there or have run before something."""
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


def _own(trace: Any, tensor: Any) -> Symbol:
    return symbol(trace.value_of(tensor), trace)


_counter = itertools.count()


def uid() -> int:
    """A number that was not given before."""
    return next(_counter)
