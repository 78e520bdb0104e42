"""A small program with the same difference as a large one."""

from __future__ import annotations

import re
import time

from fuzz.checks import SURE, Case, outcome
from fuzz.program import Program
from fuzz.reductions import reductions


def shrunk(program: Program, check: str, seconds: float = 60.0) -> Program:
    """The smallest program near another one in which a check says the same kind of thing.

    Args:
      program: one in which the check finds a difference.
      check: the name of the check.
      seconds: how long to look for smaller ones.
    """
    kind = _kind(said(program, check))
    end = time.monotonic() + seconds
    smaller: Program | None = program
    seen: set[str] = set()
    while smaller is not None:
        program, smaller = smaller, None
        for candidate in reductions(program):
            if time.monotonic() > end:
                return program
            if candidate.size >= program.size or repr(candidate) in seen:
                continue
            seen.add(repr(candidate))
            if _kind(said(candidate, check)) == kind:
                smaller = candidate
                break
    return program


def said(program: Program, check: str) -> str:
    """What a check says about a program; nothing if it is no program."""
    try:
        case = Case(program, SURE)
    except Exception:
        return ""
    with case.instance:
        return outcome(case, check)


def _kind(text: str) -> str:
    """What is told, without the numbers: which exception, or that elements, dtypes or shapes differ."""
    if not text:
        return ""
    exception = re.search(r"fails: (\w+): (.{0,25})", text)
    if exception:
        return f"{exception[1]} {re.sub(r'[0-9]+', '', exception[2])}"
    return "nan" if re.search(r": [^ ]*nan[^ ]* instead", text) else "mismatch"
