"""Random numbers of the gamma distribution, differentiable with respect to its shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import declare
from gradtape.core.shape import Spec, broadcast
from gradtape.ops import rejection
from gradtape.ops.family import dims, unbroadcast
from gradtape.ops.gamma import RandomGammaSlope
from gradtape.ops.movement import BroadcastTo, Reshape
from gradtape.ops.random import FLOATS, Draw


class Parameterized(Draw):
    """Numbers of a shape, whose distribution has parameters that broadcast to the shape."""

    kinds = "fVi"
    homogeneous = False

    def drawn_shape(self, state: Spec, shape: tuple[int, ...], **parameters: Spec) -> tuple[int, ...]:
        """The shape of the result; raises if a parameter does not broadcast to it."""
        whole = self.check_state(state) + shape
        for name, spec in parameters.items():
            if broadcast(whole, spec.shape) != whole:
                raise self.error(
                    errors.ShapeError,
                    f"{name} is {spec}, which does not broadcast to the shape {list(whole)}.",
                    "the shape must end with that of the parameters.",
                )
        return whole

    def batch(self, batched: tuple[bool, ...], state: Any, *inputs: Any, shape: tuple[int, ...], **params: Any) -> Any:
        if not batched[0]:
            count = next(dims(x)[0] for flag, x in zip(batched[1:], inputs, strict=True) if flag)
            state = BroadcastTo(state, shape=(count, *dims(state)))
        rank = state.ndim - 2 + len(shape)
        aligned = []
        for flag, x in zip(batched[1:], inputs, strict=True):
            if flag and x.ndim - 1 < rank:
                own = dims(x)
                x = Reshape(x, shape=own[:1] + (1,) * (rank + 1 - x.ndim) + own[1:])
            aligned.append(x)
        return self(state, *aligned, shape=shape, **params)


@declare("random_gamma")
class RandomGamma(Parameterized):
    """Numbers of the gamma distribution with shape alpha and scale 1, in the dtype of alpha.

    The gradient is that of the quantile that was drawn (`RandomGammaSlope`), whatever algorithm drew it.
    """

    def infer(self, state: Spec, alpha: Spec, *, shape: tuple[int, ...]) -> Spec:
        self.check_output(alpha.dtype, tuple(FLOATS))
        return Spec(self.drawn_shape(state, shape, alpha=alpha), alpha.dtype)

    def kernel(self, state: Any, alpha: Any, *, shape: tuple[int, ...]) -> Any:
        drawn = rejection.draw(state, alpha, shape=shape, blocks=2, propose=_propose)
        return drawn.astype(alpha.dtype)

    def vjp(self, dy: Any, alpha: Any, y: Any) -> Any:
        return None, unbroadcast(-dy * RandomGammaSlope(alpha, y, order=1), alpha)


def _propose(words: list[Any], alpha: Any) -> tuple[Any, Any]:
    """Marsaglia and Tsang, "A simple method for generating gamma variables" (2000): the cube of a shifted normal
    number. Nineteen of twenty are accepted. Below 1, the shape is raised by one and the number times u**(1 / alpha)."""
    (first, second), (third, fourth) = words
    radius = np.sqrt(-2.0 * np.log(rejection.fraction(first)))
    normal = radius * np.cos(second.astype(np.int64).astype(np.float64) * (math.pi * 2.0**-63))
    low = alpha < 1.0
    d = np.where(low, alpha + 1.0, alpha) - 1.0 / 3.0
    v = 1.0 + normal / np.sqrt(9.0 * d)
    v = v * v * v
    limit = 0.5 * normal * normal + d * (1.0 - v + np.log(v))
    accepted = (v > 0) & (np.log(rejection.fraction(third)) < limit)
    raised = np.where(low, np.exp(np.log(rejection.fraction(fourth)) / alpha), 1.0)
    proper = (alpha >= 0) & np.isfinite(alpha)
    improper = np.where(alpha == np.inf, np.inf, np.nan)
    return np.where(proper, d * v * raised, improper), accepted | ~proper
