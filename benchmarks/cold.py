"""The first result of a work in a fresh process: how long it takes, and how much memory it needs.

The time of imports is not counted: footprint.py measures it. Caches on disk are empty; gradtape is measured a second time with what
the first process has left there, and for a small program from the start of the process on. Of memory the peak of the whole process
is compared, since some systems load their compiler with the import and others with the first function; how far it grows after
the import is shown beside it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

import harness
from compiled_works import FIRST_RESULT, FIRST_RESULTS, PEAK, START, WARM_RESULTS, CompiledWork
from network_works import Network
from works import Work

CALLS = 5
ROUNDS = 3  # of gradtape and of JAX, with which it is compared; the others are there to be seen
REFERENCE = "JAX"
OURS = "gradtape"
_SMALL_PROGRAM = """
import gradtape as tf
f = tf.function(lambda x: tf.reduce_sum(tf.tanh(tf.matmul(x, x))))
print(float(f(tf.ones([64, 64]))))
"""


def measure(chosen: Sequence[CompiledWork], systems: Sequence[str], scale: float, patience: float) -> dict[str, Any]:
    """For each work and system the best seconds and the smallest peak, and whether the limits are kept."""
    found: dict[str, dict[str, Any]] = {}
    for work in chosen:
        found[work.name] = {}
        samples: dict[str, list[dict[str, Any]]] = {system: [] for system in systems}
        for k in range(ROUNDS):
            for system in systems if k == 0 else [s for s in systems if s in (OURS, REFERENCE)]:
                samples[system].append(one(work.name, system, scale, patience))
        for system, answers in samples.items():
            good = [a for a in answers if "failed" not in a]
            found[work.name][system] = (
                {key: min(a[key] for a in good) for key in ("seconds", "peak", "whole", "warm") if key in good[0]}
                if good
                else answers[0]
            )
        print(describe(work, found[work.name]), flush=True)
    start = start_seconds()
    print(f"start of a process to its first compiled result, kernels on disk: {harness.duration(start)}")
    return {"cold": found, "start": start, "cold_limits": [*limits(found), _start_limit(start)]}


def measure_networks(
    chosen: Sequence[Network], systems: Sequence[str], scale: float, patience: float
) -> dict[str, Any]:
    """First training steps, the building of the model with them, and the peak of memory, once for each system."""
    found: dict[str, dict[str, Any]] = {}
    limits = []
    for work in chosen:
        answers = found[work.name] = {system: one(work.name, system, scale, patience, "networks") for system in systems}
        print(describe(work, answers), flush=True)
        ours = answers.get(OURS, {})
        if "seconds" not in ours:
            limits.append({"text": f"{work.name}: no first step: {ours.get('failed')}", "passed": False})
            continue
        for key, most, how in (("seconds", work.first, ""), ("warm", work.warm, " with kernels on disk")):
            if most is not None:
                text = f"{work.name}: first step{how} after {harness.duration(ours[key])}, at most {harness.duration(most)}"
                limits.append({"text": text, "passed": ours[key] <= most})
        for system in ("JAX", "TensorFlow"):
            if "whole" in answers.get(system, {}):
                ratio = ours["whole"] / answers[system]["whole"]
                text = f"{work.name}: peak memory {ratio:.2f} x {system}'s, at most {PEAK:.2f}"
                limits.append({"text": text, "passed": ratio <= PEAK})
    return {"cold": found, "cold_limits": limits}


def one(work: str, system: str, scale: float, patience: float, family: str = "compiled") -> dict[str, Any]:
    """Seconds and peak of one fresh process; why not, if it fails. Of gradtape also the seconds of a second one, as "warm"."""
    with tempfile.TemporaryDirectory() as empty:
        caches = {"GRADTAPE_CACHE": f"{empty}/kernels", "XDG_CACHE_HOME": empty, "TORCHINDUCTOR_CACHE_DIR": empty}
        found = _first(work, system, scale, patience, caches, family)
        if system == OURS and "failed" not in found:
            found["warm"] = _first(work, system, scale, patience, caches, family)["seconds"]
        return found


def _first(
    work: str, system: str, scale: float, patience: float, caches: dict[str, str], family: str
) -> dict[str, Any]:
    process = harness.Process(system, os.cpu_count() or 1, scale, family, caches)
    try:
        return process.ask("first", patience, work=work, times=CALLS)
    except harness.Failed as problem:
        return {"failed": str(problem)}
    finally:
        process.close()


def start_seconds() -> float:
    """From the start of a process to the result of a small compiled function, and to its end, with kernels on disk."""
    best = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"GRADTAPE_CACHE": f"{folder}/kernels", "PYTHONDONTWRITEBYTECODE": ""}
        for _ in range(1 + ROUNDS):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", _SMALL_PROGRAM], env=environment, check=True, capture_output=True)
            best = min(best, time.perf_counter() - begin)
    return best


def _start_limit(seconds: float) -> dict[str, Any]:
    text = f"start: first compiled result after {harness.duration(seconds)} of a process, at most {harness.duration(START)}"
    return {"text": text, "passed": seconds <= START}


def limits(found: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The limits of each work, and of all together."""
    kept = []
    sums = {OURS: 0.0, REFERENCE: 0.0, "warm": 0.0}
    for work, systems in found.items():
        ours, theirs = systems[OURS], systems.get(REFERENCE, {"failed": "not measured"})
        if "failed" in ours:
            kept.append({"text": f"{work}: no first result: {ours['failed']}", "passed": False})
            continue
        text = f"{work}: first result in {harness.duration(ours['seconds'])}, at most {harness.duration(FIRST_RESULT)}"
        kept.append({"text": text, "passed": ours["seconds"] <= FIRST_RESULT})
        if "failed" in theirs:
            continue
        ratio = ours["whole"] / max(1, theirs["whole"])
        text = f"{work}: peak memory {ratio:.2f} x {REFERENCE}'s, at most {PEAK:.2f}"
        kept.append({"text": text, "passed": ratio <= PEAK})
        sums[OURS] += ours["seconds"]
        sums["warm"] += ours["warm"]
        sums[REFERENCE] += theirs["seconds"]
    if sums[REFERENCE]:
        for key, how, most in ((OURS, "", FIRST_RESULTS), ("warm", " with kernels on disk", WARM_RESULTS)):
            ratio = sums[key] / sums[REFERENCE]
            text = f"first results of all works{how}: {ratio:.3f} x {REFERENCE}'s time without, at most {most:.2f}"
            kept.append({"text": text, "passed": ratio <= most})
    return kept


def describe(work: Work, systems: dict[str, Any]) -> str:
    """The first results of a work, for the terminal."""
    lines = [f"{work.title}: first result"]
    for system, found in systems.items():
        text = (
            found.get("failed")
            or f"{harness.duration(found['seconds']):>8}   {found['whole'] / 2**20:>6.1f} MiB, {found['peak'] / 2**20:.1f} of them after the import"
        )
        warm = f"; {harness.duration(found['warm'])} with kernels on disk" if "warm" in found else ""
        lines.append(f"    {system:<14} {text}{warm}")
    return "\n".join(lines)
