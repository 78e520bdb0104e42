"""An entry to a kernel that takes NumPy arrays, for kernels that run outside of programs.

A kernel is a pair of native functions. `task(table, chunk)` computes one chunk, a fixed part of the work, from a table of
pointers; `entry(array, ...)` takes NumPy arrays as they are, makes the table and runs all chunks, by the pool if there are
several. Which thread computes a chunk does not matter.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import I64, POINTER, room
from gradtape.compiler.codegen.simd.machine import Library, assemble
from gradtape.compiler.runtime import pool

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
