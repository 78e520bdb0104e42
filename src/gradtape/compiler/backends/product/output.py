"""Storing the tiles of a product, through the epilogue."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gradtape.compiler.backends.product.code import Index, ProductCode
from gradtape.compiler.backends.product.epilogue import EmitEpilogue, Finish, Frame, Spot
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.plan import Tile
from gradtape.compiler.backends.product.problem import Gemm

# The first row or column of a tile, and how many of them belong to the tile before it.
Span = tuple[Index, Index]


def span(code: ProductCode, index: Index, size: int, total: int) -> Span:
    """Where a tile of a size lies: the last one begins earlier if they do not fit, so that it ends where all ends."""
    wanted = code.mul(index, size)
    if total % size == 0:
        return wanted, 0
    found = code.least(wanted, total - size)
    return found, code.sub(wanted, found)


class Output:
    """Writes tiles of one product. What belongs to the tile before is not written: c may have been changed there.

    Attributes:
      columns: the columns of a tile that c has.
    """

    def __init__(
        self, code: ProductCode, frame: Frame, tile: Tile, epilogue: EmitEpilogue | None, columns: int, uneven: bool
    ) -> None:
        self._code, self._tile = code, tile
        self.vectors = Vectors(code, frame.dtype, tile.lanes)
        self.columns, self._uneven = columns, uneven
        self._finish = Finish(frame, epilogue, tile.lanes)
        # A long epilogue is a loop of its own: the code for all vectors of a tile would take long to assemble.
        self._in_registers = epilogue is None or self._finish.is_short()
        if self._uneven or not self._in_registers:
            self._product = self.vectors.room(tile.rows * tile.columns)
            finish = self._finish if self._in_registers else self._wide(frame, epilogue)
            self._part = finish.emit(code.module, f"{code.function.name}.finish", tile.columns)

    def _wide(self, frame: Frame, epilogue: EmitEpilogue | None) -> Finish:
        """A long epilogue on two vectors at once, if that fits: each of its steps waits for the one before."""
        lanes, columns = 2 * self._tile.lanes, frame.sizes[1]
        if self._tile.vectors % 2 or not isinstance(columns, int):
            return self._finish
        return Finish(replace(frame, tail=columns % lanes), epilogue, lanes)

    @staticmethod
    def of(code: ProductCode, gemm: Gemm, tile: Tile, epilogue: EmitEpilogue | None, flipped: bool) -> Output:
        """The output of a product of known sizes."""
        columns = min(tile.columns, gemm.n)
        uneven = bool(gemm.m % tile.rows or gemm.n % columns)
        return Output(code, Frame.of(gemm, tile.lanes, flipped), tile, epilogue, columns, uneven)

    def write(self, values: list[Any], number: Index, row: Span, column: Span) -> None:
        """Emit what becomes of a tile.

        Args:
          values: the vectors, row by row.
          number: of the product in the batch.
          row: the rows of the tile.
          column: its columns.
        """
        code = self._code
        if not self._in_registers:
            self._hand_over(values, number, row, column)
        elif not self._uneven:
            self._write_whole(values, number, row[0], column[0])
        else:
            with code.builder.if_else(code.equal(code.add(row[1], column[1]), 0)) as (whole, part):
                with whole:
                    self._write_whole(values, number, row[0], column[0])
                with part:
                    self._hand_over(values, number, row, column)

    def put(self, vector: Any, along: Index) -> None:
        """Emit the write of a vector to its place in the only row of a tile, which is handed over when it is complete."""
        self.vectors.keep([vector], self.vectors.at(self._product, along))

    def _hand_over(self, values: list[Any], number: Index, row: Span, column: Span) -> None:
        """Hand a tile over."""
        self.vectors.keep(values, self._product)
        self.hand_over(number, row, column)

    def hand_over(self, number: Index, row: Span, column: Span) -> None:
        """Call the function that applies the epilogue to what is kept of a tile, and minds what is to be written."""
        code, tile = self._code, self._tile
        source = self.vectors.at(self._product, code.add(code.mul(row[1], tile.columns), column[1]))
        place = (number, code.add(*row), code.add(*column))
        size = (code.sub(tile.rows, row[1]), code.sub(self.columns, column[1]))
        code.builder.call(self._part, [code.function.args[0], source, *map(code.value, place + size)])

    def _write_whole(self, values: list[Any], number: Index, row: Index, column: Index) -> None:
        """Apply the epilogue to the registers."""
        lanes, vectors = self._tile.lanes, self._tile.vectors
        corner = Spot(number, row, column)
        for i, value in enumerate(values):
            r, v = divmod(i, vectors)
            valid = min(lanes, self.columns - v * lanes)
            self._finish.apply(self._code, value, replace(corner, down=r, along=v * lanes), valid)
