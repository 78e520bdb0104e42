"""The thread pool of compiled programs: the chunks of a job are shared by its caller and a few workers.

Workers are threads that live in machine code, without the interpreter lock; which of them computes a chunk makes no
difference to the result. The caller works too and waits for nobody but the owner of an unfinished chunk: a
neighbour that takes a core costs its share and no more. A job that meets another one, or that is started by a chunk of
another one, runs on its caller's thread alone, so nothing can wait in a circle.

No machine code is made before the first job, no thread is started before the first one of several chunks; after fork
the child starts its own.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import platform
import sys
import threading
import time
from _thread import start_new_thread
from typing import Any, cast

from gradtape.compiler.runtime import pool_code, pool_sleep
from gradtape.core import errors, locks, memory
from gradtape.core.threads import at_fork

# How long a thread without work spins before it sleeps, in seconds: waking it up takes half as long, and the interpreter
# seldom needs more between two jobs of an eager training step.
SPIN = 200e-6
# How long the end of the process waits for workers to leave, in seconds; they leave at once unless they have a chunk.
_PATIENCE = 1.0
_ALIGNMENT = 128

_int64, _address = ctypes.c_int64, ctypes.c_void_p


class Pool:
    """Threads that share the chunks of one job at a time.

    Programs use the one pool behind this module's functions. A pool that has run a job is never freed, since its threads
    may be in its code until the process ends.

    Args:
      threads: how many threads compute, the caller among them; 0 for `large.thread_count()`.
      futex: whether threads sleep by futex, which Linux has, or by a monitor; None for what the system has.
    """

    def __init__(self, threads: int = 0, futex: bool | None = None) -> None:
        self._wanted = threads
        self._futex = pool_sleep.has_futex(sys.platform, platform.machine()) if futex is None else futex
        # A signal's handler or a finalizer may run a job within any of the methods that hold it.
        self._mutex = locks.rlock("pool")
        self._code: _Code | None = None
        self._ended: list[threading.Lock] = []
        self._is_closed = False

    def parallel_for(self, task_address: int, argument: int, chunks: int) -> None:
        """Call the native function `task(argument, chunk)` for every chunk from 0 on, on several threads. Raises what a handler of
        signals raises meanwhile; chunks may be missing then.

        Args:
          task_address: address of a function `void task(int64 argument, int64 chunk)`.
          argument: handed to the task, usually the address of what it needs.
          chunks: how many there are.
        """
        code = self._code or self._assemble()
        if code.parallel_for(code.state, task_address, argument, chunks):
            code.raise_interruption()

    def entry(self) -> tuple[int, int]:
        """Addresses of `int64 parallel_for(state, int64 task, int64 argument, int64 chunks)` and of its state, which are
        the same as long as the process lives, after fork too. If it does not return 0, call `raise_interruption`."""
        return self.address("parallel_for"), (self._code or self._assemble()).state

    def address(self, name: str) -> int:
        """The address of a function that `pool_code.assembly` defines."""
        return (self._code or self._assemble()).address(name)

    def raise_interruption(self) -> None:
        """Raise what a handler of signals, such as that of Ctrl-C, has raised while machine code ran; nothing if none has."""
        if self._code is not None:
            self._code.raise_interruption()

    def threads(self) -> int:
        """How many threads compute a job, its caller among them."""
        return self._wanted or memory.thread_count()

    def set_threads(self, count: int) -> None:
        """Let so many threads compute a job, its caller among them; 0 for `large.thread_count()`.

        Jobs that run are finished as they were begun.

        >>> from gradtape.compiler.runtime import pool
        >>> pool.set_threads(2)
        >>> pool.threads()
        2
        >>> pool.set_threads(0)
        """
        if count < 0:
            raise errors.build(
                errors.InvalidArgumentError,
                f"set_threads: count is {count}, a number of threads cannot be negative.",
                "give 1 for no other thread than the caller's, or 0 for the default.",
            )
        with self._mutex:
            self._wanted = count
            if self._code is not None:
                self._code.dismiss(self._code.state)

    def close(self) -> None:
        """Send the workers home for ever; jobs run on their caller's thread from now on."""
        with self._mutex:
            self._is_closed = True
            if self._code is not None:
                self._code.dismiss(self._code.state)
        deadline = time.monotonic() + _PATIENCE
        self._ended = [e for e in self._ended if not e.acquire(timeout=max(0.0, deadline - time.monotonic()))]

    def _assemble(self) -> _Code:
        """The machine code and its state; the pool lives for ever from now on."""
        with self._mutex:
            if self._code is None:
                code = _Code(self._futex, self._start)
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))
                atexit.register(self.close)
                at_fork(in_child=self._after_fork)
                self._code = code
            return self._code

    def _start(self) -> None:
        """Start the workers; called by the machine code at the first job, or the first after `dismiss`."""
        with self._mutex:
            code, count = self._code, 0 if self._is_closed else self.threads() - 1
            if code is None:
                return
            # More threads than cores: one that spins would keep another one from its work.
            code.write("spins", code.pauses(SPIN) if count < memory.cores() else 0)
            self._ended = [ended for ended in self._ended if ended.locked()]
            started, crew = 0, code.read("crew")
            # Where the system refuses a thread, those that there are do the work.
            with contextlib.suppress(RuntimeError):
                for place in range(count):
                    ended = locks.lock("worker")
                    ended.acquire()
                    start_new_thread(_serve, (code, crew, 1 + place, ended))
                    self._ended.append(ended)
                    started += 1
            code.write("workers", started)

    def _after_fork(self) -> None:
        """Forget the workers, which stayed in the parent, and whatever they or another caller had begun."""
        self._ended = []
        if self._code is not None:
            self._code.reset(self._code.state)


