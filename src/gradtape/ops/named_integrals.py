"""Integrals that have names: Dawson's, the exponential and Fresnel's integrals, the dilogarithm; elementwise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.accumulation_dtype import is_narrow
from gradtape.ops.exponential import Exp
from gradtape.ops.rounding import Round
from gradtape.ops.special import SpecialFunction, evaluate, in_float64
from gradtape.ops.trigonometric import Cos, Sin


@declare("dawsn")
class Dawsn(SpecialFunction):
    """Dawson's integral exp(-x**2) * integral of exp(t**2) from 0 to x, or its derivative of some order."""

    def kernel(self, x: Any, *, order: int = 0) -> Any:
        return in_float64(_dawsn_derivative, x, order=order) if order else evaluate("dawsn", x)

    def vjp(self, dy: Any, x: Any, *, order: int = 0) -> Any:
        return (dy * Dawsn(x, order=order + 1),)


def _dawsn_derivative(x: Any, order: int) -> Any:
    """By D' = 1 - 2 x D and its derivatives; where |x| is large these cancel, and there by the asymptotic series."""
    from scipy import special

    size = np.abs(x)
    near, far = np.minimum(size, 6.5), np.maximum(size, 6.5)
    before, current = special.dawsn(near), 1.0 - 2.0 * near * special.dawsn(near)
    for n in range(1, order):
        before, current = current, -2.0 * n * before - 2.0 * near * current
    inverse = 1.0 / (2.0 * far * far)
    term = 0.5 * (-1.0) ** order * math.factorial(order) / far ** (order + 1)
    series = term
    for k in range(25):
        rising = (2 * k + 1 + order) * (2 * k + 2 + order) / (2 * k + 2)
        term = term * rising * inverse
        series = series + term
    y = np.where(size < 6.5, current, series)
    return y if order % 2 else y * np.sign(x)


@declare("expint")
class Expint(SpecialFunction):
    """The exponential integral Ei(x): the principal value of the integral of exp(t) / t from minus infinity to x."""

    function = "expi"

    def vjp(self, dy: Any, x: Any) -> Any:
        # In two halves, since exp(x) overflows before exp(x) / x does.
        half = Exp(0.5 * x)
        return (dy * (half * (half / x)),)


class Fresnel(SpecialFunction):
    """One of the two Fresnel integrals, which SciPy computes together: `part` is its place there."""

    part = 0

    def kernel(self, x: Any) -> Any:
        from scipy import special

        if is_narrow(x):
            return special.fresnel(x.astype(np.float32))[self.part].astype(x.dtype)
        return special.fresnel(x)[self.part]


@declare("fresnel_sin")
class FresnelSin(Fresnel):
    """The Fresnel integral of sin(pi t**2 / 2) from 0 to x."""

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * Sin(_phase(x)),)


@declare("fresnel_cos")
class FresnelCos(Fresnel):
    """The Fresnel integral of cos(pi t**2 / 2) from 0 to x."""

    part = 1

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * Cos(_phase(x)),)


def _phase(x: Any) -> Any:
    """pi x**2 / 2 up to whole turns: the square of the nearest even number is left out, with its rounding errors."""
    even = 2.0 * Round(0.5 * x)
    return (math.pi / 2) * ((x - even) * (x + even))


@declare("spence")
class Spence(SpecialFunction):
    """Spence's integral, the dilogarithm of 1 - x: the integral of log(t) / (1 - t) from 1 to x."""

    function = "spence"

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * SpenceSlope(x, order=0),)


@declare("spence_slope")
class SpenceSlope(SpecialFunction):
    """log(x) / (1 - x), or its derivative of some order; the gap at 1 is filled."""

    def kernel(self, x: Any, *, order: int) -> Any:  # type: ignore[override]
        return in_float64(_log_quotient, x, order=order)

    def vjp(self, dy: Any, x: Any, *, order: int) -> Any:
        return (dy * SpenceSlope(x, order=order + 1),)


def _log_quotient(x: Any, order: int) -> Any:
    u = x - 1.0
    close = np.abs(u) < 0.25
    # The power series of -log(1 + u) / u.
    small = np.where(close, u, 0.0)
    series = 0.0 * u
    for k in range(order + 40, order - 1, -1):
        series = series * small - (-1.0) ** k * math.perm(k, order) / (k + 1)
    # Elsewhere from (1 - x) g = log(x), differentiated.
    other = np.where(close, 2.0, x)
    g = np.log(other) / (1.0 - other)
    for n in range(1, order + 1):
        g = (n * g + (-1.0) ** (n - 1) * math.factorial(n - 1) / other**n) / (1.0 - other)
    return np.where(close, series, g)
