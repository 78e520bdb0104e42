"""All locks of the library, and what happens to each when the process forks.

A child has one thread, and a lock that another thread of the parent held would never be released in it. So locks are made here,
under a name of the table. Most are **renewed**: free in the child, since what they guard is complete at every moment. Some are
**held**: the fork waits for them, since what they guard may be half done. Signals, by which threads tell each other of an event,
are **left** as they are: those who would wait for them are not in the child. No lock is held while code of the user runs, or while
another function is compiled; for that there is `Turn`, which never waits in a circle.
"""

from __future__ import annotations

import _imp
import contextlib
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from threading import get_ident
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

_PATIENCE = 30.0  # seconds that a fork waits for a lock; then the child must do without what it guards
_PAUSE = 100e-6  # seconds between two looks


class Rule(NamedTuple):
    """What a lock guards, and what a fork does with it; held ones are taken in the order of the table."""

    guards: str
    fork: str = "renewed"


HELD, LEFT = "held", "left"

TABLE = {
    "function": Rule("the traces of a tf.function: one thread traces it at a time (a Turn)"),
    "cached": Rule("a value that is computed once, such as the program of a trace (a Turn)"),
    "sizes": Rule("the table of the sizes that a function of unknown sizes has met"),
    "turns": Rule("which thread waits for which Turn"),
    "variable": Rule("an update of a variable, once there are several threads"),
    "variables": Rule("the making of the locks of variables"),
    "critical section": Rule("what `tf.CriticalSection` executes; the user's code runs in it, as is its purpose"),
    "memory": Rule("how many chunks of a kernel are left, and the start of the workers"),
    "chunks": Rule("a signal: all chunks of a kernel are computed", LEFT),
    "long call": Rule("a signal: a long call of NumPy has returned", LEFT),
    "random": Rule("the making of generators and seeds"),
    "summary": Rule("the file of events"),
    "queue": Rule("the elements of a queue"),
    "cluster": Rule("which threads of a coordinator have ended"),
    "coordinator": Rule("a signal: the threads of a coordinator should stop"),
    "restore": Rule("what a checkpoint still waits for"),
    "checkpoint file": Rule("the position in a file of arrays"),
    "saved model": Rule("the numbering of temporary folders"),
    "element": Rule("a signal: an element of a pipeline has been computed", LEFT),
    "replica": Rule("a signal: it is a replica's turn", LEFT),
    "pool": Rule("the start and end of the pool's threads"),
    "worker": Rule("a signal: a thread of the pool has ended", LEFT),
    "translator": Rule("the texts that wait for machine code", HELD),
    "kernels": Rule("the table of kernels, and addresses in programs", HELD),
    "machine": Rule("LLVM: one module is assembled at a time", HELD),
    "llvmlite": Rule("LLVM too, for programs that use llvmlite's own package (llvmlite's lock)", HELD),
    "products": Rule(
        "BLAS and LAPACK, whose own handler of fork waits for ever for a thread that is at work (a Gate)", HELD
    ),
    "board": Rule("a signal: a rank gives no more signs of life", LEFT),
    "beacon": Rule("a signal: the board posts now where a rank of `gradtape launch` is", LEFT),
    "arrival": Rule("a signal: all ranks have come to `init`", LEFT),
    "progress": Rule("the requests that a thread of `ranks` tests"),
    "lines": Rule("the last line that a rank of `gradtape launch` has begun to write"),
    "imports": Rule("modules of the library that are being imported (Python's lock)", HELD),
}


class _Living:
    """Objects, as long as they live. Unlike a WeakSet it runs no step of the interpreter when one dies, where a Ctrl-C would be lost."""

    def __init__(self) -> None:
        self._references: set[weakref.ref[Any]] = set()

    def add(self, made: Any) -> None:
        """Keep an object in mind."""
        self._references.add(weakref.ref(made, self._references.discard))

    def __iter__(self) -> Iterator[Any]:
        return iter([made for reference in list(self._references) if (made := reference()) is not None])


_renewed = _Living()
_held: dict[str, _Living] = {name: _Living() for name, rule in TABLE.items() if rule.fork == HELD}


def lock(name: str) -> threading.Lock:
    """A lock under a name of the table."""
    return _listed(name, threading.Lock())


def rlock(name: str) -> Any:
    """A lock that its owner may take again, under a name of the table."""
    return _listed(name, threading.RLock())


def condition(name: str) -> threading.Condition:
    """A condition with its own lock, under a name of the table."""
    return _listed(name, threading.Condition())


def adopt(name: str, made: T) -> T:
    """A lock of another library, under a name of the table."""
    return _listed(name, made)


def semaphore(name: str, value: int) -> threading.Semaphore:
    """A semaphore, under a name of the table."""
    made = threading.Semaphore(value)
    _listed(name, made._cond)  # type: ignore[attr-defined]
    return made


def event(name: str) -> threading.Event:
    """An event, under a name of the table."""
    made = threading.Event()
    _listed(name, made._cond)  # type: ignore[attr-defined]
    return made


