"""exp and expm1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.floats import format_of, power_of_two, quick_two_sum, scale
from gradtape.compiler.codegen.simd.value import VectorValue

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

_LOG2_E = 1.4426950408889634
# log 2 in two parts, each rounded to the dtype.
_LOG_2 = {4: (0.6931472, -1.9046542e-09), 8: (0.6931471805599453, 2.3190468138462996e-17)}
# (exp(r) - 1 - r) / r**2 for |r| <= log(2) / 2: relative errors of exp of 2**-27.9 and 2**-63.4.
_EXP = {
    4: (0.5, 0.16666535, 0.041667238, 0.008367483, 0.0013863781),
    8: (
        0.5, 0.16666666666666685, 0.041666666666666526, 0.008333333333315983, 0.001388888888896801,
        0.00019841269898562968, 2.480158715528519e-05, 2.7557232976642465e-06, 2.755741760561271e-07,
        2.511261961121433e-08, 2.0871118996516387e-09,
    ),
}  # fmt: skip
# Beyond these exp is 0 or infinite.
_RANGE = {4: (-104.0, 89.0), 8: (-746.0, 710.0)}
# Below these expm1 is -1.
_MINUS_ONE = {4: -18.0, 8: -38.0}


def limited(cg: VectorEmitter, x: VectorValue, low: float, high: float) -> VectorValue:
    """x limited to a range; NaN stays."""
    return limited_above(cg, cg.select(x < low, cg.constant(low, x), x), high)


def limited_above(cg: VectorEmitter, x: VectorValue, high: float) -> VectorValue:
    """x where it is not above a limit; NaN stays."""
    return cg.select(x > high, cg.constant(high, x), x)


def reduced(cg: VectorEmitter, x: VectorValue) -> tuple[VectorValue, VectorValue, VectorValue]:
    """Integers k, held as floats, and r + error with x = k * log(2) + r + error and |r| <= log(2) / 2.

    The first subtraction is exact, since it is fused and its result has no more digits than x.
    """
    high, low = _LOG_2[x.dtype.size]
    shifter = format_of(x).shifter
    k = cg.fma(x, _LOG2_E, shifter) - shifter
    first = cg.fma(k, -high, x)
    r = cg.fma(k, -low, first)
    return k, r, cg.fma(k, -low, first - r)


def excess(cg: VectorEmitter, r: VectorValue, more: VectorValue) -> VectorValue:
    """exp(r) - 1 - r for |r| <= log(2) / 2, and something more."""
    return cg.fma(cg.polynomial(r, _EXP[r.dtype.size]), r * r, more)


def of_reduced(cg: VectorEmitter, r: VectorValue) -> VectorValue:
    """exp(r) for |r| <= log(2) / 2."""
    return excess(cg, r, r) + 1.0


def exp(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """e to the x."""
    k, r, _ = reduced(cg, limited(cg, x, *_RANGE[x.dtype.size]))
    return scale(cg, of_reduced(cg, r), k)


def exp_of_twice(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """e to the 2 x, to some units in the last place, where it is a normal number; of NaN anything.

    r is half of what `reduced` gives, from one part of log 2, and the exponent is added to the bits.
    """
    form, size = format_of(x), x.dtype.size
    shifted = cg.fma(x, 2.0 * _LOG2_E, form.shifter)
    r = cg.fma(shifted - form.shifter, -0.5 * _LOG_2[size][0], x)
    power = cg.fma(cg.polynomial(r, [c * 2.0**n for n, c in enumerate(_EXP[size], 2)]), r * r, r + r) + 1.0
    return cg.floats(cg.bits(power) + cg.shift_up(cg.bits(shifted), form.mantissa))


def exp_of_pair(cg: VectorEmitter, x: VectorValue, error: VectorValue) -> VectorValue:
    """e to the x + error, where the error is small beside x; it may be anything where exp(x) is 0 or infinite."""
    low, high = _RANGE[x.dtype.size]
    error = cg.select((x > low) & (x < high), error, cg.constant(0.0, x))
    k, power, _ = power_of_pair(cg, limited(cg, x, low, high), error)
    return scale(cg, power, k)


def power_of_pair(
    cg: VectorEmitter, x: VectorValue, error: VectorValue
) -> tuple[VectorValue, VectorValue, VectorValue]:
    """Integers k, held as floats, and a pair p with exp(x + error) = p * 2**k, for x where exp is neither 0 nor infinite."""
    k, r, tail = reduced(cg, x)
    r, tail = quick_two_sum(r, tail + error)
    above_one = r + excess(cg, r, tail)
    power = above_one + 1.0
    return k, power, above_one - (power - 1.0)


def expm1(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """e to the x, minus 1."""
    size = x.dtype.size
    k, r, tail = reduced(cg, limited(cg, x, _MINUS_ONE[size], _RANGE[size][1]))
    # Half of the power and twice the result, since 2**k itself may overflow.
    power = power_of_two(cg, k - 1.0)
    result = cg.fma(power, excess(cg, r, tail), cg.fma(power, r, power - 0.5)) * 2.0
    return cg.select(abs(x) < 2.0**-54, x, result)
