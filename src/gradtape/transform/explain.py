"""Why a gradient is None: `tape.explain(target, source)`.

Each detector looks at the facts for one kind of cause and returns a Report, or None. They are asked in the order of
`DETECTORS`: whether there is a path after all; what may be wrong with the source itself; where the way from the source
to the target is cut; and what remains if no way is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import nest
from gradtape.transform.diagnosis import connectivity, cuts, fallback, functions, sources
from gradtape.transform.diagnosis.facts import Facts
from gradtape.transform.report import Cause, Report

DETECTORS: tuple[Callable[[Facts], Report | None], ...] = (
    functions.symbolic,
    connectivity.itself,
    connectivity.connected,
    connectivity.consumed,
    connectivity.never_entered,
    connectivity.was_reset,
    sources.integer_source,
    sources.frozen,
    sources.watching_switched_off,
    sources.rebound,
    sources.unwatched,
    functions.lost_in_a_function,
    cuts.left_through_numpy,
    cuts.without_derivative,
    cuts.rule_returned_none,
    cuts.assigned,
    cuts.of_a_gradient,
    cuts.watched_late,
    cuts.while_not_recording,
    fallback.number_as_target,
    functions.frozen_in_a_function,
    fallback.inside_a_function,
    fallback.another_tensor,
    fallback.nothing_recorded,
    fallback.unused,
)


def explain(tape: Any, target: Any, source: Any) -> Any:
    """The Report about a target and a source on a tape; for nested sources, Reports in the same structure."""
    if nest.is_nested(source):
        return nest.pack_sequence_as(source, [explain(tape, target, s) for s in nest.flatten(source)])
    if hasattr(type(source), "__gradient_source__"):
        source = source.__gradient_source__()
    for x, what in ((source, "source"), *[(t, "target") for t in nest.flatten(target)]):
        if hasattr(type(x), "__stands_for_values__"):
            message, fix = type(x).__stands_for_values__
            return Report(False, Cause.OTHER_TENSOR, f"the {what} is symbolic. {message}", (), fix, "source", "target")
    facts = Facts(tape, target, source, explain)
    return next(report for detector in DETECTORS if (report := detector(facts)) is not None)
