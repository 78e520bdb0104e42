"""The plan of a loop over rows: the passes over each row and the chunks of rows, fixed before code is emitted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from gradtape.compiler.bodies.costs import COSTLY
from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.bodies.rows import COLUMN, ELEMENT, ROW, RowLoop
from gradtape.compiler.codegen.simd.machine import default_width
from gradtape.core import dtypes
from gradtape.core.dtypes import DType

# Elements of a chunk, about. With sums over rows there should not be many chunks: each has sums of its own.
_CHUNK, _COSTLY_CHUNK, _CHUNK_OF_SUMS = 1 << 14, 1 << 13, 1 << 16
_STACK = 1 << 16  # bytes of values that wait for a later pass
_LONG = 256  # so many terms lose no more than a unit in the last place or two


class Pass(NamedTuple):
    """One pass over a row.

    Attributes:
      number: which.
      sums: the reductions of the row that it makes.
      stores: outputs that it writes, by their numbers among the outputs.
      kept: values that it computes and that later passes need: (value, output in whose memory they wait), where -1 stands
        for memory on the stack.
      read_back: values that it stores as outputs and that later passes read there: (value, output).
    """

    number: int
    sums: tuple[int, ...]
    stores: tuple[int, ...]
    kept: tuple[tuple[int, int], ...]
    read_back: tuple[tuple[int, int], ...]


class Partition(NamedTuple):
    """How rows are cut. A block is a part of the rows that a column reduction joins; a chunk is some blocks.

    Attributes:
      reduced: how many rows a column reduction joins.
      parts: into how many blocks they are cut.
      lines: rows of a block.
      blocks: how many blocks there are.
      per_chunk: blocks of a chunk.
      chunks: how many chunks there are.
    """

    reduced: int
    parts: int
    lines: int
    blocks: int
    per_chunk: int
    chunks: int


class ColumnEpilogue(NamedTuple):
    """What is done with the columns that a loop over rows sums up.

    Attributes:
      output: which of its results they are.
      epilogue: what is done; its first result takes their place.
    """

    output: int
    epilogue: Epilogue

    def slots(self, loop: RowLoop) -> list[int]:
        """The node's output that each result of the loop is: those of the epilogue come first."""
        others = iter(range(len(self.epilogue.results), len(self.epilogue.results) + len(loop.outputs)))
        return [0 if k == self.output else next(others) for k in range(len(loop.outputs))]

    @property
    def pointers(self) -> int:
        """How many pointers of the table belong to it: what it reads, and its results but the first."""
        return len(self.epilogue.loaded) + len(self.epilogue.results) - 1


