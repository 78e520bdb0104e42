"""Filters in the order in which tiles read them: panels of as many columns as a tile has."""

from __future__ import annotations

import math

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.copying import Copier
from gradtape.compiler.backends.convolution.plan import ConvolutionPlan
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product import packing
from gradtape.compiler.backends.product.code import KERNEL, Index
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.codegen import ir

# Elements of a chunk, about.
_CHUNK = 1 << 15


class FilterPanels:
    """Where panels are: `[phases, groups, blocks, slivers]` of them, each `[taps, channels, columns]`."""

    def __init__(self, problem: Correlation, cut: ConvolutionPlan) -> None:
        self.counts = (len(problem.phases), problem.groups, cut.blocks, cut.slivers)
        self.taps = max(len(phase.taps) for phase in problem.phases)
        line = 64 // problem.dtype.size
        # A line more than needed, lest all panels compete for the same places in the cache.
        self.step = self.taps * cut.region.channels * cut.tile.columns + line
        self.bytes = math.prod(self.counts) * self.step * problem.dtype.size

    def place(self, code: ConvolutionCode, phase: Index, group: Index, block: Index, sliver: Index) -> Index:
        """Elements before a panel."""
        _, groups, blocks, slivers = self.counts
        number = code.add(code.mul(code.add(code.mul(phase, groups), group), blocks), block)
        return code.mul(code.add(code.mul(number, slivers), sliver), self.step)


def emit(module: ir.Module, problem: Correlation, cut: ConvolutionPlan) -> tuple[ir.Function, int]:
    """A function of the table (filter, panels) that makes the panels, and its number of chunks."""
    function = ir.Function(module, KERNEL, "pack")
    code, panels = ConvolutionCode(function), FilterPanels(problem, cut)
    packer = _Packer(code, problem, cut, panels)
    total = math.prod(panels.counts)
    each = max(1, _CHUNK // panels.step)
    first = code.mul(function.args[1], each)
    code.repeat(code.least(each, code.sub(total, first)), lambda index: packer.panel(code.add(first, index)))
    code.builder.ret_void()
    return function, -(-total // each)


class _Packer:
    """Emits copies of a filter's parts."""

    def __init__(self, code: ConvolutionCode, problem: Correlation, cut: ConvolutionPlan, panels: FilterPanels) -> None:
        self.code, self.problem, self.cut, self.panels = code, problem, cut, panels
        self.vectors = Vectors(code, problem.dtype, cut.tile.lanes)
        self.copier = Copier(self.vectors)
        self.filters = problem.groups * (problem.depth if problem.turned else problem.width)
        taps = [len(phase.taps) for phase in problem.phases]
        numbers = [[*phase.taps, *[0] * (panels.taps - len(phase.taps))] for phase in problem.phases]
        self.is_plain = len(taps) == 1 and numbers[0] == list(range(taps[0]))
        if not self.is_plain:
            self.taps = code.constants("taps", taps)
            self.numbers = code.constants("numbers", [n for row in numbers for n in row])

    def panel(self, number: Index) -> None:
        """One panel of all."""
        code, cut = self.code, self.cut
        phase, group, block, sliver = code.split(number, self.panels.counts)
        channels = cut.region.channels
        first, column = code.mul(block, channels), code.mul(sliver, cut.tile.columns)
        wanted = (
            code.least(channels, code.sub(self.problem.depth, first)) if self.problem.depth % channels else channels
        )
        target = self.vectors.at(code.slot(1), code.mul(number, self.panels.step))

        def tap(index: Index) -> None:
            which: Index = index
            if not self.is_plain:
                which = code.entry(self.numbers, code.add(code.mul(phase, self.panels.taps), index))
            into = self.vectors.at(target, code.mul(index, channels * cut.tile.columns))
            last = self.problem.width % cut.tile.columns
            if last and cut.slivers > 1:
                with code.builder.if_else(code.equal(sliver, cut.slivers - 1)) as (partial, whole):
                    with partial:
                        self._tap(which, group, (first, wanted), (column, last), into)
                    with whole:
                        self._tap(which, group, (first, wanted), (column, cut.tile.columns), into)
            else:
                self._tap(which, group, (first, wanted), (column, last or cut.tile.columns), into)
            if wanted is not channels:
                rest = self.vectors.at(into, code.mul(wanted, cut.tile.columns))
                self.copier.clear(rest, code.mul(code.sub(channels, wanted), cut.tile.columns))

        code.repeat(self.panels.taps if self.is_plain else code.entry(self.taps, phase), tap)

    def _tap(
        self, tap: Index, group: Index, channels: tuple[Index, Index], columns: tuple[Index, int], into: object
    ) -> None:
        """One tap of a panel: some channels of the source by some of the target."""
        code, problem, tile = self.code, self.problem, self.cut.tile
        (first, wanted), (column, count) = channels, columns
        if problem.turned:
            row = code.add(code.mul(tap, problem.width), column)
            offset = code.add(code.mul(row, self.filters), code.add(code.mul(group, problem.depth), first))
            source = self.vectors.at(code.slot(0), offset)
            shape = packing.Shape(count, tile.columns, tile.lanes)
            packing.pack_columns(code, source, self.filters, into, shape, wanted, self.vectors.element)
            return
        row = code.add(code.mul(tap, problem.depth), first)
        offset = code.add(code.mul(row, self.filters), code.add(code.mul(group, problem.width), column))
        source = self.vectors.at(code.slot(0), offset)

        def channel(index: Index) -> None:
            line = self.vectors.at(source, code.mul(index, self.filters))
            there = self.vectors.at(into, code.mul(index, tile.columns))
            for v in range(tile.vectors):
                valid = max(0, min(tile.lanes, count - v * tile.lanes))
                here = self.vectors.at(line, v * tile.lanes)
                vector = self.vectors.load(here, 0, valid) if valid else self.vectors.zero
                self.vectors.store(vector, there, v * tile.lanes)

        code.repeat(wanted, channel)
