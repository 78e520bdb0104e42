"""Column sums of a cotangent, the gradient of a bias, computed together with the gradient of the filter.

The cotangent is in the cache anyway. Partial sums of the splits follow those of the filter in memory, one row of channels each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import I64, Index
from gradtape.compiler.backends.product.plan import Tile
from gradtape.compiler.codegen import ir

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

    def add(self, code: ConvolutionCode, panel: Any, count: Index, place: tuple[Any, Index], first: Any) -> None:
        """Emit the sums of the columns of a panel, added to what is there.

        Args:
          code: the function under construction.
          panel: rows of the cotangent, as many columns each as a tile has.
          count: how many rows.
          place: the address of all partial sums, and how many elements are before these columns.
          first: whether nothing is there yet, an LLVM value.
        """
        dtype, tile = self.problem.dtype, self.tile
        element = memory.element_type(dtype)

        def load(pointer: Any, offset: Index) -> Any:
            return memory.load(code, code.at(pointer, offset, element), dtype, tile.lanes, tile.lanes)

        def row(index: Index, sums: Any) -> list[Any]:
            line = code.at(panel, code.mul(index, tile.columns), element)
            return [code.builder.fadd(total, load(line, v * tile.lanes)) for v, total in enumerate(sums)]

        zero = ir.Constant(ir.VectorType(element, tile.lanes), None)
        target = code.at(place[0], code.add(self.start, place[1]), element)
        for v, total in enumerate(code.fold(count, [zero] * tile.vectors, row)):
            added = code.builder.fadd(load(target, v * tile.lanes), total)
            there = code.at(target, v * tile.lanes, element)
            memory.store(code, code.builder.select(first, total, added), there, dtype, tile.lanes)

    def place(self, code: ConvolutionCode, split: Index, group: Index, sliver: Index) -> Index:
        """Elements of partial sums before those of a sliver."""
        number = code.add(code.mul(code.add(code.mul(split, self.problem.groups), group), self.slivers), sliver)
        return code.mul(number, self.tile.columns)

    def emit_total(self, code: ConvolutionCode, chunk: int) -> None:
        """Emit what adds up the splits, if the function runs for this chunk."""
        with code.builder.if_then(code.builder.icmp_signed("==", code.function.args[1], I64(chunk))):
            code.repeat(self.problem.groups, lambda group: self._group(code, group))

    def _group(self, code: ConvolutionCode, group: Index) -> None:
        dtype, lanes, width = self.problem.dtype, self.tile.lanes, self.problem.width
        element = memory.element_type(dtype)
        first = code.add(self.start, code.mul(group, self.slivers * self.tile.columns))
        target = code.at(code.slot(SUMS), code.mul(group, width), element)

        def vector(number: Index, valid: int) -> None:
            here = code.at(code.slot(0), code.add(first, code.mul(number, lanes)), element)
            total = add_splits(code, here, self.splits, self.split, self.problem, lanes)
            memory.store(code, total, code.at(target, code.mul(number, lanes), element), dtype, valid)

        code.repeat(width // lanes, lambda number: vector(number, lanes))
        if width % lanes:
            vector(width // lanes, width % lanes)


def add_splits(code: ConvolutionCode, first: Any, splits: int, step: int, problem: Correlation, lanes: int) -> Any:
    """The sum of a vector over all splits, which lie a step apart."""
    element = memory.element_type(problem.dtype)

    def load(split: Index) -> Any:
        return memory.load(code, code.at(first, code.mul(split, step), element), problem.dtype, lanes, lanes)

    # The first is not added to 0, which would lose the sign of -0.
    start = [load(0)]
    return code.fold(splits - 1, start, lambda i, state: [code.builder.fadd(state[0], load(code.add(i, 1)))])[0]
