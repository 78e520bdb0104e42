"""Detectors: where the way from the source to the target is cut."""

from __future__ import annotations

from collections.abc import Callable

from gradtape.core.op import Unsupported
from gradtape.core.provenance import Site
from gradtape.transform.diagnosis import dataflow, source_lines
from gradtape.transform.diagnosis.dataflow import Edge
from gradtape.transform.diagnosis.facts import Facts, label, step
from gradtape.transform.report import Cause, Report, ReportStep


def on_cut(*kinds: str) -> Callable[[Callable[[Facts, Edge], Report | None]], Callable[[Facts], Report | None]]:
    """A detector that is asked only if the way is cut by an edge of one of these kinds."""

    def decorate(detect: Callable[[Facts, Edge], Report | None]) -> Callable[[Facts], Report | None]:
        def detector(facts: Facts) -> Report | None:
            return detect(facts, facts.cut) if facts.cut is not None and facts.cut.kind in kinds else None

        detector.__doc__ = detect.__doc__
        return detector

    return decorate


@on_cut(dataflow.LEFT)
def left_through_numpy(facts: Facts, cut: Edge) -> Report | None:
    """A value went to NumPy or Python, and perhaps came back as a constant."""
    what = "NumPy" if "numpy" in cut.op.lower() or cut.op in ("DLPack", "the buffer protocol") else f"Python's {cut.op}"
    ours = source_lines.in_tensorflow(cut.site)
    predicted = source_lines.prediction(cut.site)
    if predicted:
        ours = f"{predicted}, the model itself: its predict methods give NumPy arrays."
    fix = f"use {ours}" if ours else "keep to functions of tf, which the tape sees; leave `.numpy()` and float() out."
    return facts.report(Cause.NUMPY, f"left the tape through {what}", _through(facts, cut, "left"), fix)


@on_cut(dataflow.BREAK)
def without_derivative(facts: Facts, cut: Edge) -> Report | None:
    """An op that has no derivative: stop_gradient, argmax, round, a cast to integers, Python code, a random draw."""
    name, rule = label(cut), getattr(cut.op, "vjp", None)
    steps = _through(facts, cut, name)
    if name == "stopped":
        fix = "take tf.stop_gradient away, if the gradient is wanted."
        return facts.report(Cause.STOPPED, "tf.stop_gradient stops the gradient", steps, fix)
    if name in ("numpy_function", "py_function"):
        fix = "compute it with functions of tf, or give it a derivative with tf.custom_gradient."
        return facts.report(Cause.PYTHON_FUNCTION, f"tf.{name} computes in Python, where no tape sees it", steps, fix)
    if name.startswith(("random", "stateless_random")):
        fix = "write the draw as a function of its parameters, such as mean + deviation * tf.random.normal(shape)."
        return facts.report(
            Cause.STATE, f"{name} draws from the state of a generator, without a derivative", steps, fix
        )
    if isinstance(rule, Unsupported):
        fix = "compose it of ops that have a rule, or give it one with tf.custom_gradient."
        return facts.report(Cause.NO_RULE, f"{name} has no derivative rule: {rule.reason}", steps, fix)
    reason = getattr(rule, "reason", "it computes on integers")
    return facts.report(Cause.NOT_DIFFERENTIABLE, f"{name} has no derivative: {reason}", steps, _smooth(name))


_SMOOTH = {
    "argmax": "use tf.nn.softmax as a smooth choice, or tf.reduce_max for the value.",
    "argmin": "use tf.nn.softmax(-x) as a smooth choice, or tf.reduce_min for the value.",
    "cast": "keep floats on the way to the loss; cast only what needs no gradient.",
}


def _smooth(name: str) -> str:
    """What to use in place of an op without a derivative."""
    if name in ("round", "rint", "floor", "ceil", "floor_div", "truncate_div"):
        return (
            f"leave it out of the loss, or pass the gradient straight through: x + tf.stop_gradient(tf.{name}(x) - x)."
        )
    if name in ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal"):
        return "use a smooth function such as tf.sigmoid((a - b) / width), or tf.where(condition, ...) on floats."
    return _SMOOTH.get(name, "leave it out of the loss, or give it a derivative with tf.custom_gradient.")


@on_cut(dataflow.CUT)
def rule_returned_none(facts: Facts, cut: Edge) -> Report | None:
    """A custom gradient, or a rule of ours, gave None for this input."""
    steps = _through(facts, cut, label(cut))
    if cut.op.wants_tensors:
        message = f"the gradient function of {cut.op.name} returned None for it"
        return facts.report(Cause.CUSTOM_GRADIENT, message, steps, "return a cotangent for each argument.")
    message = f"{cut.op.name} has no derivative with respect to this argument"
    return facts.report(Cause.NOT_DIFFERENTIABLE, message, steps, _smooth(cut.op.name))


@on_cut(dataflow.ASSIGNED)
def assigned(facts: Facts, cut: Edge) -> Report | None:
    """A value was stored in a variable, and read from there."""
    variable = facts.variable(next(iter(cut.outputs)))
    what = f"the variable {variable}" if variable else "a variable that is not trainable"
    fix = "use the tensor itself in the loss, and assign it after the block."
    message = f"it was stored in {what}, and no gradient flows through an assignment"
    cause = Cause.ASSIGNED if variable else Cause.STATE
    return facts.report(cause, message, _through(facts, cut, "assigned"), fix)


