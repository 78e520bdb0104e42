"""How reductions join elements: identities, joins of vectors, and of the lanes of a vector."""

from __future__ import annotations

import math
from typing import Any

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.value import VectorValue
from gradtape.core.dtypes import DType


def start(join: str, dtype: DType) -> Any:
    """What a reduction of nothing gives."""
    if join in ("sum", "any"):
        return 0
    if join in ("prod", "all"):
        return 1
    if dtype.is_bool:
        return join == "minimum"
    if join == "minimum":
        return math.inf if dtype.is_floating else dtype.max
    return -math.inf if dtype.is_floating else dtype.min


def combine(cg: VectorEmitter, join: str, total: VectorValue, x: VectorValue) -> VectorValue:
    """A running reduction with a further vector."""
    total, x = renew(cg, total), renew(cg, x)
    if join in ("max", "maximum", "minimum"):
        better = cg.lt(x, total) if join == "minimum" else cg.gt(x, total)
        found = cg.select(better, x, total)  # one instruction, which keeps a total that is NaN
        return found if join == "max" or not x.dtype.is_floating else cg.select(cg.isnan(x), x, found)
    method = {"sum": "add", "prod": "mul", "any": "bit_or", "all": "bit_and"}[join]
    both: VectorValue = getattr(cg, method)(total, x)
    return both


def across(cg: VectorEmitter, join: str, x: VectorValue) -> VectorValue:
    """The lanes joined to one, which is in all lanes then, in a fixed order: halves are joined until one is left."""
    width = cg.width
    step = width // 2
    nothing = ir.Constant(x.ir.type, ir.Undefined)
    while step:
        order = ir.Constant(ir.VectorType(ir.IntType(32), width), [i ^ step for i in range(width)])
        x = combine(cg, join, x, VectorValue(cg, cg.builder.shuffle_vector(x.ir, nothing, order), x.dtype))
        step //= 2
    return x


def renew(cg: VectorEmitter, value: VectorValue) -> VectorValue:
    """A value for an emitter that did not make it."""
    return value if value.cg is cg else VectorValue(cg, value.ir, value.dtype)
