"""ForwardAccumulator: forward mode. Tangents are pushed through each op as it runs.

An op has no rule for tangents. Its vjp is a linear function of `dy`, so the vjp of that function, applied to the
tangents of the inputs, is the tangent of the output: the transpose of the transpose. For elementwise ops of real values
the derivative is a diagonal, which is its own transpose, and one vjp is enough.

What an accumulator computes is seen by the tapes and accumulators that were entered before it, so that nesting them in
any order gives higher derivatives.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any

import numpy as np

from gradtape.core import convert, errors, log, nest, provenance, state
from gradtape.core.indexed_slices import IndexedSlices, densify
from gradtape.core.op import REGISTRY, Op
from gradtape.core.recorder import Recorder
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.ops.family import dims
from gradtape.transform.backward import as_result, backward, bare, nobody_records, restore
from gradtape.transform.gradient_arguments import UnconnectedGradients, zeros_like
from gradtape.transform.record import Recording

_current = state.current


class ForwardAccumulator:
    """Computes Jacobian-vector products along with the program, without recording it.

    Good for functions of few inputs, for products with a Hessian (around a `GradientTape`), and where memory is short:
    nothing is kept but the tangents of tensors that are still in use.

    Args:
      primals: tensors or variables, in any nested structure.
      tangents: the direction, in the same structure.

    >>> x = tf.constant([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    ...     y = x * x
    >>> acc.jvp(y)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([4., 0.], dtype=float32)>
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents)
        self._pushforward = Pushforward()
        self._recording = False
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            if getattr(primal, "_id", 0) in self._pushforward.tangents:
                raise ValueError(
                    errors.compose(
                        f"Tensor {primal!r} was specified as a primal multiple times; each primal must be unique.",
                        "give it once, with the sum of the tangents if that was intended.",
                    )
                )
            self._watch(primal, tangent)

    def _watch(self, primal: Any, tangent: Any) -> None:
        """Give a tensor or variable a tangent, in addition to the one that it has."""
        if not isinstance(primal, (Tensor, Variable)):
            raise errors.AttributeTypeError(
                errors.compose(
                    f"ForwardAccumulator: primals must be tensors or variables, got {errors.brief(primal)}.",
                    "make it x = tf.constant(value) or tf.Variable(value) first.",
                )
            )
        if not primal.dtype.is_floating:
            _warn_dtype(primal.dtype.name)
        tangent = convert.convert_to_tensor(tangent, primal.dtype)
        identity = primal._id or _name(primal)
        known = self._pushforward.tangents.get(identity)
        self._pushforward.tangents[identity] = tangent if known is None else known + tangent
        if type(primal) is Tensor:
            self._pushforward._guard(primal, alone=True)

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._pushforward.depth = _current.depth
        _current.recorders = (*_current.recorders, self._pushforward)
        self._recording = True
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        old, recorders = self._pushforward, _current.recorders
        self._recording = False
        if old in recorders:
            _current.recorders = tuple([r for r in recorders if r is not old])
            return
        self._pushforward = old.moved()
        raise RuntimeError(
            errors.compose(
                "ForwardAccumulator: cannot be left in another thread than the one that entered it.",
                "enter and leave an accumulator in one thread; jvp() may be called from any.",
            )
        )

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The Jacobian-vector products of tensors computed in the block; a lookup, which can be repeated.

        Args:
          primals: tensors or variables, in any nested structure; the result has the same.
          unconnected_gradients: `"none"` or `"zero"` for tensors that do not depend on the accumulator's primals.
        """
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        return nest.map_structure(lambda t: self._fetch(t, zero), primals)

    def _fetch(self, tensor: Any, zero: bool) -> Any:
        if isinstance(tensor, IndexedSlices):
            rows = self._fetch(tensor.values, zero)
            return None if rows is None else IndexedSlices(rows, tensor.indices, tensor.dense_shape)
        if not hasattr(tensor, "_id"):
            raise errors.AttributeTypeError(
                errors.compose(
                    f"ForwardAccumulator.jvp: primals must be tensors or variables, got {errors.brief(tensor)}.",
                    "pass what was computed inside of the accumulator, for instance acc.jvp(y).",
                )
            )
        found = self._pushforward.tangents.get(tensor._id)
        return zeros_like(tensor) if found is None and zero else found


_SPARE = 64  # guards of tensors that are gone, before they are looked for


class Pushforward(Recorder):
    """What stands on the thread's list of recorders for an accumulator.

    Attributes:
      tangents: by identity of the tensor or variable.
      guards: weak references that drop a tangent when its tensor is no longer in use.
    """

    __slots__ = ("__weakref__", "guards", "tangents")

    def __init__(self) -> None:
        self.tangents: dict[int, Any] = {}
        self.guards: dict[int, Any] = {}
        self.depth = 0.0
        self.closed = False

    def see(self, op: Op, ids: tuple[int, ...], values: Any, params: dict[str, Any], outputs: Any, result: Any) -> None:
        """Push tangents through an op that has just run, if an input has one."""
        tangents = self.tangents
        for i in ids:
            if i in tangents:
                break
        else:
            return
        several = outputs if type(outputs) is tuple else (outputs,)
        if not op.differentiable or not any(y.dtype.is_trainable for y in several):
            return
        if any(y._id in tangents for y in several):
            return  # The ops inside a custom gradient were seen: their derivative is the one that counts.
        recorders = _current.recorders
        alone = self in recorders
        _current.recorders = () if alone else recorders
        try:
            out = tuple([y._id or _name(y) for y in several])
            given = [self._tangent(i, v) for i, v in zip(ids, values, strict=True)]
            residuals = restore(op, op.save(values, result), ids, out[0] if several is not outputs else out)
            pushed = _push(op, residuals, given, values, params, outputs)
        finally:
            _current.recorders = recorders
        for y, d in zip(several, pushed, strict=True):
            if d is not None:
                tangents[y._id] = d
                self._guard(y, alone)
        if not alone:
            self._keep_saved(ids, values)

    def concerns(self, ids: tuple[int, ...]) -> bool:
        """True if an input has a tangent."""
        return any(i in self.tangents for i in ids)

    def _tangent(self, identity: int, value: Any) -> Any:
        found = self.tangents.get(identity)
        if found is None or not found.dtype.is_trainable:
            return None
        own, wanted = _sizes(found), _sizes(value)
        if own == wanted:
            return found
        if None in wanted:
            return found + value.zeros_like()
        return REGISTRY["broadcast_to"](found, shape=wanted)

    def _guard(self, y: Tensor, alone: bool) -> None:
        """Drop the tangent when nobody can ask for it any more: neither the user, nor a tape that saved the array."""
        held = y._array if type(y) is Tensor else y
        if not isinstance(held, (np.ndarray, Tensor)):
            if not alone:
                return
            held = y
        self.guards[y._id] = weakref.ref(held, functools.partial(self.tangents.pop, y._id))
        if len(self.guards) > _SPARE + 2 * len(self.tangents):
            self.guards = {i: guard for i, guard in self.guards.items() if guard() is not None}

    def _keep_saved(self, ids: tuple[int, ...], values: Any) -> None:
        """Scalars and foreign arrays have no weak references. Where a tape may have saved one, its tangent stays."""
        for i, v in zip(ids, values, strict=True):
            if not isinstance(v, (np.ndarray, Tensor)):
                self.guards.pop(i, None)

    def moved(self) -> Pushforward:
        """A copy that the thread which still lists this one cannot reach."""
        copied = Pushforward()
        copied.tangents, self.tangents = self.tangents, {}
        self.closed = True
        return copied


def _push(op: Op, residuals: Any, given: list[Any], values: Any, params: dict[str, Any], outputs: Any) -> Any:
    """The tangents of the outputs, None where there is none."""
    if op.elementwise and _is_diagonal(given, values, outputs):
        return [_diagonal(op, residuals, given, params)]
    return _transposed(op, residuals, given, params, outputs)


def _is_diagonal(given: list[Any], values: Any, y: Any) -> bool:
    """True if an elementwise op was not broadcast, nor changed the dtype, and its values are real."""
    dtype = y.dtype
    if dtype.is_complex or (len(values) > 1 and None in _sizes(y)):
        return False
    shape = _sizes(y)
    return all(t is None or (_sizes(v) == shape and t.dtype is dtype) for t, v in zip(given, values, strict=True))


def _diagonal(op: Op, residuals: Any, given: list[Any], params: dict[str, Any]) -> Any:
    total = None
    for k, t in enumerate(given):
        if t is not None:
            d = op.pull(t, residuals, [i == k for i in range(len(given))], params)[k]
            total = d if total is None or d is None else total + d
    return total


def _transposed(op: Op, residuals: Any, given: list[Any], params: dict[str, Any], outputs: Any) -> Any:
    """The vjp of the vjp: what it does to cotangents is recorded, and differentiated with respect to them.

    An output that depends on other inputs only, or on none but with those of a loop, has a tangent of zeros; others that depend on none
    have no tangent.
    """
    several = outputs if type(outputs) is tuple else (outputs,)
    cotangents, found = _pulled_back(op, residuals, given, params, outputs)
    if all(u._id in found for u, y in zip(cotangents, several, strict=True) if y.dtype.is_trainable):
        return [as_result(found[u._id]) if u._id in found else None for u in cotangents]
    others = [t if t is not None else "any" for t in given]
    again, reached = _pulled_back(op, residuals, others, params, outputs)
    told = op.touches([t is not None for t in given], params) or [False] * len(several)
    return [
        as_result(found[u._id])
        if u._id in found
        else u
        if v._id in reached or (flag and u.dtype.is_trainable)
        else None
        for u, v, flag in zip(cotangents, again, told, strict=True)
    ]


def _pulled_back(op: Op, residuals: Any, given: list[Any], params: dict[str, Any], outputs: Any) -> Any:
    """Zeros as cotangents of the outputs, and what the tangents of the inputs (zeros for "any") give for them, by identity."""
    recording = Recording(False)
    several = outputs if type(outputs) is tuple else (outputs,)
    cotangents = [wrap(np.zeros_like(y._array)[()]) if type(y) is Tensor else y.zeros_like() for y in several]
    for u, y in zip(cotangents, several, strict=True):
        if y.dtype.is_trainable:
            recording.watch_tensor(u)
    recorders = _current.recorders
    _current.recorders = (*recorders, recording)
    try:
        dy = tuple(cotangents) if type(outputs) is tuple else cotangents[0]
        grads = op.pull(dy, residuals, [t is not None for t in given], params)
        grads = [densify(g) if isinstance(g, IndexedSlices) else g for g in grads]
    finally:
        _current.recorders = recorders
    pairs = [(g, t) for g, t in zip(grads, given, strict=True) if g is not None and t is not None]
    if not pairs:
        return cotangents, {}
    pairs = [(g, g * 0 if isinstance(t, str) else t) for g, t in pairs]
    arrays = nobody_records() and not recording.depth
    seeds: dict[int, Any] = {}
    for g, t in pairs:
        identity = getattr(g, "_id", 0)
        before = seeds.get(identity)
        t = bare(t) if arrays else t
        seeds[identity] = t if before is None else before + t
    found = backward(recording, seeds, {u._id for u in cotangents}, consume=True, arrays=arrays)
    # A tangent is never rows: the transpose of a scatter gives them.
    return cotangents, {i: densify(d) if isinstance(d, IndexedSlices) else d for i, d in found.items()}


def _sizes(x: Any) -> tuple[int, ...]:
    """The shape as a tuple; None stands for what is known only when a function runs."""
    return dims(x) if type(x) is Tensor or not isinstance(x, Tensor) else spec_of(x).shape


def _name(tensor: Any) -> int:
    tensor._id = state.new_id()
    result: int = tensor._id
    return result


_warned: dict[Any, int] = {}


def _warn_dtype(name: str) -> None:
    site = provenance.user_site(3)
    count = _warned[site] = _warned.get(site, 0) + 1
    if count <= 5:
        log.warning(
            "The dtype of the watched primal must be floating (e.g. tf.float32), got tf.%s\n  at:  %s\n  fix: %s",
            name,
            site or "unknown",
            "make it with floats, tf.constant(1.0), or convert it before: tf.cast(x, tf.float32).",
        )
