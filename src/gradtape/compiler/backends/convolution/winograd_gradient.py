"""The gradient of a 3x3 convolution with respect to its filter, by the transpose of Winograd's minimal filtering.

The cotangent of the transformed filter is a sum over tiles: of the transformed source times the transformed cotangent, whose
tiles of 2x2 places become 16 values. So there are 16 products of matrices whose steps are tiles. Boxes of tiles are divided
into splits, which give partial sums; a second function adds these and transforms them back to 3x3 taps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.column_sums import ColumnSums
from gradtape.compiler.backends.convolution.place import PlaceBox, find
from gradtape.compiler.backends.convolution.plan import Boxes, Motion, Region, choose_tile
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.convolution.winograd import VALUES, Tiles, both_ways, suits, tiled
from gradtape.compiler.backends.product import tile
from gradtape.compiler.backends.product.code import I64, KERNEL, Index
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.plan import Tile, even
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Machine

SOURCE, COTANGENT, PARTIAL = 0, 1, 2
# Bytes of the transformed tiles of a box, of the source and of some columns of the cotangent together, since they are on the stack;
# columns of a chunk, unless one accumulator tile has more, and of an accumulator tile.
_BOX_BYTES, _MOST_COLUMNS, _MOST_TILE_COLUMNS = 320 * 1024, 32, 64
# Blocks of channels at most: the cotangent is transformed again for each.
_MOST_BLOCKS = 8
# Tiles of a box at least, since they are the steps of the products.
_LEAST_TILES = 24
_MOST_SPLITS, _PARTIAL_BYTES = 16, 8 << 20
# Which of the values of a transformed tile of the cotangent is the sum of its places.
_SUM = 5
# Elements that are added in a chunk, about.
_ADDED = 1 << 17


@dataclass(frozen=True)
class WinogradGradientPlan:
    """The tiling of a gradient.

    Attributes:
      tile: the accumulators: channels of the source by those of the cotangent.
      boxes: of tiles.
      region: what a box sees.
      row: elements of a transformed tile of the source, of a block of its channels.
      blocks: of channels of the source.
      slivers: groups of columns, as many as an accumulator tile has.
      share: slivers of a chunk.
      splits: partial sums.
      each: boxes of a split.
    """

    tile: Tile
    boxes: Boxes
    region: Region
    row: int
    blocks: int
    slivers: int
    share: int
    splits: int
    each: int

    @property
    def parts(self) -> int:
        """Chunks that share a box, each with its own columns."""
        return -(-self.slivers // self.share)


def plan_gradient(problem: Correlation, machine: Machine) -> WinogradGradientPlan | None:
    """The cut of a gradient; None if it is not of such a convolution, or not faster this way."""
    if not suits(problem, machine):
        return None
    lanes, size, tiles = machine.lanes(problem.dtype.size), problem.dtype.size, tiled(problem)
    whole = problem.examples * math.prod(tiles.places)
    chosen = choose_tile(problem.depth, problem.width, 40, problem.dtype, machine, _MOST_TILE_COLUMNS)
    slivers = -(-problem.width // chosen.columns)
    share = even(slivers, max(1, _MOST_COLUMNS // chosen.columns))
    if whole < _LEAST_TILES:
        return None
    motion = Motion((problem.examples, *tiles.places), (4, 4), (2, 2), (1, 1), problem.depth, problem.dtype)

    def cut(channels: int) -> tuple[Boxes, Region] | None:
        """Boxes of tiles of so many channels; None if they would have too few tiles."""
        row = -(-channels // lanes) * lanes
        most = _BOX_BYTES // (VALUES * (row + share * chosen.columns) * size)
        boxes, region = motion.boxes(min(most, max(_LEAST_TILES, -(-whole // _MOST_SPLITS))), channels)
        enough = most >= _LEAST_TILES and boxes.places >= min(_LEAST_TILES, whole) // 2
        return (boxes, region) if enough and motion.fits(boxes, channels) else None

    # Blocks begin with a whole accumulator tile and a whole vector.
    unit = math.lcm(chosen.rows, lanes)
    channels = [problem.depth, *[-(-problem.depth // (n * unit)) * unit for n in range(2, _MOST_BLOCKS + 1)]]
    found = next(filter(None, map(cut, channels)), None)
    if found is None:
        return None
    boxes, region = found
    row, blocks = -(-region.channels // lanes) * lanes, -(-problem.depth // region.channels)
    sums = VALUES * -(-problem.depth // chosen.rows) * chosen.rows * slivers * chosen.columns * size
    splits = max(1, min(boxes.count, _MOST_SPLITS, _PARTIAL_BYTES // sums))
    each = -(-boxes.count // splits)
    return WinogradGradientPlan(chosen, boxes, region, row, blocks, slivers, share, -(-boxes.count // each), each)


class WinogradPartials:
    """Where sums are: `[splits, values, slivers, tiles]` of accumulator tiles."""

    def __init__(self, problem: Correlation, cut: WinogradGradientPlan) -> None:
        self.tiles = -(-problem.depth // cut.tile.rows)
        self.whole = cut.tile.rows * cut.tile.columns
        self.value = cut.slivers * self.tiles * self.whole
        self.split = VALUES * self.value
        self.size = cut.splits * self.split

    def place(self, code: ConvolutionCode, split: Index, value: Index, sliver: Index, index: Index) -> Index:
        """Elements before an accumulator tile."""
        start = code.add(code.mul(split, self.split), code.mul(value, self.value))
        return code.add(start, code.mul(code.add(code.mul(sliver, self.tiles), index), self.whole))


def partial_sums(problem: Correlation, cut: WinogradGradientPlan, columns: bool) -> tuple[ColumnSums | None, int]:
    """The partial sums of the cotangent's columns if they are wanted, and the bytes of all partial sums."""
    sums = ColumnSums(problem, cut.tile, cut.slivers, cut.splits, WinogradPartials(problem, cut).size)
    return sums if columns else None, sums.start * problem.dtype.size + (sums.bytes if columns else 0)


