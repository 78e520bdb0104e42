"""Launches as numbers: the steps of a program, and the tables of their kernels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler.graph import Node, Value
from gradtape.compiler.memory.arena import Layout, Part
from gradtape.compiler.runtime.kernels import Kernel, Lowered, Operand, Promised
from gradtape.compiler.runtime.records import WORD, ChainStep, LaunchStep, size_of_record
from gradtape.core.shape import Spec

_STEP = size_of_record(LaunchStep)


class Word(NamedTuple):
    """What a word of a table is made of.

    Attributes:
      kind: "number", an absolute one; "arena", a place among the values of the arena; "array", a place in an array of the run;
        or "status", the address of the status word.
      which: of arrays, which.
      value: the number, or the offset in bytes.
    """

    kind: str
    which: int
    value: int

    def moved(self, distance: int) -> Word:
        """The word for what lies some bytes further on."""
        return self._replace(value=self.value + distance) if distance else self


class Encoded:
    """Parts of a program as numbers.

    Attributes:
      words: of the tables, one behind the other.
      keep: what must live as long as the program.
    """

    def __init__(self, keep: list[Any], updated: Collection[int] = ()) -> None:
        self.words: list[Word] = []
        self.keep = keep
        self._updated = updated
        self._first_update: int | None = None
        # `LaunchStep` records for the driver, flat; those of chains are behind the others.
        self._steps: list[int] = []
        self._inner: list[int] = []
        # Kernels whose addresses may change, each with the list and the place where its own stands.
        self._promised: list[tuple[Promised, list[int], int]] = []

    @property
    def count(self) -> int:
        """How many steps the driver takes one after the other."""
        return len(self._steps) // _STEP

    @property
    def free(self) -> int:
        """How many steps come before the first that may write over an array which is an input too."""
        return self.count if self._first_update is None else self._first_update

    def _note_updates(self, table: Sequence[Word]) -> None:
        if self._first_update is None and any(w.kind == "array" and w.which in self._updated for w in table):
            self._first_update = self.count

    def launch(self, kernel: Kernel, table: Sequence[Word], checks: bool) -> None:
        """Add a step."""
        self._note_updates(table)
        self._add(self._steps, kernel, int(checks))
        self.words += table

    def chain(self, launches: Sequence[tuple[Kernel, Sequence[Sequence[Word]]]], groups: int) -> None:
        """Add launches that run one after the other for each group, each with a table for every group."""
        for _, tables in launches:
            self._note_updates(tables[0])
        self._steps += ChainStep(len(self._inner) // _STEP, -groups, len(launches))
        for kernel, tables in launches:
            self._add(self._inner, kernel, len(tables[0]) * WORD)
            for table in tables:
                self.words += table

    def _add(self, steps: list[int], kernel: Kernel, last: int) -> None:
        if isinstance(kernel.task, Promised):
            self._promised.append((kernel.task, steps, len(steps)))
        steps += LaunchStep(kernel.address, kernel.chunks, len(self.words) * WORD, last)

    def array_after(self, numbers: Sequence[int]) -> Any:
        """An array of some numbers and of the steps, in which addresses stay right."""
        array = np.array([*numbers, *self._steps, *self._inner], np.int64)
        start = len(numbers)
        # A chain says how far its own steps are from the first of all.
        for place in range(0, len(self._steps), _STEP):
            if ChainStep(*self._steps[place : place + _STEP]).groups < 0:
                array[start + place + ChainStep._fields.index("first")] += self.count
        for kernel, steps, place in self._promised:
            kernel.follow(array, start + place + (len(self._steps) if steps is self._inner else 0))
        return array


def encode(
    parts: Sequence[Part], layout: Layout, constants: Mapping[Value, Any], updated: Collection[int] = ()
) -> Encoded:
    """The steps and tables of parts whose values lie as the layout says; other values are constants. The arrays with the numbers in
    `updated` may be inputs too."""
    made = Encoded([part.lowered for part in parts], updated)
    fixed: dict[Value, int] = {}

    def word(node: Node, scratch: Sequence[int], operand: Operand) -> Word:
        kind, number, offset = operand
        if kind == "status":
            return Word("status", 0, 0)
        if kind == "number":
            return Word("number", 0, number)
        if kind == "scratch":
            return Word("arena", 0, scratch[number] + offset)
        value = (node.inputs if kind == "input" else node.outputs)[number]
        value = layout.roots.get(value, value)
        home = layout.homes.get(value)
        if home is not None:
            return Word("arena" if home.array is None else "array", home.array or 0, home.offset + offset)
        if value not in fixed:
            fixed[value] = _address(constants[value], value.spec, made.keep)
        return Word("number", 0, fixed[value] + offset)

    for (node, lowered), scratch in zip(parts, layout.scratch, strict=True):
        for kernel, operands in lowered.launches:
            if kernel.chunks:
                checks = any(o.kind == "status" for o in operands)
                made.launch(kernel, [word(node, scratch, o) for o in operands], checks)
        if lowered.grouped is not None:
            groups, launches, steps = lowered.grouped
            tables = []
            for (kernel, operands), own in zip(launches, steps, strict=True):
                first = [word(node, scratch, o) for o in operands]
                several = [[w.moved(g * s) for w, s in zip(first, own, strict=True)] for g in range(groups)]
                tables.append((kernel, several))
            made.chain(tables, groups)
    return made


def table_words(lowered: Lowered) -> int:
    """How many words the tables of a part have."""
    own = sum([len(launch.operands) for launch in lowered.launches if launch.kernel.chunks])
    if lowered.grouped is None:
        return own
    return own + lowered.grouped.groups * sum([len(launch.operands) for launch in lowered.grouped.launches])


def _address(array: Any, spec: Spec, keep: list[Any]) -> int:
    """The address of a constant, which is kept."""
    array = np.ascontiguousarray(array, spec.dtype.numpy)
    keep.append(array)
    return int(array.ctypes.data)
