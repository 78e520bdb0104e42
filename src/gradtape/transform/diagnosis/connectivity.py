"""Detectors: whether there is a path, and whether the tape can tell."""

from __future__ import annotations

from gradtape.core.provenance import Site
from gradtape.transform.diagnosis import dataflow
from gradtape.transform.diagnosis.facts import Facts, label, step
from gradtape.transform.report import Cause, Report, ReportStep

_ZERO_DERIVATIVE = {"sign"}
_SHOWN = 8  # how many ops of a path are listed


def itself(facts: Facts) -> Report | None:
    """The target is the source: the gradient is one, watched or not."""
    if facts.identity not in facts.identities:
        return None
    return facts.report(None, "The target is the source itself.", [])


def connected(facts: Facts) -> Report | None:
    """There is a path of recorded ops that have derivatives."""
    if not facts.is_watched or not facts.path or facts.cut is not None:
        return None
    steps: list[ReportStep | None] = [step(edge, label(edge)) for edge in facts.path]
    count = f"{len(steps)} op{'s' * (len(steps) > 1)} on the shortest path."
    if len(steps) > _SHOWN:
        steps = [*steps[: _SHOWN // 2], *steps[-_SHOWN // 2 :]]
        count = f"{count[:-1]}, {_SHOWN} of them shown."
    flat = next((edge for edge in facts.path if edge.op.name in _ZERO_DERIVATIVE), None)
    if flat is None or not _only_through_such(facts):
        return facts.report(None, count, steps)
    return facts.report(
        None, f"{count} The gradient is zero: so is the derivative of {flat.op.name}.", steps, zero=True
    )


def _only_through_such(facts: Facts) -> bool:
    """True if all paths pass ops whose derivative is zero."""
    reached = {facts.identity}
    for other in facts.flow.edges:
        if (
            other.kind == dataflow.RECORD
            and other.op.name not in _ZERO_DERIVATIVE
            and not reached.isdisjoint(other.inputs)
        ):
            reached.update(other.outputs)
    return reached.isdisjoint(facts.identities)


def consumed(facts: Facts) -> Report | None:
    """A tape that is used up: it computed gradients, all of them existed, and it dropped its records."""
    asked = facts.recording.asked
    if asked is None:
        return None
    fix = "make the tape with tf.GradientTape(persistent=True) to have it keep what it recorded."
    if facts.identity in asked and not facts.recording.tracked.isdisjoint(facts.identities):
        return facts.report(
            None, "The gradient was computed, and the tape has dropped its records.", [facts.entered], fix
        )
    message = "the tape computed other gradients, and has dropped its records"
    return facts.report(Cause.CONSUMED, message, [facts.entered.marked()], fix)


def never_entered(facts: Facts) -> Report | None:
    """A tape without a `with`."""
    if facts.recording.spans:
        return None
    fix = f"compute {facts.target_name} inside `with tf.GradientTape() as tape:`."
    return facts.report(Cause.NOT_ENTERED, "this tape was never entered", [facts.target_line], fix)


def was_reset(facts: Facts) -> Report | None:
    """The target was recorded, and then `reset` dropped it."""
    for event in facts.events("reset"):
        if facts.identities and max(facts.identities) < event.time and facts.target_line is None:
            line = ReportStep.at("reset", Site.of(event.place), here=True)
            fix = f"compute {facts.target_name} after this line."
            return facts.report(Cause.RESET, "tape.reset() dropped what was recorded before it", [line], fix)
    return None
