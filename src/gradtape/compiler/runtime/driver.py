"""The driver: a few small native functions that run any program.

A program is a block of numbers that says what to check, where to put addresses and what to launch; no machine code is made for
a program itself. `records.py` declares its parts.

An arena is the memory of one run: the tables of all steps, the status word, and room for the values in between. Its tables hold the
addresses that never change; a run patches in those of the arrays that it is given.

Loops and branches are kernels too (`repeat`, `choose`), whose blocks are programs in a program: see `blocks.py`.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import I64, POINTER, VOID
from gradtape.compiler.codegen.simd.machine import Library, add_symbol
from gradtape.compiler.runtime import disk, pool
from gradtape.compiler.runtime.records import (
    ARENA,
    EXTERNAL,
    ArrayForm,
    BlockHead,
    BranchHead,
    BranchTable,
    Carried,
    ChainJob,
    ChainStep,
    Flip,
    LaunchStep,
    LoopHead,
    LoopTable,
    Move,
    Patch,
    ProgramHead,
    TableWord,
    size_of_record,
)
from gradtape.core.caching import once

Record = TypeVar("Record", bound=tuple[Any, ...])

OK, FAILED = 0, -1

_BYTE, _INT, _BIT = ir.IntType(8), ir.IntType(32), ir.IntType(1)
# Fields of CPython's objects and of NumPy's arrays, whose order NumPy promises, in bytes.
_TYPE = object.__basicsize__ - ctypes.sizeof(ctypes.c_void_p)
_DATA = object.__basicsize__
_RANK, _DIMENSIONS, _DTYPE, _FLAGS = _DATA + 8, _DATA + 16, _DATA + 40, _DATA + 48
_ITEMS = tuple.__basicsize__
_WANTED_FLAGS = 0x1 | 0x100  # C-contiguous and aligned
# Functions of the pool.
_POOL = ("share", "now", "heard")
# Steps of one chunk each, and turns of a loop, after which it is looked whether the user wants to stop.
_FEW, _TURNS = 16, 4


@once
def library() -> Library:
    """The machine code of the driver. It finds what belongs to this process by names, so that it can be kept on disk."""
    _, state = pool.entry()
    add_symbol("gradtape_pool", state)
    add_symbol("gradtape_ndarray", id(np.ndarray))
    for name in _POOL:
        add_symbol(f"gradtape_{name}", pool.address(name))
    return disk.library(("driver", _DATA, _ITEMS), _emit)


def _emit() -> ir.Module:
    module = ir.Module(name="driver")
    _emit_chain(module)
    _emit_steps(module)
    _emit_fill(module)
    _emit_run(module)
    _emit_repeat(module)
    _emit_choose(module)
    return module


@once
def run() -> Any:
    """`run(program, arena, arrays)`: run a program on a tuple of arrays.

    Returns OK; the number of an array, from 1, that is not as the program needs it; or FAILED if a kernel has met input that is an
    error, or a handler of signals has raised: nothing has been assigned then, and `pool.raise_interruption` raises it.
    """
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.py_object)
    call: Any = kind(library().address("run"))
    call.library = library()
    return call


class Writer:
    """An IRBuilder with what the driver's functions need."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.b = ir.IRBuilder(function.append_basic_block("entry"))

    def named(self, name: str, result: ir.Type, *kinds: ir.Type) -> Any:
        """A function of this process."""
        module = self.b.module
        return module.globals.get(name) or ir.Function(module, ir.FunctionType(result, kinds), name)

    def address(self, name: str) -> Any:
        """The address that belongs to a name, as a number."""
        return self.b.ptrtoint(self.named(name, VOID), I64)

    def load(self, pointer: Any, kind: ir.Type) -> Any:
        """What lies at a pointer."""
        return self.b.load(pointer, typ=kind)

    def field(self, base: Any, offset: int, kind: ir.Type) -> Any:
        """What lies some bytes behind a pointer."""
        return self.load(self.b.gep(base, [I64(offset)], source_etype=_BYTE), kind)

    def place(self, address: Any, words: Any = 0) -> Any:
        """A pointer some words behind an address, which is a number."""
        words = I64(words) if isinstance(words, int) else words
        return self.b.gep(self.b.inttoptr(address, POINTER), [words], source_etype=I64)

    def word(self, address: Any, index: Any = 0) -> Any:
        """A word of numbers at an address."""
        return self.load(self.place(address, index), I64)

    def read(self, kind: type[Record], address: Any) -> Record:
        """A record at an address, with all its words."""
        return kind(*[self.word(address, k) for k in range(size_of_record(kind))])

    def field_of(self, address: Any, kind: type[tuple[Any, ...]], name: str) -> Any:
        """One word of a record at an address."""
        return self.word(address, kind._fields.index(name))  # type: ignore[attr-defined]

    def nth(self, kind: type[tuple[Any, ...]], first: Any, index: Any) -> Any:
        """The address of a record, by that of the first of its kind in a row, and its number."""
        return self.after(first, self.b.mul(index, I64(size_of_record(kind))))

    def behind(self, kind: type[tuple[Any, ...]], address: Any) -> Any:
        """The address of what stands behind a record."""
        return self.after(address, size_of_record(kind))

    def after(self, address: Any, words: Any) -> Any:
        """An address some words further on."""
        words = I64(8 * words) if isinstance(words, int) else self.b.mul(words, I64(8))
        return self.b.add(address, words)

    @contextlib.contextmanager
    def times(self, count: Any, name: str) -> Iterator[Any]:
        """A loop with a number of rounds, which may be 0."""
        b = self.b
        before = b.block
        head, body, done = (b.append_basic_block(f"{name}.{part}") for part in ("head", "body", "done"))
        b.branch(head)
        b.position_at_end(head)
        index = b.phi(I64)
        index.add_incoming(I64(0), before)
        b.cbranch(b.icmp_signed("<", index, count), body, done)
        b.position_at_end(body)
        yield index
        index.add_incoming(b.add(index, I64(1)), b.block)
        b.branch(head)
        b.position_at_end(done)

    def pool(self, name: str, *arguments: Any) -> Any:
        """What a function of the pool returns."""
        return self.b.call(self.named(f"gradtape_{name}", I64, *[a.type for a in arguments]), arguments)

    def clock(self) -> Any:
        """A place that holds the time when somebody looked at signals last: now."""
        asked = self.b.alloca(I64)
        self.b.store(self.pool("now"), asked)
        return self.b.ptrtoint(asked, I64)

    def answer(self, condition: Any, result: Any) -> None:
        """Return a result if a condition holds."""
        with self.b.if_then(condition, likely=False):
            self.b.ret(result)

    def copy(self, target: Any, source: Any, size: Any) -> None:
        """Copy a number of bytes from one address to another."""
        b = self.b
        memcpy = b.module.declare_intrinsic("llvm.memcpy", [POINTER, POINTER, I64])
        b.call(memcpy, [b.inttoptr(target, POINTER), b.inttoptr(source, POINTER), size, _BIT(0)])


