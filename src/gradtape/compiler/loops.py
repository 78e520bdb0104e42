"""Machine code of fused loops: vectors along the last axis, rows in chunks that several threads share.

A loop becomes two native functions. `task(table, chunk)` computes one chunk, a fixed part of the rows, from a table of
pointers; `entry(array, ...)` takes NumPy arrays as they are, makes the table and runs all chunks, by the pool if there are
several. Which thread computes a chunk does not matter, and sums are made of one partial sum per chunk: the bits of a
result depend on neither.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from gradtape.compiler import pool
from gradtape.compiler.fusion import Loop
from gradtape.compiler.simd import conversion
from gradtape.compiler.simd.emitter import VectorEmitter
from gradtape.compiler.simd.loop import default_width
from gradtape.compiler.simd.machine import Library, assemble
from gradtape.compiler.simd.value import Value, memory_type
from gradtape.core import dtypes, large
from gradtape.core.dtypes import DType
from gradtape.core.shape import Spec

_POINTER, _I64, _VOID = ir.PointerType(), ir.IntType(64), ir.VoidType()
_DOUBLE = ir.DoubleType()
_CHUNK = 1 << 14  # elements of a chunk, about: what a core computes in a few microseconds
# Where an ndarray has its data pointer: behind the header that all objects have. NumPy promises the order of the fields.
_DATA_OFFSET = object.__basicsize__


class Fused:
    """A fused loop as an op of a graph: its kernel runs machine code on whole arrays.

    Attributes:
      loop: what it computes.
      parts: names of the ops in it, for people.
    """

    several = True
    elementwise = False
    effect = False

    def __init__(self, loop: Loop, specs: Sequence[Spec], parts: str) -> None:
        self.loop, self.parts = loop, parts
        self.name = f"fused[{parts}]"
        self._compiled = compiled(loop)
        self._inputs = [i for i, known in enumerate(loop.constants) if known is None]
        self._outputs = [(s.shape, s.dtype.numpy, math.prod(s.shape) >= large.THRESHOLD) for s in specs]
        self._count = len(loop.outputs)

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The outputs, in new arrays."""
        given = [_plain(arrays[i]) for i in self._inputs]
        made = [
            large.empty(shape, dtype) if is_large else np.empty(shape, dtype)
            for shape, dtype, is_large in self._outputs[: self._count]
        ]
        compiled = self._compiled
        partials = [np.empty(compiled.chunks, np.float64) for _ in self.loop.sums]
        compiled.call(*given, *made, *partials)
        sums = [np.add.reduce(p).astype(d[1]) for p, d in zip(partials, self._outputs[self._count :], strict=True)]
        return (*made, *sums)


def _plain(x: Any) -> Any:
    """A contiguous ndarray of a value."""
    if type(x) is np.ndarray and x.flags.c_contiguous:
        return x
    return np.ascontiguousarray(x)


class Compiled:
    """Machine code of a loop.

    Attributes:
      call: runs it on NumPy arrays: inputs that are not known, outputs, partial sums.
      chunks: how many partial sums there are.
    """

    def __init__(self, library: Library, arguments: int, chunks: int) -> None:
        self._library, self.chunks = library, chunks
        types = [ctypes.py_object] * arguments
        self.call = ctypes.CFUNCTYPE(None, *types)(library.address("entry"))


