"""Kernels: machine code that computes one step of a program, and how the nodes of a graph become steps.

A kernel is a native function `task(table, chunk)`: the table holds the addresses of its operands, a chunk is a fixed part of the
work. Chunks may run in any order and on any thread. What a node of a graph does is **Lowered**: launches of kernels on the
memory of its inputs, its outputs, and of temporaries.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler import debug
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Code, Library, assembly, has_symbols, load, translate
from gradtape.compiler.runtime import disk, pool, translator
from gradtape.compiler.runtime.program import Misfit
from gradtape.core import disk_cache, locks
from gradtape.core.shape import Spec


class Kernel(NamedTuple):
    """Machine code.

    Attributes:
      task: the address of `void task(int64 table, int64 chunk)`, or what finds it when it is first needed.
      chunks: into how many parts the work is cut; 0 if there is nothing to do.
      library: keeps the code.
    """

    task: int | Promised
    chunks: int
    library: Any

    @property
    def address(self) -> int:
        """The address of the function."""
        return self.task if isinstance(self.task, int) else self.task.address


class Promised:
    """A kernel whose good code is being made: until it is there, quickly made code runs, with the same results.

    Programs keep addresses of kernels as numbers in arrays. They are overwritten when the good code has come, also while a program runs: it
    launches either the one or the other.
    """

    def __init__(self, job: translator.Job, text: str | None, name: str, chunks: int) -> None:
        self._job, self._text, self._name, self._chunks = job, text, name, chunks
        self._folder = disk_cache.folder()  # good code is kept there, unless another one is named until it comes
        self._quick: Library | None = None  # lives on with the good one: it may be running
        self._good: Library | None = None
        self._users: list[tuple[weakref.ref[Any], int]] = []

    @property
    def address(self) -> int:
        """The address of the function, which is now put into this process."""
        library = self._good or self._quick
        if library is None:
            code, is_good = self._job.code()
            if is_good:
                self._improve(code)
            else:
                quick = load(code)
                with _LOCK:
                    self._quick = self._quick or quick
                self._job.then(self._improve)
            library = self._good or self._quick
            assert library is not None
        return library.address(self._name)

    def follow(self, numbers: Any, place: int) -> None:
        """Keep the address in a place of an array of numbers, where it is now."""
        with _LOCK:
            if self._good is None:
                self._users.append((weakref.ref(numbers), place))
            else:
                numbers[place] = self._good.address(self._name)

    def _improve(self, code: Code) -> None:
        """Good code has come: put it into this process, on disk, and where the address is kept."""
        if self._good is not None:
            return
        text = self._text if disk_cache.folder() == self._folder else None
        good = _keep(text, disk.StoredKernel(code, self._name, self._chunks))
        address = good.address(self._name)
        with _LOCK:
            if self._good is None:
                self._good = good
                for user, place in self._users:
                    numbers = user()
                    if numbers is not None:
                        numbers[place] = address
                self._users.clear()


NOTHING = Kernel(0, 0, None)  # what there is to do for an empty array


class Operand(NamedTuple):
    """An address in a kernel's table.

    Attributes:
      kind: "input", "output" or "scratch"; "number", a size that stands in the table itself, so that shapes share a kernel; or
        "status", a word that is 0: a kernel that meets input which is an error sets it.
      number: which of the node's; of a "number", the number.
      offset: bytes from its beginning.
    """

    kind: str
    number: int
    offset: int = 0


class Launch(NamedTuple):
    """A kernel on the memory of a node."""

    kernel: Kernel
    operands: tuple[Operand, ...]


class Grouped(NamedTuple):
    """Launches that run one after the other for each group of rows, each group on a separate thread (`compiler/lowering/chains.py`).

    Attributes:
      groups: how many there are.
      launches: for the first group.
      steps: for each launch, how many bytes each of its operands moves on from a group to the next; 0 for numbers.
    """

    groups: int
    launches: tuple[Launch, ...]
    steps: tuple[tuple[int, ...], ...]


class Update(NamedTuple):
    """How the result of a node is made where it already lies over an input: only what differs is written.

    Attributes:
      input: which one. No other operand may share its memory.
      launches: what runs instead.
    """

    input: int
    launches: tuple[Launch, ...]


class Lowered(NamedTuple):
    """What a node does, in machine code. All arrays are C-contiguous.

    Attributes:
      launches: run one after the other.
      scratch: bytes of each temporary.
      shares: (output, input) pairs that may be the same memory: every element of the input is read before the element
        of the output at the same place is written, by the same chunk, and by no other chunk.
      views: (output, input) pairs that are the same memory, such as a reshape's: nothing is computed for them.
      grouped: launches for groups of rows, of a chain, which has no others.
      update: the same over an input that nobody reads afterwards, as a loop fills an array row by row.
    """

    launches: tuple[Launch, ...]
    scratch: tuple[int, ...] = ()
    shares: tuple[tuple[int, int], ...] = ()
    views: tuple[tuple[int, int], ...] = ()
    grouped: Grouped | None = None
    update: Update | None = None


def inputs(*numbers: int) -> tuple[Operand, ...]:
    """The operands that are a node's inputs."""
    return tuple([Operand("input", i) for i in numbers])


def outputs(*numbers: int) -> tuple[Operand, ...]:
    """The operands that are a node's outputs."""
    return tuple([Operand("output", i) for i in numbers])


