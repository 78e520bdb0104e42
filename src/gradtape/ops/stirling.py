"""Stirling's formula with its remainder: how densities with large parameters keep their digits.

After Loader, "Fast and accurate computation of binomial probabilities" (2000): the large terms of a log-density, which
nearly cancel, are gathered in a deviance that is small where the density is large.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_LARGE = 16.0


def remainder(a: Any) -> Any:
    """log(Gamma(a)) minus Stirling's (a - 1/2) log(a) - a + log(2 pi) / 2, for float64 a > 0."""
    from scipy import special

    large = np.maximum(a, _LARGE)
    series = 0.0 * large
    for coefficient in reversed(_SERIES):
        series = coefficient + series / (large * large)
    direct = special.gammaln(a) - (a - 0.5) * np.log(a) + a - 0.5 * math.log(2 * math.pi)
    return np.where(a > _LARGE, series / large, direct)


def deviance(a: Any, x: Any) -> Any:
    """x - a - a log(x / a), accurate where x is close to a."""
    u = (x - a) / a
    v = u / (2.0 + u)
    square = v * v
    series = 0.0 * u
    for k in range(12, 0, -1):
        series = (series + 1 / (2 * k + 1)) * square
    return np.where(np.abs(u) < 0.3, a * v * (u - 2.0 * series), x - a - a * np.log(x / a))
