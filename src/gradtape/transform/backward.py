"""The backward pass: a loop over the records from last to first, each op's vjp in turn.

While nobody records the pass itself, the rules get plain arrays: operators and ops on arrays are NumPy calls, so
backward costs little more than NumPy. Under an outer tape they get tensors with the identities of the forward pass,
and what they compute is recorded: derivatives of any order come from the same rules.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import dtypes, memory, state
from gradtape.core.indexed_slices import IndexedSlices, RowCotangent, dense_dims, densify
from gradtape.core.op import REGISTRY, Op
from gradtape.core.tensor import Interpreted, Tensor, wrap
from gradtape.transform import repeated
from gradtape.transform.record import Recording

_ndarray = np.ndarray
_LARGE = memory.THRESHOLD
_SHORTEST = repeated.SHORTEST


def backward_in_stages(
    recording: Recording,
    cotangents: dict[int, Any],
    sources: set[int],
    finished: Callable[[int, Any], None],
    *,
    consume: bool,
    arrays: bool,
) -> None:
    """A backward pass that tells the cotangent of each source as soon as it is complete, the last one first.

    Args:
      recording, cotangents, sources, consume, arrays: as of `backward`.
      finished: called with the identity of a source and its cotangent. Nothing is told of sources without one.
    """
    first_use: dict[int, int] = {}
    for position, record in enumerate(recording.records):
        for i in record[1]:
            if i in sources:
                first_use.setdefault(i, position)
    live = live_identities(recording, sources)
    records, saved = recording.records, recording.saved if consume else recording.saved.copy()
    for start in sorted({0, *first_use.values()}, reverse=True):
        stage = copy.copy(recording)
        stage.records, stage.saved = records[start:], saved[start:]
        records = records[:start]
        del saved[start:]
        backward(stage, cotangents, sources, consume=True, arrays=arrays, live=live)
        recording.cuts = stage.cuts
        for i, position in first_use.items():
            if position == start and i in cotangents:
                finished(i, cotangents[i])


@np.errstate(all="ignore")
def backward(
    recording: Recording,
    cotangents: dict[int, Any],
    sources: set[int],
    *,
    consume: bool,
    arrays: bool,
    live: set[int] | None = None,
) -> dict[int, Any]:
    """Cotangents by identity, pushed from the targets to the sources.

    Args:
      recording: what ran.
      cotangents: those of the targets; changed in place and returned.
      sources: identities whose cotangents are wanted.
      consume: free what each record saved as soon as it was used.
      arrays: hand the rules arrays instead of tensors.
      live: identities through which a cotangent can reach a source; given where the recording is a part of another.
    """
    if live is None and arrays and len(recording.records) >= _SHORTEST and repeated.run(recording, cotangents, sources):
        if consume:
            recording.saved = []
        return cotangents
    saved = recording.saved if consume else recording.saved.copy()
    pop, get = saved.pop, cotangents.get
    live = live_identities(recording, sources) if live is None else live
    for op, ids, out, params, _, _, specs in reversed(recording.records):
        residuals = pop()
        if specs is None:
            dy = get(out) if out in sources else cotangents.pop(out, None)
            if dy is None:
                continue
            if type(dy) is RowCotangent and not op.accepts_slices:
                dy = densify(dy)
        else:
            dy = _several(cotangents, out, specs, sources, arrays, op.takes_none)
            if dy is None:
                continue
        if not arrays or op.wants_tensors or (type(dy) is _ndarray and dy.size >= _LARGE and _uniform(dy, residuals)):
            grads = _pull_tensors(op, dy, residuals, ids, out, live, params, arrays)
        elif len(ids) == 2:
            # Most ops have one input or two; unrolled, since a loop would cost a quarter of the pass.
            i, j = ids
            needs = (i in live, j in live)
            d, e = op.pull(dy, residuals, needs, params)
            if d is not None:
                if needs[0]:
                    before = get(i)
                    cotangents[i] = d if before is None else _plus(before, d)
            elif needs[0]:
                _note_cut(recording, i, ids, out, (d, e))
            if e is not None:
                if needs[1]:
                    before = get(j)
                    cotangents[j] = e if before is None else _plus(before, e)
            elif needs[1]:
                _note_cut(recording, j, ids, out, (d, e))
            continue
        else:
            grads = op.pull(dy, residuals, [i in live for i in ids] if op.takes_needs else None, params)
        for i, d in zip(ids, grads):  # noqa: B905 - one gradient per input is what the contract tests check
            if i in live:
                if d is None:
                    _note_cut(recording, i, ids, out, grads)
                else:
                    before = get(i)
                    cotangents[i] = d if before is None else _plus(before, d)
    return cotangents


def _plus(before: Any, d: Any) -> Any:
    """The sum of two cotangents; of large arrays in recycled memory."""
    if type(before) is type(d) is _ndarray and before.size >= _LARGE and before.dtype is d.dtype:
        return REGISTRY["add"](before, d)
    return before + d


def _uniform(dy: Any, residuals: tuple[Any, ...]) -> bool:
    """True if no bfloat16 is about. Tensors would refuse to meet the float32 cotangents that an array-mode pass carries."""
    return dy.dtype.kind != "V" and all(getattr(getattr(r, "dtype", r), "kind", "") != "V" for r in residuals)


def _note_cut(recording: Recording, identity: int, ids: tuple[int, ...], out: Any, grads: Any) -> None:
    """For `explain`: a rule gave no cotangent for an input that wanted one."""
    if all(d is None for i, d in zip(ids, grads, strict=False) if i == identity):
        recording.cuts = (recording.cuts or set()) | {(out, identity)}


def _pull_tensors(
    op: Op, dy: Any, residuals: Any, ids: tuple[int, ...], out: Any, live: set[int], params: Any, arrays: bool
) -> Any:
    """The vjp on tensors: when the pass is recorded, for rules that are the user's code, and for large arrays, whose
    arithmetic then goes through dispatch and is shared among threads."""
    needs = [i in live for i in ids] if op.takes_needs else None
    if arrays and not op.wants_tensors:
        ids, out = (0,) * len(ids), 0 if type(out) is int else (0,) * len(out)
    grads = op.pull(_tensors(dy), restore(op, residuals, ids, out), needs, params)
    return [bare(d) for d in grads] if arrays else [_tensors(d) if isinstance(d, IndexedSlices) else d for d in grads]


def live_identities(recording: Recording, sources: set[int]) -> set[int]:
    """Identities through which a cotangent can reach a source. Work for other variables is not done."""
    if recording.roots <= sources:
        return recording.tracked
    live = sources & recording.tracked
    for record in recording.records:
        out = record[2]
        for i in record[1]:
            if i in live:
                if type(out) is tuple:
                    live.update(out)
                else:
                    live.add(out)
                break
    return live


def _several(
    cotangents: dict[int, Any], outs: tuple[int, ...], specs: Any, sources: set[int], arrays: bool, none: bool
) -> Any:
    """Cotangents of an op with several outputs: zeros, or None if the op takes it, for those that nothing used; None if
    nothing used any."""
    found = [cotangents.get(o) if o in sources else cotangents.pop(o, None) for o in outs]
    if all(d is None for d in found):
        return None
    if none:
        return tuple([None if d is None else _dense(d, s) for d, s in zip(found, specs, strict=True)])
    return tuple([_zeros(s, arrays) if d is None else _dense(d, s) for d, s in zip(found, specs, strict=True)])


def _zeros(spec: tuple[Any, Any], arrays: bool) -> Any:
    zeros = np.zeros(tuple(spec[0]), dtypes.as_dtype(spec[1]).numpy)
    return zeros if arrays else wrap(zeros)


def _dense(d: Any, spec: tuple[Any, Any]) -> Any:
    """A cotangent as the rule of an op with several outputs wants it: no rows, and in the output's dtype."""
    d = densify(d) if isinstance(d, IndexedSlices) else d
    is_wider = isinstance(d, (np.ndarray, np.generic)) and d.dtype != spec[1] and d.dtype.kind == "f"
    return d.astype(dtypes.as_dtype(spec[1]).numpy) if is_wider else d


