"""Launches as numbers: the steps of a program, and what the tables of their kernels hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler.arena import Layout, Part
from gradtape.compiler.graph import Value
from gradtape.compiler.kernels import Promised
from gradtape.core.shape import Spec

WORD = 8  # bytes


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


class Encoded(NamedTuple):
    """Parts of a program as numbers.

    Attributes:
      steps: for the driver, four words each.
      words: of the tables, one behind the other.
      keep: what must live as long as the program.
      promised: kernels whose addresses may change, each with its place in `steps`.
    """

    steps: list[int]
    words: list[Word]
    keep: list[Any]
    promised: list[tuple[Promised, int]]

    def array_after(self, numbers: Sequence[int]) -> Any:
        """An array of some numbers and of the steps, in which addresses stay right."""
        array = np.array([*numbers, *self.steps], np.int64)
        for kernel, place in self.promised:
            kernel.follow(array, len(numbers) + place)
        return array


def encode(parts: Sequence[Part], layout: Layout, constants: Mapping[Value, Any]) -> Encoded:
    """The steps and tables of parts whose values lie as the layout says; other values are constants."""
    made = Encoded([], [], [part.lowered for part in parts], [])
    fixed: dict[Value, int] = {}
    for (node, lowered), scratch in zip(parts, layout.scratch, strict=True):
        for kernel, operands in lowered.launches:
            if not kernel.chunks:
                continue
            checks = any(o.kind == "status" for o in operands)
            if isinstance(kernel.task, Promised):
                made.promised.append((kernel.task, len(made.steps)))
            made.steps.extend([kernel.address, kernel.chunks, len(made.words) * WORD, int(checks)])
            for kind, number, offset in operands:
                if kind == "status":
                    made.words.append(Word("status", 0, 0))
                elif kind == "number":
                    made.words.append(Word("number", 0, number))
                elif kind == "scratch":
                    made.words.append(Word("arena", 0, scratch[number] + offset))
                else:
                    value = (node.inputs if kind == "input" else node.outputs)[number]
                    value = layout.roots.get(value, value)
                    home = layout.homes.get(value)
                    if home is not None:
                        kind = "arena" if home.array is None else "array"
                        made.words.append(Word(kind, home.array or 0, home.offset + offset))
                        continue
                    if value not in fixed:
                        fixed[value] = _address(constants[value], value.spec, made.keep)
                    made.words.append(Word("number", 0, fixed[value] + offset))
    return made


def _address(array: Any, spec: Spec, keep: list[Any]) -> int:
    """The address of a constant, which is kept."""
    array = np.ascontiguousarray(array, spec.dtype.numpy)
    keep.append(array)
    return int(array.ctypes.data)
