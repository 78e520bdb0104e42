"""Checks for programs that run but probably do not do what was intended, made when a tape computes a gradient.

What is looked at once for each `with` of the user costs a lookup in later calls; the rest is looked at where no gradient was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core import errors, hints, provenance
from gradtape.transform.record import Recording

# Tapes that were looked at, by the code and instruction that entered them. The code is held, so that its id stays its own.
_examined: dict[tuple[int, int], Any] = {}
_MOST = 10_000
_ON_PURPOSE = {"expand_dims", "reshape", "getitem", "strided_slice", "gather", "transpose", "slice"}


def examine(recording: Recording) -> None:
    """Look for differences of shapes (n, 1) and (n,), the first time that a tape of this place is asked."""
    key = (id(recording.entry), recording.entry_offset)
    if key in _examined or recording.entry is None:
        return
    if len(_examined) > _MOST:
        _examined.clear()
    _examined[key] = recording.entry
    if hints.is_on():
        _find_differences(recording)


def _find_differences(recording: Recording) -> None:
    makers = {record[2]: record[0].name for record in recording.records if type(record[2]) is int}
    for record, saved in zip(recording.records, recording.saved, strict=False):
        if record[0].name not in ("subtract", "squared_difference"):
            continue
        shapes = [tuple(getattr(s, "shape", s)) for s in saved[:2] if _is_shape(getattr(s, "shape", s))]
        if len(shapes) == 2 and _is_crossed(*shapes):
            column = record[1][0 if len(shapes[0]) == 2 else 1]
            if makers.get(column, "") not in _ON_PURPOSE and len(set(record[1])) == 2:
                _say_crossed(record, *shapes)


def _is_shape(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and all(type(n) is int for n in value)


def _is_crossed(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """True for (n, 1) and (n,), which broadcast to (n, n)."""
    column, row = (a, b) if len(a) > len(b) else (b, a)
    return len(column) == 2 and len(row) == 1 and column == (row[0], 1) and row[0] > 1


def _say_crossed(record: tuple[Any, ...], a: tuple[int, ...], b: tuple[int, ...]) -> None:
    n = max(a[0], b[0])
    hints.say(
        (record[4], record[5]) if record[4] is not None else None,
        f"{record[0].name}: shapes {a} and {b} broadcast to ({n}, {n}): a loss of these compares each value with all others.",
        "give both one shape, for instance tf.squeeze(prediction, -1) or target[:, tf.newaxis].",
    )


def of_switch(persistent: Any) -> None:
    """Say that a number, tensor or text in the place of `persistent` makes the tape persistent. Any truth value is accepted."""
    is_plain = persistent is None or (isinstance(persistent, (int, np.bool_, np.integer)) and persistent in (0, 1))
    if not is_plain and hints.is_on():
        hints.say(
            provenance.user_place(3),
            f"GradientTape: persistent must be True or False, got {errors.brief(persistent)}, which counts as True.",
            "write tf.GradientTape(persistent=True) to call gradient more than once; use tape.watch(x) to watch a tensor.",
        )


def of_no_sources() -> None:
    """Say that a call asks for no gradient at all: a model that has not been built has no variables."""
    hints.say(
        provenance.user_place(3),
        "gradient: sources is empty, so there is nothing to differentiate with respect to.",
        "call the model once before model.trainable_variables is read, and check model.trainable: layers make their weights in the first call, "
        "frozen ones have none to train.",
    )


def of_no_gradient(recording: Recording, targets: Sequence[Any], sources: Sequence[Any]) -> None:
    """Log why all gradients of a call are None if the cause is simple; otherwise, log how to find out."""
    place = provenance.user_place(3)
    integers = [s for s in sources if not s.dtype.is_trainable]
    if integers:
        name = integers[0].dtype.name
        what = f"every gradient of this call is None: the source is of dtype {name}, and only floating point has gradients."
        hints.say(place, what, "x = tf.Variable(2.0), or tf.cast(x, tf.float32) before the tape.")
    elif _leads(recording, {t._id for t in targets}, {s._id for s in sources}):
        what = "every gradient of this call is None: the source was computed from the target, so they are swapped."
        hints.say(
            place,
            what,
            "tape.gradient(target, sources): first the result, then the variables to differentiate with respect to.",
        )
    else:
        hints.say(
            place,
            "every gradient of this call is None.",
            "print(tape.explain(target, source)) says why; tf.config.on_none('warn') does so everywhere.",
        )


def _leads(recording: Recording, start: set[int], end: set[int]) -> bool:
    """True if values were computed from others."""
    reached = start - {0}
    for record in recording.records:
        if not reached.isdisjoint(record[1]):
            reached.update(record[2] if type(record[2]) is tuple else (record[2],))
    return bool(reached - start) and not reached.isdisjoint(end - start)
