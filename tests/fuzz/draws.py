"""Drawing programs from seeds."""

from __future__ import annotations

import functools

from fuzz.builder import Builder, Reject
from fuzz.program import Program
from fuzz.steps import Adder, load


@functools.cache
def _choices() -> tuple[list[Adder], list[float]]:
    steps = load()
    return list(steps), list(steps.values())


def some_steps(b: Builder, count: int) -> None:
    """Append steps to what is open in a builder."""
    adders, weights = _choices()
    for _ in range(count):
        for _ in range(6):
            try:
                b.draw.choices(adders, weights)[0](b)
                break
            except Reject:
                continue
            except Exception as problem:
                b.failures.append(f"{type(problem).__name__}: {problem}")


def draw_program(seed: int, most: int = 12) -> Program:
    """The program of a seed.

    >>> from fuzz import draw_program
    >>> draw_program(7) == draw_program(7)
    True
    """
    return draw_with_failures(seed, most)[0]


def draw_with_failures(seed: int, most: int = 12) -> tuple[Program, list[str]]:
    """The program of a seed, and steps that failed in an unexpected way while it was drawn."""
    attempt, failures = seed, list[str]()
    while True:
        b = Builder(attempt)
        some_steps(b, b.draw.randrange(3, most + 1))
        failures += b.failures
        try:
            return b.finished(), failures
        except Reject:
            attempt += 1_000_000_007
