"""Body: the instructions of a nest under construction. It is an emitter, on which the `scalar` rules of ops are replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gradtape.compiler.nest.description import Access, Dim, Instruction, Nest, Store, is_inside
from gradtape.core import dtypes
from gradtape.core.dtypes import DType
from gradtape.core.patterns.movement import packed

_MASKS = ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isfinite")


class NestValue:
    """A value of a body."""

    __slots__ = ("dtype", "number")

    def __init__(self, number: int, dtype: DType) -> None:
        self.number, self.dtype = number, dtype


class NestBuilder:
    """Writes down what it is asked for; equal instructions are written once.

    Attributes:
      axes: their sizes.
    """

    def __init__(self, axes: Iterable[int]) -> None:
        self.axes = tuple(axes)
        self._instructions: list[Instruction] = []
        self._seen: dict[Instruction, int] = {}
        self._stores: list[Store] = []

    def nest(self) -> Nest:
        """What was written."""
        return Nest(self.axes, tuple(self._instructions), tuple(self._stores))

    def load(self, slot: int, dtype: DType, index: Sequence[Dim], fill: str | None = None) -> NestValue:
        """An element of an input."""
        lookups = tuple([dim.lookup for dim in index if dim.lookup >= 0])
        return self._write(Instruction("load", dtype, lookups, Access(slot, self.bare(index), fill)))

    def store(self, slot: int, index: Sequence[Dim], value: NestValue) -> None:
        """Write a value to an output."""
        self._stores.append(Store(Access(slot, self.bare(index)), value.number))

    def inside(self, index: Sequence[Dim]) -> NestValue:
        """Whether an index is in bounds."""
        return self._write(Instruction("inside", dtypes.bool_, access=Access(-1, self.bare(index), "")))

    def index(self, dim: Dim) -> NestValue:
        """An index, as int32."""
        return self._write(Instruction("index", dtypes.int32, access=Access(-1, self.bare((dim,)))))

    def reduce(self, join: str, x: NestValue, axes: Sequence[int], dtype: DType | None = None) -> NestValue:
        """A value reduced over axes, if there are any, rounded to a dtype."""
        if not axes:
            return x if dtype in (None, x.dtype) else self.cast(x, dtype)
        return self._write(Instruction(join, dtype or x.dtype, (x.number,), axes=tuple(axes)))

    def require(self, mask: NestValue) -> None:
        """Say that the input is an error where a mask is false."""
        self._write(Instruction("require", dtypes.bool_, (mask.number,)))

    def constant(self, value: Any, like: NestValue) -> NestValue:
        """A number in the dtype of another value."""
        return self.splat(value, like.dtype)

    def splat(self, value: Any, dtype: DType) -> NestValue:
        """A number in a dtype."""
        return self.number(repr(np.asarray(value).item()), dtype)

    def number(self, text: str, dtype: DType) -> NestValue:
        """A number that is given as text."""
        return self._write(Instruction("const", dtype, extra=text))

    def dtype(self, x: NestValue) -> DType:
        """The dtype of a value."""
        return x.dtype

    def cast(self, x: NestValue, dtype: Any) -> NestValue:
        """A value in another dtype."""
        return self._write(Instruction("cast", dtypes.as_dtype(dtype), (x.number,)))

    def select(self, mask: NestValue, a: NestValue, b: NestValue) -> NestValue:
        """a where the mask is true, else b."""
        return self._write(Instruction("select", a.dtype, (mask.number, a.number, b.number)))

    def __getattr__(self, name: str) -> Callable[..., NestValue]:
        if name.startswith("_"):
            raise AttributeError(name)

        def method(*values: NestValue) -> NestValue:
            dtype = dtypes.bool_ if name in _MASKS else values[0].dtype
            return self._write(Instruction(name, dtype, tuple([v.number for v in values])))

        return method

    def _write(self, instruction: Instruction) -> NestValue:
        """The value of an instruction."""
        number = self._seen.setdefault(instruction, len(self._instructions))
        if number == len(self._instructions):
            self._instructions.append(instruction)
        return NestValue(number, instruction.dtype)

    def bare(self, index: Sequence[Dim]) -> tuple[Dim, ...]:
        """An index without terms that are always zero."""
        return tuple(
            [dim._replace(terms=tuple([(a, c) for a, c in dim.terms if c and self.axes[a] != 1])) for dim in index]
        )


def strided(shape: Sequence[int], axes: Sequence[int], offset: int, strides: Iterable[tuple[int, int]]) -> list[Dim]:
    """The index of an array of a shape by strides, (axis, elements), and an offset: along its dimensions where they can be told
    apart, else along the array as one dimension."""
    total = 1
    for d in shape:
        total *= d
    merged: dict[int, int] = {}
    for axis, stride in strides:
        if axes[axis] != 1 and stride:
            merged[axis] = merged.get(axis, 0) + stride
    flat = [Dim(total, offset, tuple(sorted(merged.items())))]
    dims: list[tuple[int, int, list[tuple[int, int]]]] = []
    rest = offset
    for size, unit in zip(shape, packed(shape), strict=True):
        dims.append((size, rest // unit if unit else 0, []))
        rest -= rest // unit * unit if unit else 0
    for axis, stride in merged.items():
        fitting = [d for d, unit in enumerate(packed(shape)) if shape[d] > 1 and stride % unit == 0]
        if not fitting:
            return flat
        dims[fitting[0]][2].append((axis, stride // packed(shape)[fitting[0]]))
    found = [Dim(size, start, tuple(sorted(terms))) for size, start, terms in dims]
    return found if all(is_inside(dim, axes) for dim in found) else flat
