"""pow, of floats and of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.exponential import exp_of_pair, limited
from gradtape.compiler.codegen.simd.floats import power_of_two, quick_two_sum, sign_of, two_product, with_sign
from gradtape.compiler.codegen.simd.logarithm import split, split_any
from gradtape.compiler.codegen.simd.value import VectorValue
from gradtape.core import dtypes

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

_LOG2_E = 1.4426950408889634
_LOG_2 = 0.6931471805599453
# log 2 in two parts, of which the first times any exponent is exact.
_LOG_2_SHORT, _LOG_2_REST = 0.6931471805598903, 5.497923018708371e-14
_TWO_THIRDS, _TWO_THIRDS_REST = 0.6666666666666666, 3.700743415417188e-17
# As the polynomials of `logarithm` and `exponential`, in float64, to the 2**-44.9 and 2**-32.8 that float32 needs.
_LOG_TO_FLOAT32 = (0.66666666676074, 0.39999995544796024, 0.28572116428020244, 0.22175907593207028, 0.19587986027758336)
_EXP_TO_FLOAT32 = (0.5, 0.16666664, 0.041666456, 0.008333889, 0.0013935763, 0.00019576249)
# ((log((1 + s) / (1 - s)) / s - 2) / s**2 - 2/3) / s**2 as a polynomial in s**2 <= 0.0295: relative to the logarithm
# an error of 2**-66.
_LOG_BEYOND = (
    0.4000000000000239, 0.28571428570044294, 0.22222222528754548, 0.18181783660315645, 0.15386787573987357,
    0.132561560535871, 0.13202150523111494,
)  # fmt: skip


def pow(cg: VectorEmitter, a: VectorValue, b: VectorValue) -> VectorValue:
    """a to the b."""
    base = abs(a)
    size = (_through_float64 if a.dtype is dtypes.float32 else _through_pairs)(cg, base, b)
    infinity, zero, one = (cg.constant(v, a) for v in (float("inf"), 0.0, 1.0))
    # The ends of the base, then those of the exponent.
    vanishes = base.equals(0.0)
    size = cg.select(vanishes | base.equals(infinity), cg.select(vanishes ^ (b < 0.0), zero, infinity), size)
    grows = (base > 1.0) ^ (b < 0.0)
    at_infinity = cg.select(base.equals(1.0), one, cg.select(grows, infinity, zero))
    size = cg.select(abs(b).equals(infinity), at_infinity, size)

    half = b * 0.5
    whole = cg.eq(cg.floor(b), b)
    odd = whole & cg.ne(cg.floor(half), half)
    result = cg.select(odd, with_sign(cg, size, sign_of(cg, a)), size)
    undefined = (a < 0.0) & (base < infinity) & ~whole
    result = cg.select(undefined, cg.constant(float("nan"), a), result)
    result = cg.select(cg.isnan(a) | cg.isnan(b), a + b, result)
    return cg.select(a.equals(1.0) | b.equals(0.0), one, result)


def _through_float64(cg: VectorEmitter, base: VectorValue, b: VectorValue) -> VectorValue:
    """base to the b for float32, computed in float64, which has digits enough for the plain formula."""
    x = cg.cast(base, dtypes.float64)
    k, m = split(cg, x)  # what is subnormal in float32 is not in float64
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    logarithm = cg.fma(k, _LOG_2, cg.fma(s * z, cg.polynomial(z, _LOG_TO_FLOAT32), s + s))
    exponent = limited(cg, cg.cast(b, dtypes.float64) * logarithm, -200.0, 200.0)
    shifter = 1.5 * 2.0**52
    n = cg.fma(exponent, _LOG2_E, shifter) - shifter
    r = cg.fma(n, -_LOG_2, exponent)
    value = cg.fma(cg.polynomial(r, _EXP_TO_FLOAT32), r * r, r) + 1.0
    return cg.cast(value * power_of_two(cg, n), dtypes.float32)


def _through_pairs(cg: VectorEmitter, base: VectorValue, b: VectorValue) -> VectorValue:
    """base to the b for float64: the logarithm is a pair with twice the digits, since the exponent multiplies its error."""
    high, low = _log_pair(cg, base)
    product, error = two_product(cg, b, high)
    return exp_of_pair(cg, product, cg.fma(b, low, error))


def _log_pair(cg: VectorEmitter, x: VectorValue) -> tuple[VectorValue, VectorValue]:
    """log x of positive float64, as a sum of two: k log 2 + 2 s + s**3 (2/3 + s**2 Q(s**2)), with s = f / (2 + f)."""
    k, m = split_any(cg, x)
    f = m - 1.0
    divisor = f + 2.0
    divisor_rest = f - (divisor - 2.0)
    s = f / divisor
    s_rest = cg.fma(-s, divisor_rest, cg.fma(-s, divisor, f)) / divisor
    z, z_rest = two_product(cg, s, s)
    z_rest = cg.fma(s + s, s_rest, z_rest)
    beyond = z * cg.polynomial(z, _LOG_BEYOND)
    factor = beyond + _TWO_THIRDS
    factor_rest = (beyond - (factor - _TWO_THIRDS)) + _TWO_THIRDS_REST
    cube, cube_rest = two_product(cg, s, z)
    cube_rest = cube_rest + cg.fma(s, z_rest, s_rest * z)
    term, term_rest = two_product(cg, cube, factor)
    term_rest = term_rest + cg.fma(cube, factor_rest, cube_rest * factor)
    first, first_rest = quick_two_sum(k * _LOG_2_SHORT, s + s)
    second, second_rest = quick_two_sum(first, term)
    rest = (first_rest + second_rest) + cg.fma(k, _LOG_2_REST, (s_rest + s_rest) + term_rest)
    return quick_two_sum(second, rest)


def integer_pow(cg: VectorEmitter, a: VectorValue, b: VectorValue) -> VectorValue:
    """a to the b by repeated squaring, which wraps as products do; the bits of b are taken as a positive number."""
    one = cg.constant(1, a)

    def going(result: VectorValue, square: VectorValue, bits: VectorValue) -> VectorValue:
        return ~bits.equals(0)

    def step(result: VectorValue, square: VectorValue, bits: VectorValue) -> list[VectorValue]:
        odd = ~(bits & 1).equals(0)
        return [cg.select(odd, result * square, result), square * square, cg.shift_down(bits, 1)]

    return cg.repeat([one, a, b], going, step)[0]
