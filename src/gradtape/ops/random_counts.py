"""Random counts: Poisson and binomial numbers.

Small means are searched for in the distribution function; the others are drawn by transformed rejection (Hoermann, "The
transformed rejection method for generating Poisson random variables", 1993, and "The generation of binomial random
variates", 1993): a ratio of uniforms under a table-free hat, nine of ten proposals of which need no logarithm.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import NotDifferentiable, declare
from gradtape.core.shape import Spec
from gradtape.ops import rejection
from gradtape.ops.random_gamma import Parameterized
from gradtape.ops.stirling import deviance, remainder

COUNTS = ("float16", "bfloat16", "float32", "float64", "int32", "int64")
_SMALL = 10.0


class Count(Parameterized):
    """Whole numbers, as integers or floats. Improper parameters give NaN, which integers do not have."""

    vjp = NotDifferentiable("a count is a whole number")

    def as_dtype(self, counts: Any, dtype: dtypes.DType, condition: str) -> Any:
        """Counts in a dtype; raises if one is NaN and the dtype has none."""
        if dtype.is_integer and np.any(np.isnan(counts)):
            raise self.error(
                errors.InvalidArgumentError,
                f"the distribution is not defined for some of the parameters: {condition}.",
                f"check them, or draw floats, which are NaN there, instead of {dtype.name}.",
            )
        return counts.astype(dtype.numpy)


@declare("random_poisson")
class RandomPoisson(Count):
    """Numbers of the Poisson distribution with mean rate."""

    def infer(self, state: Spec, rate: Spec, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Spec:
        self.check_output(dtype, COUNTS)
        return Spec(self.drawn_shape(state, shape, rate=rate), dtype)

    def kernel(self, state: Any, rate: Any, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
        drawn = rejection.draw(state, rate, shape=shape, blocks=1, propose=_poisson)
        return self.as_dtype(drawn, dtype, "rates must not be negative")


@declare("random_binomial")
class RandomBinomial(Count):
    """Numbers of the binomial distribution: how many of `counts` trials succeed if each does so with probability
    `probs`."""

    def infer(self, state: Spec, counts: Spec, probs: Spec, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Spec:
        self.check_output(dtype, COUNTS)
        return Spec(self.drawn_shape(state, shape, counts=counts, probs=probs), dtype)

    def kernel(self, state: Any, counts: Any, probs: Any, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
        drawn = rejection.draw(state, counts, probs, shape=shape, blocks=1, propose=_binomial)
        return self.as_dtype(drawn, dtype, "counts must be finite, and probs numbers between 0 and 1")


def _poisson(words: list[Any], rate: Any) -> tuple[Any, Any]:
    ((first, second),) = words
    proper = (rate >= 0) & np.isfinite(rate)
    few, many = proper & (rate < _SMALL), proper & (rate >= _SMALL)
    small, large = rate[few], rate[many]
    counted = rejection.search(rejection.fraction(first[few]), np.exp(-small), lambda n: small / n)
    u, v = rejection.fraction(first[many]) - 0.5, rejection.fraction(second[many])
    return rejection.stack((few, counted, True), (many, *_poisson_by_rejection(u, v, large)))


def _poisson_by_rejection(u: Any, v: Any, rate: Any) -> tuple[Any, Any]:
    b = 0.931 + 2.53 * np.sqrt(rate)
    a = -0.059 + 0.02483 * b
    us = 0.5 - np.abs(u)
    k = np.floor((2.0 * a / us + b) * u + rate + 0.43)
    accepted = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2.0))
    rest = ~accepted & (k >= 0) & ~((us < 0.013) & (v > us))
    hat = np.log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (us * us) + b))
    accepted[rest] = hat[rest] <= _log_poisson(k[rest], rate[rest])
    return k, accepted


def _log_poisson(k: Any, rate: Any) -> Any:
    """The logarithm of the probability of k."""
    positive = np.maximum(k, 1.0)
    log = -deviance(positive, rate) - remainder(positive) - 0.5 * np.log(2 * math.pi * positive)
    return np.where(k == 0, -rate, log)


def _binomial(words: list[Any], counts: Any, probs: Any) -> tuple[Any, Any]:
    ((first, second),) = words
    # As in TensorFlow: without trials or chances none succeeds, and with a probability above 1 all do.
    none = (counts <= 0) | (probs <= 0)
    counts, probs = np.where(none, 0.0, counts), np.where(none, 0.0, np.minimum(probs, 1.0))
    proper = np.isfinite(counts) & ~np.isnan(probs)
    n, flipped = np.floor(counts), probs > 0.5
    p = np.where(flipped, 1.0 - probs, probs)
    few, many = proper & (n * p < _SMALL), proper & (n * p >= _SMALL)
    counted = _binomial_by_search(rejection.fraction(first[few]), n[few], p[few])
    u, v = rejection.fraction(first[many]) - 0.5, rejection.fraction(second[many])
    values, accepted = rejection.stack((few, counted, True), (many, *_binomial_by_rejection(u, v, n[many], p[many])))
    return np.where(flipped, n - values, values), accepted


def _binomial_by_search(u: Any, n: Any, p: Any) -> Any:
    odds = p / (1.0 - p)
    none = np.exp(n * np.log1p(-p))
    return np.minimum(rejection.search(u, none, lambda k: odds * np.maximum(n - (k - 1), 0.0) / k), n)


def _binomial_by_rejection(u: Any, v: Any, n: Any, p: Any) -> tuple[Any, Any]:
    deviation = np.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    us = 0.5 - np.abs(u)
    k = np.floor((2.0 * a / us + b) * u + n * p + 0.5)
    accepted = (us >= 0.07) & (v <= 0.92 - 4.2 / b)
    rest = ~accepted & (k >= 0) & (k <= n)
    hat = np.log(v * (2.83 + 5.1 / b) * deviation / (a / (us * us) + b))
    mode = np.floor((n + 1.0) * p)
    n, p = n[rest], p[rest]
    accepted[rest] = hat[rest] <= _log_binomial(k[rest], n, p) - _log_binomial(mode[rest], n, p)
    return k, accepted


def _log_binomial(k: Any, n: Any, p: Any) -> Any:
    """The logarithm of the probability of k out of n."""
    inner = np.clip(k, 1.0, n - 1.0)
    other = n - inner
    log = remainder(n) - remainder(inner) - remainder(other) + 0.5 * np.log(n / (2 * math.pi * inner * other))
    log = log - deviance(inner, n * p) - deviance(other, n * (1.0 - p))
    return np.where(k == 0, n * np.log1p(-p), np.where(k == n, n * np.log(p), log))