def _serve(code: _Code, crew: int, place: int, ended: threading.Lock) -> None:
    # Started without `threading`, so that nobody who counts the program's threads meets this one.
    code.worker(code.state, crew, place)
    ended.release()


class _Code:
    """The pool's machine code and the memory it works on.

    Attributes:
      state: address of the memory.
      parallel_for, worker, dismiss, reset: functions of the code.
    """

    def __init__(self, futex: bool, start: Any) -> None:
        self._library = _library(futex)
        self._memory = ctypes.create_string_buffer(pool_code.STATE_SIZE + _ALIGNMENT)
        self.state = -(-ctypes.addressof(self._memory) // _ALIGNMENT) * _ALIGNMENT
        self.parallel_for = self._function("parallel_for", _address, _int64, _int64, _int64, result=_int64)
        self.worker = self._function("worker", _address, _int64, _int64)
        self.dismiss = self._function("dismiss", _address)
        self.reset = self._function("reset", _address)
        self._linger = self._function("linger", _int64)
        self._start = ctypes.CFUNCTYPE(None)(start)
        self.reset(self.state)
        self.write("start", ctypes.cast(self._start, _address).value or 0)

    def _function(self, name: str, *arguments: Any, result: Any = None) -> Any:
        return ctypes.CFUNCTYPE(result, *arguments)(self._library.address(name))

    def address(self, name: str) -> int:
        """The address of a function of the code."""
        return cast(int, self._library.address(name))

    def raise_interruption(self) -> None:
        """Raise what a handler of signals has raised, if one has."""
        caught = (_address * 3).from_address(self.state + pool_code.FIELDS["caught"])
        if caught[0]:
            problem = [_address(p) for p in caught]
            caught[0] = caught[1] = caught[2] = None
            restore = ctypes.pythonapi.PyErr_Restore
            restore.argtypes, restore.restype = [_address] * 3, None
            restore(*problem)

    def read(self, field: str) -> int:
        """The value of a field of the state."""
        return _int64.from_address(self.state + pool_code.FIELDS[field]).value

    def write(self, field: str, value: int) -> None:
        """Set a field of the state."""
        _int64.from_address(self.state + pool_code.FIELDS[field]).value = value

    def pauses(self, seconds: float) -> int:
        """How many pauses of the processor take so long."""
        count, best = 500, float("inf")
        for _ in range(5):
            begin = time.perf_counter()
            self._linger(count)
            best = min(best, time.perf_counter() - begin)
        return int(seconds * count / best)


def _library(futex: bool) -> Any:
    """The machine code, as a library of the compiler."""
    from gradtape.compiler.codegen.simd.machine import add_symbol  # loaded when the pool starts
    from gradtape.compiler.runtime import disk

    code = pool_code.assembly(sys.platform, platform.machine(), futex)
    system = ctypes.CDLL("kernel32" if sys.platform == "win32" else None)
    for name in pool_code.symbols(code):
        function = getattr(ctypes.pythonapi if name.startswith("Py") else system, name)
        add_symbol(name, ctypes.cast(function, _address).value or 0)
    return disk.library(("pool", code), lambda: code)


_pool = Pool()
parallel_for = _pool.parallel_for
entry = _pool.entry
address = _pool.address
raise_interruption = _pool.raise_interruption
threads = _pool.threads
set_threads = _pool.set_threads
