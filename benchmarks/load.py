"""How much slower a compiled function gets while another process is busy on every core.

Twice as slow is fair: half of the machine is the other's. More means that threads wait for threads that do not run.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import harness
from compiled_works import SLOWDOWN, CompiledWork

TURNS = 4
LENGTH = 4  # so many times longer than other turns: a scheduler's slice must not decide


@contextmanager
def busy() -> Iterator[None]:
    """Every core is asked for by another process."""
    command = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(command) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def measure(
    chosen: Sequence[CompiledWork], processes: Sequence[harness.Process], rounds: int, seconds: float
) -> dict[str, Any]:
    """For each work the mean seconds of a call alone and with every core busy, on all threads."""
    ours = max((p for p in processes if p.system == "gradtape"), key=lambda p: p.threads)
    found: dict[str, dict[str, float]] = {}
    for work in chosen:
        try:
            found[work.name] = _slowdown(ours, work.name, min(rounds, TURNS), LENGTH * seconds)
        except harness.Failed as problem:
            print(f"{work.title}: {problem}")
            continue
        print(f"{work.title}: {_text(work.name, found[work.name])}", flush=True)
    limits = [{"text": _text(name, row), "passed": row["slowdown"] <= SLOWDOWN} for name, row in found.items()]
    return {"load": found, "load_limits": limits}


def _slowdown(process: harness.Process, work: str, turns: int, seconds: float) -> dict[str, float]:
    alone, loaded = [], []
    for _ in range(turns):
        alone.append(_mean(process, work, seconds))
        with busy():
            loaded.append(_mean(process, work, seconds))
    best, slow = min(alone), statistics.median(loaded)
    return {"alone": best, "loaded": slow, "slowdown": slow / best}


def _mean(process: harness.Process, work: str, seconds: float) -> float:
    return statistics.fmean(process.ask("time", work=work, seconds=seconds)["samples"])


def _text(work: str, row: dict[str, float]) -> str:
    return f"{work}: {row['slowdown']:.2f} times slower with every core busy, at most {SLOWDOWN:.0f}"
