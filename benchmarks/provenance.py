"""What it costs to remember the user's lines: eager work with provenance and without, in one process, in turns.

    python benchmarks/provenance.py      writes benchmarks/results/provenance.json; fails above the limit

Without means: the same functions, generated from their own source with the look-ups of places cut out, and no log of
what ran while no tape recorded. So all sides do the same work for the gradient, and only `tape.explain` has less to say.
"Tape only" keeps the line of the `with` and nothing else: it shows how much of the cost each tape pays once.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# One thread for BLAS: its threads wait for one another, which on a busy machine takes longer than all that is measured.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import harness
import works
from gradtape.core import dispatch
from gradtape.transform import recording, tape
from systems import ours

LIMIT = 1.05  # the largest ratio of the times with all provenance and with none
WORKS = ("square", "multiplies", "training_step")
_LOOK_UPS = {"frame", "_getframe", "_search", "_users", "_own", "_wrapper"}


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
    return any(isinstance(inner, ast.Name) and inner.id in _LOOK_UPS for inner in ast.walk(node))


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
    """Turns provenance off and on again: all of it, or that of ops alone, without the line of the `with`."""

    def __init__(self) -> None:
        see, pair, push = recording.Recording.see, recording.Recording.see_pair, tape.GradientTape._push
        self._ops = [
            (recording.Recording, "see", see, without_places(see, recording)),
            (recording.Recording, "see_pair", pair, without_places(pair, recording)),
            (dispatch, "log_unrecorded", dispatch.log_unrecorded, _nothing),
        ]
        self._tapes = [(tape.GradientTape, "_push", push, without_places(push, tape))]

    def turn(self, ops: bool, tapes: bool) -> None:
        """Put the functions with provenance, or without, in their place."""
        for places, on in ((self._ops, ops), (self._tapes, tapes)):
            for owner, name, original, reduced in places:
                setattr(owner, name, original if on else reduced)


def _nothing(op: Any, ids: Any, outputs: Any) -> None:
    """In place of the log."""


SIDES = {"with": (True, True), "tape only": (False, True), "without": (False, False)}


def compare(run: Callable[[], Any], rounds: int, seconds: float) -> dict[str, float]:
    """The best seconds per call of each side. The sides take turns, so that noise hits all of them."""
    switch, best = Switch(), dict.fromkeys(SIDES, float("inf"))
    calls, order = _calls(run, seconds), list(SIDES)
    try:
        for k in range(rounds):
            for side in order[k % 3 :] + order[: k % 3]:
                switch.turn(*SIDES[side])
                _time(run, calls)  # the interpreter specialises the exchanged functions anew
                best[side] = min(best[side], *[_time(run, calls) for _ in range(3)])
    finally:
        switch.turn(True, True)
    return best


def _calls(run: Callable[[], Any], seconds: float) -> int:
    """How many calls take about that long."""
    _time(run, 3)
    return max(1, round(seconds / _time(run, 3)))


def _time(run: Callable[[], Any], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def main() -> int:
    """Measure, print the table, write the results; 1 if a work is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100, help="how often each side is timed")
    parser.add_argument("--seconds", type=float, default=0.004, help="the length of one timing")
    parser.add_argument("--output", type=Path, default=harness.RESULTS, help="folder of the results")
    parser.add_argument("--no-limits", action="store_true", help="succeed whatever is measured")
    options = parser.parse_args()
    results = {}
    print(f"{'work':55}  {'  '.join(f'{side:>9}' for side in SIDES)}  {'cost':>6}")
    for work in works.WORKS:
        if work.name not in WORKS:
            continue
        run = getattr(ours, work.name)(work.inputs(1.0))
        best = compare(run, options.rounds, options.seconds)
        ratio = best["with"] / best["without"]
        results[work.name] = best | {"ratio": ratio}
        times = "  ".join(f"{harness.duration(best[side]):>9}" for side in SIDES)
        print(f"{work.title:55}  {times}  {ratio - 1:>6.1%}")
    harness.write("provenance", {"machine": harness.machine(), "limit": LIMIT, "works": results}, options.output)
    return int(not options.no_limits and any(r["ratio"] > LIMIT for r in results.values()))


if __name__ == "__main__":
    sys.exit(main())
