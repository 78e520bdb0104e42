"""What is around new variables on a thread: prefixes of their names, creators, and who takes note of them."""

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
    """Make variables of the library's own: the function that is being traced has not made them."""
    before = names.witness, names.creators
    names.witness, names.creators = None, ()
    try:
        yield
    finally:
        names.witness, names.creators = before
