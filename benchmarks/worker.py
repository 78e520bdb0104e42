"""One system in a process of its own, which does what it is told over its standard streams, one JSON line each.

{"do": "load", "threads": 2, "scale": 1.0}       -> {"version": ...}, or {"missing": why}
{"do": "check", "work": "square", "times": 3}    -> {"results": [arrays, as base64 of .npy]}
{"do": "time", "work": "square", "seconds": .1}  -> {"samples": [seconds of one call, ...]}
{"do": "first", "work": "square", "times": 5}    -> {"seconds": until the first result, "peak": bytes that memory grows by, "whole": all of it}

A command that raises an exception is answered by {"failed": the exception}.
"""

from __future__ import annotations

import base64
import contextlib
import importlib
import io
import json
import os
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(sys.path.pop(0))  # keras.py beside this file must not be taken for Keras

import adbench_works
import compiled_works
import data_works
import eager_network_works
import keras_works
import network_works
import op_works
import works
from systems.runs import Run

MODULES = {
    "eager": {
        "gradtape": ("systems.ours", "gradtape"),
        "PyTorch": ("systems.pytorch", "torch"),
        "TensorFlow": ("systems.tensorflow_eager", "tensorflow"),
        "JAX": ("systems.jax_eager", "jax"),
    },
    "compiled": {
        "gradtape": ("systems.compiled_ours", "gradtape"),
        "TensorFlow": ("systems.compiled_tensorflow", "tensorflow"),
        "TensorFlow XLA": ("systems.compiled_xla", "tensorflow"),
        "JAX": ("systems.compiled_jax", "jax"),
        "PyTorch": ("systems.compiled_pytorch", "torch"),
        "torch.compile": ("systems.compiled_torch", "torch"),
        "the machine": ("systems.machine", "numpy"),
    },
    "keras": {
        "gradtape": ("systems.keras_ours", "gradtape"),
        "TensorFlow": ("systems.keras_tensorflow", "tensorflow"),
        "TensorFlow XLA": ("systems.keras_xla", "tensorflow"),
        "JAX": ("systems.keras_jax", "jax"),
        "PyTorch": ("systems.keras_pytorch", "torch"),
        "torch.compile": ("systems.keras_torch", "torch"),
    },
    "data": {
        "gradtape": ("systems.data_ours", "gradtape"),
        "TensorFlow": ("systems.data_tensorflow", "tensorflow"),
    },
}
MODULES["adbench"] = {
    "gradtape": ("systems.adbench_ours", "gradtape"),
    "TensorFlow": ("systems.adbench_tensorflow", "tensorflow"),
    "TensorFlow XLA": ("systems.adbench_xla", "tensorflow"),
    "JAX": ("systems.adbench_jax", "jax"),
    "PyTorch": ("systems.adbench_pytorch", "torch"),
}
MODULES["networks"] = MODULES["keras"]
MODULES["eager_networks"] = {
    "gradtape": ("systems.eager_networks_ours", "gradtape"),
    "TensorFlow": ("systems.eager_networks_tensorflow", "tensorflow"),
    "PyTorch": ("systems.eager_networks_pytorch", "torch"),
}
WORKS: dict[str, tuple[works.Work, ...]] = {
    "eager": (*works.WORKS, *op_works.WORKS),
    "compiled": (*compiled_works.WORKS, *compiled_works.CONTROL_FLOW, *compiled_works.MACHINE),
    "keras": keras_works.WORKS,
    "data": data_works.WORKS,
    "adbench": adbench_works.WORKS,
    "networks": network_works.WORKS,
    "eager_networks": eager_network_works.WORKS,
}
SAMPLE_SECONDS = 0.002


class Worker:
    """The works of one system, built when first asked for."""

    def __init__(self, family: str, system: str) -> None:
        self.works = {work.name: work for work in WORKS[family]}
        self.module_name, self.package = MODULES[family][system]
        self.built: dict[str, Any] = {}
        self.calls: dict[str, int] = {}

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
        run = self.built[work] = self._build(work)
        for _ in range(times):
            results = run()
        return {"results": [_encode(self.module.to_numpy(r)) for r in results]}

    def time(self, work: str, seconds: float) -> dict[str, Any]:
        """Seconds for one call, sampled for as long as told, and three times at least."""
        if work not in self.built:
            self.built[work] = self._build(work)
        run = self.built[work]
        if hasattr(run, "samples"):  # it takes the time itself
            return {"samples": run.samples(seconds)}
        if work not in self.calls:
            run()
            self.calls[work] = _calls_per_sample(run)
        calls = self.calls[work]
        samples: list[float] = []
        end = time.perf_counter() + seconds
        while len(samples) < 3 or time.perf_counter() < end:
            samples.append(_sample(run, calls))
        return {"samples": samples}

    def first(self, work: str, times: int) -> dict[str, Any]:
        """Seconds from the inputs to the first result, and by how much the process grew at most, in some calls more."""
        inputs = self.works[work].inputs(self.scale)
        before = _resident("VmRSS")
        _forget_peak()
        start = time.perf_counter()
        run = getattr(self.module, work)(inputs)
        if isinstance(run, Run):
            run = run.once
            run()
        else:
            for result in run():
                self.module.to_numpy(result)
        seconds = time.perf_counter() - start
        for _ in range(times):
            run()
        whole = _resident("VmHWM")
        return {"seconds": seconds, "peak": whole - before, "whole": whole}

    def _build(self, work: str) -> Any:
        return getattr(self.module, work)(self.works[work].inputs(self.scale))


def _resident(field: str) -> int:
    """Resident bytes of this process: now (VmRSS), or at most so far (VmHWM)."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _forget_peak() -> None:
    """Let the peak of resident memory begin again, where the system can."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


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


def _reason(problem: Exception) -> str:
    """The exception in a line; of a traceback in words, which begins with a colon at a line's end, the last one."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()] or [""]
    return f"{type(problem).__name__}: {lines[-1] if lines[0].endswith(':') else lines[0]}"[:300]


def main() -> None:
    """Answer commands until the input ends."""
    # Libraries may print: the answers get a stream of their own, and prints go where errors go.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker(*sys.argv[1:])
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = getattr(worker, command.pop("do"))(**command)
        except Exception as problem:
            traceback.print_exc()
            answer = {"failed": _reason(problem)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