def _function(module: ir.Module, name: str, result: ir.Type, *kinds: ir.Type, internal: bool = False) -> Writer:
    function = ir.Function(module, ir.FunctionType(result, kinds), name)
    if internal:
        function.linkage = "internal"
    return Writer(function)


def _emit_chain(module: ir.Module) -> None:
    """`chain(job, group)`: launch the kernels of a chain for a group, on one thread. A job is a `ChainJob`."""
    w = _function(module, "chain", VOID, I64, I64, internal=True)
    job, group = w.function.args
    b = w.b
    first, count, tables = w.read(ChainJob, job)
    with w.times(count, "step") as i:
        task, chunks, place, size = w.read(LaunchStep, w.nth(LaunchStep, first, i))
        table = b.add(b.add(tables, place), b.mul(group, size))
        kernel = b.inttoptr(task, ir.FunctionType(VOID, [I64, I64]).as_pointer())
        with w.times(chunks, "chunk") as chunk:
            b.call(kernel, [table, chunk])
    b.ret_void()


def _emit_steps(module: ir.Module) -> None:
    """`steps(first, count, tables, status, free, asked)`: launch kernels; not 0 if one has set the status, or a handler of signals has
    stopped one of the first `free` steps. `asked` is where the time of the last look at signals stands."""
    w = _function(module, "steps", I64, *[I64] * 6, internal=True)
    first, count, tables, status, free, asked = w.function.args
    b = w.b
    state = w.address("gradtape_pool")
    job = b.ptrtoint(b.alloca(ir.ArrayType(I64, size_of_record(ChainJob))), I64)
    stopped = b.alloca(I64)
    chain = b.ptrtoint(module.globals["chain"], I64)
    with w.times(count, "step") as i:
        task, chunks, place, checks = w.read(LaunchStep, w.nth(LaunchStep, first, i))
        table = b.add(tables, place)
        listens = b.select(b.icmp_signed("<", i, free), asked, I64(0))
        b.store(I64(0), stopped)
        with b.if_else(b.icmp_signed("==", chunks, I64(1))) as (alone, several):
            with alone:
                b.call(b.inttoptr(task, ir.FunctionType(VOID, [I64, I64]).as_pointer()), [table, I64(0)])
                with b.if_then(b.icmp_signed("==", b.and_(i, I64(_FEW - 1)), I64(_FEW - 1)), likely=False):
                    b.store(w.pool("heard", state, listens), stopped)
            with several, b.if_else(b.icmp_signed("<", chunks, I64(0))) as (grouped, shared):
                with grouped:
                    own = ChainStep(task, chunks, place, checks)
                    handed = ChainJob(w.nth(LaunchStep, first, own.first), own.launches, tables)
                    for k, word in enumerate(handed):
                        b.store(word, w.place(job, k))
                    b.store(w.pool("share", state, chain, job, b.neg(own.groups), listens), stopped)
                with shared:
                    b.store(w.pool("share", state, task, table, chunks, listens), stopped)
        with b.if_then(b.icmp_signed("!=", b.load(stopped, I64), I64(0)), likely=False):
            b.store(I64(1), w.place(status))
            b.ret(I64(1))
        with b.if_then(b.icmp_signed("!=", checks, I64(0)), likely=False):
            w.answer(b.icmp_signed("!=", w.word(status), I64(0)), I64(1))
    b.ret(I64(0))


