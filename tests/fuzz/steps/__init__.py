"""What steps can be: functions that append one to a builder, or raise Reject."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from fuzz.builder import Builder

Adder = Callable[[Builder], object]
STEPS: dict[Adder, float] = {}
MODULES = (
    "elementwise", "reducing", "contracting", "moving", "indexing", "ordering", "neural", "spectral", "matrices", "drawing",
    "variables", "control", "nested", "sampled",
)  # fmt: skip


def kind_of_step(weight: float = 1.0) -> Callable[[Adder], Adder]:
    """Declare a function as a kind of step, drawn as often as its weight says."""

    def register(adder: Adder) -> Adder:
        STEPS[adder] = weight
        return adder

    return register


def load() -> dict[Adder, float]:
    """All kinds of steps with their weights, in an order that does not depend on which module was loaded first."""
    for name in MODULES:
        importlib.import_module(f"{__name__}.{name}")
    return {adder: STEPS[adder] for adder in sorted(STEPS, key=lambda adder: f"{adder.__module__}.{adder.__name__}")}
