"""Quantiles of the normal distribution between two bounds: random numbers that follow their bounds smoothly."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.dtypes import as_dtype
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec, broadcast
from gradtape.ops.arithmetic import Abs
from gradtape.ops.cast import Cast
from gradtape.ops.exponential import Exp
from gradtape.ops.family import NO_LOWERING, align, unbroadcast
from gradtape.ops.selection import Where, number


@declare("truncated_normal_quantile")
class TruncatedNormalQuantile(Op):
    """The quantile at u of a standard normal number on the condition that it lies between low and high, elementwise.

    u is float64, for its digits in the tails; the result has the dtype of the bounds.
    """

    kinds = "fV"
    homogeneous = False
    elementwise = True
    validate = True
    lower = NO_LOWERING
    constants = {"u": "it is a random number, which depends on nothing"}

    def infer(self, u: Spec, low: Spec, high: Spec) -> Spec:
        if low.dtype is not high.dtype:
            raise self.error(
                errors.DTypeError, f"dtypes differ: low is {low}, high is {high}.", "give both bounds the same dtype."
            )
        self.check_dtypes(u, low, high)
        shape = broadcast(low.shape, high.shape)
        shape = None if shape is None else broadcast(u.shape, shape)
        if shape is None:
            raise self.error(
                errors.ShapeError,
                f"shapes do not broadcast: u is {u}, low is {low}, high is {high}.",
                "aligned from the right, dimensions must be equal or 1.",
            )
        return Spec(shape, low.dtype)

    def kernel(self, u: Any, low: Any, high: Any) -> Any:
        if np.any(low > high):
            raise self.error(
                errors.InvalidArgumentError,
                "the distribution is not defined for some of the bounds.",
                "minvals must not be above maxvals, and stddevs must be positive.",
            )
        return _quantile(*[x.astype(np.float64) for x in (u, low, high)]).astype(low.dtype)

    def vjp(self, dy: Any, u: Any, low: Any, high: Any, y: Any, *, needs: Any) -> Any:
        u = Cast(u, dtype=as_dtype(dy.dtype))
        return (
            None,
            unbroadcast(dy * ((1 - u) * _density_ratio(low, y)), low) if needs[1] else None,
            unbroadcast(dy * (u * _density_ratio(high, y)), high) if needs[2] else None,
        )

    def batch(self, batched: tuple[bool, ...], *inputs: Any) -> Any:
        return self(*align(batched, inputs))


def _density_ratio(bound: Any, y: Any) -> Any:
    """The density at a bound over that at y: how the quantile moves with the bound. No infinite bound moves it."""
    infinite = Abs(bound) == number(np.inf, bound)
    bound = Where(infinite, number(200, bound), bound)
    return Exp(0.5 * ((y - bound) * (y + bound)))


def _quantile(u: Any, low: Any, high: Any) -> Any:
    """On the side of the nearer tail and in logarithms, so that bounds far out keep their digits."""
    from scipy import special

    mirrored = low + high > 0
    left, right = np.where(mirrored, -high, low), np.where(mirrored, -low, high)
    # A u of zero stands for the numbers up to half the next one; it would be infinite without a bound.
    share = np.maximum(np.where(mirrored, 1.0 - u, u), 2.0**-54)
    top = special.log_ndtr(right)
    inside = top + np.log(share + (1.0 - share) * np.exp(special.log_ndtr(left) - top))
    y = np.clip(special.ndtri_exp(inside), left, right)
    return np.where(mirrored, -y, y)
