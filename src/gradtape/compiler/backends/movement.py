"""Kernels that move elements: one for each move, by its strides and lengths but the outermost, so that moves which
differ in nothing else share it.

The axes of a move are ordered by the steps of the writes, and joined where source and target both go on. What happens
along the last of them decides: contiguous bytes are copied by vectors, one value is repeated, a reversed row is turned
in registers. Where the source is contiguous along another axis, square tiles are transposed in registers. Other steps
go element by element.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gradtape.compiler.backends import emits
from gradtape.compiler.backends.tiles import Turn, count_panels, emit_panel, panel_bytes
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import BYTE, I64, POINTER, VOID, least, moved, spans, table_of, upto, walk
from gradtape.compiler.codegen.simd.machine import host
from gradtape.compiler.runtime.kernels import NOTHING, Launch, Lowered, Operand, get_kernel
from gradtape.core.patterns.movement import Copy, Move, is_contiguous
from gradtape.core.shape import Spec

_CHUNK = 1 << 17  # bytes that are worth a chunk, where whole vectors are moved
_SLOWER = 1 << 14  # elements that are, where they are moved one by one
ANY = 0  # stands for the outermost length
_WORD = 8  # the largest element; larger ones are several


class MovedAxis(NamedTuple):
    """An axis of a move: its length, and the steps in bytes by which it is read and written."""

    size: int
    read: int
    write: int


class Shift(NamedTuple):
    """What the machine code of a move depends on: neither its beginnings nor its outermost length.

    Attributes:
      axes: outermost first; the first length is `ANY`.
      size: bytes of an element.
      fill: the bytes of a constant; empty if something is read.
      turn: what is transposed by tiles; the axes are then those over its panels.
    """

    axes: tuple[MovedAxis, ...]
    size: int
    fill: bytes = b""
    turn: Turn | None = None

    @property
    def is_simple(self) -> bool:
        """True if whole vectors can be moved along the last axis."""
        _, read, write = self.axes[-1]
        return write == self.size and (bool(self.fill) or read in (0, self.size, -self.size))

    @property
    def per_chunk(self) -> int:
        """How many rows or elements a chunk has."""
        if self.turn is not None:
            return max(1, _CHUNK // panel_bytes(self.turn))
        most = _CHUNK // self.size if self.is_simple else _SLOWER
        return max(1, most // self.axes[-1].size) if len(self.axes) > 1 else most


@emits(Copy)
def copy(pattern: Copy, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Lowered | None:
    """The launches of a copy; an output that has the elements of an input in their order is the input."""
    if any(s.dtype.kind == "O" for s in (*inputs, *outputs)):
        return None
    launches = [Launch(NOTHING, (Operand("output", k),)) for k, s in enumerate(outputs) if not math.prod(s.shape)]
    views: list[tuple[int, int]] = []
    for move in pattern.moves:
        size = pattern.size or outputs[move.output].dtype.size
        if not math.prod(move.write.shape):
            continue
        if _is_whole(move, size, inputs, outputs) and sum(m.output == move.output for m in pattern.moves) == 1:
            views.append((move.output, move.source or 0))
            continue
        launches.append(launch(move, size))
    return Lowered(tuple(launches), views=tuple(views))


def _is_whole(move: Move, size: int, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> bool:
    """True if a move takes all of an input to all of an output, in the same order."""
    if move.source is None:
        return False
    there = [math.prod(s.shape) * s.dtype.size for s in (inputs[move.source], outputs[move.output])]
    return is_contiguous(move.read) and is_contiguous(move.write) and there == [math.prod(move.read.shape) * size] * 2


def launch(move: Move, size: int) -> Launch:
    """The launch of a move that is not empty, of elements of so many bytes."""
    shift, count = _shift(move, size)
    parts = -(-count // shift.per_chunk)
    operands = [Operand("output", move.output, move.write.offset * size), Operand("number", count)]
    if move.source is not None:
        operands.insert(0, Operand("input", move.source, move.read.offset * size))
    kernel = get_kernel(("move", shift), lambda module: (_Mover(module, shift).emit(), 1))
    return Launch(kernel._replace(chunks=parts), tuple(operands))


def _shift(move: Move, size: int) -> tuple[Shift, int]:
    """A move without its beginnings and its outermost length, and that length."""
    axes = [
        MovedAxis(n, r * size, w * size)
        for n, r, w in zip(move.write.shape, move.read.strides, move.write.strides, strict=True)
        if n != 1
    ]
    if size > _WORD and move.source is not None:
        axes.append(MovedAxis(size // _WORD, _WORD, _WORD))
        size = _WORD
    axes.sort(key=lambda axis: -abs(axis.write))
    joined: list[MovedAxis] = []
    for axis in axes or [MovedAxis(1, size, size)]:
        last = joined[-1] if joined else None
        if last and last.read == axis.read * axis.size and last.write == axis.write * axis.size:
            joined[-1] = MovedAxis(last.size * axis.size, axis.read, axis.write)
        else:
            joined.append(axis)
    turned = _turn(joined, size) if move.source is not None else None
    if turned is not None:
        # The number of a panel of tiles is an axis of its own, the last of the walk.
        inner = joined[-1]
        outer = [axis for axis in joined[:-1] if axis is not turned]
        turn = Turn(size, inner.size, inner.read, turned.size, turned.write)
        panels = count_panels(turn)
        lengths = [*outer, MovedAxis(panels, 0, 0)]
        return Shift((lengths[0]._replace(size=ANY), *lengths[1:]), size, turn=turn), math.prod(
            [a.size for a in lengths]
        )
    count = joined[0].size if len(joined) == 1 else math.prod([axis.size for axis in joined[:-1]])
    return Shift((joined[0]._replace(size=ANY), *joined[1:]), size, move.fill), count


def _turn(axes: Sequence[MovedAxis], size: int) -> MovedAxis | None:
    """The axis along which the source is contiguous, if that is another than the one where the target is."""
    inner = axes[-1]
    if inner.write != size or inner.read in (0, size, -size) or inner.size < 2:
        return None
    return next((axis for axis in axes[:-1] if axis.read == size), None)


class _Mover:
    """Writes the function of one shift: `task(table, chunk)`, where the table has the source, if there is one, the
    target, and how many rows there are, or elements if there is only one row."""

    def __init__(self, module: ir.Module, shift: Shift) -> None:
        self.module, self.shift, self.size, self.fill = module, shift, shift.size, shift.fill
        self.outer, self.inner = shift.axes[:-1], shift.axes[-1]

    def emit(self) -> ir.Function:
        """The function of a chunk."""
        function = ir.Function(self.module, ir.FunctionType(VOID, [I64, I64]), "task")
        self.builder = builder = ir.IRBuilder(function.append_basic_block("entry"))
        table, chunk = function.args
        count = 1 if self.fill else 2
        pointers = table_of(builder, table, count)
        place = builder.gep(builder.inttoptr(table, POINTER), [I64(count)], source_etype=I64)
        first = builder.mul(chunk, I64(self.shift.per_chunk))
        last = least(builder, builder.add(first, I64(self.shift.per_chunk)), builder.load(place, typ=I64))
        self.source, self.target = pointers[0], pointers[-1]
        if self.shift.turn is not None:
            self._emit_panels(self.shift.turn, first, last)
        elif self.outer:
            self._emit_rows(self.outer, first, last, self._row)
        elif self.shift.is_simple:
            self._emit_long(first, last)
        else:
            self._emit_elements(first, last)
        builder.ret_void()
        return function

    def _emit_rows(self, axes: Sequence[MovedAxis], first: Any, last: Any, body: Callable[[Any], None]) -> None:
        """Rows along some axes; the pointers stand at the beginning of one when the body is emitted."""

        def row(pointers: list[Any], number: Any) -> None:
            self.source, self.target = pointers
            body(number)

        strides = [[axis.read for axis in axes], [axis.write for axis in axes]]
        walk(self.builder, [axis.size for axis in axes], (first, last), [self.source, self.target], strides, row)

    def _emit_panels(self, turn: Turn, first: Any, last: Any) -> None:
        panels = count_panels(turn)

        def panel(number: Any) -> None:
            number = self.builder.urem(number, I64(panels)) if len(self.shift.axes) > 1 else number
            emit_panel(self.builder, turn, self.source, self.target, number)

        self._emit_rows(self.shift.axes, first, last, panel)

    def _row(self, number: Any) -> None:
        """One row of a known length."""
        if self.shift.is_simple:
            begin = self._value()
            spans(
                self.builder, self.inner.size * self.size, host().register_bytes, lambda at, n: self._span(at, n, begin)
            )
        else:
            self._emit_elements(I64(0), I64(self.inner.size))

    def _emit_long(self, first: Any, last: Any) -> None:
        """A part of the only row, of any length."""
        value, unit = self._value(), host().register_bytes
        end = self.builder.mul(last, I64(self.size))
        with upto(self.builder, self.builder.mul(first, I64(self.size)), end, 4 * unit) as at:
            for k in range(4):
                self._span(self.builder.add(at, I64(k * unit)), unit, value)
        with upto(self.builder, at, end, unit) as at:
            self._span(at, unit, value)
        with upto(self.builder, at, end, self.size) as at:
            self._span(at, self.size, value)

    def _value(self) -> Any:
        """What is repeated along a row, in a vector of bytes; None if the row is copied."""
        size = host().register_bytes
        kind, count = ir.VectorType(BYTE, size), size // self.size
        if self.fill:
            return ir.Constant(kind, list(self.fill * count))
        if self.inner.read:
            return None
        lane = ir.IntType(8 * self.size)
        one = self.builder.load(self.source, align=self.size, typ=lane)
        nothing = ir.Constant(ir.VectorType(lane, count), ir.Undefined)
        first = self.builder.insert_element(nothing, one, ir.IntType(32)(0))
        spread = self.builder.shuffle_vector(
            first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
        )
        return self.builder.bitcast(spread, kind)

    def _span(self, at: Any, size: int, value: Any) -> None:
        """Some bytes of a row, from a byte of the target on."""
        builder = self.builder
        if value is not None:
            value = _lanes(builder, value, range(size))
        elif self.inner.read > 0:
            value = builder.load(moved(builder, self.source, at), align=self.size, typ=ir.VectorType(BYTE, size))
        else:
            kind = ir.VectorType(ir.IntType(8 * self.size), size // self.size)
            begin = moved(builder, self.source, builder.sub(I64(self.size - size), at))
            value = _lanes(builder, builder.load(begin, align=self.size, typ=kind), range(kind.count - 1, -1, -1))
        builder.store(value, moved(builder, self.target, at), align=self.size)

    def _emit_elements(self, first: Any, last: Any) -> None:
        """Element by element, four at a time."""
        builder, (_, read, write) = self.builder, self.inner
        lane = ir.IntType(8 * self.size)
        constant = ir.Constant(lane, int.from_bytes(self.fill, "little"))

        def element(at: Any) -> None:
            value: Any = constant
            if not self.fill:
                value = builder.load(moved(builder, self.source, builder.mul(at, I64(read))), align=self.size, typ=lane)
            builder.store(value, moved(builder, self.target, builder.mul(at, I64(write))), align=self.size)

        with upto(builder, first, last, 4) as at:
            for k in range(4):
                element(builder.add(at, I64(k)))
        with upto(builder, at, last, 1) as at:
            element(at)


def _lanes(builder: ir.IRBuilder, vector: Any, lanes: Sequence[int]) -> Any:
    """Some lanes of a vector."""
    if list(lanes) == list(range(vector.type.count)):
        return vector
    order = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), list(lanes))
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), order)
