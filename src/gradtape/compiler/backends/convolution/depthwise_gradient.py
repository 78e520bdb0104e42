"""The gradient of a depthwise convolution by its filter: sums over all places, of some taps at once."""

from __future__ import annotations

import itertools
import math
from typing import Any

from gradtape.compiler.backends.convolution.code import Code
from gradtape.compiler.backends.convolution.depthwise import TILE, Channels, DepthwisePlan
from gradtape.compiler.backends.convolution.place import find
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import I64, KERNEL, Index
from gradtape.compiler.backends.product.tile import multiply_add
from gradtape.compiler.codegen import ir

# Taps whose sums can be in registers all at once; elements that are added in a chunk, about.
_SMALL, _ADDED = 12, 1 << 15


class Partials:
    """Where the gradient's partial sums are: `[splits, taps, channels]`, in whole tiles and vectors."""

    def __init__(self, problem: Correlation, cut: DepthwisePlan) -> None:
        self.taps = math.prod(problem.window)
        self.tile = self.taps if self.taps <= _SMALL else TILE
        self.tiles = -(-self.taps // self.tile)
        self.row = -(-problem.groups * problem.width // cut.lanes) * cut.lanes
        self.split = self.tiles * self.tile * self.row
        self.bytes = cut.splits * self.split * problem.dtype.size


def emit_sums(module: ir.Module, problem: Correlation, cut: DepthwisePlan) -> tuple[ir.Function, int]:
    """A function of the table (source, cotangent, partial sums), and its number of chunks."""
    kernel = _Gradient(ir.Function(module, KERNEL, "depthwise_gradient"), problem, cut)
    kernel.emit()
    return kernel.code.function, cut.splits * cut.blocks


class _Gradient(Channels):
    """The gradient of a depthwise convolution by its filter, under construction."""

    def emit(self) -> None:
        """Emit the whole function."""
        code, problem, cut = self.code, self.problem, self.cut
        self.partials = Partials(problem, cut)
        self.taps = code.stack(I64, self.partials.taps + TILE)
        code.fill(self.taps, problem.window, cut.region.moves(problem.dilations)[1:], 0, TILE)
        split, self.block = code.split(code.function.args[1], (cut.splits, cut.blocks))
        self.sums = code.at(code.slot(2), code.mul(split, self.partials.split), self.element)
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
        cotangent = code.at(code.slot(1), code.mul(place.row(code, problem), self.channels), self.element)

        def vector(channel: Index, valid: int) -> None:
            def tile(index: Index) -> None:
                self._tile(number, index, (place.total, cotangent), (first, channel), valid)

            code.repeat(self.partials.tiles, tile)

        self.each_vector(wanted, vector)

    def _tile(
        self, number: Index, tile: Index, places: tuple[Index, Any], channels: tuple[Index, Index], valid: int
    ) -> None:
        """Some taps, one vector of channels."""
        code, dtype, lanes = self.code, self.problem.dtype, self.cut.lanes
        fma = multiply_add(code, dtype, lanes)
        first, channel = code.mul(tile, self.partials.tile), code.add(*channels)
        offsets = self._offsets(first)
        source, cotangent = code.at(self.region, channels[1], self.element), code.at(places[1], channel, self.element)

        def place(index: Index, sums: Any) -> list[Any]:
            slope = self.load(cotangent, code.mul(index, self.channels), valid)
            here = code.at(source, code.entry(self.places, index), self.element)
            seen = [self.load(here, offset, lanes) for offset in offsets]
            return [code.builder.call(fma, [x, slope, total]) for x, total in zip(seen, sums, strict=True)]

        zero = ir.Constant(ir.VectorType(self.element, lanes), None)
        sums = code.at(self.sums, code.add(code.mul(first, self.partials.row), channel), self.element)
        totals = code.fold(places[0], [zero] * len(offsets), place)
        is_first = code.builder.icmp_signed("==", code.value(number), I64(0))
        for i, total in enumerate(totals):
            there = code.at(sums, i * self.partials.row, self.element)
            before = code.builder.load(there, align=dtype.size, typ=zero.type)
            added = code.builder.fadd(before, total)
            code.builder.store(code.builder.select(is_first, total, added), there, align=dtype.size)

    def _offsets(self, first: Index) -> list[Index]:
        """Where some taps are in the region; known if they are all."""
        code, partials = self.code, self.partials
        if partials.tiles > 1:
            return [code.entry(self.taps, code.add(first, i)) for i in range(partials.tile)]
        steps = self.cut.region.moves(self.problem.dilations)[1:]
        taps = itertools.product(*map(range, self.problem.window))
        return [sum(map(math.prod, zip(tap, steps, strict=True))) for tap in taps]


def emit_total(module: ir.Module, problem: Correlation, cut: DepthwisePlan) -> tuple[ir.Function, int]:
    """A function of the table (partial sums, gradient) that adds up the splits, and its number of chunks."""
    function = ir.Function(module, KERNEL, "depthwise_gradient_total")
    code, dtype, lanes, partials = Code(function), problem.dtype, cut.lanes, Partials(problem, cut)
    element, channels = memory.element_type(dtype), problem.groups * problem.width
    each = max(1, _ADDED // (channels * cut.splits))
    first = code.mul(function.args[1], each)

    def vector(tap: Index, channel: Index, valid: int) -> None:
        source = code.at(code.slot(0), code.add(code.mul(tap, partials.row), channel), element)

        def added(split: Index, state: Any) -> Any:
            there = code.at(source, code.mul(code.add(split, 1), partials.split), element)
            return [code.builder.fadd(state[0], memory.load(code, there, dtype, lanes, lanes))]

        total = code.fold(cut.splits - 1, [memory.load(code, source, dtype, lanes, lanes)], added)[0]
        target = code.at(code.slot(1), code.add(code.mul(tap, channels), channel), element)
        memory.store(code, total, target, dtype, valid)

    def row(index: Index) -> None:
        tap = code.add(first, index)
        code.repeat(channels // lanes, lambda number: vector(tap, code.mul(number, lanes), lanes))
        if channels % lanes:
            vector(tap, channels // lanes * lanes, channels % lanes)

    code.repeat(code.least(each, code.sub(partials.taps, first)), row)
    code.builder.ret_void()
    return function, -(-partials.taps // each)
