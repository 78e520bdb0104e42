"""What emitted functions have in common: addresses, room on the stack, and an entry that takes NumPy arrays.

A kernel is a pair of native functions. `task(table, chunk)` computes one chunk, a fixed part of the work, from a table of
pointers; `entry(array, ...)` takes NumPy arrays as they are, makes the table and runs all chunks, by the pool if there are
several. Which thread computes a chunk does not matter.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Library, assemble
from gradtape.compiler.runtime import pool

POINTER, I64, VOID, DOUBLE = ir.PointerType(), ir.IntType(64), ir.VoidType(), ir.DoubleType()
CHUNK = 1 << 14  # elements of a chunk, about: what a core computes in a few microseconds
# Where an ndarray has its data pointer: behind the header that all objects have. NumPy promises the order of the fields.
_DATA_OFFSET = object.__basicsize__


class Compiled:
    """Machine code of a kernel.

    Attributes:
      call: runs it on contiguous NumPy arrays, as many as its table has pointers. If it does not return 0, a handler of signals has
        stopped it, and `pool.raise_interruption` raises what that one has.
      chunks: into how many parts its work is cut.
    """

    def __init__(
        self, module: ir.Module, task: ir.Function, count: int, chunks: int, numbers: Sequence[int] = ()
    ) -> None:
        _emit_entry(module, task, count, chunks, numbers)
        library: Library = assemble(module)
        self.chunks = chunks
        call: Any = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.py_object] * count)(library.address("entry"))
        call.library = library  # whoever has the function keeps the code
        self.call = call


def plain(x: Any) -> Any:
    """A contiguous ndarray of a value."""
    if type(x) is np.ndarray and x.flags.c_contiguous:
        return x
    return np.ascontiguousarray(x)


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


def _emit_entry(module: ir.Module, task: ir.Function, count: int, chunks: int, numbers: Sequence[int]) -> None:
    """`entry(array, ...)`: run all chunks on NumPy arrays; the table has their addresses, then some numbers. 0 if they have all run."""
    function = ir.Function(module, ir.FunctionType(I64, [POINTER] * count), "entry")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    table = room(builder, POINTER, max(count + len(numbers), 1))
    for i, array in enumerate(function.args):
        field = builder.gep(array, [I64(_DATA_OFFSET)], source_etype=ir.IntType(8))
        builder.store(builder.load(field, typ=POINTER), builder.gep(table, [I64(i)], source_etype=POINTER))
    for i, known in enumerate(numbers, count):
        builder.store(I64(known), builder.gep(table, [I64(i)], source_etype=I64))
    number = builder.ptrtoint(table, I64)
    if chunks == 1:
        builder.call(task, [number, I64(0)])
        builder.ret(I64(0))
    else:
        builder.ret(_shared(builder, task, number, chunks, function.args))


def _shared(builder: ir.IRBuilder, task: ir.Function, table: Any, chunks: int, arrays: Sequence[Any]) -> Any:
    """Let the pool run all chunks. Those that write over their input are not stopped: it would be lost."""
    _, state = pool.entry()
    is_update: Any = ir.IntType(1)(0)
    for array in arrays[:-1]:
        is_update = builder.or_(is_update, builder.icmp_unsigned("==", array, arrays[-1]))
    address = builder.select(is_update, I64(pool.address("share_whole")), I64(pool.address("parallel_for")))
    kind = ir.FunctionType(I64, [I64, I64, I64, I64])
    share = builder.inttoptr(address, kind.as_pointer())
    return builder.call(share, [I64(state), builder.ptrtoint(task, I64), table, I64(chunks)])
