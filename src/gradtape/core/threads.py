"""Which threads use the library, so that a program with one thread pays for no locks.

Every thread of the user that touches the library is counted as long as it lives, however it was started: the state of a thread
(`core/state.py`) is made when the thread first asks for it, and holds a Presence. While there is one, variables are updated
without locks, and in place. A second thread locks its updates, but the first may be in the middle of one that has begun
without: the newcomer waits for the end of that one before it does anything.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# One mark for each living thread of the user. A program looks at its length: there is no cheaper question.
users: set[object] = set()

# Threads of the library that run no code of the user and know no variables, by their numbers. The system gives the number of a thread
# that has ended to another one, so a thread is here no longer than it lives: see `companion`.
companions: set[int] = set()

_PATIENCE = 60.0  # seconds that a newcomer waits for an update; what takes longer waits for the newcomer
_PAUSE = 50e-6

# Functions that update variables without a lock if their thread is the only one, each with a test of its frame.
_UPDATES: dict[CodeType, Callable[[FrameType], bool]] = {}


def is_alone() -> bool:
    """True if no other thread of the user has used the library, and lives."""
    return len(users) < 2


@contextlib.contextmanager
def companion() -> Iterator[None]:
    """Run a block on a thread of the library's own, in which neither code of the user runs nor a variable is known."""
    own = get_ident()
    companions.add(own)
    try:
        yield
    finally:
        companions.discard(own)


class Presence:
    """A thread's mark among the users, which goes when the thread ends."""

    __slots__ = ("_mark",)

    def __init__(self) -> None:
        self._mark = object()
        if get_ident() in companions:
            return
        users.add(self._mark)
        if len(users) > 1:
            _await_updates()

    def __del__(self) -> None:
        if users is not None:  # names may be gone when the interpreter ends
            users.discard(self._mark)

    def remain(self) -> None:
        """Be the only one: after fork the child has no other thread."""
        users.clear()
        companions.clear()
        users.add(self._mark)


def updates(function: F, where: Callable[[FrameType], bool] = lambda frame: True) -> F:
    """The function, which updates variables, and takes no lock while its thread is alone; `where` tells it from other calls of
    the same code."""
    _UPDATES[function.__code__] = where
    return function


def _await_updates() -> None:
    """Wait until the updates that other threads are in have ended: they may have begun without a lock."""
    begun = [
        (thread, frame) for thread, frame in _frames() if frame.f_code in _UPDATES and _UPDATES[frame.f_code](frame)
    ]
    end = time.monotonic() + _PATIENCE
    while begun and time.monotonic() < end:
        time.sleep(_PAUSE)
        running = set(_frames())
        begun = [pair for pair in begun if pair in running]


def _frames() -> Iterator[tuple[int, FrameType]]:
    """All that other threads are in, with the thread's number."""
    for thread, top in sys._current_frames().items():
        frame: FrameType | None = top if thread != get_ident() else None
        while frame is not None:
            yield thread, frame
            frame = frame.f_back


def at_fork(in_child: Callable[[], None]) -> None:
    """Call a function in every child that is forked, where that exists."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=in_child)
