"""Jacobians: one backward pass that carries all rows of the identity at once.

The cotangent of the target is a Batched value: one example per element of the target. The rules of the ops run as in
any backward pass; their batch rules do the rest. Rows are taken in chunks, so that memory stays within a budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import floor, prod
from typing import Any

import numpy as np

from gradtape.core import errors, nest, state
from gradtape.core.indexed_slices import IndexedSlices, densify
from gradtape.core.op import REGISTRY
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.ops.family import dims
from gradtape.transform import suspicions
from gradtape.transform.backward import backward, bare, live_identities, nobody_records
from gradtape.transform.batched import Batched, NeedsValueError, batched, innermost
from gradtape.transform.gradient_arguments import UnconnectedGradients, check_whole, flat_sources, wants_zeros
from gradtape.transform.record import Recording

_current = state.current
_memory = 256 * 2**20


def get_jacobian_memory() -> int:
    """The number of bytes, as an estimate, that the cotangents of one chunk of a Jacobian may take."""
    return _memory


def set_jacobian_memory(size: int) -> None:
    """Set how many bytes the cotangents of one chunk of a Jacobian may take. The result itself is not counted."""
    global _memory
    if size <= 0:
        raise ValueError(errors.compose(f"The memory for Jacobians must be positive, got {size}.", "give bytes."))
    _memory = int(size)


def jacobian(
    tape: Any, target: Any, sources: Any, unconnected_gradients: Any, parallel_iterations: Any, use_pfor: bool
) -> Any:
    """`GradientTape.jacobian`."""
    recording = _begin(tape, "jacobian", parallel_iterations, use_pfor)
    zero = wants_zeros(unconnected_gradients)
    _check_single("jacobian", "target", target)
    flat = flat_sources(sources)
    tape._leave_for("jacobian")
    if not all(spec_of(x).is_known for x in (target, *flat)):
        shaped = _of_any_size(tape, target, flat, zero)
        return shaped[0] if len(flat) == 1 and flat[0] is sources else nest.pack_sequence_as(sources, shaped)
    size = tuple(target.shape)
    rows = _Rows(tape, recording, target, flat, prod(size), lambda i, j: _identity(target, i, j))
    results = rows.vectorised() if use_pfor else rows.one_by_one()
    shaped = []
    for source, d in zip(flat, results, strict=True):
        whole = size + tuple(source.shape)
        if d is not None:
            d = _as(source, REGISTRY["reshape"](d, shape=whole))
        elif zero:
            d = wrap(np.zeros(whole, source.dtype.numpy))
        shaped.append(d)
    if flat and all(d is None for d in shaped) and isinstance(target, Tensor):
        suspicions.of_no_gradient(recording, (target,), flat)
    return shaped[0] if len(flat) == 1 and flat[0] is sources else nest.pack_sequence_as(sources, shaped)


def batch_jacobian(
    tape: Any, target: Any, source: Any, unconnected_gradients: Any, parallel_iterations: Any, use_pfor: bool
) -> Any:
    """`GradientTape.batch_jacobian`."""
    recording = _begin(tape, "batch_jacobian", parallel_iterations, use_pfor)
    wants_zeros(unconnected_gradients)
    for name, given in (("target", target), ("source", source)):
        _check_single("batch_jacobian", name, given)
        if given.shape.rank is not None and given.shape.rank < 2:
            raise ValueError(
                errors.compose(
                    f"batch_jacobian: {name} must have rank at least 2, it has shape {given.shape}.",
                    "add an axis for the examples, x[tf.newaxis], or use tape.jacobian(y, x).",
                )
            )
    ys, xs = tuple(target.shape), tuple(source.shape)
    if ys[0] != xs[0]:
        raise ValueError(
            errors.compose(
                f"Need first dimension of target shape ({target.shape}) and source shape ({source.shape}) to match.",
                "the first axis of both counts the examples; use tape.jacobian otherwise.",
            )
        )
    tape._leave_for("batch_jacobian")
    if None in ys or None in xs:
        return _of_any_batch(tape, target, source)
    features = prod(ys[1:])
    rows = _Rows(tape, recording, target, flat_sources(source), features, lambda i, j: _features(target, i, j))
    (d,) = rows.vectorised() if use_pfor else rows.one_by_one()
    whole = ys + xs[1:]
    if d is None:
        return wrap(np.zeros(whole, target.dtype.numpy))
    swapped = REGISTRY["transpose"](d, perm=(1, 0, *range(2, len(xs) + 1)))
    return _as(source, REGISTRY["reshape"](swapped, shape=whole))


def _check_single(who: str, name: str, given: Any) -> None:
    """Refuse a list, a number or None in the place of one tensor."""
    if not hasattr(given, "shape"):
        raise errors.build(
            errors.AttributeTypeError,
            f"{who}: {name} must be one tensor or variable, with a shape, got {errors.brief(given)}.",
            f"for several, make the tape persistent: [tape.{who}(y, x) for {'x in sources' if name == 'source' else 'y in targets'}].",
        )


def _of_any_size(tape: Any, target: Any, sources: tuple[Any, ...], zero: bool) -> list[Any]:
    """The Jacobian in a function that is traced for sizes which are known only when it runs: a loop over the rows of the identity.
    When the sizes are known, the steps of such a loop run as one."""
    is_there = [True] * len(sources) if zero else [d is not None for d in _asked_again(tape, target, sources)]
    present = [x for x, flag in zip(sources, is_there, strict=True) if flag]
    seeds = state.tracing().later(_identity_rows, (target,), {})
    rows = iter(_looped(tape, target, present, seeds) if present else ())
    _used(tape)
    return [
        state.tracing().later(_shaped_as, (next(rows), target, x), {}) if flag else None
        for x, flag in zip(sources, is_there, strict=True)
    ]


def _of_any_batch(tape: Any, target: Any, source: Any) -> Any:
    """The Jacobian of each example of a batch, where sizes are known only when the function runs: a loop over the features."""
    seeds = state.tracing().later(_feature_rows, (target,), {})
    (rows,) = _looped(tape, target, [source], seeds)
    _used(tape)
    return state.tracing().later(_shaped_as_batch, (rows, target, source), {})


def _looped(tape: Any, target: Any, sources: list[Any], seeds: Any) -> list[Any]:
    """For each source its cotangents for all cotangents of the target, stacked by a loop of the function that is traced."""
    rows: list[Any] = state.tracing().map_rows(
        lambda seed: _asked_again(tape, target, sources, seed, UnconnectedGradients.ZERO), seeds
    )
    return rows


def _asked_again(
    tape: Any, target: Any, sources: Any, seed: Any = None, unconnected: Any = UnconnectedGradients.NONE
) -> list[Any]:
    """Dense gradients of a tape that is asked several times."""
    before, tape._persistent = tape._persistent, True
    mode, tape._on_none = tape._on_none, "none"
    try:
        found = tape.gradient(target, list(sources), seed, unconnected)
    finally:
        tape._persistent, tape._on_none = before, mode
    return [_dense(d) for d in found]


def _used(tape: Any) -> None:
    """A tape that is not persistent has been used."""
    if not tape._persistent:
        tape._consumed, tape._recording = tape._recording, None


def _identity_rows(target: Any) -> Any:
    """Rows of the identity in the shape of the target, one for each of its elements."""
    from gradtape.ops.diagonal import Diag  # few programs need it

    count, size = prod(dims(target)), dims(target)
    ones = REGISTRY["fill"](wrap(target.dtype.numpy.type(1)), shape=(count,))
    return REGISTRY["reshape"](Diag(ones, k=(0, 0), shape=(count, count)), shape=(count, *size))


def _feature_rows(target: Any) -> Any:
    """Cotangents of a batch, each of which selects one feature in every example."""
    from gradtape.ops.diagonal import Diag  # few programs need it

    batch, *features = dims(target)
    count = prod(features)
    ones = REGISTRY["fill"](wrap(target.dtype.numpy.type(1)), shape=(count,))
    rows = REGISTRY["reshape"](Diag(ones, k=(0, 0), shape=(count, count)), shape=(count, 1, *features))
    return REGISTRY["broadcast_to"](rows, shape=(count, batch, *features))


def _shaped_as(rows: Any, target: Any, source: Any) -> Any:
    return _as(source, REGISTRY["reshape"](rows, shape=dims(target) + dims(source)))


def _shaped_as_batch(rows: Any, target: Any, source: Any) -> Any:
    swapped = REGISTRY["transpose"](rows, perm=(1, 0, *range(2, rows.ndim)))
    return _as(source, REGISTRY["reshape"](swapped, shape=dims(target) + dims(source)[1:]))


def _begin(tape: Any, what: str, parallel_iterations: Any, use_pfor: bool) -> Recording:
    """The tape's recording, if what was asked for is possible."""
    recording: Recording | None = tape._recording
    if recording is None:
        raise tape._used_up()
    check_whole(recording)
    if not use_pfor and not tape._persistent and _current.trace is None:
        raise RuntimeError(
            f"GradientTape must be created with persistent=True to compute the {what} with eager execution enabled and "
            "with experimental_use_pfor set to False."
        )
    if use_pfor and parallel_iterations is not None:
        _check_parallel(tape, what, parallel_iterations)
    return recording


