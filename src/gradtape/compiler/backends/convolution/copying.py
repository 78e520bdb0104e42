"""Copies of the windows' inputs, with zeros outside the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.place import PlaceBox
from gradtape.compiler.backends.convolution.plan import Region
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import I64, POINTER, VOID, Index
from gradtape.compiler.codegen import ir
from gradtape.core.dtypes import DType
from gradtape.core.patterns.convolution import Sizes


@dataclass(frozen=True)
class CopySource:
    """An array `[n, *size, channels]`, of which some channels are wanted.

    Attributes:
      pointer: the first of the wanted channels of the first position.
      size: positions per axis.
      channels: of all groups.
      wanted: how many channels of the region to fill; the others get zeros.
      repeated: how often each channel stands in the region.
    """

    pointer: Any
    size: Sizes
    channels: int
    wanted: Index
    repeated: int = 1


def block_of(
    code: ConvolutionCode, problem: Correlation, region: Region, slot: int, group: Index, block: Index
) -> CopySource:
    """A block of a group's channels, as many as a region has; the last one may have fewer."""
    first, wanted = code.mul(block, region.channels), region.channels
    if problem.depth % region.channels:
        wanted = code.least(wanted, code.sub(problem.depth, first))
    offset = code.add(code.mul(group, problem.depth), first)
    pointer = code.at(code.slot(slot), offset, memory.element_type(problem.dtype))
    return CopySource(pointer, problem.size, problem.groups * problem.depth, wanted)


class Copier:
    """Emits copies into regions of memory; the functions that copy runs of elements are emitted once for a module."""

    def __init__(self, module: ir.Module, dtype: DType, lanes: int) -> None:
        self._dtype, self._lanes = dtype, lanes
        self._element = memory.element_type(dtype)
        self._copy = self._emit_run(module, "copy", True)
        self._clear = self._emit_run(module, "clear", False)

    def fill(self, code: ConvolutionCode, target: Any, region: Region, source: CopySource, place: PlaceBox) -> None:
        """Emit the copy of a region.

        Args:
          code: the function under construction.
          target: memory for the region.
          region: its lengths.
          source: where it comes from.
          place: the box that sees the region.
        """
        origin, steps = place.origin, region.steps
        size = source.channels
        strides = [size]
        for n in reversed(source.size):
            size *= n
            strides.append(size)
        strides.reverse()

        def along(axis: int, into: Any, offset: Index) -> None:
            if axis == len(region.extents):
                self._line(code, region, source, (into, offset), origin)
                return

            def index(q: Index) -> None:
                position = code.add(origin[axis - 1], q)
                here = code.at(into, code.mul(q, steps[axis]), self._element)
                inside = code.builder.icmp_unsigned("<", code.value(position), I64(source.size[axis - 1]))
                with code.builder.if_else(inside) as (then, otherwise):
                    with then:
                        along(axis + 1, here, code.add(offset, code.mul(position, strides[axis])))
                    with otherwise:
                        self.clear(code, here, steps[axis])

            code.repeat(region.extents[axis - 1], index)

        def example(number: Index) -> None:
            into = code.at(target, code.mul(number, steps[0]), self._element)
            along(1, into, code.mul(code.add(place.starts[0], number), strides[0]))

        code.repeat(place.counts[0], example)

    def clear(self, code: ConvolutionCode, target: Any, count: Index) -> None:
        """Emit zeros."""
        code.builder.call(self._clear, [target, target, code.value(count)])

    def copy(self, code: ConvolutionCode, target: Any, source: Any, count: Index) -> None:
        """Emit a copy of elements that lie side by side."""
        code.builder.call(self._copy, [target, source, code.value(count)])

    def _line(
        self,
        code: ConvolutionCode,
        region: Region,
        source: CopySource,
        place: tuple[Any, Index],
        origin: Sequence[Index],
    ) -> None:
        """The positions of the last axis."""
        into, offset = place
        extent, begin, length = region.extents[-1], origin[-1], source.size[-1]
        # How many positions lie before the source, and how many before its end.
        before = code.least(code.most(code.sub(0, begin), 0), extent)
        until = code.least(code.most(code.sub(length, begin), before), extent)
        whole = (
            source.repeated == 1
            and isinstance(source.wanted, int)
            and source.wanted == source.channels == region.channels
        )
        self.clear(code, into, code.mul(before, region.channels))
        start = code.at(into, code.mul(before, region.channels), self._element)
        offset = code.add(offset, code.mul(code.add(begin, before), source.channels))
        found = code.at(source.pointer, offset, self._element)
        count = code.sub(until, before)
        if whole:
            self.copy(code, start, found, code.mul(count, region.channels))
        else:
            self._strided(code, region, source, (start, found), count)
        rest = code.at(into, code.mul(until, region.channels), self._element)
        self.clear(code, rest, code.mul(code.sub(extent, until), region.channels))

    def _strided(
        self, code: ConvolutionCode, region: Region, source: CopySource, place: tuple[Any, Any], count: Index
    ) -> None:
        """Positions of which some channels are wanted."""

        def position(index: Index) -> None:
            into = code.at(place[0], code.mul(index, region.channels), self._element)
            found = code.at(place[1], code.mul(index, source.channels), self._element)
            if source.repeated == 1:
                self.copy(code, into, found, source.wanted)
            else:
                self._repeat(code, into, found, source)
            if not isinstance(source.wanted, int) or source.wanted < region.channels:
                rest = code.at(into, source.wanted, self._element)
                self.clear(code, rest, code.sub(region.channels, source.wanted))

        code.repeat(count, position)

    def _repeat(self, code: ConvolutionCode, into: Any, found: Any, source: CopySource) -> None:
        """The channels of a position, each several times."""
        size = self._dtype.size

        def channel(index: Index) -> None:
            value = code.builder.load(code.at(found, index, self._element), align=size, typ=self._element)
            there = code.at(into, code.mul(index, source.repeated), self._element)
            for i in range(source.repeated):
                code.builder.store(value, code.at(there, i, self._element), align=size)

        code.repeat(code.div(source.wanted, source.repeated), channel)

    def _emit_run(self, module: ir.Module, name: str, copies: bool) -> ir.Function:
        """`run(target, source, count)`: copy elements, or write zeros."""
        function = ir.Function(module, ir.FunctionType(VOID, [POINTER, POINTER, I64]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        code, size = ConvolutionCode(function), self._dtype.size
        target, source, count = function.args

        def move(offset: Index, kind: ir.Type) -> None:
            value: Any = ir.Constant(kind, None if isinstance(kind, ir.VectorType) else 0.0)
            if copies:
                value = code.builder.load(code.at(source, offset, self._element), align=size, typ=kind)
            code.builder.store(value, code.at(target, offset, self._element), align=size)

        vector = ir.VectorType(self._element, self._lanes)
        whole = code.div(count, self._lanes)
        code.repeat(whole, lambda index: move(code.mul(index, self._lanes), vector))
        done = code.mul(whole, self._lanes)
        code.repeat(code.sub(count, done), lambda index: move(code.add(done, index), self._element))
        code.builder.ret_void()
        return function
