"""The gradient of a convolution with respect to its filter: a product with as many steps as there are places.

Rows are the taps and channels of the source, columns the channels of the cotangent. The places are divided into **splits**,
which give partial sums; these are added in their order by a second function.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.column_sums import ColumnSums, add_splits
from gradtape.compiler.backends.convolution.copying import Copier, block_of
from gradtape.compiler.backends.convolution.place import find
from gradtape.compiler.backends.convolution.plan import ConvolutionPlan, choose_tile, motion_of, useful_chunks
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.convolution.tile import Accumulators
from gradtape.compiler.backends.product.code import I64, KERNEL, Index
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.plan import Tile, even
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Machine

SOURCE, COTANGENT, PARTIAL = 0, 1, 2
# Rows and columns of the sums of a chunk, which stay in the second cache; channels of a region, and bytes of a panel of the
# cotangent, which stay in the first one together.
_MOST_ROWS, _MOST_COLUMNS, _MOST_CHANNELS, _PANEL_BYTES = 640, 64, 64, 8 * 1024
# With fewer places in a box, sums would be read and written more often than it is worth.
_LEAST_PLACES = 64
# Partial sums, and bytes of all of them.
_MOST_SPLITS, _PARTIAL_BYTES = 16, 8 << 20
# Elements that are added in a chunk, about.
_ADDED = 1 << 16


@dataclass(frozen=True)
class GradientPlan(ConvolutionPlan):
    """The cut of a gradient. Its accumulators are taps and channels of the source by channels of the cotangent.

    Attributes:
      splits: partial sums.
      each: boxes of a split.
    """

    splits: int
    each: int


def plan_gradient(problem: Correlation, machine: Machine) -> GradientPlan | None:
    """The cut of the gradient of a convolution by its filter; None if a window sees too much for a region."""
    taps, size = math.prod(problem.window), problem.dtype.size
    channels = even(problem.depth, max(1, min(_MOST_CHANNELS, _MOST_ROWS // taps)))
    motion = motion_of(problem, problem.depth)
    tile = choose_tile(taps * channels, problem.width, 200, problem.dtype, machine)
    slivers = -(-problem.width // tile.columns)
    share = even(slivers, max(1, _MOST_COLUMNS // tile.columns))
    wanted = useful_chunks(problem.operations)
    units = problem.groups * -(-problem.depth // channels) * -(-slivers // share)
    most = max(_LEAST_PLACES, -(-problem.positions // min(-(-wanted // units), _MOST_SPLITS)))
    most = max(1, min(_PANEL_BYTES // (tile.columns * size), most))
    boxes, region = motion.cut(most, channels)
    if not region.fits_stack(problem.dtype):
        return None
    blocks = -(-problem.depth // region.channels)
    units = problem.groups * blocks * -(-slivers // share)
    whole = problem.groups * blocks * _rows(taps * region.channels, tile) * slivers * tile.columns * size
    splits = max(1, min(boxes.count, _MOST_SPLITS, -(-wanted // units), _PARTIAL_BYTES // whole))
    each = -(-boxes.count // splits)
    return GradientPlan(tile, boxes, region, blocks, slivers, share, -(-boxes.count // each), each)


def _rows(rows: int, tile: Tile) -> int:
    return -(-rows // tile.rows) * tile.rows


class FilterPartials:
    """Where sums are: `[splits, groups, blocks, slivers, tiles]` of tiles."""

    def __init__(self, problem: Correlation, cut: GradientPlan) -> None:
        self.rows = math.prod(problem.window) * cut.region.channels
        self.tiles = -(-self.rows // cut.tile.rows)
        self.whole = cut.tile.rows * cut.tile.columns
        self.counts = (cut.splits, problem.groups, cut.blocks, cut.slivers, self.tiles)
        self.size = math.prod(self.counts) * self.whole

    def place(self, code: ConvolutionCode, *numbers: Index) -> Index:
        """Elements before a tile."""
        total: Index = 0
        for number, count in zip(numbers, self.counts, strict=True):
            total = code.add(code.mul(total, count), number)
        return code.mul(total, self.whole)


def partial_sums(problem: Correlation, cut: GradientPlan, columns: bool) -> tuple[ColumnSums | None, int]:
    """The partial sums of the cotangent's columns if they are wanted, and the bytes of all partial sums."""
    sums = ColumnSums(problem, cut.tile, cut.slivers, cut.splits, FilterPartials(problem, cut).size)
    return sums if columns else None, sums.start * problem.dtype.size + (sums.bytes if columns else 0)