def _emit_fill(module: ir.Module) -> None:
    """`fill(words, count, arena, externals, table)`: write a block's tables, of which each word is a `TableWord`."""
    w = _function(module, "fill", VOID, *[I64] * 5, internal=True)
    words, count, arena, externals, table = w.function.args
    b = w.b
    with w.times(count, "word") as i:
        kind, value = w.read(TableWord, w.nth(TableWord, words, i))
        is_external = b.icmp_signed(">=", kind, I64(EXTERNAL))
        which = b.select(is_external, b.sub(kind, I64(EXTERNAL)), I64(0))
        base = b.select(
            is_external, w.word(externals, which), b.select(b.icmp_signed("==", kind, I64(ARENA)), arena, I64(0))
        )
        b.store(b.add(base, value), w.place(table, i))
    b.ret_void()


def _emit_run(module: ir.Module) -> None:
    """`run(program, arena, arrays)`."""
    w = _function(module, "run", I64, I64, I64, POINTER)
    b = w.b
    program, arena, arrays = w.function.args
    head = w.read(ProgramHead, program)
    first_shape = w.behind(ProgramHead, program)
    first_patch = w.after(first_shape, head.shape_words)
    first_step = w.nth(Patch, first_patch, head.patches)
    items = b.gep(arrays, [I64(_ITEMS)], source_etype=_BYTE)
    _check(w, items, head.arrays, first_shape)
    with w.times(head.patches, "patch") as i:
        place, which, offset = w.read(Patch, w.nth(Patch, first_patch, i))
        data = w.field(w.load(b.gep(items, [which], source_etype=POINTER), POINTER), _DATA, I64)
        b.store(b.add(data, offset), w.place(b.add(arena, place)))
    status = b.add(arena, head.status)
    b.store(I64(0), w.place(status))
    failed = b.call(module.globals["steps"], [first_step, head.steps, arena, status, head.free, w.clock()])
    w.answer(b.icmp_signed("!=", failed, I64(0)), I64(FAILED))
    b.ret(I64(OK))


def _check(w: Writer, items: Any, count: Any, shapes: Any) -> None:
    """Whether the arrays are NumPy's, contiguous, and of the dtypes and shapes that the kernels were made for."""
    b = w.b
    at = b.alloca(I64)
    b.store(shapes, at)
    with w.times(count, "array") as i:
        array, answer = w.load(b.gep(items, [i], source_etype=POINTER), POINTER), b.add(i, I64(1))
        shape = b.load(at, I64)
        w.answer(b.icmp_unsigned("!=", w.field(array, _TYPE, I64), w.address("gradtape_ndarray")), answer)
        flags = b.and_(w.field(array, _FLAGS, _INT), _INT(_WANTED_FLAGS))
        w.answer(b.icmp_unsigned("!=", flags, _INT(_WANTED_FLAGS)), answer)
        dtype, rank = w.read(ArrayForm, shape)
        w.answer(b.icmp_unsigned("!=", w.field(array, _DTYPE, I64), dtype), answer)
        w.answer(b.icmp_unsigned("!=", b.zext(w.field(array, _RANK, _INT), I64), rank), answer)
        dimensions = w.field(array, _DIMENSIONS, I64)
        wanted = w.behind(ArrayForm, shape)
        with w.times(rank, "axis") as axis:
            w.answer(b.icmp_unsigned("!=", w.word(dimensions, axis), w.word(wanted, axis)), answer)
        b.store(w.after(wanted, rank), at)