def _check_parallel(tape: Any, what: str, parallel_iterations: int) -> None:
    """TensorFlow's conditions on an argument that changes nothing here."""
    cause: Exception | None = None
    if parallel_iterations <= 1:
        cause = ValueError(f"Found `parallel_iterations == {parallel_iterations}`. Use `for_loop` instead.")
    elif not tape._persistent:
        cause = RuntimeError(
            f"GradientTape must be created with persistent=True to compute the {what} with parallel_iterations."
        )
    if isinstance(cause, RuntimeError) and what == "batch_jacobian":
        raise cause
    if cause is not None:
        raise ValueError(
            f"Encountered an exception while vectorizing the {what} computation. Vectorization can be disabled by "
            "setting experimental_use_pfor to False."
        ) from cause


def _identity(target: Any, start: int, stop: int) -> Any:
    """Rows of the identity, one for each element of the target."""
    size = tuple(target.shape)
    rows = np.eye(stop - start, prod(size), start, dtype=target.dtype.numpy, like=_like(target))
    return np.reshape(rows, (stop - start, *size))


def _features(target: Any, start: int, stop: int) -> Any:
    """Rows that select one feature in every example of the target."""
    batch, *features = tuple(target.shape)
    rows = np.eye(stop - start, prod(features), start, dtype=target.dtype.numpy, like=_like(target))
    # A copy rather than a view with a stride of 0, which BLAS does not take.
    return np.repeat(np.reshape(rows, (stop - start, 1, *features)), batch, axis=1)


