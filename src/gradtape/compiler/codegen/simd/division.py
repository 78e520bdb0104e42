"""Division with remainder, of integers and floats: no operand traps, and results are NumPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.floats import format_of, power_of_two, sign_of, with_sign
from gradtape.compiler.codegen.simd.value import VectorValue
from gradtape.core import dtypes

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter


def truncated_division(cg: VectorEmitter, a: VectorValue, b: VectorValue) -> tuple[VectorValue, VectorValue]:
    """The quotient of integers rounded toward zero, and the remainder; both are 0 where b is 0."""
    zero, one = cg.constant(0, a), cg.constant(1, a)
    by_zero = b.equals(0)
    divisor = cg.select(by_zero, one, b)
    if a.dtype.kind == "i":
        # The least integer has no negative, and dividing it by -1 traps: the quotient by -1 is a negation that wraps.
        by_minus_one = b.equals(-1)
        quotient = _quotient(cg, a, cg.select(by_minus_one, one, divisor))
        quotient = cg.select(by_minus_one, -a, quotient)
    else:
        quotient = _quotient(cg, a, divisor)
    remainder = cg.select(by_zero, zero, a - quotient * b)
    return cg.select(by_zero, zero, quotient), remainder


def floor_division(cg: VectorEmitter, a: VectorValue, b: VectorValue) -> tuple[VectorValue, VectorValue]:
    """The quotient of integers rounded down, and the remainder, with b's sign; both are 0 where b is 0."""
    quotient, remainder = truncated_division(cg, a, b)
    if a.dtype.kind == "u":
        return quotient, remainder
    crossed = ~remainder.equals(0) & ((remainder ^ b) < 0)
    return cg.select(crossed, quotient - 1, quotient), cg.select(crossed, remainder + b, remainder)


def _quotient(cg: VectorEmitter, a: VectorValue, b: VectorValue) -> VectorValue:
    """a / b toward zero, where b is not 0.

    No machine divides vectors of integers. The quotient of floats with more digits than the integers have, cut off, is
    exact: it could only be rounded up to an integer from closer than the next fraction of that denominator is.
    """
    size, signed = a.dtype.size, a.dtype.kind == "i"
    if size == 8:
        return VectorValue(cg, (cg.builder.sdiv if signed else cg.builder.udiv)(a.ir, b.ir), a.dtype)
    wide = dtypes.float64 if size == 4 else dtypes.float32
    quotient = cg.cast(a, wide) / cg.cast(b, wide)
    if size == 4 and not signed:
        # The lowest bits of the sum with 2**52 are the integer; the sum is made of a whole number, so nothing is rounded.
        whole = cg.bits(cg.floor(quotient) + 2.0**52)
        return cg.cast(whole, a.dtype)
    return cg.cast(cg.cast(quotient, dtypes.int32), a.dtype)


def float_remainder(cg: VectorEmitter, a: VectorValue, b: VectorValue) -> VectorValue:
    """The exact remainder with a's sign.

    Long division: each step takes a multiple of b times a power of two such that their quotient is exact as a float, which
    makes the fused subtraction exact. One step does unless a is huge beside b.
    """
    form = format_of(a)
    dividend, divisor = abs(a), abs(b)
    valid = (dividend < float("inf")) & (divisor > 0.0)
    small = divisor < form.tiny
    divisor_exponent = _exponent(cg, cg.select(small, divisor * 2.0**form.lift, divisor))
    divisor_exponent = cg.select(small, divisor_exponent - float(form.lift), divisor_exponent)

    def going(rest: VectorValue) -> VectorValue:
        return (rest >= divisor) & valid

    def step(rest: VectorValue) -> list[VectorValue]:
        places = _exponent(cg, rest) - divisor_exponent - (form.mantissa - 1.0)
        places = cg.select(places > 0.0, places, cg.constant(0, places))
        half = cg.floor(places * 0.5)
        multiple = divisor * power_of_two(cg, half) * power_of_two(cg, places - half)
        after = cg.fma(-cg.floor(rest / multiple), multiple, rest)
        after = cg.select(after < 0.0, after + multiple, after)
        after = cg.select(after >= multiple, after - multiple, after)
        return [cg.select(going(rest), after, rest)]

    (rest,) = cg.repeat([dividend], going, step)
    nan = cg.constant(float("nan"), a)
    result = cg.select(valid, with_sign(cg, rest, sign_of(cg, a)), nan)
    return cg.select(cg.isnan(a) | cg.isnan(b), a + b, result)


def _exponent(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The biased exponent of numbers that are not negative, held as floats."""
    form = format_of(x)
    power = 2.0**form.mantissa
    field = cg.shift_down(cg.bits(x), form.mantissa)
    return cg.floats(field | cg.bits(cg.constant(power, x))) - power


def float_floormod(cg: VectorEmitter, a: VectorValue, b: VectorValue) -> VectorValue:
    """The remainder with b's sign, also where it is 0."""
    rest = float_remainder(cg, a, b)
    crossed = (rest < 0.0) ^ (b < 0.0)
    adjusted = cg.select(crossed, rest + b, rest)
    empty = with_sign(cg, abs(rest), sign_of(cg, b))
    return cg.select(rest.equals(0.0), empty, adjusted)


def float_floordiv(cg: VectorEmitter, a: VectorValue, b: VectorValue) -> VectorValue:
    """The quotient rounded down, by the exact remainder: a multiple of b less the remainder divides without error."""
    rest = float_remainder(cg, a, b)
    quotient = (a - rest) / b
    crossed = ~rest.equals(0.0) & ((rest < 0.0) ^ (b < 0.0))
    quotient = cg.select(crossed, quotient - 1.0, quotient)
    whole = cg.floor(quotient)
    whole = cg.select(quotient - whole > 0.5, whole + 1.0, whole)
    ratio = a / b
    empty = with_sign(cg, cg.constant(0, a), sign_of(cg, ratio))
    result = cg.select(quotient.equals(0.0), empty, whole)
    return cg.select(b.equals(0.0), ratio, result)
