"""The innermost loop: a tile of accumulators in registers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import Index, ProductCode
from gradtape.compiler.backends.product.plan import Tile
from gradtape.compiler.codegen import ir
from gradtape.core.dtypes import DType

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
    code: ProductCode, dtype: DType, tile: Tile, a: TileOperand, b: TileOperand, depth: Index, start: list[Any]
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
    """
    rows, vectors, lanes = tile.rows, tile.vectors, tile.lanes
    element = memory.element_type(dtype)
    fma = multiply_add(code, dtype, lanes)

    def factor(at_a: Any, r: int) -> Any:
        return memory.splat(code, code.at(at_a, r * a.along, element), element, lanes)

    def line(at_b: Any, v: int) -> Any:
        valid = lanes if v < vectors - 1 else b.valid
        return memory.load(code, code.at(at_b, v * lanes, element), dtype, lanes, valid)

    def step(at_a: Any, at_b: Any, sums: list[Any]) -> list[Any]:
        result = list(sums)
        for start in range(0, tile.columns if b.ahead else 0, 64 // dtype.size):
            memory.prefetch(code, code.at(at_b, b.ahead * b.deep + start, element))
        # The shorter side is held in registers, the longer one passes through a single one.
        held = [line(at_b, v) for v in range(vectors)] if vectors < rows else [factor(at_a, r) for r in range(rows)]
        for i in range(max(rows, vectors)):
            passing = factor(at_a, i) if vectors < rows else line(at_b, i)
            for j, other in enumerate(held):
                index = i * vectors + j if vectors < rows else j * vectors + i
                result[index] = code.builder.call(fma, [passing, other, sums[index]])
        return result

    def turn(_: Index, state: Any) -> Any:
        at_a, at_b, *sums = state
        for way in range(ways):
            part = slice(way * count, (way + 1) * count)
            sums[part] = step(at_a, at_b, sums[part])
            at_a, at_b = code.at(at_a, a.deep, element), code.at(at_b, b.deep, element)
        return [at_a, at_b, *sums]

    count = rows * vectors
    # Few accumulators: sums over every second step, or fourth, are made side by side, for each waits until the one before is known.
    ways = next((w for w in (8, 4, 2) if w * count <= _ABREAST and isinstance(depth, int) and depth >= 4 * w), 1)
    zero = ir.Constant(ir.VectorType(element, lanes), None)
    state = code.fold(code.div(depth, ways), [a.pointer, b.pointer, *start, *[zero] * ((ways - 1) * count)], turn)
    at_a, at_b, *sums = state
    for _ in range(depth % ways if ways > 1 else 0):
        sums[:count] = step(at_a, at_b, sums[:count])
        at_a, at_b = code.at(at_a, a.deep, element), code.at(at_b, b.deep, element)
    while len(sums) > count:
        half = len(sums) // 2
        sums = [code.builder.fadd(x, y) for x, y in zip(sums[:half], sums[half:], strict=True)]
    return sums


def multiply_add(code: ProductCode, dtype: DType, lanes: int) -> ir.Function:
    """x * y + z, with one rounding where the machine has an instruction for that, else with two."""
    vector = ir.VectorType(memory.element_type(dtype), lanes)
    name = f"llvm.fmuladd.v{lanes}f{8 * dtype.size}"
    return code.module.globals.get(name) or ir.Function(code.module, ir.FunctionType(vector, [vector] * 3), name)
