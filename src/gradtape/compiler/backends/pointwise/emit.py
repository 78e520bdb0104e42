"""Machine code of loops: vectors along rows, or along all elements at once, in chunks that several threads share.

What does not fill a vector at an end goes through vectors on the stack and the same code, which takes less time to
compile than a second body, and reads and writes nothing beyond the arrays. Steps on values that are the same for all
elements, or for a row, run before the vectors do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradtape.compiler.backends.pointwise.plan import LoopPlan, Way
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import (
    DOUBLE,
    I64,
    POINTER,
    VOID,
    across,
    close,
    copy_bytes,
    counted,
    least,
    moved,
    room,
    table_of,
    walk,
)
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.conversion import copy, element
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.value import VectorValue, memory_type
from gradtape.core import dtypes
from gradtape.core.dtypes import DType
from gradtape.core.patterns.movement import packed

if TYPE_CHECKING:
    from gradtape.compiler.backends.pointwise.broadcast import Rhythm

Length = int | Any  # known when the code is emitted, or a value in it


class _Array:
    """An input or output in memory.

    Attributes:
      dtype: of its elements.
      way: how it is read; None for an output.
      number: of the value in the loop.
      buffer: a vector on the stack for what does not fill one; None if it needs none.
    """

    def __init__(self, dtype: DType, way: Way | None, number: int) -> None:
        self.dtype, self.way, self.number = dtype, way, number
        self.buffer: Any = None

    @property
    def step(self) -> int:
        """The stride along the vectors, in elements; 0 if it is not that of a pointer."""
        if self.way is None or self.way.kind == "whole":
            return 1
        return self.way.stride

    @property
    def is_buffered(self) -> bool:
        return self.step in (1, -1)


class LoopEmitter:
    """Writes the function of one plan: `task(table, chunk)`.

    The table has the inputs that are not known, the outputs, room for one partial sum of each chunk for each of the
    sums, and the number of elements or rows.
    """

    def __init__(self, module: ir.Module, plan: LoopPlan) -> None:
        self.module, self.plan, self.loop, self.lanes = module, plan, plan.loop, plan.lanes
        self.types = plan.loop.types()
        self.inputs = [
            _Array(dtype, way, i)
            for i, ((dtype, _), way) in enumerate(zip(self.loop.inputs, plan.ways, strict=True))
            if self.loop.constants[i] is None
        ]
        self.outputs = [_Array(self.types[i], None, i) for i in self.loop.outputs]
        self.arrays = [*self.inputs, *self.outputs]

    @property
    def pointers(self) -> int:
        """The number of arrays in the table."""
        return len(self.arrays) + len(self.loop.sums)

    def emit(self) -> ir.Function:
        """Write the function into the module."""
        function = ir.Function(self.module, ir.FunctionType(VOID, [I64, I64]), "task")
        table, chunk = function.args
        self.builder = builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.cg = VectorEmitter(self.module, builder, self.lanes)
        bases = table_of(builder, table, self.pointers)
        place = builder.gep(builder.inttoptr(table, POINTER), [I64(self.pointers)], source_etype=I64)
        self.total = builder.load(place, typ=I64)
        first = builder.mul(chunk, I64(self.plan.per_chunk))
        last = least(builder, builder.add(first, I64(self.plan.per_chunk)), self.total)
        self._prepare(bases)
        if self.plan.is_flat:
            starts = [
                element(builder, p, a.dtype, first) if a.step else p for a, p in zip(self.arrays, bases, strict=False)
            ]
            self._span(starts, builder.sub(last, first), first)
        else:
            self._rows(bases[: len(self.arrays)], first, last)
        for base, running in zip(bases[len(self.arrays) :], self.totals, strict=True):
            joined = across(builder, builder.load(running, typ=self._wide), self.lanes, builder.fadd)
            builder.store(joined, builder.gep(base, [chunk], source_etype=DOUBLE))
        builder.ret_void()
        return function

    @property
    def _wide(self) -> ir.VectorType:
        return ir.VectorType(DOUBLE, self.lanes)

    def _prepare(self, bases: list[Any]) -> None:
        """What is done once for a chunk: room on the stack, inputs that repeat laid out, and values that are the same
        everywhere."""
        builder = self.builder
        self.totals = [room(builder, DOUBLE, self.lanes) for _ in self.loop.sums]
        for running in self.totals:
            builder.store(ir.Constant(self._wide, None), running, align=8)
        for array in self.arrays:
            if array.is_buffered:
                kind = memory_type(array.dtype)
                array.buffer = room(builder, kind, self.lanes)
                builder.store(ir.Constant(ir.VectorType(kind, self.lanes), None), array.buffer, align=array.dtype.size)
        self.wrapped: dict[int, Any] = {}
        self.everywhere: dict[int, VectorValue] = {}
        for i, known in enumerate(self.loop.constants):
            if known is not None:
                self.everywhere[i] = self.cg.splat(known, self.types[i])
        for array, base in zip(self.inputs, bases, strict=False):
            assert array.way is not None
            if array.way.kind == "one":
                self.everywhere[array.number] = conversion.load_one(self.cg, base, array.dtype)
            elif array.way.kind == "wrapped":
                self.wrapped[array.number] = self._lay_out(array.way.period, array.dtype, base)
        self._steps(self.everywhere)

    def _lay_out(self, period: int, dtype: DType, base: Any) -> Any:
        """Elements that repeat, so long that a vector may begin at each of them."""
        if period % self.lanes == 0:
            return base  # no vector goes over the end
        builder = self.builder
        space = room(builder, memory_type(dtype), period + self.lanes)
        copy_bytes(builder, base, space, period * dtype.size, dtype.size)
        copy(builder, space, element(builder, space, dtype, I64(period)), dtype, I64(self.lanes))
        return space

    def _steps(self, values: dict[int, VectorValue]) -> None:
        """Compute the steps whose operands are there."""
        for k, step in enumerate(self.loop.steps, len(self.loop.inputs)):
            if k not in values and all(i in values for i in step.operands):
                values[k] = step.op.scalar(self.cg, *[values[i] for i in step.operands], **dict(step.params))

    def _rows(self, bases: list[Any], first: Any, last: Any) -> None:
        shape = self.loop.shape
        targets = self.loop.targets or (packed(shape),) * len(self.outputs)
        own = [*[self.loop.inputs[a.number][1] for a in self.inputs], *targets]
        strides = [[s * a.dtype.size for s in steps][:-1] for a, steps in zip(self.arrays, own, strict=True)]
        walk(
            self.builder,
            shape[:-1],
            (first, last),
            bases,
            strides,
            lambda starts, row: self._span(starts, shape[-1], None),
        )

    def _span(self, starts: list[Any], count: Length, origin: Any) -> None:
        """So many elements from the starts on, which are at the origin if the loop is flat: whole vectors, then what is
        left."""
        if isinstance(count, int) and count % self.lanes == 0:
            self._vectors(starts, I64(count), None, origin)
            return
        if isinstance(count, int) and count < self.lanes:
            self._vectors(self._into_buffers(starts, 0, count), I64(self.lanes), I64(count), origin)
            self._out_of_buffers(starts, 0, count)
            return
        self._span_with_rest(starts, count, origin)

    def _span_with_rest(self, starts: list[Any], count: Length, origin: Any) -> None:
        builder, is_known = self.builder, isinstance(count, int)
        whole = count - count % self.lanes if is_known else builder.and_(count, I64(-self.lanes))
        rest = count % self.lanes if is_known else builder.sub(count, whole)
        size, left = (I64(whole), I64(rest)) if is_known else (whole, rest)
        before = builder.block
        head, check, fill, empty, done = (
            builder.append_basic_block(n) for n in ("vectors", "check", "fill", "empty", "done")
        )
        if is_known:
            builder.branch(head)
        else:
            builder.cbranch(builder.icmp_signed(">", whole, I64(0)), head, fill)
        builder.position_at_end(head)
        at = [builder.phi(POINTER) if a.step else p for a, p in zip(self.arrays, starts, strict=True)]
        end, limit, is_rest = builder.phi(I64), builder.phi(I64), builder.phi(ir.IntType(1))
        begin = None if origin is None else builder.phi(I64)
        self._vectors(at, end, limit, begin)
        builder.cbranch(is_rest, empty, check)
        builder.position_at_end(check)
        if is_known:
            builder.branch(fill)
        else:
            builder.cbranch(builder.icmp_signed(">", rest, I64(0)), fill, done)
        builder.position_at_end(fill)
        buffers = self._into_buffers(starts, whole, rest)
        filled = builder.block
        builder.branch(head)
        for pointer, start, buffer, array in zip(at, starts, buffers, self.arrays, strict=True):
            if array.step:
                pointer.add_incoming(start, before)
                pointer.add_incoming(buffer, filled)
        ways: tuple[tuple[ir.Phi, Any, Any], ...] = (
            (end, size, I64(self.lanes)), (limit, size, left), (is_rest, ir.IntType(1)(0), ir.IntType(1)(1)),
        )  # fmt: skip
        for phi, main, other in ways:
            phi.add_incoming(main, before)
            phi.add_incoming(other, filled)
        if begin is not None:
            begin.add_incoming(origin, before)
            builder.position_at_end(filled)
            begin.add_incoming(builder.add(origin, size), filled)
        builder.position_at_end(empty)
        self._out_of_buffers(starts, whole, rest)
        builder.branch(done)
        builder.position_at_end(done)

    def _into_buffers(self, starts: list[Any], whole: Length, rest: Length) -> list[Any]:
        """The rest of each input on the stack; where the last vector begins in each array."""
        found = []
        for array, start in zip(self.arrays, starts, strict=True):
            if not array.step:
                found.append(start)
                continue
            place = self._at(array, start, whole)
            if not array.is_buffered:
                found.append(place)
            elif array.way is None:
                found.append(array.buffer)
            elif array.step == 1:
                self._copy(place, array.buffer, array.dtype, rest)
                found.append(array.buffer)
            else:  # the elements before the place, to the end of the buffer
                assert isinstance(rest, int)
                size = array.dtype.size
                target = moved(self.builder, array.buffer, (self.lanes - rest) * size)
                self._copy(moved(self.builder, place, (1 - rest) * size), target, array.dtype, rest)
                found.append(moved(self.builder, array.buffer, (self.lanes - 1) * size))
        return found

    def _out_of_buffers(self, starts: list[Any], whole: Length, rest: Length) -> None:
        for array, start in zip(self.arrays, starts, strict=True):
            if array.way is None:
                self._copy(array.buffer, self._at(array, start, whole), array.dtype, rest)

    def _at(self, array: _Array, start: Any, index: Length) -> Any:
        """The address of an element along the vectors."""
        if isinstance(index, int):
            return moved(self.builder, start, index * array.step * array.dtype.size)
        if array.step != 1:
            index = self.builder.mul(index, I64(array.step))
        return element(self.builder, start, array.dtype, index)

    def _copy(self, source: Any, target: Any, dtype: DType, count: Length) -> None:
        if isinstance(count, int):
            copy_bytes(self.builder, source, target, count * dtype.size, dtype.size)
        else:
            copy(self.builder, source, target, dtype, count)

    def _vectors(self, starts: list[Any], end: Any, limit: Any, origin: Any) -> None:
        """Whole vectors up to the end; sums skip what is not below the limit, and nothing else is read at other
        places."""
        builder, cg = self.builder, self.cg
        values = dict(self.everywhere)
        for array, start in zip(self.inputs, starts, strict=False):
            if array.way is not None and array.way.kind == "row" and not array.step:
                values[array.number] = conversion.load_one(cg, start, array.dtype)
        self._steps(values)
        repeating = [w for w in dict.fromkeys(a.way for a in self.inputs) if w and w.kind in ("wrapped", "repeated")]
        rhythms: dict[Way | None, Rhythm] = {}
        if repeating:
            from gradtape.compiler.backends.pointwise.broadcast import (
                Rhythm,  # loaded with the first input that repeats
            )

            rhythms = {way: Rhythm(cg, way, origin, self.total) for way in repeating}
        sums = [builder.load(running, typ=self._wide, align=8) for running in self.totals]
        before = builder.block
        loop = counted(builder, I64(0), "elements")
        running = [builder.phi(self._wide) for _ in sums]
        for rhythm in rhythms.values():
            rhythm.begin(before)
        for array, start in zip(self.inputs, starts, strict=False):
            if array.number not in values:
                assert array.way is not None
                values[array.number] = self._load(array, start, loop[0], limit, rhythms.get(array.way))
        self._steps(values)
        for array, start in zip(self.outputs, starts[len(self.inputs) :], strict=True):
            conversion.store(cg, values[array.number], self._at(array, start, loop[0]))
        totals = [
            builder.fadd(total, self._summand(values[number], loop[0], limit))
            for total, number in zip(running, self.loop.sums, strict=True)
        ]
        for rhythm in rhythms.values():
            rhythm.advance()
        for phi, start, total in zip(running, sums, totals, strict=True):
            phi.add_incoming(start, before)
            phi.add_incoming(total, builder.block)
        close(builder, loop, end, self.lanes)
        for place, total in zip(self.totals, totals, strict=True):
            builder.store(total, place, align=8)

    def _load(self, array: _Array, start: Any, index: Any, limit: Any, rhythm: Rhythm | None) -> VectorValue:
        builder, cg = self.builder, self.cg
        if rhythm is not None:
            return rhythm.loaded(self.wrapped.get(array.number, start), array.dtype)
        if array.step == 1:
            return conversion.load(cg, self._at(array, start, index), array.dtype)
        if array.step == -1:
            last = moved(builder, self._at(array, start, index), (1 - self.lanes) * array.dtype.size)
            return conversion.mirror(cg, conversion.load(cg, last, array.dtype))
        lanes = []
        for k in range(self.lanes):
            at = builder.add(index, I64(k))
            if limit is not None and k:
                at = least(builder, at, builder.sub(limit, I64(1)))
            lanes.append(self._at(array, start, at))
        return conversion.load_lanes(cg, lanes, array.dtype)

    def _summand(self, value: VectorValue, index: Any, limit: Any) -> Any:
        """The lanes of a value as float64; 0 in those that are not below the limit."""
        builder = self.builder
        wide = self.cg.cast(value, dtypes.float64)
        if limit is None:
            return wide.ir
        numbers = ir.Constant(ir.VectorType(I64, self.lanes), list(range(self.lanes)))
        spread = self.cg.broadcast(builder.sub(limit, index), dtypes.int64).ir
        mask = builder.icmp_signed("<", numbers, spread)
        return builder.select(mask, wide.ir, ir.Constant(self._wide, None))
