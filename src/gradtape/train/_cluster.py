"""Coordinator: threads that stop together."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from gradtape.core import errors, locks


class Coordinator:
    """Stops several threads together: one requests the stop, and the others poll for it.

    Args:
      clean_stop_exception_types: exceptions that stop the threads without being raised by `join`;
        `tf.errors.OutOfRangeError` by default.

    >>> coordinator = tf.train.Coordinator()
    >>> coordinator.request_stop()
    >>> coordinator.should_stop()
    True
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        self._clean = tuple(clean_stop_exception_types or (errors.OutOfRangeError,))
        self._event = locks.event("coordinator")
        self._lock = locks.lock("cluster")
        self._problem: BaseException | None = None
        self._threads: list[threading.Thread] = []
        self.joined = False

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop; an exception, if one is given, is raised by `join`."""
        problem = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if problem is not None and not isinstance(problem, self._clean) and self._problem is None:
                self._problem = problem
            self._event.set()

    def should_stop(self) -> bool:
        """True after `request_stop`."""
        return self._event.is_set()

    def clear_stop(self) -> None:
        """Start again."""
        with self._lock:
            self._event.clear()
            self._problem, self.joined = None, False

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until somebody asks to stop; False if that took too long."""
        return self._event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Register a thread for `join` to wait for."""
        self._threads.append(thread)

    def join(
        self,
        threads: Sequence[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until threads are done, and raise the exception with which one asked to stop."""
        waited = [*self._threads, *(threads or [])]
        while any(t.is_alive() for t in waited) and not self.wait_for_stop(0.01):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for thread in waited:
            thread.join(max(0.0, end - time.monotonic()))
        self.joined = True
        alive = [t.name for t in waited if t.is_alive()]
        self._threads = []
        if self._problem is not None:
            raise self._problem
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")

    def raise_requested_exception(self) -> None:
        """Raise the exception with which somebody asked to stop, if there was one."""
        if self._problem is not None:
            raise self._problem

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A block whose exceptions ask all threads to stop."""
        try:
            yield
        except Exception:
            self.request_stop(sys.exc_info())
