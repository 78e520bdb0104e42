"""Works that take their time themselves."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

LEAST = 2  # samples in a turn


class Run:
    """A work that is there to be timed, and to be compared with that of other systems.

    Args:
      results: computes what is compared.
      turn: does the work for some seconds, and returns how long each time took.
      once: does it once.
    """

    def __init__(
        self,
        results: Callable[[], list[Any]],
        turn: Callable[[float], list[float]],
        once: Callable[[], Any] | None = None,
    ) -> None:
        self._results, self.samples, self.once = results, turn, once or results

    def __call__(self) -> list[Any]:
        return self._results()


def repeated(work: Callable[[], Any]) -> Callable[[float], list[float]]:
    """A turn of something that is simply done again; the first time does not count."""

    def turn(seconds: float) -> list[float]:
        work()
        times = [time.perf_counter()]
        while len(times) <= LEAST or times[-1] - times[0] < seconds:
            work()
            times.append(time.perf_counter())
        return list(np.diff(times))

    return turn
