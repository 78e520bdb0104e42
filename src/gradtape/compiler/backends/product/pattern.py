"""Matrix products as launches."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence

from gradtape.compiler.backends import emits
from gradtape.compiler.backends.product.problem import Batch, Gemm
from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.codegen import ir
from gradtape.compiler.runtime import kernels
from gradtape.compiler.runtime.kernels import Launch, Lowered, Operand
from gradtape.core.patterns.product import Product
from gradtape.core.shape import Spec

GROUPS_ROWS = False
_MOST_LAUNCHES = 64  # of a stack whose axes cannot be joined
_FAR = 1 << 17  # elements from which on operands of an epilogue are hardly in a cache


@emits(Product)
def lower(pattern: Product, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Lowered | None:
    """A product without an epilogue."""
    return launch(pattern, (*kernels.inputs(0, 1), *kernels.outputs(0)))


def takes_epilogue(pattern: Product, epilogue: Epilogue) -> bool:
    """True unless a product is several launches."""
    return len(pattern.axes) <= 2


def launch(
    pattern: Product,
    operands: Sequence[Operand],
    epilogue: Epilogue | None = None,
    shares: tuple[tuple[int, int], ...] = (),
) -> Lowered | None:
    """The launches of a product, for a `PatternBackend`. The axes of a stack that cannot be joined to two are so many launches."""
    outer, inner = pattern.axes[:-2], pattern.axes[-2:]
    if math.prod([axis.size for axis in outer]) > _MOST_LAUNCHES:
        return None
    problem = problem_of(pattern._replace(axes=inner))
    launches: list[Launch] = []
    size = pattern.size
    whole = math.prod([axis.size for axis in inner]) * pattern.m * pattern.n
    for number, place in enumerate(itertools.product(*[range(axis.size) for axis in outer])):
        a, b = (sum(i * axis[1 + side] for i, axis in zip(place, outer, strict=True)) for side in range(2))
        moves = (a * size, b * size, number * whole * pattern.dtype.size)
        moved = [o._replace(offset=o.offset + n) for o, n in zip(operands, moves, strict=False)]
        launches.append(_launch(problem, [*moved, *operands[3:]], epilogue))
    return Lowered(tuple(launches), shares=shares)


def problem_of(pattern: Product) -> Gemm:
    """A product with two axes at most as the code generator sees it."""
    m, n, k, dtype, transpose_a, transpose_b, axes, lda, ldb, stored = pattern
    batch = Batch()
    if axes:
        count = math.prod([axis.size for axis in axes])
        size, stride_a, stride_b = axes[-1]
        batch = Batch(count, stride_a, stride_b, m * n)
        if len(axes) > 1:
            batch = dataclasses.replace(batch, inner=size, outer_a=axes[0].stride_a, outer_b=axes[0].stride_b)
    k = k if stored is None else k // 2  # pairs of bfloat16
    return Gemm(m, n, k, dtype, transpose_a, transpose_b, lda, ldb, batch=batch, pairs=stored is not None)


def _launch(problem: Gemm, operands: Sequence[Operand], epilogue: Epilogue | None) -> Launch:
    """The launch of a product with two axes at most."""

    def emit(module: ir.Module) -> tuple[ir.Function, int]:
        from gradtape.compiler.backends.product import kernel  # not for code that is on disk

        if epilogue is None:
            name, chunks = kernel.emit(module, problem)
        else:
            far = _far(problem, epilogue)
            name, chunks = kernel.emit(
                module, problem, lambda cg, value, at: epilogue.emit(cg, value, at, 2), fetched=far
            )
        return module.globals[name], chunks

    work = problem.operations // 2
    return Launch(kernels.get_kernel(("product", problem, epilogue), emit, work), tuple(operands))


def _far(problem: Gemm, epilogue: Epilogue) -> list[tuple[int, int]]:
    """Slots of the operands of an epilogue that are as large as the product and hardly in a cache, and their bytes of an element."""
    if problem.m * problem.n < _FAR:
        return []
    return [
        (3 + k, epilogue.operands[i].dtype.size)
        for k, i in enumerate(epilogue.loaded)
        if epilogue.operands[i].distances == (problem.batch.stride_c, problem.n, 1)
    ]
