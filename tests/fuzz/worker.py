"""One process that runs programs: it tells each seed before it begins, so that whoever waits knows what it died of."""

from __future__ import annotations

import importlib
import json
import logging
import sys
import time
from collections import Counter
from contextlib import nullcontext
from typing import Any

import gradtape.ops
from fuzz import modes
from fuzz.checks import CHECKS, Difference, differences
from fuzz.coverage import counting
from fuzz.draws import draw_with_failures
from fuzz.program import Program
from fuzz.reference import Reference
from fuzz.report import printed
from fuzz.shrink import said, shrunk

_GUARDED = 3  # one of so many programs runs with guards behind its results


def prepare(samples: str) -> None:
    """Load what programs may use: all ops, and a module with samples of them."""
    gradtape.ops.load_all()
    if samples:
        importlib.import_module(samples)


def run(seeds: list[int], samples: str, seconds: float, reference: str = "", python: str = "") -> None:
    """Run the programs of some seeds; what happens is printed as lines of JSON.

    Args:
      seeds: one for each program.
      samples: a module that registers samples.
      seconds: how long to shrink a program with a difference.
      reference: a library with TensorFlow's names that programs are compared with.
      python: the interpreter that has the library.
    """
    logging.getLogger("gradtape").setLevel(logging.ERROR)  # in a process of its own
    prepare(samples)
    library = Reference(reference, python) if reference else None
    if library:
        CHECKS[reference] = library
    for seed in seeds:
        _tell(begun=seed)
        start = time.monotonic()
        counts: Counter[str] = Counter()
        program, failures = draw_with_failures(seed)
        before = library.compared if library else 0
        quality = modes.QUALITIES[seed % len(modes.QUALITIES)]
        with modes.quality(quality), modes.guards() if seed % _GUARDED == 0 else nullcontext():
            found = list(run_program(program, counts))
            texts = [_shown(program, one, seconds) for one in found]
        compared = library is not None and library.compared > before
        passed = time.monotonic() - start
        _tell(done=seed, ops=dict(counts), found=texts, failures=failures, compared=compared, seconds=passed)


def _shown(program: Program, found: Difference, seconds: float) -> str:
    small = shrunk(program, found.check, seconds)
    return printed(small, Difference(found.check, said(small, found.check) or found.text))


def run_program(program: Program, counts: Counter[str]) -> list[Difference]:
    """The first difference of a program, or none; its ops are counted."""
    with counting(counts):
        return next(([one] for one in differences(program, checks_for(program.seed))), [])


def checks_for(seed: int) -> list[str]:
    """The checks that a program goes through: most always, those that compile more in turn."""
    dear = ["traced", "forward_compiled", "gradient_around", "gradient_again", "concurrent", "unknown_sizes"]
    return [n for n in CHECKS if n not in dear or dear[seed % len(dear)] == n]


def _tell(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()
