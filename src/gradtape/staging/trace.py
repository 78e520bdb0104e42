"""Trace: a run of the user's function that writes down what happens.

While a trace is entered, ops on its symbols become nodes, variables are read and assigned in the graph, and tensors from
outside become captures. A recording goes along: it is the tape from which the function's own derivative is made, with
custom gradients and all. Tapes that were entered before the call see none of this; they are shown the call as one op.
"""

from __future__ import annotations

from typing import Any

from gradtape.compiler.effects import ASSIGN
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.core import errors, provenance, state
from gradtape.core.dispatch import notify
from gradtape.core.op import REGISTRY, Op
from gradtape.core.shape import Spec, spec_of
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.staging.symbol import Symbol, out_of_scope, symbol
from gradtape.transform.batched import number_beside
from gradtape.transform.opaque import recorded_by
from gradtape.transform.recording import Recording

_current = state.current
_STEP = 0.125  # between the levels of nested traces; maps count by one, Jacobians by one half


class TraceRecording(Recording):
    """The tape that goes along with a trace. It also notes the constants that are made meanwhile: they belong to the
    function, whereas tensors from outside are captured, since somebody may differentiate by them."""

    __slots__ = ("made",)

    def __init__(self) -> None:
        super().__init__(watch_accessed=False)
        self.made: dict[int, Tensor] = {}

    def created(self, tensor: Tensor) -> None:
        """A constant was made."""
        self.made[id(tensor)] = tensor


class Trace:
    """One trace of a function.

    Attributes:
      graph: what has been written down.
      recording: the tape that goes along.
      level: above all transformations that run around it.
      created: variables that were made meanwhile.
      sees: finished traces whose symbols may be captured: a gradient's trace sees that of its function.
    """

    def __init__(self, name: str, sees: tuple[Trace, ...] = (), lift: Any = None) -> None:
        self.graph = Graph(name)
        self.outer: Trace | None = _current.trace
        self.level = (_current.depth or 0.0) + _STEP
        self.sees = sees
        self.parameters: list[Symbol] = []
        self.created: list[Variable] = []
        self.is_open = False
        self._lift = lift
        self._values: dict[int, tuple[Any, Value]] = {}
        self._variables: dict[int, Symbol] = {}
        self._before: list[Any] = []
        self.recording: TraceRecording

    def __enter__(self) -> Trace:
        self._before.append((_current.recorders, _current.depth, _current.trace))
        _current.depth, _current.trace = self.level, self
        if not hasattr(self, "recording"):
            self.recording = TraceRecording()
        _current.recorders = (self.recording,)
        self.is_open = True
        return self

    def __exit__(self, *problem: Any) -> None:
        _current.recorders, _current.depth, _current.trace = self._before.pop()
        self.is_open = bool(self._before)

    def parameter(self, spec: Spec, name: str = "") -> Symbol:
        """A new argument of the function."""
        value = Value(spec, name=name)
        self.graph.parameters.append(value)
        tensor = symbol(value, self, state.new_id())
        self.parameters.append(tensor)
        self._watch(tensor)
        return tensor

    @property
    def identities(self) -> list[int]:
        """Those of the parameters and of the captures, as the recording knows them."""
        return [*[p._id for p in self.parameters], *[source._id for source, _ in self.graph.captures]]

    def _watch(self, tensor: Tensor) -> None:
        if tensor.dtype.is_trainable:
            self.recording.tracked.add(tensor._id)
            self.recording.roots.add(tensor._id)

    def add(self, op: Op, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The outputs of a new node, which the recorders of this trace are shown."""
        inputs = tuple([x if hasattr(x, "dtype") else number_beside(x, inputs) for x in inputs])
        values = [self.value_of(x) for x in inputs]
        specs = op.infer(*[v.spec for v in values], **params)
        node = Node(op, values, params, specs, provenance.user_place(3))
        self.graph.nodes.append(node)
        made = [symbol(v, self) for v in node.outputs]
        outputs = tuple(made) if node.several else made[0]
        ids = tuple([x._id if isinstance(x, Tensor) else 0 for x in inputs])
        notify(op, ids, inputs, params, outputs, outputs)
        return outputs

    def value_of(self, x: Any) -> Value:
        """The value of an operand: a symbol's own, a capture, or a constant."""
        if isinstance(x, Symbol) and x.trace is self:
            return x.value
        known = self._values.get(id(x))
        if known is not None:
            return known[1]
        if isinstance(x, Symbol) and x.trace not in self.sees and not self._is_outer(x.trace):
            raise out_of_scope(x)
        value = Value(spec_of(x))
        if type(x) is Tensor and id(x) in self.recording.made:
            self.graph.constants[value] = x._array
        elif isinstance(x, Tensor):
            x._id = x._id or state.new_id()
            self._watch(x)
            self.graph.captures.append((x, value))
        else:
            self.graph.constants[value] = x
        self._values[id(x)] = (x, value)
        return value

    def constant(self, array: Any) -> Symbol:
        """A tensor of an array that is known already."""
        value = Value(spec_of(array))
        self.graph.constants[value] = array
        return symbol(value, self)

    def _is_outer(self, other: Trace) -> bool:
        trace = self.outer
        while trace is not None:
            if trace is other:
                return True
            trace = trace.outer
        return False

    def read(self, variable: Variable) -> Symbol:
        """The value of a variable at this point of the program."""
        found = self._variables.get(variable._id)
        if found is None:
            value = Value(spec_of(variable._value))
            self.graph.captures.append((variable, value))
            found = self._variables[variable._id] = symbol(value, self, variable._id)
            self._watch(found)
        return found

    def assign(self, variable: Variable, tensor: Tensor) -> None:
        """Write down an assignment; later reads see it."""
        value = self.value_of(tensor)
        self.graph.nodes.append(Node(ASSIGN, (value,), {"variable": variable}, (), provenance.user_place(3)))
        for recorder in _current.recorders:
            recorder.access(variable)
            recorder.assigned(variable, tensor._id, provenance.user_place(3))
        self._variables[variable._id] = symbol(value, self, variable._id)

    def update(self, variable: Variable, what: str, delta: Tensor) -> None:
        """Write down `assign_add` or `assign_sub`."""
        with recorded_by():  # no gradient flows through an assignment
            new = REGISTRY["add" if what == "assign_add" else "subtract"](self.read(variable), delta)
        new._id = 0
        self.assign(variable, new)

    def lift(self, variable: Variable, initial: Tensor) -> Tensor:
        """The initial value of a variable that is made in the function; only the first trace may make some."""
        if self._lift is None:
            raise ValueError(
                errors.compose(
                    "tf.function only supports singleton tf.Variables created on the first call: this one was created in "
                    "a later trace, or on every call.",
                    "create variables outside of the function, or keep them: `if self.v is None: self.v = tf.Variable(...)`.",
                    depth=2,
                )
            )
        self.created.append(variable)
        return self._lift(self, initial) if isinstance(initial, Symbol) else initial
