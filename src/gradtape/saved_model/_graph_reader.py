"""Restoring traces from descriptions, as if the functions had been traced here.

Traces, blocks and ops refer to each other in circles, so they are made in stages: empty traces, what goes into them,
blocks, nodes, recordings.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

import numpy as np

from gradtape.compiler.effects import Effect
from gradtape.compiler.graph import Node, Value
from gradtape.core import dtypes, errors, state
from gradtape.core.indexed_slices import RowCotangent
from gradtape.core.shape import Spec, spec_of
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.polymorphic_function.concrete_function import Slot
from gradtape.random._generator import Generator
from gradtape.saved_model import _json_values as json_values
from gradtape.saved_model import _references as references
from gradtape.saved_model._tables import restored_table
from gradtape.saved_model._verify import check_size, is_true_of, verify
from gradtape.tracing.control.block import Block, BlockRecording, BlockTrace
from gradtape.tracing.dynamic_shapes.late_node import Calling, Deferred, DeferredGradient, Late, LateGradient, Opened
from gradtape.tracing.dynamic_shapes.symbolic_shapes import with_symbols
from gradtape.tracing.staged import Call, Staged
from gradtape.tracing.symbol import Symbol, symbol
from gradtape.tracing.trace import Trace, TraceRecording
from gradtape.transform.opaque_op import Opaque, WithZeros

_CODE = compile("", "<saved model>", "exec")
_NOWHERE = "<saved model>/"


class GraphReader(json_values.Reader):
    """Traces from the tables of a GraphWriter.

    Args:
      tables: what it wrote.
      array: a function of a name that gives an array.
      variables: the variables by their numbers, and `tensors` the captured tensors.
      identities: what the description calls the identities of both, in this order.
    """

    def __init__(
        self,
        tables: dict[str, Any],
        array: Callable[[str], Any],
        variables: list[Variable],
        tensors: list[Tensor],
        identities: Sequence[int],
    ) -> None:
        super().__init__(array)
        self._variables, self._tensors = variables, tensors
        self._identities = {0: 0}
        sources: list[Any] = [*variables, *tensors]
        for number, source in zip(identities, sources, strict=True):
            if number:  # a tensor that no tape knows has none
                source._id = source._id or state.new_id()
                self._identities[number] = source._id
        self._symbols: dict[tuple[int, int, int], Symbol] = {}
        self._blocks: list[Block] = []
        self._places = [_place(*entry) for entry in tables["places"]]
        self._values = [Value(json_values.spec(*entry[:2]), name="".join(entry[2:])) for entry in tables["values"]]
        for value in self._values:
            check_size(value.spec)
        self._lookups, self._pipelines = tables["lookups"], tables.get("pipelines", [])
        self._parts: dict[int, Any] = {}
        self._tables: dict[int, Any] = {}
        self._slots = [self._slot(*entry) for entry in tables["slots"]]
        self.rules |= {
            "symbol": lambda v: self.symbol(*v),
            "variable": self._variables.__getitem__,
            "slot": self._slots.__getitem__,
            "capture": self._tensors.__getitem__,
            "block": lambda v: self._blocks[v],
            "op": self.op,
            "rows": lambda v: RowCotangent(*[self.value(x) for x in v]),
            "table": self.lookup,
            "generator": lambda v: _generator(self._variables[v]),
            "late gradient": lambda v: LateGradient(self.op(v[0]), *v[1:]),
            "deferred gradient": lambda v: DeferredGradient(self.op(v[0]), *[self.value(x) for x in v[1:]]),
        }
        with state.outside():
            self.traces = [_KINDS[entry["kind"]](entry["name"]) for entry in tables["traces"]]
            pairs = list(zip(self.traces, tables["traces"], strict=True))
            for i, (trace, entry) in enumerate(pairs):
                self._fill(i, trace, entry)
            self._blocks = [self._block(entry) for entry in tables["blocks"]]
            for trace, entry in pairs:
                trace.graph.nodes += [self._node(*content) for content in entry["nodes"]]
            verify(self.traces, self._blocks)
            for trace in self.traces:
                _prepare(trace)
            for trace, entry in pairs:
                self._record_all(trace.recording, entry)

    def symbol(self, trace: int, value: int, identity: int) -> Symbol:
        """The only symbol with a trace, value and identity."""
        key = (trace, value, identity)
        found = self._symbols.get(key)
        if found is None:
            found = symbol(self._values[value], self.traces[trace], self.identity(identity))
            self._symbols[key] = found
        return found

    def identity(self, number: int) -> int:
        """The identity that replaces one in the description."""
        found = self._identities.get(number)
        if found is None:
            found = self._identities[number] = state.new_id()
        return found

    def pipeline(self, number: int, restore: Callable[[Any], Any]) -> Any:
        """A part of a dataset."""
        if number not in self._parts:
            self._parts[number] = None
            self._parts[number] = restore(self._pipelines[number])
        if self._parts[number] is None:
            raise ValueError("a dataset contains itself")
        return self._parts[number]

    def lookup(self, number: int) -> Any:
        """A lookup table."""
        if number not in self._tables:
            self._tables[number] = restored_table(self, self._lookups[number])
        return self._tables[number]

    def staged(self, content: Any) -> Staged:
        """A finished trace with its outputs."""
        return Staged(self.traces[content[0]], [self.symbol(*y) for y in content[1]])

    def op(self, content: Any) -> Any:
        """An op."""
        if isinstance(content, list):
            return references.op_of(content)
        ((kind, parts),) = content.items()
        if kind == "deferred":
            return Deferred(self.op(parts[0]), *self._counts(parts[1]), parts[2])
        if kind == "late":
            return self._late(parts)
        if kind == "dataset":
            return importlib.import_module(json_values.DATASETS).restored(parts, self)
        if kind == "effect":
            return Effect(parts[0], self.value(parts[1]))
        if kind == "custom":
            return Opaque(parts[0], None)  # type: ignore[arg-type]
        return self._call(parts)

    def _slot(self, shape: Any, dtype: str, static: Any, trainable: bool, name: str, identity: int) -> Slot:
        zeros = np.zeros([d or 0 for d in shape], dtypes.as_dtype(dtype).numpy)
        slot = Slot(Variable(zeros, trainable=trainable, shape=self.value(static)))
        slot._name = name
        self._identities[identity] = slot._id
        return slot

    def _late(self, parts: Any) -> RestoredLate:
        opened = Opened.of_parts(
            self.value(parts["structure"]), [self.value(leaf) for leaf in parts["leaves"]], parts["places"]
        )
        variables, assigned = self.value(parts["variables"]), self.value(parts["assigned"])
        function, counts = self.value(parts["function"]), self._counts(parts.get("counts", parts.get("fit")))
        if not callable(function) or not all(isinstance(v, Variable) for v in (*variables, *assigned)):
            raise TypeError(f"{parts['name']} is a call of {function!r} with {variables!r}")
        return RestoredLate(parts["name"], Calling(function, opened, parts["dense"]), *counts, variables, assigned)

    def _counts(self, content: Any) -> tuple[int, int]:
        """The number of inputs and outputs of an op; 0.1.0 wrote a shape for each."""
        if isinstance(content, dict):
            content = [len(shapes) for shapes in content["record"][1][:2]]
        inputs, outputs = content
        if not 0 <= inputs <= len(self._values) >= outputs >= 0:
            raise ValueError(f"an op has {inputs} inputs and {outputs} outputs")
        return inputs, outputs

    def _call(self, parts: Any) -> Call:
        values = [self._values[i] for i in parts["values"]]
        identities = [self.identity(i) for i in parts["identities"]]
        return Call(self.staged(parts["staged"]), (values, identities, parts["reached"]))

    def _block(self, entry: Any) -> Block:
        trace = self.traces[entry["trace"]]
        assert isinstance(trace, BlockTrace)
        outputs = [(self._values[v], self.identity(i)) for v, i in entry["outputs"]]
        return Block(trace, [self._values[i] for i in entry["parameters"]], outputs, entry["quiet"])

    def _fill(self, number: int, trace: Trace, entry: Any) -> None:
        """Everything but the nodes and the recording."""
        trace.level = entry["level"]
        trace.outer = None if entry["outer"] is None else self.traces[entry["outer"]]
        trace.sees = tuple([self.traces[i] for i in entry["sees"]])
        trace.parameters = [self.symbol(number, value, identity) for _, value, identity in entry["parameters"]]
        graph = trace.graph
        graph.parameters = [self._values[value] for value, _, _ in entry["parameters"]]
        graph.constants.update({self._values[v]: self.value(array) for v, array in entry["constants"]})
        for content, v in entry["captures"]:
            source, value = self.value(content), self._values[v]
            graph.captures.append((source, value))
            trace._values[id(source)] = (source, value)
        trace._values.update({id(self._tensors[t]): (self._tensors[t], self._values[v]) for t, v in entry["known"]})
        unknown = entry["unknown"] if "unknown" in entry else [v for v, _ in entry["examples"]]  # 0.1.0
        for value in [self._values[v] for v in unknown]:
            trace.shapes[value] = with_symbols(value.spec.shape)

    def _node(self, op: Any, inputs: Any, params: Any, outputs: Any, several: bool, place: Any) -> Node:
        node = Node(
            self.op(op),
            [self._values[i] for i in inputs],
            {name: self.value(v) for name, v in params.items()},
            (),
            None if place is None else self._places[place],
        )
        node.outputs, node.several = tuple([self._values[i] for i in outputs]), several
        if isinstance(node.op, RestoredLate):
            node.op.said = tuple([value.spec for value in node.outputs])
        for value in node.outputs:
            value.node = node
        return node

    def _record_all(self, recording: TraceRecording, entry: Any) -> None:
        recording.tracked.update([self.identity(i) for i in entry["tracked"]])
        recording.roots.update([self.identity(i) for i in entry["roots"]])
        for content in entry["records"]:
            record, saved = self._record(*content)
            recording.records.append(record)
            recording.saved.append(saved)

    def _record(
        self, op: Any, residuals: Any, ids: Any, out: Any, params: Any, place: Any, specs: Any, saved: Any
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        operation = self.op(op)
        kept: tuple[Any, ...] = tuple([self.value(v) for v in saved])
        if isinstance(operation, Opaque):
            kept = (self._custom(operation, kept, *op["custom"]),)
        elif residuals is not None and residuals != [list(pair) for pair in operation.residuals]:
            operation, kept = Opaque(operation.name, None), (_Changed(operation.name),)  # type: ignore[arg-type]
        code, offset = (None, -1) if place is None else self._places[place]
        outs: Any = self.identity(out) if specs is None else tuple([self.identity(i) for i in out])
        known = None if specs is None else tuple([tuple([self.value(v) for v in pair]) for pair in specs])
        record = (
            operation,
            tuple([self.identity(i) for i in ids]),
            outs,
            {name: self.value(v) for name, v in params.items()},
            code,
            offset,
            known,
        )
        return record, kept

    def _custom(self, op: Opaque, outputs: tuple[Any, ...], name: str, content: Any) -> Any:
        if content is None:
            return _Absent(name)
        gradient = CustomGradient(self.staged(content[0]), content[1])
        if not outputs:
            return gradient
        if not all(isinstance(y, Symbol) for y in outputs):
            raise ValueError(f"the custom gradient of {name} has outputs that are no symbols")
        op.takes_none = True  # type: ignore[misc]
        return WithZeros(gradient, outputs)


class RestoredLate(Late):
    """A late node from a file. Its results are compared with the specs in the file, on which later code relies.

    Attributes:
      said: the specs of the results.
    """

    said: tuple[Spec, ...] = ()

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The function, called on the arrays of a run."""
        made = super().kernel(*arrays)
        for array, said in zip(made, self.said, strict=bool(self.said)):
            if not is_true_of(spec_of(array), said):
                raise errors.build(
                    errors.DataLossError,
                    f"{self.name}: the saved graph claims a result {said}, but it is {spec_of(array)}.",
                    "the model is damaged: save it again.",
                )
        return made


