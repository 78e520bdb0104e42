"""tf.Graph: a trace that stays open; sessions run parts of it (`_session.py`).

While a graph is the default, ops on its tensors become nodes as in a function that is being traced. `Session.run` takes the nodes
that the fetches need, in the order in which they were made, and has a `tf.function` write them anew: so they are compiled, once
for each shape of what is fed. A variable belongs to the graph and its value to a session. Reading one is a value of the
graph, assigning one a node; what runs under `tf.control_dependencies` depends on what is named there, and reads variables again.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from gradtape.compat._graph_keys import GraphKeys
from gradtape.compiler.graph import Value
from gradtape.core import convert, dtypes, errors, nest, state
from gradtape.core.op import REGISTRY
from gradtape.core.shape import ANY, Spec, TensorShape
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.core.variable_copies import VariableAggregation, VariableSynchronization
from gradtape.core.variable_creation import names
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
        """Run the operation in a session."""
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
        self._collections: dict[Any, list[Any]] = {}
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
        """A name that no op has yet: `x`, `x_1`, …, with the scopes around. Names that differ in case alone count as equal."""
        whole = "/".join((*names.scopes, name))
        first = key = whole.lower()
        count = self._names.get(key, 0)
        if mark_as_used:
            self._names[key] = count + 1
        if not count:
            return whole
        while key in self._names:
            key, count = f"{first}_{count}", count + 1
        if mark_as_used:
            self._names[key] = 1
        return f"{whole}_{count - 1}"

    def get_name_scope(self) -> str:
        """The enclosing scopes."""
        return "/".join(names.scopes)

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """A scope of names, made unique; one that ends with a slash is taken as it is, and an empty one is the outermost."""
        if name and not re.fullmatch(
            r"[A-Za-z0-9_.\\\-/>]*" if names.scopes else r"[A-Za-z0-9.][A-Za-z0-9_.\\\-/>]*", name
        ):
            raise errors.build(
                ValueError, f"{name!r} is not a valid scope name.", "use letters, digits and underscores."
            )
        before, found = names.scopes, name or ""
        if found:
            found = found[:-1] if found.endswith("/") else self.unique_name(found)
        names.scopes = tuple(filter(None, found.split("/")))
        try:
            yield f"{found}/" if found else ""
        finally:
            names.scopes = before

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
            raise errors.build(
                ValueError,
                f"{variable.name} must be from the same graph as what it is used with.",
                "make the variable under the graph's as_default().",
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
            raise errors.build(
                ValueError,
                f"Shapes must be compatible: variable {variable.name} has {variable.shape}, the value {tensor.shape}.",
                "reshape the value.",
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
        """Add an item to a collection."""
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Add an item to several collections."""
        for name in [names] if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """The items of a collection whose names begin with a scope, a regular expression."""
        found = list(self._collections.get(name, ()))
        if not scope:
            return found
        return [x for x in found if hasattr(x, "name") and re.match(scope, x.name)]

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def get_all_collection_keys(self) -> list[str]:
        """The names of the collections that are strings."""
        return [name for name in self._collections if isinstance(name, str)]

    def get_collection_ref(self, name: Any) -> list[Any]:
        """A collection itself."""
        return self._collections.setdefault(name, [])

    def clear_collection(self, name: Any) -> None:
        """Empty a collection."""
        self._collections.pop(name, None)

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
        """The operations, in order of creation."""
        made = [Operation(symbol(node.outputs[0], self.trace)) for node in self.trace.graph.nodes if node.outputs]
        return [*[Operation(t) for t in self.trace.parameters], *made]

    def finalize(self) -> None:
        """Finalise the graph: nothing may be added."""
        self._finalized = True

    @property
    def finalized(self) -> bool:
        """Whether the graph is finalised."""
        return self._finalized

    def device(self, device_name: Any) -> Any:
        """A block on a device; there is one."""
        return contextlib.nullcontext()

    def gradient_override_map(self, op_type_map: Mapping[str, str]) -> Any:
        """A block in which ops have other gradients, by name: ops have no string names here, so only an empty map is taken."""
        if op_type_map:
            raise errors.build(
                NotImplementedError,
                "Graph.gradient_override_map cannot replace the gradients of ops.",
                "use tf.custom_gradient.",
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
        """Whether the variable has a value in the default session."""
        return convert.convert_to_tensor(default_session(self._graph).has(self))

    def __repr__(self) -> str:
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __eq__(self, other: object) -> Any:
        # In a graph of sessions variables are compared by identity, as TensorFlow does there.
        graph = current_graph()
        return self is other if graph is not None and not graph.building_function else super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        graph = current_graph()
        return self is not other if graph is not None and not graph.building_function else super().__ne__(other)

    def __hash__(self) -> int:
        return id(self)


class _Defaults(threading.local):
    """The graphs and sessions that are the default on this thread, the innermost last."""

    def __init__(self) -> None:
        self.graphs: list[Graph] = []
        self.sessions: list[Any] = []
        self.root: Graph | None = None
        self.entered: Any = None


defaults = _Defaults()


def default_graph() -> Graph:
    """The graph to which ops belong, or would belong if they did not run immediately."""
    if defaults.graphs:
        return defaults.graphs[-1]
    if defaults.root is None:
        defaults.root = Graph()
    return defaults.root


def current_graph() -> Graph | None:
    """The graph under construction; None in eager code and in functions."""
    trace: Any = _current.trace
    while trace is not None:
        if isinstance(trace, GraphTrace):
            return trace.session_graph
        trace = trace.outer
    return defaults.graphs[-1] if defaults.graphs else None


def leave_eager_mode() -> None:
    """Make the ops of this thread belong to the default graph."""
    if defaults.entered is None:
        atexit.register(enter_eager_mode)  # while there is something to put back
        defaults.entered = default_graph().as_default()
        defaults.entered.__enter__()


def enter_eager_mode() -> None:
    """Make ops run immediately again."""
    if defaults.entered is not None:
        defaults.entered.__exit__(None, None, None)
        defaults.entered = None
        atexit.unregister(enter_eager_mode)


def reset_default_graph() -> None:
    """Replace the default graph by an empty one."""
    entered = defaults.entered is not None
    enter_eager_mode()
    defaults.root = None
    if entered:
        leave_eager_mode()


def default_session(graph: Graph | None = None) -> Any:
    """The session of the innermost `with`; ValueError if there is none."""
    if not defaults.sessions:
        raise errors.build(
            ValueError,
            "Cannot evaluate tensor: No default session is registered.",
            "use `with tf.compat.v1.Session() as session:`, or pass the session.",
        )
    return defaults.sessions[-1]


@contextlib.contextmanager
def plainly() -> Iterator[None]:
    """A block in which variables are ordinary ones."""
    before, names.creators = names.creators, ()
    try:
        yield
    finally:
        names.creators = before


_counter = itertools.count()


def uid() -> int:
    """A new unique number."""
    return next(_counter)
