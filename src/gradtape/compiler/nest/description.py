"""Nest: what a kernel computes, as plain data that people can read, tests can run, and a second target could emit.

A nest has axes, instructions and stores. The instructions are one list in which every value is made once: loads, scalar operations, reductions. Each has
a *domain*, the axes that its value depends on; a reduction removes its axes from the domain. That is all that distinguishes elementwise kernels from
rows, products, convolutions, pooling and copies: `kind` reads it off, so it cannot contradict the instructions.

An index is affine in the axes. Padding is not stored: it is what an access reads where its index is out of bounds.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

from gradtape.core.dtypes import DType

REDUCTIONS = ("sum", "prod", "max", "maximum", "minimum", "any", "all")
# Instructions that compute nothing.
SOURCES = ("load", "inside", "index", "const")


class Dim(NamedTuple):
    """The index along one dimension: (offset + sum of coefficient * axis) / step, or a value that was loaded.

    Attributes:
      size: of the dimension.
      offset: where it begins.
      terms: (axis, coefficient), by axis.
      step: more than 1 where only every so many-th place exists, as in the input gradient of a strided convolution.
      lookup: number of the instruction whose value is the index, of a gather; -1 for none.
    """

    size: int
    offset: int = 0
    terms: tuple[tuple[int, int], ...] = ()
    step: int = 1
    lookup: int = -1


class Access(NamedTuple):
    """Where an array is read or written.

    Attributes:
      slot: number of the node's input or output; -1 for no array, of an index alone.
      dims: the index along each dimension. The sizes need not be the array's shape, only as many elements: a reshape is free.
      fill: what is read where the index is out of bounds, as text; None if it never is.
    """

    slot: int
    dims: tuple[Dim, ...]
    fill: str | None = None


class Instruction(NamedTuple):
    """How one value is made.

    Attributes:
      op: "load"; "inside", whether an index is in bounds; "index", the index itself; "const"; "require", where a false operand is an error;
        one of REDUCTIONS; or a method of the `Emitter` protocol (`core/scalar_emitter.py`).
      dtype: of the value.
      operands: numbers of earlier instructions; of a "load", those that its index looks up.
      access: of "load", "inside" and "index".
      axes: that a reduction removes.
      extra: the text of a constant; 0.0 and -0.0 are equal and not the same.
    """

    op: str
    dtype: DType
    operands: tuple[int, ...] = ()
    access: Access | None = None
    axes: tuple[int, ...] = ()
    extra: str = ""


class Store(NamedTuple):
    """A value that is written to an output, or to a part of one."""

    access: Access
    value: int


class Nest(NamedTuple):
    """A kernel.

    Attributes:
      axes: their sizes.
      instructions: in order.
      stores: of their values; several may write parts of one output.
    """

    axes: tuple[int, ...]
    instructions: tuple[Instruction, ...]
    stores: tuple[Store, ...]

    @property
    def domains(self) -> tuple[frozenset[int], ...]:
        """For each instruction, the axes that its value depends on."""
        return _domains(self)

    @property
    def reduced(self) -> frozenset[int]:
        """The axes that some instruction reduces over."""
        return frozenset([a for i in self.instructions for a in i.axes])

    @property
    def stored(self) -> frozenset[int]:
        """The axes along which results are stored. One that is also reduced over is along a row, and takes several passes."""
        return frozenset().union(*[axes_of(store.access.dims) for store in self.stores])

    def work(self) -> int:
        """How many scalar operations it takes; nothing is counted for moving data."""
        domains, total = self.domains, 0
        for number, instruction in enumerate(self.instructions):
            if instruction.op in (*SOURCES, "cast", "require"):
                continue
            over = domains[number] | frozenset(instruction.axes)
            total += math.prod([self.axes[a] for a in over])
        return total


@functools.lru_cache(maxsize=256)
def _domains(nest: Nest) -> tuple[frozenset[int], ...]:
    found: list[frozenset[int]] = []
    for instruction in nest.instructions:
        own = frozenset() if instruction.access is None else axes_of(instruction.access.dims)
        found.append(own.union(*[found[i] for i in instruction.operands]) - frozenset(instruction.axes))
    return tuple(found)


def axes_of(index: Sequence[Dim]) -> frozenset[int]:
    """The axes that an index depends on."""
    return frozenset([axis for dim in index for axis, _ in dim.terms])


def reach(dim: Dim, axes: Sequence[int]) -> tuple[int, int]:
    """The smallest and the largest value of an index, before it is divided by its step."""
    ends = [c * (axes[a] - 1) for a, c in dim.terms]
    return dim.offset + sum([e for e in ends if e < 0]), dim.offset + sum([e for e in ends if e > 0])


def is_inside(dim: Dim, axes: Sequence[int]) -> bool:
    """True if an index never leaves its dimension, or is looked up: then kernels check it."""
    low, high = reach(dim, axes)
    return dim.lookup >= 0 or (dim.step == 1 and low >= 0 and high < dim.size)


def kind(nest: Nest) -> str:
    """What sort of kernel a nest is: a name for people."""
    windows = _window_axes(nest)
    if any(_is_contraction(nest, i) for i in nest.instructions):
        return "convolution" if windows & nest.reduced else "product"
    if nest.reduced:
        if nest.reduced & nest.stored:
            return "rows"
        return "window" if windows & nest.reduced else "reduction"
    if any(dim.lookup >= 0 for i in nest.instructions if i.access is not None for dim in i.access.dims):
        return "gather"
    return "movement" if all(i.op in ("load", "const") for i in nest.instructions) else "pointwise"


def _is_contraction(nest: Nest, instruction: Instruction) -> bool:
    """True for a sum of products whose factors both vary along what is summed, and which is not the square of one."""
    if instruction.op != "sum":
        return False
    factors = nest.instructions[instruction.operands[0]]
    if factors.op != "mul" or factors.operands[0] == factors.operands[1]:
        return False
    over = frozenset(instruction.axes)
    loads = [_is_load(nest, nest.instructions[i]) for i in factors.operands]
    return all(loads) and not over & nest.stored and all(nest.domains[i] & over for i in factors.operands)


def _is_load(nest: Nest, instruction: Instruction) -> bool:
    """True for an element of an input, perhaps in another dtype."""
    if instruction.op == "cast":
        instruction = nest.instructions[instruction.operands[0]]
    return instruction.op == "load"


def _window_axes(nest: Nest) -> frozenset[int]:
    """Axes that share a dimension which can be left, as the taps of a window do with its places."""
    found: set[int] = set()
    for instruction in nest.instructions:
        access = instruction.access
        if access is not None and access.fill is not None:
            found.update([a for dim in access.dims if len(dim.terms) > 1 for a, _ in dim.terms])
    return frozenset(found)
