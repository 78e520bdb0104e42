"""The context of new variables on a thread: name prefixes, creators, and observers."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, hints, provenance
from gradtape.core.tensor_operators import Operators


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


def initialize_once(initialize: Any) -> Any:
    """The `__init__` of a subclass, which leaves variables alone that are made: Python calls it on what `__new__` returns, and that
    may be what a creator has made."""

    @functools.wraps(initialize)
    def initialize_once(self: Any, *args: Any, **kwargs: Any) -> None:
        if not hasattr(self, "_id") and not getattr(self, "_is_made", False):
            initialize(self, *args, **kwargs)
            if not hasattr(self, "_id"):
                self._is_made = True

    return initialize_once


def by_creators(kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A variable as the creators around make it; the last one makes an ordinary variable, of class `kind`."""
    creators, make_one = names.creators, kind.__init__
    defaults = dict(zip(make_one.__code__.co_varnames[1:], make_one.__defaults__ or (), strict=False))

    def make(remaining: tuple[Callable[..., Any], ...], **arguments: Any) -> Any:
        if remaining:
            return remaining[-1](functools.partial(make, remaining[:-1]), **arguments)
        names.creators = ()
        try:
            return kind(**arguments)
        finally:
            names.creators = creators

    return make(creators, **defaults | dict(zip(defaults, args, strict=False)) | kwargs)


def say_if_no_switch(trainable: Any) -> None:
    """Say that a name or number in the second place is taken for `trainable`. Any truth value is accepted."""
    if not isinstance(trainable, (bool, int, np.bool_, np.integer, Operators)):
        hints.say(
            provenance.user_place(3),
            f"Variable: trainable must be True or False, got {errors.brief(trainable)}, which counts as {bool(trainable)}.",
            f"tf.Variable(initial_value, dtype=tf.{trainable.name}): the dtype goes by keyword."
            if isinstance(trainable, dtypes.DType)
            else f"trainable={trainable}, without quotes."
            if trainable in ("True", "False")
            else "tf.Variable(initial_value, name=name): the value comes first, the name by keyword.",
        )
