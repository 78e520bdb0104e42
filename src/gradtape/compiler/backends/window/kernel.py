"""The kernel of pooling: rows in chunks, and for each element of a row a loop over its window, or over the windows that cover it.

Axes that windows do not move over are one axis in front, and one behind, along which there are vectors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.product.code import KERNEL, Index
from gradtape.compiler.backends.product.epilogue import EmitEpilogue, Finish, Frame, Spot
from gradtape.compiler.backends.product.memory import pieces
from gradtape.compiler.backends.window.axis import Range, WindowAxis
from gradtape.compiler.backends.window.body import Maximum, Mean, Types, VectorGroup, WindowBody
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import CHUNK
from gradtape.compiler.codegen.simd.machine import computed, host
from gradtape.core.patterns.pooling import Pool, Sizes

_UNROLLED = 16  # taps that are written one after the other instead of as loops


@dataclass(frozen=True)
class WindowPlan:
    """Pooling with axes merged.

    Attributes:
      lead: indices of the axes in front.
      axes: those that windows move over, and what lies between.
      inner: elements of the axes behind.
      back: True if there is a result for each position, False if for each place.
    """

    lead: int
    axes: tuple[WindowAxis, ...]
    inner: int
    back: bool

    @property
    def target(self) -> Sizes:
        """The lengths of the axes in the result."""
        return tuple([a.size if self.back else a.out for a in self.axes])

    @property
    def visited(self) -> int:
        """Elements of an index of the axes in front, of the array that is visited."""
        return math.prod([a.out if self.back else a.size for a in self.axes]) * self.inner


def plan(pool: Pool) -> WindowPlan | None:
    """The axes of pooling; None if windows do not move, or if places on the way back are no plain ranges."""
    back, (begin, end) = pool.is_backward, pool.moving
    if begin == end:
        return None
    inner, each, axes = math.prod(pool.size[end:]), 1, []
    step = inner
    for i in reversed(range(begin, end)):
        fields = (pool.size[i], pool.out[i], pool.window[i], pool.starts[i], pool.strides[i], pool.dilations[i])
        axes.append(WindowAxis(*fields, step, each))
        step *= pool.out[i] if back else pool.size[i]
        each *= pool.window[i]
    found = WindowPlan(math.prod(pool.size[:begin]), tuple(axes[::-1]), inner, back)
    return None if back and not all(axis.is_simple for axis in axes) else found


def emit(
    module: ir.Module,
    cut: WindowPlan,
    body: type[WindowBody],
    types: Types,
    uncounted: int = 1,
    epilogue: EmitEpilogue | None = None,
) -> tuple[ir.Function, int]:
    """A function of the table that a body knows, and its number of chunks.

    Args:
      module: where it goes.
      cut: the axes.
      body: what is computed.
      types: of the arrays.
      uncounted: of the indices in front, so many do not count for positions.
      epilogue: what is done with the result, a matrix of elements by what lies behind.
    """
    kernel = _WindowKernel(ir.Function(module, KERNEL, "pool"), cut, body, types, uncounted, epilogue)
    kernel.emit()
    return kernel.code.function, kernel.chunks


class _WindowKernel:
    """A kernel under construction."""

    def __init__(
        self,
        function: ir.Function,
        cut: WindowPlan,
        body: type[WindowBody],
        types: Types,
        uncounted: int,
        epilogue: EmitEpilogue | None,
    ) -> None:
        self.code, self.cut, self.body, self.types = ConvolutionCode(function), cut, body, types
        self.uncounted, self.epilogue = uncounted, epilogue
        matrix = (cut.lead * math.prod(cut.target), cut.inner)
        self.frame = Frame(types.result, body.operands - 1, matrix, (0, cut.inner), 0)
        self.rows = cut.lead * math.prod(cut.target[:-1])
        work = cut.target[-1] * cut.inner * (1 if cut.back else math.prod([a.window for a in cut.axes]))
        self.each = max(1, CHUNK // work)
        self.chunks = -(-self.rows // self.each)
        sizes = [computed(types.values).size, types.result.size, 4 if body is not Maximum and body is not Mean else 1]
        self.lanes = host().lanes(max(sizes))

    def emit(self) -> None:
        """Emit the whole function."""
        code = self.code
        first = code.mul(code.function.args[1], self.each)
        code.repeat(code.least(self.each, code.sub(self.rows, first)), lambda i: self._row(code.add(first, i)))
        code.builder.ret_void()

    def _row(self, row: Index) -> None:
        """All elements along the last of the axes."""
        code, cut = self.code, self.cut
        lead, *at = code.split(row, (cut.lead, *cut.target[:-1]))
        outer = [self._range(axis, place) for axis, place in zip(cut.axes, at, strict=False)]
        counted = cut.lead // self.uncounted
        dropped = code.mul(code.sub(lead, code.rem(lead, counted)), cut.visited)

        def element(index: Index) -> None:
            number = code.add(code.mul(row, cut.target[-1]), index)
            self._element(lead, number, [*outer, self._range(cut.axes[-1], index)], dropped)

        code.repeat(cut.target[-1], element)

    def _range(self, axis: WindowAxis, index: Index) -> Range:
        if self.cut.back:
            return axis.places(self.code, index)
        return (axis.all_taps if self.body.sees_all else axis.taps)(self.code, index)

    def _element(self, lead: Index, number: Index, ranges: Sequence[Range], dropped: Index) -> None:
        """All vectors of one element of the result."""
        code, cut = self.code, self.cut
        source, tap, seen = code.mul(lead, cut.visited), 0, 1
        for part in ranges:
            source, tap = code.add(source, part.offset), code.add(tap, part.number)
            seen = code.mul(seen, part.count)
        for first, width, group, count in pieces(cut.inner, self.lanes):

            def vectors(index: Index, first: int = first, width: int = width, group: int = group) -> None:
                along = code.add(first, code.mul(index, width * group))
                target = code.add(code.mul(number, cut.inner), along)
                finish = Finish(self.frame, self.epilogue, width)
                spot = Spot(0, number, along)
                body = self.body(code, self.types, VectorGroup(width, group, target, tap, seen, dropped, spot, finish))
                body.finish(self._visit(body, ranges, (code.add(source, along), tap), body.start()))

            code.repeat(count, vectors)

    def _visit(
        self, body: WindowBody, ranges: Sequence[Range], place: tuple[Index, Index], values: list[Any]
    ) -> list[Any]:
        """The values after all taps."""
        code = self.code
        counts = [part.count for part in ranges]
        known = all(isinstance(count, int) for count in counts) and math.prod(counts) <= _UNROLLED

        def along(axis: int, offset: Index, tap: Index, seen: Index, state: Sequence[Any]) -> list[Any]:
            if axis == len(ranges):
                return body.visit(offset, tap, seen, list(state))
            part = ranges[axis]

            def step(index: Index, state: Sequence[Any]) -> Sequence[Any]:
                here = code.add(offset, code.mul(index, part.step))
                count = seen
                if body.counts:
                    visited = code.add(part.place, code.mul(index, part.apart))
                    count = code.mul(seen, self.cut.axes[axis].seen(code, visited)[1])
                return along(axis + 1, here, code.add(tap, code.mul(index, part.move)), count, state)

            if known:
                for index in range(part.count):
                    state = step(index, state)
                return list(state)
            return list(code.fold(part.count, state, step))

        return along(0, place[0], place[1], 1, values)
