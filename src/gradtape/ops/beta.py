"""The regularised incomplete beta function."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec, broadcast
from gradtape.ops.arithmetic import MultiplyNoNan
from gradtape.ops.exponential import Log, Log1p
from gradtape.ops.family import NO_LOWERING, align, unbroadcast
from gradtape.ops.gamma import Digamma, Polygamma
from gradtape.ops.incomplete_beta import density, derivative
from gradtape.ops.no_nan_products import Xdivy
from gradtape.ops.selection import number
from gradtape.ops.special import in_float64, mixed_bell


class BetaFunction(Op):
    """A function of the two parameters of a beta distribution and of a number x, elementwise with broadcasting."""

    kinds = "fV"
    elementwise = True
    lower = NO_LOWERING
    inputs = ("a", "b", "x")

    def infer(self, a: Spec, b: Spec, x: Spec, **params: Any) -> Spec:
        dtype = self.check_dtypes(a, b, x)
        shape = broadcast(a.shape, b.shape)
        shape = None if shape is None else broadcast(shape, x.shape)
        if shape is None:
            raise self.error(
                errors.ShapeError,
                f"shapes do not broadcast: a is {a}, b is {b}, x is {x}.",
                "aligned from the right, dimensions must be equal or 1.",
            )
        return Spec(shape, dtype)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return self(*align(batched, inputs), **params)


@declare("betainc")
class Betainc(BetaFunction):
    """The regularised incomplete beta function I(a, b; x), elementwise: the distribution function of the beta
    distribution with parameters a and b at x."""

    def kernel(self, a: Any, b: Any, x: Any) -> Any:
        # SciPy's version for float32 has but a few digits.
        return in_float64(_betainc, a, b, x)

    def vjp(self, dy: Any, a: Any, b: Any, x: Any, *, needs: Any) -> Any:
        return (
            unbroadcast(dy * BetaincDerivative(a, b, x, order=(1, 0)), a) if needs[0] else None,
            unbroadcast(dy * BetaincDerivative(a, b, x, order=(0, 1)), b) if needs[1] else None,
            unbroadcast(dy * BetaDensity(a, b, x), x) if needs[2] else None,
        )


def _betainc(a: Any, b: Any, x: Any) -> Any:
    from scipy import special

    return special.betainc(a, b, x)


@declare("beta_density")
class BetaDensity(BetaFunction):
    """The density of the beta distribution with parameters a and b at x, elementwise."""

    def kernel(self, a: Any, b: Any, x: Any) -> Any:
        return in_float64(density, a, b, x)

    def vjp(self, dy: Any, a: Any, b: Any, x: Any, y: Any, *, needs: Any) -> Any:
        da = db = dx = None
        if needs[0] or needs[1]:
            by_a, by_b = _log_slopes(a, b, x, 1, 0), _log_slopes(a, b, x, 0, 1)
            da = unbroadcast(dy * MultiplyNoNan(by_a, y), a) if needs[0] else None
            db = unbroadcast(dy * MultiplyNoNan(by_b, y), b) if needs[1] else None
        if needs[2]:
            dx = unbroadcast(dy * MultiplyNoNan(Xdivy(a - 1, x) - Xdivy(b - 1, 1 - x), y), x)
        return da, db, dx


def _log_slopes(a: Any, b: Any, x: Any, i: int, j: int) -> Any:
    """The derivative of the logarithm of the density, `i` times by a and `j` times by b; written with ops."""
    total = _polygamma(i + j - 1, a + b)
    if not j:
        total = total - _polygamma(i - 1, a)
    if not i:
        total = total - _polygamma(j - 1, b)
    if (i, j) == (1, 0):
        return Log(x) + total
    return Log1p(-x) + total if (i, j) == (0, 1) else total


def _polygamma(order: int, x: Any) -> Any:
    return Polygamma(number(order, x), x) if order else Digamma(x)


@declare("betainc_derivative")
class BetaincDerivative(BetaFunction):
    """The derivative of I(a, b; x) with respect to a and b, as many times as the two numbers in `order` say."""

    def kernel(self, a: Any, b: Any, x: Any, *, order: tuple[int, int]) -> Any:
        return in_float64(derivative, a, b, x, order=order)

    def vjp(self, dy: Any, a: Any, b: Any, x: Any, *, order: tuple[int, int], needs: Any) -> Any:
        i, j = order
        dx = None
        if needs[2]:
            slope = mixed_bell(order, lambda k, l: _log_slopes(a, b, x, k, l))
            dx = unbroadcast(dy * MultiplyNoNan(slope, BetaDensity(a, b, x)), x)
        return (
            unbroadcast(dy * BetaincDerivative(a, b, x, order=(i + 1, j)), a) if needs[0] else None,
            unbroadcast(dy * BetaincDerivative(a, b, x, order=(i, j + 1)), b) if needs[1] else None,
            dx,
        )
