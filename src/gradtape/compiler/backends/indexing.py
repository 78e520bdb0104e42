"""Machine code of gathers and scatters.

An index outside of the rows is an error: the kernel sets the status word, and nobody reads what it writes then. Chunks of a
scatter own different rows, and each goes through all indices in order: the bits do not depend on the threads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gradtape.compiler.backends import emits
from gradtape.compiler.backends.product.code import KERNEL, Index, ProductCode
from gradtape.compiler.backends.product.epilogue import Finish, Frame, Spot, emit_of
from gradtape.compiler.backends.product.memory import pieces
from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import I64, POINTER, VOID, table_of
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.conversion import element
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.machine import computed, default_width, host, supports
from gradtape.compiler.runtime.kernels import Launch, Lowered, Operand, Update, get_kernel, inputs, outputs
from gradtape.core import dtypes
from gradtape.core.patterns.indexing import Places, Put, Take
from gradtape.core.shape import Spec

GROUPS_ROWS = True
_BYTE = ir.IntType(8)
_STATUS = (Operand("status", 0),)
_RESULT = 2  # the slot of a gather's result
_CHUNK_BYTES = 1 << 16
_MOST_CHUNKS = 8
_VECTOR_BYTES = 32
_SUPPORTED = ("float32", "float64", "int32", "int64", "int16", "int8", "uint8", "uint16", "uint32", "uint64")


@contextlib.contextmanager
def times(builder: ir.IRBuilder, first: Any, last: Any, name: str) -> Iterator[Any]:
    """A loop from `first` to `last`, excluded; perhaps not once. The body gets the number of its round."""
    before = builder.block
    head, body, done = (builder.append_basic_block(f"{name}.{part}") for part in ("head", "body", "done"))
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(I64)
    index.add_incoming(first, before)
    builder.cbranch(builder.icmp_signed("<", index, last), body, done)
    builder.position_at_end(body)
    yield index
    index.add_incoming(builder.add(index, I64(1)), builder.block)
    builder.branch(head)
    builder.position_at_end(done)


def at(builder: ir.IRBuilder, pointer: Any, index: Any, size: int) -> Any:
    """The address of an element of some bytes."""
    return builder.gep(pointer, [builder.mul(index, I64(size))], source_etype=_BYTE)


@emits(Take)
def take(pattern: Take, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The kernel of a gather."""
    return launch(pattern, inputs(0, 1) + outputs(0))


def launch(
    pattern: Take,
    operands: Sequence[Operand],
    epilogue: Epilogue | None = None,
    shares: tuple[tuple[int, int], ...] = (),
) -> Lowered:
    """The launch of a gather, for a `PatternBackend`."""
    key = ("take", pattern) if epilogue is None else ("take", pattern, epilogue)
    kernel = get_kernel(key, lambda module: _emit_take(module, pattern, epilogue, len(operands)))
    return Lowered((Launch(kernel, (*operands, *_STATUS)),), shares=shares)


def takes_epilogue(pattern: Take, epilogue: Epilogue) -> bool:
    """True if what follows can be done as a part of a gather, no more slowly than by itself: a row must be at least one vector."""
    dtype = epilogue.operands[epilogue.product].dtype
    return supports(dtype) and pattern.places.width >= host().lanes(computed(dtype).size)


