"""Float formats, their exponents, and pairs of floats that hold twice the digits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.value import VectorValue

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter


@dataclass(frozen=True)
class Format:
    """A binary float format.

    Attributes:
      mantissa: stored bits of the mantissa.
      bias: of the exponent.
      tiny: the smallest normal number.
      shifter: added to a number far smaller, it rounds that to an integer, which then stands in the lowest bits.
    """

    mantissa: int
    bias: int
    tiny: float
    shifter: float

    @property
    def one(self) -> int:
        """The bits of 1."""
        return self.bias << self.mantissa

    @property
    def sign(self) -> int:
        """The bits of -0, as a signed integer."""
        return -1 << (31 if self.mantissa == 23 else 63)

    @property
    def lift(self) -> int:
        """Two to this power makes any subnormal number normal."""
        return self.mantissa + 2


FLOAT32 = Format(23, 127, 2.0**-126, 1.5 * 2.0**23)
FLOAT64 = Format(52, 1023, 2.0**-1022, 1.5 * 2.0**52)


def format_of(x: VectorValue) -> Format:
    """The format of a float value."""
    return FLOAT64 if x.dtype.size == 8 else FLOAT32


def power_of_two(cg: VectorEmitter, k: VectorValue) -> VectorValue:
    """2 to the k, where k are integers held as floats, of which the result is a normal number."""
    form = format_of(k)
    exponent = cg.shift_up(cg.bits(k + form.shifter), form.mantissa)
    return cg.floats(exponent + form.one)


def scale(cg: VectorEmitter, x: VectorValue, k: VectorValue) -> VectorValue:
    """x, of about the size of 1, times 2 to the k, right also where the result is subnormal or infinite.

    The first of two factors is such that its product is a normal number, and exact; the second is one number for all
    negative k, and one for all others.
    """
    form = format_of(x)
    bits = cg.bits(k + form.shifter)
    is_negative = cg.bits(k) < 0
    lifted, lowered = (cg.constant(form.one + (n << form.mantissa), bits) for n in (form.lift, -2))
    first = cg.floats(cg.shift_up(bits, form.mantissa) + cg.select(is_negative, lifted, lowered))
    second = cg.select(is_negative, cg.constant(2.0**-form.lift, x), cg.constant(4.0, x))
    return x * first * second


def sign_of(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The sign bit of x, as integers."""
    return cg.bits(x) & format_of(x).sign


def with_sign(cg: VectorEmitter, x: VectorValue, sign: VectorValue) -> VectorValue:
    """x with its sign turned where `sign` has a sign bit."""
    return cg.floats(cg.bits(x) ^ sign)


def two_sum(a: VectorValue, b: VectorValue) -> tuple[VectorValue, VectorValue]:
    """a + b and its rounding error, exactly (Knuth)."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def quick_two_sum(a: VectorValue, b: VectorValue) -> tuple[VectorValue, VectorValue]:
    """a + b and its rounding error, exactly if a is the larger or 0 (Dekker)."""
    total = a + b
    return total, b - (total - a)


def two_product(cg: VectorEmitter, a: VectorValue, b: VectorValue) -> tuple[VectorValue, VectorValue]:
    """a * b and its rounding error, exactly."""
    product = a * b
    return product, cg.fma(a, b, -product)
