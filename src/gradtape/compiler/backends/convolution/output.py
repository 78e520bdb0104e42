"""Where tiles of a convolution go: through the epilogue to rows that are neighbours, or to rows anywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gradtape.compiler.backends.convolution.code import Code
from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import Index
from gradtape.compiler.backends.product.epilogue import Epilogue, Finish, Frame, Spot
from gradtape.compiler.backends.product.plan import Tile
from gradtape.compiler.backends.product.problem import Gemm
from gradtape.core.dtypes import DType


class Rows:
    """Writes tiles whose rows are neighbours in the result, which is a matrix of places by channels."""

    def __init__(self, code: Code, gemm: Gemm, tile: Tile, epilogue: Epilogue | None) -> None:
        self._code, self._gemm, self._tile = code, gemm, tile
        self._element = memory.element_type(gemm.dtype)
        self._columns = min(tile.columns, gemm.n)
        self._finish = Finish(Frame.of(gemm, tile.lanes), epilogue, tile.lanes)
        # A long epilogue is a loop of its own: the code for all vectors of a tile would take long to assemble.
        self._in_registers = epilogue is None or self._finish.is_short()
        self._product = code.stack(self._element, tile.rows * tile.columns)
        self._part = self._finish.emit(code.module, f"{code.function.name}.finish", tile.columns)

    def write(self, values: list[Any], group: Index, row: tuple[Index, Index], column: Index) -> None:
        """Emit what becomes of a tile.

        Args:
          values: the vectors, row by row.
          group: of the channels.
          row: the tile's first row in the result, and how many rows there are from there to the end of the box.
          column: its first channel in the group.
        """
        code, tile = self._code, self._tile
        first, left = row
        rows, columns = code.least(left, tile.rows), code.least(code.sub(self._gemm.n, column), self._columns)
        if not self._in_registers:
            self._hand_over(values, (group, first, column, rows, columns))
            return
        whole = code.equal(code.add(rows, columns), tile.rows + self._columns)
        if isinstance(whole, bool):
            self._write_whole(values, Spot(group, first, column))
            return
        with code.builder.if_else(whole) as (then, otherwise):
            with then:
                self._write_whole(values, Spot(group, first, column))
            with otherwise:
                self._hand_over(values, (group, first, column, rows, columns))

    def _hand_over(self, values: list[Any], numbers: tuple[Index, ...]) -> None:
        """Call the function that applies the epilogue to a part of a tile."""
        code = self._code
        keep(code, values, self._product, self._gemm.dtype)
        code.builder.call(self._part, [code.function.args[0], self._product, *map(code.value, numbers)])

    def _write_whole(self, values: list[Any], corner: Spot) -> None:
        """Apply the epilogue to the registers."""
        lanes, vectors = self._tile.lanes, self._tile.vectors
        for i, value in enumerate(values):
            r, v = divmod(i, vectors)
            valid = min(lanes, self._columns - v * lanes)
            if valid > 0:
                self._finish.apply(self._code, value, replace(corner, down=r, along=v * lanes), valid)


class Scattered:
    """Writes tiles whose rows are where a table says. Rows that the box does not have repeat its last one."""

    def __init__(self, code: Code, gemm: Gemm, tile: Tile, targets: Any) -> None:
        self._code, self._gemm, self._tile, self._targets = code, gemm, tile, targets
        self._element = memory.element_type(gemm.dtype)

    def write(self, values: list[Any], index: Index, column: Index) -> None:
        """Emit the writes of a tile.

        Args:
          values: the vectors, row by row.
          index: of the first row in the table.
          column: the first channel in the group.
        """
        code, total, width = self._code, self._gemm.n, self._tile.columns
        last = total % width
        if not last or total < width:
            self._store(values, index, column, last or width)
            return
        with code.builder.if_else(code.equal(column, total - last)) as (partial, whole):
            with partial:
                self._store(values, index, column, last)
            with whole:
                self._store(values, index, column, width)

    def _store(self, values: list[Any], index: Index, column: Index, count: int) -> None:
        code, lanes, vectors = self._code, self._tile.lanes, self._tile.vectors
        for r in range(self._tile.rows):
            offset = code.add(code.entry(self._targets, code.add(index, r)), column)
            row = code.at(code.slot(self._gemm.slots[2]), offset, self._element)
            for v in range(vectors):
                valid = min(lanes, count - v * lanes)
                if valid > 0:
                    there = code.at(row, v * lanes, self._element)
                    memory.store(code, values[r * vectors + v], there, self._gemm.dtype, valid)


def keep(code: Code, values: list[Any], target: Any, dtype: DType) -> None:
    """Emit writes of whole vectors to memory of our own, one after the other."""
    element = memory.element_type(dtype)
    for i, value in enumerate(values):
        lanes = value.type.count
        code.builder.store(value, code.at(target, i * lanes, element), align=dtype.size * lanes)