def _emit_take(module: ir.Module, pattern: Take, epilogue: Epilogue | None, status: int) -> tuple[ir.Function, int]:
    """A function of the table, the last slot of which is the status word, and its number of chunks."""
    places, row = pattern.places, pattern.places.width * pattern.size
    entries = places.batch * places.outer
    total = entries * places.number
    per_chunk = max(1, _CHUNK_BYTES // row)
    code = ProductCode(ir.Function(module, KERNEL, "task"))
    builder = code.builder
    first = code.mul(code.function.args[1], per_chunk)
    with times(builder, first, code.least(code.add(first, per_chunk), total), "rows") as i:
        entry, number = code.div(i, places.number), code.rem(i, places.number)
        number = code.add(code.mul(code.div(entry, places.outer), places.number), number)
        position, is_bad, is_skipped = _position(builder, places, code.slot(1), code.value(number))
        with builder.if_else(is_bad, likely=False) as (bad, good):
            with bad:
                builder.store(I64(1), code.slot(status))
            with good:
                origin = code.mul(entry, places.rows)
                if epilogue is None:
                    _take_row(code, (origin, position, i), row, is_skipped)
                else:
                    position = code.add(origin, builder.select(is_skipped, I64(0), position))
                    _finish_row(code, pattern, epilogue, at(builder, code.slot(0), position, row), i, is_skipped)
    builder.ret_void()
    return code.function, -(-total // per_chunk)


def _take_row(code: ProductCode, numbers: tuple[Any, Any, Any], row: int, is_skipped: Any) -> None:
    """Copy a row: of an entry that begins with some row, a position in that, to a row of the result."""
    builder, (origin, position, i) = code.builder, numbers
    out = at(builder, code.slot(_RESULT), i, row)
    with builder.if_else(is_skipped) as (skip, use):
        with skip:
            _clear(builder, out, row)
        with use:
            _copy(builder, out, at(builder, code.slot(0), code.add(origin, position), row), row)


def _finish_row(code: ProductCode, pattern: Take, epilogue: Epilogue, source: Any, row: Any, is_skipped: Any) -> None:
    """Apply an epilogue to a row of the result, given the address of the row that it is; to zeros if that is skipped."""
    dtype, (_, *sizes) = epilogue.operands[epilogue.product].dtype, pattern.matrices
    frame, emit = Frame(dtype, _RESULT, (sizes[0], sizes[1]), (0, sizes[1]), 0), emit_of(epilogue, _RESULT)
    for first, width, group, count in pieces(sizes[1], default_width([o.dtype for o in epilogue.operands])):

        def vectors(index: Index, first: int = first, width: int = width, group: int = group) -> None:
            spot = Spot(0, row, code.add(first, code.mul(index, width * group)))
            for v in range(group):
                cg = VectorEmitter(code.module, code.builder, width)
                place = code.value(code.add(spot.column, v * width))
                value = conversion.load(cg, element(code.builder, source, dtype, place), dtype)
                if pattern.places.skips:
                    value = cg.select(cg.broadcast(is_skipped, dtypes.bool_), cg.splat(0, dtype), value)
                Finish(frame, emit, width).apply(code, value.ir, replace(spot, along=v * width), width)

        code.repeat(count, vectors)


@emits(Put)
def put(pattern: Put, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The kernel of a scatter."""
    if pattern.dtype.name not in _SUPPORTED:
        return None
    base, index, values = pattern.inputs
    operands = inputs(*[i for i in (base, index, values) if i is not None]) + outputs(0) + _STATUS
    kernel = get_kernel(("put", pattern), lambda module: _PutEmitter(module, pattern).emit())
    return Lowered((Launch(kernel, operands),), update=_update(pattern))


def _update(pattern: Put) -> Update | None:
    """A scatter over the array that it starts from."""
    base, index, values = pattern.inputs
    if base is None:
        return None
    kernel = get_kernel(("put over", pattern), lambda module: _PutEmitter(module, pattern, over=True).emit())
    operands = inputs(*[i for i in (index, values) if i is not None]) + outputs(0) + _STATUS
    return Update(base, (Launch(kernel, operands),))


class _PutEmitter:
    """Writes the kernel of a scatter; `over` the array that it starts from, if that is where the result lies."""

    def __init__(self, module: ir.Module, pattern: Put, over: bool = False) -> None:
        self.module, self.pattern, self.places, self.over = module, pattern, pattern.places, over
        size = pattern.dtype.size
        self.row = self.places.width * size
        rows = self.places.number if over else max(self.places.number, self.places.rows)
        work = self.places.batch * self.places.outer * self.row * rows
        entries = self.places.batch * self.places.outer
        wanted = min(_MOST_CHUNKS, -(-work // (4 * _CHUNK_BYTES)))
        # Whole entries are the better parts; within one, each part goes through all its indices.
        self.cuts = 1 if entries >= wanted else min(self.places.rows, -(-wanted // entries))
        self.per_chunk = -(-entries // wanted) if self.cuts == 1 else 1
        self.chunks = -(-entries // self.per_chunk) * self.cuts

    def emit(self) -> tuple[ir.Function, int]:
        """The kernel and its chunks."""
        pattern, places = self.pattern, self.places
        has_base, values = pattern.inputs[0] is not None and not self.over, pattern.inputs[2]
        task, b, pointers = _begin(self.module, 3 + has_base + (values is not None))
        given = iter(pointers)
        before = next(given) if has_base else None
        index = next(given)
        source = next(given) if values is not None else None
        target, status = given
        chunk = task.args[1]
        group, cut = b.udiv(chunk, I64(self.cuts)), b.urem(chunk, I64(self.cuts))
        low = b.udiv(b.mul(cut, I64(places.rows)), I64(self.cuts))
        high = b.udiv(b.mul(b.add(cut, I64(1)), I64(places.rows)), I64(self.cuts))
        first = b.mul(group, I64(self.per_chunk))
        last = _least(b, b.add(first, I64(self.per_chunk)), I64(places.batch * places.outer))
        with times(b, first, last, "entries") as entry:
            origin = b.mul(entry, I64(places.rows))
            if not self.over:
                with times(b, low, high, "rows") as row:
                    self._start(b, target, before, b.add(origin, row))
            batch = b.udiv(entry, I64(places.outer))
            with times(b, I64(0), I64(places.number), "indices") as i:
                number = b.add(b.mul(batch, I64(places.number)), i)
                position, is_bad, is_skipped = _position(b, places, index, number)
                with b.if_then(is_bad, likely=False):
                    b.store(I64(1), status)
                mine = b.and_(b.icmp_signed(">=", position, low), b.icmp_signed("<", position, high))
                mine = b.and_(mine, b.not_(b.or_(is_bad, is_skipped)))
                with b.if_then(mine):
                    out = at(b, target, b.add(origin, position), self.row)
                    where = b.add(b.mul(entry, I64(places.number)), i)
                    self._combine(b, out, None if source is None else at(b, source, where, self.row))
        b.ret_void()
        return task, self.chunks

    def _start(self, b: ir.IRBuilder, target: Any, before: Any, row: Any) -> None:
        """What a row holds at first."""
        out = at(b, target, row, self.row)
        if before is not None:
            _copy(b, out, at(b, before, row, self.row), self.row)
        elif self.pattern.start == 0:
            _clear(b, out, self.row)
        else:
            kind = self._kind()
            with times(b, I64(0), I64(self.places.width), "start") as i:
                b.store(kind(self.pattern.start), at(b, out, i, self.pattern.dtype.size), align=self.pattern.dtype.size)

    def _kind(self) -> ir.Type:
        dtype = self.pattern.dtype
        if dtype.is_floating:
            return ir.FloatType() if dtype.size == 4 else ir.DoubleType()
        return ir.IntType(8 * dtype.size)

    def _combine(self, b: ir.IRBuilder, out: Any, source: Any) -> None:
        """A row of the result with a row of values."""
        if source is None:
            _clear(b, out, self.row)
            return
        if self.pattern.how == "replace":
            _copy(b, out, source, self.row)
            return
        size, width = self.pattern.dtype.size, self.places.width
        lanes = _VECTOR_BYTES // size
        whole = width // lanes
        for kind, first, count, step in (
            (ir.VectorType(self._kind(), lanes), 0, whole, lanes * size),
            (self._kind(), whole * lanes * size, width % lanes, size),
        ):
            if not count:
                continue
            with times(b, I64(0), I64(count), "row") as i:
                place = b.add(I64(first), b.mul(i, I64(step)))
                to, of = (b.gep(p, [place], source_etype=_BYTE) for p in (out, source))
                joined = self._join(b, b.load(to, typ=kind, align=size), b.load(of, typ=kind, align=size))
                b.store(joined, to, align=size)

    def _join(self, b: ir.IRBuilder, x: Any, y: Any) -> Any:
        how, dtype = self.pattern.how, self.pattern.dtype
        if how == "add":
            return b.fadd(x, y) if dtype.is_floating else b.add(x, y)
        if how == "multiply":
            return b.fmul(x, y) if dtype.is_floating else b.mul(x, y)
        sign = "<" if how == "min" else ">"
        if dtype.is_floating:  # a NaN of either side stays
            taken = b.or_(b.fcmp_ordered(sign, y, x), b.fcmp_unordered("uno", y, y))
        else:
            taken = (b.icmp_signed if dtype.kind == "i" else b.icmp_unsigned)(sign, y, x)
        return b.select(taken, y, x)


def _begin(module: ir.Module, count: int) -> tuple[ir.Function, ir.IRBuilder, list[Any]]:
    """A new kernel with the pointers of its table."""
    task = ir.Function(module, ir.FunctionType(VOID, [I64, I64]), "task")
    builder = ir.IRBuilder(task.append_basic_block("entry"))
    return task, builder, table_of(builder, task.args[0], count)


def _least(builder: ir.IRBuilder, a: Any, b: Any) -> Any:
    return builder.select(builder.icmp_signed("<", a, b), a, b)


def _position(builder: ir.IRBuilder, places: Places, index: Any, number: Any) -> tuple[Any, Any, Any]:
    """The row that an index names, whether it is none of them, and whether it is skipped."""
    depth, size = len(places.dims), places.indices.size
    kind = ir.IntType(8 * size)
    position: Any = I64(0)
    is_bad = is_skipped = ir.Constant(ir.IntType(1), 0)
    for k, limit in enumerate(places.dims):
        pointer = at(builder, index, builder.add(builder.mul(number, I64(depth)), I64(k)), size)
        word = builder.load(pointer, typ=kind, align=size)
        if size < 8:
            word = (builder.sext if places.indices.kind == "i" else builder.zext)(word, I64)
        if places.skips and places.indices.kind == "i":
            is_skipped = builder.or_(is_skipped, builder.icmp_signed("<", word, I64(0)))
            is_bad = builder.or_(is_bad, builder.icmp_signed(">=", word, I64(limit)))
        else:
            is_bad = builder.or_(is_bad, builder.icmp_unsigned(">=", word, I64(limit)))
        position = builder.add(builder.mul(position, I64(limit)), word)
    return position, is_bad, is_skipped


def _copy(builder: ir.IRBuilder, target: Any, source: Any, size: int) -> None:
    """Copy a number of bytes from one address to another."""
    if size in (1, 2, 4, 8):
        kind = ir.IntType(8 * size)
        builder.store(builder.load(source, typ=kind, align=1), target, align=1)
        return
    copy = builder.module.declare_intrinsic("llvm.memcpy", [POINTER, POINTER, I64])
    builder.call(copy, [target, source, I64(size), ir.Constant(ir.IntType(1), 0)])


def _clear(builder: ir.IRBuilder, target: Any, size: int) -> None:
    """Write a number of zero bytes."""
    clear = builder.module.declare_intrinsic("llvm.memset", [POINTER, I64])
    builder.call(clear, [target, ir.Constant(_BYTE, 0), I64(size), ir.Constant(ir.IntType(1), 0)])
