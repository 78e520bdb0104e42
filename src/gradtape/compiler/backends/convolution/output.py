"""Storing the tiles of a convolution, through the epilogue: to adjacent rows, or to rows anywhere."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import I64, Index
from gradtape.compiler.backends.product.epilogue import EmitEpilogue, Finish, Frame, Spot
from gradtape.compiler.backends.product.plan import Tile
from gradtape.core.dtypes import DType

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
        self._element = memory.element_type(problem.dtype)
        self._columns = min(tile.columns, problem.width)
        self._finish = Finish(frame_of(problem, problem.width, tile.lanes), epilogue, tile.lanes)
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
        keep(code, values, self._product, self._problem.dtype)
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
    """Writes tiles through an epilogue to the rows of the result that a table lists. Rows that a box does not have repeat its last one."""

    def __init__(self, code: ConvolutionCode, frame: Frame, tile: Tile, table: Any, epilogue: EmitEpilogue) -> None:
        self._code, self._tile, self._table, self._dtype = code, tile, table, frame.dtype
        self._finish = Finish(frame, epilogue, tile.lanes)
        self._part: Any = None
        # A long epilogue is a loop over the tile: its constants stay in registers, and the code is there once.
        if not self._finish.is_short():
            self._product = code.stack(memory.element_type(frame.dtype), tile.rows * tile.columns)
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
            keep(code, values, self._product, self._dtype)
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


class Scattered:
    """Writes tiles whose rows are anywhere in the result: a table has the offsets of their elements, or with an epilogue the numbers of
    the rows. Rows that the box does not have repeat its last one."""

    def __init__(
        self, code: ConvolutionCode, problem: Correlation, tile: Tile, targets: Any, epilogue: EmitEpilogue | None
    ) -> None:
        self._code, self._problem, self._tile, self._targets = code, problem, tile, targets
        self._element = memory.element_type(problem.dtype)
        self._through = None
        if epilogue is not None:
            self._through = ListedRows(code, frame_of(problem, problem.width, tile.lanes), tile, targets, epilogue)

    def write(self, values: list[Any], group: Index, index: Index, column: Index) -> None:
        """Emit the writes of a tile.

        Args:
          values: the vectors, row by row.
          group: of the channels.
          index: of the first row in the table.
          column: the first channel in the group.
        """
        code, total, width = self._code, self._problem.width, self._tile.columns
        last, place = total % width, code.add(code.mul(group, total), column)
        if not last or total < width:
            self._store(values, index, place, last or width)
            return
        with code.builder.if_else(code.equal(column, total - last)) as (partial, whole):
            with partial:
                self._store(values, index, place, last)
            with whole:
                self._store(values, index, place, width)

    def _store(self, values: list[Any], index: Index, column: Index, count: int) -> None:
        code, lanes, vectors = self._code, self._tile.lanes, self._tile.vectors
        if self._through is not None:
            self._through.write(values, index, column, count)
            return
        for r in range(self._tile.rows):
            place = code.entry(self._targets, code.add(index, r))
            for v in range(vectors):
                valid = min(lanes, count - v * lanes)
                if valid <= 0:
                    continue
                row = code.at(code.slot(TARGET), code.add(place, column), self._element)
                there = code.at(row, v * lanes, self._element)
                memory.store(code, values[r * vectors + v], there, self._problem.dtype, valid)


def keep(code: ConvolutionCode, values: list[Any], target: Any, dtype: DType) -> None:
    """Emit writes of whole vectors to memory of our own, one after the other."""
    element = memory.element_type(dtype)
    for i, value in enumerate(values):
        lanes = value.type.count
        code.builder.store(value, code.at(target, i * lanes, element), align=dtype.size * lanes)
