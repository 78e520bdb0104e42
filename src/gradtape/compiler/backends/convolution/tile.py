"""The innermost loops: a tile of accumulators in registers, whose rows lie anywhere in a region of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import Index
from gradtape.compiler.backends.product.plan import Tile
from gradtape.compiler.backends.product.tile import multiply_add
from gradtape.core.dtypes import DType

# Steps that are written one after the other instead of as a loop.
_UNROLLED = 12


@dataclass(frozen=True)
class Accumulators:
    """A tile of sums, row by row.

    Attributes:
      code: the function under construction.
      dtype: of the elements.
      tile: their number.
      offsets: of each row, elements from a common address.
    """

    code: ConvolutionCode
    dtype: DType
    tile: Tile
    offsets: Sequence[Any]

    def step(self, at_a: Any, at_b: Any, sums: Sequence[Any]) -> list[Any]:
        """The sums after a row of vectors at `at_b`, each times the elements at `at_a` and the rows' offsets."""
        code, vectors, rows, lanes = self.code, self.tile.vectors, self.tile.rows, self.tile.lanes
        element, fma = memory.element_type(self.dtype), multiply_add(code, self.dtype, lanes)

        def factor(r: int) -> Any:
            return memory.splat(code, code.at(at_a, self.offsets[r], element), element, lanes)

        def line(v: int) -> Any:
            return memory.load(code, code.at(at_b, v * lanes, element), self.dtype, lanes, lanes)

        result = list(sums)
        # The shorter side is held in registers, the longer one passes through a single one.
        held = [line(v) for v in range(vectors)] if vectors < rows else [factor(r) for r in range(rows)]
        for i in range(max(rows, vectors)):
            passing = factor(i) if vectors < rows else line(i)
            for j, other in enumerate(held):
                index = i * vectors + j if vectors < rows else j * vectors + i
                result[index] = code.builder.call(fma, [passing, other, sums[index]])
        return result

    def along_runs(
        self, source: Any, panel: Any, axes: Sequence[tuple[Index, int]], run: Index, start: Sequence[Any]
    ) -> list[Any]:
        """The sums over all taps: runs of elements that lie side by side, and axes around them.

        Args:
          source: the common address of the rows.
          panel: the vectors, in the order of the steps.
          axes: of the taps: how many, and elements from one to the next.
          run: steps within the innermost.
          start: what the sums are before.
        """
        code, element = self.code, memory.element_type(self.dtype)

        def turn(_: Index, state: Sequence[Any]) -> list[Any]:
            at_a, at_b, *sums = state
            following = [code.at(at_a, 1, element), code.at(at_b, self.tile.columns, element)]
            return [*following, *self.step(at_a, at_b, sums)]

        def along(axis: int, at_a: Any, state: Sequence[Any]) -> list[Any]:
            if axis == len(axes):
                if isinstance(run, int) and run <= _UNROLLED:
                    found: Sequence[Any] = [at_a, *state]
                    for _ in range(run):
                        found = turn(0, found)
                    return list(found[1:])
                return list(code.fold(run, [at_a, *state], turn)[1:])
            count, step = axes[axis]
            return list(
                code.fold(count, state, lambda k, s: along(axis + 1, code.at(at_a, code.mul(k, step), element), s))
            )

        return along(0, source, [panel, *start])[1:]

    def along_table(self, source: Any, table: Any, panel: Any, count: Index, start: Sequence[Any]) -> list[Any]:
        """The sums over steps whose places a table gives, as elements from the common address of the rows."""
        code, element = self.code, memory.element_type(self.dtype)

        def turn(index: Index, state: Sequence[Any]) -> list[Any]:
            at_b, *sums = state
            at_a = code.at(source, code.entry(table, index), element)
            return [code.at(at_b, self.tile.columns, element), *self.step(at_a, at_b, sums)]

        return list(code.fold(count, [panel, *start], turn)[1:])
