"""Convolutions with a group per channel: vectors along the channels, and no product of matrices.

With a multiplier every channel of the source stands several times side by side, once for each of its filters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.copying import Copier, CopySource
from gradtape.compiler.backends.convolution.output import ListedRows
from gradtape.compiler.backends.convolution.place import PlaceBox, find
from gradtape.compiler.backends.convolution.plan import Boxes, Region, motion_of, useful_chunks
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product.code import I64, KERNEL, Index
from gradtape.compiler.backends.product.epilogue import EmitEpilogue
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.plan import Tile
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Machine

# Places, or taps, whose sums are in registers at once; channels of a region.
TILE, _MOST_CHANNELS = 8, 128
# Operations of a chunk; these are few for the memory that they touch.
_LIGHT = 8
# Partial sums of the gradient.
_MOST_SPLITS = 16


@dataclass(frozen=True)
class DepthwisePlan:
    """The tiling of a depthwise convolution.

    Attributes:
      lanes: of a vector.
      boxes: of places.
      region: what a box sees of a block of channels.
      blocks: of channels.
      splits: of the gradient: partial sums.
      each: of the gradient: boxes of a split.
    """

    lanes: int
    boxes: Boxes
    region: Region
    blocks: int
    splits: int
    each: int


def plan_depthwise(problem: Correlation, machine: Machine) -> DepthwisePlan | None:
    """The cut of a depthwise convolution, or of its gradient by the filter; None if it is none, or if a window sees too much for a region."""
    # There is a group per channel of the source, and its filters lie side by side.
    if problem.groups == 1 or problem.depth != 1 or (problem.width != 1 and problem.turned):
        return None
    lanes, multiplier = machine.lanes(problem.dtype.size), problem.width
    channels = problem.groups * multiplier
    unit = lanes * multiplier
    most = channels if channels <= _MOST_CHANNELS else max(1, _MOST_CHANNELS // unit) * unit
    motion = motion_of(problem, channels)
    wanted = useful_chunks(_LIGHT * problem.operations)
    places = max(16, -(-problem.positions // wanted))
    boxes, region = motion.boxes(places, most)
    while most > unit and not motion.fits(boxes, most):
        most = max(1, most // 2 // unit) * unit
        boxes, region = motion.boxes(places, most)
    if not region.fits_stack(problem.dtype):
        return None
    blocks = -(-channels // most)
    splits = max(1, min(boxes.count, _MOST_SPLITS, -(-wanted // blocks)))
    each = -(-boxes.count // splits)
    return DepthwisePlan(lanes, boxes, region, blocks, -(-boxes.count // each), each)


def emit(
    module: ir.Module, problem: Correlation, cut: DepthwisePlan, epilogue: EmitEpilogue | None
) -> tuple[ir.Function, int]:
    """A function of the table (source, filter, target, ...) that convolves, and its number of chunks."""
    kernel = _Convolution(ir.Function(module, KERNEL, "depthwise"), problem, cut, epilogue)
    kernel.emit()
    return kernel.code.function, math.prod(kernel.counts)


class Channels:
    """What both kernels have in common: the region of a box."""

    def __init__(self, function: ir.Function, problem: Correlation, cut: DepthwisePlan) -> None:
        self.code, self.problem, self.cut = ConvolutionCode(function), problem, cut
        self.vectors = Vectors(self.code, problem.dtype, cut.lanes)
        self.channels = problem.groups * problem.width
        self.copier = Copier(self.vectors)
        # The last vector may reach beyond the last position.
        self.region = self.vectors.room(cut.region.size + cut.lanes)
        self.places = self.code.stack(I64, cut.boxes.places + TILE)

    def copy(self, place: PlaceBox, block: Index) -> Index:
        """Copy what a box sees of a block of channels; gives the number of its channels."""
        code, problem, region = self.code, self.problem, self.cut.region
        first, wanted = code.mul(block, region.channels), region.channels
        if self.channels % region.channels:
            wanted = code.least(wanted, code.sub(self.channels, first))
        pointer = self.vectors.at(code.slot(0), code.div(first, problem.width))
        source = CopySource(pointer, problem.size, problem.groups, wanted, problem.width)
        self.copier.fill(self.region, region, source, place)
        return wanted

    def each_vector(self, wanted: Index, body: Any) -> None:
        """Emit `body(first channel, lanes)` for all vectors of a block: whole ones, and the last if that is a part."""
        code, lanes = self.code, self.cut.lanes
        whole = code.div(wanted, lanes)
        code.repeat(whole, lambda index: body(code.mul(index, lanes), lanes))
        rest = self.channels % lanes
        if not rest:
            return
        # Blocks are whole vectors, but for the last one.
        if isinstance(wanted, int):
            body(wanted - rest, rest)
            return
        with code.builder.if_then(code.builder.icmp_signed("!=", code.rem(wanted, lanes), I64(0))):
            body(code.mul(whole, lanes), rest)


class _Convolution(Channels):
    """A depthwise convolution under construction."""

    def __init__(
        self, function: ir.Function, problem: Correlation, cut: DepthwisePlan, epilogue: EmitEpilogue | None
    ) -> None:
        super().__init__(function, problem, cut)
        code = self.code
        self.targets = code.stack(I64, cut.boxes.places + TILE)
        tile = Tile(TILE, 1, cut.lanes)
        self.output = ListedRows(self.vectors, problem, tile, self.targets, epilogue, self.channels)
        self.most = max(len(phase.taps) for phase in problem.phases)
        self.taps = code.stack(I64, max(self.most, 1))
        numbers = [[*phase.taps, *[0] * (self.most - len(phase.taps))] for phase in problem.phases]
        self.numbers = code.constants("numbers", [n * self.channels for row in numbers for n in [*row, 0]])
        self.counts = (len(problem.phases), cut.boxes.count, cut.blocks)

    def emit(self) -> None:
        """Emit the whole function."""
        code, problem, cut = self.code, self.problem, self.cut
        self.phase, box, block = code.split(code.function.args[1], self.counts)
        place = find(code, problem, cut.boxes, self.phase, box)
        with code.builder.if_then(code.builder.icmp_signed(">", code.value(place.total), I64(0))):
            code.fill(self.places, place.counts, cut.region.moves(problem.strides), 0, TILE)
            code.fill(self.targets, place.counts, *place.targets(code, problem, self.output.unit), TILE)
            count = code.fill(self.taps, place.window, cut.region.moves(problem.dilations)[1:])
            wanted = self.copy(place, block)
            first = code.mul(block, cut.region.channels)
            tiles = code.div(code.add(place.total, TILE - 1), TILE)

            def tile(index: Index) -> None:
                self.each_vector(wanted, lambda channel, valid: self._tile(index, count, (first, channel), valid))

            code.repeat(tiles, tile)
        code.builder.ret_void()

    def _tile(self, tile: Index, taps: Index, channels: tuple[Index, Index], valid: int) -> None:
        """Some places, one vector of channels."""
        code, lanes = self.code, self.cut.lanes
        first, channel = code.mul(tile, TILE), code.add(*channels)
        offsets = [code.entry(self.places, code.add(first, i)) for i in range(TILE)]
        source, weights = self.vectors.at(self.region, channels[1]), self.vectors.at(code.slot(1), channel)
        numbers = code.at(self.numbers, code.mul(self.phase, self.most + 1), I64)

        def tap(index: Index, sums: Any) -> list[Any]:
            weight = self.vectors.load(weights, code.entry(numbers, index), valid)
            here = self.vectors.at(source, code.entry(self.taps, index))
            seen = [self.vectors.load(here, offset, lanes) for offset in offsets]
            return [self.vectors.fma(x, weight, total) for x, total in zip(seen, sums, strict=True)]

        totals = code.fold(taps, [self.vectors.zero] * TILE, tap)
        self.output.write(list(totals), first, channel, valid)
