"""Why a gradient is None: `tape.explain(target, source)`.

Each detector looks at the facts for one kind of cause and returns a Report, or None. They are asked in the order of
`DETECTORS`: whether there is a path after all; what may be wrong with the source itself; where the way from the source
to the target is cut; and what remains if no way is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import nest
from gradtape.transform.diagnosis import connectivity as connection, cuts as cut, sources as origin, fallback as remainder, functions as within
from gradtape.transform.diagnosis.facts import Facts
from gradtape.transform.report import Cause, Report

DETECTORS: tuple[Callable[[Facts], Report | None], ...] = (
    within.symbolic,
    connection.itself,
    connection.connected,
    connection.consumed,
    connection.never_entered,
    connection.was_reset,
    origin.integer_source,
    origin.frozen,
    origin.watching_switched_off,
    origin.rebound,
    origin.unwatched,
    within.lost_in_a_function,
    cut.left_through_numpy,
    cut.without_derivative,
    cut.rule_returned_none,
    cut.assigned,
    cut.of_a_gradient,
    cut.watched_late,
    cut.while_not_recording,
    remainder.number_as_target,
    within.frozen_in_a_function,
    remainder.inside_a_function,
    remainder.another_tensor,
    remainder.nothing_recorded,
    remainder.unused,
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
    facts = Facts(tape, target, source)
    return next(report for detector in DETECTORS if (report := detector(facts)) is not None)
