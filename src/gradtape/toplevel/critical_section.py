"""When code runs: the time, sections that one thread enters at a time, functions without gradients."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradtape.arrays.movement import identity
from gradtape.compiler.effects import Effect
from gradtape.core import dtypes, errors, locks, nest, state
from gradtape.core.tensor import Tensor, wrap
from gradtape.transform.py_function import numpy_function
from gradtape.transform.stop_gradient import stop_gradient


def timestamp(name: str | None = None) -> Tensor:
    """The seconds since 1970, a float64 scalar; in a function, at the time when it runs.

    >>> tf.timestamp().dtype
    tf.float64
    """
    if state.current.trace is None:
        return wrap(np.float64(time.time()))
    found: Tensor = numpy_function(lambda: np.float64(time.time()), [], dtypes.float64)
    found.set_shape([])
    return found


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """The tensor itself. The promise that its value never changes is not used.

    >>> tf.guarantee_const(2.0).numpy()
    np.float32(2.0)
    """
    return identity(input)


class _Entrance(Effect):
    """A place in a program that belongs to a critical section: one thread at a time runs the program, from its first read of a
    variable on.

    Attributes:
      section: the section's lock.
    """

    def __init__(self, section: Any) -> None:
        super().__init__("critical_section", _pass)
        self.section = section


def _pass() -> None:
    """What a program does at an entrance: it holds the lock already."""


# The locks of sections with a shared name, and those that the functions of each thread run in.
_shared: dict[str, Any] = {}
_running = threading.local()


@contextlib.contextmanager
def _inside(lock: Any) -> Iterator[None]:
    entered = _running.__dict__.setdefault("locks", [])
    if any(lock is other for other in entered):
        raise ValueError(
            errors.compose(
                "CriticalSection: Attempting to lock a CriticalSection once more, in which we are already running.",
                "call the inner function without execute.",
            )
        )
    entered.append(lock)
    try:
        yield
    finally:
        entered.pop()


class CriticalSection:
    """A section that one thread runs at a time. A function that uses the section runs inside of it as a whole.

    >>> section = tf.CriticalSection()
    >>> section.execute(lambda: tf.constant(1.0) + 1.0).numpy()
    np.float32(2.0)
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: Any = None,
    ) -> None:
        self._name = name or "critical_section"
        # Sections with one shared name are one section.
        lock = locks.rlock("critical section")
        self._lock = lock if shared_name is None else _shared.setdefault(shared_name, lock)

    name = property(lambda self: self._name, doc="The name.")

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """The result of a function without arguments, run while no other thread is in this section."""
        trace = state.current.trace
        if trace is not None:
            with _inside(self._lock):
                trace.append(_Entrance(self._lock), (), {}, ())
                return fn()
        with _inside(self._lock), self._lock:
            return fn()


def nondifferentiable_batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Any = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
    enable_large_batch_splitting: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of functions of batches, through whose results no gradient flows.

    TensorFlow puts batches of several threads together for one call. Here each call runs by itself, with the same results.

    >>> @tf.nondifferentiable_batch_function(1, 10, 1000)
    ... def double(x):
    ...     return 2.0 * x
    >>> double(tf.constant([1.0])).numpy()
    array([2.], dtype=float32)
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*args: Any) -> Any:
            return nest.map_structure(stop_gradient, function(*args))

        return run

    return decorate
