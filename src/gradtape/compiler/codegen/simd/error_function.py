"""erf and erfc."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.exponential import limited, limited_above, of_reduced, power_of_pair, reduced
from gradtape.compiler.codegen.simd.floats import power_of_two, scale, sign_of, two_product, two_sum, with_sign
from gradtape.compiler.codegen.simd.value import VectorValue

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

# (erf(x) - x) / x as a polynomial in x**2, |x| <= 1: relative errors of 2**-29.5 and 2**-56.2.
_ERF = {
    4: (0.12837917, -0.3761263, 0.11283618, -0.02685512, 0.0051907087, -0.0008030402, 7.9187215e-05),
    8: (
        0.12837916709551256, -0.3761263890318347, 0.11283791670943198, -0.026866170643020746, 0.005223977605665453,
        -0.0008548325916000483, 0.00012055293341129816, -1.4924709882727448e-05, 1.6447119857072677e-06,
        -1.6206322663682368e-07, 1.371132509260696e-08, -7.780523614246079e-10,
    ),
}  # fmt: skip
# (1 + 2 x) exp(x**2) erfc(x) as a polynomial in t = (x - centre) / (x + centre), for x from 0 to where erfc is 0:
# relative errors of 2**-29.8 and 2**-59.3. The first coefficient is a pair; the slope is the polynomial's where x is
# near 0.
_CENTRE = {4: 2.0, 8: 4.0}
_ZERO_FROM = {4: 10.1, 8: 27.3}
_ONE_FROM = {4: 4.0, 8: 6.0}
_SLOPE = {4: 0.8, 8: 1.5}
# Where exp is still a normal number.
_LEAST = {4: -87.0, 8: -708.0}
# log(erfc(x)) for x from 0.95 to 4: an error of erfc of 2**-27.3.
_LOG_ERFC = (-0.0002564458, -1.127426, -0.63760006, -0.10356689, 0.022051996, -0.0029995404, 0.0001915041)
_FIRST = {4: (1.2769784, 9.069375e-09), 8: (1.2329951186255526, -4.5094249582512846e-17)}
_ERFC = {
    4: (
        -0.09276382, -0.16603051, 0.16405098, -0.05421801, -0.008030461, 0.008710228, 0.0012518747, -0.0014237104,
        -0.0004009175, 0.00017202148, 8.0743586e-05,
    ),
    8: (
        -0.13962111684056253, 0.0153796521026196, 0.06809705425469435, -0.10103906603629675, 0.0937328349982876,
        -0.06633036581237105, 0.037167515538501145, -0.016197734056238332, 0.005031969968906423, -0.0007577732977566001,
        -0.00019925664594442783, 0.00015062171083219772, -2.4399377962493166e-05, -1.1222128659199683e-05,
        5.710072787061979e-06, 2.9402694749026144e-07, -8.25830778882821e-07, 7.430056602499484e-08,
        1.10270542512542e-07, -1.7622820608229647e-08, -1.4084531435205548e-08, 1.7275602071789465e-09,
        1.2159961527823076e-09,
    ),
}  # fmt: skip


def erf(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The error function."""
    size = abs(x)
    z = x * x
    small = cg.fma(cg.polynomial(z, _ERF[x.dtype.size]), x, x)
    large = with_sign(cg, 1.0 - _beyond_one(cg, size), sign_of(cg, x))
    return cg.select(size < 1.0, small, large)


