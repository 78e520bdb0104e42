"""The innermost loop: a tile of accumulators in registers.

Of bfloat16, a 32-bit element is a pair of neighbours along k: one instruction multiplies the pairs of a and b, and adds both products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import Index, ProductCode
from gradtape.compiler.backends.product.plan import Tile
from gradtape.compiler.codegen import ir
from gradtape.core.dtypes import DType

HALF = ir.IntType(16)  # a stored bfloat16
_ABREAST = 8  # sums that hide the time until a result can be used


@dataclass(frozen=True)
class TileOperand:
    """How a tile reads an operand.

    Attributes:
      pointer: its first element.
      along: elements from one row or column of the tile to the next.
      deep: elements from one step of k to the next.
      valid: of b, how many lanes of the last vector may be read.
      ahead: of b, how many steps of k earlier it is fetched into the first cache; 0 if it is there already.
    """

    pointer: Any
    along: int
    deep: int
    valid: int = 0
    ahead: int = 0


def multiply(
    code: ProductCode,
    dtype: DType,
    tile: Tile,
    a: TileOperand,
    b: TileOperand,
    depth: Index,
    start: list[Any],
    pairs: bool = False,
) -> list[Any]:
    """The accumulators, row by row, after `depth` steps of k.

    Args:
      code: the function under construction.
      dtype: of the elements.
      tile: the accumulators.
      a: one number for each row and step.
      b: vectors for each step.
      depth: how many steps.
      start: what the accumulators hold before.
      pairs: the operands hold pairs of bfloat16, and distances count these; b is a copied sliver.
    """
    rows, vectors, lanes = tile.rows, tile.vectors, tile.lanes
    element = memory.element_type(dtype)
    stored, unit = (HALF, 2) if pairs else (element, 1)
    add_product = _dot_pairs(code, lanes) if pairs else _fused(code, multiply_add(code, dtype, lanes))

    def factor(at_a: Any, r: int) -> Any:
        return memory.splat(code, code.at(at_a, r * a.along, stored), element, lanes, stored)

    def line(at_b: Any, v: int) -> Any:
        valid = lanes if v < vectors - 1 else b.valid
        return memory.load(code, code.at(at_b, v * lanes * unit, stored), dtype, lanes, valid)

    def step(at_a: Any, at_b: Any, sums: list[Any]) -> list[Any]:
        result = list(sums)
        for start in range(0, tile.columns if b.ahead else 0, 64 // dtype.size):
            memory.prefetch(code, code.at(at_b, b.ahead * b.deep + start * unit, stored))
        # The shorter side is held in registers, the longer one passes through a single one.
        held = [line(at_b, v) for v in range(vectors)] if vectors < rows else [factor(at_a, r) for r in range(rows)]
        for i in range(max(rows, vectors)):
            passing = factor(at_a, i) if vectors < rows else line(at_b, i)
            for j, other in enumerate(held):
                index = i * vectors + j if vectors < rows else j * vectors + i
                result[index] = add_product(passing, other, sums[index])
        return result

    def turn(_: Index, state: Any) -> Any:
        at_a, at_b, *sums = state
        for way in range(ways):
            part = slice(way * count, (way + 1) * count)
            sums[part] = step(at_a, at_b, sums[part])
            at_a, at_b = code.at(at_a, a.deep, stored), code.at(at_b, b.deep, stored)
        return [at_a, at_b, *sums]

    count = rows * vectors
    # Few accumulators: sums over every second step, or fourth, are made side by side, for each waits until the one before is known.
    ways = next((w for w in (8, 4, 2) if w * count <= _ABREAST and isinstance(depth, int) and depth >= 4 * w), 1)
    zero = ir.Constant(ir.VectorType(element, lanes), None)
    state = code.fold(code.div(depth, ways), [a.pointer, b.pointer, *start, *[zero] * ((ways - 1) * count)], turn)
    at_a, at_b, *sums = state
    for _ in range(depth % ways if ways > 1 else 0):
        sums[:count] = step(at_a, at_b, sums[:count])
        at_a, at_b = code.at(at_a, a.deep, stored), code.at(at_b, b.deep, stored)
    while len(sums) > count:
        half = len(sums) // 2
        sums = [code.builder.fadd(x, y) for x, y in zip(sums[:half], sums[half:], strict=True)]
    return sums


def _fused(code: ProductCode, fma: ir.Function) -> Callable[[Any, Any, Any], Any]:
    return lambda x, y, total: code.builder.call(fma, [x, y, total])


def _dot_pairs(code: ProductCode, lanes: int) -> Callable[[Any, Any, Any], Any]:
    """total + x[0] * y[0] + x[1] * y[1] for pairs in 32-bit lanes."""
    total_type, pair_type = ir.VectorType(ir.FloatType(), lanes), ir.VectorType(ir.BFloatType(), 2 * lanes)
    name = f"llvm.x86.avx512bf16.dpbf16ps.{32 * lanes}"
    kind = ir.FunctionType(total_type, [total_type, pair_type, pair_type])
    function = code.module.globals.get(name) or ir.Function(code.module, kind, name)

    def add_product(x: Any, y: Any, total: Any) -> Any:
        x, y = (code.builder.bitcast(value, pair_type) for value in (x, y))
        return code.builder.call(function, [total, x, y])

    return add_product


def multiply_add(code: ProductCode, dtype: DType, lanes: int) -> ir.Function:
    """x * y + z, with one rounding where the machine has an instruction for that, else with two."""
    vector = ir.VectorType(memory.element_type(dtype), lanes)
    name = f"llvm.fmuladd.v{lanes}f{8 * dtype.size}"
    return code.module.globals.get(name) or ir.Function(code.module, ir.FunctionType(vector, [vector] * 3), name)
