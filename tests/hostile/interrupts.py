"""Ctrl-C at a chosen moment, and how long what it meets goes on."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

POSSIBLE = os.name == "posix"
_AGAIN = (
    3.0  # seconds after which the next Ctrl-C follows: what does not hear one must not run for ever, and eat all memory
)


def seconds_to_end(act: Callable[[], Any], after: float = 0.1) -> float:
    """How long a function goes on after Ctrl-C; it must end by it, and would not by itself."""
    ended, pressed = threading.Event(), []

    def press() -> None:
        while not ended.wait(_AGAIN if pressed else after):
            pressed.append(time.perf_counter())
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    keyboard = threading.Thread(target=press)
    with without_callbacks():
        keyboard.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                act()
        finally:
            end = time.perf_counter()
            ended.set()
            keyboard.join()
    return end - pressed[0]


@contextlib.contextmanager
def without_callbacks() -> Iterator[None]:
    """No callbacks of the garbage collector: Python drops what is raised in one, and a signal that comes during a collection is
    raised in the first. Test tools install some."""
    before, gc.callbacks[:] = gc.callbacks[:], []
    try:
        yield
    finally:
        gc.callbacks[:] = before
