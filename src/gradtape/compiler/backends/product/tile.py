"""The innermost loop: a tile of accumulators in registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import Index
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.plan import Tile

_ABREAST = 8  # sums that hide the time until a result can be used


@dataclass(frozen=True)
class TileOperand:
    """How a tile reads an operand.

    Attributes:
      pointer: its first element.
      along: stored elements from one row or column of the tile to the next.
      deep: stored elements from one step of k to the next.
      valid: of b, how many lanes of the last vector may be read.
      ahead: of b, how many steps of k earlier it is fetched into the first cache; 0 if it is there already.
    """

    pointer: Any
    along: int
    deep: int
    valid: int = 0
    ahead: int = 0


def multiply(vectors: Vectors, tile: Tile, a: TileOperand, b: TileOperand, depth: Index, start: list[Any]) -> list[Any]:
    """The accumulators, row by row, after `depth` steps of k.

    Args:
      vectors: of the operands, in the function under construction.
      tile: the accumulators.
      a: one number for each row and step.
      b: vectors for each step.
      depth: how many steps.
      start: what the accumulators hold before.
    """
    code = vectors.code

    def line(at_b: Any, v: int) -> Any:
        return vectors.load(at_b, v * tile.lanes * vectors.unit, tile.lanes if v < tile.vectors - 1 else b.valid)

    def step(at_a: Any, at_b: Any, sums: list[Any]) -> list[Any]:
        for start in range(0, tile.columns if b.ahead else 0, 64 // vectors.dtype.size):
            memory.prefetch(code, vectors.at(at_b, b.ahead * b.deep + start * vectors.unit))
        return add_products(vectors, tile, lambda r: vectors.splat(at_a, r * a.along), lambda v: line(at_b, v), sums)

    def turn(_: Index, state: Any) -> Any:
        at_a, at_b, *sums = state
        for way in range(ways):
            part = slice(way * count, (way + 1) * count)
            sums[part] = step(at_a, at_b, sums[part])
            at_a, at_b = vectors.at(at_a, a.deep), vectors.at(at_b, b.deep)
        return [at_a, at_b, *sums]

    count = tile.rows * tile.vectors
    # Few accumulators: sums over every second step, or fourth, are made side by side, for each waits until the one before is known.
    ways = next((w for w in (8, 4, 2) if w * count <= _ABREAST and isinstance(depth, int) and depth >= 4 * w), 1)
    more = [vectors.zero] * ((ways - 1) * count)
    state = code.fold(code.div(depth, ways), [a.pointer, b.pointer, *start, *more], turn)
    at_a, at_b, *sums = state
    for _ in range(depth % ways if ways > 1 else 0):
        sums[:count] = step(at_a, at_b, sums[:count])
        at_a, at_b = vectors.at(at_a, a.deep), vectors.at(at_b, b.deep)
    while len(sums) > count:
        half = len(sums) // 2
        sums = [code.builder.fadd(x, y) for x, y in zip(sums[:half], sums[half:], strict=True)]
    return sums


def add_products(
    vectors: Vectors, tile: Tile, factor: Callable[[int], Any], line: Callable[[int], Any], sums: Sequence[Any]
) -> list[Any]:
    """The accumulators of a tile after one step: the number of each row times the vectors of the columns."""
    result = list(sums)
    # The shorter side is held in registers, the longer one passes through a single one.
    holds_lines = tile.vectors < tile.rows
    held = [line(v) for v in range(tile.vectors)] if holds_lines else [factor(r) for r in range(tile.rows)]
    for i in range(max(tile.rows, tile.vectors)):
        passing = factor(i) if holds_lines else line(i)
        for j, other in enumerate(held):
            index = i * tile.vectors + j if holds_lines else j * tile.vectors + i
            result[index] = vectors.fma(passing, other, sums[index])
    return result
