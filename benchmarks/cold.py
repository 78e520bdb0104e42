"""The first result of a work in a fresh process: how long it takes, and how much memory it needs.

The time of imports is not counted: footprint.py measures it. Caches on disk are empty. Of memory the peak of the whole process
is compared, since some systems load their compiler with the import and others with the first function; how far it grows after
the import is shown beside it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any

import harness
from compiled_works import FIRST_RESULT, FIRST_RESULTS, PEAK, CompiledWork

CALLS = 5
ROUNDS = 3  # of gradtape and of JAX, with which it is compared; the others are there to be seen
REFERENCE = "JAX"


def measure(chosen: Sequence[CompiledWork], systems: Sequence[str], scale: float, patience: float) -> dict[str, Any]:
    """For each work and system the best seconds and the smallest peak, and whether the limits are kept."""
    found: dict[str, dict[str, Any]] = {}
    for work in chosen:
        found[work.name] = {}
        samples: dict[str, list[dict[str, Any]]] = {system: [] for system in systems}
        for k in range(ROUNDS):
            for system in systems if k == 0 else [s for s in systems if s in ("gradtape", REFERENCE)]:
                samples[system].append(one(work.name, system, scale, patience))
        for system, answers in samples.items():
            good = [a for a in answers if "failed" not in a]
            found[work.name][system] = (
                {key: min(a[key] for a in good) for key in ("seconds", "peak", "whole")} if good else answers[0]
            )
        print(describe(work, found[work.name]), flush=True)
    return {"cold": found, "cold_limits": limits(found)}


def one(work: str, system: str, scale: float, patience: float) -> dict[str, Any]:
    """Seconds and peak of one fresh process; why not, if it fails."""
    with tempfile.TemporaryDirectory() as empty:
        caches = {"GRADTAPE_CACHE": f"{empty}/kernels", "XDG_CACHE_HOME": empty, "TORCHINDUCTOR_CACHE_DIR": empty}
        process = harness.Process(system, os.cpu_count() or 1, scale, "compiled", caches)
        try:
            return process.ask("first", patience, work=work, times=CALLS)
        except harness.Failed as problem:
            return {"failed": str(problem)}
        finally:
            process.close()


def limits(found: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The limits of each work, and of all together."""
    kept = []
    sums = {"gradtape": 0.0, REFERENCE: 0.0}
    for work, systems in found.items():
        ours, theirs = systems["gradtape"], systems.get(REFERENCE, {"failed": "not measured"})
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
        sums["gradtape"] += ours["seconds"]
        sums[REFERENCE] += theirs["seconds"]
    if sums[REFERENCE]:
        ratio = sums["gradtape"] / sums[REFERENCE]
        text = f"first results of all works: {ratio:.3f} x {REFERENCE}'s time, at most {FIRST_RESULTS:.2f}"
        kept.append({"text": text, "passed": ratio <= FIRST_RESULTS})
    return kept


def describe(work: CompiledWork, systems: dict[str, Any]) -> str:
    """The first results of a work, for the terminal."""
    lines = [f"{work.title}: first result"]
    for system, found in systems.items():
        text = (
            found.get("failed")
            or f"{harness.duration(found['seconds']):>8}   {found['whole'] / 2**20:>6.1f} MiB, {found['peak'] / 2**20:.1f} of them after the import"
        )
        lines.append(f"    {system:<14} {text}")
    return "\n".join(lines)
