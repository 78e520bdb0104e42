"""The kernel of a convolution: boxes of places, blocks of channels, slivers and tiles around the innermost loops."""

from __future__ import annotations

import math
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.copying import Copier, block_of
from gradtape.compiler.backends.convolution.filters import FilterPanels
from gradtape.compiler.backends.convolution.output import ListedRows, Rows
from gradtape.compiler.backends.convolution.place import PlaceBox, find
from gradtape.compiler.backends.convolution.plan import ConvolutionPlan
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.convolution.tile import Accumulators
from gradtape.compiler.backends.product.code import I64, KERNEL, Index
from gradtape.compiler.backends.product.epilogue import EmitEpilogue
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.codegen import ir

SOURCE, PANELS = 0, 1


def emit(
    module: ir.Module, problem: Correlation, cut: ConvolutionPlan, epilogue: EmitEpilogue | None
) -> tuple[ir.Function, int]:
    """A function of the table (source, panels of the filter, target, ...) that convolves, and its number of chunks."""
    kernel = _ConvolutionKernel(ir.Function(module, KERNEL, "convolve"), problem, cut, epilogue)
    kernel.emit()
    return kernel.code.function, kernel.chunks


class _ConvolutionKernel:
    """A kernel under construction. Offsets are in elements."""

    def __init__(
        self, function: ir.Function, problem: Correlation, cut: ConvolutionPlan, epilogue: EmitEpilogue | None
    ) -> None:
        self.code, self.problem, self.cut = ConvolutionCode(function), problem, cut
        code, dtype, groups = self.code, problem.dtype, problem.groups
        self.vectors = Vectors(code, dtype, cut.tile.lanes)
        self.panels = FilterPanels(problem, cut)
        self.copier = Copier(self.vectors)
        self.region = self.vectors.room(cut.region.size)
        # The last tile of a box may have rows that the box has not.
        length = cut.boxes.places + cut.tile.rows
        self.rows = code.stack(I64, length)
        whole = cut.tile.rows * cut.tile.columns
        self.sums = self.vectors.room(cut.tiles * cut.share * whole) if cut.blocks > 1 else None
        self.targets = None if problem.contiguous else code.stack(I64, length)
        self.output: Rows | ListedRows
        if self.targets is None:
            self.output = Rows(code, problem, cut.tile, epilogue)
        else:
            self.output = ListedRows(self.vectors, problem, cut.tile, self.targets, epilogue)
        self.counts = (len(problem.phases), groups, cut.boxes.count, cut.parts)
        self.chunks = math.prod(self.counts)

    def emit(self) -> None:
        """Emit the whole function."""
        code = self.code
        self.phase, self.group, box, part = code.split(code.function.args[1], self.counts)
        place = find(code, self.problem, self.cut.boxes, self.phase, box)
        first = code.mul(part, self.cut.share)
        share = code.least(self.cut.share, code.sub(self.cut.slivers, first))
        if self.problem.contiguous:
            self._box(place, first, share)
        else:
            # Some phases have fewer places than others.
            with code.builder.if_then(code.builder.icmp_signed(">", code.value(place.total), I64(0))):
                self._box(place, first, share)
        code.builder.ret_void()

    def _box(self, place: PlaceBox, first: Index, share: Index) -> None:
        """All tiles of a box."""
        code, problem, cut = self.code, self.problem, self.cut
        more = cut.tile.rows
        code.fill(self.rows, place.counts, cut.region.moves(problem.strides), 0, more)
        if isinstance(self.output, ListedRows):
            code.fill(self.targets, place.counts, *place.targets(code, problem, self.output.unit), more)
        tiles = code.div(code.add(place.total, cut.tile.rows - 1), cut.tile.rows)

        def block(number: Index) -> None:
            source = block_of(self.vectors, problem, cut.region, SOURCE, self.group, number)
            self.copier.fill(self.region, cut.region, source, place)
            code.repeat(share, lambda index: self._sliver(place, (number, first, index), tiles))

        code.repeat(cut.blocks, block)

    def _sliver(self, place: PlaceBox, numbers: tuple[Index, Index, Index], tiles: Index) -> None:
        """All tiles of some columns."""
        code, cut = self.code, self.cut
        block, first, index = numbers
        sliver = code.add(first, index)
        offset = self.panels.place(code, self.phase, self.group, block, sliver)
        panel = self.vectors.at(code.slot(PANELS), offset)
        column = code.mul(sliver, cut.tile.columns)

        def tile(number: Index) -> None:
            self._tile(place, block, (code.add(code.mul(index, cut.tiles), number), number), (panel, column))

        code.repeat(tiles, tile)

    def _tile(self, place: PlaceBox, block: Index, numbers: tuple[Index, Index], side: tuple[Any, Index]) -> None:
        """One tile: what is summed up so far, this block of channels, and the result if it is the last one."""
        code, cut, problem = self.code, self.cut, self.problem
        panel, column = side
        first = code.mul(numbers[1], cut.tile.rows)
        offsets = [code.entry(self.rows, code.add(first, r)) for r in range(cut.tile.rows)]
        tile = Accumulators(self.vectors, cut.tile, offsets)
        steps = cut.region.steps[1:]
        axes = [(k, n * d) for k, n, d in zip(place.window, steps, problem.dilations, strict=True)]
        run: Index = cut.region.channels
        if problem.dilations[-1] == 1:
            run = code.mul(axes.pop()[0], run)
        start = [self.vectors.zero] * (cut.tile.rows * cut.tile.vectors)
        if cut.blocks == 1:
            self._write(tile.along_runs(self.region, panel, axes, run, start), place, first, column)
            return
        sums = self.vectors.at(self.sums, code.mul(numbers[0], cut.tile.rows * cut.tile.columns))
        result = tile.along_runs(self.region, panel, axes, run, self.vectors.resume(sums, start, block))
        with code.builder.if_else(code.equal(block, cut.blocks - 1)) as (last, more):
            with last:
                self._write(result, place, first, column)
            with more:
                self.vectors.keep(result, sums)

    def _write(self, values: list[Any], place: PlaceBox, first: Index, column: Index) -> None:
        code, output, total, width = self.code, self.output, self.problem.width, self.cut.tile.columns
        if isinstance(output, Rows):
            row = code.add(place.row(code, self.problem), first), code.sub(place.total, first)
            output.write(values, self.group, row, column)
            return
        last, channel = total % width, code.add(code.mul(self.group, total), column)
        if not last or total < width:
            output.write(values, first, channel, last or width)
            return
        with code.builder.if_else(code.equal(column, total - last)) as (partial, whole):
            with partial:
                output.write(values, first, channel, last)
            with whole:
                output.write(values, first, channel, width)
