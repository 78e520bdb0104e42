"""Memory and threads for kernels that work in blocks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import memory


def room(shape: tuple[int, ...], dtype: Any) -> Any:
    """An uninitialised array, in recycled memory if it is large."""
    return memory.empty(shape, dtype) if math.prod(shape) >= memory.THRESHOLD else np.empty(shape, dtype)


class Scratch:
    """Memory that is used again: what `take` gives is good until its next call. Fresh memory would cost page faults."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.memory: Any = None

    def take(self, shape: tuple[int, ...]) -> Any:
        """An array of a shape, with any content."""
        size = math.prod(shape)
        if self.memory is None or self.memory.size < size:
            self.memory = memory.empty((size,), self.dtype)
        return self.memory[:size].reshape(shape)


def run(task: Any, count: int) -> None:
    """Do numbered tasks, on several threads if there are several."""
    if count == 1:
        task(0)
    elif count:
        memory.run(task, range(count))


def ordered_sum(sums: list[Any], shape: tuple[int, ...], dtype: Any) -> Any:
    """The sum of what tasks found, in the order of the tasks: the bits do not depend on which task finished first."""
    total = sums[0] if sums else np.zeros(shape, dtype)
    for more in sums[1:]:
        total += more
    return total
