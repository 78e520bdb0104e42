"""Epilogue: the computation on every element of a product before it is stored, described without names.

It is a loop's steps (`bodies/loop.py`) on the elements of the product and of other operands, which lie at fixed distances for each product
of a stack, each row and each column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from gradtape.compiler.bodies.costs import is_short
from gradtape.compiler.bodies.loop import Loop, Step
from gradtape.core.dtypes import DType

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter
    from gradtape.compiler.codegen.simd.value import VectorValue


class Groups(NamedTuple):
    """Matrices, or rows, that lie in groups.

    Attributes:
      members: how many make up a group.
      outer: elements from one group to the next.
      inner: elements from one member of a group to the next.
    """

    members: int
    outer: int
    inner: int

    def place(self, code: Any, number: Any) -> Any:
        """Where a matrix or row begins."""
        group, member = code.div(number, self.members), code.rem(number, self.members)
        return code.add(code.mul(group, self.outer), code.mul(member, self.inner))


# Elements from one product, row and column to the next. Products may lie in groups, and rows where a kernel finishes one at a time.
Distances = tuple[int | Groups, int | Groups, int]


class Surroundings(Protocol):
    """The place of a vector of a result, around which an epilogue reads and writes."""

    def read(self, slot: int, dtype: DType, distances: Distances) -> VectorValue:
        """The elements of an operand that belong to the vector."""

    def store(self, slot: int, value: VectorValue) -> None:
        """Write a vector to an array that the result fills."""

    def write(self, slot: int, value: VectorValue, distances: Distances) -> None:
        """Write a vector to an array whose elements are at distances."""


class EpilogueOperand(NamedTuple):
    """An input of the steps.

    Attributes:
      dtype: of its elements.
      distances: how far apart they are; None for the product itself, and for a number that is known.
      known: that number, else None.
    """

    dtype: DType
    distances: Distances | None
    known: Any = None


class Epilogue(NamedTuple):
    """Steps on the elements of a product.

    Attributes:
      operands: the inputs of the steps.
      product: which of them is the product.
      steps: what is computed.
      results: which values are stored, whole; inputs are numbered first, then steps.
      targets: how far apart the elements of each result are where it is written; empty if all are contiguous.
    """

    operands: tuple[EpilogueOperand, ...]
    product: int
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    targets: tuple[Distances | None, ...] = ()

    @property
    def loaded(self) -> list[int]:
        """The operands that are read from memory."""
        return [i for i, operand in enumerate(self.operands) if operand.distances is not None]

    def is_short(self, functions: frozenset[str] = frozenset()) -> bool:
        """True if all steps take a few instructions, apart from some functions of the emitter."""
        return is_short([operand.dtype for operand in self.operands], self.steps, functions)

    def emit(self, cg: VectorEmitter, value: VectorValue, at: Surroundings, first: int) -> None:
        """Emit the steps for a vector of the product, and write the results.

        Args:
          cg: the emitter.
          value: the vector.
          at: its place.
          first: slot of the first result; those of the operands follow it, then those of the other results.
        """
        slots = dict(zip(self.loaded, range(first + 1, 1 << 30), strict=False))
        values: list[VectorValue] = []
        for i, (dtype, distances, known) in enumerate(self.operands):
            if i == self.product:
                values.append(value)
            elif distances is None:
                values.append(cg.splat(known, dtype))
            else:
                values.append(at.read(slots[i], dtype, distances))
        for step in self.steps:
            values.append(step.op.scalar(cg, *[values[i] for i in step.operands], **dict(step.params)))
        for k, number in enumerate(self.results):
            slot = first + len(slots) + k if k else first
            target = self.targets[k] if self.targets else None
            if target is None:
                at.store(slot, values[number])
            else:
                at.write(slot, values[number], target)


def epilogue_of(loop: Loop, which: int, sizes: tuple[int, int, int], groups_rows: bool = False) -> Epilogue | None:
    """The steps of a loop as the epilogue of a product.

    Args:
      loop: a loop without sums.
      which: its input that is the product, which it reads whole.
      sizes: how many products there are, their rows and columns.
      groups_rows: whether the kernel can address rows that lie in groups.

    Returns:
      The epilogue; None if another input does not lie at fixed distances, or not side by side.
    """
    operands = []
    for i, ((dtype, strides), known) in enumerate(zip(loop.inputs, loop.constants, strict=True)):
        distances = None
        if i != which and known is None:
            distances = distances_of(loop.shape, strides, sizes, groups_rows)
            if distances is None:
                return None
        operands.append(EpilogueOperand(dtype, distances, known if i != which else None))
    return Epilogue(tuple(operands), which, loop.steps, loop.outputs)


def _join(axes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sizes and strides of axes, neighbours joined where the elements of both are at the same distances."""
    joined: list[tuple[int, int]] = []
    for size, stride in axes:
        if joined and joined[-1][1] == size * stride:
            joined[-1] = (joined[-1][0] * size, stride)
        else:
            joined.append((size, stride))
    return joined


def distances_of(
    shape: Sequence[int], strides: Sequence[int], sizes: tuple[int, int, int], groups_rows: bool = False
) -> Distances | None:
    """How far apart elements are along products, rows and columns, for strides along other axes of the same elements.

    None if they are at no fixed distances, or if those along a vector are neither side by side nor the same. Products may lie in groups, and with
    `groups_rows` rows.
    """
    if math.prod(shape) != math.prod(sizes):
        return None
    axes = [(d, s) for d, s in zip(shape, strides, strict=True) if d != 1]
    found: list[Any] = []
    for number, size in enumerate(reversed(sizes)):
        parts: list[tuple[int, int]] = []  # outermost first
        while size > 1:
            d, s = axes.pop()
            if size % d == 0:
                parts.insert(0, (d, s))
                size //= d
            elif d % size == 0:
                parts.insert(0, (size, s))
                axes.append((d // size, s * size))
                size = 1
            else:
                return None
        parts = _join(parts)
        if len(parts) == 2 and (number == 2 or (number == 1 and groups_rows)):
            (_, outer), (members, inner) = parts
            found.insert(0, Groups(members, outer, inner))
        elif len(parts) > 1:
            return None
        else:
            found.insert(0, parts[0][1] if parts else 0)
    item, row, column = found
    # A product that is a column is computed as a row.
    along = row if sizes[2] == 1 else column
    return (item, row, column) if along in (0, 1) else None
