"""Machine code of fused loops: vectors along the last axis, rows in chunks that several threads share.

Sums are made of one partial sum per chunk, so the bits of a result do not depend on the threads.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from gradtape.compiler.emission import (
    CHUNK,
    DOUBLE,
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
    room,
    table_of,
)
from gradtape.compiler.fusion import Loop
from gradtape.compiler.simd import conversion
from gradtape.compiler.simd.emitter import VectorEmitter
from gradtape.compiler.simd.loop import copy, default_width, element
from gradtape.compiler.simd.value import Value, memory_type
from gradtape.core import dtypes, large
from gradtape.core.dtypes import DType
from gradtape.core.shape import Spec


class Fused:
    """A fused loop as an op of a graph: its kernel runs machine code on whole arrays.

    Attributes:
      loop: what it computes.
      parts: names of the ops in it, for people.
      code: its machine code.
    """

    elementwise = False
    effect = False

    def __init__(self, loop: Loop, specs: Sequence[Spec], parts: str) -> None:
        self.loop, self.parts = loop, parts
        self.name = f"fused[{parts}]"
        self.code = compiled(loop)
        self._inputs = [i for i, known in enumerate(loop.constants) if known is None]
        self._outputs = [(s.shape, s.dtype.numpy, math.prod(s.shape) >= large.THRESHOLD) for s in specs]
        self._count = len(loop.outputs)

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The outputs, in new arrays."""
        given = [plain(arrays[i]) for i in self._inputs]
        made = [
            large.empty(shape, dtype) if is_large else np.empty(shape, dtype)
            for shape, dtype, is_large in self._outputs[: self._count]
        ]
        partials = [np.empty(self.code.chunks, np.float64) for _ in self.loop.sums]
        self.code.call(*given, *made, *partials)
        sums = [np.add.reduce(p).astype(d[1]) for p, d in zip(partials, self._outputs[self._count :], strict=True)]
        return (*made, *sums)


@functools.lru_cache(maxsize=512)
def compiled(loop: Loop) -> Compiled:
    """The machine code of a loop; equal loops share it."""
    module = ir.Module(name="loop")
    emitter = _LoopEmitter(module, loop)
    task = emitter.emit()
    return Compiled(module, task, emitter.count, emitter.chunks)


