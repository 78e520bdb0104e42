"""Loops and branches in native programs: each is one launch of a kernel of the driver, which runs the blocks by itself.

A block is a program in a program. Its tables and values lie in a temporary of the launch, and are written when the launch begins. A
carried value has two rooms there: a step reads one and writes the other, then they change places; it has one if the step changes
it in place (`lowering/carried.py`). Rows of sliced and stacked values are reached by moving pointers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler import passes, pipeline
from gradtape.compiler.backends import emits
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import I64, POINTER, VOID, table_of
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.compiler.lowering import nodes
from gradtape.compiler.lowering.carried import add_rows, delay_updates, update_in_place
from gradtape.compiler.lowering.encoding import Word, encode, table_words
from gradtape.compiler.lowering.segments import Segment
from gradtape.compiler.memory.arena import ALIGNMENT, Part, roots, size_of
from gradtape.compiler.runtime import driver
from gradtape.compiler.runtime.kernels import Kernel, Launch, Lowered, Operand, get_kernel, inputs, outputs
from gradtape.compiler.runtime.records import (
    ARENA,
    EXTERNAL,
    LITERAL,
    WORD,
    BlockHead,
    BranchHead,
    BranchTable,
    Carried,
    Flip,
    LoopHead,
    LoopTable,
    Move,
    TableWord,
    flatten,
)
from gradtape.core import dtypes
from gradtape.core.patterns.control import Choose, Repeat
from gradtape.core.shape import Spec


class NativeBlock(NamedTuple):
    """A block that can run natively.

    Attributes:
      graph: what it computes, after all passes.
      segment: its launches, with memory for what lies between them.
      results: values with memory of their own, one for each output.
    """

    graph: Graph
    segment: Segment
    results: list[Value]


def _body(graph: Any, carried: int = 0) -> NativeBlock | None:
    """A block with all its kernels; None if a node has none. The step of a loop carries so many values."""
    running = pipeline.fuse_block(add_rows(passes.optimize(graph.running()), carried))
    parts: list[Part] = []
    for node in running.nodes:
        found = nodes.lower(node)
        if found is None:
            return None
        parts.append(Part(node, found))
    if not all(v.spec.is_known for v in (*running.parameters, *running.outputs)):
        return None
    same = roots(parts)
    made = {v for part in parts for v in part.node.outputs}
    results: list[Value] = []
    for value in running.outputs:
        root = same.get(value, value)
        if root not in made or root in results:
            part = _copy(value)
            parts.append(part)
            root = part.node.outputs[0]
        results.append(root)
    parts = delay_updates(parts, running.parameters[:carried], results[:carried])
    arrays = {v: i for i, v in enumerate((*running.parameters, *results))}
    segment = Segment(parts, arrays, set(results), {}, running.constants)
    return NativeBlock(running, pipeline.plan_block(segment), results)


class _CopyOp:
    """The op of a copy that a block makes of a value which is not its own."""

    name = "copy"
    effect = False


_COPY = _CopyOp()


def _copy(value: Value) -> Part:
    kernel = get_kernel(("copy",), _emit_copy)
    operands = inputs(0) + outputs(0) + (Operand("number", size_of(value)),)
    return Part(Node(_COPY, [value], {}, value.spec), Lowered((Launch(kernel, operands),)))


def _emit_copy(module: ir.Module) -> tuple[ir.Function, int]:
    task = ir.Function(module, ir.FunctionType(VOID, [I64, I64]), "task")
    b = ir.IRBuilder(task.append_basic_block("entry"))
    source, target, size = table_of(b, task.args[0], 3)
    copy = module.declare_intrinsic("llvm.memcpy", [POINTER, POINTER, I64])
    b.call(copy, [target, source, b.ptrtoint(size, I64), ir.Constant(ir.IntType(1), 0)])
    b.ret_void()
    return task, 1


class _BlockMemory:
    """The memory of a launch, given out piece by piece."""

    def __init__(self) -> None:
        self.size = 0

    def take(self, size: int) -> int:
        """The place of a new piece."""
        place = self.size
        self.size += -(-size // ALIGNMENT) * ALIGNMENT
        return place


class _EncodedBlock:
    """A block as numbers: its words, and the words behind which certain arrays lie.

    Attributes:
      tables: the place of its tables in the arena.
      numbers: the description for the driver.
      users: for each array, the places in the arena of the words that point into it.
    """

    def __init__(
        self, body: NativeBlock, homes: Sequence[TableWord], tables: int, room: _BlockMemory, status: int
    ) -> None:
        """
        Args:
          body: the block.
          homes: for its parameters, then its results: the word that points to it.
          tables: the place of its tables.
          room: where its values go.
          status: the external that is the status word.
        """
        segment = body.segment
        encoded = encode(segment.parts, segment.planned, segment.constants)
        words = encoded.words
        self.tables = tables
        data = room.take(segment.planned.size)
        self.users: dict[int, list[int]] = {}
        filled: list[TableWord] = []
        for place, word in enumerate(words):
            filled.append(self._table_word(word, homes, data, status))
            if word.kind == "array":
                self.users.setdefault(word.which, []).append(self.tables + place * WORD)
        self.numbers = encoded.array_after(flatten(BlockHead(len(words), encoded.count), *filled))
        self.keep = encoded.keep

    @staticmethod
    def _table_word(word: Word, homes: Sequence[TableWord], data: int, status: int) -> TableWord:
        if word.kind == "number":
            return TableWord(LITERAL, word.value)
        if word.kind == "arena":
            return TableWord(ARENA, data + word.value)
        if word.kind == "status":
            return _external(status)
        kind, value = homes[word.which]
        return TableWord(kind, value + word.value)

    @property
    def address(self) -> int:
        """Where its description is."""
        return int(self.numbers.ctypes.data)


def _external(number: int) -> TableWord:
    return TableWord(EXTERNAL + number, 0)


def _table_size(body: NativeBlock) -> int:
    return sum([table_words(part.lowered) for part in body.segment.parts]) * WORD


@emits(Repeat)
def repeat(pattern: Repeat, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The launch of a loop."""
    is_known = all(None not in s.shape for s in (*given, *made)) and given[0].dtype is dtypes.int32
    carried, reads = pattern.carried, len(given) - 1
    if not is_known or (pattern.cond is not None and len(made) - 1 > carried):
        return None
    body, cond = _body(pattern.body, carried), None if pattern.cond is None else _body(pattern.cond)
    if body is None or (pattern.cond is not None and cond is None):
        return None
    segment, own = update_in_place(body.segment, body.graph.parameters[:carried], body.results[:carried])
    body = body._replace(segment=segment)
    status = reads + len(made) - 1
    room = _BlockMemory()
    tables = room.take(_table_size(body))  # the driver takes the beginning of the memory for them
    sizes = [size_of(v) for v in body.graph.parameters[:carried]]
    first = [room.take(size) for size in sizes]
    rooms = [(first[i], first[i] if i in own else room.take(size)) for i, size in enumerate(sizes)]
    homes = [TableWord(ARENA, rooms[i][0]) for i in range(carried)] + [_external(i) for i in range(carried, reads)]
    homes += [TableWord(ARENA, rooms[i][1]) for i in range(carried)]
    homes += [_external(reads + i) for i in range(carried, len(body.results))]
    block = _EncodedBlock(body, homes, tables, room, status)
    moves, flips = _changes(block, pattern, body)
    flag, test = room.take(WORD), None
    if cond is not None:
        fixed = reads - carried - pattern.sliced
        tested = len(cond.graph.parameters) - fixed
        homes = [TableWord(ARENA, rooms[i][0]) for i in range(tested)]
        homes += [_external(i) for i in range(reads - fixed, reads)]
        test = _EncodedBlock(cond, [*homes, TableWord(ARENA, flag)], room.take(_table_size(cond)), room, status)
        flips += [Flip(place, i, 0) for i in range(tested) for place in test.users.get(i, ())]
    rows = -1 if pattern.rows is None else pattern.rows
    head = LoopHead(
        usual=rows if pattern.sliced else -1,
        rows=rows,
        body=block.address,
        cond=0 if test is None else test.address,
        cond_tables=0 if test is None else test.tables,
        flag=flag,
        reverse=int(pattern.reverse),
        carried=carried,
        moves=len(moves),
        flips=len(flips),
    )
    values = [Carried(i, reads + i, sizes[i], *rooms[i]) for i in range(carried)]
    numbers = np.array(flatten(head, *values, *moves, *flips), np.int64)
    externals = inputs(*range(1, len(given))) + outputs(*range(1, len(made))) + (Operand("status", 0),)
    operands = LoopTable(*_describe(numbers), *inputs(0), *outputs(0)) + externals
    return Lowered((Launch(_kernel("repeat", [numbers, block, test]), operands),), (room.size,))


