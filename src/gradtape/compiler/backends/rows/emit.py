"""Machine code of recipes: for each row a few passes, each a loop of vectors whose last one is masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler.backends.rows import combine as joining
from gradtape.compiler.backends.rows.combine import renew
from gradtape.compiler.backends.rows.plan import ColumnEpilogue, Pass, RowPlan
from gradtape.compiler.bodies.epilogue import Distances, Epilogue, Groups
from gradtape.compiler.bodies.rows import COLUMN, ROW, RowLoop
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import I64, POINTER, VOID, close, counted, offset, places, room, table_of
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.conversion import element
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.value import VectorValue, memory_type
from gradtape.core import dtypes
from gradtape.core.dtypes import DType

# A row of so few vectors is computed where it is reached, without a call, and its columns are added up in so many registers.
_NARROW, _MOST_HELD = 2, 8
_CHEAP = 6  # calls of a pass up to which several vectors are reduced side by side
_ABREAST = 4


class RowCode:
    """Writes the functions of one loop over rows.

    The table of the task has the inputs, the outputs, one array of accumulators for each output that is a column reduction,
    and the status word if the recipe has checks. Where columns are cut into several blocks, the accumulators of all
    blocks are left for `emit_columns`; else the outputs are complete.

    Args:
      module: where the functions go.
      loop: what is computed.
      plan: its passes.
      end: what is done with columns that are complete.
    """

    def __init__(self, module: ir.Module, loop: RowLoop, plan: RowPlan, end: ColumnEpilogue | None = None) -> None:
        self.module, self.loop, self.plan, self.end = module, loop, plan, end
        self.axes, self.width, self.lanes = loop.shape[:-1], loop.shape[-1], plan.lanes
        vectors = -(-self.width // self.lanes)
        waits = any(home < 0 for step in plan.passes for _, home in step.kept)
        self.is_narrow = vectors <= _NARROW and not waits
        held = sum([vectors * max(1, self._accumulator(k).size // 4) for k in plan.columns])
        # Accumulators of columns in registers, by output and vector; those of wider rows stay in memory.
        self.holds = self.is_narrow and held <= _MOST_HELD
        self.held: dict[tuple[int, int], VectorValue] = {}

    @property
    def count(self) -> int:
        """How many pointers the table has."""
        return table_size(self.loop, self.plan) + (0 if self.end is None else self.end.pointers)

    def emit(self) -> ir.Function:
        """The function for a chunk of rows."""
        row = None if self.is_narrow else self._emit_row()
        function = ir.Function(self.module, ir.FunctionType(VOID, [I64, I64]), "task")
        table, chunk = function.args
        builder = self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.pointers = table_of(builder, table, self.count)
        part = self.plan.partition
        if part.per_chunk == 1:
            self._emit_block(row, chunk, chunk)
        else:
            first = builder.mul(chunk, I64(part.per_chunk))
            last = self._least(builder.add(first, I64(part.per_chunk)), I64(part.blocks))
            loop = counted(builder, first, "blocks")
            self._emit_block(row, loop[0], chunk)
            close(builder, loop, last, 1)
        builder.ret_void()
        return function

    def _least(self, a: Any, b: Any) -> Any:
        return self.builder.select(self.builder.icmp_signed("<", a, b), a, b)

    def _emit_block(self, row: ir.Function | None, block: Any, chunk: Any) -> None:
        """All rows of a block, and what its columns add up to."""
        builder, part, inputs = self.builder, self.plan.partition, len(self.loop.inputs)
        outer = builder.udiv(block, I64(part.parts)) if part.parts > 1 else block
        begin = builder.mul(outer, I64(part.reduced))
        first, last = begin, builder.add(begin, I64(part.reduced))
        if part.parts > 1:
            first = builder.add(begin, builder.mul(builder.urem(block, I64(part.parts)), I64(part.lines)))
            last = self._least(builder.add(first, I64(part.lines)), last)
        sums = self._accumulators(block if part.parts > 1 else chunk)
        for k, pointer in () if self.holds else sums.items():
            self._clear(pointer, k)
        start = self._nothing_held() if self.holds else {}
        before = builder.block
        loop = counted(builder, first, "rows")
        running = {key: builder.phi(value.ir.type) for key, value in start.items()}
        for key, phi in running.items():
            phi.add_incoming(start[key].ir, before)
            self.held[key] = VectorValue(start[key].cg, phi, start[key].dtype)
        at = places(builder, loop[0], self.axes)
        moved = []
        for pointer, (number, varies) in zip(self.pointers, self.loop.inputs, strict=False):
            place = offset(builder, at, self.axes, varies, self.width if varies[-1] else 1)
            moved.append(element(builder, pointer, self.loop.types[number], place))
        for k, (number, kind) in enumerate(self.loop.outputs):
            place = builder.mul(loop[0], I64(1 if kind == ROW else self.width))
            moved.append(sums.get(k) or element(builder, self.pointers[inputs + k], self.loop.types[number], place))
        status = [self.pointers[-1]] if self.loop.checks else []
        arguments = [*moved, *status, builder.sub(loop[0], begin)]
        if row is None:
            self._row(arguments)
        else:
            builder.call(row, arguments)
        for key, phi in running.items():
            phi.add_incoming(self.held[key].ir, builder.block)
        close(builder, loop, last, 1)
        cg = VectorEmitter(self.module, builder, self.lanes)
        for (k, vector), total in self.held.items():
            place = element(builder, sums[k], total.dtype, I64(vector * self.lanes))
            conversion.store(cg, renew(cg, total), place)
        if part.parts == 1:
            for k, pointer in sums.items():
                self._finish(k, pointer, outer)

    def _accumulators(self, number: Any) -> dict[int, Any]:
        """Where the accumulators of a block begin, by output."""
        first = len(self.loop.inputs) + len(self.loop.outputs)
        place = self.builder.mul(number, I64(self.plan.padded))
        return {
            k: element(self.builder, self.pointers[first + i], self._accumulator(k), place)
            for i, k in enumerate(self.plan.columns)
        }

    def _accumulator(self, output: int) -> DType:
        return self.plan.accumulator(self.loop.outputs[output][0])

    def _clear(self, pointer: Any, output: int) -> None:
        """Set the accumulators of a block to what a reduction of nothing gives."""
        dtype = self._accumulator(output)
        loop = counted(self.builder, I64(0), "clear")
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        nothing = cg.splat(joining.start(self.loop.calls[self.loop.outputs[output][0]].join, dtype), dtype)
        conversion.store(cg, nothing, element(self.builder, pointer, dtype, loop[0]))
        close(self.builder, loop, I64(self.plan.padded), self.lanes)

    def _nothing_held(self) -> dict[tuple[int, int], VectorValue]:
        """What the accumulators in registers hold before the first row."""
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        found = {}
        for k in self.plan.columns:
            dtype, call = self._accumulator(k), self.loop.calls[self.loop.outputs[k][0]]
            for vector in range(self.plan.padded // self.lanes):
                found[k, vector] = cg.splat(joining.start(call.join, dtype), dtype)
        return found

    def _finish(self, output: int, pointer: Any, outer: Any) -> None:
        """Accumulators of one block as a row of results."""
        builder, dtype = self.builder, self.loop.types[self.loop.outputs[output][0]]
        end = self.end.epilogue if self.end is not None and self.end.output == output else None
        first = len(self.loop.inputs) + len(self.loop.outputs) + len(self.plan.columns)
        more = [] if self.end is None else self.pointers[first : first + self.end.pointers]
        targets = [self.pointers[len(self.loop.inputs) + output], *more]

        def vector(index: Any, mask: Any) -> None:
            cg = VectorEmitter(self.module, builder, self.lanes)
            own = self._accumulator(output)
            total = conversion.load(cg, element(builder, pointer, own, index), own)
            ColumnPlace(cg, targets, (outer, index), self.width, mask).finish(cg.cast(total, dtype), end)

        over_row(builder, self.width, self.lanes, vector)

    def _emit_row(self) -> ir.Function:
        """`row(inputs, outputs, status, line)`: one row."""
        count = len(self.loop.inputs) + len(self.loop.outputs) + bool(self.loop.checks)
        function = ir.Function(self.module, ir.FunctionType(VOID, [POINTER] * count + [I64]), "row")
        function.linkage = "internal"
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self._row(function.args)
        self.builder.ret_void()
        return function

    def _row(self, arguments: Sequence[Any]) -> None:
        """One row, pass by pass. The arguments are pointers to inputs, outputs and the status word if there is one, and its number."""
        inputs, outputs = len(self.loop.inputs), len(self.loop.outputs)
        self.line = arguments[-1]
        self.sources = dict(zip([n for n, _ in self.loop.inputs], arguments, strict=False))
        self.targets = arguments[inputs : inputs + outputs]
        self.known: dict[int, VectorValue] = {}
        for step in self.plan.passes:
            self._row_values(step.number)
            waiting = {i: self._waiting_room(i, home) for i, home in step.kept}
            self._pass(step, waiting)
            self.sources.update(waiting)
            self.sources.update({n: self.targets[k] for n, k in step.read_back})
        self._row_values(max(self.loop.passes, default=0))
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        for (number, place), pointer in zip(self.loop.outputs, self.targets, strict=True):
            if place == ROW:
                conversion.store_one(cg, renew(cg, self.known[number]), pointer)
        for number in self.loop.checks:
            with self.builder.if_then(cg.any(cg.bit_not(renew(cg, self.known[number]))), likely=False):
                self.builder.store(I64(1), arguments[-2])

    def _waiting_room(self, i: int, home: int) -> Any:
        """Memory for a row of a value that later passes need."""
        return (
            self.targets[home] if home >= 0 else room(self.builder, memory_type(self.loop.types[i]), self.plan.padded)
        )

    def _row_values(self, number: int) -> None:
        """Compute what is the same for the whole row and can be known before a pass."""
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        for i, call in enumerate(self.loop.calls):
            late = self.loop.varies[i] or self.loop.passes[i] > number or call.direction
            if i in self.known or late or i not in self.plan.live:
                continue
            if call.method == "input":
                self.known[i] = conversion.load_one(cg, self.sources[i], self.loop.types[i])
            elif call.method == "line":
                narrow = self.builder.trunc(self.line, ir.IntType(32))
                self.known[i] = cg.broadcast(narrow, self.loop.types[i])
            elif call.method == "number":
                self.known[i] = cg.splat(_parse(call.extra[0]), self.loop.types[i])
            else:
                self.known[i] = self._call(cg, i, self.known)

    def _call(self, cg: VectorEmitter, i: int, values: dict[int, VectorValue]) -> VectorValue:
        call = self.loop.calls[i]
        found: VectorValue = getattr(cg, call.method)(*[renew(cg, values[k]) for k in call.operands], *call.extra)
        return found

    def _pass(self, step: Pass, waiting: dict[int, Any]) -> None:
        """The row once: whole vectors in a loop, and what is left of the row under a mask."""
        whole = self.width // self.lanes
        abreast = _ABREAST if step.sums and len(self.plan.live) <= _CHEAP and whole >= 2 * _ABREAST else 1
        totals = [{i: self._start(i) for i in step.sums} for _ in range(abreast)]
        rounds = 0 if self.is_narrow else whole // abreast
        if rounds:
            entry = self.builder.block
            loop = counted(self.builder, I64(0), "pass")
            running = [{i: self.builder.phi(t.ir.type) for i, t in part.items()} for part in totals]
            for part, phis in zip(totals, running, strict=True):
                for i, phi in phis.items():
                    phi.add_incoming(part[i].ir, entry)
                    part[i] = VectorValue(part[i].cg, phi, part[i].dtype)
            for k in range(abreast):
                index = self.builder.add(loop[0], I64(k * self.lanes)) if k else loop[0]
                totals[k] = self._vector(totals[k], step, waiting, index, None)
            for part, phis in zip(totals, running, strict=True):
                for i, phi in phis.items():
                    phi.add_incoming(part[i].ir, self.builder.block)
            close(self.builder, loop, I64(rounds * abreast * self.lanes), abreast * self.lanes)
        for k in range(rounds * abreast, whole):
            totals[0] = self._vector(totals[0], step, waiting, I64(k * self.lanes), None)
        if whole * self.lanes < self.width:
            mask = mask_of(self.width - whole * self.lanes, self.lanes)
            totals[0] = self._vector(totals[0], step, waiting, I64(whole * self.lanes), mask)
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        for i in step.sums:
            join, total = self.loop.calls[i].join, renew(cg, totals[0][i])
            for part in totals[1:]:
                total = joining.combine(cg, join, total, part[i])
            self.known[i] = cg.cast(joining.across(cg, join, total), self.loop.types[i])

    def _start(self, i: int) -> VectorValue:
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        dtype = self.plan.accumulator(i)
        return cg.splat(joining.start(self.loop.calls[i].join, dtype), dtype)

    def _vector(
        self, totals: dict[int, VectorValue], step: Pass, waiting: dict[int, Any], index: Any, left: Any
    ) -> dict[int, VectorValue]:
        """One vector of the row: running reductions taken further, and whole results stored."""
        cg = VectorEmitter(self.module, self.builder, self.lanes)
        mask = None if left is None else VectorValue(cg, left, dtypes.bool_)
        values = dict(self.known)
        following = {}
        for i, total in totals.items():
            call = self.loop.calls[i]
            x = cg.cast(renew(cg, self._value(cg, call.operands[0], values, index, mask)), total.dtype)
            joined = joining.combine(cg, call.join, total, x)
            following[i] = joined if mask is None else cg.select(mask, joined, renew(cg, total))
        results = []
        for k in step.stores:
            number, place = self.loop.outputs[k]
            wanted = self.loop.calls[number].operands[0] if place == COLUMN else number
            results.append((k, renew(cg, self._value(cg, wanted, values, index, mask))))
        # All is read before anything is written, which may be the memory that was read.
        for i, pointer in waiting.items():
            x = renew(cg, self._value(cg, i, values, index, mask))
            write(cg, x, element(cg.builder, pointer, x.dtype, index), mask)
        for k, x in results:
            if self.loop.outputs[k][1] == COLUMN:
                self._add_to_column(cg, k, x, index)
            else:
                write(cg, x, element(cg.builder, self.targets[k], x.dtype, index), mask)
        return following

    def _add_to_column(self, cg: VectorEmitter, output: int, x: VectorValue, index: Any) -> None:
        dtype = self._accumulator(output)
        join = self.loop.calls[self.loop.outputs[output][0]].join
        if self.holds:
            key = output, index.constant // self.lanes
            self.held[key] = joining.combine(cg, join, renew(cg, self.held[key]), cg.cast(x, dtype))
            return
        place = element(cg.builder, self.targets[output], dtype, index)
        conversion.store(cg, joining.combine(cg, join, conversion.load(cg, place, dtype), cg.cast(x, dtype)), place)

    def _value(
        self, cg: VectorEmitter, i: int, values: dict[int, VectorValue], index: Any, mask: VectorValue | None
    ) -> VectorValue:
        """A value in a pass, computed from what it needs."""
        pending = [i]
        while pending:
            k = pending[-1]
            missing = [o for o in self.loop.calls[k].operands if o not in values and k not in self.sources]
            if k in values or not missing:
                pending.pop()
                if k not in values:
                    values[k] = self._leaf(cg, k, values, index, mask)
            else:
                pending += missing
        return values[i]

    def _leaf(
        self, cg: VectorEmitter, k: int, values: dict[int, VectorValue], index: Any, mask: VectorValue | None
    ) -> VectorValue:
        call, dtype = self.loop.calls[k], self.loop.types[k]
        if k in self.sources:
            place = element(cg.builder, self.sources[k], dtype, index)
            return conversion.load(cg, place, dtype) if mask is None else conversion.load_masked(cg, place, dtype, mask)
        if call.method == "position":
            return VectorValue(cg, self._numbers(cg, index), dtype)
        return self._call(cg, k, values)

    def _numbers(self, cg: VectorEmitter, index: Any) -> Any:
        """The positions of the lanes in the row."""
        narrow = ir.IntType(32)
        is_known = isinstance(index, ir.Constant)
        first = narrow(index.constant) if is_known else cg.builder.trunc(index, narrow)
        lanes = ir.Constant(ir.VectorType(narrow, self.lanes), list(range(self.lanes)))
        return cg.builder.add(cg.broadcast(first, dtypes.int32).ir, lanes)


def _parse(text: str) -> Any:
    """The number that a text of Python stands for."""
    if text in ("True", "False"):
        return text == "True"
    return float(text) if any(c in text for c in ".en") else int(text)


def table_size(loop: RowLoop, plan: RowPlan) -> int:
    """How many pointers the table of a loop over rows has."""
    return len(loop.inputs) + len(loop.outputs) + len(plan.columns) + bool(loop.checks)


def mask_of(count: int, lanes: int) -> Any:
    """A vector whose first lanes are true."""
    return ir.Constant(ir.VectorType(ir.IntType(1), lanes), [int(k < count) for k in range(lanes)])


def over_row(builder: ir.IRBuilder, width: int, lanes: int, vector: Any) -> None:
    """Emit `vector(index, mask)` for all vectors of a row; the last one may have a mask, which is an LLVM constant."""
    whole = width - width % lanes
    if whole:
        loop = counted(builder, I64(0), "row")
        vector(loop[0], None)
        close(builder, loop, I64(whole), lanes)
    if whole < width:
        vector(I64(whole), mask_of(width - whole, lanes))


def write(cg: VectorEmitter, x: VectorValue, place: Any, mask: Any) -> None:
    """Store a vector, or its lanes under a mask."""
    if mask is None:
        conversion.store(cg, x, place)
    else:
        conversion.store_masked(
            cg, x, place, mask if isinstance(mask, VectorValue) else VectorValue(cg, mask, dtypes.bool_)
        )


class ColumnPlace:
    """Where a vector of columns is in a result, a matrix, around which an epilogue reads and writes."""

    def __init__(self, cg: VectorEmitter, pointers: Sequence[Any], at: tuple[Any, Any], width: int, mask: Any) -> None:
        self._cg, self._pointers, self._at, self._width, self._mask = cg, pointers, at, width, mask

    def finish(self, value: VectorValue, epilogue: Epilogue | None) -> None:
        """Write a vector, or what an epilogue makes of it."""
        if epilogue is None:
            self.store(0, value)
        else:
            epilogue.emit(self._cg, value, self, 0)

    def read(self, slot: int, dtype: DType, distances: Distances) -> VectorValue:
        """The elements of an operand that belong to the vector."""
        cg, (_, row, column) = self._cg, distances
        place = self._place(slot, dtype, row, column)
        if not column:
            return conversion.load_one(cg, place, dtype)
        if self._mask is None:
            return conversion.load(cg, place, dtype)
        return conversion.load_masked(cg, place, dtype, VectorValue(cg, self._mask, dtypes.bool_))

    def store(self, slot: int, value: VectorValue) -> None:
        """Write a vector to an array that the result fills."""
        self.write(slot, value, (0, self._width, 1))

    def write(self, slot: int, value: VectorValue, distances: Distances) -> None:
        """Write a vector to an array whose elements are at distances."""
        _, row, column = distances
        write(self._cg, value, self._place(slot, value.dtype, row, column), self._mask)

    def _place(self, slot: int, dtype: DType, row: int | Groups, column: int) -> Any:
        builder, (outer, index) = self._cg.builder, self._at
        assert isinstance(row, int), "rows of columns are not in groups"
        place = builder.mul(outer, I64(row))
        return element(builder, self._pointers[slot], dtype, builder.add(place, index) if column else place)


def emit_columns(
    module: ir.Module,
    join: str,
    own: DType,
    dtype: DType,
    sizes: tuple[int, int, int, int],
    lanes: int,
    end: ColumnEpilogue | None = None,
) -> tuple[ir.Function, int]:
    """A task that joins the accumulators of blocks, in their order; and its number of chunks.

    Args:
      module: where it goes.
      join: how they are joined.
      own: the dtype of the accumulators.
      dtype: that of the results.
      sizes: how many results there are of how many blocks each, their width, and the width of a block.
      lanes: elements of a vector, of which blocks are made.
      end: what is done with the results.
    """
    outers, parts, width, padded = sizes
    function = ir.Function(module, ir.FunctionType(VOID, [I64, I64]), "task")
    table, outer = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    source, *targets = table_of(builder, table, 2 + (0 if end is None else end.pointers))
    source = element(builder, source, own, builder.mul(outer, I64(parts * padded)))

    def vector(index: Any, mask: Any) -> None:
        cg = VectorEmitter(module, builder, lanes)
        nothing = cg.splat(joining.start(join, own), own)
        before = builder.block
        loop = counted(builder, I64(0), "blocks")
        total = builder.phi(nothing.ir.type)
        total.add_incoming(nothing.ir, before)
        place = builder.add(builder.mul(loop[0], I64(padded)), index)
        x = conversion.load(cg, element(builder, source, own, place), own)
        found = joining.combine(cg, join, VectorValue(cg, total, own), x)
        total.add_incoming(found.ir, builder.block)
        close(builder, loop, I64(parts), 1)
        cg = VectorEmitter(module, builder, lanes)
        place = ColumnPlace(cg, targets, (outer, index), width, mask)
        place.finish(cg.cast(renew(cg, found), dtype), None if end is None else end.epilogue)

    over_row(builder, width, lanes, vector)
    builder.ret_void()
    return function, outers
