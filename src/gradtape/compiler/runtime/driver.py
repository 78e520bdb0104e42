"""The driver: a few small native functions that run any program.

A program is a block of numbers that says what to check, where to put addresses and what to launch; no machine code is made for
a program itself. Its layout, in 64-bit words:

    number of arrays, of shape words, of patches, of steps, place of the status word in the arena (bytes), number of the steps at the
    beginning that a handler of signals may stop: later ones may have changed variables
    for each array    address of its dtype object, rank, dimensions
    for each patch    place in the arena (bytes), which array, offset into its data (bytes)
    for each step     address of the kernel, chunks, place of its table (bytes), 1 if it may set the status

An arena is the memory of one run: the tables of all steps, the status word, and room for the values in between. Its tables hold the
addresses that never change; a run patches in those of the arrays that it is given.

Loops and branches are kernels too (`repeat`, `choose`), whose blocks are programs in a program: see `blocks.py`.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Library, llvm
from gradtape.compiler.runtime import disk, pool
from gradtape.compiler.runtime.entry import I64, POINTER, VOID
from gradtape.core.caching import once

HEADER = 6
# Words of a step: a kernel's address, its chunks, the place of its table, and 1 if it may set the status. Or, of a chain: how many steps
# behind the first of all its own begin, how many groups there are, with a minus sign, how many steps it has, and nothing. In place of the
# 1 these have the bytes from the table of a group to that of the next.
STEP = 4
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
_FEW, _TURNS = (
    16,
    4,
)  # steps of one chunk each, and turns of a loop, after which it is looked whether the user wants to stop


@once
def library() -> Library:
    """The machine code of the driver. It finds what belongs to this process by names, so that it can be kept on disk."""
    _, state = pool.entry()
    llvm().add_symbol("gradtape_pool", state)
    llvm().add_symbol("gradtape_ndarray", id(np.ndarray))
    for name in _POOL:
        llvm().add_symbol(f"gradtape_{name}", pool.address(name))
    return disk.library(("driver", _DATA, _ITEMS), _emitted)


def _emitted() -> ir.Module:
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

    def after(self, address: Any, words: Any) -> Any:
        """An address some words further on."""
        words = I64(8 * words) if isinstance(words, int) else self.b.mul(words, I64(8))
        return self.b.add(address, words)

    @contextlib.contextmanager
    def times(self, count: Any, name: str) -> Iterator[Any]:
        """A loop of so many rounds, perhaps none."""
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
        """So many bytes from one address to another."""
        b = self.b
        memcpy = b.module.declare_intrinsic("llvm.memcpy", [POINTER, POINTER, I64])
        b.call(memcpy, [b.inttoptr(target, POINTER), b.inttoptr(source, POINTER), size, _BIT(0)])


def _function(module: ir.Module, name: str, result: ir.Type, *kinds: ir.Type, internal: bool = False) -> Writer:
    function = ir.Function(module, ir.FunctionType(result, kinds), name)
    if internal:
        function.linkage = "internal"
    return Writer(function)


def _emit_chain(module: ir.Module) -> None:
    """`chain(job, group)`: launch the kernels of a chain for a group, on one thread. A job is the steps, their number, and the tables."""
    w = _function(module, "chain", VOID, I64, I64, internal=True)
    job, group = w.function.args
    b = w.b
    first, count, tables = [w.word(job, k) for k in range(3)]
    with w.times(count, "step") as i:
        task, chunks, place, size = [w.word(w.after(first, b.mul(i, I64(STEP))), k) for k in range(STEP)]
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
    job = b.ptrtoint(b.alloca(ir.ArrayType(I64, 3)), I64)
    stopped = b.alloca(I64)
    chain = b.ptrtoint(module.globals["chain"], I64)
    with w.times(count, "step") as i:
        step = w.after(first, b.mul(i, I64(STEP)))
        task, chunks, place, checks = [w.word(step, k) for k in range(STEP)]
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
                    own = w.after(first, b.mul(task, I64(STEP)))
                    for k, word in enumerate((own, place, tables)):
                        b.store(word, w.place(job, k))
                    b.store(w.pool("share", state, chain, job, b.neg(chunks), listens), stopped)
                with shared:
                    b.store(w.pool("share", state, task, table, chunks, listens), stopped)
        with b.if_then(b.icmp_signed("!=", b.load(stopped, I64), I64(0)), likely=False):
            b.store(I64(1), w.place(status))
            b.ret(I64(1))
        with b.if_then(b.icmp_signed("!=", checks, I64(0)), likely=False):
            w.answer(b.icmp_signed("!=", w.word(status), I64(0)), I64(1))
    b.ret(I64(0))


def _emit_fill(module: ir.Module) -> None:
    """`fill(words, count, arena, externals, table)`: write a block's tables.

    A word is a kind and a value: 0 for the value itself, 1 for an address in the arena, from 2 on for one behind an external pointer.
    """
    w = _function(module, "fill", VOID, *[I64] * 5, internal=True)
    words, count, arena, externals, table = w.function.args
    b = w.b
    with w.times(count, "word") as i:
        pair = w.after(words, b.mul(i, I64(2)))
        kind, value = w.word(pair, 0), w.word(pair, 1)
        is_external = b.icmp_signed(">=", kind, I64(2))
        which = b.select(is_external, b.sub(kind, I64(2)), I64(0))
        base = b.select(
            is_external, w.word(externals, which), b.select(b.icmp_signed("==", kind, I64(1)), arena, I64(0))
        )
        b.store(b.add(base, value), w.place(table, i))
    b.ret_void()


def _emit_run(module: ir.Module) -> None:
    """`run(program, arena, arrays)`."""
    w = _function(module, "run", I64, I64, I64, POINTER)
    b = w.b
    program, arena, arrays = w.function.args
    count, shape_words, patches, steps, status, free = [w.word(program, i) for i in range(HEADER)]
    first_shape = w.after(program, HEADER)
    first_patch = w.after(first_shape, shape_words)
    first_step = w.after(first_patch, b.mul(patches, I64(3)))
    items = b.gep(arrays, [I64(_ITEMS)], source_etype=_BYTE)
    _check(w, items, count, first_shape)
    with w.times(patches, "patch") as i:
        patch = w.after(first_patch, b.mul(i, I64(3)))
        place, which, offset = [w.word(patch, k) for k in range(3)]
        data = w.field(w.load(b.gep(items, [which], source_etype=POINTER), POINTER), _DATA, I64)
        b.store(b.add(data, offset), w.place(b.add(arena, place)))
    status = b.add(arena, status)
    b.store(I64(0), w.place(status))
    failed = b.call(module.globals["steps"], [first_step, steps, arena, status, free, w.clock()])
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
        w.answer(b.icmp_unsigned("!=", w.field(array, _DTYPE, I64), w.word(shape)), answer)
        rank = w.word(shape, 1)
        w.answer(b.icmp_unsigned("!=", b.zext(w.field(array, _RANK, _INT), I64), rank), answer)
        dimensions = w.field(array, _DIMENSIONS, I64)
        with w.times(rank, "axis") as axis:
            wanted = w.word(shape, b.add(axis, I64(2)))
            w.answer(b.icmp_unsigned("!=", w.word(dimensions, axis), wanted), answer)
        b.store(w.after(shape, b.add(rank, I64(2))), at)


def _emit_choose(module: ir.Module) -> None:
    """`choose(table, chunk)`: the kernel of a branch. Its table: description, arena, status, index, externals.

    The description: number of blocks; bytes of the index; for each block the address of its own: number of words, number of
    steps, words of the tables, steps.
    """
    w = _function(module, "choose", VOID, I64, I64)
    b = w.b
    table = w.function.args[0]
    description, arena, status, index = [w.word(table, i) for i in range(4)]
    externals = w.after(table, 4)
    count = w.word(description)
    found = b.alloca(I64)
    with b.if_else(b.icmp_signed("==", w.word(description, 1), I64(1))) as (narrow, wide):
        with narrow:
            b.store(b.zext(b.load(b.inttoptr(index, POINTER), typ=_BYTE), I64), found)
        with wide:
            b.store(b.sext(b.load(b.inttoptr(index, POINTER), typ=_INT), I64), found)
    wanted = b.load(found, I64)
    is_known = b.icmp_unsigned("<", wanted, count)
    wanted = b.select(is_known, wanted, b.sub(count, I64(1)))  # any other number means the last
    block = w.word(description, b.add(wanted, I64(2)))
    words, steps = w.word(block, 0), w.word(block, 1)
    first = w.after(block, 2)
    b.call(module.globals["fill"], [first, words, arena, externals, arena])
    first_step = w.after(first, b.mul(words, I64(2)))
    b.call(module.globals["steps"], [first_step, steps, arena, status, steps, w.clock()])
    b.ret_void()


def _emit_repeat(module: ir.Module) -> None:
    """`repeat(table, chunk)`: the kernel of a loop. Its table: description, arena, status, limit, count of steps, externals.

    The description, in words:

        0  number of steps if the limit is negative, -1 for no end    1  number of rows that there are, -1 if there are none
        2  address of the body's block     3  address of the block of the condition, or 0
        4  place of the condition's tables in the arena, 5  place of its result
        6  1 if rows are taken from the last on
        7  number of carried values, 8 of moves, 9 of flips
        for each carried value  external with its first value, external for its last, bytes, places of its two rooms
        for each move           place in the arena, bytes by which a step moves it
        for each flip           place in the arena, which carried value: a step changes to the other room; 1 if it begins in the second
    """
    w = _function(module, "repeat", VOID, I64, I64)
    b = w.b
    table = w.function.args[0]
    description, arena, status, limit, done = [w.word(table, i) for i in range(5)]
    externals = w.after(table, 5)
    usual, rows, body, cond, cond_place, flag, reverse, carried, moves, flips = [
        w.word(description, i) for i in range(10)
    ]
    first_carried = w.after(description, 10)
    first_move = w.after(first_carried, b.mul(carried, I64(5)))
    first_flip = w.after(first_move, b.mul(moves, I64(2)))
    most = b.sext(b.load(b.inttoptr(limit, POINTER), typ=_INT), I64)
    most = b.select(b.icmp_signed("<", most, I64(0)), usual, most)
    has_rows = b.icmp_signed(">=", rows, I64(0))
    is_beyond = b.or_(b.icmp_signed("<", most, I64(0)), b.icmp_signed(">", most, rows))
    with b.if_then(b.and_(has_rows, is_beyond), likely=False):
        b.store(I64(1), w.place(status))
        b.ret_void()
    with w.times(carried, "start") as i:
        entry = w.after(first_carried, b.mul(i, I64(5)))
        source = w.word(externals, w.word(entry, 0))
        w.copy(b.add(arena, w.word(entry, 3)), source, w.word(entry, 2))
    fill = module.globals["fill"]
    body_words, body_steps = w.word(body, 0), w.word(body, 1)
    body_first = w.after(body, 2)
    b.call(fill, [body_first, body_words, arena, externals, arena])
    with b.if_then(b.icmp_signed("!=", reverse, I64(0))), w.times(moves, "begin") as i:
        entry = w.after(first_move, b.mul(i, I64(2)))
        place = w.place(b.add(arena, w.word(entry, 0)))
        distance = b.mul(b.sub(most, I64(1)), w.word(entry, 1))
        b.store(b.sub(w.load(place, I64), distance), place)
    body_step = w.after(body_first, b.mul(body_words, I64(2)))
    has_cond = b.icmp_signed("!=", cond, I64(0))
    cond_tables = b.add(arena, cond_place)
    cond_or_body = b.select(has_cond, cond, body)
    cond_words, cond_steps = w.word(cond_or_body, 0), w.word(cond_or_body, 1)
    cond_first = w.after(cond_or_body, 2)
    with b.if_then(has_cond):
        b.call(fill, [cond_first, cond_words, arena, externals, cond_tables])
    cond_step = w.after(cond_first, b.mul(cond_words, I64(2)))
    _turn(module, w, most, has_cond, (cond_step, cond_steps, cond_tables, b.add(arena, flag)),
          (body_step, body_steps), (first_move, moves, first_flip, flips, first_carried), arena, status, done)  # fmt: skip
    turns = b.sext(b.load(b.inttoptr(done, POINTER), typ=_INT), I64)
    is_odd = b.icmp_signed("!=", b.and_(turns, I64(1)), I64(0))
    with w.times(carried, "end") as i:
        entry = w.after(first_carried, b.mul(i, I64(5)))
        room = b.select(is_odd, w.word(entry, 4), w.word(entry, 3))
        w.copy(w.word(externals, w.word(entry, 1)), b.add(arena, room), w.word(entry, 2))
    b.ret_void()


def _turn(
    module: ir.Module,
    w: Writer,
    most: Any,
    has_cond: Any,
    cond: Any,
    body: Any,
    changes: Any,
    arena: Any,
    status: Any,
    done: Any,
) -> None:
    """The turns of a loop; their number is stored at `done`."""
    b = w.b
    cond_step, cond_steps, cond_tables, flag = cond
    body_step, body_steps = body
    first_move, moves, first_flip, flips, first_carried = changes
    run = module.globals["steps"]
    asked, go_on = w.clock(), b.alloca(_BIT)
    before = b.block
    head, test, turn, end = (b.append_basic_block(f"turn.{name}") for name in ("head", "test", "body", "end"))
    b.branch(head)
    b.position_at_end(head)
    count = b.phi(I64)
    count.add_incoming(I64(0), before)
    is_last = b.and_(b.icmp_signed(">=", most, I64(0)), b.icmp_signed(">=", count, most))
    b.cbranch(is_last, end, test)
    b.position_at_end(test)
    b.store(_BIT(1), go_on)
    with b.if_then(has_cond):
        b.call(run, [cond_step, cond_steps, cond_tables, status, cond_steps, asked])
        b.store(b.icmp_unsigned("!=", b.load(b.inttoptr(flag, POINTER), typ=_BYTE), _BYTE(0)), go_on)
    b.cbranch(b.load(go_on, _BIT), turn, end)
    end_from = [head, b.block]
    b.position_at_end(turn)
    b.call(run, [body_step, body_steps, arena, status, body_steps, asked])
    with w.times(moves, "move") as i:
        entry = w.after(first_move, b.mul(i, I64(2)))
        place = w.place(b.add(arena, w.word(entry, 0)))
        b.store(b.add(w.load(place, I64), w.word(entry, 1)), place)
    with w.times(flips, "flip") as i:
        entry = w.after(first_flip, b.mul(i, I64(3)))
        place = w.place(b.add(arena, w.word(entry, 0)))
        rooms = w.after(first_carried, b.mul(w.word(entry, 1), I64(5)))
        distance = b.sub(w.word(rooms, 4), w.word(rooms, 3))
        is_back = b.icmp_signed("!=", b.and_(b.xor(count, w.word(entry, 2)), I64(1)), I64(0))
        distance = b.select(is_back, b.neg(distance), distance)
        b.store(b.add(w.load(place, I64), distance), place)
    with b.if_then(b.icmp_signed("==", b.and_(count, I64(_TURNS - 1)), I64(_TURNS - 1)), likely=False):
        heard = w.pool("heard", w.address("gradtape_pool"), asked)
        with b.if_then(b.icmp_signed("!=", heard, I64(0)), likely=False):
            b.store(I64(1), w.place(status))
    failed = b.icmp_signed("!=", w.word(status), I64(0))
    following = b.add(count, I64(1))
    count.add_incoming(following, b.block)
    turn_end = b.block
    b.cbranch(failed, end, head)
    b.position_at_end(end)
    total = b.phi(I64)
    for block in end_from:
        total.add_incoming(count, block)
    total.add_incoming(following, turn_end)
    b.store(b.trunc(total, _INT), b.inttoptr(done, POINTER))
