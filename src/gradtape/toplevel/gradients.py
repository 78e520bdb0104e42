"""tf.gradients and tf.hessians: derivatives in the graph of a function, without a tape."""

from __future__ import annotations

from typing import Any

from gradtape.core import dtypes, errors, nest, state
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.tracing.trace import Trace, UntrackedSource, current_trace
from gradtape.transform.batched import Batched
from gradtape.transform.gradient_arguments import UnconnectedGradients
from gradtape.transform.record import Recording
from gradtape.transform.tape import GradientTape


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """The derivatives of the sum of `ys` with respect to each of `xs`, inside a `tf.function`.

    Args:
      ys: a tensor, or a list of tensors.
      xs: a tensor or variable, or a list of them: arguments of the function, and what was computed from them.
      grad_ys: cotangents of `ys`; ones by default, and in place of None.
      name, gate_gradients, aggregation_method: ignored.
      stop_gradients: tensors that count as constants.
      unconnected_gradients: what there is for an `x` that the `ys` do not depend on: None, or zeros.

    Returns:
      A list of tensors or None.

    Raises:
      RuntimeError: outside of functions.

    >>> @tf.function
    ... def slope(x):
    ...     return tf.gradients(x**3, x)[0]
    >>> slope(tf.constant(2.0)).numpy()
    np.float32(12.0)
    """
    targets, sources = _listed(ys), _listed(xs)
    _check_real(targets, _listed(grad_ys) or [None] * len(targets))
    _leave_map([*targets, *sources])
    _track(sources)
    tape = _tape({t._id for t in _listed(stop_gradients)})
    if grad_ys is None:
        return list(tape.gradient(targets, sources, None, unconnected_gradients))
    given = _listed(grad_ys)
    seeds = [_ones(t) if d is None else _whole(d, t) for t, d in zip(targets, given, strict=True)]
    return list(tape.gradient(targets, sources, seeds, unconnected_gradients))


def _whole(cotangent: Any, target: Any) -> Any:
    """A cotangent that is given as rows, with the shape of its target."""
    if not isinstance(cotangent, IndexedSlices) or cotangent.dense_shape is not None:
        return cotangent
    shape = REGISTRY["shape_of"](target, dtype=dtypes.int32)
    return IndexedSlices(cotangent.values, cotangent.indices, shape)


def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "hessians"
) -> list[Any]:
    """The second derivatives of the sum of `ys` with respect to each of `xs`, inside a `tf.function`.

    Args:
      ys: a tensor, or a list of tensors.
      xs: a tensor or variable, or a list of them.
      gate_gradients, aggregation_method, name: ignored.

    Returns:
      For each `x` a tensor of shape `x.shape + x.shape`.

    Raises:
      RuntimeError: outside of functions.

    >>> @tf.function
    ... def curvature(x):
    ...     return tf.hessians(tf.reduce_sum(x**3), x)[0]
    >>> curvature(tf.constant([1.0, 2.0])).numpy()
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)
    """
    first = gradients(ys, xs)
    found = []
    for x, g in zip(_listed(xs), first, strict=True):
        found.append(None if g is None else _tape(set()).jacobian(g, x, UnconnectedGradients.ZERO))
    return found


def _check_real(targets: list[Any], cotangents: list[Any]) -> None:
    """TypeError for complex targets without a cotangent: ones would be a direction that nobody chose."""
    for y, dy in zip(targets, cotangents, strict=False):
        if dy is None and getattr(y, "dtype", None) is not None and y.dtype.is_complex:
            raise errors.build(
                TypeError,
                f"Gradients of complex tensors ({errors.brief(y)}) must set grad_ys (y.dtype = {y.dtype.name})",
                "give grad_ys, or differentiate tf.math.real(y) or tf.abs(y).",
            )


def _tape(stopped: set[int]) -> GradientTape:
    """A tape over all that the function has done so far."""
    trace = current_trace()
    if trace is None:
        raise RuntimeError(
            errors.compose(
                "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.",
                "with tf.GradientTape() as tape: ...; tape.gradient(ys, xs).",
                depth=2,
            )
        )
    tape = GradientTape(persistent=True)
    recording = _so_far(trace)
    tape._recording = _without(recording, stopped) if stopped else recording
    return tape


def _so_far(trace: Trace) -> Recording:
    """What the function has done so far, and what the functions around it did before."""
    own, outer = trace.recording, trace.outer
    if outer is None:
        return own
    before = _so_far(outer)
    found = _copied(own)
    found.records, found.saved = [*before.records, *own.records], [*before.saved, *own.saved]
    found.tracked, found.broken = {*before.tracked, *own.tracked}, before.broken | own.broken
    return found


def _leave_map(tensors: list[Any]) -> None:
    """Have a map in the function go from example to example: what the function has written down is of all examples at once."""
    trace = current_trace()
    for x in tensors:
        if trace is not None and isinstance(x, Batched) and x.level > trace.level:
            raise x.needs_value("tf.gradients")


def _track(sources: list[Any]) -> None:
    """Have a function traced again if a source is a constant or a captured tensor whose uses in it were not written down."""
    for x in sources:
        if type(x) is Tensor and x.dtype.is_trainable:
            for trace in _functions_that_use(x):
                if trace.tracks_constants is False and x._id not in trace.recording.tracked:
                    raise UntrackedSource(trace)


def _functions_that_use(x: Tensor) -> list[Trace]:
    """The functions being traced that may have computed with a tensor without a symbol: from the one that made it inwards."""
    found: list[Trace] = []
    trace = current_trace()
    while trace is not None:
        if not trace.is_block:
            found.insert(0, trace)
        if id(x) in trace.recording.made:
            break
        trace = trace.outer
    while trace is not None and trace.is_block:  # made in a block: the function around it can be traced again
        trace = trace.outer
        if trace is not None and not trace.is_block:
            found.insert(0, trace)
    return found


def _without(recording: Recording, stopped: set[int]) -> Recording:
    """A recording in which some values count as constants."""
    found = _copied(recording)
    kept = [i for i, r in enumerate(recording.records) if stopped.isdisjoint(r[2] if type(r[2]) is tuple else (r[2],))]
    found.records = [recording.records[i] for i in kept]
    found.saved = [recording.saved[i] for i in kept]
    return found


def _copied(recording: Recording) -> Recording:
    found = Recording(False)
    for slot in (*Recording.__slots__, "depth"):
        setattr(found, slot, getattr(recording, slot))
    return found


def _ones(target: Any) -> Any:
    value = target._read() if isinstance(target, Variable) else target
    return value.ones_like() if hasattr(value, "ones_like") else 1.0


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    found = nest.flatten(value)
    for x in found:
        if isinstance(x, Tensor) and not x._id:
            x._id = state.new_id()
    return found
