"""Detectors: gradients that get lost in functions, which a tape sees as one op."""

from __future__ import annotations

from typing import Any

from gradtape.core.provenance import Site
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.transform.diagnosis import dataflow
from gradtape.transform.diagnosis.facts import Facts, step
from gradtape.transform.report import Cause, Report, ReportStep


def symbolic(facts: Facts) -> Report | None:
    """The source or the target is a tensor of the inside of a function, which had no value when it leaked out."""
    for x, what in ((facts.source, facts.called), *[(t, facts.target_name) for t in facts.targets]):
        trace = getattr(x, "trace", None)
        if trace is None or trace.is_open or trace.recording is facts.recording:
            continue
        node = x.value.node
        place = None if node is None else ReportStep.at("made", Site.of(node.place), here=True)
        message = (
            f"{what} was made while {trace.graph.name} was traced, and stands for a value of each call: it is not one that "
            "flowed here"
        )
        fix = f"return it from {trace.graph.name}, and use what the call returns."
        return facts.report(Cause.INSIDE_FUNCTION, message, [facts.entered, place], fix)
    return None


def lost_in_a_function(facts: Facts) -> Report | None:
    """The way is cut in a function: the line in there is named."""
    cut = facts.cut
    if cut is None or cut.kind != dataflow.CUT or not hasattr(cut.op, "staged"):
        return None
    index = facts.path.index(cut) if cut in facts.path else 0
    before = facts.identity if not index else next(i for i in cut.inputs if i in facts.path[index - 1].outputs)
    called = step(cut, "called")
    inner = inside(facts, cut.op.staged, list(cut.inputs).index(before))
    if inner is None or inner.connected:
        return None
    return facts.report(inner.cause, f"inside {cut.op.name}, {inner.message}", [called, *inner.steps], inner.fix)


class _Tape:
    """The recording that went along with a trace, as a tape."""

    def __init__(self, recording: Any) -> None:
        self._recording, self._consumed = recording, None


def inside(facts: Facts, staged: Any, position: int) -> Report | None:
    """The report on what becomes of an input of a function inside it."""
    trace = staged.trace
    sources = [*trace.parameters, *[source for source, _ in trace.graph.captures]]
    targets = [y for y in staged.outputs if y.dtype.is_trainable] or list(staged.outputs)
    report: Report | None = facts.explain(_Tape(trace.recording), targets, sources[position])
    return report


def frozen_in_a_function(facts: Facts) -> Report | None:
    """A function on the way to the target holds a tensor from the time when it was traced; the one of now does not
    get in."""
    if not facts.is_watched or facts.first_use() is None:
        return None
    ancestors = facts.flow.ancestors(facts.identities)
    made = {out for edge in facts.flow.edges if edge.kind == dataflow.RECORD for out in edge.outputs}
    for edge in facts.flow.edges:
        if not hasattr(edge.op, "staged") or ancestors.isdisjoint(edge.outputs):
            continue
        graph = edge.op.staged.trace.graph
        for source, value in graph.captures:
            if isinstance(source, Variable) or not isinstance(source, Tensor) or source._id in made:
                continue
            node = next((n for n in graph.nodes if value in n.inputs), None)
            line = None if node is None else ReportStep.at("captured", Site.of(node.place), here=True)
            message = (
                f"{graph.name} uses a tensor from outside that it captured when it was traced, and every call uses that "
                "one again, not the one that was computed now"
            )
            fix = "pass the tensor as an argument, or keep it in a tf.Variable: variables are read at each call."
            return facts.report(Cause.CAPTURED, message, [facts.first_use(), line, step(edge, "called")], fix)
    return None
