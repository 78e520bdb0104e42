"""Elementwise kernels on large arrays: recycled memory and several threads.

Two things make NumPy slow on arrays of megabytes: every result is fresh memory, whose pages the system must clear and
map (on a 1M-float gradient this takes longer than the arithmetic), and one core works. Here results live in blocks that
are used again when the last array on them is gone, and chunks, a few per thread, are taken by the calling thread and
its workers in turn. NumPy computes without the interpreter lock, the bits of a result do not depend on the number of
threads, and a busy neighbour costs its share and no more: nobody waits at a barrier for a slow thread,
only for its last chunk.

No thread is started before the first large array. Threads obey affinity, limits of control groups and
OMP_NUM_THREADS, and come back after fork.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import threading
import weakref
from collections import deque
from typing import Any

import numpy as np

from gradtape.core import errors, hot_kernels, locks, threads

# From this many elements on, clearing fresh pages costs more than taking recycled memory.
THRESHOLD = 1 << 16
# From this many elements on, an op that runs often is worth a kernel of its own.
MIDDLE = 1 << 12
# Below this many elements a single NumPy call is quicker than handing out chunks.
_THREADED = 1 << 17
# Chunks are multiples of this many elements, so that each element meets the same SIMD lane whatever their number.
CHUNK = 1 << 15
# Arithmetic that is bound by memory: up to this many elements one thread moves the data as fast as several.
_CHEAP = frozenset((np.add, np.subtract, np.multiply, np.negative, np.square, np.maximum, np.minimum))
_CHEAP_LIMIT = 1 << 23
# Free blocks that are kept for the next result, in bytes.
KEEP = 256 << 20

_ndarray = np.ndarray
_GRAIN = 1 << 16
_LINE = 64
_free: dict[int, deque[_Memory]] = {}
_lock = locks.lock("memory")


class _Memory(weakref.ref[Any]):
    """The memory of a block. When the block is gone, it goes to what is returned.

    That is done by Python's own code in C, without a step of the interpreter: Ctrl-C in a `__del__` would be lost.
    """

    __slots__ = ("address", "array", "size")
    address: int
    array: Any
    size: int


# What dead arrays leave: in place m are sizes up to 2^m, as many as may be kept. It is sorted into the free blocks when one is needed.
_MAGNITUDES = 64
_returned = [deque[_Memory](maxlen=KEEP >> m) for m in range(_MAGNITUDES)]


class _Block:
    """Memory of one large array. NumPy keeps it as the array's base; when that is gone, the memory is free again."""

    __slots__ = ("__array_interface__", "__weakref__", "_memory")

    def __init__(self, array: Any, address: int, size: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        # Held by the block alone: a block in a cycle takes it along, and the memory goes back to NumPy.
        self._memory = memory = _Memory(self, _returned_near(size).append)
        memory.array, memory.address, memory.size = array, address, size
        self.__array_interface__ = {"shape": shape, "typestr": dtype.str, "data": (address, False), "version": 3}


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """An uninitialised array in recycled memory; dtypes that have no buffer form come from NumPy as usual."""
    if dtype.kind not in "fiucb":
        return np.empty(shape, dtype)
    size = dtype.itemsize
    for d in shape:
        size *= d
    size = -(-size // _GRAIN) * _GRAIN
    memory = _recycled(size)
    if memory is not None:
        return np.asarray(_Block(memory.array, memory.address, size, shape, dtype))
    # NumPy aligns to 16 bytes; on a cache line, vector loads never straddle two.
    array = np.empty(size + _LINE, np.uint8)
    address = -(-array.__array_interface__["data"][0] // _LINE) * _LINE
    return np.asarray(_Block(array, address, size, shape, dtype))


def _recycled(size: int) -> _Memory | None:
    """Free memory of a size; None if there is none."""
    returned = _returned_near(size)
    while returned:
        try:
            memory = returned.pop()
        except IndexError:  # another thread was quicker
            break
        if memory.size == size:
            return memory
        _free.setdefault(memory.size, deque()).append(memory)
    try:
        return _free[size].pop()
    except (KeyError, IndexError):
        if _free_bytes() > KEEP:
            release()
        return None


def _returned_near(size: int) -> deque[_Memory]:
    return _returned[min((size - 1).bit_length(), _MAGNITUDES - 1)]


def _free_bytes() -> int:
    """How many bytes wait for new arrays."""
    returned = sum([memory.size for blocks in _returned for memory in list(blocks)])
    return returned + sum([size * len(blocks) for size, blocks in list(_free.items())])


def allocate(name: str, make: Any, *args: Any, **kwargs: Any) -> Any:
    """A new array that a function of NumPy makes; an error that names the public function if there is no room for it."""
    try:
        return make(*args, **kwargs)
    except (MemoryError, ValueError) as problem:
        raise errors.no_room(problem, name) from None


def copy(array: Any, dtype: np.dtype[Any]) -> Any:
    """A C-ordered copy of a NumPy array in a dtype; in aligned, recycled memory if it is large."""
    if array.size < THRESHOLD or dtype.kind not in "fiucb":
        return np.array(array, dtype=dtype, order="C")
    result = empty(array.shape, dtype)
    np.copyto(result, array, casting="unsafe")
    return result


def owns(array: Any) -> bool:
    """True if an array owns its memory, which may be written to."""
    base = array.base
    return (base is None or type(base) is _Block) and bool(array.flags.writeable)


def release() -> None:
    """Give the free blocks back to the system."""
    for blocks in (*_returned, *list(_free.values())):
        blocks.clear()
    _free.clear()


def apply(op: Any, arrays: Any, params: dict[str, Any]) -> Any:
    """The result of an elementwise op on arrays, at least one of them large."""
    if not all(type(a) is _ndarray or isinstance(a, np.generic) for a in arrays):
        return op.kernel(*arrays, **params)
    if len(arrays) > 1 and not all(a.flags.c_contiguous for a in arrays):
        arrays = _unrepeated(arrays)
    native = hot_kernels.kernel(op, arrays, params)
    if native is not None:
        return native(*arrays)
    if max([a.size for a in arrays]) < THRESHOLD:
        return op.kernel(*arrays, **params)
    if op.ufunc in _CHEAP:
        result = _cheap(op.ufunc, *arrays)
        if result is not None:
            return result
    shapes = [a.shape for a in arrays if a.ndim]
    is_plain = all(s == shapes[0] for s in shapes)
    shape = shapes[0] if is_plain else np.broadcast_shapes(*shapes)
    probe = op.kernel(*[a if not a.ndim else a[(slice(1),) * a.ndim] for a in arrays], **params)
    result = empty(shape, probe.dtype)
    if op.ufunc is not None and result.size <= _THREADED:
        return combine(op.ufunc, *arrays, out=result)
    if is_plain and all(a.flags.c_contiguous for a in arrays if a.ndim):
        flat = [a if not a.ndim else a.reshape(-1) for a in arrays]
        _by_chunks(op, flat, params, result.reshape(-1), _chunk(result.size))
    else:
        row = max(1, result.size // max(1, shape[0]))
        padded = [a if not a.ndim else a.reshape((1,) * (len(shape) - a.ndim) + a.shape) for a in arrays]
        _by_chunks(op, padded, params, result, max(1, _chunk(result.size) // row))
    return result


def _unrepeated(arrays: Any) -> Any:
    """The arrays, where one that repeats a single number by strides of 0 is replaced by that number if another array
    gives the result its shape: the gradient of a sum, for instance."""
    shape = max([a.shape for a in arrays if any(a.strides)], key=math.prod, default=())
    if not shape:
        return arrays
    return [a[(0,) * a.ndim + (...,)] if a.shape == shape and not any(a.strides) else a for a in arrays]


def _chunk(size: int) -> int:
    """Elements per chunk: two chunks per thread. Many small ones would wait for the interpreter lock at each end."""
    return -(-size // (2 * thread_count() * CHUNK)) * CHUNK


def _cheap(ufunc: Any, a: Any, b: Any = None) -> Any:
    """The result of arithmetic that is bound by memory, if it needs no broadcasting and is not too large; else None."""
    if type(a) is not _ndarray or a.size > _CHEAP_LIMIT:
        return None
    # All that is cheap keeps the dtype.
    if b is None:
        return combine(ufunc, a, out=empty(a.shape, a.dtype))
    if type(b) is not _ndarray:
        return None
    if not b.ndim or a.shape == b.shape:
        return combine(ufunc, a, b, out=empty(a.shape, a.dtype))
    return None if a.ndim else combine(ufunc, a, b, out=empty(b.shape, b.dtype))


def combine(ufunc: Any, *arrays: Any, out: Any) -> Any:
    """One call of a ufunc, without NumPy's float warnings."""
    with np.errstate(all="ignore"):
        return ufunc(*arrays, out=out)


def _by_chunks(op: Any, arrays: list[Any], params: dict[str, Any], result: Any, step: int) -> None:
    """Fill `result` by chunks of its first axis."""
    ufunc, kernel = op.ufunc, op.kernel
    whole = [not a.ndim or a.shape[0] == 1 for a in arrays]

    def compute(start: int) -> None:
        rows = slice(start, start + step)
        parts = [a if w else a[rows] for a, w in zip(arrays, whole, strict=True)]
        if ufunc is not None:
            ufunc(*parts, out=result[rows])
        else:
            result[rows] = kernel(*parts, **params)

    run(compute, range(0, result.shape[0], step))


class _Job:
    """Chunks of one kernel, taken one by one by free threads."""

    __slots__ = ("compute", "done", "failure", "left", "next", "starts")

    def __init__(self, compute: Any, starts: range) -> None:
        self.compute, self.starts = compute, starts
        self.next = itertools.count().__next__
        self.left = len(starts)
        self.done = locks.event("chunks")
        self.failure: BaseException | None = None

    def work(self) -> None:
        """Take chunks until none is left."""
        starts, compute, count = self.starts, self.compute, len(self.starts)
        finished = 0
        # NumPy's float warnings are off in this thread only while it works here.
        with np.errstate(all="ignore"):
            while (i := self.next()) < count:
                try:
                    if self.failure is None:
                        compute(starts[i])
                except BaseException as problem:
                    self.failure = problem
                finished += 1
        if finished:
            with _lock:
                self.left -= finished
                if not self.left:
                    self.done.set()


class _Workers:
    """Daemon threads that wait for jobs; made when first needed."""

    def __init__(self) -> None:
        self.jobs: Any = None
        self.count = 0

    def start(self) -> None:
        """Start the threads, one fewer than there are cores to use."""
        from queue import SimpleQueue

        self.jobs = SimpleQueue()
        self.count = thread_count() - 1
        for i in range(self.count):
            threading.Thread(target=self._serve, args=(self.jobs,), name=f"gradtape-{i}", daemon=True).start()

    @staticmethod
    def _serve(jobs: Any) -> None:
        with threads.companion():
            while (job := jobs.get()) is not None:
                job.work()
                # The job holds arrays: a thread that waits must not keep them.
                del job

    def stop(self) -> None:
        """Stop the threads once they have finished their current work."""
        for _ in range(self.count):
            self.jobs.put(None)
        self.reset()

    def reset(self) -> None:
        """After fork the child has no workers; they are started again when needed."""
        self.jobs, self.count = None, 0


_workers = _Workers()
threads.at_fork(in_child=_workers.reset)


def thread_count() -> int:
    """How many threads large kernels use: as many as were asked for, else the cores of this process, or OMP_NUM_THREADS if
    that is fewer."""
    return _asked or _usual_count()


def set_thread_count(count: int) -> None:
    """Set the number of threads for large kernels, including the caller's; 0 for the usual number."""
    global _asked
    _asked = count
    _workers.stop()


def asked_thread_count() -> int:
    """The value passed to `set_thread_count`."""
    return _asked


_asked = 0


@functools.cache
def _usual_count() -> int:
    # The variable may be a list, with a number for each level of nested loops.
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return min(cores(), int(wanted)) if wanted.isdigit() and int(wanted) else cores()


@functools.cache
def cores() -> int:
    """How many cores this process may use, by its affinity and the limits of its control groups."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(available, _group_limit())))


def _group_limit(root: str = "/") -> float:
    """How many cores' time Linux control groups (containers) leave to this process; infinity if there is no limit."""
    limit = math.inf
    for line in _lines(f"{root}proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        # Version 2 has no controllers in this line. A container may see the path of a parent that it cannot read.
        top = f"{root}sys/fs/cgroup" + ("/cpu" if controllers else "")
        folders = [top + path[:i] for i, c in enumerate(path + "/") if c == "/"]
        for folder in folders:
            if controllers:
                quota = _lines(f"{folder}/cpu.cfs_quota_us") + _lines(f"{folder}/cpu.cfs_period_us")
            else:
                quota = " ".join(_lines(f"{folder}/cpu.max")).split()
            # Without a limit it says "max" or -1.
            if len(quota) == 2 and quota[0].isdigit() and int(quota[1]):
                limit = min(limit, int(quota[0]) / int(quota[1]))
    return limit


def _lines(path: str) -> list[str]:
    """The lines of a small file, none if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []


def run(compute: Any, starts: range) -> None:
    """Call `compute(start)` for all starts, on this thread and the workers."""
    if _workers.jobs is None:
        with _lock:
            if _workers.jobs is None:
                _workers.start()
    job = _Job(compute, starts)
    for _ in range(min(_workers.count, len(starts) - 1)):
        _workers.jobs.put(job)
    job.work()
    job.done.wait()
    if job.failure is not None:
        raise job.failure
