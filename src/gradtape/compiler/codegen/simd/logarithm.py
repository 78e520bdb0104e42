"""log and log1p, and the logarithm of a sum that is known to more digits than the dtype has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.floats import format_of, power_of_two, two_sum
from gradtape.compiler.codegen.simd.value import VectorValue

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

# log 2 in two parts, each rounded to the dtype.
_LOG_2 = {4: (0.6931472, -1.9046542e-09), 8: (0.6931471805599453, 2.3190468138462996e-17)}
# (log((1 + s) / (1 - s)) / s - 2) / s**2 as a polynomial in s**2 <= 0.0295: errors of the logarithm, relative, of
# 2**-35.0 and 2**-59.4.
_LOG = {
    4: (0.6666666, 0.4000085, 0.28510144, 0.2402908),
    8: (
        0.6666666666666737, 0.3999999999939863, 0.28571428745551214, 0.22222198273544116, 0.1818357906686337,
        0.1531368752092411, 0.14799487338447104,
    ),
}  # fmt: skip
# The bits of sqrt(1/2), rounded up.
_ROOT = {4: 0x3F3504F4, 8: 0x3FE6A09E667F3BCD}


def split(cg: VectorEmitter, x: VectorValue) -> tuple[VectorValue, VectorValue]:
    """The exponent k, held as floats, and m from sqrt(1/2) to sqrt(2), with x = m * 2**k, of positive normal numbers."""
    form, root = format_of(x), _ROOT[x.dtype.size]
    above = cg.bits(x) - root
    # With its bias the exponent is positive; in the lowest bits of a power of two it is a float but for that power.
    biased = cg.shift_down(above + form.one, form.mantissa)
    power = 2.0**form.mantissa
    k = cg.floats(biased | cg.bits(cg.constant(power, x))) - (power + form.bias)
    return k, cg.floats((above & ((1 << form.mantissa) - 1)) + root)


def split_any(cg: VectorEmitter, x: VectorValue) -> tuple[VectorValue, VectorValue]:
    """As `split`, of all positive numbers."""
    form = format_of(x)
    small = x < form.tiny
    k, m = split(cg, cg.select(small, x * 2.0**form.lift, x))
    return cg.select(small, k - float(form.lift), k), m


def assembled(cg: VectorEmitter, k: VectorValue, f: VectorValue, error: VectorValue | None = None) -> VectorValue:
    """k * log(2) + log(1 + f + error), for f from sqrt(1/2) - 1 to sqrt(2) - 1 and an error far below its last digit."""
    high, low = _LOG_2[f.dtype.size]
    s = f / (f + 2.0)
    z = s * s
    half_square = f * f * 0.5
    series = z * cg.polynomial(z, _LOG[f.dtype.size])
    tail = cg.fma(k, low, error) if error is not None else k * low
    return cg.fma(k, high, f - (half_square - cg.fma(s, half_square + series, tail)))


def log(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The natural logarithm."""
    k, m = split_any(cg, x)
    return _at_the_ends(cg, x, x, assembled(cg, k, m - 1.0))


def log1p(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """log(1 + x)."""
    result = log1p_of_pair(cg, x, None)
    # The sign of zero, and subnormal numbers.
    return cg.select(abs(x) < 2.0**-54, x, result)


def log1p_of_pair(
    cg: VectorEmitter, x: VectorValue, error: VectorValue | None, doublings: VectorValue | None = None
) -> VectorValue:
    """log((1 + x + error) * 2**doublings), where the error is below the last digit of x."""
    form = format_of(x)
    one = cg.constant(1.0, x)
    total, rest = two_sum(one, x)
    if error is not None:
        rest = rest + error
    k, m = split(cg, total)
    # What the sum has lost, in the scale of m. Where the power would underflow, nothing that matters was lost.
    power = power_of_two(cg, -cg.select(k > form.bias - 2.0, cg.constant(form.bias - 2.0, k), k))
    lost = rest * power
    f = (m - 1.0) + lost
    beyond = lost - (f - (m - 1.0))
    if doublings is not None:
        k = k + doublings
    return _at_the_ends(cg, total, x, assembled(cg, k, f, beyond * (1.0 - f)))


def _at_the_ends(cg: VectorEmitter, x: VectorValue, given: VectorValue, result: VectorValue) -> VectorValue:
    """A logarithm of x made right where x is 0, negative, infinite or NaN."""
    infinity = cg.constant(float("inf"), x)
    result = cg.select(x < infinity, result, given)
    result = cg.select(x.equals(0.0), -infinity, result)
    return cg.select(x < 0.0, cg.constant(float("nan"), x), result)
