"""The gradient of a depthwise convolution with respect to its filter: sums over all places, several taps at a time."""

from __future__ import annotations

import itertools
import math
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.column_sums import SUMS, add_splits
from gradtape.compiler.backends.convolution.depthwise import TILE, Channels, DepthwisePlan
from gradtape.compiler.backends.convolution.depthwise import plan_depthwise as plan_gradient
from gradtape.compiler.backends.convolution.place import find
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product.code import I64, KERNEL, Index
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.codegen import ir

# Taps whose sums can be in registers all at once; elements that are added in a chunk, about.
_SMALL, _ADDED = 12, 1 << 15


class DepthwisePartials:
    """Where the gradient's partial sums are: `[splits, taps, channels]`, in whole tiles and vectors. With the sums of the cotangent's
    columns, these follow the taps as one more row."""

    def __init__(self, problem: Correlation, cut: DepthwisePlan, columns: bool) -> None:
        self.taps = math.prod(problem.window)
        self.tile = self.taps if self.taps <= _SMALL else TILE
        self.tiles = -(-self.taps // self.tile)
        self.row = -(-problem.groups * problem.width // cut.lanes) * cut.lanes
        self.split = (self.tiles * self.tile + columns) * self.row
        self.bytes = cut.splits * self.split * problem.dtype.size
        self.columns = self.tiles * self.tile if columns else None


__all__ = ["emit_sums", "emit_total", "partial_sums", "plan_gradient"]


def partial_sums(problem: Correlation, cut: DepthwisePlan, columns: bool) -> tuple[DepthwisePartials, int]:
    """Where the partial sums are, and their bytes."""
    partials = DepthwisePartials(problem, cut, columns)
    return partials, partials.bytes


def emit_sums(
    module: ir.Module, problem: Correlation, cut: DepthwisePlan, partials: DepthwisePartials
) -> tuple[ir.Function, int]:
    """A function of the table (source, cotangent, partial sums), and its number of chunks."""
    kernel = _Gradient(ir.Function(module, KERNEL, "depthwise_gradient"), problem, cut)
    kernel.partials = partials
    kernel.emit()
    return kernel.code.function, cut.splits * cut.blocks


class _Gradient(Channels):
    """The gradient of a depthwise convolution by its filter, under construction."""

    partials: DepthwisePartials

    def emit(self) -> None:
        """Emit the whole function."""
        code, problem, cut = self.code, self.problem, self.cut
        self.taps = code.stack(I64, self.partials.taps + TILE)
        code.fill(self.taps, problem.window, cut.region.moves(problem.dilations)[1:], 0, TILE)
        split, self.block = code.split(code.function.args[1], (cut.splits, cut.blocks))
        self.sums = self.vectors.at(code.slot(2), code.mul(split, self.partials.split))
        begin = code.mul(split, cut.each)
        count = code.least(cut.each, code.sub(cut.boxes.count, begin))
        code.repeat(count, lambda index: self._box(index, code.add(begin, index)))
        code.builder.ret_void()

    def _box(self, number: Index, box: Index) -> None:
        """Add what a box contributes."""
        code, problem, cut = self.code, self.problem, self.cut
        place = find(code, problem, cut.boxes, 0, box)
        code.fill(self.places, place.counts, cut.region.moves(problem.strides), 0, TILE)
        wanted = self.copy(place, self.block)
        first = code.mul(self.block, cut.region.channels)
        cotangent = self.vectors.at(code.slot(1), code.mul(place.row(code, problem), self.channels))

        def vector(channel: Index, valid: int) -> None:
            def tile(index: Index) -> None:
                self._tile(number, index, (place.total, cotangent), (first, channel), valid)

            code.repeat(self.partials.tiles, tile)

        self.each_vector(wanted, vector)

    def _tile(
        self, number: Index, tile: Index, places: tuple[Index, Any], channels: tuple[Index, Index], valid: int
    ) -> None:
        """Some taps, one vector of channels."""
        code = self.code
        first, channel = code.mul(tile, self.partials.tile), code.add(*channels)
        offsets = self._offsets(first)
        source, cotangent = self.vectors.at(self.region, channels[1]), self.vectors.at(places[1], channel)

        def place(index: Index, sums: Any) -> list[Any]:
            slope = self.vectors.load(cotangent, code.mul(index, self.channels), valid)
            here = self.vectors.at(source, code.entry(self.places, index))
            seen = [self.vectors.load(here, offset) for offset in offsets]
            added = [self.vectors.fma(x, slope, total) for x, total in zip(seen, sums, strict=False)]
            return added if self.partials.columns is None else [*added, code.builder.fadd(sums[-1], slope)]

        sums = self.vectors.at(self.sums, code.add(code.mul(first, self.partials.row), channel))
        totals = code.fold(places[0], [self.vectors.zero] * (len(offsets) + (self.partials.columns is not None)), place)
        is_first = code.builder.icmp_signed("==", code.value(number), I64(0))

        def add(total: Any, pointer: Any, offset: Index) -> None:
            there = self.vectors.at(pointer, offset)
            added = code.builder.fadd(self.vectors.load(there), total)
            self.vectors.store(code.builder.select(is_first, total, added), there)

        for i in range(len(offsets)):
            add(totals[i], sums, i * self.partials.row)
        if self.partials.columns is not None:
            with code.builder.if_then(code.builder.icmp_signed("==", code.value(tile), I64(0))):
                add(totals[-1], self.sums, code.add(self.partials.columns * self.partials.row, channel))

    def _offsets(self, first: Index) -> list[Index]:
        """Where some taps are in the region; known if they are all."""
        code, partials = self.code, self.partials
        if partials.tiles > 1:
            return [code.entry(self.taps, code.add(first, i)) for i in range(partials.tile)]
        steps = self.cut.region.moves(self.problem.dilations)[1:]
        taps = itertools.product(*map(range, self.problem.window))
        return [sum(map(math.prod, zip(tap, steps, strict=True))) for tap in taps]


def emit_total(
    module: ir.Module, problem: Correlation, cut: DepthwisePlan, partials: DepthwisePartials
) -> tuple[ir.Function, int]:
    """A function of the table (partial sums, gradient, sums of columns) that adds up the splits, and its number of chunks."""
    function = ir.Function(module, KERNEL, "depthwise_gradient_total")
    code, lanes, channels = ConvolutionCode(function), cut.lanes, problem.groups * problem.width
    vectors = Vectors(code, problem.dtype, lanes)
    each = max(1, _ADDED // (channels * cut.splits))
    first = code.mul(function.args[1], each)

    def row(number: Index, target: Any) -> None:
        def vector(index: Index, valid: int) -> None:
            channel = code.mul(index, lanes)
            source = vectors.at(code.slot(0), code.add(code.mul(number, partials.row), channel))
            total = add_splits(vectors, source, cut.splits, partials.split)
            vectors.store(total, target, channel, valid)

        vectors.along(channels, vector)

    def tap(index: Index) -> None:
        number = code.add(first, index)
        row(number, vectors.at(code.slot(1), code.mul(number, channels)))

    code.repeat(code.least(each, code.sub(partials.taps, first)), tap)
    chunks = -(-partials.taps // each)
    if partials.columns is not None:
        with code.builder.if_then(code.builder.icmp_signed("==", function.args[1], I64(chunks))):
            row(partials.columns, code.slot(SUMS))
    code.builder.ret_void()
    return function, chunks + (partials.columns is not None)
