"""Updates of variables that exclude each other, once there are several threads.

Who updates several variables takes their locks in the order of their identities, so nobody waits in a circle. While a lock is held
only kernels run, no code of the user.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from sys import getrefcount
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape.core import errors, hot_kernels, locks, memory
from gradtape.core.registry import REGISTRY
from gradtape.core.state import current
from gradtape.core.tensor import Tensor

if TYPE_CHECKING:
    from gradtape.core.shape import TensorShape
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


def change(variable: Variable, what: str, tensor: Tensor, is_alone: bool) -> None:
    """Add or subtract; in place if no other thread can have the value."""
    value, array = variable._value, tensor._array
    old = value._array
    if old.shape != array.shape:
        check_delta(variable, value.shape, what, tensor)
    ufunc = np.add if what == "assign_add" else np.subtract
    if old.size >= memory.THRESHOLD and type(old) is type(array) is np.ndarray:
        # Three references each: from the cell or the tensor, from the name here, from the argument of the count.
        is_free = is_alone and current.undo is None and getrefcount(value) == getrefcount(old) == 3 and memory.owns(old)
        room = old if is_free else memory.allocate(what, memory.empty, old.shape, old.dtype)
        result = _combined(ufunc, old, array, room)
        del room
    else:
        try:
            result = ufunc(old, array)
        except (RuntimeWarning, FloatingPointError):
            # The user has made errors of NumPy's float warnings.
            with np.errstate(all="ignore"):
                result = ufunc(old, array)
    variable._write(result, tensor._id)


def _combined(ufunc: np.ufunc, old: Any, delta: Any, out: Any) -> Any:
    """A sum or difference of large arrays, in memory that is given."""
    native = hot_kernels.kernel(REGISTRY["add" if ufunc is np.add else "subtract"], (old, delta), {})
    return memory.combine(ufunc, old, delta, out=out) if native is None else native(old, delta, out=out)


def check_delta(variable: Variable, shape: TensorShape, what: str, delta: Tensor) -> None:
    """Refuse a delta that does not have the shape of a variable, as far as both are known."""
    if not shape.is_compatible_with(delta.get_shape()):
        raise errors.build(
            errors.ShapeError,
            f"{what}: shapes differ: variable {variable.name!r} is {shape}, the delta is {delta.get_shape()}: shapes must be equal.",
            "give the delta the variable's shape, for instance with tf.broadcast_to(delta, v.shape).",
        )