@functools.lru_cache(maxsize=512)
def compiled(loop: Loop) -> Compiled:
    """The machine code of a loop; equal loops share it."""
    module = ir.Module(name="loop")
    emitter = _LoopEmitter(module, loop)
    chunks = emitter.chunks
    emitter.emit()
    known = sum(c is not None for c in loop.constants)
    return Compiled(assemble(module), len(loop.inputs) - known + len(loop.outputs) + len(loop.sums), chunks)


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
            self.per_chunk = -(-_CHUNK // self.lanes) * self.lanes
            self.chunks = -(-self.inner // self.per_chunk)
        else:
            self.per_chunk = max(1, _CHUNK // self.inner)
            self.chunks = -(-self.rows // self.per_chunk)

    def _types(self) -> list[DType]:
        """The dtype of every value, by running the steps on a builder that is thrown away."""
        function = ir.Function(ir.Module(name="probe"), ir.FunctionType(_VOID, []), "probe")
        cg = VectorEmitter(function.module, ir.IRBuilder(function.append_basic_block()), 4)
        values = [cg.splat(1, dtype) for dtype, _ in self.loop.inputs]
        return [v.dtype for v in self._values(cg, values)]

    def _values(self, cg: VectorEmitter, values: list[Value]) -> list[Value]:
        """All values of one element, from those of the inputs."""
        for step in self.loop.steps:
            values.append(step.op.scalar(cg, *[values[i] for i in step.operands], **dict(step.params)))
        return values

    def emit(self) -> None:
        """Write all functions into the module."""
        vectors = self._emit_vectors()
        row = self._emit_row(vectors)
        task = self._emit_task(row)
        self._emit_entry(task)

    def _is_row(self, i: int) -> bool:
        """Whether an input varies along the last axis."""
        varies = self.loop.inputs[i][1]
        return bool(varies) and varies[-1]

    def _emit_vectors(self) -> ir.Function:
        """`vectors(inputs, outputs, sums, start, stop, limit)`: whole vectors; sums skip what is not below the limit."""
        count = len(self.live) + len(self.loop.outputs) + len(self.loop.sums)
        function = ir.Function(self.module, ir.FunctionType(_VOID, [_POINTER] * count + [_I64] * 3), "vectors")
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
        before = [builder.load(t, typ=_DOUBLE) for t in totals]
        builder.branch(body)
        builder.position_at_end(body)
        index = builder.phi(_I64)
        running = [[builder.phi(ir.VectorType(_DOUBLE, self.lanes))] for _ in totals]
        values = self._values(
            cg,
            [
                fixed[i] if i in fixed else conversion.load(cg, _element(builder, sources[i], dtype, index), dtype)
                for i, (dtype, _) in enumerate(self.loop.inputs)
            ],
        )
        for target, number in zip(targets, self.loop.outputs, strict=True):
            conversion.store(cg, values[number], _element(builder, target, values[number].dtype, index))
        for total, number in zip(running, self.loop.sums, strict=True):
            total.append(builder.fadd(total[0], self._summand(cg, values[number], index, limit)))
        following = builder.add(index, _I64(self.lanes))
        index.add_incoming(start, entry)
        index.add_incoming(following, builder.block)
        for total in running:
            total[0].add_incoming(ir.Constant(total[0].type, [0.0] * self.lanes), entry)
            total[0].add_incoming(total[1], builder.block)
        builder.cbranch(builder.icmp_signed("<", following, stop), body, done)
        builder.position_at_end(done)
        for pointer, old, total in zip(totals, before, running, strict=True):
            builder.store(builder.fadd(old, _across(builder, total[1], self.lanes)), pointer)
        builder.ret_void()
        return function

    def _summand(self, cg: VectorEmitter, value: Value, index: Any, limit: Any) -> Any:
        """The lanes of a value as float64; 0 in those that are not below the limit."""
        builder = cg.builder
        wide = cg.cast(value, dtypes.float64)
        left = builder.sub(limit, index)
        numbers = ir.Constant(ir.VectorType(_I64, self.lanes), list(range(self.lanes)))
        spread = cg.broadcast(left, dtypes.int64).ir
        mask = builder.icmp_signed("<", numbers, spread)
        return builder.select(mask, wide.ir, ir.Constant(ir.VectorType(_DOUBLE, self.lanes), [0.0] * self.lanes))

    def _emit_row(self, vectors: ir.Function) -> ir.Function:
        """`row(inputs, outputs, sums, count)`: elements 0 to count; what is no whole vector goes through the stack."""
        types = vectors.function_type.args
        function = ir.Function(self.module, ir.FunctionType(_VOID, [*types[:-3], _I64]), "row")
        function.linkage = "internal"
        *pointers, count = function.args
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        dtypes_of = [self.loop.inputs[i][0] for i in self.live] + [self.types[i] for i in self.loop.outputs]
        moves = [self._is_row(i) for i in self.live] + [True] * len(self.loop.outputs)
        buffers = [_room(builder, memory_type(d), self.lanes) for d in dtypes_of]
        totals = pointers[len(dtypes_of) :]
        middle = builder.and_(count, _I64(-self.lanes))
        with builder.if_then(builder.icmp_signed(">", middle, _I64(0))):
            builder.call(vectors, [*pointers, _I64(0), middle, middle])
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
                    _copy(builder, _element(builder, pointer, dtype, middle), buffer, dtype, left)
                arguments.append(buffer if moving else pointer)
            builder.call(vectors, [*arguments, *totals, _I64(0), _I64(self.lanes), left])
            for k in range(len(self.live), len(dtypes_of)):
                _copy(builder, buffers[k], _element(builder, pointers[k], dtypes_of[k], middle), dtypes_of[k], left)
        builder.ret_void()
        return function

    def _emit_task(self, row: ir.Function) -> ir.Function:
        """`task(table, chunk)`: the rows of a chunk, or a part of the only row."""
        function = ir.Function(self.module, ir.FunctionType(_VOID, [_I64, _I64]), "task")
        table_number, chunk = function.args
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        table = builder.inttoptr(table_number, _POINTER)
        count = len(row.function_type.args) - 1
        base = [builder.load(builder.gep(table, [_I64(i)], source_etype=_POINTER), typ=_POINTER) for i in range(count)]
        arrays, sums = base[: count - len(self.loop.sums)], base[count - len(self.loop.sums) :]
        partials = [builder.gep(s, [chunk], source_etype=_DOUBLE) for s in sums]
        for partial in partials:
            builder.store(ir.Constant(_DOUBLE, 0.0), partial)
        first = builder.mul(chunk, _I64(self.per_chunk))
        total = self.inner if self.rows == 1 else self.rows
        last = builder.add(first, _I64(self.per_chunk))
        last = builder.select(builder.icmp_signed("<", last, _I64(total)), last, _I64(total))
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
            return _element(builder, pointer, self.loop.inputs[i][0], index) if self._is_row(i) else pointer
        return _element(builder, pointer, self.types[self.loop.outputs[k - len(self.live)]], index)

    def _emit_rows(
        self, builder: ir.IRBuilder, row: ir.Function, arrays: list[Any], partials: list[Any], first: Any, last: Any
    ) -> None:
        before = builder.block
        head, done = builder.append_basic_block("rows"), builder.append_basic_block("done")
        builder.branch(head)
        builder.position_at_end(head)
        r = builder.phi(_I64)
        r.add_incoming(first, before)
        places = self._places(builder, r)
        moved = []
        for k, pointer in enumerate(arrays):
            if k < len(self.live):
                dtype, varies = self.loop.inputs[self.live[k]]
                moved.append(_element(builder, pointer, dtype, self._offset(builder, places, varies)))
            else:
                dtype = self.types[self.loop.outputs[k - len(self.live)]]
                moved.append(_element(builder, pointer, dtype, builder.mul(r, _I64(self.inner))))
        builder.call(row, [*moved, *partials, _I64(self.inner)])
        following = builder.add(r, _I64(1))
        r.add_incoming(following, builder.block)
        builder.cbranch(builder.icmp_signed("<", following, last), head, done)
        builder.position_at_end(done)

    def _places(self, builder: ir.IRBuilder, r: Any) -> list[Any]:
        """The index of a row along each axis but the last."""
        places = []
        for d in reversed(self.loop.shape[:-1]):
            places.append(builder.urem(r, _I64(d)))
            r = builder.udiv(r, _I64(d))
        return places[::-1]

    def _offset(self, builder: ir.IRBuilder, places: list[Any], varies: tuple[bool, ...]) -> Any:
        """Where the row begins in an input that varies along some of the axes."""
        stride = self.inner if varies[-1] else 1
        offset: Any = _I64(0)
        for axis in range(len(places) - 1, -1, -1):
            if varies[axis]:
                offset = builder.add(offset, builder.mul(places[axis], _I64(stride)))
                stride *= self.loop.shape[axis]
        return offset

    def _emit_entry(self, task: ir.Function) -> None:
        """`entry(array, ...)`: run all chunks on NumPy arrays."""
        count = len(self.live) + len(self.loop.outputs) + len(self.loop.sums)
        function = ir.Function(self.module, ir.FunctionType(_VOID, [_POINTER] * count), "entry")
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        table = _room(builder, _POINTER, max(count, 1))
        for i, array in enumerate(function.args):
            field = builder.gep(array, [_I64(_DATA_OFFSET)], source_etype=ir.IntType(8))
            data = builder.load(field, typ=_POINTER)
            builder.store(data, builder.gep(table, [_I64(i)], source_etype=_POINTER))
        number = builder.ptrtoint(table, _I64)
        if self.chunks == 1:
            builder.call(task, [number, _I64(0)])
        else:
            address, state = pool.entry()
            kind = ir.FunctionType(_VOID, [_I64, _I64, _I64, _I64])
            share = builder.inttoptr(_I64(address), kind.as_pointer())
            builder.call(share, [_I64(state), builder.ptrtoint(task, _I64), number, _I64(self.chunks)])
        builder.ret_void()


def _room(builder: ir.IRBuilder, kind: ir.Type, count: int) -> Any:
    """Room for some elements on the stack."""
    room = builder.alloca(ir.ArrayType(kind, count), name="room")
    room.align = 64
    # llvmlite types the pointer and would refuse elements; this way around it is nothing in the machine's code.
    return builder.inttoptr(builder.ptrtoint(room, _I64), _POINTER)


def _element(builder: ir.IRBuilder, pointer: Any, dtype: DType, index: Any) -> Any:
    return builder.gep(pointer, [index], source_etype=memory_type(dtype))


def _across(builder: ir.IRBuilder, vector: Any, lanes: int) -> Any:
    """The sum of the lanes, in a fixed order: halves are added until one is left."""
    numbers = list(range(lanes))
    parts = [builder.extract_element(vector, ir.IntType(32)(i)) for i in numbers]
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [builder.fadd(a, b) for a, b in zip(parts[:half], parts[half:], strict=True)]
    return parts[0]


def _copy(builder: ir.IRBuilder, source: Any, target: Any, dtype: DType, count: Any) -> None:
    """Copy elements, at least one."""
    before = builder.block
    loop, done = builder.append_basic_block("copy"), builder.append_basic_block("copied")
    builder.branch(loop)
    builder.position_at_end(loop)
    index = builder.phi(_I64)
    one = builder.load(_element(builder, source, dtype, index), align=dtype.size, typ=memory_type(dtype))
    builder.store(one, _element(builder, target, dtype, index), align=dtype.size)
    following = builder.add(index, _I64(1))
    index.add_incoming(_I64(0), before)
    index.add_incoming(following, loop)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, done)
    builder.position_at_end(done)
