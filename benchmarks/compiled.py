"""Compiled functions against TensorFlow (plain and XLA), JAX and PyTorch (eager and compiled), interleaved in one run.

    python benchmarks/compiled.py                   all works, all systems; writes benchmarks/results/compiled.*
    python benchmarks/compiled.py --works mlp --systems gradtape JAX --rounds 5 --only steady --output /tmp/x
    python benchmarks/compiled.py --works ode       works with loops over tensors are measured when named

Each system runs with one thread and with as many as there are cores; its better time counts. A time is the best of many
samples. Three things are measured:

steady  the time of a call, and, where matrix products bound it, the share of what the machine can do at best;
cold    in a fresh process, the time from the inputs to the first result, and how far resident memory grows;
load    how much slower gradtape gets while another process is busy on every core.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import cold
import compare
import harness
import load
from compiled_works import CONTROL_FLOW, MACHINE, WORKS, CompiledWork
from works import Work

SYSTEMS = ("gradtape", "TensorFlow", "TensorFlow XLA", "JAX", "PyTorch", "torch.compile")
PARTS = ("steady", "cold", "load")
PATIENCE = 300.0  # seconds that a system may take to compile a work
CHECKED_CALLS = 3
WARM_UP = 0.05
POSSIBLE = 1.1  # shares of the machine's limit above this are errors of measurement


def steady(
    chosen: Sequence[CompiledWork], processes: list[harness.Process], machines: list[harness.Process], options: Any
) -> list[compare.Row]:
    """One row for each work."""
    rows = []
    for work in chosen:
        able, absent = agreeing(processes, work.name)
        samples, least = sampled(able, machines, work, options)
        row = compare.row_of(work, samples) | {"absent": absent}
        if work.cost and options.scale == 1.0:
            add_share(row, work, *least)
        add_limits(row, work)
        rows.append(row)
        print(compare.describe(row), flush=True)
    return rows


def rows_of(chosen: Sequence[Work], processes: list[harness.Process], options: Any) -> list[compare.Row]:
    """One row for each work that has no limit but those against other systems."""
    rows = []
    for work in chosen:
        able, absent = agreeing(processes, work.name)
        samples = harness.interleave(able, work.name, options.rounds, options.seconds)
        row = compare.row_of(work, samples) | {"absent": absent}
        if "gradtape" not in row["systems"]:
            row["limits"] = [{"text": absent["gradtape"], "passed": False}]
        rows.append(row)
        print(compare.describe(row), flush=True)
    return rows


def sampled(
    able: list[harness.Process], machines: list[harness.Process], work: CompiledWork, options: Any
) -> tuple[dict[tuple[str, int], list[float]], list[float]]:
    """Samples of a work by system and threads; and, where it has a cost, the best times of `MACHINE` in between."""
    samples: dict[tuple[str, int], list[float]] = {}
    least = [float("inf")] * len(MACHINE)
    for _ in range(options.rounds):
        for key, found in harness.interleave(able, work.name, 1, options.seconds).items():
            samples.setdefault(key, []).extend(found)
        able = able[1:] + able[:1]
        for k, bound in enumerate(MACHINE if work.cost else ()):
            found = harness.interleave(machines, bound.name, 1, options.seconds)
            least[k] = min(least[k], *[min(f) for f in found.values()])
    return samples, least


def agreeing(processes: list[harness.Process], work: str) -> tuple[list[harness.Process], dict[str, str]]:
    """The processes that can do a work, after their results were compared, and for systems that cannot, why.

    One system that alone gives another result is left out; it is an error if several do.
    """
    able: list[harness.Process] = []
    absent: dict[str, str] = {}
    expected: Any = None
    alone: str | None = None
    for process in processes:
        if process.system in absent:
            continue
        try:
            results = process.results(work, CHECKED_CALLS, PATIENCE)
            process.ask("time", work=work, seconds=WARM_UP)
        except harness.Failed as problem:
            absent[process.system] = str(problem)
            continue
        if expected is not None:
            try:
                harness.compare_results(work, expected, results, able[0].system, process.system)
            except AssertionError:
                if alone not in (None, process.system) or process.system in [p.system for p in able]:
                    raise
                alone = process.system
                absent[process.system] = "its result differs from that of all others"
                continue
        expected = results if expected is None else expected
        able.append(process)
    return able, absent


def add_share(row: compare.Row, work: CompiledWork, gemm: float, traffic: float) -> None:
    """Put the share of the machine's limit into a row: the time that products and updates need at least, by the time."""
    if work.cost is None or "gradtape" not in row["systems"]:
        return
    operations, moved = work.cost
    peak, bandwidth = MACHINE[0].cost[0] / gemm, MACHINE[1].cost[1] / traffic  # type: ignore[index]
    least = operations / peak + moved / bandwidth
    shares = {system: least / found["best"] for system, found in row["systems"].items()}
    row["machine"] = {"flops": peak, "bytes": bandwidth, "least": least, "shares": shares}
    if work.share is not None:
        ours = shares["gradtape"]
        text = f"{100 * ours:.0f} % of the machine's limit, at least {100 * work.share:.0f} %"
        if ours > POSSIBLE:  # nobody is quicker than the machine: its limit was measured while something disturbed it
            text += " (more than is possible: the machine was busy)"
        row["limits"].append({"text": text, "passed": work.share <= ours <= POSSIBLE})


def add_limits(row: compare.Row, work: CompiledWork) -> None:
    """Put limits that need no other system into a row; a work that gradtape cannot do misses them all."""
    ours = row["systems"].get("gradtape")
    if ours is None:
        row["limits"] = [{"text": row["absent"]["gradtape"], "passed": False}]
    elif work.seconds is not None:
        text = f"{harness.duration(ours['best'])}, at most {harness.duration(work.seconds)}"
        row["limits"].append({"text": text, "passed": ours["best"] <= work.seconds})


def main() -> int:
    """Measure, print, write; 1 if --strict and a limit is missed."""
    parser = compare.parser(__doc__, (*WORKS, *CONTROL_FLOW), WORKS, SYSTEMS)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    options = parser.parse_args()
    systems = compare.first_ours(options.systems)
    chosen = [w for w in (*WORKS, *CONTROL_FLOW) if w.name in options.works]
    processes = compare.start(systems, options.scale, "compiled")
    machines = compare.start(["the machine"], options.scale, "compiled")
    versions = compare.versions(processes)
    content: dict[str, Any] = {"compiled": True, "versions": versions, "works": []}
    try:
        if "steady" in options.only:
            content["works"] = steady(chosen, processes, machines, options)
        if "load" in options.only:
            content |= load.measure(chosen, processes, options.rounds, options.seconds)
    finally:
        for process in (*processes, *machines):
            process.close()
    if "cold" in options.only:
        content |= cold.measure(chosen, list(versions), options.scale, PATIENCE)
    content["limits"] = [*content.get("load_limits", ()), *content.get("cold_limits", ())]
    return compare.finish("compiled", content, options)


if __name__ == "__main__":
    sys.exit(main())
