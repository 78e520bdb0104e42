"""asinh, acosh and atanh: logarithms of sums that are known as pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.floats import quick_two_sum, sign_of, two_product, two_sum, with_sign
from gradtape.compiler.codegen.simd.logarithm import log1p_of_pair
from gradtape.compiler.codegen.simd.value import VectorValue

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

# From here on x**2 + 1 and x**2 - 1 are x**2.
_LARGE = {4: 2.0**14, 8: 2.0**30}
# Up to here asinh(x) and atanh(x) are x.
_SMALL = {4: 2.0**-13, 8: 2.0**-28}


def asinh(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The inverse hyperbolic sine: log1p(x + (sqrt(x**2 + 1) - 1))."""
    size = abs(x)
    large = size > _LARGE[x.dtype.size]
    one = cg.constant(1, x)
    moderate = cg.select(large, one, size)
    square, square_rest = two_product(cg, moderate, moderate)
    total, rest = two_sum(one, square)
    root, root_rest = _root(cg, total, rest + square_rest)
    high, low = two_sum(moderate, root - 1.0)
    high, low = quick_two_sum(high, low + root_rest)
    result = _log(cg, size, large, high, low)
    return cg.select(size < _SMALL[x.dtype.size], x, with_sign(cg, result, sign_of(cg, x)))


def acosh(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The inverse hyperbolic cosine: log1p(t + sqrt(2 t + t**2)), with t = x - 1, which is exact where it matters."""
    large = x > _LARGE[x.dtype.size]
    zero = cg.constant(0, x)
    t = cg.select(large, zero, x - 1.0)
    t_rest = cg.select(large, zero, (x - t) - 1.0)
    square, square_rest = two_product(cg, t, t)
    total, rest = two_sum(t + t, square)
    root, root_rest = _root(cg, total, rest + square_rest + t_rest * (2.0 * t + 2.0))
    high, low = two_sum(t, root)
    high, low = quick_two_sum(high, low + (root_rest + t_rest))
    result = _log(cg, x, large, high, low)
    return cg.select(x < 1.0, cg.constant(float("nan"), x), result)


def atanh(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The inverse hyperbolic tangent: log1p(2 x / (1 - x)) / 2."""
    size = abs(x)
    below = 1.0 - size
    below_rest = (1.0 - below) - size
    twice = size + size
    quotient = twice / below
    left = cg.fma(-quotient, below_rest, cg.fma(-quotient, below, twice))
    error = cg.select(below > 0.0, left / below, cg.constant(0, x))
    result = with_sign(cg, log1p_of_pair(cg, quotient, error) * 0.5, sign_of(cg, x))
    return cg.select(size < _SMALL[x.dtype.size], x, result)


def _root(cg: VectorEmitter, total: VectorValue, rest: VectorValue) -> tuple[VectorValue, VectorValue]:
    """The square root of a pair, as a pair."""
    root = cg.sqrt(total)
    left = cg.fma(-root, root, total) + rest
    return root, cg.select(root > 0.0, left / (root + root), cg.constant(0, total))


def _log(cg: VectorEmitter, x: VectorValue, large: VectorValue, high: VectorValue, low: VectorValue) -> VectorValue:
    """log(1 + high + low), or log(2 x), as log(1 + x - 1) + log(2), where x is large."""
    zero, one = cg.constant(0, x), cg.constant(1, x)
    return log1p_of_pair(
        cg, cg.select(large, x, high), cg.select(large, -one, low), doublings=cg.select(large, one, zero)
    )