def _emit_choose(module: ir.Module) -> None:
    """`choose(table, chunk)`: the kernel of a branch, whose table begins with a `BranchTable`."""
    w = _function(module, "choose", VOID, I64, I64)
    b = w.b
    address = w.function.args[0]
    table = w.read(BranchTable, address)
    externals = w.behind(BranchTable, address)
    head = w.read(BranchHead, table.description)
    index, found = b.inttoptr(table.index, POINTER), b.alloca(I64)
    with b.if_else(b.icmp_signed("==", head.index_bytes, I64(1))) as (narrow, wide):
        with narrow:
            b.store(b.zext(b.load(index, typ=_BYTE), I64), found)
        with wide:
            b.store(b.sext(b.load(index, typ=_INT), I64), found)
    wanted = b.load(found, I64)
    is_known = b.icmp_unsigned("<", wanted, head.blocks)
    wanted = b.select(is_known, wanted, b.sub(head.blocks, I64(1)))  # any other number means the last
    block = _BlockCode.read(w, w.word(w.behind(BranchHead, table.description), wanted))
    block.fill(w, table.arena, externals, table.arena)
    b.call(
        module.globals["steps"],
        [block.first_step(w), block.steps, table.arena, table.status, block.steps, w.clock()],
    )
    b.ret_void()


class _BlockCode(NamedTuple):
    """A block in machine code: the address of its first word, and how many words and steps it has."""

    first: Any
    words: Any
    steps: Any

    @classmethod
    def read(cls, w: Writer, address: Any) -> _BlockCode:
        """The block whose description is at an address."""
        head = w.read(BlockHead, address)
        return cls(w.behind(BlockHead, address), head.words, head.steps)

    def fill(self, w: Writer, arena: Any, externals: Any, tables: Any) -> None:
        """Write its tables."""
        w.b.call(w.b.module.globals["fill"], [self.first, self.words, arena, externals, tables])

    def first_step(self, w: Writer) -> Any:
        """The address of its first step."""
        return w.nth(TableWord, self.first, self.words)


class _Lists(NamedTuple):
    """The addresses of the first records of a loop, of each kind."""

    carried: Any
    moves: Any
    flips: Any


def _emit_repeat(module: ir.Module) -> None:
    """`repeat(table, chunk)`: the kernel of a loop, whose table begins with a `LoopTable`."""
    w = _function(module, "repeat", VOID, I64, I64)
    b = w.b
    address = w.function.args[0]
    table, externals = w.read(LoopTable, address), w.behind(LoopTable, address)
    arena = table.arena
    head = w.read(LoopHead, table.description)
    first_carried = w.behind(LoopHead, table.description)
    first_move = w.nth(Carried, first_carried, head.carried)
    lists = _Lists(first_carried, first_move, w.nth(Move, first_move, head.moves))
    most = b.sext(b.load(b.inttoptr(table.limit, POINTER), typ=_INT), I64)
    most = b.select(b.icmp_signed("<", most, I64(0)), head.usual, most)
    has_rows = b.icmp_signed(">=", head.rows, I64(0))
    is_beyond = b.or_(b.icmp_signed("<", most, I64(0)), b.icmp_signed(">", most, head.rows))
    with b.if_then(b.and_(has_rows, is_beyond), likely=False):
        b.store(I64(1), w.place(table.status))
        b.ret_void()
    with w.times(head.carried, "start") as i:
        value = w.read(Carried, w.nth(Carried, lists.carried, i))
        w.copy(b.add(arena, value.first_room), w.word(externals, value.source), value.size)
    body = _BlockCode.read(w, head.body)
    body.fill(w, arena, externals, arena)
    with b.if_then(b.icmp_signed("!=", head.reverse, I64(0))), w.times(head.moves, "begin") as i:
        move = w.read(Move, w.nth(Move, lists.moves, i))
        place = w.place(b.add(arena, move.place))
        distance = b.mul(b.sub(most, I64(1)), move.distance)
        b.store(b.sub(w.load(place, I64), distance), place)
    has_cond = b.icmp_signed("!=", head.cond, I64(0))
    cond = _BlockCode.read(w, b.select(has_cond, head.cond, head.body))
    with b.if_then(has_cond):
        cond.fill(w, arena, externals, b.add(arena, head.cond_tables))
    _emit_turns(w, table, head, lists, most, has_cond, cond, body)
    turns = b.sext(b.load(b.inttoptr(table.done, POINTER), typ=_INT), I64)
    is_odd = b.icmp_signed("!=", b.and_(turns, I64(1)), I64(0))
    with w.times(head.carried, "end") as i:
        value = w.read(Carried, w.nth(Carried, lists.carried, i))
        room = b.select(is_odd, value.second_room, value.first_room)
        w.copy(w.word(externals, value.target), b.add(arena, room), value.size)
    b.ret_void()