def emit_sums(
    module: ir.Module, problem: Correlation, cut: GradientPlan, columns: ColumnSums | None
) -> tuple[ir.Function, int]:
    """A function of the table (source, cotangent, partial sums), and its number of chunks."""
    kernel = _FilterGradientKernel(ir.Function(module, KERNEL, "filter_gradient"), problem, cut, columns)
    kernel.emit()
    return kernel.code.function, math.prod(kernel.counts)


class _FilterGradientKernel:
    """A kernel under construction. Offsets are in elements."""

    def __init__(
        self, function: ir.Function, problem: Correlation, cut: GradientPlan, columns: ColumnSums | None
    ) -> None:
        self.code, self.problem, self.cut, self.columns = ConvolutionCode(function), problem, cut, columns
        code = self.code
        self.vectors = Vectors(code, problem.dtype, cut.tile.lanes)
        self.copier = Copier(self.vectors)
        self.partials = FilterPartials(problem, cut)
        self.region = self.vectors.room(cut.region.size)
        self.places = code.stack(I64, cut.boxes.places)
        self.rows = code.stack(I64, self.partials.tiles * cut.tile.rows)
        # Of as many columns as a tile, the cotangent is what tiles read already.
        self.copies = problem.groups * problem.width != cut.tile.columns
        self.panel_size = cut.boxes.places * cut.tile.columns + 64 // problem.dtype.size
        self.panels = self.vectors.room(cut.share * self.panel_size) if self.copies else None
        self.counts = (problem.groups, cut.blocks, cut.parts, cut.splits)

    def emit(self) -> None:
        """Emit the whole function."""
        code, problem, cut = self.code, self.problem, self.cut
        self.group, self.block, part, self.split = code.split(code.function.args[1], self.counts)
        self.first = code.mul(part, cut.share)
        self.share = code.least(cut.share, code.sub(cut.slivers, self.first))
        moves = cut.region.moves(problem.dilations)[1:]
        more = self.partials.tiles * cut.tile.rows - self.partials.rows
        code.fill(self.rows, [*problem.window, cut.region.channels], [*moves, 1], 0, more)
        begin = code.mul(self.split, cut.each)
        count = code.least(cut.each, code.sub(cut.boxes.count, begin))
        code.repeat(count, lambda index: self._box(index, code.add(begin, index)))
        code.builder.ret_void()

    def _box(self, number: Index, box: Index) -> None:
        """Add what a box contributes to all tiles of the chunk."""
        code, problem, cut = self.code, self.problem, self.cut
        place = find(code, problem, cut.boxes, 0, box)
        code.fill(self.places, place.counts, cut.region.moves(problem.strides))
        source = block_of(self.vectors, problem, cut.region, SOURCE, self.group, self.block)
        self.copier.fill(self.region, cut.region, source, place)
        total = problem.groups * problem.width
        offset = code.add(code.mul(place.row(code, problem), total), code.mul(self.group, problem.width))
        cotangent = self.vectors.at(code.slot(COTANGENT), offset)
        if self.copies:
            self._pack(cotangent, place.total)

        def sliver(index: Index) -> None:
            panel = self.vectors.at(self.panels, code.mul(index, self.panel_size)) if self.copies else cotangent
            if self.columns is not None:
                self._add_columns(self.columns, number, index, panel, place.total)
            code.repeat(self.partials.tiles, lambda tile: self._tile(number, (index, tile), panel, place.total))

        code.repeat(self.share, sliver)

    def _add_columns(self, columns: ColumnSums, number: Index, sliver: Index, panel: Any, places: Index) -> None:
        """Add up the columns of a panel, which all blocks of channels read: the first one does it."""
        code = self.code
        place = columns.place(code, self.split, self.group, code.add(self.first, sliver))
        is_first = code.builder.icmp_signed("==", code.value(number), I64(0))
        with code.builder.if_then(code.builder.icmp_signed("==", code.value(self.block), I64(0))):
            columns.add(self.vectors, panel, places, (code.slot(PARTIAL), place), is_first)

    def _pack(self, cotangent: Any, places: Index) -> None:
        """Copy the cotangent to one panel for each sliver."""
        code, problem, tile = self.code, self.problem, self.cut.tile
        total, last = problem.groups * problem.width, problem.width % tile.columns

        def panel(index: Index, columns: int) -> None:
            into = self.vectors.at(self.panels, code.mul(index, self.panel_size))
            column = code.mul(code.add(self.first, index), tile.columns)

            def line(number: Index) -> None:
                here = self.vectors.at(cotangent, code.add(code.mul(number, total), column))
                there = self.vectors.at(into, code.mul(number, tile.columns))
                for v in range(tile.vectors):
                    valid = min(tile.lanes, columns - v * tile.lanes)
                    vector: Any = self.vectors.zero
                    if valid > 0:
                        vector = self.vectors.load(here, v * tile.lanes, valid)
                    code.builder.store(vector, self.vectors.at(there, v * tile.lanes), align=problem.dtype.size)

            code.repeat(places, line)

        def sliver(index: Index) -> None:
            if not last:
                panel(index, tile.columns)
                return
            with code.builder.if_else(code.equal(code.add(self.first, index), self.cut.slivers - 1)) as (
                then,
                otherwise,
            ):
                with then:
                    panel(index, last)
                with otherwise:
                    panel(index, tile.columns)

        if last and self.cut.slivers == 1:
            panel(0, last)
        else:
            code.repeat(self.share, sliver)

    def _tile(self, box: Index, numbers: tuple[Index, Index], panel: Any, places: Index) -> None:
        """Add to one tile."""
        code, cut = self.code, self.cut
        sliver, index = numbers
        first = code.mul(index, cut.tile.rows)
        offsets = [code.entry(self.rows, code.add(first, r)) for r in range(cut.tile.rows)]
        place = self.partials.place(code, self.split, self.group, self.block, code.add(self.first, sliver), index)
        sums = self.vectors.at(code.slot(PARTIAL), place)
        start = [self.vectors.zero] * (cut.tile.rows * cut.tile.vectors)
        if cut.each > 1:
            start = self.vectors.resume(sums, start, box)
        tile = Accumulators(self.vectors, cut.tile, offsets)
        self.vectors.keep(tile.along_table(self.region, self.places, panel, places, start), sums)


