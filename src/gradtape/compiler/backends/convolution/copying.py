"""Copies of the windows' inputs, with zeros outside the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.place import PlaceBox
from gradtape.compiler.backends.convolution.plan import Region
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product.code import I64, POINTER, VOID, Index
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.codegen import ir
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
    vectors: Vectors, problem: Correlation, region: Region, slot: int, group: Index, block: Index
) -> CopySource:
    """A block of a group's channels, as many as a region has; the last one may have fewer."""
    code = vectors.code
    first, wanted = code.mul(block, region.channels), region.channels
    if problem.depth % region.channels:
        wanted = code.least(wanted, code.sub(problem.depth, first))
    offset = code.add(code.mul(group, problem.depth), first)
    pointer = vectors.at(code.slot(slot), offset)
    return CopySource(pointer, problem.size, problem.groups * problem.depth, wanted)


class Copier:
    """Emits copies into regions of memory; the functions that copy runs of elements are emitted once for a module."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors, self._code = vectors, vectors.code
        self._copy = self._emit_run("copy", True)
        self._clear = self._emit_run("clear", False)

    def fill(self, target: Any, region: Region, source: CopySource, place: PlaceBox) -> None:
        """Emit the copy of a region.

        Args:
          target: memory for the region.
          region: its lengths.
          source: where it comes from.
          place: the box that sees the region.
        """
        code: Any = self._code
        origin, steps = place.origin, region.steps
        size = source.channels
        strides = [size]
        for n in reversed(source.size):
            size *= n
            strides.append(size)
        strides.reverse()

        def along(axis: int, into: Any, offset: Index) -> None:
            if axis == len(region.extents):
                self._line(region, source, (into, offset), origin)
                return

            def index(q: Index) -> None:
                position = code.add(origin[axis - 1], q)
                here = self.vectors.at(into, code.mul(q, steps[axis]))
                inside = code.builder.icmp_unsigned("<", code.value(position), I64(source.size[axis - 1]))
                with code.builder.if_else(inside) as (then, otherwise):
                    with then:
                        along(axis + 1, here, code.add(offset, code.mul(position, strides[axis])))
                    with otherwise:
                        self.clear(here, steps[axis])

            code.repeat(region.extents[axis - 1], index)

        def example(number: Index) -> None:
            into = self.vectors.at(target, code.mul(number, steps[0]))
            along(1, into, code.mul(code.add(place.starts[0], number), strides[0]))

        code.repeat(place.counts[0], example)

    def clear(self, target: Any, count: Index) -> None:
        """Emit zeros."""
        self._code.builder.call(self._clear, [target, target, self._code.value(count)])

    def copy(self, target: Any, source: Any, count: Index) -> None:
        """Emit a copy of elements that lie side by side."""
        self._code.builder.call(self._copy, [target, source, self._code.value(count)])

    def _line(self, region: Region, source: CopySource, place: tuple[Any, Index], origin: Sequence[Index]) -> None:
        """The positions of the last axis."""
        code: Any = self._code
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
        self.clear(into, code.mul(before, region.channels))
        start = self.vectors.at(into, code.mul(before, region.channels))
        offset = code.add(offset, code.mul(code.add(begin, before), source.channels))
        found = self.vectors.at(source.pointer, offset)
        count = code.sub(until, before)
        if whole:
            self.copy(start, found, code.mul(count, region.channels))
        else:
            self._copy_strided(region, source, (start, found), count)
        rest = self.vectors.at(into, code.mul(until, region.channels))
        self.clear(rest, code.mul(code.sub(extent, until), region.channels))

    def _copy_strided(self, region: Region, source: CopySource, place: tuple[Any, Any], count: Index) -> None:
        """Positions of which some channels are wanted."""
        code = self._code

        def position(index: Index) -> None:
            into = self.vectors.at(place[0], code.mul(index, region.channels))
            found = self.vectors.at(place[1], code.mul(index, source.channels))
            if source.repeated == 1:
                self.copy(into, found, source.wanted)
            else:
                self._repeat(into, found, source)
            if not isinstance(source.wanted, int) or source.wanted < region.channels:
                rest = self.vectors.at(into, source.wanted)
                self.clear(rest, code.sub(region.channels, source.wanted))

        code.repeat(count, position)

    def _repeat(self, into: Any, found: Any, source: CopySource) -> None:
        """The channels of a position, each several times."""
        code, size, kind = self._code, self.vectors.dtype.size, self.vectors.element

        def channel(index: Index) -> None:
            value = code.builder.load(self.vectors.at(found, index), align=size, typ=kind)
            there = self.vectors.at(into, code.mul(index, source.repeated))
            for i in range(source.repeated):
                code.builder.store(value, self.vectors.at(there, i), align=size)

        code.repeat(code.div(source.wanted, source.repeated), channel)

    def _emit_run(self, name: str, copies: bool) -> ir.Function:
        """`run(target, source, count)`: copy elements, or write zeros."""
        function = ir.Function(self._code.module, ir.FunctionType(VOID, [POINTER, POINTER, I64]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        code, lanes, size = ConvolutionCode(function), self.vectors.lanes, self.vectors.dtype.size
        own = Vectors(code, self.vectors.dtype, lanes)
        target, source, count = function.args

        def move(offset: Index, kind: ir.Type) -> None:
            value: Any = ir.Constant(kind, None if isinstance(kind, ir.VectorType) else 0.0)
            if copies:
                value = code.builder.load(own.at(source, offset), align=size, typ=kind)
            code.builder.store(value, own.at(target, offset), align=size)

        whole = code.div(count, lanes)
        code.repeat(whole, lambda index: move(code.mul(index, lanes), own.type))
        done = code.mul(whole, lanes)
        code.repeat(code.sub(count, done), lambda index: move(code.add(done, index), own.element))
        code.builder.ret_void()
        return function
