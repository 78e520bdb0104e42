"""Repeated fields: lists that check their elements, and maps of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping, MutableSequence
from typing import Any


class Repeated(MutableSequence[Any]):
    """The values of a repeated field.

    Args:
      check: gives values as the field keeps them; raises if one may not be there.
      touch: called when something has been put in.
    """

    def __init__(self, check: Callable[[list[Any]], list[Any]], touch: Callable[[], None]) -> None:
        self._checked, self._touch = check, touch
        self._items: list[Any] = []

    def _check(self, value: Any) -> Any:
        return self._checked([value])[0]

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._items[index] = self._checked(_listed(value)) if isinstance(index, slice) else self._check(value)
        self._touch()

    def __delitem__(self, index: Any) -> None:
        del self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def insert(self, index: int, value: Any) -> None:
        """Put a value before another."""
        self._items.insert(index, self._check(value))
        self._touch()

    def extend(self, values: Iterable[Any]) -> None:
        """Append values."""
        self._items.extend(self._checked(_listed(values)))
        self._touch()

    MergeFrom = extend

    def take_over(self, values: Iterable[Any]) -> None:
        """Append values that are known to be right."""
        self._items.extend(values)
        self._touch()

    def twin(self, touch: Callable[[], None]) -> Repeated:
        """A copy for another message."""
        made = Repeated(self._checked, touch)
        made._items = list(self._items)
        return made

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Sort the values in place."""
        self._items.sort(key=key, reverse=reverse)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Repeated):
            return self._items == other._items
        return self._items == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._items)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy as np

        return np.array(self._items, dtype)


def _listed(values: Any) -> list[Any]:
    """The elements of anything that can be iterated, arrays and tensors too."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"a repeated field takes a list of values, got {values!r}")
    return values.tolist() if hasattr(values, "tolist") else list(values)


class RepeatedMessages(Repeated):
    """The messages of a repeated field."""

    def __init__(self, kind: Any, touch: Callable[[], None]) -> None:
        super().__init__(lambda values: [self._copied(value) for value in values], touch)
        self._kind = kind

    def _copied(self, value: Any) -> Any:
        made = self._kind()
        made.CopyFrom(value)
        return made

    take_over = Repeated.extend

    def twin(self, touch: Callable[[], None]) -> RepeatedMessages:
        """A copy for another message."""
        made = RepeatedMessages(self._kind, touch)
        made._items = [self._copied(item) for item in self._items]
        return made

    def add(self, **fields: Any) -> Any:
        """A new message at the end."""
        made = self._kind(**fields)
        self._items.append(made)
        self._touch()
        return made


class Map(MutableMapping[str, Any]):
    """The messages of a map field by their names. Reading a missing name adds an empty message."""

    def __init__(self, kind: Any, touch: Callable[[], None]) -> None:
        self._kind, self._touch = kind, touch
        self._items: dict[str, Any] = {}

    def twin(self, touch: Callable[[], None]) -> Map:
        """A copy for another message."""
        made = Map(self._kind, touch)
        for key, item in self._items.items():
            made._items[key] = self._kind()
            made._items[key]._copy(item)
        return made

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, bytes):
            key = key.decode()
        if not isinstance(key, str):
            raise TypeError(f"{key!r} has type {type(key).__name__}, but expected one of: bytes, str")
        if key not in self._items:
            self._items[key] = self._kind()
            self._touch()
        return self._items[key]

    get_or_create = __getitem__

    def get(self, key: str, default: Any = None) -> Any:
        """The message of a name, or something else if there is none."""
        return self._items.get(key, default)

    def __setitem__(self, key: str, value: Any) -> None:
        raise ValueError("May not set values directly, call my_map[key].CopyFrom(message).")

    def __delitem__(self, key: str) -> None:
        del self._items[key]

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def MergeFrom(self, other: Any) -> None:  # noqa: N802 - protobuf's name
        """Take over copies of another map's messages."""
        for key, value in other.items():
            self[key].CopyFrom(value)

    def __repr__(self) -> str:
        return repr(self._items)
