"""The normalised sinc function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.family import NO_LOWERING, Unary
from gradtape.ops.special import in_float64


@declare("sinc")
class Sinc(Unary):
    """sin(pi x) / (pi x), elementwise, and 1 at 0; or its derivative of some order.

    The derivatives are computed as such, since quotients lose their digits near 0.
    """

    kinds = "fV"
    numpy = (np.sinc,)
    lower = NO_LOWERING

    def kernel(self, x: Any, *, order: int = 0) -> Any:
        return in_float64(_sinc, x, order=order)

    def vjp(self, dy: Any, x: Any, *, order: int = 0) -> Any:
        return (dy * Sinc(x, order=order + 1),)


def _sinc(x: Any, order: int) -> Any:
    """The power series near 0; elsewhere from z s(z) = sin(z), differentiated."""
    limit = max(1.0, order)
    z = math.pi * x
    near = np.abs(z) < limit
    small, large = np.where(near, z, 0.0), np.where(near, limit, z)
    series = 0.0 * z
    for k in range(3 * order + 12, (order - 1) // 2, -1):
        power = 2 * k - order
        factor = (-1.0) ** k / ((2 * k + 1) * math.factorial(power))
        series = series * (small * small) + factor
    if order % 2:
        series = series * small
    s = _shifted_sine(x, 0) / large
    for n in range(1, order + 1):
        s = (_shifted_sine(x, n) - n * s) / large
    return math.pi**order * np.where(near, series, np.where(np.isinf(x), 0.0, s))


def _shifted_sine(x: Any, quarters: int) -> Any:
    """sin(pi x + quarters pi / 2), where whole turns are taken away before pi makes them inexact."""
    angle = math.pi * (x - 2.0 * np.round(0.5 * x))
    y = np.cos(angle) if quarters % 2 else np.sin(angle)
    return -y if quarters % 4 >= 2 else y
