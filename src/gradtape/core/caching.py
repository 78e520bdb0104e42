"""Values that are computed once: per instance, or per process.

`functools.cached_property` of Python 3.11 holds one lock for all instances while it computes: a thread that compiles its first
function would wait for the functions of all other threads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

from gradtape.core.locks import Turn

_T = TypeVar("_T")


class cached(Generic[_T]):  # noqa: N801 - a decorator, as property
    """A property that keeps its value in the instance. Threads that ask at once for the value of one instance wait for the one
    that computes it; other instances are not concerned."""

    def __init__(self, compute: Callable[[Any], _T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name, self._turn = name, f"turn of {name}"

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Any, owner: type) -> _T: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        values = vars(instance)
        turn = values.setdefault(self._turn, Turn("cached"))
        with turn.taken():
            if self._name not in values:
                made = self._compute(instance)
                values.setdefault(self._name, made)
        values.pop(self._turn, None)
        return values[self._name]


def once(compute: Callable[[], _T]) -> Callable[[], _T]:
    """A function without arguments that computes its value when first called. Threads that call it at once get the same one."""
    made: list[_T] = []
    turn = Turn("cached")

    @functools.wraps(compute)
    def get() -> _T:
        if not made:
            with turn.taken():
                if not made:
                    made.append(compute())
        return made[0]

    return get