def _changes(block: _EncodedBlock, pattern: Repeat, body: NativeBlock) -> tuple[list[Move], list[Flip]]:
    """The words that a step moves, with the distance, and those that it turns to the other room of a carried value."""
    carried, sign, first = pattern.carried, -1 if pattern.reverse else 1, len(body.graph.parameters)
    moves: list[Move] = []
    for i in range(carried, carried + pattern.sliced):
        size = size_of(body.graph.parameters[i])
        moves += [Move(place, sign * size) for place in block.users.get(i, ())]
    for i in range(carried, len(body.results)):
        size = size_of(body.results[i])
        moves += [Move(place, sign * size) for place in block.users.get(first + i, ())]
    flips = [
        Flip(place, i, second)
        for i in range(carried)
        for second in range(2)
        for place in block.users.get(i + second * first, ())
    ]
    return moves, flips


@emits(Choose)
def choose(pattern: Choose, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The launch of a branch."""
    if given[0].dtype.name not in ("bool", "int32") or not all(None not in s.shape for s in (*given, *made)):
        return None
    bodies = [_body(graph) for graph in pattern.blocks]
    reads, status = len(given) - 1, len(given) + len(made) - 1
    size, blocks = 0, []
    for body in bodies:
        if body is None or [v.spec for v in body.results] != list(made):
            return None
        room = _BlockMemory()
        homes = [_external(i) for i in range(reads + len(made))]
        blocks.append(_EncodedBlock(body, homes, room.take(_table_size(body)), room, status))
        size = max(size, room.size)
    numbers = np.array([*BranchHead(len(blocks), given[0].dtype.size), *[block.address for block in blocks]], np.int64)
    externals = inputs(*range(1, len(given))) + outputs(*range(len(made))) + (Operand("status", 0),)
    operands = BranchTable(*_describe(numbers), *inputs(0)) + externals
    return Lowered((Launch(_kernel("choose", [numbers, blocks]), operands),), (size,))


def _describe(numbers: Any) -> tuple[Operand, Operand, Operand]:
    """The beginning of the table of a loop or branch: its description, its memory, the status word."""
    return Operand("number", int(numbers.ctypes.data)), Operand("scratch", 0), Operand("status", 0)


def _kernel(name: str, keep: list[Any]) -> Kernel:
    """A kernel of the driver, with what it needs while it runs."""
    library = driver.library()
    return Kernel(library.address(name), 1, (library, *keep))