def erfc(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """1 - erf(x), without cancellation."""
    right = _right_half(cg, abs(x))
    return cg.select(x < 0.0, 2.0 - right, right)


def normal_cdf(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The distribution function of the normal distribution, erfc(-x / sqrt(2)) / 2, to some units in the last place."""
    size = x.dtype.size
    distance = abs(x) * math.sqrt(0.5)
    square, lost = two_product(cg, x, x)
    half = 0.5 * _of_power(cg, limited_above(cg, distance, _ZERO_FROM[size]), -0.5 * square)
    half = cg.fma(half, -0.5 * lost, half)
    half = cg.select(distance > _ZERO_FROM[size], cg.constant(0.0, x), half)
    return cg.select(x < 0.0, half, 1.0 - half)


def normal_density(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The density of the normal distribution, exp(-x**2 / 2) / sqrt(2 pi), to some units in the last place. Up to the last two
    steps it is what `normal_cdf` computes as well, so that both together need one exponential function."""
    square, lost = two_product(cg, x, x)
    exponent = -0.5 * square
    power = _exp(cg, _at_least(cg, exponent))
    power = cg.fma(power, -0.5 * lost, power) * (1 / math.sqrt(2 * math.pi))
    return cg.select(exponent < _LEAST[x.dtype.size], cg.constant(0.0, x), power)


def _at_least(cg: VectorEmitter, exponent: VectorValue) -> VectorValue:
    """An exponent, or the least one for which the power is a normal number."""
    low = cg.constant(_LEAST[exponent.dtype.size], exponent)
    return cg.select(exponent < low, low, exponent)


def _beyond_one(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """erfc(x) for x >= 1, where it is small beside 1 and some units of its last place do not matter."""
    size = x.dtype.size
    x = limited_above(cg, x, _ONE_FROM[size])
    if size == 8:
        return _of_power(cg, x, -(x * x))
    return _exp(cg, cg.polynomial(x, _LOG_ERFC))


def _of_power(cg: VectorEmitter, x: VectorValue, exponent: VectorValue) -> VectorValue:
    """erfc(x) for x >= 0 to some units in the last place; the exponent is -x**2, and is limited to where exp is not 0."""
    size = x.dtype.size
    below, total = x + x + 1.0, x + _CENTRE[size]
    common = 1.0 / (below * total)
    t = (x - _CENTRE[size]) * (common * below)
    series = cg.polynomial(t, (_FIRST[size][0], *_ERFC[size]))
    return _exp(cg, _at_least(cg, exponent)) * (series * (common * total))


def _exp(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """e to the x, where that is a normal number."""
    k, r, _ = reduced(cg, x)
    return of_reduced(cg, r) * power_of_two(cg, k)


def _right_half(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """erfc(x) for x >= 0: exp(-x**2) P(t) / (1 + 2 x), with all three factors as pairs."""
    size = x.dtype.size
    x = limited(cg, x, 0.0, _ZERO_FROM[size])
    square, square_rest = two_product(cg, x, x)
    k, power, power_rest = power_of_pair(cg, -square, -square_rest)
    below, below_rest = two_sum(cg.constant(1.0, x), x + x)
    t, t_rest, inverse = _centred(cg, x, below)
    first, first_rest = _FIRST[size]
    others = cg.polynomial(t, _ERFC[size])
    series = cg.fma(t, others, first)
    # Only near 0 is the series steep enough that what t lacks matters.
    slope = cg.select(x < 0.5, cg.constant(_SLOPE[size], x), cg.constant(0, x))
    series_rest = cg.fma(t, others, first - series) + cg.fma(slope, t_rest, first_rest)

    above, above_rest = two_product(cg, power, series)
    above_rest = cg.fma(power, series_rest, cg.fma(power_rest, series, above_rest))
    quotient = above * inverse
    left = cg.fma(-quotient, below_rest, cg.fma(-quotient, below, above) + above_rest)
    return scale(cg, cg.fma(left, inverse, quotient), k)


def _centred(cg: VectorEmitter, x: VectorValue, below: VectorValue) -> tuple[VectorValue, VectorValue, VectorValue]:
    """t, what it lacks, and 1 / below; one division serves all."""
    centre = cg.constant(_CENTRE[x.dtype.size], x)
    difference, difference_rest = two_sum(x, -centre)
    total, total_rest = two_sum(x, centre)
    common = 1.0 / (total * below)
    inverse = common * below
    quotient = difference * inverse
    left = cg.fma(-quotient, total, difference) + cg.fma(-quotient, total_rest, difference_rest)
    correction = left * inverse
    t = quotient + correction
    return t, correction - (t - quotient), common * total