def restore(op: Op, residuals: tuple[Any, ...], ids: tuple[int, ...], out: Any) -> tuple[Any, ...]:
    """Saved arrays as tensors with the identities that they had in the forward pass."""
    result: list[Any] = []
    for value, (base, suffix) in zip(residuals, op.residuals, strict=True):
        if suffix:
            result.append(value)
        elif base in op.inputs:
            if op.variadic:
                result.append(tuple([_with_id(v, i) for v, i in zip(value, ids, strict=True)]))
            else:
                result.append(_with_id(value, ids[op.inputs.index(base)]))
        else:
            result.append(_with_id(value, out if type(out) is int else out[op.outputs.index(base)]))
    return tuple(result)


def _with_id(value: Any, identity: int) -> Any:
    return value if isinstance(value, Tensor) else wrap(value, identity)


def _tensors(dy: Any) -> Any:
    if dy is None:
        return None
    if type(dy) is tuple:
        return tuple([_tensors(d) for d in dy])
    if isinstance(dy, IndexedSlices):
        # Still rows that add up: as_result is for the user.
        return RowCotangent(_tensors(dy.values), _tensors(dy.indices), dense_dims(dy))
    return as_result(dy)


def as_result(d: Any) -> Any:
    """A cotangent for the user: a Tensor, or IndexedSlices of Tensors."""
    if isinstance(d, IndexedSlices):
        parts = d.values, d.indices
        values, indices = (as_result(p) for p in parts)
        return IndexedSlices(values, indices, wrap(np.asarray(dense_dims(d), np.int32)))
    if type(d) is Tensor:
        return d
    return d.full() if isinstance(d, Interpreted) else wrap(d)


def bare(d: Any) -> Any:
    """A cotangent for the rules of an array-mode pass: an array, rows of arrays, or a batched value of arrays."""
    if isinstance(d, IndexedSlices):
        return RowCotangent(bare(d.values), bare(d.indices), dense_dims(d))
    if type(d) is Tensor:
        return d._array
    return d.bare() if isinstance(d, Interpreted) else d


def nobody_records() -> bool:
    """True if the backward pass itself will not be differentiated, so that arrays are enough."""
    recorders = state.current.recorders
    if any(r.closed for r in recorders):
        recorders = state.current.recorders = tuple([r for r in recorders if not r.closed])
    return not recorders
