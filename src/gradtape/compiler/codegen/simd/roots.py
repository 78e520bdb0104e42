"""sqrt and rsqrt, by machine instructions, which round correctly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.value import VectorValue

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter


def sqrt(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The square root."""
    return cg.intrinsic("sqrt", x)


def rsqrt(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """1 / sqrt(x)."""
    return 1.0 / sqrt(cg, x)
