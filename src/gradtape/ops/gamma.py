"""The gamma function and its relatives: logarithm, derivatives, the zeta function, incomplete gamma functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.arithmetic import MultiplyNoNan
from gradtape.ops.exponential import Log
from gradtape.ops.family import unbroadcast
from gradtape.ops.incomplete_gamma import slope, weight
from gradtape.ops.no_nan_products import Xdivy
from gradtape.ops.selection import number
from gradtape.ops.special import SpecialFunction, SpecialPair, bell, evaluate, in_float64


@declare("lgamma")
class Lgamma(SpecialFunction):
    """The logarithm of the absolute value of the gamma function, elementwise."""

    function = "gammaln"

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * Digamma(x),)


@declare("digamma")
class Digamma(SpecialFunction):
    """The derivative of the logarithm of the gamma function, elementwise."""

    function = "digamma"

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * Polygamma(number(1, x), x),)


@declare("polygamma")
class Polygamma(SpecialPair):
    """The derivative of order a of the digamma function at x, elementwise; NaN where a is not a whole number >= 0."""

    constants = {"a": "the order of a derivative is a whole number"}

    def kernel(self, a: Any, x: Any) -> Any:
        return in_float64(_polygamma, a, x)

    def vjp(self, dy: Any, a: Any, x: Any) -> Any:
        return None, unbroadcast(dy * Polygamma(a + 1, x), x)


def _polygamma(a: Any, x: Any) -> Any:
    from scipy import special

    # The factorial overflows before its product with zeta does.
    size = np.where(
        a <= 170,
        special.gamma(a + 1) * special.zeta(a + 1, x),
        np.exp(special.gammaln(a + 1) + np.log(special.zeta(a + 1, x))),
    )
    whole = np.where(np.floor(a) == a, np.where(a % 2 == 0, -size, size), np.nan)
    return np.where(a == 0, special.digamma(x), np.where(a >= 0, whole, np.nan))


@declare("zeta")
class Zeta(SpecialPair):
    """The Hurwitz zeta function, elementwise: the sum of (q + n)**-x over n = 0, 1, 2, ..."""

    constants = {"x": "SciPy has no derivative of the zeta function with respect to its exponent, nor has TensorFlow"}

    def kernel(self, x: Any, q: Any) -> Any:
        return evaluate("zeta", x, q)

    def vjp(self, dy: Any, x: Any, q: Any) -> Any:
        return None, unbroadcast(dy * (-x * Zeta(x + 1, q)), q)


@declare("igamma")
class Igamma(SpecialPair):
    """The lower regularised incomplete gamma function P(a, x), elementwise: the distribution function of the gamma
    distribution with shape a."""

    def kernel(self, a: Any, x: Any) -> Any:
        return evaluate("gammainc", a, x)

    def vjp(self, dy: Any, a: Any, x: Any, *, needs: Any) -> Any:
        return (
            unbroadcast(dy * IgammaDerivative(a, x, order=1), a) if needs[0] else None,
            unbroadcast(dy * GammaDensity(a, x), x) if needs[1] else None,
        )


@declare("igammac")
class Igammac(SpecialPair):
    """The upper regularised incomplete gamma function Q(a, x) = 1 - P(a, x), elementwise; accurate where P is close to
    1."""

    def kernel(self, a: Any, x: Any) -> Any:
        return evaluate("gammaincc", a, x)

    def vjp(self, dy: Any, a: Any, x: Any, *, needs: Any) -> Any:
        return (
            unbroadcast(-dy * IgammaDerivative(a, x, order=1), a) if needs[0] else None,
            unbroadcast(-dy * GammaDensity(a, x), x) if needs[1] else None,
        )


@declare("gamma_density")
class GammaDensity(SpecialPair):
    """The density of the gamma distribution with shape a at x, elementwise: x**(a - 1) exp(-x) / Gamma(a)."""

    def kernel(self, a: Any, x: Any) -> Any:
        return in_float64(_density, a, x)

    def vjp(self, dy: Any, a: Any, x: Any, y: Any, *, needs: Any) -> Any:
        return (
            unbroadcast(dy * MultiplyNoNan(Log(x) - Digamma(a), y), a) if needs[0] else None,
            unbroadcast(dy * MultiplyNoNan(Xdivy(a - 1, x) - 1, y), x) if needs[1] else None,
        )


def _density(a: Any, x: Any) -> Any:
    at_zero = np.where(a < 1, np.inf, np.where(a == 1, 1.0, 0.0))
    inside = np.where(np.isfinite(x), weight(a, x) / x, 0.0)
    return np.where((x < 0) | ~(a > 0) | np.isnan(x), np.nan, np.where(x == 0, at_zero, inside))


@declare("igamma_derivative")
class IgammaDerivative(SpecialPair):
    """The derivative of P(a, x) with respect to a, `order` times, elementwise."""

    def kernel(self, a: Any, x: Any, *, order: int) -> Any:
        return in_float64(_derivative, a, x, order=order)

    def vjp(self, dy: Any, a: Any, x: Any, *, order: int, needs: Any) -> Any:
        da = dx = None
        if needs[0]:
            da = unbroadcast(dy * IgammaDerivative(a, x, order=order + 1), a)
        if needs[1]:
            dx = unbroadcast(dy * MultiplyNoNan(relative_slope(a, x, order), GammaDensity(a, x)), x)
        return da, dx


def _derivative(a: Any, x: Any, order: int) -> Any:
    on_edge = (a > 0) & ((x == 0) | (x == np.inf))
    return np.where(on_edge, 0.0, weight(a, x) * slope(a, x, order))


def relative_slope(a: Any, x: Any, order: int) -> Any:
    """The `order`-th derivative of the density with respect to a, over the density itself; written with ops."""
    slopes = [Log(x) - Digamma(a), *[-Polygamma(number(n, a), a) for n in range(1, order)]]
    return bell(slopes)


@declare("random_gamma_slope")
class RandomGammaSlope(SpecialPair):
    """The derivative of P(a, x) with respect to a, `order` times, over the density, elementwise.

    With order 1 and a minus sign, this is how a quantile of the gamma distribution moves with a: the derivative of a
    random number with respect to the parameter (Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients", 2018).
    """

    def kernel(self, a: Any, x: Any, *, order: int) -> Any:
        return in_float64(_quantile_slope, a, x, order=order)

    def vjp(self, dy: Any, a: Any, x: Any, y: Any, *, order: int, needs: Any) -> Any:
        da = dx = None
        if needs[0]:
            further = RandomGammaSlope(a, x, order=order + 1)
            da = unbroadcast(dy * (further - MultiplyNoNan(Log(x) - Digamma(a), y)), a)
        if needs[1]:
            bend = relative_slope(a, x, order) - y * (Xdivy(a - 1, x) - 1)
            dx = unbroadcast(dy * bend, x)
        return da, dx


def _quantile_slope(a: Any, x: Any, order: int) -> Any:
    # A number that has underflowed to zero stays there.
    return np.where((x == 0) & (a > 0), 0.0, x * slope(a, x, order))
