"""Detectors: what can be said if no way from the source to the target is known."""

from __future__ import annotations

from gradtape.core.provenance import Site
from gradtape.transform.diagnosis.facts import Facts, step
from gradtape.transform.report import Cause, Report, ReportStep


def number_as_target(facts: Facts) -> Report | None:
    """The target is a number of Python or an array of NumPy, and nobody saw how it left."""
    if not facts.numbers:
        return None
    kind = type(facts.numbers[0]).__name__
    fix = "compute it with functions of tf; leave `.numpy()` and float() out."
    return facts.report(Cause.NUMPY, f"the target is not a tensor, but of type {kind}", [facts.entered], fix)


def inside_a_function(facts: Facts) -> Report | None:
    """Used only inside a function that tapes see as one op, and not among its arguments."""
    ancestors = facts.flow.ancestors(facts.identities)
    for edge in facts.flow.edges:
        kind, _, rest = edge.op.name.partition("(") if hasattr(edge.op, "wants_tensors") else ("", "", "")
        if kind not in ("custom_gradient", "py_function") or ancestors.isdisjoint(edge.outputs):
            continue
        inner = [
            used for used in facts.flow.edges
            if used.place is not None and used.place[0].co_name == rest[:-1] and used.time < edge.time
            and any(i in facts.flow.arrivals for i in used.inputs)
        ]  # fmt: skip
        if inner:
            cause = Cause.CUSTOM_GRADIENT if kind == "custom_gradient" else Cause.PYTHON_FUNCTION
            message = (
                f"it went into {edge.op.name} by keyword or from outside, and only positional arguments get gradients"
            )
            fix = "pass it as a positional argument."
            return facts.report(cause, message, [step(inner[0], facts.reading), step(edge, "called", here=True)], fix)
    return None


def another_tensor(facts: Facts) -> Report | None:
    """A tensor that was made from what the target was computed from, but is not on the way: a fresh `v[0]`."""
    maker = None if facts.is_variable else facts.flow.maker(facts.identity)
    if maker is None:
        return None
    common = facts.flow.ancestors([facts.identity]) & facts.flow.ancestors(facts.identities) - {0, facts.identity}
    if not common:
        return None
    message = f"{facts.called} is a new tensor, and {facts.target_name} was not computed from it"
    fix = "ask for the gradient of what it was made from, and slice that; or compute the target from this tensor."
    steps = [step(maker, "made", here=True), facts.target_line]
    return facts.report(Cause.OTHER_TENSOR, message, steps, fix)


def nothing_recorded(facts: Facts) -> Report | None:
    """A watched source of which the tape saw no use, and a target that nobody saw being made."""
    if facts.target_line is not None or (facts.is_watched and facts.first_use() is not None):
        return None
    watched = [ReportStep.at("watched", Site.of(e.place), here=True) for e in facts.events("watched", facts.identity)][
        :1
    ]
    message = f"the tape saw no use of {facts.called}: {facts.target_name} was computed from other values, outside of the block"
    message += ", or before the watch" if watched else ""
    message = message if watched else message.replace("values, outside", "values, or outside")
    fix = f"compute {facts.target_name} from {facts.called} inside the `with` block{', after tape.watch' if watched else ''}."
    return facts.report(Cause.OUTSIDE, message, watched or [facts.entered.marked()], fix)


def unused(facts: Facts) -> Report:
    """The target does not depend on the source."""
    used, made = facts.first_use(), facts.target_line
    ancestors = facts.flow.ancestors(facts.identities)
    others = [facts.variable(i) for i in sorted(facts.recording.variables) if i in ancestors]
    from_these = f", only from {', '.join(others[:5])}{', ...' * (len(others) > 5)}" if others else ""
    message = f"{facts.target_name} was not computed from {facts.called}{from_these}"
    fix = f"use {facts.called} on the way to {facts.target_name}, or leave it out of the sources."
    return facts.report(Cause.UNUSED, message, [used, (made or facts.entered).marked()], fix)
