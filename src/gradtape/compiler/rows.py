"""Machine code of recipes: for each row a few passes, each a loop of vectors whose last one is masked."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from gradtape.compiler.emission import (
    I64,
    POINTER,
    VOID,
    Compiled,
    across,
    close,
    counted,
    offset,
    places,
    plain,
    table_of,
)
from gradtape.compiler.recipe import REDUCTIONS, RowLoop
from gradtape.compiler.simd import conversion
from gradtape.compiler.simd.emitter import VectorEmitter
from gradtape.compiler.simd.loop import default_width, element
from gradtape.compiler.simd.value import Value, memory_type
from gradtape.core import dtypes, large
from gradtape.core.dtypes import DType
from gradtape.core.shape import Spec

# Elements of a chunk, about. Each chunk sums its own rows first, so there should not be many.
_CHUNK = 1 << 16
_COSTLY = frozenset(
    [
        "exp",
        "expm1",
        "log",
        "log1p",
        "pow",
        "sin",
        "cos",
        "tan",
        "tanh",
        "sinh",
        "cosh",
        "erf",
        "erfc",
        "div",
        "sqrt",
        "rsqrt",
    ]
)


class FusedRows:
    """A recipe for rows as an op of a graph: its kernel runs machine code on whole arrays.

    Attributes:
      loop: what it computes.
      parts: names of the ops in it, for people.
    """

    elementwise = False
    effect = False

    def __init__(self, loop: RowLoop, specs: Sequence[Spec], parts: str) -> None:
        self.loop, self.parts = loop, parts
        self.name = f"fused[{parts}]"
        code = compiled(loop)
        self._call = code.call
        self._columns = [loop.calls[n].method == "column_sum" for n in loop.outputs]
        shapes = [(code.chunks, *s.shape) if c else s.shape for s, c in zip(specs, self._columns, strict=True)]
        self._outputs = [
            (shape, s.dtype.numpy, math.prod(shape) >= large.THRESHOLD) for shape, s in zip(shapes, specs, strict=True)
        ]

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The outputs, in new arrays."""
        made = [
            large.empty(shape, dtype) if is_large else np.empty(shape, dtype)
            for shape, dtype, is_large in self._outputs
        ]
        self._call(*[plain(x) for x in arrays], *made)
        if True not in self._columns:
            return tuple(made)
        # Each chunk has summed its own rows; the order of the chunks is always the same.
        return tuple([np.add.reduce(y, 0) if c else y for y, c in zip(made, self._columns, strict=True)])


@functools.lru_cache(maxsize=512)
def compiled(loop: RowLoop) -> Compiled:
    """The machine code of a loop over rows; equal loops share it."""
    module = ir.Module(name="rows")
    emitter = _RowEmitter(module, loop)
    task = emitter.emit()
    return Compiled(module, task, len(loop.inputs) + len(loop.outputs), emitter.chunks)


