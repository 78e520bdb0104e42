"""Loops as launches of kernels.

Sums are made of one partial sum per chunk, so the bits of a result do not depend on the threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradtape.compiler.backends.pointwise.plan import plan
from gradtape.compiler.bodies.kernel_op import Binding
from gradtape.compiler.bodies.loop import Loop
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import DOUBLE, I64, POINTER, VOID, close, counted
from gradtape.compiler.runtime import kernels
from gradtape.compiler.runtime.kernels import NOTHING, Kernel, Launch, Lowered, Operand
from gradtape.core import dtypes
from gradtape.core.dtypes import DType
from gradtape.core.patterns.movement import contiguous, fill
from gradtape.core.shape import Spec


def lower(loop: Loop, loads: Sequence[Binding], stores: Sequence[Binding], specs: Sequence[Spec]) -> Lowered:
    """The launch of a loop, and one for each sum.

    Args:
      loop: what to compute.
      loads: which inputs of the node its own are.
      stores: which outputs of the node its results are, then its sums.
      specs: of the node's outputs.
    """
    planned, total = plan(loop)
    chunks = -(-total // planned.per_chunk) if math.prod(loop.shape) else 0

    def emit(module: ir.Module) -> tuple[ir.Function, int]:
        from gradtape.compiler.backends.pointwise.emit import LoopEmitter  # not for code that is on disk

        return LoopEmitter(module, planned).emit(), 1

    types, live, count = loop.types(), live_inputs(loop), len(loop.outputs)
    sizes = [types[i].size for i in loop.outputs]
    operands = [
        *[Operand("input", loads[i].slot, loads[i].offset * loop.inputs[i][0].size) for i in live],
        *[Operand("output", b.slot, b.offset * size) for b, size in zip(stores, sizes, strict=False)],
        *[Operand("scratch", i) for i in range(len(loop.sums))],
        Operand("number", total),
    ]
    work = math.prod(loop.shape) * len(loop.steps)
    kernel = kernels.get_kernel(("loop", planned), emit, work)._replace(chunks=chunks) if chunks else NOTHING
    launches = [Launch(kernel, tuple(operands))]
    for i, binding in enumerate(stores[count:]):
        result, dtype = Operand("output", binding.slot), specs[binding.slot].dtype
        if chunks:
            launches.append(Launch(_addition(dtype), (Operand("scratch", i), result, Operand("number", chunks))))
        else:
            from gradtape.compiler.backends import movement  # loaded for sums of nothing alone

            zero = fill(contiguous(()), 0, dtype)._replace(output=result.number)
            launches.append(movement.launch(zero, dtype.size))
    return Lowered(tuple(launches), (8 * chunks,) * len(loop.sums), _shares(loop, loads, stores[:count], specs))


def live_inputs(loop: Loop) -> list[int]:
    """The inputs that are read from memory; the others are numbers that are known."""
    return [i for i, known in enumerate(loop.constants) if known is None]


def _shares(
    loop: Loop, loads: Sequence[Binding], stores: Sequence[Binding], specs: Sequence[Spec]
) -> tuple[tuple[int, int], ...]:
    """Outputs that may be written over inputs which are read whole, element by element, and in no other way."""
    bound = {b.slot for i, b in enumerate(loads) if b.is_part or not loop.is_whole(i)}
    live = live_inputs(loop)
    return tuple(
        (store.slot, loads[i].slot)
        for store in stores
        for i in live
        if not store.is_part and loads[i].slot not in bound and loop.inputs[i][0].size == specs[store.slot].dtype.size
    )


def _addition(dtype: DType) -> Kernel:
    """A kernel that adds up partial sums, at least one: their number stands in the table behind them and the result."""

    def emit(module: ir.Module) -> tuple[ir.Function, int]:
        from gradtape.compiler.codegen.simd import conversion  # not for code that is on disk
        from gradtape.compiler.codegen.simd.emitter import VectorEmitter
        from gradtape.compiler.codegen.simd.value import VectorValue

        function = ir.Function(module, ir.FunctionType(VOID, [I64, I64]), "task")
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        table = builder.inttoptr(function.args[0], POINTER)
        partials, result, count = (
            builder.load(builder.gep(table, [I64(i)], source_etype=I64), typ=kind)
            for i, kind in enumerate((POINTER, POINTER, I64))
        )
        one = ir.VectorType(DOUBLE, 1)
        before = builder.block
        loop = counted(builder, I64(0), "partials")
        running = builder.phi(one)
        partial = builder.load(builder.gep(partials, [loop[0]], source_etype=DOUBLE), typ=one, align=8)
        joined = builder.fadd(running, partial)
        running.add_incoming(ir.Constant(one, None), before)
        running.add_incoming(joined, builder.block)
        close(builder, loop, count, 1)
        cg = VectorEmitter(module, builder, 1)
        conversion.store(cg, cg.cast(VectorValue(cg, joined, dtypes.float64), dtype), result)
        builder.ret_void()
        return function, 1

    return kernels.get_kernel(("addition", dtype), emit)
