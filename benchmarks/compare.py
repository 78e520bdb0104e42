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
BEST = "the best other"  # in a work's limits: whichever of the other systems is quickest
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
    limits = [
        {"against": other, "limit": limit, "ratio": ratio, "passed": ratio <= limit}
        for against, limit in work.limits.items()
        for other in [best_other(systems) if against == BEST else against]
        if other in systems and "gradtape" in systems
        for ratio in [systems["gradtape"]["best"] / systems[other]["best"]]
    ]
    return {"name": work.name, "title": work.title, "systems": systems, "limits": limits}


def best_other(systems: dict[str, Any]) -> str | None:
    """The quickest system besides gradtape."""
    others = [s for s in systems if s != "gradtape"]
    return min(others, key=lambda s: systems[s]["best"]) if others else None


def describe(row: Row) -> str:
    """A row for the terminal."""
    lines = [row["title"].replace("`", "")]
    for system, found in row["systems"].items():
        ours = row["systems"].get("gradtape")
        ratio = f"   gradtape takes {ours['best'] / found['best']:.3f} of it" if ours else ""
        lines.append(
            f"    {system:<14} best {harness.duration(found['best']):>8}   median {harness.duration(found['median']):>8}"
            f"   {found['threads']} thread{'s' if found['threads'] > 1 else ' '}{ratio}"
        )
    lines += [f"    {system:<14} {reason}" for system, reason in row.get("absent", {}).items()]
    lines += [f"    {'kept  ' if m['passed'] else 'MISSED'} {report.limit_text(m)}" for m in row["limits"]]
    return "\n".join(lines)


def start(systems: Sequence[str], scale: float, family: str = "eager") -> list[harness.Process]:
    """A process for each system and number of threads; systems that are not installed are named and left out."""
    processes = []
    for system in systems:
        for threads in sorted({1, os.cpu_count() or 1}):
            process = harness.Process(system, threads, scale, family)
            if process.missing:
                print(f"{system} is left out: {process.missing}", file=sys.stderr)
                process.close()
                break
            processes.append(process)
    return processes


def main(
    name: str,
    description: str | None,
    works: Sequence[Work],
    systems: Sequence[str] = SYSTEMS,
    family: str = "eager",
    rounds: int = 20,
) -> int:
    """Measure, print, write `results/<name>.*`; 1 if --strict and a limit is missed."""
    found = parser(description, works, works, systems)
    found.set_defaults(rounds=rounds)
    options = found.parse_args()
    processes = start(first_ours(options.systems), options.scale, family)
    try:
        chosen = [w for w in works if w.name in options.works]
        rows = measure(chosen, processes, options.rounds, options.seconds)
    finally:
        for process in processes:
            process.close()
    return finish(name, {"family": family, "versions": versions(processes), "works": rows}, options)


def parser(
    description: str | None, works: Sequence[Work], usual: Sequence[Work], systems: Sequence[str]
) -> argparse.ArgumentParser:
    """The options of a comparison."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--works", nargs="+", choices=[w.name for w in works], default=[w.name for w in usual])
    found.add_argument("--systems", nargs="+", choices=systems, default=list(systems))
    found.add_argument("--rounds", type=int, default=20, help="turns that each system gets")
    found.add_argument("--seconds", type=float, default=0.15, help="length of a turn")
    found.add_argument("--scale", type=float, default=1.0, help="size of the large inputs")
    found.add_argument("--output", type=Path, default=harness.RESULTS, help="folder of the results")
    found.add_argument("--strict", action="store_true", help="exit with 1 if a limit is missed")
    return found


def first_ours(systems: Sequence[str]) -> list[str]:
    """The systems with gradtape, which comes first: the others are compared with it."""
    return ["gradtape", *[s for s in systems if s != "gradtape"]]


def versions(processes: Sequence[harness.Process]) -> dict[str, str | None]:
    """The version of each system."""
    return {p.system: p.version for p in processes}


def finish(name: str, found: dict[str, Any], options: argparse.Namespace) -> int:
    """Write the files of results; 1 if --strict and a limit is missed."""
    content = {"machine": harness.machine()} | found
    print(f"Written: {harness.write(name, content, options.output)}")
    print(f"Written: {report.write_table(name, content, options.output)}")
    picture = chart.bars(content["works"], options.output / f"{name}.png")
    print(f"Written: {picture}" if picture else "No chart: matplotlib is not installed, or there are no times.")
    limits = [limit for row in content["works"] for limit in row["limits"]] + content.get("limits", [])
    return 1 if options.strict and not all(limit["passed"] for limit in limits) else 0
