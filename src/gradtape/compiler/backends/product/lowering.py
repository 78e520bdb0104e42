"""Kernels of products."""

from __future__ import annotations

from collections.abc import Sequence

from gradtape.compiler.backends.product import dot, row
from gradtape.compiler.backends.product.code import KERNEL
from gradtape.compiler.backends.product.dot import DotKernel
from gradtape.compiler.backends.product.epilogue import EmitEpilogue
from gradtape.compiler.backends.product.kernel import Fetched, TiledKernel
from gradtape.compiler.backends.product.plan import plan
from gradtape.compiler.backends.product.problem import Gemm
from gradtape.compiler.backends.product.row import RowKernel
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Machine, host


def emit(
    module: ir.Module,
    gemm: Gemm,
    epilogue: EmitEpilogue | None = None,
    machine: Machine | None = None,
    fetched: Sequence[Fetched] = (),
) -> tuple[str, int]:
    """Name of a new function `void kernel(i64 argument, i64 chunk)`, and the number of chunks that make up the product.

    The argument is the address of a table of pointers. Chunks write different parts of the result, may run in any order
    or at once, and give the same bits whoever computes them. c may be an operand of the epilogue, but not a or b.

    Args:
      module: where the function goes.
      gemm: the product.
      epilogue: `epilogue(cg, value, at)` gets each vector of the product and returns what is to be written instead; it
        may load what other operands have `at` this place, and write there. It is called several times, since
        it is emitted for several places.
      machine: what it is emitted for; the host if None.
      fetched: operands of the epilogue that are not in a cache; they are fetched while the product is computed.
    """
    machine = machine or host()
    name = module.get_unique_name(gemm.name)
    function = ir.Function(module, KERNEL, name)
    if gemm.empty:
        ir.IRBuilder(function.append_basic_block("start")).ret_void()
        return name, 0
    turned = gemm.as_row()
    problem, flipped = turned or gemm, turned is not None
    lanes = machine.lanes(gemm.dtype.size)
    kernel: TiledKernel | DotKernel | RowKernel
    if not gemm.pairs and dot.suits(problem):
        kernel = DotKernel(function, problem, lanes, epilogue, flipped)
    elif not gemm.pairs and row.suits(problem, lanes):
        kernel = RowKernel(function, problem, lanes, epilogue, flipped)
    else:
        kernel = TiledKernel(function, problem, plan(problem, machine), epilogue, flipped, fetched)
    kernel.emit()
    return name, kernel.chunks
