"""The facts about a target, a source and a tape that the detectors of `explain` examine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import errors, nest, state
from gradtape.core.provenance import Site
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.core.variable_properties import Handle
from gradtape.transform.backward import backward
from gradtape.transform.diagnosis import source_lines
from gradtape.transform.diagnosis.dataflow import Arrival, Edge, Flow
from gradtape.transform.diagnosis.value_names import describe, find_name, user_frame
from gradtape.transform.record import Event, Recording
from gradtape.transform.report import Cause, Report, ReportStep

_NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)


class Facts:
    """See the module's text.

    Attributes:
      tape: the tape.
      explain: gives the report about a tape, a target and a source, for what happened inside of a function.
      recording: what it holds, or held before `gradient` consumed it; an empty one if it was never entered.
      source: the source, a tensor or variable; `identity` is its identity.
      targets: the tensors of the target; `identities` are theirs.
      numbers: those parts of the target that are no tensors but numbers or arrays.
      name, target_name: what the user calls source and target.
      flow: how values flowed from the source.
      path: the edges of the best way to the target; empty if there is none.
      cut: its first edge that is not a record with a derivative.
    """

    def __init__(self, tape: Any, target: Any, source: Any, explain: Callable[..., Any]) -> None:
        self.frame = frame = user_frame()
        self.tape, self.explain = tape, explain
        self.recording: Recording = tape._recording or tape._consumed or Recording(False)
        self.source = _checked_source(source)
        self.identity: int = self.source._id
        self.targets, self.numbers = _checked_targets(target)
        self.identities: list[int] = [t._id for t in self.targets]
        self.name = find_name(self.source, frame)
        self.target_name = find_name(target, frame) or "target"
        self.flow = Flow(self.recording, self.identity)
        way = self._way()
        if self.is_watched and way is not None and way.cut is None and self._try_backward():
            self.flow = Flow(self.recording, self.identity)
            way = self._way()
        self.path: list[Edge] = self.flow.path(way)
        self.cut: Edge | None = None if way is None else way.cut

    def _way(self) -> Arrival | None:
        """The best way to the target; if nobody saw how that was made, to where a value left that may be in it."""
        if not self.numbers and (self.target_line is not None or self.flow.best(self.identities) is not None):
            return self.flow.best(self.identities)
        kept = [leak for leak in self.flow.leaks if source_lines.keeps(leak.site) is not False]
        return self.flow.arrivals[next(iter(kept[-1].outputs))] if kept else None

    def _try_backward(self) -> bool:
        """Run the backward pass, if what it needs is still there, to learn which rules return None."""
        recording = self.recording
        if recording.depth or not recording.saved or len(recording.saved) != len(recording.records):
            return False
        if any(hasattr(t, "trace") for t in self.targets):
            return False
        before = state.current.recorders
        state.current.recorders = ()
        try:
            seeds = {t._id: np.ones_like(getattr(t, "_value", t)._array) for t in self.targets}
            backward(recording, seeds, {self.identity}, consume=False, arrays=True)
        except Exception:
            return False
        finally:
            state.current.recorders = before
        return recording.cuts is not None

    @property
    def is_watched(self) -> bool:
        """True if the tape tracks the source."""
        return self.identity in self.recording.tracked

    @property
    def is_variable(self) -> bool:
        """True if the source is a variable."""
        return isinstance(self.source, Variable)

    @property
    def called(self) -> str:
        """The source's name in a sentence."""
        return self.name or "the source"

    def variable(self, identity: int) -> str:
        """The user's name for a variable of the tape; empty for other values."""
        found = self.recording.variables.get(identity)
        return "" if found is None else find_name(found, self.frame) or repr(found._name)

    @property
    def entered(self) -> ReportStep:
        """The line of the `with`."""
        return ReportStep.at("tape", Site.of(self.recording.entered))

    @property
    def target_line(self) -> ReportStep | None:
        """The line that made the target, if anyone saw it."""
        makers = [edge for edge in map(self.flow.maker, self.identities) if edge is not None]
        return step(makers[-1], label(makers[-1])) if makers else None

    def when(self, time: int) -> str:
        """What the tape did at a time: it was to come ("before"), "active", "paused", "between" blocks, or "after"."""
        marks = self.recording.spans
        passed = sum(1 for mark in marks if mark < time)
        if passed % 2:
            return "active"
        if not passed:
            return "before"
        start = marks[passed - 1]
        end = marks[passed] if passed < len(marks) else None
        if any(start < e.time and (end is None or e.time < end) for e in self.events("paused")):
            return "paused"
        return "after" if end is None else "between"

    def events(self, kind: str, identity: int | None = None) -> list[Event]:
        """The tape's events of a kind, perhaps only those of one tensor."""
        return [e for e in self.recording.events if e.kind == kind and identity in (None, e.identity)]

    def first_use(self) -> ReportStep | None:
        """The first line that used the source while the tape was recording."""
        used = next((e for e in self.flow.uses(self.identity) if self.when(e.time) == "active"), None)
        return None if used is None else step(used, self.reading)

    @property
    def reading(self) -> str:
        """The label of a line that uses the source."""
        return "read" if self.is_variable else "used"

    def report(
        self, cause: Cause | None, message: str, steps: Sequence[ReportStep | None], fix: str = "", **more: Any
    ) -> Report:
        """A Report about this source and target. Without a cause there is a path."""
        kind = "a variable" if self.is_variable else "a tensor"
        source = describe(self.source, self.name, kind)
        shown = _merged([s for s in steps if s is not None and s.site is not None])
        return Report(cause is None, cause, message, shown, fix, source, self.target_name, **more)


