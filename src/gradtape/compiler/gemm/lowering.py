"""Kernels of products: which way a product is computed, and its functions."""

from __future__ import annotations

from typing import Literal

from llvmlite import ir

from gradtape.compiler.gemm import blas, dot, row
from gradtape.compiler.gemm.code import KERNEL
from gradtape.compiler.gemm.dot import DotKernel
from gradtape.compiler.gemm.finish import Epilogue
from gradtape.compiler.gemm.kernel import TiledKernel
from gradtape.compiler.gemm.plan import plan
from gradtape.compiler.gemm.problem import Gemm
from gradtape.compiler.gemm.row import RowKernel
from gradtape.compiler.simd.machine import Machine, host

# Operations of one product from which BLAS is faster: of all, and where a is transposed, which BLAS copies in a better order.
# Measured with float32 on one thread each, the best of many interleaved runs on a shared AVX2 machine with SciPy's OpenBLAS,
# so good to some percent: emitted code has 0.95 to 1.4 of BLAS's speed up to 256x1024x1024, 1024x1024x256 and
# 512x512x512, 0.83 to 0.95 at 1024x1024x1024; with a transposed 1.06 at 256x256x256, 0.95 at 512x512x512 and 0.84 at
# 1024x1024x1024. Narrow products (25088x64x288 and, transposed, 288x64x25088: 1.0 to 1.2) and products with a vector stay
# with emitted code. So does what is about equal: with a busy neighbour, BLAS on two threads took 10 to 30 ms for products
# of 0.1 ms.
_LARGE, _LARGE_TRANSPOSED = 1_000_000_000, 200_000_000
_NARROW = 128


def choose(gemm: Gemm) -> Literal["emitted", "blas"]:
    """Which way a product is faster.

    >>> from gradtape.compiler.gemm import Gemm, choose
    >>> choose(Gemm(64, 128, 784)), choose(Gemm(2048, 2048, 2048))
    ('emitted', 'blas')
    """
    large = 2 * gemm.m * gemm.n * gemm.k >= (_LARGE_TRANSPOSED if gemm.transpose_a else _LARGE)
    return "blas" if large and min(gemm.m, gemm.n, gemm.k) >= _NARROW else "emitted"


def kernels(
    module: ir.Module, gemm: Gemm, epilogue: Epilogue | None = None, scratch: int | None = None
) -> list[tuple[str, int]]:
    """Functions that compute a product the faster way, to run one after the other, with their numbers of chunks.

    Args:
      module: where the functions go.
      gemm: the product.
      epilogue: as of `emit`.
      scratch: slot of memory for the product alone, as large as c without gaps; BLAS needs it if the epilogue loads c.
    """
    if gemm.empty:
        return []
    return [emit(module, gemm, epilogue)] if choose(gemm) == "emitted" else blas.emit(module, gemm, epilogue, scratch)


def emit(
    module: ir.Module, gemm: Gemm, epilogue: Epilogue | None = None, machine: Machine | None = None
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
    if dot.suits(problem):
        kernel = DotKernel(function, problem, lanes, epilogue, flipped)
    elif row.suits(problem, lanes):
        kernel = RowKernel(function, problem, lanes, epilogue, flipped)
    else:
        kernel = TiledKernel(function, problem, plan(problem, machine), epilogue, flipped)
    kernel.emit()
    return name, kernel.chunks
