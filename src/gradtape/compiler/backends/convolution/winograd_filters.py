"""The transform of filters of 3x3 taps for Winograd's minimal filtering: 16 values, in the order in which tiles read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.convolution.winograd import VALUES, WinogradPanels, WinogradPlan, both_ways
from gradtape.compiler.backends.product import packing
from gradtape.compiler.backends.product.code import KERNEL, Index
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.codegen import ir


def emit(module: ir.Module, problem: Correlation, cut: WinogradPlan) -> tuple[ir.Function, int]:
    """A function of the table (filter, panels) that transforms the filter, and its number of chunks."""
    kernel = _Filter(ir.Function(module, KERNEL, "winograd_filter"), problem, cut)
    return kernel.code.function, kernel.emit()


class _Filter:
    """The transform of a filter under construction: G w G'."""

    def __init__(self, function: ir.Function, problem: Correlation, cut: WinogradPlan) -> None:
        self.code, self.problem, self.cut = ConvolutionCode(function), problem, cut
        self.vectors, self.lanes = Vectors(self.code, problem.dtype, cut.tile.lanes), cut.tile.lanes
        self.panels = WinogradPanels(problem, cut)

    def emit(self) -> int:
        """Emit the whole function; gives the number of chunks, one for each vector of columns."""
        code, chunk = self.code, self.code.function.args[1]
        count = self.problem.width // self.lanes
        sliver, vector = code.div(chunk, self.cut.tile.vectors), code.rem(chunk, self.cut.tile.vectors)
        offset = code.add(code.mul(sliver, self.panels.step), code.mul(vector, self.lanes))
        into, column = self.vectors.at(code.slot(1), offset), code.mul(chunk, self.lanes)
        (self._transform_turned if self.problem.turned else self._transform_plain)(column, into)
        code.builder.ret_void()
        return count

    def _transform_plain(self, column: Index, into: Any) -> None:
        """A filter `[taps, channels of the source, those of the target]`."""
        code, problem = self.code, self.problem

        def channel(index: Index) -> None:
            place = code.add(code.mul(index, problem.width), column)
            for value, vector in enumerate(self._values(place)):
                self._store(vector, into, code.mul(index, self.cut.tile.columns), value)

        code.repeat(problem.depth, channel)

    def _transform_turned(self, column: Index, into: Any) -> None:
        """A filter `[taps, channels of the target, those of the source]`: squares of vectors are transposed."""
        code, problem, lanes = self.code, self.problem, self.lanes
        square = self.vectors.room(VALUES * lanes * lanes)

        def block(first: Index, count: int) -> None:
            def row(index: Index) -> None:
                place = code.add(code.mul(code.add(column, index), problem.depth), first)
                for value, vector in enumerate(self._values(place, count)):
                    there = code.add(code.mul(index, lanes), value * lanes * lanes)
                    self.vectors.store(vector, square, there)

            def turn(value: Index) -> None:
                start = self.vectors.at(square, code.mul(value, lanes * lanes))
                rows = [self.vectors.load(start, i * lanes) for i in range(lanes)]
                target = self.vectors.at(into, code.mul(value, self.panels.value))
                for i, vector in enumerate(packing.transposed(code.builder, rows, 16 // problem.dtype.size)[:count]):
                    self._store(vector, target, code.mul(code.add(first, i), self.cut.tile.columns), 0)

            code.repeat(lanes, row)
            code.repeat(VALUES, turn)

        code.repeat(problem.depth // lanes, lambda index: block(code.mul(index, lanes), lanes))
        if problem.depth % lanes:
            block(problem.depth // lanes * lanes, problem.depth % lanes)

    def _values(self, place: Index, count: int | None = None) -> list[Any]:
        """The transform of the vectors at a place of each tap."""
        code, problem = self.code, self.problem
        step = problem.depth * problem.width
        taps = [
            self.vectors.load(code.slot(0), code.add(place, number * step), count or self.lanes)
            for number in problem.phases[0].taps
        ]
        return both_ways(code.builder, taps, 3, _filter_line)

    def _store(self, vector: Any, into: Any, offset: Index, value: int) -> None:
        code = self.code
        there = self.vectors.at(into, code.add(offset, value * self.panels.value))
        self.vectors.store(vector, there)


def _filter_line(builder: ir.IRBuilder, w: Sequence[Any]) -> list[Any]:
    half = ir.Constant(w[0].type, [0.5] * w[0].type.count)
    ends, middle = builder.fmul(builder.fadd(w[0], w[2]), half), builder.fmul(w[1], half)
    return [w[0], builder.fadd(ends, middle), builder.fsub(ends, middle), w[2]]
