"""The context of new variables on a thread: name prefixes, creators, and observers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class _Surroundings(threading.local):
    """What is around new variables on this thread.

    Attributes:
      scopes: prefixes of their names.
      creators: functions that make them, the innermost last: of the next creator and the arguments by name.
      witness: called with each, also in `init_scope`: the function that is being traced, if one is.
      read: variables whose own `value` is being called.
    """

    scopes: tuple[str, ...] = ()
    creators: tuple[Callable[..., Any], ...] = ()
    witness: Callable[[Any], None] | None = None
    read: tuple[Any, ...] = ()


names = _Surroundings()


@contextmanager
def unnoticed() -> Iterator[None]:
    """Create variables for internal use, which do not count as created by the function that is being traced."""
    before = names.witness, names.creators
    names.witness, names.creators = None, ()
    try:
        yield
    finally:
        names.witness, names.creators = before
