"""What it costs to remember the user's lines: eager work with provenance and without, in one process, in turns.

    python benchmarks/provenance.py      writes benchmarks/results/provenance.json; fails above the limit

Without means: the same functions, generated from their own source with the look-ups of places cut out, and no log of
what ran while no tape recorded. So both sides do the same work for the gradient, and only `tape.explain` has less to say.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import textwrap
import time
from collections.abc import Callable
from typing import Any

import harness
import works
from gradtape.core import dispatch
from gradtape.transform import recording, tape
from systems import ours

LIMIT = 1.05
WORKS = ("square", "multiplies", "training_step")
_PLACE_OF_AN_OP = """\
    frame: Any = _getframe(2)
    code = frame.f_code
    while id(code) in _own:
        frame = frame.f_back
        if frame is None:
            break
        code = frame.f_code
    if code is self.code:
        offset = frame.f_lasti
    else:
        code, offset = _search(frame)
        self.code = code
"""
_PLACE_OF_A_TAPE = """\
        frame = _getframe(2)
        code = frame.f_code
        recording.entered = code, frame.f_lasti
        if id(code) in _users:
            recording.code = code
"""


def without(function: Callable[..., Any], module: Any, lines: str, instead: str = "") -> Callable[..., Any]:
    """A function without some of its lines, which must be there; otherwise the same, names and all."""
    source = textwrap.dedent(inspect.getsource(function))
    if lines not in source:
        raise ValueError(f"{function.__qualname__} has changed: these lines are not in it any more:\n{lines}")
    names: dict[str, Any] = {}
    code = compile("from __future__ import annotations\n" + source.replace(lines, instead), module.__file__, "exec")
    exec(code, module.__dict__, names)
    found: Callable[..., Any] = names[function.__name__]
    return found


class Switch:
    """Turns provenance off and on again."""

    def __init__(self) -> None:
        see, push = recording.Recording.see, tape.GradientTape._push
        constant = "    code, offset = None, -1\n"
        self._places = (
            (recording.Recording, "see", see, without(see, recording, _PLACE_OF_AN_OP, constant)),
            (tape.GradientTape, "_push", push, without(push, tape, _PLACE_OF_A_TAPE)),
            (dispatch, "_log_unrecorded", dispatch._log_unrecorded, _nothing),
        )

    def turn(self, on: bool) -> None:
        """Put the functions with provenance, or without, in their place."""
        for owner, name, original, reduced in self._places:
            setattr(owner, name, original if on else reduced)


def _nothing(op: Any, ids: Any, outputs: Any) -> None:
    """In place of the log."""


def compare(run: Callable[[], Any], rounds: int, seconds: float) -> tuple[float, float]:
    """The best seconds per call with provenance and without. The sides take turns, so that noise hits both."""
    switch, best = Switch(), {True: float("inf"), False: float("inf")}
    calls = _calls(run, seconds)
    try:
        for k in range(rounds):
            for on in (True, False) if k % 2 else (False, True):
                switch.turn(on)
                _time(run, max(1, calls // 2))  # the interpreter specialises the exchanged functions anew
                best[on] = min(best[on], *[_time(run, calls) for _ in range(3)])
    finally:
        switch.turn(True)
    return best[True], best[False]


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
    parser.add_argument("--rounds", type=int, default=150, help="how often each side is timed")
    parser.add_argument("--seconds", type=float, default=0.004, help="the length of one timing")
    parser.add_argument("--limit", type=float, default=LIMIT, help="the largest allowed ratio of the times")
    options = parser.parse_args()
    results = {}
    print(f"{'work':55}  {'with':>8}  {'without':>8}  {'cost':>6}")
    for work in works.WORKS:
        if work.name not in WORKS:
            continue
        run = getattr(ours, work.name)(work.inputs(1.0))
        on, off = compare(run, options.rounds, options.seconds)
        results[work.name] = {"with": on, "without": off, "ratio": on / off}
        print(f"{work.title:55}  {harness.duration(on):>8}  {harness.duration(off):>8}  {on / off - 1:>6.1%}")
    harness.write("provenance", {"machine": harness.machine(), "limit": options.limit, "works": results})
    return int(any(r["ratio"] > options.limit for r in results.values()))


if __name__ == "__main__":
    sys.exit(main())
