"""Updates of variables that exclude each other, once there are several threads.

Who updates several variables takes their locks in the order of their identities, so nobody waits in a circle. While a lock is held
only kernels run, no code of the user.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from gradtape.core import locks

if TYPE_CHECKING:
    from gradtape.core.variable import Variable

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


def is_held(variable: Variable) -> bool:
    """True if this thread has the lock of a variable."""
    return hasattr(variable, "_lock") and bool(variable._lock._is_owned())


@contextlib.contextmanager
def exclusive(variables: Iterable[Variable]) -> Iterator[None]:
    """Run a block during which no other thread updates these variables."""
    with contextlib.ExitStack() as stack:
        for variable in sorted(variables, key=lambda v: v._id):
            stack.enter_context(lock_of(variable))
        yield
