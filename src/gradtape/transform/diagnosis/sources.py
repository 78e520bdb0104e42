"""Detectors: what may be wrong with the source itself."""

from __future__ import annotations

from gradtape.core.provenance import Site
from gradtape.transform.diagnosis import source_lines
from gradtape.transform.diagnosis.facts import Facts, step
from gradtape.transform.report import Cause, Report, ReportStep


def integer_source(facts: Facts) -> Report | None:
    """Integers, bools and strings have no gradient."""
    dtype = facts.source.dtype
    if dtype.is_trainable:
        return None
    message = f"{facts.called} is {dtype.name}, and only floating point and complex values have gradients"
    fix = (
        f"make it a float: {'tf.Variable(value, dtype=tf.float32)' if facts.is_variable else 'tf.cast(x, tf.float32)'}."
    )
    return facts.report(Cause.INTEGER, message, [(facts.first_use() or facts.entered).marked()], fix)


def frozen(facts: Facts) -> Report | None:
    """A variable made with trainable=False that was not watched."""
    if facts.is_watched or not facts.is_variable or facts.source.trainable:
        return None
    fix = f"make it with trainable=True, or call tape.watch({facts.name or 'variable'}) first in the block."
    message = f"{facts.called} has trainable=False, and tapes do not watch such variables by themselves"
    return facts.report(
        Cause.NOT_TRAINABLE, message, [facts.entered, (facts.first_use() or facts.entered).marked()], fix
    )


def watching_switched_off(facts: Facts) -> Report | None:
    """A tape made with watch_accessed_variables=False."""
    if facts.is_watched or not facts.is_variable or facts.recording.watch_accessed or facts.first_use() is None:
        return None
    fix = f"call tape.watch({facts.name or 'variable'}) first in the block."
    message = "the tape was made with watch_accessed_variables=False, and the variable was not watched"
    return facts.report(Cause.UNWATCHED, message, [facts.entered.marked(), facts.first_use()], fix)


def rebound(facts: Facts) -> Report | None:
    """A name that used to be a variable's is now that of a tensor: `x = x - 0.1 * g`."""
    maker = None if facts.is_variable else facts.flow.maker(facts.identity)
    if facts.is_watched and (maker is None or facts.when(maker.time) == "active"):
        return None
    name = source_lines.rebinds(maker.site) if maker is not None else ""
    if maker is None or not name:
        return None
    fix = f"keep {name} a variable: {name}.assign(...), {name}.assign_sub(...), or watch it: tape.watch({name})."
    message = f"{name} is not a variable any more: this line gave the name to a new tensor"
    return facts.report(Cause.REBOUND, message, [step(maker, "rebound", here=True), facts.entered], fix)


def unwatched(facts: Facts) -> Report | None:
    """A plain tensor that was never watched, or watched where it had no effect."""
    if facts.is_watched or facts.is_variable:
        return None
    name = facts.name or "x"
    ignored = facts.events("ignored", facts.identity)
    if ignored:
        steps = [facts.entered, ReportStep.at("watched", Site.of(ignored[0].place), here=True)]
        message = "it was watched outside of the block, which has no effect"
        return facts.report(Cause.UNWATCHED, message, steps, "move this line into the `with` block, to its top.")
    maker = facts.flow.maker(facts.identity)
    if maker is not None and facts.when(maker.time) != "before" and facts.first_use() is None:
        return None
    made = None if maker is None else step(maker, "made")
    fix = f"call tape.watch({name}) first in the block, or make {name} a tf.Variable."
    message = "it is a plain tensor and was not watched: tapes watch only variables by themselves"
    return facts.report(Cause.UNWATCHED, message, [made, facts.entered.marked(), facts.first_use()], fix)
