"""The kernels of products. That of most: chunks, blocks of k, slivers and tiles around the innermost loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler.backends.product import memory, tile
from gradtape.compiler.backends.product.code import I8, KERNEL, Index, ProductCode
from gradtape.compiler.backends.product.epilogue import EmitEpilogue
from gradtape.compiler.backends.product.memory import PairVectors, Vectors
from gradtape.compiler.backends.product.output import Output, Span, span
from gradtape.compiler.backends.product.plan import ProductPlan, plan
from gradtape.compiler.backends.product.problem import Gemm
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Machine, host

# An operand of the epilogue that has the shape of the result: its slot, and the bytes of an element.
Fetched = tuple[int, int]
# Rows of a transposed matrix that are fetched ahead of those that are copied.
_ROWS_AHEAD = 12


def emit(
    module: ir.Module,
    gemm: Gemm,
    epilogue: EmitEpilogue | None = None,
    machine: Machine | None = None,
    fetched: Sequence[Fetched] = (),
) -> tuple[str, int]:
    """Name of a new function `void kernel(i64 argument, i64 chunk)`, and the number of chunks that make up the product.

    The argument is the address of a table of pointers. Chunks write different parts of the result, may run in any order
    or at once, and give the same bits whoever computes them. c may be an operand of the epilogue, but not a or b.

    Args:
      module: where the function goes.
      gemm: the product.
      epilogue: `epilogue(cg, value, at)` gets each vector of the product and returns what is to be written instead; it
        may load what other operands have `at` this place, and write there. It is called several times, since
        it is emitted for several places.
      machine: what it is emitted for; the host if None.
      fetched: operands of the epilogue that are not in a cache; they are fetched while the product is computed.
    """
    machine = machine or host()
    name = module.get_unique_name(gemm.name)
    function = ir.Function(module, KERNEL, name)
    if gemm.empty:
        ir.IRBuilder(function.append_basic_block("start")).ret_void()
        return name, 0
    turned = gemm.as_row()
    problem, flipped = turned or gemm, turned is not None
    kernel: Any = None
    if problem.m == 1 and not problem.pairs:
        from gradtape.compiler.backends.product import row  # loaded with the first product of a row

        kernel = row.kernel(function, problem, machine.lanes(gemm.dtype.size), epilogue, flipped)
    kernel = kernel or TiledKernel(function, problem, plan(problem, machine), epilogue, flipped, fetched)
    kernel.emit()
    return name, kernel.chunks


class TiledKernel:
    """A kernel under construction. Offsets are in elements.

    There is one tile for all places: the last one of a row or column of tiles begins earlier, so that it ends where c ends,
    and writes only what the one before it did not. The same sums come out wherever a tile begins.
    """

    def __init__(
        self,
        function: ir.Function,
        gemm: Gemm,
        cut: ProductPlan,
        epilogue: EmitEpilogue | None,
        flipped: bool,
        fetched: Sequence[Fetched] = (),
    ) -> None:
        self.code, self.gemm, self.cut, self.chunks = ProductCode(function), gemm, cut, cut.chunks
        self.fetched = fetched
        code, size = self.code, cut.tile
        self.vectors = Vectors(code, gemm.dtype, size.lanes)
        # Of a and b; their copies have the room of so many sums.
        self.factors = PairVectors(code, size.lanes) if gemm.pairs else self.vectors
        # A line more than a panel needs, lest all panels compete for the same places in the cache.
        line = 64 // gemm.dtype.size
        self.panel_a_size, self.panel_b_size = size.rows * cut.depth + line, size.columns * cut.depth + line
        self.panel_a = self.vectors.room(cut.tiles * self.panel_a_size) if cut.pack_a else None
        self.panel_b = self.vectors.room(cut.group * self.panel_b_size) if cut.pack_b else None
        # Sums over the blocks of k so far, tile after tile. Not c itself: the epilogue may want to read what it holds.
        whole = size.rows * size.columns
        self.sums = self.vectors.room(cut.tiles * cut.slivers * whole) if cut.blocks > 1 else None
        self.output = Output.of(code, gemm, size, epilogue, flipped)

    def emit(self) -> None:
        """Emit the whole function."""
        code, gemm, cut = self.code, self.gemm, self.cut
        chunk = code.function.args[1]
        by_batch, by_rows, by_columns = cut.grid
        across = code.rem(chunk, by_columns)
        down = code.rem(code.div(chunk, by_columns), by_rows)
        group = code.div(chunk, by_rows * by_columns) if by_batch > 1 else 0
        first = code.mul(group, cut.items)

        def item(index: Index) -> None:
            self.number = code.add(first, index)
            places = gemm.batch.places(code, self.number)
            self.a, self.b = (self.factors.at(code.slot(gemm.slots[i]), place) for i, place in enumerate(places))
            self._item(down, across)

        code.repeat(code.least(cut.items, code.sub(gemm.batch.count, first)) if cut.items > 1 else 1, item)
        code.builder.ret_void()

    def _item(self, down: Index, across: Index) -> None:
        """One chunk of one product of the batch."""
        code, gemm, cut = self.code, self.gemm, self.cut
        self.top, self.left = code.mul(down, cut.tiles), code.mul(across, cut.slivers)
        self.tiles = code.least(cut.tiles, code.sub(-(-gemm.m // cut.tile.rows), self.top))
        self.slivers = code.least(cut.slivers, code.sub(-(-gemm.n // cut.tile.columns), self.left))
        code.repeat(cut.blocks, self._block)

    def _block(self, block: Index) -> None:
        """All tiles of the chunk, for one block of k."""
        code, gemm, cut = self.code, self.gemm, self.cut
        self.block = block
        self.front = code.mul(block, cut.depth)
        even = gemm.k == cut.depth * cut.blocks
        self.depth = cut.depth if even else code.least(cut.depth, code.sub(gemm.k, self.front))
        if cut.pack_a:
            # Whole vectors (but of pairs), which go over the end of a tile's rows: what is copied there is overwritten by the next step.
            last = code.sub(self.depth, 1)
            width = cut.tile.rows if gemm.pairs else 1 << (cut.tile.rows - 1).bit_length()
            code.repeat(last, lambda step: self._pack_a(step, width))
            self._pack_a(last, cut.tile.rows)
        code.repeat(code.div(code.add(self.slivers, cut.group - 1), cut.group), self._group)

    def _row(self, index: Index) -> Span:
        """The rows of a tile of this chunk."""
        return span(self.code, self.code.add(self.top, index), self.cut.tile.rows, self.gemm.m)

    def _column(self, index: Index) -> Span:
        """The columns of a sliver of this chunk."""
        return span(self.code, self.code.add(self.left, index), self.output.columns, self.gemm.n)

    def _pack_a(self, step: Index, width: int) -> None:
        """Copy one stored row of a, which holds k by m here, to the panels of all tiles, so many elements at once.

        Row by row, since the same elements of several rows may compete for one place in the cache.
        """
        code, gemm, cut = self.code, self.gemm, self.cut
        source = self.factors.at(self.a, code.mul(code.add(self.front, step), gemm.lda * gemm.unit))

        def copy(index: Index) -> None:
            here = self.factors.at(source, self._row(index)[0])
            memory.prefetch(code, self.factors.at(here, _ROWS_AHEAD * gemm.lda))
            offset = code.add(code.mul(index, self.panel_a_size), code.mul(step, cut.tile.rows))
            self._copy(here, gemm.lda, self.vectors.at(self.panel_a, offset), width)

        code.repeat(self.tiles, copy)

    def _copy(self, source: Any, line: int, target: Any, count: int) -> None:
        """Copy a part of a stored row to a panel; of pairs, this row and the next one in turns."""
        if isinstance(self.factors, PairVectors):
            self.factors.interleave(source, line, target, count)
        else:
            self.vectors.copy(source, target, count)

    def _group(self, index: Index) -> None:
        """The slivers that are copied together."""
        code, cut = self.code, self.cut
        first = code.mul(index, cut.group)
        count = code.least(cut.group, code.sub(self.slivers, first)) if cut.group > 1 else 1
        if cut.pack_b and not self.gemm.transpose_b:
            code.repeat(self.depth, lambda step: self._pack_b(step, first, count))
        code.repeat(count, lambda member: self._sliver(first, member))

    def _pack_b(self, step: Index, first: Index, count: Index) -> None:
        """Copy one row of b to the panels of a group of slivers."""
        code, gemm, width = self.code, self.gemm, self.cut.tile.columns
        source = self.factors.at(self.b, code.mul(code.add(self.front, step), gemm.ldb * gemm.unit))
        copied = self.output.columns if gemm.pairs else width

        def copy(member: Index) -> None:
            here = self.factors.at(source, self._column(code.add(first, member))[0])
            offset = code.add(code.mul(member, self.panel_b_size), code.mul(step, width))
            self._copy(here, gemm.ldb, self.vectors.at(self.panel_b, offset), copied)

        code.repeat(count, copy)

    def _sliver(self, first: Index, member: Index) -> None:
        """The tiles of some columns."""
        index = self.code.add(first, member)
        column = self._column(index)
        b = self._operand_b(member, column[0])
        self.code.repeat(self.tiles, lambda row: self._tile(row, index, column, b))

    def _operand_b(self, member: Index, column: Index) -> tile.TileOperand:
        """The sliver of some columns, copied if the plan says so."""
        code, gemm, cut = self.code, self.gemm, self.cut
        lanes, width = cut.tile.lanes, cut.tile.columns
        if not cut.pack_b:
            source = self.vectors.at(self.b, code.add(code.mul(self.front, gemm.ldb), column))
            return tile.TileOperand(source, lanes, gemm.ldb, self.output.columns - width + lanes)
        if gemm.transpose_b:
            from gradtape.compiler.backends.product import packing  # loaded with the first such product

            source = self.factors.at(self.b, code.add(code.mul(column, gemm.ldb), code.mul(self.front, gemm.unit)))
            shape = packing.Shape(self.output.columns, width, lanes)
            packing.pack_columns(
                code, source, gemm.ldb // gemm.unit, self.panel_b, shape, self.depth, self.vectors.element
            )
        panel = self.vectors.at(self.panel_b, code.mul(member, self.panel_b_size))
        return tile.TileOperand(panel, lanes * gemm.unit, width * gemm.unit, lanes, cut.ahead)

    def _operand_a(self, index: Index, row: Index) -> tile.TileOperand:
        """The rows of one tile."""
        code, gemm, cut = self.code, self.gemm, self.cut
        if cut.pack_a:
            panel = self.vectors.at(self.panel_a, code.mul(index, self.panel_a_size))
            return tile.TileOperand(panel, gemm.unit, cut.tile.rows * gemm.unit)
        if gemm.transpose_a:
            offset = code.add(code.mul(self.front, gemm.lda), row)
            return tile.TileOperand(self.vectors.at(self.a, offset), 1, gemm.lda)
        offset = code.add(code.mul(row, gemm.lda), code.mul(self.front, gemm.unit))
        return tile.TileOperand(self.factors.at(self.a, offset), gemm.lda, gemm.unit)

    def _tile(self, index: Index, sliver: Index, column: Span, b: tile.TileOperand) -> None:
        """One tile: what is summed up so far, this block of k, and the result if it is the last block."""
        code, cut = self.code, self.cut
        row = self._row(index)
        a = self._operand_a(index, row[0])
        self._fetch(row[0], column[0])
        start = [self.vectors.zero] * (cut.tile.rows * cut.tile.vectors)
        if cut.blocks == 1:
            result = tile.multiply(self.factors, cut.tile, a, b, self.depth, start)
            self.output.write(result, self.number, row, column)
            return
        number = code.add(code.mul(sliver, cut.tiles), index)
        sums = self.vectors.at(self.sums, code.mul(number, cut.tile.rows * cut.tile.columns))
        start = self.vectors.resume(sums, start, self.block)
        result = tile.multiply(self.factors, cut.tile, a, b, self.depth, start)
        with code.builder.if_else(code.equal(self.block, cut.blocks - 1)) as (last, more):
            with last:
                self.output.write(result, self.number, row, column)
            with more:
                self.vectors.keep(result, sums)

    def _fetch(self, row: Index, column: Index) -> None:
        """Fetch what the epilogue will read of a tile from memory that is far away; computing the tile takes as long."""
        code, gemm, size = self.code, self.gemm, self.cut.tile
        for slot, itemsize in self.fetched:
            offset = code.add(code.mul(self.number, gemm.m * gemm.n), code.add(code.mul(row, gemm.n), column))
            corner = code.at(code.slot(slot), code.mul(offset, itemsize), I8)
            for r in range(size.rows):
                for start in range(0, size.columns * itemsize, 64):
                    memory.prefetch(code, code.at(corner, r * gemm.n * itemsize + start, I8))
