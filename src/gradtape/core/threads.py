"""Which threads use the library, so that a program with one thread pays for no locks.

Every thread of the user that touches the library is counted as long as it lives, however it was started: the state of a thread
(`core/state.py`) is made when the thread first asks for it, and holds a Presence. While there is one, variables are updated
without locks, and in place. A second thread locks its updates, but the first may be in the middle of one that has begun
without: the first notes each of them, and the newcomer waits for the end of that one before it does anything. The first asks
whether it is alone after it has noted the update, the newcomer looks for notes after it is counted, so one of them sees the other.
"""

from __future__ import annotations

import contextlib
import gc
import operator
import os
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from threading import get_ident
from types import FrameType
from typing import Any

# One mark for each living thread of the user. A program looks at its length: there is no cheaper question.
users: set[weakref.ref[Presence]] = set()

# Threads of the library that run no code of the user and know no variables, by their numbers. The system gives the number of a thread
# that has ended to another one, so a thread is here no longer than it lives: see `companion`.
companions: set[int] = set()

_PATIENCE = 60.0  # seconds that a newcomer waits for an update; what takes longer waits for the newcomer
_PAUSE = 50e-6

# One entry for each update that runs without a lock at the moment; those of one thread may be nested.
begun: list[None] = []


def is_alone() -> bool:
    """True if no other thread of the user has used the library, and lives."""
    return len(users) < 2


@contextlib.contextmanager
def companion() -> Iterator[None]:
    """Run a block on one of the library's threads, without user code and without variables."""
    own = get_ident()
    companions.add(own)
    try:
        yield
    finally:
        companions.discard(own)


class Presence:
    """A thread's mark among the users, which goes when the thread ends."""

    __slots__ = ("__weakref__", "_mark")

    def __init__(self) -> None:
        # Taken out by a function of C: see `core/weak.py`.
        self._mark = weakref.ref(self, users.discard)
        hash(self._mark)  # which can be asked for the first time only while this lives
        if get_ident() in companions:
            return
        users.add(self._mark)
        if len(users) > 1:
            _await_updates()

    def remain(self) -> None:
        """Be the only one: after fork the child has no other thread."""
        users.clear()
        companions.clear()
        begun.clear()
        users.add(self._mark)


def _await_updates() -> None:
    """Wait until the update that has begun without a lock has ended."""
    end = time.monotonic() + _PATIENCE
    while begun and time.monotonic() < end:
        time.sleep(_PAUSE)


def innermost_frames() -> dict[int, FrameType]:
    """What each thread is in, by the thread's number.

    Python 3.11 holds a lock of the interpreter's meanwhile. A garbage collection that frees a `threading.local` takes the same lock, and waits
    for ever. So none is begun: both calls are made by C, between which no other thread can let collections begin.
    """
    was_enabled = gc.isenabled()
    try:
        calls: tuple[Any, Any] = (gc.disable, sys._current_frames)
        found: dict[int, FrameType] = list(map(operator.call, calls))[1]
    finally:
        if was_enabled:
            gc.enable()
    return found


def at_fork(in_child: Callable[[], None]) -> None:
    """Call a function in every child that is forked, where that exists."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=in_child)