def _listed(name: str, made: T) -> T:
    fork = TABLE[name].fork
    if fork == HELD:
        _held[name].add(made)
    elif fork != LEFT:
        _renewed.add(made)
    return made


class Gate:
    """Lets threads in at all times but while the process forks, which waits until all threads have left."""

    __slots__ = ("__weakref__", "_inside", "_is_closed", "_lock")

    def __init__(self, name: str) -> None:
        self._inside: set[int] = set()
        self._is_closed = False
        self._lock = threading.Lock()
        _held[name].add(self)

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What a function returns, called inside."""
        own, inside = get_ident(), self._inside
        inside.add(own)
        while self._is_closed:
            inside.discard(own)
            with self._lock:
                inside.add(own)
        try:
            return function(*args, **kwargs)
        finally:
            inside.discard(own)

    def acquire(self, timeout: float) -> bool:
        """Close the gate, and wait until all other threads have left; False, and open again, if that takes too long."""
        end = time.monotonic() + timeout
        self._lock.acquire()
        self._is_closed = True
        while self._inside - {get_ident()}:
            if time.monotonic() > end:
                self.release()
                return False
            time.sleep(_PAUSE)
        return True

    def release(self) -> None:
        """Open the gate."""
        self._is_closed = False
        self._lock.release()

    def _at_fork_reinit(self) -> None:
        self._inside.clear()


class _Imports:
    """Python's lock of imports, taken while no module of the library is being imported: a child that finds one half done, by a thread that it
    has not, would wait for it for ever."""

    def acquire(self, timeout: float) -> bool:
        """Let no import begin once none is being done; False if that takes too long."""
        end = time.monotonic() + timeout
        while True:
            _imp.acquire_lock()
            if not any(map(_is_being_imported, list(sys.modules))):
                return True
            _imp.release_lock()
            if time.monotonic() > end:
                return False
            time.sleep(_PAUSE)

    def release(self) -> None:
        """Let imports begin."""
        _imp.release_lock()

    def _at_fork_reinit(self) -> None:
        """Nothing can be done for the child."""


def _is_being_imported(name: str) -> bool:
    if name.partition(".")[0] not in _IMPORTED:
        return False
    return getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False)


# What the library imports when it is first needed.
_IMPORTED = frozenset(["gradtape", "keras", "llvmlite", "numpy", "re2", "scipy"])
_imports = _Imports()
_held["imports"].add(_imports)


class Turn:
    """Lets one thread at a time do something during which code of the user may run.

    A thread that would have to wait for itself, because the owner waits for a turn of its own, goes ahead at once: two threads that
    trace functions which call each other both finish, at worst with the work done twice.
    """

    __slots__ = ("_lock", "_owner")

    def __init__(self, name: str) -> None:
        self._lock = rlock(name)
        self._owner = 0

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Run a block while no other thread does, if that can be had."""
        own = get_ident()
        with _turns:
            goes_ahead = self._waits_for(own)
            if not goes_ahead:
                _waiting[own] = self
        if goes_ahead:
            yield
            return
        try:
            # In a `with` statement of its own, between which and the taking of the lock no Ctrl-C can come.
            with self._lock:
                _waiting.pop(own, None)
                self._owner = own
                try:
                    yield
                finally:
                    self._owner = 0
        finally:
            _waiting.pop(own, None)

    def _waits_for(self, thread: int) -> bool:
        """True if a thread has this turn, or its owner waits for that thread."""
        turn: Turn | None = self
        while turn is not None:
            if turn._owner == thread:
                return True
            turn = _waiting.get(turn._owner)
        return False


_waiting: dict[int, Turn] = {}
_turns = lock("turns")


def _before_fork() -> None:
    end = time.monotonic() + _PATIENCE
    while True:
        wanted = _all_held()
        for made in wanted:
            _taken.append((made, made.acquire(timeout=max(0.0, end - time.monotonic()))))
        # A thread may have imported a module meanwhile, and may hold a lock that the module has made. From now on none can: imports wait.
        if {id(made) for made in _all_held()} <= {id(made) for made in wanted}:
            return
        _after_fork()


def _all_held() -> list[Any]:
    """The locks that a fork waits for, in the order in which it takes them."""
    return [made for locks in _held.values() for made in locks]


def _after_fork() -> None:
    for made, is_taken in reversed(_taken):
        if is_taken:
            made.release()
    _taken.clear()


def _after_in_child() -> None:
    lost = [made for made, is_taken in _taken if not is_taken]
    _after_fork()
    _waiting.clear()
    for made in [*lost, *_renewed]:
        # What the forking thread holds itself, it will release itself.
        owner = getattr(made, "_lock", made)  # a condition's
        if not (isinstance(owner, _RLock) and owner._is_owned()):
            made._at_fork_reinit()


_RLock: Any = type(threading.RLock())
_taken: list[tuple[Any, bool]] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_in_child)
