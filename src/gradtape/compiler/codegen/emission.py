"""What emitted functions have in common: addresses, room on the stack, loops that count, sums across lanes, and walks over the rows of several
arrays at once, by pointers that move along axes by fixed strides."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import host

POINTER, I64, VOID, DOUBLE = ir.PointerType(), ir.IntType(64), ir.VoidType(), ir.DoubleType()
BYTE = ir.IntType(8)
CHUNK = 1 << 14  # elements of a chunk, about: what a core computes in a few microseconds


def room(builder: ir.IRBuilder, kind: ir.Type, count: int) -> Any:
    """Room for some elements on the stack."""
    return builder.alloca(ir.ArrayType(kind, count), 64)


def table_of(builder: ir.IRBuilder, table: Any, count: int) -> list[Any]:
    """The pointers of a table, whose address is given as a number."""
    start = builder.inttoptr(table, POINTER)
    return [builder.load(builder.gep(start, [I64(i)], source_etype=POINTER), typ=POINTER) for i in range(count)]


def counted(builder: ir.IRBuilder, first: Any, name: str) -> tuple[Any, Any, Any]:
    """The head of a loop from `first` on, which runs at least once: its index, its block, and the one after it."""
    before = builder.block
    head, done = builder.append_basic_block(name), builder.append_basic_block(f"{name}.done")
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(I64)
    index.add_incoming(first, before)
    return index, head, done


def close(builder: ir.IRBuilder, loop: tuple[Any, Any, Any], last: Any, step: int) -> None:
    """The end of a loop that `counted` began."""
    index, head, done = loop
    following = builder.add(index, I64(step))
    index.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, last), head, done)
    builder.position_at_end(done)


def places(builder: ir.IRBuilder, row: Any, axes: Sequence[int]) -> list[Any]:
    """The index of a row along each axis."""
    found = []
    for d in reversed(axes):
        found.append(builder.urem(row, I64(d)))
        row = builder.udiv(row, I64(d))
    return found[::-1]


def offset(builder: ir.IRBuilder, at: list[Any], axes: Sequence[int], varies: Sequence[bool], stride: int) -> Any:
    """Where a row begins in an array that varies along some of the axes."""
    total: Any = I64(0)
    for axis in range(len(at) - 1, -1, -1):
        if varies[axis]:
            total = builder.add(total, builder.mul(at[axis], I64(stride)))
            stride *= axes[axis]
    return total


def across(builder: ir.IRBuilder, vector: Any, lanes: int, join: Any) -> Any:
    """The lanes joined to one, in a fixed order: halves are joined until one is left."""
    parts = [builder.extract_element(vector, ir.IntType(32)(i)) for i in range(lanes)]
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [join(a, b) for a, b in zip(parts[:half], parts[half:], strict=True)]
    return parts[0]


def moved(builder: ir.IRBuilder, pointer: Any, distance: Any) -> Any:
    """A pointer some bytes further on."""
    if isinstance(distance, int):
        if not distance:
            return pointer
        distance = I64(distance)
    return builder.gep(pointer, [distance], source_etype=BYTE)


def least(builder: ir.IRBuilder, a: Any, b: Any) -> Any:
    """The smaller of two numbers."""
    return builder.select(builder.icmp_signed("<", a, b), a, b)


@contextlib.contextmanager
def upto(builder: ir.IRBuilder, first: Any, last: Any, step: int) -> Iterator[Any]:
    """A loop of whole steps that do not go beyond the end, none if there is no room: its index, which is afterwards
    where it ended."""
    before = builder.block
    head, body, done = (builder.append_basic_block(n) for n in ("upto", "upto.body", "upto.done"))
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(I64)
    index.add_incoming(first, before)
    following = builder.add(index, I64(step))
    builder.cbranch(builder.icmp_signed("<=", following, last), body, done)
    builder.position_at_end(body)
    yield index
    index.add_incoming(following, builder.block)
    builder.branch(head)
    builder.position_at_end(done)


def walk(
    builder: ir.IRBuilder,
    axes: Sequence[int],
    span: tuple[Any, Any],
    pointers: Sequence[Any],
    strides: Sequence[Sequence[int]],
    body: Callable[[list[Any], Any], None],
) -> None:
    """Emit `body(pointers, row)` for some rows.

    Places are divided out of the number of a row only where a new run along the last axis begins; within a run pointers
    are moved on.

    Args:
      builder: stands behind the walk afterwards.
      axes: over which rows are numbered, the last one fastest. The length of the first is not looked at.
      span: the first row, and the last, excluded: at least one.
      pointers: where row 0 is in each array.
      strides: of each array along each axis, in bytes.
      body: emits what is done with one row.
    """
    first, last = span
    if not axes:
        body(list(pointers), first)
        return
    if len(axes) == 1:
        starts = [
            moved(builder, p, builder.mul(first, I64(s[0]))) if s[0] else p
            for p, s in zip(pointers, strides, strict=True)
        ]
        _run(builder, first, last, starts, [s[0] for s in strides], body)
        return
    runs = counted(builder, first, "runs")
    row = runs[0]
    at = _places(builder, row, axes)
    stop = least(builder, builder.add(row, builder.sub(I64(axes[-1]), at[-1])), last)
    starts = []
    for pointer, own in zip(pointers, strides, strict=True):
        distance: Any = I64(0)
        for place, stride in zip(at, own, strict=True):
            if stride:
                distance = builder.add(distance, builder.mul(place, I64(stride)))
        starts.append(moved(builder, pointer, distance) if any(own) else pointer)
    _run(builder, row, stop, starts, [s[-1] for s in strides], body)
    index, head, done = runs
    index.add_incoming(stop, builder.block)
    builder.cbranch(builder.icmp_signed("<", stop, last), head, done)
    builder.position_at_end(done)


def _run(
    builder: ir.IRBuilder,
    first: Any,
    last: Any,
    starts: list[Any],
    strides: list[int],
    body: Callable[[list[Any], Any], None],
) -> None:
    before = builder.block
    loop = counted(builder, first, "rows")
    phis = [builder.phi(POINTER) if stride else start for start, stride in zip(starts, strides, strict=True)]
    body(list(phis), loop[0])
    following = [moved(builder, p, stride) for p, stride in zip(phis, strides, strict=True)]
    for phi, start, after, stride in zip(phis, starts, following, strides, strict=True):
        if stride:
            phi.add_incoming(start, before)
            phi.add_incoming(after, builder.block)
    close(builder, loop, last, 1)


def _places(builder: ir.IRBuilder, row: Any, axes: Sequence[int]) -> list[Any]:
    """The index of a row along each axis."""
    found = []
    for d in reversed(axes[1:]):
        found.append(builder.urem(row, I64(d)))
        row = builder.udiv(row, I64(d))
    return [row, *reversed(found)]


def spans(builder: ir.IRBuilder, size: int, unit: int, emit: Callable[[Any, int], None]) -> None:
    """Emit `emit(begin, length)` for spans of bytes that cover a row of a known size: as many of the unit, a power of
    two, as there are, in a loop if they are many, and a last one that overlaps."""
    unit = min(unit, 1 << (size.bit_length() - 1))
    whole = size // unit
    grouped = whole // 4 if whole >= 8 else 0
    if grouped:
        loop = counted(builder, I64(0), "spans")
        for k in range(4):
            emit(builder.add(loop[0], I64(k * unit)), unit)
        close(builder, loop, I64(4 * grouped * unit), 4 * unit)
    for k in range(4 * grouped, whole):
        emit(I64(k * unit), unit)
    if size % unit:
        emit(I64(size - unit), unit)


def copy_bytes(builder: ir.IRBuilder, source: Any, target: Any, size: int, align: int) -> None:
    """Copy a known number of bytes to other memory."""

    def span(begin: Any, length: int) -> None:
        value = builder.load(moved(builder, source, begin), align=align, typ=ir.VectorType(BYTE, length))
        builder.store(value, moved(builder, target, begin), align=align)

    spans(builder, size, host().register_bytes, span)
