"""Elementwise division and remainders."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import NotDifferentiable, declare
from gradtape.ops.arithmetic import MultiplyNoNan
from gradtape.ops.family import Binary, Unary, conj, unbroadcast, unbroadcast_to
from gradtape.ops.selection import number


@declare("divide")
class Divide(Binary):
    """The quotient of floating point or complex numbers, elementwise."""

    kinds = "fVc"
    numpy = (np.true_divide,)
    inputs = ("a", "b")
    kernel = staticmethod(operator.truediv)

    def vjp(self, dy: Any, a_shape: Any, b: Any, y: Any, *, needs: Any) -> Any:
        d = dy / conj(b)
        return (
            unbroadcast_to(d, a_shape) if needs[0] else None,
            unbroadcast(-d * conj(y), b) if needs[1] else None,
        )

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.div(a, b)


@declare("divide_no_nan")
class DivideNoNan(Binary):
    """The quotient, elementwise, and zero where the divisor is zero."""

    kinds = "fVc"

    def kernel(self, a: Any, b: Any) -> Any:
        zero = b == 0
        y = a / (b + zero)
        return np.where(zero, number(0, y), y)

    def vjp(self, dy: Any, a_shape: Any, b: Any, y: Any, *, needs: Any) -> Any:
        d = DivideNoNan(dy, conj(b))
        return (
            unbroadcast_to(d, a_shape) if needs[0] else None,
            unbroadcast(-d * conj(y), b) if needs[1] else None,
        )

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        zero = cg.constant(0, b)
        empty = cg.eq(b, zero)
        return cg.select(empty, zero, cg.div(a, cg.select(empty, cg.constant(1, b), b)))


@declare("reciprocal")
class Reciprocal(Unary):
    """1 / x, elementwise."""

    numpy = (np.reciprocal,)
    inputs = ("x",)
    kernel = staticmethod(np.reciprocal)

    def vjp(self, dy: Any, y: Any) -> Any:
        # A cotangent of zero stays zero where y is infinite.
        y = conj(y)
        return (MultiplyNoNan(-(y * y), dy),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.div(cg.constant(1, x), x)


class Quotient(Binary):
    """A rounded division: integers must not be divided by zero, floats give inf or NaN."""

    kinds = "fViu"
    checked_kinds = "iu"
    ufunc = None

    def refuse_zero(self, b: Any) -> None:
        """Raises if one of the integers in `b` is zero."""
        if b.dtype.kind in "iu" and np.any(b == 0):
            raise self.error(
                errors.InvalidArgumentError,
                "Integer division by zero: b must not have an element that is 0.",
                "mask the zeros first, or divide floats, which gives inf or nan.",
            )


@declare("floordiv")
class FloorDiv(Quotient):
    """The quotient rounded down, elementwise."""

    numpy = (np.floor_divide,)
    vjp = NotDifferentiable("a rounded quotient is piecewise constant")

    def kernel(self, a: Any, b: Any) -> Any:
        if a.dtype.kind in "iu":
            self.refuse_zero(b)
            return a // b
        # Not `a // b`, which in NumPy is exact before it rounds: 1.0 // 0.1 is 9 there, and 10 in TensorFlow.
        return np.floor(a / b)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.floor(cg.div(a, b)) if cg.dtype(a).is_floating else cg.floordiv(a, b)


@declare("floormod")
class FloorMod(Quotient):
    """The remainder of the division rounded down, elementwise: it has the sign of the divisor."""

    numpy = (np.remainder,)

    def kernel(self, a: Any, b: Any) -> Any:
        self.refuse_zero(b)
        return a % b

    def vjp(self, dy: Any, a: Any, b: Any, *, needs: Any) -> Any:
        return (
            unbroadcast(dy, a) if needs[0] else None,
            unbroadcast(-dy * FloorDiv(a, b), b) if needs[1] else None,
        )

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.floormod(a, b)


@declare("truncatediv")
class TruncateDiv(Quotient):
    """The quotient rounded toward zero, elementwise."""

    vjp = NotDifferentiable("a rounded quotient is piecewise constant")

    def kernel(self, a: Any, b: Any) -> Any:
        if a.dtype.kind in "iu":
            self.refuse_zero(b)
            return (a - np.fmod(a, b)) // b
        return np.trunc(a / b)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        if not cg.dtype(a).is_floating:
            return cg.floordiv(cg.sub(a, cg.truncmod(a, b)), b)
        q = cg.div(a, b)
        return cg.select(cg.lt(q, cg.constant(0, q)), cg.ceil(q), cg.floor(q))


@declare("truncatemod")
class TruncateMod(Quotient):
    """The remainder of the division rounded toward zero, elementwise: it has the sign of the dividend."""

    numpy = (np.fmod,)

    def kernel(self, a: Any, b: Any) -> Any:
        self.refuse_zero(b)
        return np.fmod(a, b)

    def vjp(self, dy: Any, a: Any, b: Any, *, needs: Any) -> Any:
        return (
            unbroadcast(dy, a) if needs[0] else None,
            unbroadcast(-dy * TruncateDiv(a, b), b) if needs[1] else None,
        )

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.truncmod(a, b)
