"""Shared parts of emitted functions: addresses, stack space, counting loops, and sums across lanes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler.codegen import ir

POINTER, I64, VOID, DOUBLE = ir.PointerType(), ir.IntType(64), ir.VoidType(), ir.DoubleType()
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