class _LoopEmitter:
    """Writes the functions of one loop."""

    def __init__(self, module: ir.Module, loop: Loop) -> None:
        self.module, self.loop = module, loop
        shape = loop.shape or (1,)
        self.rows, self.inner = math.prod(shape[:-1]), shape[-1]
        self.types = self._types()
        self.lanes = default_width([d for d in self.types if d is not None])
        self.live = [i for i, known in enumerate(loop.constants) if known is None]
        if self.rows == 1:
            self.per_chunk = -(-CHUNK // self.lanes) * self.lanes
            self.chunks = -(-self.inner // self.per_chunk)
        else:
            self.per_chunk = max(1, CHUNK // self.inner)
            self.chunks = -(-self.rows // self.per_chunk)

    def _types(self) -> list[DType]:
        """The dtype of every value, by running the steps on a builder that is thrown away."""
        function = ir.Function(ir.Module(name="probe"), ir.FunctionType(VOID, []), "probe")
        cg = VectorEmitter(function.module, ir.IRBuilder(function.append_basic_block()), 4)
        values = [cg.splat(1, dtype) for dtype, _ in self.loop.inputs]
        return [v.dtype for v in self._values(cg, values)]

    def _values(self, cg: VectorEmitter, values: list[Value]) -> list[Value]:
        """All values of one element, from those of the inputs."""
        for step in self.loop.steps:
            values.append(step.op.scalar(cg, *[values[i] for i in step.operands], **dict(step.params)))
        return values

    @property
    def count(self) -> int:
        """How many pointers the table has: inputs that are not known, outputs, partial sums."""
        return len(self.live) + len(self.loop.outputs) + len(self.loop.sums)

    def emit(self) -> ir.Function:
        """Write all functions into the module; the one for a chunk."""
        return self._emit_task(self._emit_row(self._emit_vectors()))

    def _is_row(self, i: int) -> bool:
        """Whether an input varies along the last axis."""
        varies = self.loop.inputs[i][1]
        return bool(varies) and varies[-1]

    def _emit_vectors(self) -> ir.Function:
        """`vectors(inputs, outputs, sums, start, stop, limit)`: whole vectors; sums skip what is not below the limit."""
        function = ir.Function(self.module, ir.FunctionType(VOID, [POINTER] * self.count + [I64] * 3), "vectors")
        function.linkage = "internal"
        function.attributes.add("noinline")
        *pointers, start, stop, limit = function.args
        sources = dict(zip(self.live, pointers, strict=False))
        targets = pointers[len(self.live) : len(self.live) + len(self.loop.outputs)]
        totals = pointers[len(self.live) + len(self.loop.outputs) :]
        entry, body, done = (function.append_basic_block(n) for n in ("entry", "body", "done"))
        builder = ir.IRBuilder(entry)
        cg = VectorEmitter(self.module, builder, self.lanes)
        fixed: dict[int, Value] = {}
        for i, (dtype, _) in enumerate(self.loop.inputs):
            if self.loop.constants[i] is not None:
                fixed[i] = cg.splat(self.loop.constants[i], dtype)
            elif not self._is_row(i):
                fixed[i] = conversion.load_one(cg, sources[i], dtype)
        before = [builder.load(t, typ=DOUBLE) for t in totals]
        builder.branch(body)
        builder.position_at_end(body)
        index = builder.phi(I64)
        running = [[builder.phi(ir.VectorType(DOUBLE, self.lanes))] for _ in totals]
        values = self._values(
            cg,
            [
                fixed[i] if i in fixed else conversion.load(cg, element(builder, sources[i], dtype, index), dtype)
                for i, (dtype, _) in enumerate(self.loop.inputs)
            ],
        )
        for target, number in zip(targets, self.loop.outputs, strict=True):
            conversion.store(cg, values[number], element(builder, target, values[number].dtype, index))
        for total, number in zip(running, self.loop.sums, strict=True):
            total.append(builder.fadd(total[0], self._summand(cg, values[number], index, limit)))
        following = builder.add(index, I64(self.lanes))
        index.add_incoming(start, entry)
        index.add_incoming(following, builder.block)
        for total in running:
            total[0].add_incoming(ir.Constant(total[0].type, [0.0] * self.lanes), entry)
            total[0].add_incoming(total[1], builder.block)
        builder.cbranch(builder.icmp_signed("<", following, stop), body, done)
        builder.position_at_end(done)
        for pointer, old, total in zip(totals, before, running, strict=True):
            builder.store(builder.fadd(old, across(builder, total[1], self.lanes, builder.fadd)), pointer)
        builder.ret_void()
        return function

    def _summand(self, cg: VectorEmitter, value: Value, index: Any, limit: Any) -> Any:
        """The lanes of a value as float64; 0 in those that are not below the limit."""
        builder = cg.builder
        wide = cg.cast(value, dtypes.float64)
        left = builder.sub(limit, index)
        numbers = ir.Constant(ir.VectorType(I64, self.lanes), list(range(self.lanes)))
        spread = cg.broadcast(left, dtypes.int64).ir
        mask = builder.icmp_signed("<", numbers, spread)
        return builder.select(mask, wide.ir, ir.Constant(ir.VectorType(DOUBLE, self.lanes), [0.0] * self.lanes))

    def _emit_row(self, vectors: ir.Function) -> ir.Function:
        """`row(inputs, outputs, sums, count)`: elements 0 to count; what is no whole vector goes through the stack."""
        types = vectors.function_type.args
        function = ir.Function(self.module, ir.FunctionType(VOID, [*types[:-3], I64]), "row")
        function.linkage = "internal"
        *pointers, count = function.args
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        dtypes_of = [self.loop.inputs[i][0] for i in self.live] + [self.types[i] for i in self.loop.outputs]
        moves = [self._is_row(i) for i in self.live] + [True] * len(self.loop.outputs)
        buffers = [room(builder, memory_type(d), self.lanes) for d in dtypes_of]
        totals = pointers[len(dtypes_of) :]
        middle = builder.and_(count, I64(-self.lanes))
        with builder.if_then(builder.icmp_signed(">", middle, I64(0))):
            builder.call(vectors, [*pointers, I64(0), middle, middle])
        with builder.if_then(builder.icmp_signed("<", middle, count)):
            left = builder.sub(count, middle)
            arguments = []
            for k, (pointer, buffer, dtype, moving) in enumerate(
                zip(pointers, buffers, dtypes_of, moves, strict=False)
            ):
                if moving and k < len(self.live):
                    builder.store(
                        ir.Constant(ir.VectorType(memory_type(dtype), self.lanes), None), buffer, align=dtype.size
                    )
                    copy(builder, element(builder, pointer, dtype, middle), buffer, dtype, left)
                arguments.append(buffer if moving else pointer)
            builder.call(vectors, [*arguments, *totals, I64(0), I64(self.lanes), left])
            for k in range(len(self.live), len(dtypes_of)):
                copy(builder, buffers[k], element(builder, pointers[k], dtypes_of[k], middle), dtypes_of[k], left)
        builder.ret_void()
        return function

    def _emit_task(self, row: ir.Function) -> ir.Function:
        """`task(table, chunk)`: the rows of a chunk, or a part of the only row."""
        function = ir.Function(self.module, ir.FunctionType(VOID, [I64, I64]), "task")
        table, chunk = function.args
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        base = table_of(builder, table, self.count)
        arrays, sums = base[: self.count - len(self.loop.sums)], base[self.count - len(self.loop.sums) :]
        partials = [builder.gep(s, [chunk], source_etype=DOUBLE) for s in sums]
        for partial in partials:
            builder.store(ir.Constant(DOUBLE, 0.0), partial)
        first = builder.mul(chunk, I64(self.per_chunk))
        total = self.inner if self.rows == 1 else self.rows
        last = builder.add(first, I64(self.per_chunk))
        last = builder.select(builder.icmp_signed("<", last, I64(total)), last, I64(total))
        if self.rows == 1:
            offset = [self._moved(builder, k, p, first) for k, p in enumerate(arrays)]
            builder.call(row, [*offset, *partials, builder.sub(last, first)])
        else:
            self._emit_rows(builder, row, arrays, partials, first, last)
        builder.ret_void()
        return function

    def _moved(self, builder: ir.IRBuilder, k: int, pointer: Any, index: Any) -> Any:
        """The address of an element of the only row."""
        if k < len(self.live):
            i = self.live[k]
            return element(builder, pointer, self.loop.inputs[i][0], index) if self._is_row(i) else pointer
        return element(builder, pointer, self.types[self.loop.outputs[k - len(self.live)]], index)

    def _emit_rows(
        self, builder: ir.IRBuilder, row: ir.Function, arrays: list[Any], partials: list[Any], first: Any, last: Any
    ) -> None:
        axes = self.loop.shape[:-1]
        loop = counted(builder, first, "rows")
        r = loop[0]
        at = places(builder, r, axes)
        moved = []
        for k, pointer in enumerate(arrays):
            if k < len(self.live):
                dtype, varies = self.loop.inputs[self.live[k]]
                begin = offset(builder, at, axes, varies, self.inner if varies[-1] else 1)
            else:
                dtype = self.types[self.loop.outputs[k - len(self.live)]]
                begin = builder.mul(r, I64(self.inner))
            moved.append(element(builder, pointer, dtype, begin))
        builder.call(row, [*moved, *partials, I64(self.inner)])
        close(builder, loop, last, 1)
