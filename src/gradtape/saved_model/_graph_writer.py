"""Traces as descriptions: their graphs, and the recordings from which their derivatives are made.

A trace refers to other traces: the blocks of its loops and branches have one each, and so have the functions that it
calls. All that are reached are described, with one numbering of values, identities, variables and places.

A custom gradient is Python code. It is traced here, once, and what is written is its graph.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any

from gradtape.compiler.effects import Effect
from gradtape.compiler.graph import Node, Value
from gradtape.core import errors, provenance
from gradtape.core.indexed_slices import IndexedSlices, RowCotangent, densify
from gradtape.core.op import Op
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor, host
from gradtape.core.variable import Variable
from gradtape.lookup._table import Table
from gradtape.polymorphic_function.concrete_function import Slot
from gradtape.random._generator import Generator
from gradtape.saved_model import _json_values as json_values
from gradtape.saved_model._references import OpNames, UnsaveableError, described
from gradtape.saved_model._tables import describe_table
from gradtape.tracing.control.block import Block, BlockTrace
from gradtape.tracing.control.branch import BRANCH, BRANCH_OF_EXAMPLES
from gradtape.tracing.dynamic_shapes.late_node import Calling, Deferred, DeferredGradient, Late, LateGradient
from gradtape.tracing.staged import Call, Staged, _own
from gradtape.tracing.symbol import Symbol
from gradtape.tracing.trace import Trace
from gradtape.transform.opaque_op import Opaque, WithZeros


class GraphWriter(json_values.Writer):
    """Describes traces and everything that they refer to.

    Args:
      custom_gradients: whether custom gradients are traced and kept.
      whole_paths: whether the places of nodes have the whole paths of their files.

    Attributes:
      variables: those that were met, in this order.
      tensors: captured tensors, in this order.
    """

    def __init__(self, custom_gradients: bool = True, whole_paths: bool = False) -> None:
        super().__init__()
        self.variables: list[Variable] = []
        self.tensors: list[Tensor] = []
        self._custom, self._whole_paths = custom_gradients, whole_paths
        self._numbers: dict[Any, int] = {}
        self._known_as: dict[tuple[int, int], Tensor] = {}
        self._held: list[Any] = []  # what is numbered by its `id`
        self._identities: dict[int, int] = {0: 0}
        self._values: list[Any] = []
        self._slots: list[Any] = []
        self._lookups: list[Any] = []
        self.pipelines: list[Any] = []
        self._blocks: list[Any] = []
        self._places: list[Any] = []
        self._traces: list[Any] = []
        self._waiting: list[Trace] = []
        self._finished: list[Trace] = []
        self._names = OpNames()
        self._at: tuple[str, Any] = ("", None)

    def tables(self) -> dict[str, Any]:
        """The descriptions of everything reached so far."""
        while self._waiting:
            trace = self._waiting.pop(0)
            self._traces[self._numbers[id(trace)]] = self._described(trace)
            self._finished.append(trace)
        for trace in self._finished:
            self._traces[self._numbers[id(trace)]]["known"] = self._known_tensors(trace)
        captures = [self.describe(host(t._array)) for t in self.tensors]
        return {
            "captures": captures, "pipelines": self.pipelines,
            "lookups": self._lookups, "values": self._values, "slots": self._slots, "blocks": self._blocks, "traces": self._traces,
            "places": self._places,
        }  # fmt: skip

    def trace(self, trace: Trace) -> int:
        """The number of a trace."""
        number, is_new = self._number(trace, self._traces)
        if is_new:
            self._waiting.append(trace)
        return number

    def symbol(self, symbol: Symbol) -> Any:
        """A symbol as its trace, value and identity."""
        return [self.trace(symbol.trace), self.value(symbol.value), self.identity(symbol._id)]

    def variable(self, variable: Variable) -> int:
        """The number of a variable."""
        number, is_new = self._number(variable, self.variables)
        if is_new:
            self.variables[number] = variable
        return number

    def tensor(self, tensor: Tensor) -> int:
        """The number of a tensor that functions close over."""
        # Traces capture some tensors in objects of their own.
        tensor = self._known_as.setdefault((tensor._id, id(tensor._array)), tensor)
        number, is_new = self._number(tensor, self.tensors)
        if is_new:
            self.tensors[number] = tensor
        return number

    def value(self, value: Value) -> int:
        """The number of a value."""
        number, is_new = self._number(value, self._values)
        if is_new:
            content = self.describe(value.spec)["spec"]
            self._values[number] = [*content, value.name] if value.name else content
        return number

    def identity(self, identity: int) -> int:
        """The number of an identity, in order of appearance; each description counts from one."""
        return self._identities.setdefault(identity, len(self._identities))

    def identities_of(self, sources: Sequence[Any]) -> list[int]:
        """The identities of variables and tensors."""
        return [self.identity(source._id) for source in sources]

    def describe(self, value: Any) -> Any:
        """A value as JSON; UnsaveableError if it cannot be described."""
        if isinstance(value, Symbol):
            return {"symbol": self.symbol(value)}
        if isinstance(value, Slot):
            return {"slot": self._slot(value)}
        if isinstance(value, Variable):
            return {"variable": self.variable(value)}
        if type(value) is Tensor:
            return {"capture": self.tensor(value)}
        if isinstance(value, Block):
            return {"block": self._block(value)}
        if isinstance(value, Op) or hasattr(type(value), "effect"):
            return {"op": self.op(value)}
        if isinstance(value, RowCotangent):
            return {"rows": [self.describe(v) for v in (value.values, value.indices, value.dense_shape)]}
        if isinstance(value, Generator):
            return {"generator": self.variable(value.state)}
        if isinstance(value, Table):
            return {"table": self.lookup(value)}
        if isinstance(value, LateGradient):
            return {"late gradient": [self.op(value.op), value.given, value.wanted, value.present]}
        if isinstance(value, DeferredGradient):
            content = (value.params, value.several, value.needs, value.given, value.wanted, value.present)
            return {"deferred gradient": [self.op(value.op), *[self.describe(v) for v in content]]}
        return super().describe(value)

    def op(self, op: Any) -> Any:
        """The description of an op: its name if it belongs to the library, else the arguments that it was made from."""
        if isinstance(op, Deferred):
            return {"deferred": [self.op(op.op), [len(op.inputs), len(op.outputs)], op.several]}
        if isinstance(op, Late):
            return {"late": self._late(op)}
        if isinstance(op, Call):
            return {"function": self._call(op)}
        if op is BRANCH_OF_EXAMPLES:  # its knowledge of single examples belongs to a map that has ended
            op = BRANCH
        if isinstance(op, Effect):
            return {"effect": [op.name, self.describe(op.act)]}
        name = self._names.of(op)
        if name is None and hasattr(getattr(op, "func", None), "form"):
            return {"dataset": importlib.import_module(json_values.DATASETS).described(op, self)}
        if name is None:
            function = getattr(op, "func", None) or getattr(op, "_function", None)
            raise UnsaveableError(f"{op.name}: it calls {described(function)}" if function else f"the op {op.name}")
        return name

    def _number(self, key: Any, table: list[Any]) -> tuple[int, bool]:
        """The number of an object, and whether it is new; a new one gets an empty place in the table."""
        number = self._numbers.get(id(key))
        if number is not None:
            return number, False
        self._held.append(key)
        self._numbers[id(key)] = len(table)
        table.append(None)
        return len(table) - 1, True

    def pipeline(self, part: Any, describe: Callable[[], Any]) -> int:
        """The number of a part of a dataset."""
        number, is_new = self._number(part, self.pipelines)
        if is_new:
            self.pipelines[number] = describe()
        return number

    def lookup(self, table: Table) -> int:
        """The number of a lookup table."""
        number, is_new = self._number(table, self._lookups)
        if is_new:
            self._lookups[number] = describe_table(self, table)
        return number

    def _slot(self, slot: Slot) -> int:
        number, is_new = self._number(slot, self._slots)
        if is_new:
            identity = self.identity(slot._id)
            self._slots[number] = [
                *self.describe(spec_of(slot._value))["spec"],
                self.describe(slot._shape),
                slot.trainable,
                slot._name,
                identity,
            ]
        return number

    def _block(self, block: Block) -> int:
        number, is_new = self._number(block, self._blocks)
        if is_new:
            self._blocks[number] = {
                "trace": self.trace(block.trace),
                "parameters": [self.value(v) for v in block.parameters],
                "outputs": [[self.value(v), self.identity(i)] for v, i in block.returns()],
                "quiet": block.quiet,
            }
        return number

    def _late(self, op: Late) -> Any:
        calling = op.call
        assert isinstance(calling, Calling)
        structure, leaves, places = calling.opened.parts
        return {
            "name": op.name,
            "function": self.describe(calling.function),
            "structure": self.describe(structure),
            "leaves": [None if i in places else self.describe(leaf) for i, leaf in enumerate(leaves)],
            "places": places,
            "dense": calling.dense,
            "counts": [len(op.inputs), len(op.outputs)],
            "variables": [self.describe(v) for v in op.variables],
            "assigned": [self.describe(v) for v in op.assigned],
        }

    def _call(self, op: Call) -> Any:
        return {
            "staged": self.staged(op.staged),
            "values": [self.value(v) for v in op.values],
            "identities": [self.identity(i) for i in op.identities],
            "reached": list(op.reached),
        }

    def staged(self, staged: Staged) -> Any:
        """A finished trace with its outputs."""
        return [self.trace(staged.trace), [self.symbol(y) for y in staged.outputs]]

    def place(self, code: Any, offset: int) -> int | None:
        """The number of a place in the user's program."""
        site = None if code is None else provenance.Site.of((code, offset))
        if site is None:
            return None
        file = site.filename if self._whole_paths else "<saved model>/" + os.path.basename(site.filename)
        entry = [file, site.line, site.function]
        number = self._numbers.get(tuple(entry))
        if number is None:
            number = self._numbers[tuple(entry)] = len(self._places)
            self._places.append(entry)
        return number

    def _described(self, trace: Trace) -> Any:
        graph, recording = trace.graph, trace.recording
        is_block = isinstance(trace, BlockTrace)
        is_inside = is_block or any(isinstance(source, Symbol) for source, _ in graph.captures)
        self._at = (graph.name, None)
        try:
            return {
                "name": graph.name,
                "kind": "block" if is_block else "function",
                "level": trace.level,
                "outer": self.trace(trace.outer) if is_inside and trace.outer is not None else None,
                "sees": [self.trace(t) for t in trace.sees],
                "parameters": [
                    # The symbol may stand for another value by now: `set_shape` makes it that of a check.
                    [self.value(v), self.value(p.value), self.identity(p._id)]
                    for v, p in zip(graph.parameters, trace.parameters, strict=True)
                ],
                "captures": [[self.describe(source), self.value(v)] for source, v in graph.captures],
                "constants": [[self.value(v), self.describe(array)] for v, array in graph.constants.items()],
                "nodes": [self._node(node) for node in graph.nodes],
                "unknown": [self.value(v) for v in trace.shapes],
                "tracked": sorted([self.identity(i) for i in recording.tracked]),
                "roots": sorted([self.identity(i) for i in recording.roots]),
                "records": [
                    self._record(trace, *pair) for pair in zip(recording.records, recording.saved, strict=True)
                ],
            }
        except UnsaveableError as problem:
            raise self._refusal(problem) from None

    def _known_tensors(self, trace: Trace) -> list[list[int]]:
        """The tensors that stand in a graph for a value, mostly constants: (tensor, value), as far as anything holds them."""
        pairs = [(x, value) for x, value in trace._values.values() if type(x) is Tensor and id(x) in self._numbers]
        return [[self.tensor(x), self.value(value)] for x, value in pairs]

    def _refusal(self, problem: UnsaveableError) -> Exception:
        """The error for something that cannot be saved, with the place of the node that holds it."""
        name, place = self._at
        site = provenance.Site.of(place) if place is not None else None
        return errors.InvalidArgumentError(
            f"saved_model.save: the function {name} cannot be saved, since its graph holds {problem}."
            + (f"\n  at:  {site}" if site else "")
            + "\n  fix: compute with functions of tf in what is saved, and call Python code outside of it."
        )

    def _node(self, node: Node) -> Any:
        self._at = (self._at[0], node.place)
        return [
            self.op(node.op),
            [self.value(v) for v in node.inputs],
            self._params(node.op, node.params),
            [self.value(v) for v in node.outputs],
            node.several,
            self.place(*(node.place or (None, -1))),
        ]

    def _params(self, op: Any, params: Any) -> Any:
        kept = ("branches",) if op is BRANCH_OF_EXAMPLES else params
        return {name: self.describe(params[name]) for name in kept}

    def _record(self, trace: Trace, record: tuple[Any, ...], saved: tuple[Any, ...]) -> Any:
        op, ids, out, params, code, offset, specs = record
        self._at = (self._at[0], None if code is None else (code, offset))
        numbers = [self.identity(i) for i in out] if specs is not None else self.identity(out)
        if isinstance(op, Opaque):
            needs = [i in trace.recording.tracked for i in ids]
            operation: Any = {"custom": [op.name, self._pullback(trace, op.name, saved[0], specs, needs)]}
            # Cotangents that are left out are zeros like these, whose sizes are known when the function runs.
            kept: Any = [self.describe(y) for y in saved[0].outputs] if isinstance(saved[0], WithZeros) else []
        else:
            operation, kept = self.op(op), [self.describe(v) for v in saved]
        return [
            operation,
            self._residuals(op),
            [self.identity(i) for i in ids],
            numbers,
            self._params(op, params),
            self.place(code, offset),
            None if specs is None else [[self.describe(v) for v in pair] for pair in specs],
            kept,
        ]

    def _residuals(self, op: Any) -> Any:
        """The names of the values that the op's vjp reads: another version of the library may read others."""
        return [list(pair) for pair in op.residuals] if self._names.of(op) is not None else None

    def _pullback(self, trace: Trace, name: str, pullback: Any, specs: Any, needs: list[bool]) -> Any:
        """A custom gradient, traced."""
        if not self._custom:
            return None
        with Trace(f"gradient of {name}", sees=_around(trace)) as own:
            seeds = [own.parameter(spec_of(_Like(shape, dtype))) for shape, dtype in specs]
            grads = [_dense(d) for d in pullback(tuple(seeds), needs)]
            results = [_own(own, d) for d in grads if d is not None]
        return [self.staged(Staged(own, results)), [d is not None for d in grads]]


class _Like:
    """A shape and a dtype, as a tensor shows them."""

    def __init__(self, shape: Any, dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype


def _dense(d: Any) -> Any:
    return densify(d) if isinstance(d, IndexedSlices) else d


def _around(trace: Trace) -> tuple[Trace, ...]:
    """A trace, and those whose symbols it may hold."""
    found: list[Trace] = []
    todo: list[Trace | None] = [trace]
    while todo:
        one = todo.pop()
        if one is not None and one not in found:
            found.append(one)
            todo += [one.outer, *one.sees]
    return tuple(found)