class CustomGradient:
    """The pullback of a custom gradient: a traced function of the cotangents.

    Args:
      staged: the function; what it captures are symbols of the trace that it belongs to.
      present: which inputs get a cotangent.
    """

    def __init__(self, staged: Staged, present: list[bool]) -> None:
        self._staged, self._present = staged, present

    def __call__(self, dys: tuple[Any, ...], needs: Sequence[bool]) -> list[Any]:
        sources = [source for source, _ in self._staged.trace.graph.captures]
        found = iter(self._staged.run(dys, sources))
        return [next(found) if flag else None for flag in self._present]


class _Absent:
    """Stands for a custom gradient that was not saved."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, dys: tuple[Any, ...], needs: Sequence[bool]) -> Any:
        raise errors.build(
            errors.UnimplementedError,
            f"the custom gradient of {self._name} was not saved with the function.",
            "save it with SaveOptions(experimental_custom_gradients=True).",
        )


class _Changed:
    """Stands for a value that the vjp of an op read when it was saved, if this version reads others."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, dys: tuple[Any, ...], needs: Sequence[bool]) -> Any:
        raise errors.build(
            errors.UnimplementedError,
            f"the derivative of {self._name} was saved by another version of gradtape, but reads other values here.",
            "save the function again with this version; without gradients it can be called as it is.",
        )


_KINDS: dict[str, Callable[[str], Trace]] = {"function": Trace, "block": BlockTrace}


def _prepare(trace: Trace) -> None:
    """Give a trace an empty recording; those of blocks know that of the trace around."""
    if hasattr(trace, "recording"):
        return
    if isinstance(trace, BlockTrace):
        if trace.outer is not None:
            _prepare(trace.outer)
        outer = trace.outer
        trace.recording = BlockRecording(
            trace, ((), 0, None) if outer is None else ((outer.recording,), outer.level, outer)
        )
    else:
        trace.recording = TraceRecording(trace)
    trace.recording.depth = trace.level


def _place(file: str, line: int, function: str) -> tuple[CodeType, int]:
    """A place whose line is the first of a code object, since there is no other. Messages show the line of a Python file, never
    that of another file which the model names."""
    is_source = file.endswith(".py") and os.path.isfile(file)
    shown = file if is_source or file.startswith(_NOWHERE) else f"{_NOWHERE}{file}"
    return _CODE.replace(co_filename=shown, co_firstlineno=line, co_name=function), -1


def _generator(state_variable: Variable) -> Generator:
    generator = Generator.__new__(Generator)
    generator._alg, generator._state_var = 1, state_variable
    return generator
