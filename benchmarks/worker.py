"""One system in a process of its own, which does what it is told over its standard streams, one JSON line each.

{"do": "load", "threads": 2, "scale": 1.0}       -> {"version": ...}, or {"missing": why}
{"do": "check", "work": "square", "times": 3}    -> {"results": [arrays, as base64 of .npy]}
{"do": "time", "work": "square", "seconds": .1}  -> {"samples": [seconds of one call, ...]}
"""

from __future__ import annotations

import base64
import importlib
import io
import json
import os
import sys
import time
from typing import Any

import numpy as np

import op_works
import works

MODULES = {
    "gradtape": ("systems.ours", "gradtape"),
    "PyTorch": ("systems.pytorch", "torch"),
    "TensorFlow": ("systems.tensorflow_eager", "tensorflow"),
    "JAX": ("systems.jax_eager", "jax"),
}
SAMPLE_SECONDS = 0.002


class Worker:
    """The works of one system, built when first asked for."""

    def __init__(self, system: str) -> None:
        self.module_name, self.package = MODULES[system]
        self.runs: dict[str, Any] = {}

    def load(self, threads: int, scale: float) -> dict[str, Any]:
        """Import the system; its version."""
        try:
            self.module = importlib.import_module(self.module_name)
        except ImportError as problem:
            return {"missing": str(problem)}
        self.module.use_threads(threads)
        self.scale = scale
        return {"version": getattr(sys.modules[self.package], "__version__", "")}

    def check(self, work: str, times: int) -> dict[str, Any]:
        """The results after some calls on fresh inputs."""
        run = self._build(work)
        for _ in range(times):
            results = run()
        return {"results": [_encode(self.module.to_numpy(r)) for r in results]}

    def time(self, work: str, seconds: float) -> dict[str, Any]:
        """Seconds for one call, sampled for as long as told, and three times at least."""
        if work not in self.runs:
            self.runs[work] = run = self._build(work)
            run()
            self.runs[work] = run, _calls_per_sample(run)
        run, calls = self.runs[work]
        samples: list[float] = []
        end = time.perf_counter() + seconds
        while len(samples) < 3 or time.perf_counter() < end:
            samples.append(_sample(run, calls))
        return {"samples": samples}

    def _build(self, work: str) -> Any:
        inputs = next(w for w in (*works.WORKS, *op_works.WORKS) if w.name == work).inputs(self.scale)
        return getattr(self.module, work)(inputs)


def _sample(run: Any, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def _calls_per_sample(run: Any) -> int:
    """So many calls that the clock's own cost does not count."""
    once = min(_sample(run, 1) for _ in range(3))
    return max(1, round(SAMPLE_SECONDS / once))


def _encode(array: Any) -> str:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return base64.b64encode(buffer.getvalue()).decode()


def main() -> None:
    """Answer commands until the input ends."""
    # Libraries may print: the answers get a stream of their own, and prints go where errors go.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        command = json.loads(line)
        answer = getattr(worker, command.pop("do"))(**command)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