class _RowEmitter:
    """Writes the functions of one loop over rows."""

    def __init__(self, module: ir.Module, loop: RowLoop) -> None:
        self.module, self.loop = module, loop
        self.axes, self.width = loop.shape[:-1], loop.shape[-1]
        self.rows = math.prod(self.axes)
        # What is the same along a row takes no room in the vectors that are loaded and stored.
        self.lanes = default_width([t for t, varies in zip(loop.types, loop.varies, strict=True) if varies])
        self.per_chunk = max(1, _CHUNK // max(1, self.width))
        self.chunks = max(1, -(-self.rows // self.per_chunk))

    def emit(self) -> ir.Function:
        """The function for a chunk of rows."""
        row = self._emit_row()
        function = ir.Function(self.module, ir.FunctionType(VOID, [I64, I64]), "task")
        table, chunk = function.args
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        pointers = table_of(builder, table, len(self.loop.inputs) + len(self.loop.outputs))
        first = builder.mul(chunk, I64(self.per_chunk))
        last = builder.add(first, I64(self.per_chunk))
        last = builder.select(builder.icmp_signed("<", last, I64(self.rows)), last, I64(self.rows))
        outputs = list(zip(self.loop.outputs, pointers[len(self.loop.inputs) :], strict=True))
        sums = {}
        for number, pointer in outputs:
            if self.loop.calls[number].method == "column_sum":
                dtype = self.loop.types[number]
                sums[number] = element(builder, pointer, dtype, builder.mul(chunk, I64(self.width)))
                self._clear(builder, sums[number], dtype)
        loop = counted(builder, first, "rows")
        at = places(builder, loop[0], self.axes)
        moved = []
        for pointer, (number, varies) in zip(pointers, self.loop.inputs, strict=False):
            begin = offset(builder, at, self.axes, varies, self.width if varies[-1] else 1)
            moved.append(element(builder, pointer, self.loop.types[number], begin))
        for number, pointer in outputs:
            size = self.width if self.loop.varies[number] else 1
            begin = element(builder, pointer, self.loop.types[number], builder.mul(loop[0], I64(size)))
            moved.append(sums.get(number, begin))
        builder.call(row, moved)
        close(builder, loop, last, 1)
        builder.ret_void()
        return function

    def _clear(self, builder: ir.IRBuilder, pointer: Any, dtype: DType) -> None:
        """Zeros for one row."""
        loop = counted(builder, I64(0), "clear")
        builder.store(
            ir.Constant(memory_type(dtype), None), element(builder, pointer, dtype, loop[0]), align=dtype.size
        )
        close(builder, loop, I64(self.width), 1)

    def _emit_row(self) -> ir.Function:
        """`row(inputs, outputs)`: one row, pass by pass."""
        count = len(self.loop.inputs) + len(self.loop.outputs)
        function = ir.Function(self.module, ir.FunctionType(VOID, [POINTER] * count), "row")
        function.linkage = "internal"
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.sources = dict(zip([n for n, _ in self.loop.inputs], function.args, strict=False))
        targets = list(zip(self.loop.outputs, function.args[len(self.loop.inputs) :], strict=True))
        self.known: dict[int, Value] = {}
        for number in range(max(self.loop.passes, default=0) + 1):
            self._row_values(number)
            sums = [
                i for i, c in enumerate(self.loop.calls) if c.method in REDUCTIONS and self.loop.passes[i] == number + 1
            ]
            stores = [t for t in targets if self.loop.varies[t[0]] and self.loop.passes[t[0]] == number]
            later = [
                t
                for t in targets
                if self.loop.varies[t[0]]
                and self.loop.passes[t[0]] > number
                and self.loop.calls[t[0]].method != "column_sum"
            ]
            kept = self._kept(sums, later)
            if sums or stores:
                self._pass(sums, stores + kept)
            self.sources.update(kept)
        self._row_values(max(self.loop.passes, default=0))
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        for number, pointer in targets:
            if not self.loop.varies[number]:
                conversion.store_one(cg, self.known[number], pointer)
        self.builder.ret_void()
        return function

    def _kept(self, sums: list[int], later: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
        """Values that cost much, are computed for sums now, and are needed again for results of later passes: they wait in
        the memory of those results."""
        now = self._needs([self.loop.calls[i].operands[0] for i in sums])
        kept: dict[int, Any] = {}
        for number, pointer in later:
            found = [
                i
                for i in sorted(now & self._needs([number]), reverse=True)
                if self.loop.calls[i].method in _COSTLY and self.loop.types[i] is self.loop.types[number]
            ]
            if found and found[0] not in kept and found[0] not in self.sources:
                kept[found[0]] = pointer
        return list(kept.items())

    def _needs(self, numbers: list[int]) -> set[int]:
        """All values that differ along the row and that some values are computed from, themselves among them."""
        found: set[int] = set()
        waiting = list(numbers)
        while waiting:
            i = waiting.pop()
            if i not in found and self.loop.varies[i]:
                found.add(i)
                waiting += self.loop.calls[i].operands
        return found

    def _row_values(self, number: int) -> None:
        """Compute what is the same for the whole row and can be known before a pass."""
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        for i, call in enumerate(self.loop.calls):
            if i in self.known or self.loop.varies[i] or self.loop.passes[i] > number or call.method in REDUCTIONS:
                continue
            if call.method == "input":
                self.known[i] = conversion.load_one(cg, self.sources[i], self.loop.types[i])
            else:
                self.known[i] = self._call(cg, i, self.known)

    def _call(self, cg: VectorEmitter, i: int, values: dict[int, Value]) -> Value:
        call = self.loop.calls[i]
        found: Value = getattr(cg, call.method)(*[_renewed(cg, values[k]) for k in call.operands], *call.extra)
        return found

    def _pass(self, sums: list[int], stores: list[tuple[int, Any]]) -> None:
        """The row once: whole vectors in a loop, and what is left of the row under a mask."""
        totals = {i: self._start(i) for i in sums}
        whole = self.width - self.width % self.lanes
        if whole:
            entry = self.builder.block
            loop = counted(self.builder, I64(0), "pass")
            running = {i: self.builder.phi(totals[i].ir.type) for i in sums}
            for i in sums:
                running[i].add_incoming(totals[i].ir, entry)
                totals[i] = Value(totals[i].cg, running[i], totals[i].dtype)
            totals = self._vector(totals, stores, loop[0], None)
            for i in sums:
                running[i].add_incoming(totals[i].ir, self.builder.block)
            close(self.builder, loop, I64(whole), self.lanes)
        if whole < self.width:
            left = ir.Constant(
                ir.VectorType(ir.IntType(1), self.lanes), [int(whole + k < self.width) for k in range(self.lanes)]
            )
            totals = self._vector(totals, stores, I64(whole), left)
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        for i in sums:
            self.known[i] = self._finished(cg, i, totals[i])

    def _vector(
        self, totals: dict[int, Value], stores: list[tuple[int, Any]], index: Any, left: Any
    ) -> dict[int, Value]:
        """One vector of the row: running reductions taken further, and whole results stored."""
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        mask = None if left is None else Value(cg, left, dtypes.bool_)
        values = dict(self.known)
        following = {
            i: self._joined(cg, i, total, self._value(cg, self.loop.calls[i].operands[0], values, index, mask), mask)
            for i, total in totals.items()
        }
        for number, pointer in stores:
            call = self.loop.calls[number]
            is_sum = call.method == "column_sum"
            x = self._value(cg, call.operands[0] if is_sum else number, values, index, mask)
            place = element(cg.builder, pointer, x.dtype, index)
            if is_sum:
                x = cg.add(self._at(cg, place, x.dtype, mask), x)
            if mask is None:
                conversion.store(cg, x, place)
            else:
                conversion.store_masked(cg, x, place, mask)
        return following

    def _value(self, cg: VectorEmitter, i: int, values: dict[int, Value], index: Any, mask: Value | None) -> Value:
        """A value in a pass, computed from what it needs."""
        waiting = [i]
        while waiting:
            k = waiting[-1]
            call = self.loop.calls[k]
            missing = [o for o in call.operands if o not in values]
            if k in values or not missing:
                waiting.pop()
                if k not in values:
                    values[k] = self._leaf(cg, k, values, index, mask)
            else:
                waiting += missing
        return values[i]

    def _leaf(self, cg: VectorEmitter, k: int, values: dict[int, Value], index: Any, mask: Value | None) -> Value:
        call, dtype = self.loop.calls[k], self.loop.types[k]
        if k in self.sources:
            return self._at(cg, element(cg.builder, self.sources[k], dtype, index), dtype, mask)
        if call.method == "position":
            return Value(cg, self._numbers(cg, index), dtype)
        return self._call(cg, k, values)

    @staticmethod
    def _at(cg: VectorEmitter, place: Any, dtype: DType, mask: Value | None) -> Value:
        return conversion.load(cg, place, dtype) if mask is None else conversion.load_masked(cg, place, dtype, mask)

    def _numbers(self, cg: VectorEmitter, index: Any) -> Any:
        """The positions of the lanes in the row."""
        narrow = ir.IntType(32)
        is_known = isinstance(index, ir.Constant)
        first = narrow(index.constant) if is_known else cg.builder.trunc(index, narrow)
        lanes = ir.Constant(ir.VectorType(narrow, self.lanes), list(range(self.lanes)))
        return cg.builder.add(cg.broadcast(first, dtypes.int32).ir, lanes)

    def _start(self, i: int) -> Value:
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        dtype = _accumulator(self.loop, i)
        if self.loop.calls[i].method == "row_sum":
            return cg.splat(0, dtype)
        return cg.splat(-math.inf if dtype.is_floating else dtype.min, dtype)

    def _joined(self, cg: VectorEmitter, i: int, total: Value, x: Value, mask: Value | None) -> Value:
        """A running sum or maximum with a further vector; lanes that are not in the row do not count."""
        total, x = _renewed(cg, total), cg.cast(x, total.dtype)
        is_sum = self.loop.calls[i].method == "row_sum"
        joined = cg.add(total, x) if is_sum else cg.select(cg.gt(x, total), x, total)
        return joined if mask is None else cg.select(mask, joined, total)

    def _finished(self, cg: VectorEmitter, i: int, total: Value) -> Value:
        """The lanes of a running sum or maximum joined to one, in all lanes."""
        builder, dtype = cg.builder, total.dtype
        if self.loop.calls[i].method == "row_sum":
            join = builder.fadd if dtype.is_floating else builder.add
            one = across(builder, total.ir, self.lanes, join)
        else:
            one = across(builder, total.ir, self.lanes, functools.partial(_larger, builder, dtype))
        return cg.cast(Value(cg, cg.broadcast(one, dtype).ir, dtype), self.loop.types[i])


def _accumulator(loop: RowLoop, i: int) -> DType:
    """The dtype in which a reduction is made: long sums of float32 in float64, those of narrow floats in float32."""
    dtype = loop.types[i]
    if dtype is dtypes.float32 and loop.calls[i].method == "row_sum" and loop.shape[-1] > _LONG:
        return dtypes.float64
    return dtypes.float32 if dtype.name in ("float16", "bfloat16") else dtype


_LONG = 256  # so many terms lose no more than a unit in the last place or two


def _larger(builder: ir.IRBuilder, dtype: DType, a: Any, b: Any) -> Any:
    """The larger of two lanes."""
    if dtype.is_floating:
        return builder.select(builder.fcmp_ordered(">", a, b), a, b)
    compare = builder.icmp_unsigned if dtype.is_unsigned else builder.icmp_signed
    return builder.select(compare(">", a, b), a, b)


def _renewed(cg: VectorEmitter, value: Value) -> Value:
    """A value for an emitter that did not make it."""
    return value if value.cg is cg else Value(cg, value.ir, value.dtype)
