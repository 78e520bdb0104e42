"""The density of the beta distribution and the derivatives of its distribution function with respect to its parameters.

The derivatives are integrals of the derivatives of the density from the nearer end, in the log-odds u = log(t / (1 - t)),
where the density is log-concave for all parameters. It falls like exp(a u) and exp(-b u) at the ends, and bends within
a few units of u = 0; u = sinh(v) brings both scales together, and a Gauss-Legendre rule over the support in v does
the rest.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core.array_protocol import overridable
from gradtape.ops.incomplete_gamma import PART, gauss
from gradtape.ops.special import mixed_bell
from gradtape.ops.stirling import deviance, remainder

# The integrals end where the density has fallen by exp(-46), some digits below the last one that counts.
_DEPTH = 46.0
# Nodes of the rule, for intervals in v up to a length and beyond.
_NARROW, _FEW_NODES, _NODES = 6.0, 48, 160
_STEPS = 20


def density(a: Any, b: Any, x: Any) -> Any:
    """x**(a - 1) (1 - x)**(b - 1) / B(a, b) for float64."""
    inside = weight(a, b, x) / (x * (1.0 - x))
    left = np.where(a < 1, np.inf, np.where(a == 1, b, 0.0))
    right = np.where(b < 1, np.inf, np.where(b == 1, a, 0.0))
    y = np.where(x == 0, left, np.where(x == 1, right, inside))
    return np.where((x >= 0) & (x <= 1) & (a > 0) & (b > 0), y, np.nan)


def weight(a: Any, b: Any, x: Any) -> Any:
    """x**a (1 - x)**b / B(a, b) for float64, with all its digits for large parameters too."""
    n = a + b
    scale = np.sqrt(a / n * b / (2 * math.pi)) * np.exp(remainder(n) - remainder(a) - remainder(b))
    return scale * np.exp(-deviance(a, n * x) - deviance(b, n * (1.0 - x)))


@overridable
def derivative(a: Any, b: Any, x: Any, order: tuple[int, int]) -> Any:
    """The derivative of I(a, b; x) for float64, `order` times by a and by b; NaN outside of its domain."""
    a, b, x = np.broadcast_arrays(a, b, x)
    result = np.full(a.size, np.nan)
    shape, (a, b, x) = a.shape, (np.ravel(v) for v in (a, b, x))
    for first in range(0, a.size, PART):
        part = slice(first, first + PART)
        _fill(result[part], a[part], b[part], x[part], order)
    return np.reshape(result, shape)[()]


def _fill(result: Any, a: Any, b: Any, x: Any, order: tuple[int, int]) -> None:
    valid = (a > 0) & (b > 0) & np.isfinite(a) & np.isfinite(b)
    result[valid & ((x == 0) | (x == 1))] = 0.0
    valid &= (x > 0) & (x < 1)
    low = valid & (x <= a / (a + b))
    if np.any(low):
        p, q, t = a[low], b[low], x[low]
        result[low] = weight(p, q, t) * _integral(p, q, t, 1.0 - t, order)
    high = valid & ~low
    if np.any(high):
        # The integral over everything is 1, and its derivatives are 0.
        p, q, t = a[high], b[high], x[high]
        result[high] = -weight(p, q, t) * _integral(q, p, 1.0 - t, t, order[::-1])


def _integral(a: Any, b: Any, x: Any, rest: Any, order: tuple[int, int]) -> Any:
    """The integral of the density's derivative from 0 to x over the weight at x, where x <= a / (a + b) and `rest` is
    1 - x."""
    start = np.log(x) - np.log(rest)
    end = start - _support(a, a + b, x, rest)
    begin, width = np.arcsinh(start), np.arcsinh(start) - np.arcsinh(end)
    result = np.empty_like(a)
    narrow = width <= _NARROW
    for group, count in ((narrow, _FEW_NODES), (~narrow, _NODES)):
        if np.any(group):
            slopes = _Slopes(a[group], b[group], x[group], rest[group])
            result[group] = _sum(slopes, begin[group], width[group], order, count) * width[group]
    return result


def _sum(slopes: _Slopes, begin: Any, width: Any, order: tuple[int, int], count: int) -> Any:
    total = 0.0 * width
    for nodes, shares in gauss(count):
        v = begin - width * nodes
        density, slope = slopes.at(np.sinh(v))
        for part in shares * np.cosh(v) * density * mixed_bell(order, slope):
            total += part
    return total


class _Slopes:
    """The density, relative to that at x, and the derivatives of its logarithm by a and b, as functions of the log-odds."""

    def __init__(self, a: Any, b: Any, x: Any, rest: Any) -> None:
        from scipy import special

        n = a + b
        self.a, self.n, self.x, self.rest = a, n, x, rest
        self.start = np.log(x) - np.log(rest)
        gap = [np.log(c) - special.digamma(c) for c in (a, b, n)]
        self.by_a = _log_ratio(n * x, a) + (gap[0] - gap[2])
        self.by_b = _log_ratio(n * rest, b) + (gap[1] - gap[2])
        self.further = functools.cache(functools.partial(_further_slope, a, b))

    def at(self, log_odds: Any) -> tuple[Any, Callable[[int, int], Any]]:
        """The density and the function of derivatives at one or several log-odds."""
        s = self.start - log_odds
        fall = _log_rest(s, self.x, self.rest)
        first = {(1, 0): self.by_a - s - fall, (0, 1): self.by_b - fall}
        density = np.exp(-self.a * s - self.n * fall)
        return density, lambda i, j: first[i, j] if i + j == 1 else self.further(i, j)


def _log_rest(s: Any, x: Any, rest: Any) -> Any:
    """log(1 - x + x exp(-s)): by how much 1 - t grows as t falls."""
    return np.where(s < 1.0, np.log1p(x * np.expm1(-s)), np.log(rest + x * np.exp(-s)))


def _log_ratio(x: Any, mean: Any) -> Any:
    """log(x / mean), accurate where they are close."""
    return np.where(np.abs(x - mean) < 0.5 * mean, np.log1p((x - mean) / mean), np.log(x) - np.log(mean))


def _support(a: Any, n: Any, x: Any, rest: Any) -> Any:
    """Where the density has fallen away: Newton's method from the outer side of a convex function's root."""
    end = (_DEPTH - n * np.log(rest)) / a
    for _ in range(_STEPS):
        left = x * np.exp(-end)
        end = end - (a * end + n * _log_rest(end, x, rest) - _DEPTH) / (a - n * left / (rest + left))
    return end


def _further_slope(a: Any, b: Any, i: int, j: int) -> Any:
    """A higher derivative of -log(B(a, b))."""
    from scipy import special

    def polygamma(z: Any) -> Any:
        m = i + j - 1
        return (-1.0) ** (m + 1) * math.factorial(m) * special.zeta(m + 1.0, z)

    return polygamma(a + b) - (0.0 if j else polygamma(a)) - (0.0 if i else polygamma(b))
