"""Column sums of a cotangent, the gradient of a bias, computed together with the gradient of the filter.

The cotangent is in the cache anyway. Partial sums of the splits follow those of the filter in memory, one row of channels each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product.code import I64, Index
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.plan import Tile

# The slot of the sums, after those of the partial sums and of the gradient by the filter.
SUMS = 2


@dataclass(frozen=True)
class ColumnSums:
    """Where the partial sums of columns are: `[splits, groups, slivers]` of as many columns as a tile has.

    Attributes:
      problem: the convolution.
      tile: the accumulators of the gradient.
      slivers: groups of columns.
      splits: partial sums.
      start: elements before the first one, those of the partial sums of the filter.
    """

    problem: Correlation
    tile: Tile
    slivers: int
    splits: int
    start: int

    @property
    def split(self) -> int:
        """Elements of a split."""
        return self.problem.groups * self.slivers * self.tile.columns

    @property
    def bytes(self) -> int:
        """Bytes of all partial sums."""
        return self.splits * self.split * self.problem.dtype.size

    def add(self, vectors: Vectors, panel: Any, count: Index, place: tuple[Any, Index], first: Any) -> None:
        """Emit the sums of the columns of a panel, added to what is there.

        Args:
          vectors: of the function under construction.
          panel: rows of the cotangent, as many columns each as a tile has.
          count: how many rows.
          place: the address of all partial sums, and how many elements are before these columns.
          first: whether nothing is there yet, an LLVM value.
        """
        code, tile = vectors.code, self.tile

        def row(index: Index, sums: Any) -> list[Any]:
            line = vectors.at(panel, code.mul(index, tile.columns))
            return [code.builder.fadd(total, vectors.load(line, v * tile.lanes)) for v, total in enumerate(sums)]

        target = vectors.at(place[0], code.add(self.start, place[1]))
        for v, total in enumerate(code.fold(count, [vectors.zero] * tile.vectors, row)):
            added = code.builder.fadd(vectors.load(target, v * tile.lanes), total)
            there = vectors.at(target, v * tile.lanes)
            vectors.store(code.builder.select(first, total, added), there)

    def place(self, code: ConvolutionCode, split: Index, group: Index, sliver: Index) -> Index:
        """Elements of partial sums before those of a sliver."""
        number = code.add(code.mul(code.add(code.mul(split, self.problem.groups), group), self.slivers), sliver)
        return code.mul(number, self.tile.columns)

    def emit_total(self, vectors: Vectors, chunk: int) -> None:
        """Emit what adds up the splits, if the function runs for this chunk."""
        code, width, lanes = vectors.code, self.problem.width, self.tile.lanes

        def group(number: Index) -> None:
            first = code.add(self.start, code.mul(number, self.slivers * self.tile.columns))
            target = vectors.at(code.slot(SUMS), code.mul(number, width))

            def vector(index: Index, valid: int) -> None:
                here = vectors.at(code.slot(0), code.add(first, code.mul(index, lanes)))
                total = add_splits(vectors, here, self.splits, self.split)
                vectors.store(total, target, code.mul(index, lanes), valid)

            vectors.along(width, vector)

        with code.builder.if_then(code.builder.icmp_signed("==", code.function.args[1], I64(chunk))):
            code.repeat(self.problem.groups, group)


def add_splits(vectors: Vectors, first: Any, splits: int, step: int) -> Any:
    """The sum of a vector over all splits, which lie a step apart."""
    code = vectors.code

    def load(split: Index) -> Any:
        return vectors.load(first, code.mul(split, step))

    # The first is not added to 0, which would lose the sign of -0.
    start = [load(0)]
    return code.fold(splits - 1, start, lambda i, state: [code.builder.fadd(state[0], load(code.add(i, 1)))])[0]