@on_cut(dataflow.GRADIENT)
def of_a_gradient(facts: Facts, cut: Edge) -> Report | None:
    """A second derivative whose first derivative was not recorded, or does not depend on the source."""
    tape, targets = cut.op
    steps = _through(facts, cut, "gradient")
    if facts.when(cut.time) == "active":
        return _of_recorded_gradient(facts, targets, steps)
    if tape == facts.recording.spans[0]:
        message = "a tape does not record the gradient() that is called after its block, so it has no second derivative"
        fix = "nest two tapes, and call gradient() of the inner one inside the outer block; or use tf.autodiff.hessian."
        return facts.report(Cause.ONE_TAPE_HESSIAN, message, [facts.entered, *steps], fix)
    message = "the first derivative was computed while this tape did not record"
    fix = "call gradient() of the inner tape inside the `with` block of this one."
    return facts.report(_cause_of_time(facts, cut), message, [facts.entered, *steps], fix)


def _of_recorded_gradient(facts: Facts, targets: tuple[int, ...], steps: list[ReportStep]) -> Report:
    inner = facts.flow.path(facts.flow.best(targets))
    opaque = next((e for e in inner if e.op is not None and getattr(e.op, "wants_tensors", False)), None)
    if opaque is None:
        message = "the first derivative does not depend on it: the function is linear in it"
        return facts.report(
            Cause.CONSTANT_GRADIENT, message, steps, 'ask for unconnected_gradients="zero" to get zeros.'
        )
    python = opaque.op.name.startswith("py_function")
    message = f"the derivative of {opaque.op.name} does not depend on it, as far as the tape can see"
    fix = (
        "compute it with functions of tf." if python else "have the gradient function compute with the argument itself."
    )
    cause = Cause.PYTHON_FUNCTION if python else Cause.CUSTOM_GRADIENT
    return facts.report(cause, message, [step(opaque, label(opaque), here=True), *[s.unmarked() for s in steps]], fix)


@on_cut(dataflow.UNSEEN, dataflow.MISSED)
def while_not_recording(facts: Facts, cut: Edge) -> Report | None:
    """An op that ran before the block, after it, in stop_recording, or in another thread."""
    steps = _through(facts, cut, label(cut))
    cause = _cause_of_time(facts, cut)
    if cause is Cause.THREAD:
        fix = "compute it in the thread that entered the tape, or enter the tape in the other one."
        return facts.report(cause, "computed in another thread; a tape sees only the one it was entered in", steps, fix)
    if cause is Cause.STOP_RECORDING:
        paused = [ReportStep.at("paused", Site.of(e.place)) for e in facts.events("paused") if e.time < cut.time][-1:]
        fix = "move this line out of the stop_recording block."
        return facts.report(cause, "computed inside tape.stop_recording()", [*steps[:-1], *paused, *steps[-1:]], fix)
    if cause is Cause.OUTSIDE:
        message, fix = "computed before the tape was recording", "move this line into the `with` block."
        return facts.report(cause, message, [*steps, facts.entered], fix)
    message = "computed after the block: the tape had stopped recording"
    return facts.report(cause, message, [facts.entered, *steps], "move this line into the `with` block.")


def _cause_of_time(facts: Facts, cut: Edge) -> Cause:
    when = facts.when(cut.time)
    causes = {"before": Cause.OUTSIDE, "active": Cause.THREAD, "paused": Cause.STOP_RECORDING}
    return causes.get(when, Cause.AFTER_TAPE)


@on_cut(dataflow.MISSED)
def watched_late(facts: Facts, cut: Edge) -> Report | None:
    """An op that ran in the block before the source was watched."""
    if facts.when(cut.time) != "active":
        return None
    watched = [ReportStep.at("watched", Site.of(e.place), here=True) for e in facts.events("watched", facts.identity)][
        :1
    ]
    message = "it was used before it was watched"
    fix = "move tape.watch(...) to the top of the block."
    return facts.report(Cause.UNWATCHED, message, [*_through(facts, cut, facts.reading, mark=False), *watched], fix)


def _through(facts: Facts, cut: Edge, name: str, mark: bool = True) -> list[ReportStep]:
    """The first line of the way, the last before the cut, the cut, and where the value came back."""
    index = next((i for i, edge in enumerate(facts.path) if edge is cut), None)
    if index is None:
        before, after = facts.flow.path(facts.flow.arrivals[next(iter(cut.outputs))])[:-1], []
    else:
        before, after = facts.path[:index], facts.path[index + 1 : index + 2]
    steps = [step(edge, facts.reading) for edge in before[:1]]
    steps += [step(edge, label(edge)) for edge in before[1:][-1:]]
    steps.append(step(cut, name, here=mark))
    names = {dataflow.LEFT: "came back", dataflow.ASSIGNED: "read back"}
    return steps + [step(edge, names[cut.kind]) for edge in after if cut.kind in names]
