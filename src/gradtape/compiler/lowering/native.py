"""Native: parts of a graph as one program of machine code, which is an op of the graph that runs.

A program is the numbers that `runtime/records.py` describes. It takes arrays for what it reads and makes, and keeps the arenas that its runs
have used for the next ones. Where a run meets something that its kernels were not made for (an array of another library, other
shapes than in the trace, input that is an error), it raises Misfit, and the whole graph runs with NumPy's kernels instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.compiler.graph import Node
from gradtape.compiler.lowering.encoding import encode
from gradtape.compiler.lowering.segments import Segment
from gradtape.compiler.memory.arena import ALIGNMENT
from gradtape.compiler.runtime import driver, pool
from gradtape.compiler.runtime.program import Misfit
from gradtape.compiler.runtime.records import WORD, ArrayForm, Patch, ProgramHead, flatten
from gradtape.core import memory
from gradtape.core.shape import Spec

_ARENAS = 2  # that are kept while no run needs them


class Native:
    """Nodes that run as one native program.

    Attributes:
      nodes: what it computes.
      inputs: the values that it is given, and `constants` those that are known.
      parts: names of the ops in it, for people.
      makers: for each output, a function that makes memory for it.
      updates: outputs that may be written over an input, by their numbers.
      size: bytes of an arena.
      launches: how many kernels a run launches.
    """

    effect = False
    elementwise = False

    def __init__(self, segment: Segment, nodes: Sequence[Node]) -> None:
        """
        Args:
          segment: after all passes.
          nodes: what it computes, as it was before them.
        """
        outputs = [v for v in segment.arrays if v in segment.kept]
        self.nodes, self.constants = list(nodes), segment.constants
        self.inputs = [v for v in segment.arrays if v not in segment.kept]
        self.parts = " ".join(getattr(node.op, "parts", node.op.name) for node in self.nodes)
        self.name = "native"
        self.updates = {outputs.index(new): segment.arrays[old] for new, old in segment.updated.items()}
        self._specs = [v.spec for v in segment.arrays]
        self.makers = [maker(v.spec) for v in outputs]
        self._keep: list[Any]
        self._fixed: list[
            tuple[int, int, bool]
        ] = []  # word of a table, what it holds, whether that is relative to the arena
        self._program = self._encode(segment)
        self._run, self._address = driver.run(), self._program.ctypes.data
        self._arenas: list[_Arena] = []

    def _encode(self, segment: Segment) -> Any:
        """The numbers of the program; the words of its tables that never change go to `_fixed`."""
        written = [segment.arrays[new] for new in segment.updated]
        encoded = encode(segment.parts, segment.planned, segment.constants, written)
        words = encoded.words
        self._keep = [*encoded.keep, *[spec.dtype.numpy for spec in self._specs]]
        status = -(-len(words) * WORD // ALIGNMENT) * ALIGNMENT
        data = status + ALIGNMENT
        patches: list[Patch] = []
        for place, (kind, which, value) in enumerate(words):
            if kind == "array":
                patches.append(Patch(place * WORD, which, value))
            else:
                at = {"number": value, "status": status, "arena": data + value}[kind]
                self._fixed.append((place, at, kind != "number"))
        shapes: list[int] = []
        for spec in self._specs:
            shapes += [*ArrayForm(id(spec.dtype.numpy), len(spec.shape)), *spec.shape]
        self.size = data + segment.planned.size
        self.launches = encoded.count
        head = ProgramHead(len(self._specs), len(shapes), len(patches), self.launches, status, encoded.free)
        return encoded.array_after([*head, *shapes, *flatten(*patches)])

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The outputs, in new arrays."""
        made = tuple([make() for make in self.makers])
        return self.launch(arrays, made)

    def launch(self, arrays: tuple[Any, ...], made: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs, in memory that is given; an output that is an update may be the array of its input."""
        try:
            arena = self._arenas.pop()
        except IndexError:
            arena = _Arena(self.size, self._fixed)
        status = self._run(self._address, arena.address, arrays + made)
        if len(self._arenas) < _ARENAS:
            self._arenas.append(arena)
        return made if status == driver.OK else self._repair(status, arrays)

    def _repair(self, status: int, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs where the arrays were not as the kernels need them, if only their form is wrong."""
        pool.raise_interruption()
        given = tuple([_convert(x, spec) for x, spec in zip(arrays, self._specs, strict=False)])
        if status == driver.FAILED or all(a is b for a, b in zip(given, arrays, strict=True)):
            raise Misfit
        return self.launch(given, tuple([make() for make in self.makers]))


def _convert(x: Any, spec: Spec) -> Any:
    """An array as kernels need it."""
    if not isinstance(x, (np.ndarray, np.generic)) or x.shape != spec.shape or x.dtype != spec.dtype.numpy:
        raise Misfit
    dtype = spec.dtype.numpy
    if type(x) is np.ndarray and x.flags.c_contiguous and x.flags.aligned and x.dtype is dtype:
        return x
    formed = np.empty(x.shape, dtype)
    formed[...] = x
    return formed


def maker(spec: Spec) -> Callable[[], Any]:
    """A function that makes an array for values of a spec."""
    shape, dtype = spec.shape, spec.dtype.numpy
    if math.prod(shape) >= memory.THRESHOLD:
        return lambda: memory.empty(shape, dtype)
    return lambda: np.empty(shape, dtype)


class _Arena:
    """The memory of one run, with the tables of all steps."""

    __slots__ = ("_memory", "address")

    def __init__(self, size: int, fixed: list[tuple[int, int, bool]]) -> None:
        self._memory = np.empty(size + ALIGNMENT, np.uint8)
        begin = -self._memory.ctypes.data % ALIGNMENT
        self.address = self._memory.ctypes.data + begin
        words = max([place for place, _, _ in fixed], default=-1) + 1
        table = self._memory[begin : begin + words * WORD].view(np.int64)
        for place, value, relative in fixed:
            table[place] = value + self.address if relative else value
