"""What it costs to remember the user's lines: eager work with provenance and without, in one process, in turns.

    python benchmarks/provenance.py      writes benchmarks/results/provenance.json; fails above the limit

Without means: the same functions, generated from their own source with the look-ups of places cut out, and no log of
what ran while no tape recorded. So all sides do the same work for the gradient, and only `tape.explain` has less to say.
"Tape only" keeps the line of the `with` and nothing else: it shows how much of the cost each tape pays once.

Where code happens to lie in memory makes a process some percent quicker or slower on one side. So several are asked, and
the median of what they say counts.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import statistics
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

# One thread for BLAS: its threads wait for one another, which on a busy machine takes longer than all that is measured.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import harness
import works
from gradtape.core import dispatch
from gradtape.transform import record, tape
from systems import ours

LIMIT = 1.05  # the largest ratio of the times with all provenance and with none
WORKS = ("square", "multiplies", "training_step")
LEARNING = 300  # calls after which a backward pass that comes again and again has its program
SETTLING = 100  # calls after which the interpreter has adapted itself to an exchanged function
SAMPLES = 20  # how often a side is timed in its turn
SAMPLE_SECONDS = 0.0003  # how long that takes each time
_LOOK_UPS = {"frame", "_getframe", "_search", "_find", "_locate"}


def without_places(function: Callable[..., Any], module: Any) -> Callable[..., Any]:
    """The same function without the statements that look for the place in the user's code; `code` and `offset` are
    nothing in it."""
    tree = ast.parse("from __future__ import annotations\n" + textwrap.dedent(inspect.getsource(function)))
    body = tree.body[1].body  # type: ignore[attr-defined]
    if not any(_looks_up(statement) for statement in ast.walk(tree) if isinstance(statement, ast.stmt)):
        raise ValueError(f"{function.__qualname__} looks for no place any more.")
    _drop_look_ups(body)
    body[:0] = ast.parse("code, offset = None, -1").body
    names: dict[str, Any] = {}
    exec(compile(ast.fix_missing_locations(tree), module.__file__, "exec"), module.__dict__, names)
    found: Callable[..., Any] = names[function.__name__]
    return found


def _looks_up(node: ast.AST) -> bool:
    names = [getattr(inner, "id", getattr(inner, "attr", None)) for inner in ast.walk(node)]
    return any(name in _LOOK_UPS for name in names)


def _drop_look_ups(body: list[ast.stmt]) -> None:
    for statement in list(body):
        blocks = [block for name in ("body", "orelse") if (block := getattr(statement, name, None))]
        heads = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
        if any(_looks_up(head) for head in heads) or (blocks and all(_looks_up(s) for block in blocks for s in block)):
            body.remove(statement)
        else:
            for block in blocks:
                _drop_look_ups(block)


class Switch:
    """Turns provenance off and on again: all of it, or that of ops alone, without the line of the `with`.

    The code of the functions is exchanged, not the functions: what the interpreter knows about classes stays valid.
    """

    def __init__(self) -> None:
        see, pair, enter = record.Recording.see, record.Recording.see_pair, tape.GradientTape.__enter__
        self._ops = [
            _codes(see, without_places(see, record)),
            _codes(pair, without_places(pair, record)),
            _codes(dispatch.log_unrecorded, _nothing),
        ]
        self._tapes = [_codes(enter, without_places(enter, tape))]

    def turn(self, ops: bool, tapes: bool) -> None:
        """Give the functions their code with provenance, or that without."""
        for functions, on in ((self._ops, ops), (self._tapes, tapes)):
            for function, original, reduced in functions:
                function.__code__ = original if on else reduced


def _codes(function: Any, reduced: Any) -> tuple[Any, CodeType, CodeType]:
    return function, function.__code__, reduced.__code__


def _nothing(op: Any, ids: Any, outputs: Any) -> None:
    """In place of the log."""


SIDES = {"with": (True, True), "tape only": (False, True), "without": (False, False)}


def compare(run: Callable[[], Any], seconds: float) -> dict[str, float]:
    """The best seconds per call of each side, and the ratio of the times with provenance and without.

    The sides take turns, for as long as told. The ratio is the median of those within one round: what the machine does
    besides hits all sides of a round, and is not there in every one.
    """
    switch, order, rounds = Switch(), list(SIDES), []
    try:
        for sides in SIDES.values():
            switch.turn(*sides)
            _time(run, LEARNING)
        calls = max(1, round(SAMPLE_SECONDS / _time(run, 3)))
        end = time.perf_counter() + seconds
        while not rounds or time.perf_counter() < end:
            order = order[1:] + order[:1]
            best = {}
            for side in order:
                switch.turn(*SIDES[side])
                _time(run, SETTLING)
                best[side] = min(_time(run, calls) for _ in range(SAMPLES))
            rounds.append(best)
    finally:
        switch.turn(True, True)
    ratio = statistics.median(best["with"] / best["without"] for best in rounds)
    return {side: min(best[side] for best in rounds) for side in SIDES} | {"ratio": ratio}


def _time(run: Callable[[], Any], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def measure(seconds: float) -> dict[str, dict[str, float]]:
    """What `compare` finds for each work, in this process."""
    return {
        work.name: compare(getattr(ours, work.name)(work.inputs(1.0)), seconds)
        for work in works.WORKS
        if work.name in WORKS
    }


def measure_in(processes: int) -> list[dict[str, dict[str, float]]]:
    """What that many processes measure, one after the other."""
    command = [sys.executable, __file__, *sys.argv[1:], "--processes", "0"]
    return [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(processes)
    ]


def median_of(measured: list[dict[str, float]]) -> dict[str, Any]:
    """The median times and the median ratio of a work, and the ratios of all processes."""
    ratios = sorted(m["ratio"] for m in measured)
    times = {side: statistics.median(m[side] for m in measured) for side in SIDES}
    return times | {"ratio": statistics.median(ratios), "ratios": ratios}


def main() -> int:
    """Measure, print the table, write the results; 1 if a work is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--processes", type=int, default=9, help="how many measure; 0: this one, which prints its times"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each of them measures a work")
    parser.add_argument("--output", type=Path, default=harness.RESULTS, help="folder of the results")
    parser.add_argument("--no-limits", action="store_true", help="succeed whatever is measured")
    options = parser.parse_args()
    if not options.processes:
        print(json.dumps(measure(options.seconds)))
        return 0
    measured = measure_in(options.processes)
    results = {name: median_of([m[name] for m in measured]) for name in WORKS}
    print(f"{'work':55}  {'  '.join(f'{side:>9}' for side in SIDES)}  {'cost':>6}  in all processes")
    for work in works.WORKS:
        if work.name in WORKS:
            found = results[work.name]
            times = "  ".join(f"{harness.duration(found[side]):>9}" for side in SIDES)
            lowest, highest = found["ratios"][0] - 1, found["ratios"][-1] - 1
            print(f"{work.title:55}  {times}  {found['ratio'] - 1:>6.1%}  {lowest:>6.1%} to {highest:.1%}")
    harness.write("provenance", {"machine": harness.machine(), "limit": LIMIT, "works": results}, options.output)
    return int(not options.no_limits and any(r["ratio"] > LIMIT for r in results.values()))


if __name__ == "__main__":
    sys.exit(main())
