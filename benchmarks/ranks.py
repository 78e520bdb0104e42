"""Two ranks against one process with the same work, against PyTorch's DDP, and a simulation of many ranks.

    python benchmarks/ranks.py [--torch PYTHON] [--rounds 5]      writes benchmarks/results/ranks.*

One process computes whole batches with two threads; two ranks compute half of each with one thread. Runs alternate, and the best of several
counts. All must compute the same losses. PYTHON is an interpreter with PyTorch and matplotlib; this one by default. The simulation is
arithmetic, not a measurement: it takes the measured time and bytes of a step, and a latency and a bandwidth as parameters.

Horovod is not among them: its last release, 0.28.1, has no wheel, and does not build with PyTorch 2.13, which needs C++17.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import chart
import harness
import report
from ranks_works import WORKS

ONE, TWO, SILENT = "gradtape, one process", "gradtape, two ranks", "gradtape, two ranks without communication"
TORCH, DDP = "PyTorch, one process", "PyTorch DDP (gloo), two ranks"

LATENCY, BANDWIDTH = 5e-6, 10e9 / 8  # of the simulated network: 5 microseconds, 10 Gbit/s
RANKS = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
BACKWARD = 2 / 3  # of a step's computing: what communication can hide behind
PIECE = 4 << 20  # bytes of a bucket


def run(*commands: list[str]) -> list[dict[str, Any]]:
    """What programs that run side by side print as JSON."""
    jobs = [
        subprocess.Popen(c, stdout=subprocess.PIPE, text=True, env={**os.environ, "GLOO_SOCKET_IFNAME": "lo"})
        for c in commands
    ]
    found = []
    for job in jobs:
        out, _ = job.communicate(timeout=300)
        if job.returncode:
            raise SystemExit(f"failed: {' '.join(job.args)}")  # type: ignore[arg-type]
        found += [json.loads(line.partition("] ")[2] or line) for line in out.splitlines() if '"times"' in line]
    return found


def slowest(told: list[dict[str, Any]], name: str = "times") -> list[float]:
    """Seconds of each step of all ranks together."""
    return [max(step) for step in zip(*[t[name] for t in told], strict=True)]


def measured(work: str, rounds: int, torch: str | None) -> dict[str, Any]:
    """The times of all systems for a work, and what travels between gradtape's ranks."""
    this = [str(harness.HERE / "ranks_works.py"), work]
    times: dict[str, list[float]] = {}
    losses: dict[str, Any] = {}
    told: list[dict[str, Any]] = []

    def note(system: str, found: list[dict[str, Any]], name: str = "times") -> None:
        times.setdefault(system, []).extend(slowest(found, name))
        losses[system] = np.mean([f["losses"] for f in found], axis=0)

    for _ in range(rounds):
        note(ONE, run([sys.executable, *this, "gradtape", "one"]))
        both = run([sys.executable, "-m", "gradtape", "launch", "-n", "2", *this, "gradtape", "ranks"])
        note(TWO, both)
        times.setdefault(SILENT, []).extend(slowest(both, "silent"))
        told += both
        if torch:
            note(TORCH, run([torch, *this, "torch", "0", "1", "-"]))
            with tempfile.TemporaryDirectory() as folder:
                note(DDP, run(*[[torch, *this, "torch", str(r), "2", folder] for r in range(2)]))
    for system, found in losses.items():
        np.testing.assert_allclose(found, losses[ONE], rtol=1e-4, err_msg=f"{work}: {system} computes other losses")
    size = told[0]["bytes"]
    return {
        "title": WORKS[work],
        "systems": {system: harness.summary(found) for system, found in times.items()},
        "collectives": told[0]["reductions"],
        "agreements": told[0]["agreements"],
        "bytes": size,
        "wire": size * 2 * (2 - 1) / 2,  # what a rank of two sends in a ring
        "hidden": statistics.median([max(0.0, 1 - t["waited"] / t["blocking"]) for t in told]),
    }