def emit_total(
    module: ir.Module, problem: Correlation, cut: GradientPlan, columns: ColumnSums | None
) -> tuple[ir.Function, int]:
    """A function of the table (partial sums, gradient, sums of columns) that adds up the splits, and its number of chunks."""
    function = ir.Function(module, KERNEL, "filter_gradient_total")
    code, tile, partials = ConvolutionCode(function), cut.tile, FilterPartials(problem, cut)
    vectors, width, lanes = Vectors(code, problem.dtype, tile.lanes), problem.width, tile.lanes
    rows = math.prod(problem.window) * problem.depth
    each = max(1, _ADDED // (width * problem.groups * cut.splits))
    first = code.mul(function.args[1], each)

    def row(index: Index) -> None:
        number = code.add(first, index)
        group, place = code.rem(number, problem.groups), code.div(number, problem.groups)
        tap, channel = code.div(place, problem.depth), code.rem(place, problem.depth)
        local = code.add(code.mul(tap, cut.region.channels), code.rem(channel, cut.region.channels))
        block, down = code.div(channel, cut.region.channels), code.rem(local, tile.rows)
        target = vectors.at(code.slot(1), code.add(code.mul(place, problem.groups * width), code.mul(group, width)))

        def vector(number: Index, valid: int) -> None:
            sliver, along = code.div(number, tile.vectors), code.rem(number, tile.vectors)
            start = partials.place(code, 0, group, block, sliver, code.div(local, tile.rows))
            start = code.add(start, code.mul(code.add(code.mul(down, tile.vectors), along), lanes))
            source = vectors.at(code.slot(0), start)
            total = add_splits(vectors, source, cut.splits, partials.size // cut.splits)
            vectors.store(total, target, code.mul(number, lanes), valid)

        vectors.along(width, vector)

    total = rows * problem.groups
    code.repeat(code.least(each, code.sub(total, first)), row)
    chunks = -(-total // each)
    if columns is not None:
        columns.emit_total(vectors, chunks)
    code.builder.ret_void()
    return function, chunks + (columns is not None)
