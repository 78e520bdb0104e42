"""Containers that compare objects by identity: variables and tensors cannot be keys themselves."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterator, MutableMapping, MutableSet
from typing import Any


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys count by identity."""

    def __init__(self, *given: Any) -> None:
        self._held: dict[int, tuple[Any, Any]] = {}
        if given:
            self.update(given[0])

    def __getitem__(self, key: Any) -> Any:
        if id(key) not in self._held:
            raise KeyError(repr(key))
        return self._held[id(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._held[id(key)] = (key, value)

    def __delitem__(self, key: Any) -> None:
        del self._held[id(key)]

    def __contains__(self, key: Any) -> bool:
        return id(key) in self._held

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._held.values()])

    def __len__(self) -> int:
        return len(self._held)


class ObjectIdentitySet(MutableSet[Any]):
    """A set whose elements count by identity."""

    def __init__(self, *given: Any) -> None:
        self._held: dict[int, Any] = {}
        for item in given[0] if given else ():
            self.add(item)

    def add(self, value: Any) -> None:
        """Add an element."""
        self._held[id(value)] = value

    def discard(self, value: Any) -> None:
        """Remove an element."""
        self._held.pop(id(value), None)

    def update(self, items: Any) -> None:
        """Add elements."""
        for item in items:
            self.add(item)

    def __contains__(self, value: Any) -> bool:
        return id(value) in self._held

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._held.values()))

    def __len__(self) -> int:
        return len(self._held)


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """A dictionary with weakly referenced keys, compared by identity."""

    def __setitem__(self, key: Any, value: Any) -> None:
        number = id(key)
        self._held[number] = (weakref.ref(key, functools.partial(self._held.pop, number)), value)

    def __iter__(self) -> Iterator[Any]:
        found = [reference() for reference, _ in self._held.values()]
        return iter([key for key in found if key is not None])


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """A set of weakly referenced elements, compared by identity."""

    def add(self, value: Any) -> None:
        """Add an element."""
        number = id(value)
        self._held[number] = weakref.ref(value, functools.partial(self._held.pop, number))

    def __iter__(self) -> Iterator[Any]:
        found = [reference() for reference in list(self._held.values())]
        return iter([item for item in found if item is not None])
