"""A thread that lets reductions proceed while machine code computes.

MPI moves data only while one of its functions runs. The thread calls `Test` on requests that are watched; the interpreter is free while a
native program runs, so the two go on side by side. A request is tested by one thread at a time: who waits for it releases it first.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from gradtape.core import locks, threads

_PAUSE = 2e-4  # seconds between two looks: the cores are needed for computing


class Progress:
    """The requests that a thread tests."""

    def __init__(self) -> None:
        self._lock = locks.lock("progress")
        self._wake = locks.event("progress")
        self._requests: list[Any] = []
        self._thread: threading.Thread | None = None

    def watch(self, request: Any) -> None:
        """Test a request until it is done or released."""
        with self._lock:
            self._requests.append(request)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="gradtape-progress", daemon=True)
            self._thread.start()
        self._wake.set()

    def release(self, request: Any) -> None:
        """Leave a request to the calling thread."""
        with self._lock:
            self._requests = [r for r in self._requests if r is not request]

    def _run(self) -> None:
        threads.companions.add(threading.get_ident())
        while True:
            self._wake.wait()
            with self._lock:
                self._requests = [r for r in self._requests if not r.Test()]
                if not self._requests:
                    self._wake.clear()
            time.sleep(_PAUSE)
