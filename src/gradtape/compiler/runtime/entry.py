"""Entries: native functions that run launches on NumPy arrays, for kernels that run outside of programs.

`entry(array, ...)` takes contiguous arrays as they are, the inputs, outputs and temporaries of a node. It makes the table of each launch and runs
all its chunks, by the pool if there are several. Which thread computes a chunk does not matter.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import I64, POINTER, room
from gradtape.compiler.codegen.simd.machine import load, translate
from gradtape.compiler.codegen.simd.translation import QUICK
from gradtape.compiler.runtime import pool
from gradtape.compiler.runtime.kernels import Launch, Lowered, Operand

# Where an ndarray has its data pointer: behind the header that all objects have. NumPy promises the order of the fields.
_DATA_OFFSET = object.__basicsize__
LINE = 64  # temporaries begin with a cache line


def entry(lowered: Lowered, inputs: int, outputs: int) -> Callable[..., int]:
    """A function of a node's inputs, outputs and temporaries, the last of these with room for LINE bytes more than they take.

    If it does not return 0, a handler of signals has stopped it, and `pool.raise_interruption` raises what that one has.
    """
    module, counts = ir.Module(name="entry"), {"input": inputs, "output": outputs, "scratch": len(lowered.scratch)}
    _Entry(module, counts).emit(lowered.launches)
    library = load(translate(module, effort=QUICK))
    call: Any = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.py_object] * sum(counts.values()))(library.address("entry"))
    call.keep = library, lowered  # whoever has the function keeps the code
    found: Callable[..., int] = call
    return found


class _Entry:
    """An entry under construction."""

    def __init__(self, module: ir.Module, counts: dict[str, int]) -> None:
        self._function = ir.Function(module, ir.FunctionType(I64, [POINTER] * sum(counts.values())), "entry")
        self._builder = builder = ir.IRBuilder(self._function.append_basic_block("entry"))
        self._status = room(builder, I64, 1)  # what a kernel would find wrong was looked at before
        given = iter(self._function.args)
        self._arrays = {kind: [next(given) for _ in range(count)] for kind, count in counts.items()}
        self._places = {kind: [self._place(a, kind) for a in arrays] for kind, arrays in self._arrays.items()}

    def _place(self, array: Any, kind: str) -> Any:
        """Where the elements of an array begin."""
        builder = self._builder
        place = builder.load(builder.gep(array, [I64(_DATA_OFFSET)], source_etype=ir.IntType(8)), typ=I64)
        return builder.and_(builder.add(place, I64(LINE - 1)), I64(-LINE)) if kind == "scratch" else place

    def emit(self, launches: Sequence[Launch]) -> None:
        """Emit the whole function."""
        builder = self._builder
        for kernel, operands in launches:
            if not kernel.chunks:
                continue
            table = room(builder, I64, max(len(operands), 1))
            for i, operand in enumerate(operands):
                builder.store(self._word(operand), builder.gep(table, [I64(i)], source_etype=I64))
            if kernel.chunks == 1:
                task = builder.inttoptr(I64(kernel.address), ir.FunctionType(ir.VoidType(), [I64, I64]).as_pointer())
                builder.call(task, [builder.ptrtoint(table, I64), I64(0)])
                continue
            stopped = builder.icmp_signed("!=", self._share(kernel.address, table, kernel.chunks), I64(0))
            with builder.if_then(stopped):
                builder.ret(I64(1))
        builder.ret(I64(0))

    def _word(self, operand: Operand) -> Any:
        if operand.kind == "number":
            return I64(operand.number)
        if operand.kind == "status":
            return self._builder.ptrtoint(self._status, I64)
        return self._builder.add(self._places[operand.kind][operand.number], I64(operand.offset))

    def _share(self, address: int, table: Any, chunks: int) -> Any:
        """Let the pool run all chunks. Those that write over their input are not stopped: it would be lost."""
        builder, (_, state) = self._builder, pool.entry()
        is_update: Any = ir.IntType(1)(0)
        for array in self._arrays["input"]:
            for result in self._arrays["output"]:
                is_update = builder.or_(is_update, builder.icmp_unsigned("==", array, result))
        share = builder.select(is_update, I64(pool.address("share_whole")), I64(pool.address("parallel_for")))
        kind = ir.FunctionType(I64, [I64, I64, I64, I64])
        function = builder.inttoptr(share, kind.as_pointer())
        return builder.call(function, [I64(state), I64(address), builder.ptrtoint(table, I64), I64(chunks)])
