"""The graph of a traced function, with the methods by which programs look at TensorFlow's graphs."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gradtape.compiler.graph import Graph, Value
from gradtape.core.variable import Variable
from gradtape.tracing.operation import Operation
from gradtape.tracing.symbol import symbol

if TYPE_CHECKING:
    from gradtape.tracing.trace import Trace


@dataclass
class NodeDef:
    """An op in writing: its name, type, and the names of its inputs."""

    name: str
    op: str
    input: list[str] = field(default_factory=list)
    attr: dict[str, Any] = field(default_factory=dict)
    device: str = ""


@dataclass
class GraphDef:
    """A graph in writing: a list of ops."""

    node: list[NodeDef] = field(default_factory=list)


@dataclass
class ArgDef:
    """An argument or result of a function in writing."""

    name: str
    type: int


@dataclass
class OpDef:
    """The name, arguments and results of a function in writing."""

    name: str
    input_arg: list[ArgDef]
    output_arg: list[ArgDef]


@dataclass
class FunctionDef:
    """A function in writing."""

    signature: OpDef
    node_def: list[NodeDef]


class FunctionGraph(Graph):
    """The graph of a function.

    >>> graph = tf.function(lambda x: tf.nn.relu(x) + 1.0).get_concrete_function(tf.TensorSpec([2])).graph
    >>> [op.type for op in graph.get_operations()]
    ['Placeholder', 'Const', 'Relu', 'AddV2']
    """

    __slots__ = ("__weakref__", "_function", "_trace")

    building_function = True

    @property
    def is_control_flow_graph(self) -> bool:
        """Whether it is the graph of a branch or of a loop's body."""
        trace = self._trace()
        return trace is not None and trace.is_block

    def __init__(self, name: str, trace: Trace) -> None:
        super().__init__(name)
        self._trace = weakref.ref(trace)
        self._function: Any = None  # a weak reference to the concrete function, once there is one

    def belong_to(self, function: Any) -> None:
        """Note the concrete function, which knows how its arguments and results are nested."""
        self._function = weakref.ref(function)

    def _concrete(self) -> Any:
        found = None if self._function is None else self._function()
        if found is None:
            raise AttributeError(f"the function of the graph {self.name} is not finished, or is gone")
        return found

    structured_input_signature = property(
        lambda self: self._concrete().structured_input_signature, doc="The specs of the arguments."
    )
    structured_outputs = property(
        lambda self: self._concrete().structured_outputs, doc="The results in the structure that the function returned."
    )
    variables = property(lambda self: self._concrete().variables, doc="The variables that the function uses.")
    trainable_variables = property(
        lambda self: self._concrete().trainable_variables, doc="Those of them that are trainable."
    )

    @property
    def inputs(self) -> list[Any]:
        """The arguments, as symbols."""
        trace = self._trace()
        return [] if trace is None else list(trace.parameters)

    @property
    def external_captures(self) -> list[Any]:
        """What the function closes over: handles of variables, and tensors."""
        return [source.handle if isinstance(source, Variable) else source for source, _ in self.captures]

    @property
    def internal_captures(self) -> list[Any]:
        """What stands in the graph for what the function closes over, as symbols."""
        trace = self._trace()
        return [] if trace is None else [symbol(value, trace) for _, value in self.captures]

    def get_operations(self) -> list[Operation]:
        """The operations, in the order in which they run: arguments, what the function closes over, constants, and ops."""
        trace = self._trace()
        return [] if trace is None else [Operation(symbol(v, trace), name, kind) for v, name, kind in self._firsts()]

    def _firsts(self) -> Iterator[tuple[Value, str, str | None]]:
        """The first value of each operation, its name, and its type if no op makes it."""
        used: dict[str, int] = {}

        def own(name: str) -> str:
            used[name] = count = used.get(name, -1) + 1
            return f"{name}_{count}" if count else name

        for value in self.parameters:
            yield value, own(value.name or "Placeholder"), "Placeholder"
        captured = set()
        for source, value in self.captures:
            captured.add(value)
            name = source.name if isinstance(source, Variable) else "capture"
            yield value, own(str(name).partition(":")[0]), "Placeholder"
        for value in self.constants:
            if value not in captured:
                yield value, own("Const"), "Const"
        for node in self.nodes:
            if node.outputs:
                yield node.outputs[0], own(node.op.name), None

    def get_operation_by_name(self, name: str) -> Operation:
        """An operation by its name; KeyError if there is none."""
        for operation in self.get_operations():
            if operation.name == name:
                return operation
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")

    def get_tensor_by_name(self, name: str) -> Any:
        """A result of an operation by its name, such as `x:0`; KeyError if there is none."""
        operation, _, index = name.partition(":")
        if not index.isdigit():
            raise ValueError(f"The name {name!r} looks like an (invalid) tensor name; tensor names have the form op:0.")
        return self.get_operation_by_name(operation).outputs[int(index)]

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> GraphDef:
        """The operations in writing."""
        made, names = [], dict[Value, str]()
        for operation in self.get_operations():
            inputs = [names[x.value] for x in operation.inputs if x.value in names]
            made.append(NodeDef(operation.name, operation.type, inputs))
            names |= {
                y.value: f"{operation.name}:{i}" if i else operation.name for i, y in enumerate(operation.outputs)
            }
        return GraphDef(made)
