"""What the machine can do at best: matrix products by NumPy's BLAS, and memory traffic on all threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import works

threads = 1


def use_threads(count: int) -> None:
    """BLAS takes the number from the environment."""
    global threads
    threads = count


def to_numpy(value: Any) -> Any:
    """The array."""
    return value


def gemm(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """A product of square matrices."""
    a, b = inputs["a"], inputs["b"]
    c = np.empty_like(a)
    return lambda: [np.matmul(a, b, out=c)]


def traffic(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """A sum of two arrays, which reads two and writes one; NumPy adds without the interpreter lock."""
    arrays = [np.array_split(v, threads) for v in (inputs["a"], inputs["b"], np.zeros_like(inputs["a"]))]
    parts = list(zip(*arrays, strict=True))
    pool = ThreadPoolExecutor(threads)
    return lambda: list(pool.map(lambda part: np.add(part[0], part[1], out=part[2]), parts))
