"""Trace: a run of the user's function that writes down what happens.

While a trace is entered, ops on its symbols become nodes, variables are read and assigned in the graph, and tensors from
outside become captures. A recording goes along: it is the tape from which the function's own derivative is made, with
custom gradients and all. Tapes that were entered before the call see none of this; they are shown the call as one op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from gradtape.compiler.effects import ASSIGN, REREAD
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.compiler.runtime.program import calls_user, may_assign
from gradtape.core import errors, provenance, state
from gradtape.core.dispatch import notify
from gradtape.core.interpreter import services
from gradtape.core.op import REGISTRY, Op
from gradtape.core.recorder import NO_PARAMS
from gradtape.core.shape import ANY, Spec, Steps, spec_of
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.tracing.dynamic_shapes import symbolic_shapes
from gradtape.tracing.dynamic_shapes.late_node import Deferred
from gradtape.tracing.dynamic_shapes.symbolic_values import SymbolicValues, is_small
from gradtape.tracing.function_graph import FunctionGraph
from gradtape.tracing.symbol import Symbol, out_of_scope, symbol
from gradtape.transform.batched import Batched, number_beside
from gradtape.transform.opaque_op import recorded_by
from gradtape.transform.record import Recording

_current = state.current
_STEP = 0.125  # between the levels of nested traces; maps count by one, Jacobians by one half


class TraceRecording(Recording):
    """The tape that goes along with a trace. It also notes the constants that are made meanwhile: they belong to the
    function, whereas tensors from outside are captured, since outer tapes may differentiate with respect to them. What is computed from
    such tensors alone is computed at once; if a tape knows them, it is a part of the graph too."""

    __slots__ = ("_trace", "made")

    def __init__(self, trace: Trace) -> None:
        super().__init__(watch_accessed=False)
        self.made: dict[int, Tensor] = {}
        self._trace = trace

    def see(
        self, op: Any, ids: tuple[int, ...], values: Any, params: dict[str, Any], outputs: Any, result: Any
    ) -> None:
        """An op became a node, or was computed."""
        first = outputs[0] if type(outputs) is tuple and outputs else outputs
        if type(first) is Tensor and any(ids):
            values, result = self._trace.adopt(op, ids, values, params, outputs)
        super().see(op, ids, values, params, outputs, result)
        if self._trace.tracks_constants:
            self._track(outputs)

    def _track(self, outputs: Any) -> None:
        """Let results have gradients that depend on nothing which has."""
        for y in outputs if type(outputs) is tuple else (outputs,):
            if isinstance(y, Tensor) and y.dtype.is_trainable and y._id not in self.tracked:
                if type(y) is Tensor and not y._id:
                    self.made[id(y)] = y
                y._id = y._id or state.new_id()
                self.tracked.add(y._id)

    def see_pair(self, op: Any, i: int, j: int, p: Any, q: Any, y: Any, result: Any) -> None:
        """An operator was computed."""
        self.see(op, (i, j), (p, q), NO_PARAMS, y, result)

    def created(self, tensor: Tensor) -> None:
        """A constant was made."""
        self.made[id(tensor)] = tensor
        if self._trace.tracks_constants and tensor.dtype.is_trainable:
            tensor._id = tensor._id or state.new_id()
            self.tracked.add(tensor._id)


def current_trace() -> Trace | None:
    """The innermost function that is being traced, with all that a trace can tell to this package; see `state.tracing`."""
    return cast("Trace | None", _current.trace)


class UntrackedSource(BaseException):
    """Somebody differentiates with respect to a tensor without a symbol: the function is traced again, with one for each constant.

    No Exception: the user's code must not catch it.
    """

    def __init__(self, trace: Trace) -> None:
        """About the trace of that function."""
        self.trace = trace


class Trace:
    """One trace of a function.

    Attributes:
      graph: what has been written down.
      recording: the tape that goes along.
      level: above all transformations that run around it.
      created: variables that were made meanwhile.
      tracks_constants: True if constants that are made meanwhile have gradients, so that ops on them become nodes; False if the
        function can be traced again for this; None if it cannot.
      sees: finished traces whose symbols may be captured: a gradient's trace sees that of its function.
      shapes: the symbolic shapes of values whose sizes are not known; see `dynamic_shapes/symbolic_shapes.py`.
      ranges: the bounds of those ranges of which AutoGraph knows them.
      place: where new nodes belong in the user's code, if not where that is running now.
      rereads: values that a block has read again, with the tensors that hold them, until it is decided whether it has to.
      provisional: whether it reads stand-ins of variables that have no value yet, so that it serves this one call only.
    """

    is_block = False  # whether it is the trace of a branch or body, not of a function

    def __init__(
        self, name: str, sees: tuple[Trace, ...] = (), lift: Any = None, tracks_constants: bool | None = None
    ) -> None:
        self.graph: Graph = FunctionGraph(name, self)
        self.outer = current_trace()
        # Blocks are traced as the function around them is.
        inherited: bool | None = self.outer.tracks_constants if self.outer is not None else None
        self.tracks_constants: bool | None = inherited if tracks_constants is None else tracks_constants
        self.level = (_current.depth or 0.0) + _STEP
        self.sees = sees
        self.parameters: list[Symbol] = []
        self.created: list[Variable] = []
        self.is_open = self.provisional = False
        self._lift = lift
        self._values: dict[int, tuple[Any, Value]] = {}
        self._variables: dict[int, Symbol] = {}
        # How often Python code was called that may have assigned variables, and after which of the calls each was read.
        self._calls = 0
        self._read_after: dict[int, int] = {}
        # How often code of the user is called, and how often it was before the value of each was taken last.
        self._pauses = 0
        self._last_pause: Node | None = None
        self._taken_after: dict[int, int] = {}
        self._before: list[Any] = []
        self.shapes: dict[Value, Any] = {}
        self.rereads: dict[Value, list[Symbol]] = {}
        self.place: provenance.Place | None = None
        self.ranges: dict[Value, Any] = {}
        self._peeked: dict[Value, Any] = {}
        self._adopted: dict[int, Symbol] = {}
        self.recording: TraceRecording

    def __enter__(self) -> Trace:
        self._before.append((_current.recorders, _current.depth, _current.trace))
        _current.depth, _current.trace = self.level, self
        if not hasattr(self, "recording"):
            self.recording = TraceRecording(self)
        everywhere = [r for r in _current.recorders if getattr(r, "everywhere", False)]
        _current.recorders = (self.recording, *everywhere)
        self.recording.spans.append(state.new_id())
        self.is_open = True
        return self

    def __exit__(self, *problem: Any) -> None:
        _current.recorders, _current.depth, _current.trace = self._before.pop()
        self.recording.spans.append(state.new_id())
        self.is_open = bool(self._before)

    @property
    def is_general(self) -> bool:
        """True if some sizes are known only when the function runs."""
        return bool(self.shapes)

    def note_constant(self, tensor: Tensor) -> None:
        """Take notice of a tensor that is made of known numbers: somebody may differentiate with respect to it."""
        self.recording.created(tensor)

    def parameter(self, spec: Spec, name: str = "", shape: Any = None) -> Symbol:
        """A new argument of the function; `shape` is the symbolic shape of one whose size is not known, if it has one already."""
        value = self._sized(Value(spec, name=name), shape)
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
        if not self.shapes or op.infers_unknown or all(v.spec.is_known for v in values):
            specs: Any = op.infer(*[v.spec for v in values], **params)
            shapes = self._kept_sizes(values, specs) if op.infers_unknown else None
        else:
            specs, shapes = self.infer(op, values, params)
        return self._append(op, inputs, values, params, specs, shapes)

    def append(
        self, op: Any, inputs: Sequence[Any], params: dict[str, Any], specs: Any, shapes: Sequence[Any] | None = None
    ) -> Any:
        """The outputs of a new node with known specs, and perhaps symbolic shapes."""
        return self._append(op, tuple(inputs), [self.value_of(x) for x in inputs], params, specs, shapes)

    def _append(
        self,
        op: Any,
        inputs: tuple[Any, ...],
        values: list[Value],
        params: dict[str, Any],
        specs: Any,
        shapes: Any,
    ) -> Any:
        node = Node(op, values, params, specs, self.place or provenance.user_place(4))
        self.graph.nodes.append(node)
        self.notice(node)
        for i, value in enumerate(node.outputs):
            self._sized(value, None if shapes is None or i >= len(shapes) else shapes[i])
        made = [symbol(v, self) for v in node.outputs]
        outputs = tuple(made) if node.several else made[0]
        if not made:
            return outputs
        if self._must_wait(op, node):
            op = Deferred(op, len(node.inputs), len(node.outputs), node.several)
        ids = tuple([x._id if isinstance(x, Tensor) else 0 for x in inputs])
        notify(op, ids, inputs, params, outputs, outputs)
        return outputs

    def notice(self, node: Node) -> None:
        """Take notice of what a new node may do to variables."""
        if calls_user(node):
            self._pauses += 1
            self._last_pause = node
        if node.effect and may_assign(node):
            self._python_ran()

    def _must_wait(self, op: Any, node: Node) -> bool:
        """True if the op's vjp may need sizes that are not known. Elementwise ops of one input never do."""
        if not self.shapes or not op.differentiable or op.any_size or (op.elementwise and len(node.inputs) == 1):
            return False
        return any(v in self.shapes for v in (*node.inputs, *node.outputs))

    def infer(self, op: Op, values: Sequence[Value], params: dict[str, Any]) -> tuple[Any, list[Any]]:
        """The specs and the symbolic shapes that an op gives for values whose sizes are not all known."""
        return symbolic_shapes.infer(op, [v.spec for v in values], [self.shape_of(v) for v in values], params)

    def _kept_sizes(self, values: list[Value], spec: Spec) -> Any:
        """The symbolic shape of a result of which no more is unknown than of the only input."""
        own = self.shape_of(values[0])
        if own is ANY or spec.shape is ANY or len(own) != len(spec.shape):
            return None
        return [tuple([m if n is None else n for m, n in zip(own, spec.shape, strict=True)])]

    def _sized(self, value: Value, shape: Any) -> Value:
        """The value, with a symbolic shape if its size is not known."""
        if not value.spec.is_known and type(value.spec.shape) is not Steps:
            self.shapes[value] = symbolic_shapes.with_symbols(value.spec.shape) if shape is None else shape
        return value

    def shape_of(self, value: Value) -> Any:
        """The symbolic shape of a value."""
        found = self.shapes.get(value)
        return value.spec.shape if found is None else found

    def symbolic_shape(self, x: Any) -> Any:
        """The symbolic shape of a tensor."""
        return self.shape_of(self.value_of(x))

    def later(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        missing: Exception | None = None,
        name: str = "",
        like: Sequence[Any] | None = None,
    ) -> Any:
        """What a function returns that needs sizes or values which are not known yet: it becomes one node."""
        if not name:  # passes know ops by their names
            name = function.__name__ if function.__name__ not in REGISTRY else f"late {function.__name__}"
        return services().later(self, function, args, kwargs, missing, name, like)

    def map_rows(self, fn: Callable[[Any], Any], rows: Any) -> Any:
        """What a function gives for each row of tensors, stacked, by a loop."""
        return services().map_rows(fn, rows)

    @contextmanager
    def holding(self, variables: Sequence[Variable], values: Sequence[Any]) -> Iterator[Callable[[Variable], Symbol]]:
        """Run a block in which variables have given values; what it assigns is not written down. The function that is
        yielded tells the values at its end."""
        before, assign = dict(self._variables), self.__dict__.get("assign")
        for variable, value in zip(variables, values, strict=True):
            self._variables[variable._id] = symbol(self.value_of(value), self, variable._id)
        self.assign = self._hold  # type: ignore[method-assign]
        try:
            yield lambda variable: symbol(self._variables[variable._id].value, self)
        finally:
            self._variables = before
            if assign is None:
                del self.assign
            else:
                self.assign = assign  # type: ignore[method-assign]

    def _hold(self, variable: Variable, tensor: Tensor) -> None:
        self._put(variable, self.value_of(tensor))

    def peek(self, value: Value) -> Any:
        """The array of a value that does not depend on the arguments; None if it does."""
        if value not in self._peeked:
            self._peeked[value] = self._evaluated(value)
        return self._peeked[value]

    def peek_symbolic(self, x: Any) -> Any:
        """The array of a small tensor of ints and symbols that depends on nothing but sizes; None if it depends on more."""
        return SymbolicValues(self).of(self.value_of(x))

    def source_of(self, value: Value) -> Any:
        """The array of a value that no node makes, where it is known."""
        if value in self.graph.constants:
            return self.graph.constants[value]
        source = next((s for s, v in self.graph.captures if v is value), None)
        return source._array if type(source) is Tensor else None

    def _evaluated(self, value: Value) -> Any:
        node = value.node
        if node is None:
            return self.source_of(value)
        if not is_small(value):
            return None
        if node.op.name == "shape_of":
            shape = node.inputs[0].spec.shape
            return None if None in shape else np.array(shape, node.params["dtype"].numpy)
        arrays = [self.peek(v) for v in node.inputs]
        if any(a is None for a in arrays):
            return None
        try:
            found = node.op.kernel(*arrays, **node.params)
        except Exception:
            return None
        return found[node.outputs.index(value)] if node.several else found

    def value_of(self, x: Any) -> Value:
        """The value of an operand: a symbol's own, a capture, or a constant."""
        if isinstance(x, Symbol) and x.trace is self:
            return x.value
        known = self._values.get(id(x))
        if known is not None:
            return known[1]
        if isinstance(x, Symbol) and x.trace not in self.sees and not self._is_outer(x.trace):
            raise out_of_scope(x)
        if isinstance(x, Batched) and x.level > self.level:
            raise x.needs_value("An effect in a function")  # a map in the function then goes from example to example
        spec, shape = (x.value.spec, x.trace.shape_of(x.value)) if isinstance(x, Symbol) else (spec_of(x), None)
        value = self._sized(Value(spec), shape)
        if type(x) is Tensor and id(x) in self.recording.made:
            self.graph.constants[value] = x._array
        elif isinstance(x, Tensor):
            x._id = x._id or state.new_id()
            self._watch(x)
            self.graph.captures.append((x, value))
            self._adopted[x._id] = symbol(value, self, x._id)
        else:
            self.graph.constants[value] = x
        self._values[id(x)] = (x, value)
        return value

    def keep_constant(self, x: Tensor) -> None:
        """Make a tensor a constant of the graph, so that its value can be asked for."""
        if id(x) not in self._values:
            value = Value(spec_of(x))
            self.graph.constants[value] = x._array
            self._values[id(x)] = (x, value)

    def adopt(self, op: Op, ids: tuple[int, ...], arrays: Any, params: dict[str, Any], outputs: Any) -> Any:
        """Make a node of an op that was computed on tensors from outside which a tape knows; later uses of what came out
        are uses of the node. Returns its inputs and outputs as symbols."""
        given = []
        for identity, array in zip(ids, arrays, strict=True):
            if identity and identity not in self._adopted:
                self.value_of(wrap(array, identity))  # a capture; all uses are of one symbol
            given.append(self._adopted[identity] if identity else array)
        several = type(outputs) is tuple
        row = outputs if several else (outputs,)
        if hasattr(op, "kernel"):
            specs = tuple([spec_of(y) for y in row])
            place = self.place or provenance.user_place(4)
            node = Node(op, [self.value_of(x) for x in given], params, specs if several else specs[0], place)
            self.graph.nodes.append(node)
            values = node.outputs
        else:  # a call of Python code with its own derivative, which nobody can run again
            values = tuple([self.constant(y._array).value for y in row])
        made = []
        for y, value in zip(row, values, strict=True):
            y._id = y._id or state.new_id()
            made.append(symbol(value, self, y._id))
            self._adopted[y._id] = made[-1]
            self._values[id(y)] = (y, value)
        return given, tuple(made) if several else made[0]

    def constant(self, array: Any) -> Symbol:
        """A tensor of an array that is known already."""
        value = Value(spec_of(array))
        self.graph.constants[value] = array
        return symbol(value, self)

    def _is_outer(self, other: Trace) -> bool:
        """True if symbols of another trace can be captured since it is around this one, or is seen by one that is."""
        trace = self.outer
        while trace is not None:
            if trace is other or other in trace.sees:
                return True
            trace = trace.outer
        return any(seen._is_outer(other) for seen in self.sees)

    def read(self, variable: Variable) -> Symbol:
        """The value of a variable at this point of the program."""
        found = self._variables.get(variable._id)
        if found is None:
            value = self._sized(Value(spec_of(variable)), None)
            self.graph.captures.append((variable, value))
            found = self._variables[variable._id] = symbol(value, self, variable._id)
            self._watch(found)
        if self._read_after.get(variable._id, 0) != self._calls:
            found = self._reread(variable, found)
        return found

    def read_for_update(self, variable: Variable) -> Symbol:
        """The value of a variable, from which its next one is computed. Other threads update it while code of the user runs: it is read
        again after that, so that no update is lost."""
        found = self.read(variable)
        if type(self) is Trace and self._taken_after.get(variable._id, 0) != self._pauses:
            found = self._reread(variable, found)
        return found

    def _python_ran(self) -> None:
        """Python code was called: what variables hold is only known by reading them again."""
        self._calls += 1

    def _reread(self, variable: Variable, before: Symbol) -> Symbol:
        """The value that a variable has after the Python code that was called last; gradients take it for the variable."""
        node = self._reading(variable, before)
        self.graph.nodes.append(node)
        return self._put(variable, node.outputs[0])

    def _reading(self, variable: Variable, before: Symbol) -> Node:
        """A node that reads a variable again."""
        node = Node(REREAD, (before.value,), {"variable": variable}, (before.value.spec,), provenance.user_place(3))
        self._sized(node.outputs[0], self.shapes.get(before.value))
        return node

    def _put(self, variable: Variable, value: Value) -> Symbol:
        """Take a value for that of a variable at this point of the program."""
        self._read_after[variable._id], self._taken_after[variable._id] = self._calls, self._pauses
        found = self._variables[variable._id] = symbol(value, self, variable._id)
        return found

    def assign(self, variable: Variable, tensor: Tensor) -> None:
        """Write down an assignment; later reads see it."""
        value = self.value_of(tensor)
        if _current.undo is not None:
            with recorded_by():
                _current.undo.append((self, variable, self.read_for_update(variable)))
        if variable.trainable:
            self.read(variable)  # what is read after the assignment has a gradient by the variable too
        self.graph.nodes.append(Node(ASSIGN, (value,), {"variable": variable}, (), provenance.user_place(3)))
        for recorder in _current.recorders:
            recorder.access(variable)
            recorder.assigned(variable, tensor._id, provenance.user_place(3))
        self._put(variable, value)

    def update(self, variable: Variable, what: str, delta: Tensor) -> None:
        """Write down `assign_add` or `assign_sub`."""
        with recorded_by():  # no gradient flows through an assignment
            old = self.read_for_update(variable)
            if not variable.shape.is_fully_defined():  # what it holds when the function runs decides
                from gradtape.tracing.shape_check import OF_SHAPE  # few variables are of unknown size

                fix = "use tf.broadcast_to(delta, tf.shape(v))."
                delta = OF_SHAPE(delta, old, who=what, name=variable.name, fix=fix)
            new = REGISTRY["add" if what == "assign_add" else "subtract"](old, delta)
        new._id = 0
        self.assign(variable, new)

    def lift(self, variable: Variable, initial: Tensor) -> Tensor:
        """The initial value of a variable that is made in the function; only the first trace may make some."""
        if self._lift is None:
            raise made_too_late(2)
        self.created.append(variable)
        return self._lift(initial) if isinstance(initial, Symbol) else initial


def made_too_late(depth: int) -> ValueError:
    """The error of a variable that is made in a later trace than the first."""
    return ValueError(
        errors.compose(
            "tf.function only supports singleton tf.Variables created on the first call: this one was created in "
            "a later trace, or on every call.",
            "create variables outside of the function, or keep them: `if self.v is None: self.v = tf.Variable(...)`.",
            depth=depth,
        )
    )
