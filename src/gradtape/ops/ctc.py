"""The recursion over time of connectionist temporal classification, in logarithms, and its derivative.

States stand in a row; from one frame to the next a path stays, goes on by one state, or by two where that is allowed
(Graves et al., 2006). `ctc_alphas` adds up the probabilities of all paths to each state. Its derivative is a linear
recursion with weights, `ctc_scan`, whose derivative is a `ctc_scan` in the other direction: so all orders are there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.array_protocol import overridable
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec
from gradtape.ops.exponential import Exp
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.indexing import spread
from gradtape.ops.joining import Stack, Unstack
from gradtape.ops.movement import Transpose
from gradtape.ops.reduction import rounded, wide
from gradtape.ops.selection import Keep, Where, number
from gradtape.ops.slicing import Pad, StridedSlice

_STEPS = 3  # a path goes on by 0, 1 or 2 states


@declare("ctc_alphas")
class CtcAlphas(Op):
    """The logarithm of the sum of the probabilities of all paths to a state, `[time, ..., states]`.

    `emissions`, of the same shape, are logarithms of probabilities; `skips`, `[..., states]`, is true for states that may
    be reached from two states before. Paths start in one of the first two states. Unreachable states have -inf.
    """

    kinds = "fVb"
    homogeneous = False
    validate = True
    lower = NO_LOWERING

    def infer(self, emissions: Spec, skips: Spec) -> Spec:
        if emissions.dtype.kind not in "fV" or not skips.dtype.is_bool:
            raise self.error(
                errors.DTypeError,
                f"emissions is {emissions}, skips is {skips}: they must be floating and bool.",
                "use tf.cast.",
            )
        if emissions.rank < 2 or emissions.shape[1:] != skips.shape:
            raise self.error(
                errors.ShapeError,
                f"emissions is {emissions}, skips is {skips}: skips needs the shape of emissions without its first axis.",
                "give one truth value for each state.",
            )
        return emissions

    def kernel(self, emissions: Any, skips: Any) -> Any:
        return rounded(_log_forward(wide(emissions), skips), emissions.dtype)

    def vjp(self, dy: Any, emissions: Any, skips: Any, y: Any) -> Any:
        frames = dims(y)[0]
        reachable = y > number(-np.inf, y)
        if frames < 2:
            return Keep(dy, reachable), None
        now = Where(reachable, y, number(0, y))
        before = _earlier(_between(y, 0, frames - 1), -np.inf)
        gain = _between(emissions, 1, frames) - _between(now, 1, frames)
        # The share that each way into a state has in it.
        stay, step, jump = Unstack(Exp(before + gain), axis=0)
        weights = Stack(stay, step, Keep(jump, skips), axis=0)
        return Keep(CtcScan(dy, weights, reverse=True), reachable), None

    def batch(self, batched: tuple[bool, ...], *inputs: Any) -> Any:
        emissions, skips = spread(batched, *inputs)
        return _moved(self(_moved(emissions, 1), skips), 1)


@declare("ctc_scan")
class CtcScan(Op):
    """x, plus at each frame what weights carry over from the frame before: `y[t, s] = x[t, s] + sum over k of
    weights[k, t - 1, s] * y[t - 1, s - k]`; or, with `reverse`, the transpose of this map.

    x is `[time, ..., states]`, the weights `[3, time - 1, ..., states]`.
    """

    kinds = "fV"
    lower = NO_LOWERING

    def infer(self, x: Spec, weights: Spec, *, reverse: bool) -> Spec:
        if x.rank < 2 or weights.shape != (_STEPS, max(x.shape[0] - 1, 0), *x.shape[1:]):
            raise self.error(
                errors.ShapeError,
                f"x is {x}, weights is {weights}: x is [time, ..., states], weights [3, time - 1, ..., states]: these do not match.",
                "give three weights for each state and step.",
            )
        return Spec(x.shape, self.check_dtypes(x, weights))

    def kernel(self, x: Any, weights: Any, *, reverse: bool) -> Any:
        if weights.shape != (_STEPS, max(x.shape[0] - 1, 0), *x.shape[1:]):
            raise ValueError("shapes differ")
        scan = _linear_backward if reverse else _linear_forward
        return rounded(scan(wide(x), wide(weights)), x.dtype)

    def vjp(self, dy: Any, weights: Any, y: Any, *, reverse: bool, needs: Any) -> Any:
        dx = CtcScan(dy, weights, reverse=not reverse)
        if not needs[1]:
            return dx, None
        frames = dims(y)[0]
        first, second = (dx, y) if reverse else (y, dx)
        return dx, _earlier(_between(first, 0, max(frames - 1, 0)), 0) * _between(second, 1, frames)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, reverse: bool) -> Any:
        x, weights = spread(batched, *inputs)
        return _moved(self(_moved(x, 1), _moved(weights, 2), reverse=reverse), 1)


def _moved(x: Any, place: int) -> Any:
    """x with its first axis at another place: the batch runs beside the axes between time and states."""
    axes = list(range(1, x.ndim))
    axes.insert(place, 0)
    return Transpose(x, perm=tuple(axes))


def _between(x: Any, start: int, stop: int) -> Any:
    """Frames from start to stop."""
    return StridedSlice(x, index=((start, max(start, stop), 1),))


def _earlier(x: Any, value: float) -> Any:
    """x as it is, one state later and two states later, along a new first axis; filled up with a value."""
    *lead, states = dims(x)
    padded = Pad(x, paddings=(*[(0, 0)] * len(lead), (_STEPS - 1, 0)), mode="constant", value=value)
    whole = [(0, n, 1) for n in lead]
    parts = [StridedSlice(padded, index=(*whole, (k, k + states, 1))) for k in (2, 1, 0)]
    return Stack(*parts, axis=0)


@overridable
def _log_forward(emissions: Any, skips: Any) -> Any:
    result = np.full(emissions.shape, -np.inf, emissions.dtype)
    if not result.size:
        return result
    result[0, ..., :2] = emissions[0, ..., :2]
    states = emissions.shape[-1]
    padded = np.full((*emissions.shape[1:-1], states + 2), -np.inf, emissions.dtype)
    stay, step, jump = padded[..., 2:], padded[..., 1:-1], np.empty_like(padded[..., :-2])
    blocked = np.where(skips, 0, -np.inf).astype(emissions.dtype)
    lowest = np.finfo(emissions.dtype).min
    for t in range(1, len(result)):
        stay[...] = result[t - 1]
        np.add(padded[..., :-2], blocked, out=jump)
        top = np.maximum(np.maximum(stay, step), jump)
        # Where no path leads, the largest is -inf, and -inf - -inf would be nan.
        np.maximum(top, lowest, out=top)
        total = np.exp(stay - top)
        total += np.exp(step - top)
        total += np.exp(jump - top)
        np.log(total, out=total)
        total += top
        np.add(total, emissions[t], out=result[t])
    return result


@overridable
def _linear_forward(x: Any, weights: Any) -> Any:
    result = np.array(x)
    padded = np.zeros((*x.shape[1:-1], x.shape[-1] + 2), x.dtype)
    stay, step, jump = padded[..., 2:], padded[..., 1:-1], padded[..., :-2]
    for t in range(1, len(result)):
        stay[...] = result[t - 1]
        now, w = result[t], weights[:, t - 1]
        now += w[0] * stay
        now += w[1] * step
        now += w[2] * jump
    return result


@overridable
def _linear_backward(x: Any, weights: Any) -> Any:
    result = np.array(x)
    states = x.shape[-1]
    for t in range(len(result) - 2, -1, -1):
        now, later, w = result[t], result[t + 1], weights[:, t]
        for k in range(min(_STEPS, states)):
            now[..., : states - k] += (w[k] * later)[..., k:]
    return result