def step(edge: Edge, name: str, here: bool = False) -> ReportStep:
    """An edge as a line of a report."""
    return ReportStep.at(name, edge.site, here)


_LABELS = {"cast_to_discrete": "cast", "stop_gradient": "stopped"}


def label(edge: Edge) -> str:
    """The name of what happened along an edge, in a word or two."""
    if edge.kind in ("left", "assigned", "gradient"):
        return edge.kind
    if edge.kind == "back":
        return "came back"
    name = str(edge.op.name)
    return _LABELS.get(name, name.partition("(")[0])


def _merged(steps: list[ReportStep]) -> tuple[ReportStep, ...]:
    """Steps without repetitions: of several at one line, the one that is marked stays, or the last."""
    result: list[ReportStep] = []
    for s in steps:
        if result and result[-1].site == s.site:
            if not result[-1].here:
                result[-1] = s
        else:
            result.append(s)
    return tuple(result)


def _checked_source(source: Any) -> Any:
    if isinstance(source, Handle):
        return source._variable
    if not isinstance(source, (Tensor, Variable)):
        raise TypeError(
            errors.compose(
                f"explain: source is {source!r}, of type {type(source).__name__}, and must be a tensor or variable.",
                "pass a tensor or variable.",
            )
        )
    source._id = source._id or state.new_id()
    return source


def _checked_targets(target: Any) -> tuple[list[Any], list[Any]]:
    if target is None:
        raise TypeError(
            errors.compose(
                "explain: target is None, which has no gradient.",
                "if it is a gradient, from tape.gradient(y, x), ask for tape.explain(y, x) first.",
            )
        )
    flat = nest.flatten(target, expand_composites=True)
    tensors = [t for t in flat if isinstance(t, (Tensor, Variable))]
    numbers = [t for t in flat if isinstance(t, _NUMBERS)]
    for t in flat:
        if not isinstance(t, (Tensor, Variable, *_NUMBERS)):
            raise TypeError(
                errors.compose(
                    f"explain: target is {t!r}, of type {type(t).__name__}, and must be a tensor.", "pass a tensor."
                )
            )
    for t in tensors:
        t._id = t._id or state.new_id()
    return tensors, numbers