def emit_sums(
    module: ir.Module, problem: Correlation, cut: WinogradGradientPlan, columns: ColumnSums | None
) -> tuple[ir.Function, int]:
    """A function of the table (source, cotangent, partial sums), and its number of chunks."""
    kernel = _WinogradGradientKernel(ir.Function(module, KERNEL, "winograd_gradient"), problem, cut, columns)
    kernel.emit()
    return kernel.code.function, cut.splits * cut.parts * cut.blocks


def _cotangent_line(builder: ir.IRBuilder, y: Sequence[Any]) -> list[Any]:
    return [y[0], builder.fadd(y[0], y[1]), builder.fsub(y[0], y[1]), builder.fneg(y[1])]


def _tap_line(builder: ir.IRBuilder, u: Sequence[Any]) -> list[Any]:
    half = ir.Constant(u[0].type, [0.5] * u[0].type.count)
    added, difference = builder.fmul(builder.fadd(u[1], u[2]), half), builder.fmul(builder.fsub(u[1], u[2]), half)
    return [builder.fadd(u[0], added), difference, builder.fadd(added, u[3])]


class _WinogradGradientKernel:
    """A kernel under construction. Offsets are in elements."""

    def __init__(
        self, function: ir.Function, problem: Correlation, cut: WinogradGradientPlan, columns: ColumnSums | None
    ) -> None:
        self.code, self.problem, self.cut, self.columns = ConvolutionCode(function), problem, cut, columns
        code, count = self.code, cut.boxes.places
        self.vectors = Vectors(code, problem.dtype, cut.tile.lanes)
        self.partials = WinogradPartials(problem, cut)
        self.tiles = Tiles(code, problem, cut.region, count, cut.tile.lanes)
        # The last accumulator tile may reach beyond the channels.
        self.values = self.vectors.room(VALUES * count * cut.row + cut.tile.rows)
        self.panel = count * cut.tile.columns + 64 // problem.dtype.size
        self.slopes = self.vectors.room(VALUES * cut.share * self.panel)
        self.targets = code.stack(I64, count)

    def emit(self) -> None:
        """Emit the whole function."""
        code, cut = self.code, self.cut
        part, self.block, self.split = code.split(code.function.args[1], (cut.parts, cut.blocks, cut.splits))
        self.first = code.mul(part, cut.share)
        self.share = code.least(cut.share, code.sub(cut.slivers, self.first))
        begin = code.mul(self.split, cut.each)
        count = code.least(cut.each, code.sub(cut.boxes.count, begin))
        code.repeat(count, lambda index: self._box(index, code.add(begin, index)))
        code.builder.ret_void()

    def _box(self, number: Index, box: Index) -> None:
        """Add what a box contributes."""
        code, cut, (height, width) = self.code, self.cut, self.problem.target
        place = find(code, tiled(self.problem), cut.boxes, 0, box)
        self.tiles.transform(place, self.values, cut.row, self.block)
        n, y, x = place.starts
        start = code.add(code.mul(n, height * width), code.add(code.mul(y, 2 * width), code.mul(x, 2)))
        code.fill(self.targets, place.counts, [height * width, 2 * width, 2], start)
        code.repeat(self.share, lambda sliver: code.repeat(place.total, lambda t: self._slope(sliver, t)))
        if self.columns is not None:
            columns = self.columns
            code.repeat(self.share, lambda sliver: self._add_columns(columns, number, sliver, place.total))

        def value(index: Index) -> None:
            code.repeat(self.share, lambda sliver: self._sliver(number, index, sliver, place))

        code.repeat(VALUES, value)

    def _add_columns(self, columns: ColumnSums, number: Index, sliver: Index, tiles: Index) -> None:
        """Add up the columns of the cotangent: one of the values of a transformed tile is the sum of its places. All blocks of channels
        transform it; the first one does this."""
        code = self.code
        offset = code.add(_SUM * self.cut.share * self.panel, code.mul(sliver, self.panel))
        place = columns.place(code, self.split, 0, code.add(self.first, sliver))
        is_first = code.builder.icmp_signed("==", code.value(number), I64(0))
        panel = self.vectors.at(self.slopes, offset)
        with code.builder.if_then(code.builder.icmp_signed("==", code.value(self.block), I64(0))):
            columns.add(self.vectors, panel, tiles, (code.slot(PARTIAL), place), is_first)

    def _slope(self, sliver: Index, index: Index) -> None:
        """Transform a tile of the cotangent, some columns of it."""
        code, problem, chosen, (height, width) = self.code, self.problem, self.cut.tile, self.problem.target
        target = code.entry(self.targets, index)
        column = code.mul(code.add(self.first, sliver), chosen.columns)
        # The last tile of an odd number of places has one too many, and the last sliver perhaps some columns.
        down = code.rem(code.div(target, width), height), height - 1
        right = code.rem(target, width), width - 1
        into = code.add(code.mul(sliver, self.panel), code.mul(index, chosen.columns))
        start = code.add(code.mul(target, problem.width), column)

        def vector(v: Index) -> None:
            along = code.mul(v, chosen.lanes)

            def slope(y: int, x: int) -> Any:
                there = code.add(code.add(start, along), (y * width + x) * problem.width)
                edges = ([down] if y and height % 2 else []) + ([right] if x and width % 2 else [])
                return self._load(there, edges)

            slopes = [slope(y, x) for y in range(2) for x in range(2)]
            for i, found in enumerate(both_ways(code.builder, slopes, 2, _cotangent_line)):
                offset = code.add(code.add(into, along), i * self.cut.share * self.panel)
                self.vectors.store(found, self.slopes, offset)

        left = code.div(code.sub(problem.width, column), chosen.lanes)
        code.repeat(code.least(chosen.vectors, left), vector)

    def _load(self, offset: Index, edges: list[tuple[Index, int]]) -> Any:
        """A vector of the cotangent; zeros beyond an edge."""
        code = self.code
        if not edges:
            return self.vectors.load(code.slot(COTANGENT), offset)
        inside = [code.builder.icmp_signed("<", code.value(at), I64(last)) for at, last in edges]
        both = inside[0] if len(inside) == 1 else code.builder.and_(*inside)
        # Where there is nothing, the first vector is read instead.
        place = code.builder.select(both, code.value(offset), I64(0))
        found = self.vectors.load(code.slot(COTANGENT), place)
        return code.builder.select(both, found, ir.Constant(found.type, None))

    def _sliver(self, box: Index, value: Index, sliver: Index, place: PlaceBox) -> None:
        """One of the 16 products, some columns of it."""
        code, cut, chosen = self.code, self.cut, self.cut.tile
        offset = code.add(code.mul(value, cut.share * self.panel), code.mul(sliver, self.panel))
        panel = self.vectors.at(self.slopes, offset)
        b = tile.TileOperand(panel, chosen.lanes, chosen.columns, chosen.lanes)
        source = self.vectors.at(self.values, code.mul(value, cut.boxes.places * cut.row))
        zeros = [self.vectors.zero] * (chosen.rows * chosen.vectors)

        rows = -(-cut.region.channels // chosen.rows)  # of accumulator tiles in a block
        first = code.mul(self.block, rows)

        def block(index: Index) -> None:
            a = tile.TileOperand(self.vectors.at(source, code.mul(index, chosen.rows)), 1, cut.row)
            there = self.partials.place(code, self.split, value, code.add(self.first, sliver), code.add(first, index))
            sums = self.vectors.at(code.slot(PARTIAL), there)
            start = self.vectors.resume(sums, zeros, box) if cut.each > 1 else zeros
            result = tile.multiply(self.vectors, chosen, a, b, place.total, start)
            self.vectors.keep(result, sums)

        code.repeat(code.least(rows, code.sub(self.partials.tiles, first)), block)


def emit_total(
    module: ir.Module, problem: Correlation, cut: WinogradGradientPlan, columns: ColumnSums | None
) -> tuple[ir.Function, int]:
    """A function of the table (partial sums, gradient, sums of columns) that adds up the splits, and its number of chunks."""
    function = ir.Function(module, KERNEL, "winograd_gradient_total")
    code, dtype, chosen, partials = ConvolutionCode(function), problem.dtype, cut.tile, WinogradPartials(problem, cut)
    vectors, lanes, width = Vectors(code, dtype, chosen.lanes), chosen.lanes, problem.width
    each = max(1, _ADDED // (VALUES * width * cut.splits))
    first = code.mul(function.args[1], each)

    def vector(channel: Index, number: Index) -> None:
        sliver, along = code.div(number, chosen.vectors), code.rem(number, chosen.vectors)
        start = partials.place(code, 0, 0, sliver, code.div(channel, chosen.rows))
        row = code.add(code.mul(code.rem(channel, chosen.rows), chosen.vectors), along)
        source = vectors.at(code.slot(0), code.add(start, code.mul(row, lanes)))

        def values(split: Index) -> list[Any]:
            here = vectors.at(source, code.mul(split, partials.split))
            return [vectors.load(here, i * partials.value) for i in range(VALUES)]

        def added(split: Index, state: Sequence[Any]) -> list[Any]:
            return [code.builder.fadd(a, b) for a, b in zip(state, values(code.add(split, 1)), strict=True)]

        totals = code.fold(cut.splits - 1, values(0), added)
        for tap, found in enumerate(both_ways(code.builder, totals, 4, _tap_line)):
            place = code.add(code.mul(code.add(channel, tap * problem.depth), width), code.mul(number, lanes))
            vectors.store(found, code.slot(1), place)

    def row(index: Index) -> None:
        code.repeat(width // lanes, lambda number: vector(code.add(first, index), number))

    code.repeat(code.least(each, code.sub(problem.depth, first)), row)
    chunks = -(-problem.depth // each)
    if columns is not None:
        columns.emit_total(vectors, chunks)
    code.builder.ret_void()
    return function, chunks + (columns is not None)