def get_kernel(key: Hashable, emit: Callable[[ir.Module], tuple[ir.Function, int]], work: float = 0.0) -> Kernel:
    """The kernel of a key, compiled once: equal keys share it.

    Args:
      key: says everything that the machine code depends on.
      emit: writes the function `task` and what it needs into a module; returns it, and the number of chunks.
      work: about how many multiplications, or as costly operations, a launch takes. A kernel with much work has good code from the
        beginning: running other code once would take longer than making it.
    """
    if _listening.texts is not None:
        _listening.add(emit)
    text = disk.text_of(key)
    name: Any = key if text is None else text  # equal numbers are not always the same: 0.0 and -0.0
    with _LOCK:
        found = _KERNELS.get(name)
        if found is not None:
            _KERNELS.move_to_end(name)
            return found
    made = _make(text, emit, work)
    with _LOCK:
        _KERNELS[name] = made
        if len(_KERNELS) > _KEPT:
            _KERNELS.popitem(last=False)
    return made


_MUCH = 2e8
# Kernels; the least recently used go first, and their code with the last program that runs it. Each takes some 40 KB and two maps of
# memory, of which Linux gives a process 65,530.
_KEPT = 1024
_KERNELS: OrderedDict[Any, Kernel] = OrderedDict()
_LOCK = locks.rlock("kernels")


def _make(text: str | None, emit: Callable[[ir.Module], tuple[ir.Function, int]], work: float) -> Kernel:
    """A kernel from the disk, or a new one, which is put there."""
    # What somebody wants to see is made again.
    is_new = text is None or debug.wants("tier=0") or debug.wants("llvm") or debug.wants("asm")
    entry = None if text is None or is_new else disk.load(text)
    if entry is not None and has_symbols(entry.code.imports):
        library = load(entry.code)
    else:
        module = ir.Module(name="kernel")
        task, chunks = emit(module)
        if chunks == 0:
            return Kernel(0, 0, None)
        if debug.wants("llvm"):
            debug.show(f"LLVM of a kernel {'' if text is None else text[:80]}", module)
        if debug.wants("asm"):
            debug.show(f"assembly of a kernel {'' if text is None else text[:80]}", assembly(module))
        if translator.is_gathering():
            job = translator.hand_in(str(module), work >= _MUCH)
            return Kernel(Promised(job, text, task.name, chunks), chunks, None)
        entry = disk.StoredKernel(translate(module), task.name, chunks)
        library = _keep(text, entry)
    return Kernel(library.address(entry.task), entry.chunks, library)


def _keep(text: str | None, entry: disk.StoredKernel) -> Library:
    """A new kernel in this process, and on disk."""
    if text is not None:
        disk.store(text, entry)
    return load(entry.code)


class _Listening(threading.local):
    """Who wants to read what is handed to LLVM on this thread."""

    texts: list[str] | None = None

    def add(self, emit: Callable[[ir.Module], tuple[ir.Function, int]]) -> None:
        """Write a kernel once more, for its text."""
        module = ir.Module(name="kernel")
        if emit(module)[1] and self.texts is not None:
            self.texts.append(str(module))


_listening = _Listening()


@contextlib.contextmanager
def texts() -> Iterator[list[str]]:
    """The texts of the kernels that are asked for in a block, also of those that are compiled already."""
    before, _listening.texts = _listening.texts, []
    try:
        yield _listening.texts
    finally:
        _listening.texts = before


def execute(lowered: Lowered, arrays: Sequence[Any], specs: Sequence[Spec]) -> tuple[Any, ...]:
    """The outputs of a node for arrays, in new arrays. Programs do this natively; this is for one node alone."""
    made, run = prepare(lowered, arrays, specs)
    run()
    return made


def prepare(
    lowered: Lowered, arrays: Sequence[Any], specs: Sequence[Spec]
) -> tuple[tuple[Any, ...], Callable[[], None]]:
    """New arrays for the outputs of a node, and a function that computes them; Misfit if the input is an error."""
    given = [plain(x) for x in arrays]
    made = [np.empty(s.shape, s.dtype.numpy) for s in specs]
    for output, i in lowered.views:
        made[output] = given[i].reshape(-1).view(specs[output].dtype.numpy).reshape(specs[output].shape)
    memory = {"input": given, "output": made, "scratch": [_allocate(size) for size in lowered.scratch]}
    status = np.zeros(1, np.int64)
    memory["status"] = [status]
    tables: list[Any] = []
    launches: list[tuple[Kernel, int]] = []
    for kernel, operands in lowered.launches:
        if kernel.chunks:
            words = [
                o.number if o.kind == "number" else memory[o.kind][o.number].ctypes.data + o.offset for o in operands
            ]
            tables.append(np.array(words, np.int64))
            launches.append((kernel, tables[-1].ctypes.data))

    def run() -> None:
        assert memory
        assert len(tables) == len(launches)  # their addresses are in use, and those of the memory in them
        for kernel, table in launches:
            pool.parallel_for(kernel.address, table, kernel.chunks)
        if status[0]:
            raise Misfit

    return tuple(made), run


def _allocate(size: int) -> Any:
    """Memory that begins with a cache line, as a program's temporaries do."""
    memory = np.empty(size + 63, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size]


def plain(x: Any) -> Any:
    """A contiguous ndarray of a value."""
    if type(x) is np.ndarray and x.flags.c_contiguous:
        return x
    return np.ascontiguousarray(x).reshape(np.shape(x))
