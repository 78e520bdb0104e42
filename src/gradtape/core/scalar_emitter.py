"""What the compiler offers to the `scalar` rules of elementwise ops.

A rule describes one element: `scalar(self, cg, x)` combines values of the emitter `cg` and returns a value. The
compiler emits vectors for it; `gradtape.testing.NumpyEmitter` evaluates it, so that every rule is tested today.
"""

from __future__ import annotations

from typing import Any, Protocol

Value = Any


class Emitter(Protocol):
    """Elementwise operations on values of one kind. Masks are values of bool."""

    def constant(self, value: Any, like: Value) -> Value:
        """A number in the dtype of another value."""

    def dtype(self, x: Value) -> Any:
        """The DType of a value."""

    def cast(self, x: Value, dtype: Any) -> Value:
        """The value in another dtype, truncating toward zero; the real part of complex values if it is real."""

    def add(self, a: Value, b: Value) -> Value:
        """a + b"""

    def sub(self, a: Value, b: Value) -> Value:
        """a - b"""

    def mul(self, a: Value, b: Value) -> Value:
        """a * b"""

    def div(self, a: Value, b: Value) -> Value:
        """a / b, of floats"""

    def floordiv(self, a: Value, b: Value) -> Value:
        """floor(a / b)"""

    def floormod(self, a: Value, b: Value) -> Value:
        """a - floor(a / b) * b"""

    def truncmod(self, a: Value, b: Value) -> Value:
        """The remainder with the sign of a, as C's fmod"""

    def neg(self, x: Value) -> Value:
        """-x"""

    def abs(self, x: Value) -> Value:
        """|x|"""

    def minimum(self, a: Value, b: Value) -> Value:
        """The smaller; NaN if one is NaN"""

    def maximum(self, a: Value, b: Value) -> Value:
        """The larger; NaN if one is NaN"""

    def eq(self, a: Value, b: Value) -> Value:
        """a == b"""

    def ne(self, a: Value, b: Value) -> Value:
        """a != b"""

    def lt(self, a: Value, b: Value) -> Value:
        """a < b"""

    def le(self, a: Value, b: Value) -> Value:
        """a <= b"""

    def gt(self, a: Value, b: Value) -> Value:
        """a > b"""

    def ge(self, a: Value, b: Value) -> Value:
        """a >= b"""

    def bit_and(self, a: Value, b: Value) -> Value:
        """a & b, of integers or masks"""

    def bit_or(self, a: Value, b: Value) -> Value:
        """a | b, of integers or masks"""

    def bit_xor(self, a: Value, b: Value) -> Value:
        """a ^ b, of integers or masks"""

    def bit_not(self, x: Value) -> Value:
        """~x, of integers or masks"""

    def shift_left(self, a: Value, b: Value) -> Value:
        """a << b"""

    def shift_right(self, a: Value, b: Value) -> Value:
        """a >> b"""

    def select(self, mask: Value, a: Value, b: Value) -> Value:
        """a where the mask is true, else b"""

    def isnan(self, x: Value) -> Value:
        """A mask of NaNs"""

    def isfinite(self, x: Value) -> Value:
        """A mask of finite values"""

    def sqrt(self, x: Value) -> Value:
        """The square root"""

    def rsqrt(self, x: Value) -> Value:
        """1 / sqrt(x)"""

    def exp(self, x: Value) -> Value:
        """e to the x"""

    def expm1(self, x: Value) -> Value:
        """e to the x, minus 1"""

    def log(self, x: Value) -> Value:
        """The natural logarithm"""

    def log1p(self, x: Value) -> Value:
        """log(1 + x)"""

    def pow(self, a: Value, b: Value) -> Value:
        """a to the b"""

    def sin(self, x: Value) -> Value:
        """The sine"""

    def cos(self, x: Value) -> Value:
        """The cosine"""

    def tan(self, x: Value) -> Value:
        """The tangent"""

    def asin(self, x: Value) -> Value:
        """The inverse sine"""

    def acos(self, x: Value) -> Value:
        """The inverse cosine"""

    def atan(self, x: Value) -> Value:
        """The inverse tangent"""

    def atan2(self, a: Value, b: Value) -> Value:
        """The angle of the point (b, a)"""

    def sinh(self, x: Value) -> Value:
        """The hyperbolic sine"""

    def cosh(self, x: Value) -> Value:
        """The hyperbolic cosine"""

    def tanh(self, x: Value) -> Value:
        """The hyperbolic tangent"""

    def asinh(self, x: Value) -> Value:
        """The inverse hyperbolic sine"""

    def acosh(self, x: Value) -> Value:
        """The inverse hyperbolic cosine"""

    def atanh(self, x: Value) -> Value:
        """The inverse hyperbolic tangent"""

    def floor(self, x: Value) -> Value:
        """Rounded down"""

    def ceil(self, x: Value) -> Value:
        """Rounded up"""

    def round_even(self, x: Value) -> Value:
        """Rounded to the nearest integer, ties to even"""

    def erf(self, x: Value) -> Value:
        """The error function"""

    def erfc(self, x: Value) -> Value:
        """1 - erf(x), without cancellation"""

    def normal_cdf(self, x: Value) -> Value:
        """erfc(-x / sqrt(2)) / 2 to some units in the last place"""

    def normal_density(self, x: Value) -> Value:
        """exp(-x**2 / 2) / sqrt(2 pi) to some units in the last place; beside `normal_cdf` of the same x it costs little"""
