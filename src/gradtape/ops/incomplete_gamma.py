"""The derivatives of the regularised incomplete gamma function P(a, x) with respect to a.

Everything is relative to the weight x**a exp(-x) / Gamma(a), which is the density of the gamma distribution times x, so
that nothing overflows or vanishes before it must. Three ways meet: a power series for small a, and integrals of the
density's derivatives from the nearer end, in the logarithm of the variable, where the density is log-concave and a
Gauss-Legendre rule over its support converges quickly for any a.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from gradtape.core.array_protocol import overridable
from gradtape.ops.special import bell
from gradtape.ops.stirling import deviance, remainder

# From this parameter on, the series needs more terms than the integral has nodes.
_LARGE = 10.0
# The integrals end where the density has fallen by exp(-46), some digits below the last one that counts.
_DEPTH = 46.0
_NODES = 40
_TERMS = 200


def weight(a: Any, x: Any) -> Any:
    """x**a exp(-x) / Gamma(a) for float64, with all its digits for large a too."""
    from scipy import special

    large, small = np.maximum(a, 16.0), np.minimum(a, 16.0)
    far = np.sqrt(large / (2 * math.pi)) * np.exp(-remainder(large) - deviance(large, x))
    return np.where(a > 16.0, far, np.exp(special.xlogy(small, x) - x) * special.rgamma(small))


@overridable
def slope(a: Any, x: Any, order: int) -> Any:
    """The `order`-th derivative of P(a, x) with respect to a, over the weight; for a > 0 and finite x > 0, else NaN."""
    a, x = np.broadcast_arrays(a, x)
    result = np.full(a.size, np.nan)
    a, shape, x = np.ravel(a), a.shape, np.ravel(x)
    # In parts, so that the eight nodes that are taken at a time stay in the processor's cache.
    for first in range(0, a.size, PART):
        part = slice(first, first + PART)
        _fill(result[part], a[part], x[part], order)
    return np.reshape(result, shape)[()]


PART = 4096


def _fill(result: Any, a: Any, x: Any, order: int) -> None:
    valid = (a > 0) & np.isfinite(a) & (x > 0) & np.isfinite(x)
    above = valid & (x >= np.maximum(a, 1.0))
    below = valid & ~above & (a >= _LARGE)
    near = valid & ~above & ~below
    for region, compute in ((above, _upper), (below, _lower), (near, _series)):
        if np.any(region):
            result[region] = compute(a[region], x[region], order)


def _log_slopes(a: Any, x: Any, order: int) -> list[Any]:
    """The derivatives by a of the logarithm of the weight."""
    from scipy import special

    # log(x) - digamma(a), where both are large and close: through log(x / a).
    ratio = np.where(np.abs(x - a) < 0.5 * a, np.log1p((x - a) / a), np.log(x) - np.log(a))
    return [ratio + (np.log(a) - special.digamma(a)), *_further_slopes(a, order)]


def _further_slopes(a: Any, order: int) -> list[Any]:
    """The derivatives of -digamma(a), by the Hurwitz zeta function."""
    from scipy import special

    return [(-1.0) ** n * math.factorial(n) * special.zeta(n + 1.0, a) for n in range(1, order)]


def _upper(a: Any, x: Any, order: int) -> Any:
    """Minus the integral from x to infinity, for x >= max(a, 1), over t = x exp(s)."""
    ratio = _DEPTH / x
    end = np.minimum(np.sqrt(2 * ratio), np.maximum(1.3, np.log1p(2 * ratio)))
    for _ in range(4):  # Newton's method, which stays on the outer side of a convex function's root
        grown = np.exp(end)
        end = end - (x * (grown - 1.0) - a * end - _DEPTH) / (x * grown - a)
    return -_integral(lambda s: x * np.expm1(s) - a * s, end, _log_slopes(a, x, order), 1.0)


def _lower(a: Any, x: Any, order: int) -> Any:
    """The integral from 0 to x, for x <= a, over t = x exp(-s)."""
    end = (_DEPTH + np.sqrt(_DEPTH * (_DEPTH + 8 * a))) / (2 * a)
    for _ in range(4):
        left = np.exp(-end)
        end = end - (a * end - x * (1.0 - left) - _DEPTH) / (a - x * left)
    return _integral(lambda s: a * s + x * np.expm1(-s), end, _log_slopes(a, x, order), -1.0)


def _integral(decay: Any, end: Any, slopes: list[Any], direction: float) -> Any:
    """The integral of exp(-decay(s)) times the density's relative derivative, for s from 0 to `end`."""
    total = 0.0 * end
    first, *rest = slopes
    for nodes, shares in gauss(_NODES):
        s = end * nodes
        for part in shares * np.exp(-decay(s)) * bell([first + direction * s, *rest]):
            total += part
    return total * end


@functools.cache
def gauss(count: int) -> list[tuple[Any, Any]]:
    """Nodes and weights of Gauss and Legendre on [0, 1], as columns of eight: many calls on small arrays would be slow,
    and one call on all would take much memory."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    columns = [np.reshape(values / 2, (-1, 8, 1)) for values in (nodes + 1, weights)]
    return list(zip(*columns, strict=True))


def _series(a: Any, x: Any, order: int) -> Any:
    """By P = weight / a * (1 + x / (a + 1) + x**2 / ((a + 1) (a + 2)) + ...), in truncated power series of a."""
    term = [np.ones_like(a), *[np.zeros_like(a) for _ in range(order)]]
    total = [t.copy() for t in term]
    for n in range(1, _TERMS):
        below = a + n
        term[0] = x * term[0] / below
        for k in range(1, order + 1):
            term[k] = (x * term[k] - term[k - 1]) / below
        for k in range(order + 1):
            total[k] += term[k]
        if np.all(np.abs(term[order]) <= 1e-17 * np.abs(total[order])):
            break
    # weight / a is the weight of a + 1 over x, so its logarithm has the derivatives of that.
    from scipy import special

    slopes = [np.log(x) - special.digamma(a + 1.0), *_further_slopes(a + 1.0, order)]
    result = math.factorial(order) * total[order]
    for k in range(1, order + 1):
        result = result + math.comb(order, k) * bell(slopes[:k]) * math.factorial(order - k) * total[order - k]
    return result / a