class RowPlan:
    """The passes of a loop over rows.

    Attributes:
      live: values that some output needs.
      passes: in their order; those that do nothing are left out.
      lanes: elements of a vector.
      partition: how rows are cut.
      padded: elements of a row of accumulators for columns.
    """

    def __init__(self, loop: RowLoop) -> None:
        self.loop = loop
        self.live = self._reach([n for n, _ in loop.outputs] + list(loop.checks), set(), True)
        varying = [loop.types[i] for i in sorted(self.live) if loop.varies[i]]
        # What is the same along a row takes no room in the vectors that are loaded and stored.
        self.lanes = _lanes(varying or [loop.types[i] for i in sorted(self.live)], loop.shape[-1])
        self.partition = _partition(loop)
        self.padded = -(-loop.shape[-1] // self.lanes) * self.lanes
        self._room = _STACK
        self._homes: set[int] = set()
        self._sources: set[int] = set()
        self.reads: dict[int, int] = {}
        self.passes = [p for n in range(max(loop.passes, default=0) + 1) if (p := self._pass(n)) is not None]

    @property
    def columns(self) -> list[int]:
        """Outputs that are column reductions."""
        return [k for k, (_, place) in enumerate(self.loop.outputs) if place == COLUMN]

    def shares(self) -> tuple[tuple[int, int], ...]:
        """(output, input) pairs that may be the same memory: the input is not read after the output is begun."""
        found = []
        for k, (number, place) in enumerate(self.loop.outputs):
            if place != ELEMENT:
                continue
            begun = min(p.number for p in self.passes if k in p.stores or any(home == k for _, home in p.kept))
            for i, (source, varies) in enumerate(self.loop.inputs):
                same = self.loop.types[source] is self.loop.types[number] and all(varies)
                if same and self.reads.get(source, -1) <= begun:
                    found.append((k, i))
        return tuple(found)

    def _pass(self, number: int) -> Pass | None:
        loop = self.loop
        sums = [
            i for i in sorted(self.live) if loop.calls[i].direction == ROW and loop.passes[i] == number + 1
        ]  # fmt: skip
        whole = [(k, n) for k, (n, place) in enumerate(loop.outputs) if place != ROW]
        stores = [k for k, n in whole if loop.passes[n] == number]
        if not sums and not stores:
            return None
        now = self._reach([*sums, *[loop.outputs[k][0] for k in stores]], self._sources, False)
        for i in now:
            self.reads[i] = number
        ends = self._ends(number)
        wanted = self._reach(ends, self._sources, False)
        written = [(loop.outputs[k][0], k) for k in stores if loop.outputs[k][1] == ELEMENT]
        read_back = [(n, k) for n, k in written if n in wanted and not loop.types[n].name.endswith("float16")]
        self._sources.update([n for n, _ in read_back])
        later = [k for k, n in whole if loop.passes[n] > number and loop.outputs[k][1] == ELEMENT]
        kept = self._keep(now, ends, [k for k in later if k not in self._homes])
        self._sources.update([i for i, _ in kept])
        return Pass(number, tuple(sums), tuple(stores), tuple(kept), tuple(read_back))

    def _ends(self, number: int) -> dict[int, int]:
        """What passes after one compute: reductions of rows and outputs, each with its pass."""
        loop = self.loop
        found = {i: loop.passes[i] - 1 for i in self.live if loop.calls[i].direction == ROW}
        found.update({n: loop.passes[n] for n, place in loop.outputs if place != ROW})
        return {i: last for i, last in found.items() if last > number}

    def _keep(self, now: set[int], ends: dict[int, int], free: list[int]) -> list[tuple[int, int]]:
        """Values that cost much, are computed now, and are needed in later passes."""
        loop = self.loop
        kept: list[tuple[int, int]] = []
        for i in sorted(now, reverse=True):
            # What is computed from a value that waits needs no costly value behind it.
            sources = self._sources | {j for j, _ in kept}
            readers = [last for end, last in ends.items() if i in self._reach([end], sources, False)]
            if not readers or not self._costs(i):
                continue
            same = [k for k in free if loop.types[loop.outputs[k][0]] is loop.types[i]]
            # The memory of an output is free until that is written.
            home = next((k for k in same if loop.passes[loop.outputs[k][0]] >= max(readers)), -1)
            size = loop.types[i].size * self.padded
            if home < 0 and size > self._room:
                continue
            if home < 0:
                self._room -= size
            else:
                free.remove(home)
                self._homes.add(home)
            kept.append((i, home))
        return kept

    def _costs(self, i: int) -> bool:
        return self.loop.calls[i].method in COSTLY and i not in self._sources and self.loop.varies[i]

    def _reach(self, numbers: Iterable[int], sources: set[int], everything: bool) -> set[int]:
        """All values that some values are computed from, themselves among them; with `everything` also those that are the
        same along a row. What is in `sources` is read from memory."""
        loop, found, waiting = self.loop, set[int](), list(numbers)
        while waiting:
            i = waiting.pop()
            if i not in found and (everything or loop.varies[i] or loop.calls[i].direction):
                found.add(i)
                if i not in sources and (everything or loop.calls[i].direction != ROW or i in numbers):
                    waiting += loop.calls[i].operands
        return found

    def accumulator(self, i: int) -> DType:
        """The dtype in which a reduction is made: long sums of float32 in float64, narrow floats in float32."""
        loop, call = self.loop, self.loop.calls[i]
        dtype = loop.types[call.operands[0]]
        is_long = loop.shape[-1] > _LONG if call.direction == ROW else self.partition.reduced > _FEW
        if dtype is dtypes.float32 and call.join == "sum" and is_long:
            return dtypes.float64
        return dtypes.float32 if dtype.name in ("float16", "bfloat16") else dtype


def _lanes(types: list[DType], width: int) -> int:
    """Elements of a vector: what one register holds, or less or twice as much where a row is no longer."""
    lanes = default_width(types)
    while lanes > 2 and lanes >= 2 * width:
        lanes //= 2
    return 2 * lanes if lanes < width <= 2 * lanes else lanes


_FEW = 32  # rows that are added one by one in float32


def _partition(loop: RowLoop) -> Partition:
    axes, width = loop.shape[:-1], max(1, loop.shape[-1])
    has_columns = any(place == COLUMN for _, place in loop.outputs)
    reduced = math.prod(axes[loop.outer :] if has_columns else axes)
    outers = math.prod(axes) // max(1, reduced)
    is_costly = any(call.method in COSTLY for call in loop.calls)
    size = _CHUNK_OF_SUMS if has_columns else _COSTLY_CHUNK if is_costly else _CHUNK
    parts = max(1, -(-reduced * width // size))
    lines = -(-reduced // parts)
    parts = -(-reduced // lines) if lines else 0
    per_chunk = 1 if parts != 1 else max(1, size // (reduced * width))
    blocks = outers * parts
    return Partition(reduced, parts, lines, blocks, per_chunk, -(-blocks // per_chunk))
