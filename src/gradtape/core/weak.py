"""Callbacks when objects die, without a step of the interpreter.

Python raises KeyboardInterrupt in whatever code the main thread runs next. Where that is a `__del__` or a callback of a weak reference,
Python drops the exception, and the Ctrl-C is lost. So no code of the library runs when an object dies: callbacks are functions of C, such
as the `pop` of a dictionary, and what needs more work waits in a queue until somebody asks. The same holds for generators that are dropped
before their end: a block `finally` would run, so they keep what must be closed in a `Closing`.
"""

from __future__ import annotations

import functools
import operator
import weakref
from collections import deque
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class WeakKeys(Generic[K, V]):
    """Values by objects, which count by identity, as long as these live."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[int, tuple[weakref.ref[K], V]] = {}

    def __setitem__(self, key: K, value: V) -> None:
        number = id(key)
        self._held[number] = weakref.ref(key, functools.partial(self._held.pop, number)), value

    def __getitem__(self, key: K) -> V:
        return self._held[id(key)][1]

    def __contains__(self, key: K) -> bool:
        return id(key) in self._held

    def __iter__(self) -> Iterator[K]:
        return iter([key for reference, _ in list(self._held.values()) if (key := reference()) is not None])

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: K) -> V | None:
        """The value of an object; None if it has none."""
        found = self._held.get(id(key))
        return None if found is None else found[1]

    def pop(self, key: K) -> V | None:
        """The value of an object, which is taken out; None if it has none."""
        found = self._held.pop(id(key), None)
        return None if found is None else found[1]


class WeakValues(Generic[K, V]):
    """Objects by keys, as long as the objects live."""

    __slots__ = ("_dead", "_held")

    def __init__(self) -> None:
        self._held: dict[K, _Named[V]] = {}
        # A key may have a hash that is computed in Python: it is taken out when the next one comes.
        self._dead: deque[_Named[V]] = deque()

    def __setitem__(self, key: K, value: V) -> None:
        while self._dead:
            gone = self._dead.popleft()
            if self._held.get(gone.name) is gone:
                del self._held[gone.name]
        self._held[key] = reference = _Named(value, self._dead.append)
        reference.name = key

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: K) -> V | None:
        """The object of a key, if it lives."""
        reference = self._held.get(key)
        return None if reference is None else reference()


class _Named(weakref.ref[V]):
    __slots__ = ("name",)
    name: Any


class Closing:
    """Closes a file when nobody has this object any more.

    Attributes:
      file: a file whose `close` is a function of C, as that of what `open` gives.
    """

    __slots__ = ("__weakref__", "file")

    def __init__(self, file: Any) -> None:
        self.file = file
        reference = _Closed(self, operator.methodcaller("close"))
        reference.close = file.close
        # Kept here, since Python tells nothing to a reference that is in a cycle together with what it refers to.
        _references.add(reference)
        if len(_references) > _SPARE:
            _references.difference_update([old for old in list(_references) if old() is None])


class _Closed(weakref.ref[Closing]):
    __slots__ = ("close",)
    close: Any


_SPARE = 64  # references, before those to objects that are gone are looked for
_references: set[_Closed] = set()
