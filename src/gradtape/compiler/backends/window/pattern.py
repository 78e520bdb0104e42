"""Pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradtape.compiler.backends import emits
from gradtape.compiler.backends.product.epilogue import emit_of
from gradtape.compiler.backends.window import kernel
from gradtape.compiler.backends.window.body import BODIES, Types
from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.codegen.simd.machine import computed, host, supports
from gradtape.compiler.runtime.kernels import Launch, Lowered, Operand, get_kernel, inputs, outputs
from gradtape.core import dtypes
from gradtape.core.patterns.pooling import Pool, WinnerPositions
from gradtape.core.shape import Spec

GROUPS_ROWS = True


@emits(Pool)
def pool(pattern: Pool, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The launch of pooling."""
    return launch(pattern, (*inputs(*range(pattern.inputs)), *outputs(0)))


def launch(
    pattern: Pool,
    operands: Sequence[Operand],
    epilogue: Epilogue | None = None,
    shares: tuple[tuple[int, int], ...] = (),
) -> Lowered | None:
    """The launch of pooling, for a `PatternBackend`; None for dtypes and windows that it has no code for."""
    result = pattern.winner if pattern.kind == "winner" else pattern.dtype
    types = Types(pattern.dtype, pattern.winner or dtypes.int32, result or pattern.dtype)
    return _lower(pattern, pattern.kind, types, 1, operands, epilogue, shares)


def takes_epilogue(pattern: Pool, epilogue: Epilogue) -> bool:
    """True if what follows can be done as a part of pooling, no more slowly than by itself."""
    columns, lanes = pattern.matrices[2], host().lanes(computed(pattern.dtype).size)
    vectors = columns % lanes == 0 or (epilogue.is_short() and columns >= lanes // 2)
    return vectors and pool(pattern, (), ()) is not None


@emits(WinnerPositions)
def positions(pattern: WinnerPositions, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The launch that finds the positions of winners."""
    pool, first = pattern.pool, pattern.first
    front = next((i for i, k in enumerate(zip(pool.window, pool.strides, strict=True)) if k != (1, 1)), 0)
    if first > front:
        return None
    types = Types(dtypes.int64, pool.winner or dtypes.int32, pattern.dtype)
    operands = (*inputs(0), *outputs(0))
    return _lower(pool._replace(kind="maximum"), "positions", types, math.prod(pool.size[:first]), operands)


def _lower(
    pattern: Pool,
    kind: str,
    types: Types,
    uncounted: int,
    operands: Sequence[Operand],
    epilogue: Epilogue | None = None,
    shares: tuple[tuple[int, int], ...] = (),
) -> Lowered | None:
    if not all(map(supports, (types.values, types.winner, types.result))) or 0 in (*pattern.size, *pattern.out):
        return None
    cut = kernel.plan(pattern)
    if cut is None or cut.lead % uncounted:
        return None
    body = BODIES[kind]
    key, emit = ("pool", kind, cut, types, uncounted), emit_of(epilogue, body.operands - 1)
    made = get_kernel(
        key if epilogue is None else (*key, epilogue),
        lambda module: kernel.emit(module, cut, body, types, uncounted, emit),
    )
    return Lowered((Launch(made, tuple(operands)),), shares=shares)