def _like(target: Any) -> Any:
    array = innermost(target._value if isinstance(target, Variable) else target)
    return np.empty(0) if isinstance(array, (np.ndarray, np.generic)) else array


class _Rows:
    """The cotangents of sources for many cotangents of one target.

    Args:
      seeds: a function of (start, stop) that gives the cotangents of the target, of shape `[stop - start, *target.shape]`.
    """

    def __init__(
        self, tape: Any, recording: Recording, target: Any, sources: tuple[Any, ...], count: int,
        seeds: Callable[[int, int], Any],
    ) -> None:  # fmt: skip
        self.tape, self.recording, self.target, self.sources = tape, recording, target, sources
        self.count, self.seeds = count, seeds
        self.ids = [s._id for s in sources]
        self.arrays = nobody_records() and not recording.depth
        # Inside the maps that run around this, outside those that ran in what it differentiates.
        self.level = (_current.depth + floor(_current.depth) + 1) / 2

    def vectorised(self) -> list[Any]:
        """For each source all rows along a leading axis, or None."""
        if not self._connected():
            return self._nothing()
        size = self._chunk()
        bounds = [(i, min(i + size, self.count)) for i in range(0, self.count, size)] or [(0, 0)]
        # The rules of the user's code and of functions may turn out to need values; then the recording is read again.
        keep = any(REGISTRY.get(record[0].name) is not record[0] for record in self.recording.records)
        chunks = (((i, j), self._several(i, j, consume=j == self.count and not keep)) for i, j in bounds)
        try:
            results = _filled(chunks, self.count) if self.arrays and len(bounds) > 1 else _joined(chunks)
        except NeedsValueError as problem:
            if problem.level < self.level:  # blocks in the rows have higher levels
                raise
            return self.one_by_one()
        self._done()
        return results

    def one_by_one(self) -> list[Any]:
        """As `vectorised`, one row after the other."""
        if not self._connected():
            return self._nothing()
        if not self.count:
            return self.vectorised()
        rows = [self._one(i) for i in range(self.count)]
        self._done()
        stack = REGISTRY["stack"]
        return [None if column[0] is None else stack(*column, axis=0) for column in zip(*rows, strict=True)]

    def _connected(self) -> bool:
        target, recording = self.target, self.recording
        if not isinstance(target, (Tensor, Variable)) or not target.dtype.is_trainable:
            return False
        if isinstance(target, Variable) and target._trainable and recording.watch_accessed:
            return True
        return target._id in recording.tracked

    def _nothing(self) -> list[Any]:
        self._done()
        return [None] * len(self.sources)

    def _done(self) -> None:
        """A tape that is not persistent has been used."""
        tape = self.tape
        if not tape._persistent:
            self.recording.forget()
            tape._consumed, tape._recording = self.recording, None

    def _several(self, start: int, stop: int, consume: bool) -> list[Any]:
        seed = self.seeds(start, stop)
        cotangents = self._pass(batched(seed if self.arrays else wrap(seed), self.level), consume)
        return [self._rows(cotangents.get(i), stop - start) for i in self.ids]

    def _one(self, i: int) -> list[Any]:
        seed = self.seeds(i, i + 1)[0]
        cotangents = self._pass(seed if self.arrays else wrap(seed), False)
        return [_dense(cotangents.get(i)) for i in self.ids]

    def _pass(self, seed: Any, consume: bool) -> dict[int, Any]:
        cotangents = {self.target._id: seed}
        depth = _current.depth
        _current.depth = self.level
        try:
            if consume:
                self.tape._run(self.recording, cotangents, set(self.ids), self.arrays)
            else:
                backward(self.recording, cotangents, set(self.ids), consume=False, arrays=self.arrays)
        finally:
            _current.depth = depth
        return cotangents

    def _rows(self, d: Any, count: int) -> Any:
        """All rows of a cotangent; one that is the same for all is repeated."""
        d = _dense(d)
        if d is None:
            return None
        if isinstance(d, Batched) and d.level == self.level:
            return bare(d).value if self.arrays else d.full().value
        return REGISTRY["broadcast_to"](d, shape=(count, *d.shape))

    def _chunk(self) -> int:
        """How many rows fit in the memory budget."""
        row = _row_bytes(self.recording, live_identities(self.recording, set(self.ids)))
        return max(1, min(self.count, _memory // row if row else self.count))


def _row_bytes(recording: Recording, live: set[int]) -> int:
    """Bytes of the cotangents of one row: each value that the rules read and that leads to a source may have one."""
    total = 0
    for record, saved in zip(recording.records, recording.saved, strict=True):
        op, ids = record[0], record[1]
        for (base, suffix), value in zip(op.residuals, saved, strict=True):
            if base not in op.inputs or op.variadic or ids[op.inputs.index(base)] in live:
                total += _bytes(value) if not suffix else _bytes_of_shape(value) if suffix == "shape" else 0
    return total


def _bytes(saved: Any) -> int:
    if type(saved) is tuple:
        return sum([_bytes(s) for s in saved])
    return int(getattr(innermost(saved), "nbytes", 0))


def _bytes_of_shape(shape: Any) -> int:
    if shape and type(shape[0]) is tuple:
        return sum([_bytes_of_shape(s) for s in shape])
    return int(8 * prod(shape))


def _dense(d: Any) -> Any:
    return densify(d) if isinstance(d, IndexedSlices) else d


def _filled(chunks: Iterable[tuple[tuple[int, int], list[Any]]], count: int) -> list[Any]:
    """Chunks of rows, each put in its place in the result: arrays, of which no chunk is kept."""
    results: list[Any] = []
    for (start, stop), parts in chunks:
        if not results:
            results = [None if p is None else np.empty_like(p, shape=(count, *p.shape[1:])) for p in parts]
        for result, part in zip(results, parts, strict=True):
            if part is not None:
                result[start:stop] = part
    return results


def _joined(chunks: Iterable[tuple[tuple[int, int], list[Any]]]) -> list[Any]:
    """Chunks of rows, one after the other: tensors, recorded, or one chunk alone."""
    columns = zip(*[parts for _, parts in chunks], strict=True)
    concat = REGISTRY["concat"]
    return [parts[0] if parts[0] is None or len(parts) == 1 else concat(*parts, axis=0) for parts in columns]


def _as(source: Any, d: Any) -> Any:
    """A result as a tensor of the source's dtype."""
    d = d if isinstance(d, Tensor) else wrap(d)
    if d.dtype is not source.dtype:
        return REGISTRY["cast"](d, dtype=source.dtype)
    return d
