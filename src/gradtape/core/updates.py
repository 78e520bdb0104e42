"""Updates of variables that exclude each other, once there are several threads.

Who updates several variables takes their locks in the order of their identities, so nobody waits in a circle. While a lock is held
only kernels run, no code of the user.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gradtape.core import locks

if TYPE_CHECKING:
    from gradtape.core.variable import Variable

_IDENTITY = attrgetter("_id")
_making = locks.lock("variables")


def lock_of(variable: Variable) -> Any:
    """The lock of a variable, made when it is first needed."""
    try:
        return variable._lock
    except AttributeError:
        pass
    with _making:
        if not hasattr(variable, "_lock"):
            variable._lock = locks.rlock("variable")
    return variable._lock


class exclusive:  # noqa: N801 - a context manager, written as a class since programs enter one at each step of a loop
    """Run a block during which no other thread updates these variables."""

    __slots__ = ("_locks",)

    def __init__(self, variables: Iterable[Variable]) -> None:
        self._locks = [lock_of(variable) for variable in sorted(variables, key=_IDENTITY)]

    def __enter__(self) -> None:
        taken = 0
        try:
            for lock in self._locks:
                lock.acquire()
                taken += 1
        except BaseException:  # a signal's handler has raised
            _release(self._locks[:taken])
            raise

    def __exit__(self, *problem: Any) -> None:
        _release(self._locks)


def _release(locks: list[Any]) -> None:
    for lock in reversed(locks):
        lock.release()
