"""Storing the tiles of a convolution, through the epilogue: to adjacent rows, or to rows anywhere."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product.code import I64, Index
from gradtape.compiler.backends.product.epilogue import EmitEpilogue, Finish, Frame, Spot
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.plan import Tile

# The slot of the result.
TARGET = 2


def frame_of(problem: Correlation, columns: int, lanes: int) -> Frame:
    """The result as a matrix of places by the channels of all groups, which is written some columns at a time."""
    width = problem.groups * problem.width
    rows = problem.examples * math.prod(problem.target)
    return Frame(problem.dtype, TARGET, (rows, width), (0, width), columns % lanes)


class Rows:
    """Writes tiles whose rows are neighbours in the result."""

    def __init__(self, code: ConvolutionCode, problem: Correlation, tile: Tile, epilogue: EmitEpilogue | None) -> None:
        self._code, self._problem, self._tile = code, problem, tile
        self.vectors = Vectors(code, problem.dtype, tile.lanes)
        self._columns = min(tile.columns, problem.width)
        self._finish = Finish(frame_of(problem, problem.width, tile.lanes), epilogue, tile.lanes)
        # A long epilogue is a loop of its own: the code for all vectors of a tile would take long to assemble.
        self._in_registers = epilogue is None or self._finish.is_short()
        self._product = self.vectors.room(tile.rows * tile.columns)
        self._part = self._finish.emit(code.module, f"{code.function.name}.finish", tile.columns)

    def write(self, values: list[Any], group: Index, row: tuple[Index, Index], column: Index) -> None:
        """Emit what becomes of a tile.

        Args:
          values: the vectors, row by row.
          group: of the channels.
          row: the tile's first row in the result, and how many rows there are from there to the end of the box.
          column: its first channel in the group.
        """
        code, tile, width = self._code, self._tile, self._problem.width
        first, left = row
        rows, columns = code.least(left, tile.rows), code.least(code.sub(width, column), self._columns)
        column = code.add(code.mul(group, width), column)
        if not self._in_registers:
            self._hand_over(values, (0, first, column, rows, columns))
            return
        whole = code.equal(code.add(rows, columns), tile.rows + self._columns)
        if isinstance(whole, bool):
            self._write_whole(values, Spot(0, first, column))
            return
        with code.builder.if_else(whole) as (then, otherwise):
            with then:
                self._write_whole(values, Spot(0, first, column))
            with otherwise:
                self._hand_over(values, (0, first, column, rows, columns))

    def _hand_over(self, values: list[Any], numbers: tuple[Index, ...]) -> None:
        """Call the function that applies the epilogue to a part of a tile."""
        code = self._code
        self.vectors.keep(values, self._product)
        code.builder.call(self._part, [code.function.args[0], self._product, *map(code.value, numbers)])

    def _write_whole(self, values: list[Any], corner: Spot) -> None:
        """Apply the epilogue to the registers."""
        lanes, vectors = self._tile.lanes, self._tile.vectors
        for i, value in enumerate(values):
            r, v = divmod(i, vectors)
            valid = min(lanes, self._columns - v * lanes)
            if valid > 0:
                self._finish.apply(self._code, value, replace(corner, down=r, along=v * lanes), valid)


class ListedRows:
    """Writes tiles through the epilogue to the rows of the result that a table lists. Rows that a box does not have repeat its last one.

    Attributes:
      unit: what the table has for each row: 1 if it numbers the rows, or the elements of a row if it has the offsets of their elements.
    """

    def __init__(
        self,
        vectors: Vectors,
        problem: Correlation,
        tile: Tile,
        table: Any,
        epilogue: EmitEpilogue | None,
        columns: int = 0,
    ) -> None:
        """
        Args:
          vectors: of the function under construction.
          problem: the convolution.
          tile: the tiles.
          table: where the numbers of rows are.
          epilogue: what is done with the tiles.
          columns: that are written some vectors at a time; those of a group if 0.
        """
        code: Any = vectors.code
        frame = frame_of(problem, columns or problem.width, tile.lanes)
        self.unit = 1
        if epilogue is None:
            self.unit, frame = frame.steps[1], replace(frame, steps=(0, 1))  # saves a multiplication for each row
        self._code, self._tile, self._table, self.vectors = code, tile, table, vectors
        self._finish = Finish(frame, epilogue, tile.lanes)
        self._part: Any = None
        # A long epilogue is a loop over the tile: its constants stay in registers, and the code is there once.
        if not self._finish.is_short():
            self._product = self.vectors.room(tile.rows * tile.columns)
            self._part = self._finish.emit(code.module, f"{code.function.name}.finish", tile.columns, listed=True)

    def write(self, values: list[Any], index: Index, column: Index, count: int) -> None:
        """Emit what becomes of a tile.

        Args:
          values: the vectors, row by row.
          index: of the first row in the table.
          column: the first channel.
          count: how many of the tile's columns exist.
        """
        code, tile = self._code, self._tile
        if self._part is not None:
            self.vectors.keep(values, self._product)
            rows = code.at(self._table, index, I64)
            numbers = [code.value(n) for n in (column, tile.rows, count)]
            code.builder.call(self._part, [code.function.args[0], self._product, I64(0), rows, *numbers])
            return
        for i, value in enumerate(values):
            r, v = divmod(i, tile.vectors)
            if v == 0:
                corner = Spot(0, code.entry(self._table, code.add(index, r)), column)
            valid = min(tile.lanes, count - v * tile.lanes)
            if valid > 0:
                self._finish.apply(code, value, replace(corner, along=v * tile.lanes), valid)
