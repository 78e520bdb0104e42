"""Benchmark: a class whose methods measure something, and report it."""

from __future__ import annotations

import inspect
import statistics
import time
from collections.abc import Callable
from typing import Any

from gradtape.core import nest
from gradtape.core.tensor import Tensor


class Benchmark:
    """Base of classes with methods `benchmark…`, which call `report_benchmark`.

    >>> class Add(tf.test.Benchmark):
    ...     def benchmark_add(self):
    ...         return self.run_op_benchmark(lambda: tf.ones([10]) + 1.0, min_iters=3)["iters"]
    >>> Add().benchmark_add()
    benchmark_add: ... us, 3 iterations
    3
    """

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: Any = None,
    ) -> None:
        """Print a line with the measurements.

        Args:
          iters: how often it ran.
          cpu_time, wall_time: seconds per run.
          throughput: bytes per second.
          extras: further numbers by name.
          name: the name of the measurement, that of the calling method by default.
          metrics: a list of dicts with `name` and `value`.
        """
        facts = [f"{seconds * 1e6:.3g} us" for seconds in (wall_time,) if seconds is not None]
        facts += [f"{cpu_time * 1e6:.3g} us of CPU"] if cpu_time is not None else []
        facts += [f"{throughput / 1e6:.3g} MB/s"] if throughput is not None else []
        facts += [f"{iters} iterations"] if iters is not None else []
        facts += [f"{key}: {value}" for key, value in (extras or {}).items()]
        facts += [f"{m['name']}: {m['value']}" for m in metrics or []]
        print(f"{name or _caller()}: {', '.join(facts)}")

    def run_op_benchmark(
        self, function: Callable[[], Any], min_iters: int = 10, burn_iters: int = 2, name: str | None = None
    ) -> dict[str, Any]:
        """Time a function without arguments, and report the median.

        Args:
          function: what to run.
          min_iters: how often it is timed.
          burn_iters: how often it runs before.
          name: the name of the measurement, that of the calling method by default.

        Returns:
          A dict with `iters`, `wall_time` and `name`.
        """
        for _ in range(burn_iters):
            function()
        times = []
        for _ in range(min_iters):
            start = time.perf_counter()
            function()
            times.append(time.perf_counter() - start)
        found: dict[str, Any] = {"iters": min_iters, "wall_time": statistics.median(times), "name": name or _caller()}
        self.report_benchmark(**found)
        return found

    def evaluate(self, tensors: Any) -> Any:
        """A structure with NumPy values in place of tensors."""
        return nest.map_structure(lambda leaf: leaf.numpy() if isinstance(leaf, Tensor) else leaf, tensors)


def _caller() -> str:
    """The name of the innermost method `benchmark…` that is running."""
    frames = [frame.function for frame in inspect.stack(0)]
    return next((name for name in frames if name.startswith("benchmark")), "benchmark")
