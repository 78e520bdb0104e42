"""A function under construction, with tables: on the stack, and constant ones in the module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler.backends.product import code
from gradtape.compiler.backends.product.code import I64, Index
from gradtape.compiler.codegen import ir


class ConvolutionCode(code.ProductCode):
    """Instructions of one function."""

    def most(self, a: Index, b: Index) -> Index:
        """The larger of a and b."""
        if isinstance(a, int) and isinstance(b, int):
            return max(a, b)
        a, b = self.value(a), self.value(b)
        return self.builder.select(self.builder.icmp_signed(">", a, b), a, b)

    def entry(self, table: Any, index: Index) -> Any:
        """A number of a table."""
        return self.builder.load(self.at(table, index, I64), typ=I64)

    def enter(self, table: Any, index: Index, value: Index) -> None:
        """Write a number of a table."""
        self.builder.store(self.value(value), self.at(table, index, I64))

    def constants(self, name: str, numbers: Sequence[int]) -> Any:
        """The address of a table of known numbers."""
        kind = ir.ArrayType(I64, len(numbers))
        table = ir.GlobalVariable(self.module, kind, self.module.get_unique_name(name))
        table.linkage, table.global_constant = "internal", True
        table.initializer = ir.Constant(kind, list(numbers))
        return table

    def fill(
        self, table: Any, counts: Sequence[Index], steps: Sequence[int], start: Index = 0, more: Index = 0
    ) -> Index:
        """Write `start + index * step`, summed over axes, for all indices in order; gives the number of entries.

        Args:
          table: where to.
          counts: of each axis, the last one the quickest.
          steps: of each axis.
          start: added to all.
          more: how many further entries repeat the last one.
        """

        def along(axis: int, offset: Index, place: Index) -> Index:
            if axis == len(counts):
                self.enter(table, place, offset)
                return self.add(place, 1)

            def index(i: Index, state: Sequence[Any]) -> Sequence[Any]:
                here = self.add(offset, self.mul(i, steps[axis]))
                return [self.value(along(axis + 1, here, state[0]))]

            return self.fold(counts[axis], [self.value(place)], index)[0]

        end = along(0, start, 0)
        if not isinstance(more, int) or more:
            last = self.entry(table, self.sub(end, 1))
            self.repeat(more, lambda index: self.enter(table, self.add(end, index), last))
        return end

    def split(self, number: Index, lengths: Sequence[int]) -> list[Index]:
        """The index along each axis of a number that counts them all, the last one the quickest."""
        found = []
        for length in reversed(lengths[1:]):
            found.append(self.rem(number, length))
            number = self.div(number, length)
        return [number, *found[::-1]]
