"""How a convolution is tiled: register tiles, blocks of channels, and boxes of places for threads.

A box is places that follow each other, some examples or some rows of one. What its windows see of the source is copied with
its padding into a **region** of memory that stays in the cache. The cut depends on the sizes and the machine's instruction
set alone, never on the number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product.plan import Tile, cycles_of_step, even, tiles_of
from gradtape.compiler.codegen.simd.machine import Machine
from gradtape.core.dtypes import DType
from gradtape.core.patterns.convolution import Sizes

# Bytes of the panel of a filter that a tile reads, of a region, and of a box's sums over some of the channels. The latter are
# on the stack, of which a thread may have little.
_PANEL_BYTES, _REGION_BYTES, _SUMS_BYTES = 80 * 1024, 96 * 1024, 96 * 1024
# A region that is larger, since one window alone sees so much, is not put on the stack at all.
_STACK_BYTES = 160 * 1024
# A box with fewer places would read the filter more often than it is worth; with large filters, which come from far away,
# this many.
_LEAST_PLACES, _LEAST_FAR_PLACES, _FAR_BYTES = 48, 192, 256 * 1024
# Tables of places are on the stack, too.
_MOST_PLACES = 2048
# A chunk below so many operations costs more to hand out than it is worth; more chunks than this serve nobody.
_CHUNK_OPERATIONS = 1_000_000
_MOST_CHUNKS = 64


@dataclass(frozen=True)
class Boxes:
    """Places `[n, *places]` cut into boxes: one index of the axes before, some of an axis, and all of those behind.

    Attributes:
      lengths: of all axes, that of the examples first.
      axis: which one is cut.
      step: the indices of it in a box.
    """

    lengths: Sizes
    axis: int
    step: int

    @property
    def shape(self) -> Sizes:
        """Lengths of the largest box."""
        return (*[1] * self.axis, self.step, *self.lengths[self.axis + 1 :])

    @property
    def places(self) -> int:
        """Places of the largest box."""
        return math.prod(self.shape)

    @property
    def parts(self) -> int:
        """The number of pieces of an axis."""
        return -(-self.lengths[self.axis] // self.step)

    @property
    def count(self) -> int:
        """The number of boxes."""
        return math.prod(self.lengths[: self.axis]) * self.parts


@dataclass(frozen=True)
class Region:
    """What the windows of a box see, in memory: `[examples, *extents, channels]`.

    Attributes:
      examples: in a box.
      extents: positions, per axis.
      channels: in a block of them.
    """

    examples: int
    extents: Sizes
    channels: int

    def fits_stack(self, dtype: DType) -> bool:
        """True if it may be put on the stack."""
        return self.size * dtype.size <= _STACK_BYTES

    @property
    def size(self) -> int:
        """Elements."""
        return self.examples * math.prod(self.extents) * self.channels

    @property
    def steps(self) -> Sizes:
        """Elements from one index to the next, of the examples and of each axis."""
        found = [self.channels]
        for extent in reversed(self.extents):
            found.append(found[-1] * extent)
        return tuple(found[::-1])

    def moves(self, strides: Sizes) -> list[int]:
        """Elements from one example to the next, and from one place of a window to the next along each axis."""
        first, *others = self.steps
        return [first, *[n * s for n, s in zip(others, strides, strict=True)]]


def region(box: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, channels: int) -> Region:
    """What the windows of a box of a shape see."""
    along = zip(box[1:], window, strides, dilations, strict=True)
    extents = tuple([(p - 1) * s + max(k - 1, 0) * d + 1 for p, k, s, d in along])
    return Region(box[0], extents, channels)


@dataclass(frozen=True)
class Motion:
    """A window on its way.

    Attributes:
      lengths: examples, and places per axis.
      window: taps per axis.
      strides: per axis.
      dilations: per axis.
      channels: of the source.
      dtype: of the elements.
    """

    lengths: Sizes
    window: Sizes
    strides: Sizes
    dilations: Sizes
    channels: int
    dtype: DType

    def region(self, boxes: Boxes, channels: int) -> Region:
        """The region of the largest box."""
        return region(boxes.shape, self.window, self.strides, self.dilations, channels)

    def cut(self, places: int, channels: int) -> tuple[Boxes, Region]:
        """Boxes of about so many places whose regions stay in the cache, with as many of the channels as can be.

        Args:
          places: the most places of a box.
          channels: the most channels of a region.
        """
        wanted = self.boxes(places, 1)[0].places
        while True:
            boxes, found = self.boxes(places, channels)
            if channels == 1 or (self.fits(boxes, channels) and 2 * boxes.places >= wanted):
                return boxes, found
            channels = even(self.channels, -(-channels // 2))

    def boxes(self, places: int, channels: int) -> tuple[Boxes, Region]:
        """Boxes of about so many places whose regions stay in the cache, if that can be, with these channels."""
        axis, inner, places = 0, math.prod(self.lengths[1:]), min(places, _MOST_PLACES)
        while axis < len(self.lengths) - 1 and (
            inner > places or not self.fits(Boxes(self.lengths, axis, 1), channels)
        ):
            axis += 1
            inner //= self.lengths[axis]
        step = max(1, min(self.lengths[axis], places // inner))
        while step > 1 and not self.fits(Boxes(self.lengths, axis, step), channels):
            step -= 1
        boxes = Boxes(self.lengths, axis, even(self.lengths[axis], step))
        return boxes, self.region(boxes, channels)

    def fits(self, boxes: Boxes, channels: int) -> bool:
        """True if the region of the largest box stays in the cache."""
        return self.region(boxes, channels).size * self.dtype.size <= _REGION_BYTES


def motion_of(problem: Correlation, channels: int) -> Motion:
    """The way of a convolution's window over so many channels."""
    lengths = (problem.examples, *problem.places)
    return Motion(lengths, problem.window, problem.strides, problem.dilations, channels, problem.dtype)


