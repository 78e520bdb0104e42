"""Pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradtape.compiler.backends import emits
from gradtape.compiler.backends.window import kernel
from gradtape.compiler.backends.window.body import BODIES, Types
from gradtape.compiler.codegen.simd.widths import supports
from gradtape.compiler.runtime.kernels import Launch, Lowered, get_kernel, inputs, outputs
from gradtape.core import dtypes
from gradtape.core.patterns.pooling import Pool, WinnerPositions
from gradtape.core.shape import Spec


@emits(Pool)
def pool(pattern: Pool, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The launch of pooling."""
    result = pattern.winner if pattern.kind == "winner" else pattern.dtype
    return _lowered(
        pattern, pattern.kind, Types(pattern.dtype, pattern.winner or dtypes.int32, result or pattern.dtype)
    )


@emits(WinnerPositions)
def positions(pattern: WinnerPositions, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The launch that finds the positions of winners."""
    pool, first = pattern.pool, pattern.first
    front = next((i for i, k in enumerate(zip(pool.window, pool.strides, strict=True)) if k != (1, 1)), 0)
    if first > front:
        return None
    types = Types(dtypes.int64, pool.winner or dtypes.int32, pattern.dtype)
    return _lowered(pool._replace(kind="maximum"), "positions", types, math.prod(pool.size[:first]))


def _lowered(pattern: Pool, kind: str, types: Types, uncounted: int = 1) -> Lowered | None:
    if not all(map(supports, (types.values, types.winner, types.result))) or 0 in (*pattern.size, *pattern.out):
        return None
    cut = kernel.plan(pattern)
    if cut is None or cut.lead % uncounted:
        return None
    body = BODIES[kind]
    made = get_kernel(("pool", kind, cut, types, uncounted), lambda m: kernel.emit(m, cut, body, types, uncounted))
    return Lowered((Launch(made, (*inputs(*range(body.operands - 1)), *outputs(0))),))
