"""The innermost loops: a tile of accumulators in registers, whose rows lie anywhere in a region of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.product.code import Index
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.plan import Tile
from gradtape.compiler.backends.product.tile import add_products

# Steps that are written one after the other instead of as a loop.
_UNROLLED = 12


@dataclass(frozen=True)
class Accumulators:
    """A tile of sums, row by row.

    Attributes:
      vectors: of the function under construction.
      tile: their number.
      offsets: of each row, elements from a common address.
    """

    vectors: Vectors
    tile: Tile
    offsets: Sequence[Any]

    def step(self, at_a: Any, at_b: Any, sums: Sequence[Any]) -> list[Any]:
        """The sums after a row of vectors at `at_b`, each times the elements at `at_a` and the rows' offsets."""
        vectors = self.vectors
        return add_products(
            vectors, self.tile,
            lambda r: vectors.splat(at_a, self.offsets[r]), lambda v: vectors.load(at_b, v * vectors.lanes), sums,
        )  # fmt: skip

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
        code: Any = self.vectors.code

        def turn(_: Index, state: Sequence[Any]) -> list[Any]:
            at_a, at_b, *sums = state
            following = [self.vectors.at(at_a, 1), self.vectors.at(at_b, self.tile.columns)]
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
                code.fold(count, state, lambda k, s: along(axis + 1, self.vectors.at(at_a, code.mul(k, step)), s))
            )

        return along(0, source, [panel, *start])[1:]

    def along_table(self, source: Any, table: Any, panel: Any, count: Index, start: Sequence[Any]) -> list[Any]:
        """The sums over steps whose places a table gives, as elements from the common address of the rows."""
        code: Any = self.vectors.code

        def turn(index: Index, state: Sequence[Any]) -> list[Any]:
            at_b, *sums = state
            at_a = self.vectors.at(source, code.entry(table, index))
            return [self.vectors.at(at_b, self.tile.columns), *self.step(at_a, at_b, sums)]

        return list(code.fold(count, [panel, *start], turn)[1:])