def simulate(compute: float, size: float) -> list[dict[str, Any]]:
    """Seconds of a step on many ranks, with ring and tree, by latency and bandwidth."""
    pieces = max(1, math.ceil(size / PIECE))
    rows = []
    for n in RANKS:
        ring = pieces * 2 * (n - 1) * LATENCY + 2 * (n - 1) / n * size / BANDWIDTH
        tree = pieces * 2 * math.ceil(math.log2(n)) * LATENCY + 2 * math.ceil(math.log2(n)) * size / BANDWIDTH
        row: dict[str, Any] = {"ranks": n}
        for name, seconds in (("ring", ring), ("tree", tree)):
            last = seconds / pieces  # the last bucket is ready when the pass ends: nothing is left to hide it behind
            row[name] = compute + max(last, seconds - BACKWARD * compute)
        rows.append(row)
    return rows


def draw(path: Path) -> None:
    """The chart of the simulation, beside the results."""
    content = json.loads(path.read_text())
    pyplot = chart._pyplot()
    if pyplot is None:
        print("matplotlib is not installed: no chart.")
        return
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for title, found in content["simulation"].items():
        for name, style in (("ring", "-"), ("tree", "--")):
            share = [found["compute"] / r[name] for r in found["rows"]]
            axes.plot([r["ranks"] for r in found["rows"]], share, style, marker="o", label=f"{title}: {name}")
    axes.set(xlabel="ranks", ylabel="efficiency: computing / step", ylim=(0, 1.05))
    axes.set_xscale("log", base=2)
    axes.set_title("SIMULATION, not measured: 5 us latency, 10 Gbit/s")
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(path.with_suffix(".png"), dpi=120)
    print(f"Written: {path.with_suffix('.png')}")


def text(works: dict[str, Any], load: float) -> str:
    """The results as Markdown."""
    systems = [ONE, TWO, SILENT, TORCH, DDP]
    rows = []
    for system in systems:
        cells = [w["systems"].get(system) for w in works.values()]
        if any(cells):
            shown = [f"{harness.duration(c['best'])} ({harness.duration(c['median'])})" if c else "-" for c in cells]
            rows.append([system, *shown])
    for name, value in (
        ("two ranks / one process", lambda w: f"{w['systems'][TWO]['best'] / w['systems'][ONE]['best']:.2f}"),
        ("gradients of a step", lambda w: f"{w['bytes'] / 1e6:.1f} MB"),
        ("sent by a rank in a step", lambda w: f"{w['wire'] / 1e6:.1f} MB"),
        ("reductions, agreements in a step", lambda w: f"{w['collectives']:.0f}, {w['agreements']:.0f}"),
        ("share of communication that is hidden", lambda w: f"{w['hidden']:.0%}"),
    ):
        rows.append([name, *[value(w) for w in works.values()]])  # type: ignore[no-untyped-call]
    table = report.markdown(["best (median) of a step", *[w["title"] for w in works.values()]], rows)
    return f"{table}\n\nLoad of the machine at the end: {load:.1f}.\n"


def main() -> int:
    """Measure, print, write; 1 if --strict and two ranks are slower than PyTorch's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", default=sys.executable, help="an interpreter with PyTorch and matplotlib")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=harness.RESULTS, help="folder of the results")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if two ranks are slower than PyTorch's")
    parser.add_argument("--draw", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.draw:
        draw(chosen.draw)
        return 0
    has_torch = subprocess.run([chosen.torch, "-c", "import torch"], capture_output=True, check=False).returncode == 0
    works = {work: measured(work, chosen.rounds, chosen.torch if has_torch else None) for work in WORKS}
    load = os.getloadavg()[0]
    print(text(works, load))
    passed = all(w["systems"][TWO]["best"] <= w["systems"][DDP]["best"] for w in works.values() if DDP in w["systems"])
    simulation = {
        w["title"]: {
            "compute": w["systems"][SILENT]["best"],
            "rows": simulate(w["systems"][SILENT]["best"], w["bytes"]),
        }
        for w in works.values()
    }
    content = {"machine": harness.machine(), "load": load, "works": works, "passed": passed, "simulation": simulation}
    path = harness.write("ranks", content, chosen.output)
    path.with_suffix(".md").write_text(text(works, load))
    print(f"Written: {path}")
    subprocess.run([chosen.torch, str(Path(__file__)), "--draw", str(path)], check=False)
    print(f"{'kept' if passed else 'MISSED'}: two ranks are no slower than PyTorch's DDP")
    return 1 if chosen.strict and not passed else 0


if __name__ == "__main__":
    sys.exit(main())
