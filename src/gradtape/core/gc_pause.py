"""Pauses of Python's garbage collector."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from threading import get_ident

from gradtape.core import threads


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """No collections meanwhile: of many thousand new objects all are needed, and looking at them again and again takes as long as
    the work itself. Objects in no cycle are freed as always."""
    was_enabled = gc.isenabled()
    gc.disable()
    if was_enabled:
        _pauses.add(get_ident())
    try:
        yield
    finally:
        if was_enabled:
            _pauses.discard(get_ident())
            gc.enable()


# Threads whose pause ends with collections.
_pauses: set[int] = set()


def _end_pauses_of_others() -> None:
    """A child has not the threads that would end their pauses."""
    if _pauses - {get_ident()}:
        gc.enable()
    _pauses.intersection_update({get_ident()})


threads.at_fork(in_child=_end_pauses_of_others)
