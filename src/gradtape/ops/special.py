"""The base of special functions: SciPy computes them, narrow dtypes in a wider one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Any, ClassVar

import numpy as np

from gradtape.ops.accumulation_dtype import is_narrow
from gradtape.ops.family import NO_LOWERING, Binary, Unary


def evaluate(function: str, *arrays: Any) -> Any:
    """A ufunc of scipy.special on arrays of one dtype; float16, bfloat16 and float8 are computed in float32."""
    from scipy import special

    ufunc = getattr(special, function)
    if not is_narrow(arrays[0]):
        return ufunc(*arrays)
    return ufunc(*[x.astype(np.float32) for x in arrays]).astype(arrays[0].dtype)


def in_float64(function: Callable[..., Any], *arrays: Any, **params: Any) -> Any:
    """A function of float64 arrays on arrays of one other dtype: its formula would lose too many digits there."""
    dtype = arrays[0].dtype
    if dtype == np.float64:
        return function(*arrays, **params)
    return function(*[x.astype(np.float64) for x in arrays], **params).astype(dtype)


class SpecialFunction(Unary):
    """A function of one real variable that SciPy has: `function` is its name there."""

    kinds = "fV"
    lower = NO_LOWERING
    function: ClassVar[str]

    def kernel(self, x: Any) -> Any:
        return evaluate(self.function, x)


class SpecialPair(Binary):
    """A function of two real variables."""

    kinds = "fV"
    lower = NO_LOWERING


def bell(slopes: Sequence[Any]) -> Any:
    """The n-th derivative of exp(f) over exp(f), where `slopes` are the n derivatives of f: a complete Bell polynomial.

    Written with operators, for arrays and tensors alike.
    """
    found: list[Any] = []
    for n in range(len(slopes)):
        total = slopes[n]
        for k in range(n):
            total = total + comb(n, k) * found[n - 1 - k] * slopes[k]
        found.append(total)
    return found[-1]


def mixed_bell(order: tuple[int, int], slope: Callable[[int, int], Any]) -> Any:
    """The derivative of exp(f(a, b)) over exp(f), `order` times by a and by b, from derivatives `slope(i, j)` of f."""
    slopes = {(i, j): slope(i, j) for i in range(order[0] + 1) for j in range(order[1] + 1) if i or j}
    found: dict[tuple[int, int], Any] = {(0, 0): 1.0}
    for i in range(order[0] + 1):
        for j in range(order[1] + 1):
            if not i and not j:
                continue
            # One derivative of exp(f) is slope * exp(f); the others are spread over the two factors.
            p, q = (i - 1, j) if i else (i, j - 1)
            parts = [
                comb(p, k) * comb(q, l) * found[p - k, q - l] * slopes[i - p + k, j - q + l]
                for k in range(p + 1)
                for l in range(q + 1)
            ]
            found[i, j] = sum(parts[1:], parts[0])
    return found[order]
