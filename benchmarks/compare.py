"""What the comparisons share: processes for the systems, interleaved samples, ratios, limits, files of results."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chart
import harness
import report
from works import Work

SYSTEMS = ("gradtape", "PyTorch", "TensorFlow", "JAX")
Row = dict[str, Any]


def measure(chosen: list[Work], processes: list[harness.Process], rounds: int, seconds: float) -> list[Row]:
    """One row for each work: times by system, ratios and whether the limits are kept."""
    rows = []
    for work in chosen:
        harness.check_equal(processes, work.name)
        samples = harness.interleave(processes, work.name, rounds, seconds)
        rows.append(row_of(work, samples))
        print(describe(rows[-1]), flush=True)
    return rows


def row_of(work: Work, samples: dict[tuple[str, int], list[float]]) -> Row:
    """The row of one work, from its samples."""
    systems: dict[str, Any] = {}
    for (system, threads), values in samples.items():
        found = harness.summary(values) | {"threads": threads}
        if system not in systems or found["best"] < systems[system]["best"]:
            systems[system] = found
    ours = systems["gradtape"]["best"]
    limits = [
        {"against": other, "limit": limit, "ratio": ratio, "passed": ratio <= limit}
        for other, limit in work.limits.items()
        if other in systems
        for ratio in [ours / systems[other]["best"]]
    ]
    return {"name": work.name, "title": work.title, "systems": systems, "limits": limits}


def describe(row: Row) -> str:
    """A row for the terminal."""
    lines = [row["title"].replace("`", "")]
    for system, found in row["systems"].items():
        ratio = row["systems"]["gradtape"]["best"] / found["best"]
        lines.append(
            f"    {system:<11} best {harness.duration(found['best']):>8}   median {harness.duration(found['median']):>8}"
            f"   {found['threads']} thread{'s' if found['threads'] > 1 else ' '}   gradtape takes {ratio:.3f} of it"
        )
    for limit in row["limits"]:
        mark = "kept  " if limit["passed"] else "MISSED"
        lines.append(f"    {mark} {limit['ratio']:.3f} x {limit['against']}, at most {limit['limit']:.3f}")
    return "\n".join(lines)


def start(systems: list[str], scale: float) -> list[harness.Process]:
    """A process for each system and number of threads; systems that are not installed are named and left out."""
    processes = []
    for system in systems:
        for threads in sorted({1, os.cpu_count() or 1}):
            process = harness.Process(system, threads, scale)
            if process.missing:
                print(f"{system} is left out: {process.missing}", file=sys.stderr)
                process.close()
                break
            processes.append(process)
    return processes


def main(name: str, description: str | None, works: Sequence[Work], systems: Sequence[str] = SYSTEMS) -> int:
    """Measure, print, write `results/<name>.*`; 1 if --strict and a limit is missed."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--works", nargs="+", choices=[w.name for w in works], default=[w.name for w in works])
    parser.add_argument("--systems", nargs="+", choices=systems, default=list(systems))
    parser.add_argument("--rounds", type=int, default=20, help="turns that each system gets")
    parser.add_argument("--seconds", type=float, default=0.15, help="length of a turn")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the large inputs")
    parser.add_argument("--output", type=Path, default=harness.RESULTS, help="folder of the results")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a limit is missed")
    options = parser.parse_args()
    processes = start(["gradtape", *[s for s in options.systems if s != "gradtape"]], options.scale)
    try:
        chosen = [w for w in works if w.name in options.works]
        rows = measure(chosen, processes, options.rounds, options.seconds)
    finally:
        for process in processes:
            process.close()
    versions = {p.system: p.version for p in processes}
    content = {"machine": harness.machine(), "versions": versions, "works": rows}
    print(f"Written: {harness.write(name, content, options.output)}")
    print(f"Written: {report.write_table(name, content, options.output)}")
    picture = chart.bars(rows, options.output / f"{name}.png")
    print(f"Written: {picture}" if picture else "matplotlib is not installed: no chart.")
    missed = [limit for row in rows for limit in row["limits"] if not limit["passed"]]
    return 1 if missed and options.strict else 0
