"""Bessel functions of whole orders, elementwise.

An order is a parameter, so that derivatives, which lead to neighbouring orders, stay within one op and are as accurate
as SciPy's functions, at 0 and far out alike. The exponentially scaled functions have moments of their own instead: the
differences between neighbouring orders would lose all digits where x is large.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.arithmetic import Sign
from gradtape.ops.family import NO_LOWERING, Unary
from gradtape.ops.special import evaluate, in_float64


class Bessel(Unary):
    """A Bessel function of a whole order: `first` are SciPy's names of orders 0 and 1, `general` is that of the rest."""

    kinds = "fV"
    lower = NO_LOWERING
    first: ClassVar[tuple[str, str]]
    general: ClassVar[str] = ""

    def kernel(self, x: Any, *, order: int) -> Any:
        if order < 2:
            return evaluate(self.first[order], x)
        return in_float64(_of_order, x, name=self.general, order=order)


def _of_order(x: Any, name: str, order: int) -> Any:
    from scipy import special

    return getattr(special, name)(order, x)


@declare("bessel_i")
class BesselI(Bessel):
    """The modified Bessel function of the first kind."""

    first = ("i0", "i1")
    general = "iv"

    def vjp(self, dy: Any, x: Any, *, order: int) -> Any:
        if not order:
            return (dy * BesselI(x, order=1),)
        return (dy * (0.5 * BesselI(x, order=order - 1) + 0.5 * BesselI(x, order=order + 1)),)


@declare("bessel_j")
class BesselJ(Bessel):
    """The Bessel function of the first kind."""

    first = ("j0", "j1")
    general = "jv"

    def vjp(self, dy: Any, x: Any, *, order: int) -> Any:
        if not order:
            return (-dy * BesselJ(x, order=1),)
        return (dy * (0.5 * (BesselJ(x, order=order - 1) - BesselJ(x, order=order + 1))),)


@declare("bessel_k")
class BesselK(Bessel):
    """The modified Bessel function of the second kind."""

    first = ("k0", "k1")
    general = "kn"

    def vjp(self, dy: Any, x: Any, *, order: int) -> Any:
        if not order:
            return (-dy * BesselK(x, order=1),)
        return (-dy * (0.5 * BesselK(x, order=order - 1) + 0.5 * BesselK(x, order=order + 1)),)


@declare("bessel_y")
class BesselY(Bessel):
    """The Bessel function of the second kind."""

    first = ("y0", "y1")
    general = "yn"

    def vjp(self, dy: Any, x: Any, *, order: int) -> Any:
        if not order:
            return (-dy * BesselY(x, order=1),)
        return (dy * (0.5 * (BesselY(x, order=order - 1) - BesselY(x, order=order + 1))),)


@declare("bessel_ie")
class BesselIe(Bessel):
    """The modified Bessel function of the first kind times exp(-|x|), of order 0 or 1. The kink at 0 has slope 0."""

    first = ("i0e", "i1e")

    def vjp(self, dy: Any, x: Any, *, order: int) -> Any:
        slope = BesselIMoment(x, order=1)
        return (-dy * (Sign(x) * slope),) if not order else (dy * (BesselIMoment(x, order=2) - slope),)


@declare("bessel_ke")
class BesselKe(Bessel):
    """The modified Bessel function of the second kind times exp(x), of order 0 or 1."""

    first = ("k0e", "k1e")

    def vjp(self, dy: Any, x: Any, *, order: int) -> Any:
        slope = BesselKMoment(x, order=1)
        return (-dy * slope,) if not order else (-dy * (slope + BesselKMoment(x, order=2)),)


class Moment(Unary):
    """An integral of exp(-x t) over a measure in t >= 0, times t**order: minus its derivative is the next order."""

    kinds = "fV"
    lower = NO_LOWERING
    integral: ClassVar[Callable[..., Any]]

    def kernel(self, x: Any, *, order: int) -> Any:
        return in_float64(type(self).integral, x, order=order)


def _moment_on_circle(x: Any, order: int) -> Any:
    """The mean over a circle of exp(-|x| t) t**order, where t = 1 - cos(angle)."""
    x = np.abs(x)
    near, far = np.minimum(x, _FAR), np.maximum(x, _FAR)
    # The trapezoidal rule for a periodic function: more points than the function has frequencies.
    total = 0.0 * near
    for k in range(1, _POINTS + 1):
        t = 1.0 - math.cos(math.pi * k / _POINTS)
        share = (0.5 if k == _POINTS else 1.0) * t**order
        total = total + share * np.exp(-t * near)
    if not order:
        total = total + 0.5
    # The asymptotic series of the confluent hypergeometric function 1F1(order + 1/2; order + 1; -2 x).
    a, z = order + 0.5, 2.0 * far
    term = math.gamma(a) * 2.0**order / math.pi / z**a
    series = term
    for k in range(30):
        term = term * ((a + k) * (k + 0.5) / (k + 1.0)) / z
        series = series + term
    return np.where(x < _FAR, total / _POINTS, series)


_FAR, _POINTS = 30.0, 40


def _moment_on_hyperbola(x: Any, order: int) -> Any:
    """The integral over u >= 0 of exp(-x t) t**order, where t = cosh(u) - 1."""
    from scipy import special

    # Powers of t are sums of cosh(j u), whose integrals are the functions themselves. Where x is small one prevails.
    near = np.minimum(x, 2.0)
    total = 0.0 * near
    for j in range(order + 1):
        share = math.comb(2 * order, order - j) * (-1.0) ** (order - j) * (2.0 if j else 1.0) / 2.0**order
        total = total + share * special.kve(j, near)
    # Elsewhere, the trapezoidal rule in w = sqrt(x t), in which the integrand is a Gaussian times a smooth function.
    far = np.maximum(x, 2.0)
    series = 0.0 * far + (0.5 if not order else 0.0)
    for k in range(1, 30):
        square = (0.25 * k) ** 2
        series = series + math.exp(-square) * square**order / np.sqrt(1.0 + square / (2.0 * far))
    return np.where(x < 2.0, total, series * 0.25 * np.sqrt(2.0) / (far**order * np.sqrt(far)))


@declare("bessel_i_moment")
class BesselIMoment(Moment):
    """The mean over a circle of exp(-|x| t) t**order, where t = 1 - cos(angle); of order 0 it is `bessel_i0e`."""

    integral = _moment_on_circle

    def vjp(self, dy: Any, x: Any, *, order: int) -> Any:
        return (-dy * (Sign(x) * BesselIMoment(x, order=order + 1)),)


@declare("bessel_k_moment")
class BesselKMoment(Moment):
    """The integral over u >= 0 of exp(-x t) t**order, where t = cosh(u) - 1; of order 0 it is `bessel_k0e`."""

    integral = _moment_on_hyperbola

    def vjp(self, dy: Any, x: Any, *, order: int) -> Any:
        return (-dy * BesselKMoment(x, order=order + 1),)
