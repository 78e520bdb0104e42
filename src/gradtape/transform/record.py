"""The contents of a tape: the ops that ran, the values that their rules saved, and the watched tensors.

A record is split in two lists. `records` has the skeleton (op, identities, parameters, place in the user's code) and
stays for `explain`; `saved` has the arrays that backward reads, and is emptied as backward consumes it. Identities are
integers, so a tape keeps no tensor alive, and a tensor keeps no tape alive: there are no reference cycles.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from gradtape.core import provenance, state
from gradtape.core.provenance import Place
from gradtape.core.recorder import NO_PARAMS, Recorder
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

_place = provenance.user_place
_own, _search = provenance.own, provenance.search
_getframe = sys._getframe
_TRAINABLE_KINDS = "fc"  # bfloat16 and float8 share a letter: those are looked at more closely
_new_id = state.new_id


class Event(NamedTuple):
    """Something that cuts a gradient, noted for `explain`.

    Attributes:
      kind: "left" (a value went to Python or NumPy), "created" (a constant, after something had left), "assigned" (to
        a variable), "watched", "ignored" (a watch that had no effect), "paused" (by stop_recording), "reset".
      identity: the tensor or variable concerned.
      source: for an assignment, the identity of the assigned tensor.
      detail: in words, for instance how a value left.
      place: where in the user's code.
      time: an identity drawn then, to compare with those of tensors.
    """

    kind: str
    identity: int
    source: int
    detail: str
    place: Place | None
    time: int


class Recording(Recorder):
    """One recording of a tape. It is what stands on the thread's list of recorders.

    Attributes:
      tracked: identities through which a gradient flows: the watched ones and what was computed from them.
      roots: the watched ones only.
      records: (op, input ids, output id or ids, params, code, offset, output specs if several).
      saved: what each record's vjp reads.
      variables: trainable variables that were used, by identity.
      broken: identities computed from tracked ones through something without a derivative.
      breaks: records of ops on broken identities, or that broke one; no arrays.
      events: see Event.
      leaked: True once a value left, so that constants made later are of interest.
      of_interest: True for tapes that are persistent or inside others: someone may differentiate their gradients.
      asked: the sources of the `gradient` after which the records were dropped.
      cuts: (output, input) identities of records whose vjp returned None for an input that wanted a gradient.
      spans: the times of entering and leaving, in turn.
      code: the user's function of the latest record; the next one is often in the same.
      entry: the user's function that entered the tape, and the offset of the instruction there.
    """

    __slots__ = (
        "asked", "breaks", "broken", "code", "cuts", "entry", "entry_offset", "events", "leaked", "of_interest",
        "records", "roots", "saved", "spans", "tracked", "variables", "watch_accessed",
    )  # fmt: skip

    def __init__(self, watch_accessed: bool, code: Any = None, offset: int = -1) -> None:
        self.watch_accessed = watch_accessed
        self.code = self.entry = code
        self.entry_offset = offset
        self.tracked: set[int] = set()
        self.roots: set[int] = set()
        self.records: list[tuple[Any, ...]] = []
        self.saved: list[tuple[Any, ...]] = []
        self.variables: dict[int, Variable] = {}
        self.broken: set[int] = set()
        self.breaks: list[tuple[Any, ...]] = []
        self.events: list[Event] = []
        self.leaked = False
        self.of_interest = False
        self.asked: list[int] | None = None
        self.cuts: set[tuple[Any, int]] | None = None
        self.spans: list[int] = []
        self.depth = state.current.depth
        self.closed = False

    @property
    def entered(self) -> Place | None:
        """The place of the `with` in the user's code."""
        return None if self.entry is None else (self.entry, self.entry_offset)

    def see(
        self, op: Any, ids: tuple[int, ...], values: Any, params: dict[str, Any], outputs: Any, result: Any
    ) -> None:
        """Record an op that has just run, if it has a watched input."""
        tracked = self.tracked
        if tracked.isdisjoint(ids):
            if not self.broken.isdisjoint(ids):
                self._see_broken(op, ids, outputs)
            elif any(ids):
                self._see_unwatched(op, ids, outputs)
            return
        if not op.differentiable:
            self._see_broken(op, ids, outputs)
            return
        if type(outputs) is tuple:
            out: Any = tuple([y._id or _name(y) for y in outputs])
            tracked.update(out)
            specs = tuple([(y.shape, y.dtype) for y in result])
        else:
            out = outputs._id
            if not out:
                out = outputs._id = _new_id()
            tracked.add(out)
            specs = None
        frame = _getframe(2)
        code = frame.f_code
        if code is self.code:
            offset = frame.f_lasti
        else:
            code, offset = self._find(op)
        self.records.append((op, ids, out, params, code, offset, specs))
        self.saved.append(op.save(values, result))

    def see_pair(self, op: Any, i: int, j: int, p: Any, q: Any, y: Any, result: Any) -> None:
        """Record an operator that has just run; `see` without what only other ops need."""
        tracked = self.tracked
        if not ((i in tracked or j in tracked) and op.differentiable):
            self.see(op, (i, j), (p, q), NO_PARAMS, y, result)
            return
        out = y._id = _new_id()
        tracked.add(out)
        frame = _getframe(2)
        code = frame.f_code
        if code is self.code:
            offset = frame.f_lasti
        else:
            code, offset = self._locate(frame)
        self.records.append((op, (i, j), out, NO_PARAMS, code, offset, None))
        self.saved.append(op.save((p, q), result))

    def concerns(self, ids: tuple[int, ...]) -> bool:
        """True if an input is watched."""
        return not self.tracked.isdisjoint(ids)

    def _find(self, op: Any) -> tuple[Any, int]:
        """The place in the user's code of an op that is being seen; how it is found is noted for the next time."""
        frame: Any
        depth, wrapper = op.path
        if wrapper is not None:
            # The function of ours that the user called last time; its caller is looked at, and no frame in between.
            try:
                frame = _getframe(depth + 1)
            except ValueError:  # last time the op ran in more functions than there are now
                frame = None
            if frame is not None and frame.f_code is wrapper:
                frame = frame.f_back
                if frame is not None and frame.f_code is self.code:
                    return self.code, frame.f_lasti
        depth, below = 2, None
        frame = _getframe(3)
        while frame is not None and frame.f_code is not self.code and id(frame.f_code) in _own:
            below, frame, depth = frame, frame.f_back, depth + 1
        if frame is None:
            return None, -1
        op.path = (2, None) if below is None else (depth - 1, below.f_code)
        if frame.f_code is not self.code:
            self.code, offset = _search(frame)
            return self.code, offset
        return self.code, frame.f_lasti

    def _locate(self, frame: Any) -> tuple[Any, int]:
        """The place in the user's code; the function of the latest record is tried first."""
        code = frame.f_code
        while code is not self.code:
            if id(code) not in _own:
                self.code, offset = _search(frame)
                return self.code, offset
            frame = frame.f_back
            if frame is None:
                return None, -1
            code = frame.f_code
        return code, frame.f_lasti

    def _see_broken(self, op: Any, ids: tuple[int, ...], outputs: Any) -> None:
        out = _names(outputs)
        self.broken.update(out)
        code, offset = _search(_getframe(2))
        self.breaks.append((op, ids, out, code, offset))

    def _see_unwatched(self, op: Any, ids: tuple[int, ...], outputs: Any) -> None:
        if not getattr(op, "is_logged", True):
            return
        code, offset = _search(_getframe(2))
        state.unrecorded.append((op, ids, _names(outputs), code, offset, True))

    def access(self, variable: Variable) -> None:
        """A variable is being used."""
        identity = variable._id
        if self.watch_accessed and variable._trainable and identity not in self.variables:
            self.variables[identity] = variable
            if variable._value._array.dtype.kind in _TRAINABLE_KINDS:
                self.tracked.add(identity)
                self.roots.add(identity)
            else:
                self.watch_tensor(variable._value)

    def watch_variable(self, variable: Variable) -> None:
        """Watch a variable and list it among the watched ones."""
        self.variables[variable._id] = variable
        self.watch_tensor(variable._value)

    def watch_tensor(self, tensor: Any) -> None:
        """Watch a tensor from now on. Integers have no gradient and are only remembered for `explain`."""
        identity = tensor._id or _name(tensor)
        if tensor.dtype.is_trainable:
            self.tracked.add(identity)
            self.roots.add(identity)
        else:
            self.broken.add(identity)

    def left(self, tensor: Tensor, how: str, place: Place | None) -> None:
        """A tensor became a value of Python or NumPy."""
        if tensor._id in self.tracked or tensor._id in self.broken:
            self.leaked = True
            self.note("left", tensor._id, 0, how, place)

    def assigned(self, variable: Variable, source: int, place: Place | None) -> None:
        """A variable got a new value, from the tensor `source`."""
        if source in self.tracked or source in self.broken or variable._id in self.tracked:
            self.note("assigned", variable._id, source, variable.name, place)

    def created(self, tensor: Tensor) -> None:
        """A constant was made; if something had left the tape, perhaps that value comes back here."""
        if self.leaked:
            self.note("created", tensor._id or _name(tensor), 0, "", _place(3))
            self.broken.add(tensor._id)

    def note(self, kind: str, identity: int, source: int, detail: str, place: Place | None) -> None:
        """Add an event."""
        self.events.append(Event(kind, identity, source, detail, place, _new_id()))

    def forget(self) -> None:
        """Drop the arrays and keep the skeleton."""
        self.saved = []


def _name(tensor: Tensor) -> int:
    tensor._id = _new_id()
    return tensor._id


def _names(outputs: Any) -> tuple[int, ...]:
    return tuple([y._id or _name(y) for y in (outputs if type(outputs) is tuple else (outputs,))])
