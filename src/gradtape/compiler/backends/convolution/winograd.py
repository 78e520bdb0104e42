"""Convolutions with windows of 3x3 by Winograd's minimal filtering, F(2x2, 3x3): 16 products where there were 36.

Tiles of 4x4 positions of the source, which overlap, are transformed to 16 values; so is the filter. Their products, summed over
the channels, are 16 products of matrices, and are transformed back to 2x2 places (Lavin and Gray, "Fast algorithms for
convolutional neural networks", 2015). All factors are 0, 1/2 and 1, so the rounding errors are those of sums of the
values of a tile: small against the largest of these.

All steps on a box of tiles are done while it is in the cache. Panels of the transformed filter are read once for all tiles of a box.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.copying import Copier, block_of
from gradtape.compiler.backends.convolution.output import frame_of
from gradtape.compiler.backends.convolution.place import find
from gradtape.compiler.backends.convolution.plan import Boxes, Motion, Region, choose_tile
from gradtape.compiler.backends.convolution.problem import Correlation, Phase
from gradtape.compiler.backends.product import tile
from gradtape.compiler.backends.product.code import I64, KERNEL, Index
from gradtape.compiler.backends.product.epilogue import EmitEpilogue, Finish, Spot
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.plan import Tile
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Machine

SOURCE, FILTER, TARGET = 0, 1, 2
VALUES = 16
# Channels from which sums over them are long enough; bytes of the transformed filter, and of the transformed tiles of a box.
_LEAST_CHANNELS, _FILTER_BYTES, _BOX_BYTES = 16, 32 << 20, 256 * 1024
# A filter whose transform has more bytes than this is not worth transforming for so few tiles.
_SMALL_FILTER_BYTES, _LEAST_TILES_OF_LARGE = 320 * 1024, 32
# Tiles of a box at least, and chunks from which on boxes may be as large as they can.
_LEAST_TILES, _CHUNKS = 24, 16


@dataclass(frozen=True)
class WinogradPlan:
    """The tiling of a convolution.

    Attributes:
      tile: the accumulators: tiles of 2x2 places by channels of the target.
      boxes: of tiles.
      region: what a box sees.
      row: elements of a transformed tile.
      slivers: groups of columns, as many as an accumulator tile has.
    """

    tile: Tile
    boxes: Boxes
    region: Region
    row: int
    slivers: int

    @property
    def groups(self) -> int:
        """Rows of accumulator tiles of a box."""
        return -(-self.boxes.places // self.tile.rows)

    @property
    def rows(self) -> int:
        """Transformed tiles of a box, with those that only fill up the last accumulator tile."""
        return self.groups * self.tile.rows


def tiled(problem: Correlation) -> Correlation:
    """A convolution whose places are the tiles of another, and whose windows are what a tile sees."""
    places = tuple([-(-n // 2) for n in problem.places])
    phase = Phase(places, (4, 4), problem.phases[0].starts, (0, 0), ())
    return replace(problem, target=places, strides=(2, 2), phases=(phase,))


def suits(problem: Correlation, machine: Machine) -> bool:
    """True if a convolution has a window of 3x3 that moves in steps of one, and enough channels."""
    plain = problem.contiguous and problem.groups == 1 and problem.phases[0].window == (3, 3)
    steps = (*problem.strides, *problem.dilations) == (1, 1, 1, 1)
    wide = min(problem.depth, problem.width) >= _LEAST_CHANNELS and not problem.width % machine.lanes(
        problem.dtype.size
    )
    return plain and steps and wide and problem.dtype.size == 4


def plan_winograd(problem: Correlation, machine: Machine) -> WinogradPlan | None:
    """The cut of a convolution; None if it is no such convolution, or not faster this way."""
    if not suits(problem, machine):
        return None
    tiles, lanes, size = tiled(problem), machine.lanes(problem.dtype.size), problem.dtype.size
    whole = problem.examples * math.prod(tiles.places)
    row = -(-problem.depth // lanes) * lanes
    panel = VALUES * problem.depth * problem.width * size
    least = _LEAST_TILES_OF_LARGE if panel > _SMALL_FILTER_BYTES else _LEAST_TILES // 3
    if whole < least or panel > _FILTER_BYTES:
        return None
    most = min(_BOX_BYTES // (VALUES * row * size), max(_LEAST_TILES, -(-whole // _CHUNKS)))
    motion = Motion((problem.examples, *tiles.places), (4, 4), (2, 2), (1, 1), problem.depth, problem.dtype)
    boxes, region = motion.boxes(most, problem.depth)
    if not motion.fits(boxes, problem.depth) or boxes.places < _LEAST_TILES // 6:
        return None
    chosen = choose_tile(boxes.places, problem.width, problem.depth, problem.dtype, machine)
    return WinogradPlan(chosen, boxes, region, row, -(-problem.width // chosen.columns))


class WinogradPanels:
    """Where the transformed filter is: `[values, slivers]` of panels `[channels, columns]`."""

    def __init__(self, problem: Correlation, cut: WinogradPlan) -> None:
        # A line more than needed, lest all panels compete for the same places in the cache.
        self.step = problem.depth * cut.tile.columns + 64 // problem.dtype.size
        self.value = self.step * cut.slivers
        self.bytes = VALUES * self.value * problem.dtype.size


def both_ways(builder: ir.IRBuilder, values: Sequence[Any], size: int, line: Any) -> list[Any]:
    """The transform of a square of values, given row by row, along both axes."""
    columns = [line(builder, [values[i * size + j] for i in range(size)]) for j in range(size)]
    rows = [line(builder, [column[i] for column in columns]) for i in range(len(columns[0]))]
    return [value for row in rows for value in row]


def source_line(builder: ir.IRBuilder, d: Sequence[Any]) -> list[Any]:
    """The transform of four positions of the source."""
    return [builder.fsub(d[0], d[2]), builder.fadd(d[1], d[2]), builder.fsub(d[2], d[1]), builder.fsub(d[1], d[3])]


def _target_line(builder: ir.IRBuilder, m: Sequence[Any]) -> list[Any]:
    return [builder.fadd(builder.fadd(m[0], m[1]), m[2]), builder.fsub(builder.fsub(m[1], m[2]), m[3])]


def emit(
    module: ir.Module, problem: Correlation, cut: WinogradPlan, epilogue: EmitEpilogue | None
) -> tuple[ir.Function, int]:
    """A function of the table (source, panels of the filter, target, ...) that convolves, and its number of chunks."""
    kernel = _WinogradKernel(ir.Function(module, KERNEL, "winograd"), problem, cut, epilogue)
    kernel.emit()
    return kernel.code.function, cut.boxes.count


class Tiles:
    """Emits transforms of the source: the tiles of a box, as `[values, tiles, row]`."""

    def __init__(self, code: ConvolutionCode, problem: Correlation, region: Region, count: int, lanes: int) -> None:
        self.code, self.problem, self.region, self.count, self.lanes = code, problem, region, count, lanes
        self.vectors = Vectors(code, problem.dtype, lanes)
        self.copier = Copier(self.vectors)
        # The last vector of a position may reach beyond the region.
        self.memory = self.vectors.room(region.size + lanes)
        self.offsets = code.stack(I64, count)

    def transform(self, place: Any, into: Any, row: int, block: Index = 0) -> None:
        """Copy what a box sees of a block of channels, and transform it. Tiles that the box has not repeat its last one."""
        code, problem, region = self.code, self.problem, self.region
        steps = region.steps
        more = code.sub(self.count, place.total)
        code.fill(self.offsets, place.counts, region.moves((2, 2)), 0, more)
        source = block_of(self.vectors, problem, region, SOURCE, 0, block)
        self.copier.fill(self.memory, region, source, place)

        def tile(number: Index) -> None:
            start = self.vectors.at(self.memory, code.entry(self.offsets, number))
            target = self.vectors.at(into, code.mul(number, row))

            def vector(index: Index) -> None:
                along = code.mul(index, self.lanes)
                places = [code.add(along, i * steps[1] + j * steps[2]) for i in range(4) for j in range(4)]
                seen = [self.vectors.load(start, p) for p in places]
                for value, found in enumerate(both_ways(code.builder, seen, 4, source_line)):
                    there = self.vectors.at(target, code.add(along, value * self.count * row))
                    self.vectors.store(found, there)

            code.repeat(-(-region.channels // self.lanes), vector)

        code.repeat(self.count, tile)


class _WinogradKernel:
    """A kernel under construction. Offsets are in elements."""

    def __init__(
        self, function: ir.Function, problem: Correlation, cut: WinogradPlan, epilogue: EmitEpilogue | None
    ) -> None:
        self.code, self.problem, self.cut = ConvolutionCode(function), problem, cut
        code = self.code
        self.vectors = Vectors(code, problem.dtype, cut.tile.lanes)
        self.panels = WinogradPanels(problem, cut)
        self.tiles = Tiles(code, problem, cut.region, cut.rows, cut.tile.lanes)
        self.values = self.vectors.room(VALUES * cut.rows * cut.row)
        self.products = self.vectors.room(VALUES * cut.tile.rows * cut.tile.columns)
        self.targets = code.stack(I64, cut.boxes.places)
        self.finish = Finish(frame_of(problem, problem.width, cut.tile.lanes), epilogue, cut.tile.lanes)

    def emit(self) -> None:
        """Emit the whole function."""
        code, cut, (height, width) = self.code, self.cut, self.problem.target
        tiles = tiled(self.problem)
        place = find(code, tiles, cut.boxes, 0, code.function.args[1])
        self.tiles.transform(place, self.values, cut.row)
        n, y, x = place.starts
        start = code.add(code.mul(n, height * width), code.add(code.mul(y, 2 * width), code.mul(x, 2)))
        code.fill(self.targets, place.counts, [height * width, 2 * width, 2], start)
        groups = code.div(code.add(place.total, cut.tile.rows - 1), cut.tile.rows)
        code.repeat(
            cut.slivers,
            lambda s: code.repeat(groups, lambda g: self._group(s, code.mul(g, cut.tile.rows), place.total)),
        )
        code.builder.ret_void()

    def _group(self, sliver: Index, first: Index, total: Index) -> None:
        """Some tiles, some columns: all 16 products, and the way back."""
        code, cut = self.code, self.cut
        chosen, zero = cut.tile, self.vectors.zero
        start = self.vectors.at(self.values, code.mul(first, cut.row))
        panel = self.vectors.at(code.slot(FILTER), code.mul(sliver, self.panels.step))

        def value(number: Index) -> None:
            a = tile.TileOperand(self.vectors.at(start, code.mul(number, cut.rows * cut.row)), cut.row, 1)
            b = tile.TileOperand(
                self.vectors.at(panel, code.mul(number, self.panels.value)),
                chosen.lanes,
                chosen.columns,
                chosen.lanes,
            )
            zeros = [zero] * (chosen.rows * chosen.vectors)
            sums = tile.multiply(self.vectors, chosen, a, b, self.problem.depth, zeros)
            place = self.vectors.at(self.products, code.mul(number, chosen.rows * chosen.columns))
            for i, vector in enumerate(sums):
                self.vectors.store(vector, place, i * chosen.lanes)

        code.repeat(VALUES, value)
        column = code.mul(sliver, chosen.columns)
        vectors = code.div(code.least(chosen.columns, code.sub(self.problem.width, column)), chosen.lanes)

        def back(row: Index) -> None:
            target = code.entry(self.targets, code.add(first, row))
            source = self.vectors.at(self.products, code.mul(row, chosen.columns))
            code.repeat(vectors, lambda v: self._back(source, target, column, code.mul(v, chosen.lanes)))

        code.repeat(code.least(chosen.rows, code.sub(total, first)), back)

    def _back(self, source: Any, target: Index, column: Index, along: Index) -> None:
        """The way back of one tile and one vector of columns."""
        code, chosen, (height, width) = self.code, self.cut.tile, self.problem.target
        step = chosen.rows * chosen.columns
        products = [self.vectors.load(source, code.add(along, i * step)) for i in range(VALUES)]
        results = both_ways(code.builder, products, 4, _target_line)
        # The last tile of an odd number of places has one too many.
        last = {
            0: (code.rem(code.div(target, width), height), height - 1) if height % 2 else None,
            1: (code.rem(target, width), width - 1) if width % 2 else None,
        }
        for i, result in enumerate(results):
            y, x = divmod(i, 2)
            spot = Spot(0, code.add(target, y * width + x), code.add(column, along))
            flags = [
                code.builder.icmp_signed("<", code.value(edge[0]), I64(edge[1]))
                for edge in (last[0] if y else None, last[1] if x else None)
                if edge is not None
            ]
            if not flags:
                self.finish.apply(code, result, spot, chosen.lanes)
                continue
            with code.builder.if_then(flags[0] if len(flags) == 1 else code.builder.and_(*flags)):
                self.finish.apply(code, result, spot, chosen.lanes)
