"""How values flowed through a program, as far as anyone noted it: what `tape.explain` searches.

The tape's own records are only the part with derivatives. Here they are joined, in the order of time, with the ops that
broke a gradient, values that left and came back, assignments, the log of what ran while no tape recorded, and the
records of other tapes that are still alive. The best way from a source to a target in this picture has as little
guessing and as few steps as possible; its first edge that is not a record is where the gradient was cut.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from gradtape.core import state
from gradtape.core.provenance import Place, Site
from gradtape.transform.diagnosis import source_lines
from gradtape.transform.record import Recording

RECORD = "record"  # on this tape, with a derivative
CUT = "cut"  # on this tape, but the rule returned None for this input
BREAK = "break"  # on this tape, without a derivative
MISSED = "missed"  # seen by a tape that did not know the inputs
UNSEEN = "unseen"  # ran while this tape did not record
GRADIENT = "gradient"  # values out of a tape's `gradient`
ASSIGNED = "assigned"
LEFT = "left"
BACK = "back"

_COST = {CUT: 0.9, BREAK: 1.0, MISSED: 1.0, UNSEEN: 1.0, GRADIENT: 1.0, ASSIGNED: 1.0, LEFT: 1.0}
_AFTERWARDS = 0.01  # what an edge costs on a way that is cut already
_LEAKS = 32  # how many of the latest values that left are tried where one may come back


class Edge(NamedTuple):
    """Something that made values out of values.

    Attributes:
      kind: one of the constants above.
      op: the op; for LEFT, how, in words; for GRADIENT, when the tape was entered; None otherwise.
      inputs: identities; 0 stands for a constant.
      outputs: identities. A value that left has a negative one.
      place: where in the user's code.
      time: an identity drawn then.
    """

    kind: str
    op: Any
    inputs: Collection[int]
    outputs: Collection[int]
    place: Place | None
    time: int

    @property
    def site(self) -> Site | None:
        """The line."""
        return Site.of(self.place)


class Arrival(NamedTuple):
    """The best way from the source to a value: its cost, its length, the edge where it is cut, and its end."""

    cost: float
    length: int
    cut: Edge | None
    edge: Edge | None
    previous: int


class Flow:
    """All edges that are known, and what can be reached from a source along them.

    Attributes:
      edges: in the order of time.
      arrivals: by identity, for what the source reached.
    """

    def __init__(self, recording: Recording, source: int) -> None:
        own = _own(recording)
        known = {out for edge in own for out in edge.outputs}
        others = [edge for edge in (*_logged(), *_passes(recording), *_of_others(recording)) if _news(edge, known)]
        self.edges = sorted((*own, *others), key=lambda edge: edge.time)
        self.arrivals = {source: Arrival(0.0, 0, None, None, 0)}
        self._leaks: list[Edge] = []
        self._evidence: dict[Any, bool | None] = {}
        cuts = recording.cuts or set()
        for edge in self.edges:
            self._follow(edge, cuts)

    def _follow(self, edge: Edge, cuts: set[tuple[Any, int]]) -> None:
        reached = [i for i in edge.inputs if i in self.arrivals]
        for i in reached:
            cut = edge.kind == RECORD and any((out, i) in cuts for out in (edge.outputs, *edge.outputs))
            self._arrive(i, edge._replace(kind=CUT) if cut else edge)
        if edge.kind == LEFT and reached:
            self._leaks = [*self._leaks[1 - _LEAKS :], edge]
        elif self._leaks and not reached and edge.kind in (RECORD, BREAK, MISSED, BACK):
            self._come_back(edge)

    def _arrive(self, start: int, edge: Edge, extra: float = 0.0) -> None:
        before = self.arrivals[start]
        cost = 0.0 if edge.kind == RECORD else _AFTERWARDS if before.cut else _COST[edge.kind]
        cut = before.cut or (None if edge.kind == RECORD else edge)
        new = Arrival(before.cost + cost + extra, before.length + 1, cut, edge, start)
        for out in edge.outputs:
            old = self.arrivals.get(out)
            if old is None or new[:2] < old[:2]:
                self.arrivals[out] = new

    def _come_back(self, edge: Edge) -> None:
        """Values that left may be in a constant made later, or in a number that an op was given."""
        for leak in reversed(self._leaks):
            known = self._possible(leak, edge)
            if known is False or (known is None and edge.kind != BACK and 0 not in edge.inputs):
                continue
            extra = (0.2 if known else 0.6) if edge.kind == BACK else (0.4 if known else 3.0)
            self._arrive(next(iter(leak.outputs)), edge, extra)

    def _possible(self, leak: Edge, edge: Edge) -> bool | None:
        key = (leak.place, edge.place)
        if key not in self._evidence:
            self._evidence[key] = source_lines.may_come_back(leak.site, edge.site)
        return self._evidence[key]

    @property
    def leaks(self) -> list[Edge]:
        """Edges by which values that depend on the source left, the latest last."""
        return self._leaks

    def best(self, targets: Iterable[int]) -> Arrival | None:
        """The best way to one of the targets; None if there is none."""
        found = [self.arrivals[t] for t in targets if t in self.arrivals]
        return min(found, key=lambda arrival: arrival[:2], default=None)

    def path(self, arrival: Arrival | None) -> list[Edge]:
        """The edges of a way, from the source on."""
        edges = []
        while arrival is not None and arrival.edge is not None:
            edges.append(arrival.edge)
            arrival = self.arrivals[arrival.previous]
        return edges[::-1]

    def maker(self, identity: int) -> Edge | None:
        """The edge that made a value."""
        return next((edge for edge in self.edges if identity in edge.outputs and edge.kind != GRADIENT), None)

    def uses(self, identity: int) -> list[Edge]:
        """The edges that read a value."""
        return [edge for edge in self.edges if identity in edge.inputs and edge.kind != GRADIENT]

    def ancestors(self, targets: Iterable[int]) -> set[int]:
        """Everything that the targets were computed from, as far as it is known."""
        found = set(targets)
        for edge in reversed(self.edges):
            if edge.kind != GRADIENT and not found.isdisjoint(edge.outputs):
                found.update(edge.inputs)
        return found


def _own(recording: Recording) -> list[Edge]:
    edges = []
    for op, ids, out, _, code, offset, _ in recording.records:
        outputs = out if type(out) is tuple else (out,)
        edges.append(Edge(RECORD, op, ids, outputs, _place(code, offset), max(outputs, default=0)))
    for op, ids, outputs, code, offset in recording.breaks:
        edges.append(Edge(BREAK, op, ids, outputs, _place(code, offset), max(outputs, default=0)))
    for event in recording.events:
        if event.kind == "left":
            edges.append(Edge(LEFT, event.detail, (event.identity,), (-event.time,), event.place, event.time))
        elif event.kind == "created":
            edges.append(Edge(BACK, None, (), (event.identity,), event.place, event.time))
        elif event.kind == "assigned":
            edges.append(Edge(ASSIGNED, None, (event.source,), (event.identity,), event.place, event.time))
    return edges


def _logged() -> list[Edge]:
    """What ran while no tape recorded it."""
    edges = []
    for op, ids, outputs, code, offset, seen in list(state.unrecorded):
        place, time = _place(code, offset), max(outputs, default=0)
        if isinstance(op, str):
            edges.append(Edge(LEFT, op, ids, (-time,), place, time))
        else:
            edges.append(Edge(MISSED if seen else UNSEEN, op, ids, outputs, place, time))
    return edges


def _passes(recording: Recording) -> list[Edge]:
    """Calls of `gradient`. Those of this tape may depend on all that it tracks."""
    edges = []
    for tape, targets, sources, results, code, offset, time in list(state.passes):
        own = bool(recording.spans) and tape == recording.spans[0]
        inputs = recording.tracked if own else {*targets, *sources}
        edges.append(Edge(GRADIENT, (tape, tuple(targets)), inputs, results, _place(code, offset), time))
    return edges


def _of_others(recording: Recording) -> list[Edge]:
    """Records of other tapes. They are found by the garbage collector, so that tapes pay nothing for being found."""
    edges = []
    for other in gc.get_objects():
        if type(other) is Recording and other is not recording:
            edges += [edge._replace(kind=UNSEEN) for edge in _own(other) if edge.kind in (RECORD, BREAK)]
    return edges


def _news(edge: Edge, known: set[int]) -> bool:
    """True unless this tape recorded the op itself."""
    return edge.kind in (LEFT, GRADIENT) or known.isdisjoint(edge.outputs)


def _place(code: Any, offset: int) -> Place | None:
    return None if code is None else (code, offset)