def useful_chunks(operations: int) -> int:
    """How many chunks a number of operations is worth."""
    return max(1, min(_MOST_CHUNKS, operations // _CHUNK_OPERATIONS))


def choose_tile(rows: int, width: int, depth: int, dtype: DType, machine: Machine, columns: int | None = None) -> Tile:
    """The register tile that takes the least time for a product of `rows` by `depth` and `depth` by `width`; it has at most so many
    columns."""

    def cycles(tile: Tile) -> float:
        tiles = -(-rows // tile.rows) * -(-width // tile.columns)
        return tiles * (cycles_of_step(tile) + (tile.rows * tile.vectors + 10) / max(depth, 1))

    # Addresses of the rows are held in registers, too.
    shapes = tiles_of(min(rows, 8), min(width, columns or width), machine.lanes(dtype.size), machine)
    return min(shapes, key=lambda tile: (cycles(tile), -tile.rows))


def panel_channels(taps: int, columns: int, channels: int, dtype: DType) -> int:
    """Channels of a block, so that a panel of the filter stays in the cache."""
    return even(channels, max(1, _PANEL_BYTES // (max(taps, 1) * columns * dtype.size)))


@dataclass(frozen=True)
class ConvolutionPlan:
    """The tiling of a convolution.

    Attributes:
      tile: the accumulators: places by channels of the target.
      boxes: of places.
      region: the memory for what a box sees, for one block of channels.
      blocks: of channels of the source.
      slivers: groups of columns, as many as a tile has.
      share: slivers of a chunk.
    """

    tile: Tile
    boxes: Boxes
    region: Region
    blocks: int
    slivers: int
    share: int

    @property
    def parts(self) -> int:
        """Chunks that share a box, each with its own columns."""
        return -(-self.slivers // self.share)

    @property
    def tiles(self) -> int:
        """Tiles of a box, one beneath the other."""
        return -(-self.boxes.places // self.tile.rows)


def plan(problem: Correlation, machine: Machine) -> ConvolutionPlan | None:
    """The cut of a convolution that is computed tile by tile; None if a window sees too much for a region."""
    motion, dtype, width = motion_of(problem, problem.depth), problem.dtype, problem.width
    taps = max(len(phase.taps) for phase in problem.phases)
    positions = math.prod(motion.lengths)
    tile = choose_tile(positions, width, taps * problem.depth, dtype, machine)
    slivers = -(-width // tile.columns)
    wanted = useful_chunks(problem.operations)
    is_far = taps * problem.depth * width * dtype.size > _FAR_BYTES
    least = min(_LEAST_FAR_PLACES if is_far else _LEAST_PLACES, positions)
    most = max(least, -(-positions // wanted))
    channels = panel_channels(taps, tile.columns, problem.depth, dtype)
    boxes, found = motion.cut(most, channels)
    if not found.fits_stack(dtype):
        return None
    blocks = -(-problem.depth // found.channels)
    share = slivers
    if boxes.count < wanted:
        share = even(slivers, max(1, slivers * boxes.count // wanted))
    if blocks > 1:
        rows = -(-boxes.places // tile.rows) * tile.rows
        share = even(slivers, min(share, max(1, _SUMS_BYTES // (rows * tile.columns * dtype.size))))
    return ConvolutionPlan(tile, boxes, found, blocks, slivers, share)
