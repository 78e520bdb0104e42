"""Systems in processes of their own, commanded in turns, so that a busy moment of the machine hits all of them.

One process would be simpler, but the thread pools of TensorFlow, PyTorch and XLA disturb one another in it. A worker that
is not told to work waits for its input and takes no time.
"""

from __future__ import annotations

import base64
import io
import json
import os
import platform
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"


class Failed(Exception):
    """A system could not do a work; the message says why."""


# Byte code is kept, as an installation does it.
_AS_INSTALLED = {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONDONTWRITEBYTECODE": ""}


class Process:
    """A worker process with one system and one number of threads.

    Args:
      system: its name.
      threads: how many it may use.
      scale: the size of large inputs.
      family: which programs: the eager ones, or the compiled ones.
      environment: further environment variables.
    """

    def __init__(
        self,
        system: str,
        threads: int,
        scale: float,
        family: str = "eager",
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.system, self.threads, self._scale = system, threads, scale
        self._command = [sys.executable, str(HERE / "worker.py"), family, system]
        self._environment = os.environ | _thread_limits(threads) | _AS_INSTALLED | environment
        self._launch()

    def _launch(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment, text=True
        )
        answer = self.ask("load", threads=self.threads, scale=self._scale)
        self.version: str | None = answer.get("version")
        self.missing: str | None = answer.get("missing")

    def ask(self, do: str, patience: float | None = None, **details: Any) -> dict[str, Any]:
        """The worker's answer to one command.

        Raises:
          Failed: the work raised an exception, or took longer than `patience` in seconds; then another worker is started.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do} | details) + "\n")
        self._process.stdin.flush()
        if patience is not None and not select.select([self._process.stdout], [], [], patience)[0]:
            self._process.kill()
            self.close()
            self._launch()
            raise Failed(f"took longer than {patience:.0f} s")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"The worker of {self.system} ended at {do} {details}; its message is above.")
        answer: dict[str, Any] = json.loads(line)
        if "failed" in answer:
            raise Failed(answer["failed"])
        return answer

    def results(self, work: str, times: int, patience: float | None = None) -> list[Any]:
        """What the work computes, as NumPy arrays."""
        answer = self.ask("check", patience, work=work, times=times)
        return [np.load(io.BytesIO(base64.b64decode(r))) for r in answer["results"]]

    def close(self) -> None:
        """End the worker."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        assert self._process.stdout is not None
        self._process.stdout.close()


def _thread_limits(threads: int) -> dict[str, str]:
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    if threads == 1:
        limits["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    return limits


def check_equal(processes: list[Process], work: str, times: int = 3) -> None:
    """AssertionError unless all systems compute the same numbers."""
    expected = processes[0].results(work, times)
    for process in processes[1:]:
        compare_results(work, expected, process.results(work, times), processes[0].system, process.system)


def compare_results(work: str, ours: list[Any], theirs: list[Any], us: str, them: str) -> None:
    """AssertionError unless the numbers are the same within what float32 allows: sums of large terms may cancel, so the
    largest number of an array decides."""
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(
            np.squeeze(other),
            np.squeeze(one),
            rtol=2e-4,
            atol=2e-6 * max(1.0, float(np.max(np.abs(one), initial=0.0))),
            err_msg=f"{work}: {them} and {us} differ",
        )


def interleave(processes: list[Process], work: str, rounds: int, seconds: float) -> dict[tuple[str, int], list[float]]:
    """Samples of seconds per call for each (system, threads), taken in turns; every round starts with another one."""
    samples: dict[tuple[str, int], list[float]] = {(p.system, p.threads): [] for p in processes}
    for k in range(rounds):
        start = k % len(processes)
        for process in processes[start:] + processes[:start]:
            answer = process.ask("time", work=work, seconds=seconds)
            samples[process.system, process.threads] += answer["samples"]
    return samples


def summary(samples: list[float]) -> dict[str, Any]:
    """Best and median of some samples, in seconds."""
    return {"best": min(samples), "median": statistics.median(samples), "samples": len(samples)}


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "date": time.strftime("%Y-%m-%d"),
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def write(name: str, content: Any, folder: Path = RESULTS) -> Path:
    """Write a JSON file of results; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content, indent=1) + "\n")
    return path


def duration(seconds: float) -> str:
    """A time in three digits with its unit."""
    factor, unit = next(((f, u) for f, u in ((1.0, "s"), (1e-3, "ms")) if seconds >= f), (1e-6, "us"))
    value = seconds / factor
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"
