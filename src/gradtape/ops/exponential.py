"""Exponentials, logarithms, roots and powers, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import declare
from gradtape.ops.arithmetic import MultiplyNoNan
from gradtape.ops.family import Binary, Unary, conj, unbroadcast
from gradtape.ops.selection import Where, number


@declare("exp")
class Exp(Unary):
    """e to the power x, elementwise."""

    numpy = (np.exp,)
    inputs = ("x",)
    kernel = staticmethod(np.exp)

    def vjp(self, dy: Any, y: Any) -> Any:
        return (dy * conj(y),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.exp(x)


@declare("expm1")
class Expm1(Unary):
    """e to the power x, minus 1, elementwise; accurate near 0."""

    numpy = (np.expm1,)
    inputs = ("x",)
    kernel = staticmethod(np.expm1)

    def vjp(self, dy: Any, x: Any) -> Any:
        # Not y + 1, which has lost its digits where x is far below 0.
        return (dy * Exp(conj(x)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.expm1(x)


@declare("log")
class Log(Unary):
    """The natural logarithm, elementwise."""

    numpy = (np.log,)
    inputs = ("x",)
    kernel = staticmethod(np.log)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy / conj(x),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.log(x)


@declare("log1p")
class Log1p(Unary):
    """The natural logarithm of 1 + x, elementwise; accurate near 0."""

    numpy = (np.log1p,)
    inputs = ("x",)
    kernel = staticmethod(np.log1p)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy / (1 + conj(x)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.log1p(x)


@declare("sqrt")
class Sqrt(Unary):
    """The square root, elementwise."""

    numpy = (np.sqrt,)
    inputs = ("x",)
    kernel = staticmethod(np.sqrt)

    def vjp(self, dy: Any, y: Any) -> Any:
        # At 0 the derivative is infinite; a cotangent of zero stays zero there.
        return (MultiplyNoNan(0.5 / conj(y), dy),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.sqrt(x)


@declare("rsqrt")
class Rsqrt(Unary):
    """1 / sqrt(x), elementwise."""

    def kernel(self, x: Any) -> Any:
        return 1 / np.sqrt(x)

    def vjp(self, dy: Any, y: Any) -> Any:
        y = conj(y)
        # In this order, since y**3 soon leaves the range of float16, where the product with dy need not.
        return (MultiplyNoNan(y * y, MultiplyNoNan(-0.5 * y, dy)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.rsqrt(x)


@declare("pow")
class Pow(Binary):
    """The first input to the power of the second, elementwise.

    Where the base is not positive, the derivative with respect to the exponent is taken as 0.
    """

    kinds = "fVciu"
    numpy = (np.power,)
    checked_kinds = "i"
    ufunc = None

    def kernel(self, a: Any, b: Any) -> Any:
        if b.dtype.kind == "i" and np.any(b < 0):
            raise self.error(
                errors.InvalidArgumentError,
                "Integers to negative integer powers are not allowed: b has a negative element.",
                "cast the base to a floating dtype first.",
            )
        return a**b

    def vjp(self, dy: Any, a: Any, b: Any, y: Any, *, needs: Any) -> Any:
        if dy.dtype.kind == "c":
            a, b, y = conj(a), conj(b), conj(y)
        da = db = None
        if needs[0]:
            da = unbroadcast(dy * (b * Pow(a, b - 1)), a)
        if needs[1]:
            has_log = a != 0 if dy.dtype.kind == "c" else a > 0
            db = unbroadcast(dy * (y * Log(Where(has_log, a, number(1, a)))), b)
        return da, db

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.pow(a, b)


@declare("integer_pow")
class IntegerPow(Unary):
    """x to a power that is a positive Python integer, by multiplications.

    Several times faster than `pow`, and its derivatives of any order are finite at 0.
    """

    kinds = "fVciu"

    def kernel(self, x: Any, *, exponent: int) -> Any:
        y = x
        for bit in _after_first_bit(exponent):
            y = y * y
            if bit:
                y = y * x
        return y

    def vjp(self, dy: Any, x: Any, *, exponent: int) -> Any:
        if exponent == 1:
            return (dy,)
        return (dy * (exponent * IntegerPow(conj(x), exponent=exponent - 1)),)

    def scalar(self, cg: Any, x: Any, *, exponent: int) -> Any:
        y = x
        for bit in _after_first_bit(exponent):
            y = cg.mul(y, y)
            if bit:
                y = cg.mul(y, x)
        return y


def _after_first_bit(n: int) -> list[bool]:
    """The binary digits of n, without the leading one: the steps of repeated squaring."""
    return [digit == "1" for digit in bin(n)[3:]]