def _emit_turns(
    w: Writer,
    table: LoopTable,
    head: LoopHead,
    lists: _Lists,
    most: Any,
    has_cond: Any,
    cond: _BlockCode,
    body: _BlockCode,
) -> None:
    """The turns of a loop; their number is stored at `table.done`."""
    b, arena, status = w.b, table.arena, table.status
    run = b.module.globals["steps"]
    body_step, cond_step = body.first_step(w), cond.first_step(w)
    cond_tables, flag = b.add(arena, head.cond_tables), b.inttoptr(b.add(arena, head.flag), POINTER)
    asked, go_on = w.clock(), b.alloca(_BIT)
    before = b.block
    start, test, turn, end = (b.append_basic_block(f"turn.{name}") for name in ("head", "test", "body", "end"))
    b.branch(start)
    b.position_at_end(start)
    count = b.phi(I64)
    count.add_incoming(I64(0), before)
    is_last = b.and_(b.icmp_signed(">=", most, I64(0)), b.icmp_signed(">=", count, most))
    b.cbranch(is_last, end, test)
    b.position_at_end(test)
    b.store(_BIT(1), go_on)
    with b.if_then(has_cond):
        b.call(run, [cond_step, cond.steps, cond_tables, status, cond.steps, asked])
        b.store(b.icmp_unsigned("!=", b.load(flag, typ=_BYTE), _BYTE(0)), go_on)
    b.cbranch(b.load(go_on, _BIT), turn, end)
    end_from = [start, b.block]
    b.position_at_end(turn)
    b.call(run, [body_step, body.steps, arena, status, body.steps, asked])
    _emit_changes(w, arena, head, lists, count)
    with b.if_then(b.icmp_signed("==", b.and_(count, I64(_TURNS - 1)), I64(_TURNS - 1)), likely=False):
        heard = w.pool("heard", w.address("gradtape_pool"), asked)
        with b.if_then(b.icmp_signed("!=", heard, I64(0)), likely=False):
            b.store(I64(1), w.place(status))
    failed = b.icmp_signed("!=", w.word(status), I64(0))
    following = b.add(count, I64(1))
    count.add_incoming(following, b.block)
    turn_end = b.block
    b.cbranch(failed, end, start)
    b.position_at_end(end)
    total = b.phi(I64)
    for block in end_from:
        total.add_incoming(count, block)
    total.add_incoming(following, turn_end)
    b.store(b.trunc(total, _INT), b.inttoptr(table.done, POINTER))


def _emit_changes(w: Writer, arena: Any, head: LoopHead, lists: _Lists, count: Any) -> None:
    """What changes in the tables between turns: rows move on, carried values change rooms."""
    b = w.b
    with w.times(head.moves, "move") as i:
        move = w.read(Move, w.nth(Move, lists.moves, i))
        place = w.place(b.add(arena, move.place))
        b.store(b.add(w.load(place, I64), move.distance), place)
    with w.times(head.flips, "flip") as i:
        flip = w.read(Flip, w.nth(Flip, lists.flips, i))
        place = w.place(b.add(arena, flip.place))
        value = w.nth(Carried, lists.carried, flip.carried)
        distance = b.sub(w.field_of(value, Carried, "second_room"), w.field_of(value, Carried, "first_room"))
        is_back = b.icmp_signed("!=", b.and_(b.xor(count, flip.second), I64(1)), I64(0))
        distance = b.select(is_back, b.neg(distance), distance)
        b.store(b.add(w.load(place, I64), distance), place)
