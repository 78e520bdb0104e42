"""Elementwise arithmetic: sums, products, squares, signs."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradtape.core.dispatch import execute
from gradtape.core.op import NotDifferentiable, declare
from gradtape.ops.family import NO_LOWERING, Binary, Unary, boxed, conj, same_shape, unbroadcast, unbroadcast_to
from gradtape.ops.selection import number, zeros


@declare("add")
class Add(Binary):
    """The sum, elementwise."""

    numpy = (np.add,)
    inputs = ("a", "b")
    kernel = staticmethod(operator.add)

    def __call__(self, *inputs: Any, **params: Any) -> Any:
        """The sum; strings are put one behind the other."""
        if getattr(getattr(inputs[0], "dtype", None), "kind", "") == "O":
            return AddStrings(*inputs)
        return execute(self, inputs, params)

    def vjp(self, dy: Any, a_shape: Any, b_shape: Any, *, needs: Any) -> Any:
        return (
            unbroadcast_to(dy, a_shape) if needs[0] else None,
            unbroadcast_to(dy, b_shape) if needs[1] else None,
        )

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.add(a, b)


@declare("add_strings")
class AddStrings(Binary):
    """The strings of the second input behind those of the first, elementwise."""

    inputs = ("a", "b")
    kinds = "O"
    elementwise = False
    vjp = NotDifferentiable("strings have no derivative")
    lower = NO_LOWERING

    def kernel(self, a: Any, b: Any) -> Any:
        return boxed(np.add(a, b))


@declare("subtract")
class Subtract(Binary):
    """The first input minus the second, elementwise."""

    numpy = (np.subtract,)
    inputs = ("a", "b")
    kernel = staticmethod(operator.sub)

    def vjp(self, dy: Any, a_shape: Any, b_shape: Any, *, needs: Any) -> Any:
        return (
            unbroadcast_to(dy, a_shape) if needs[0] else None,
            unbroadcast_to(-dy, b_shape) if needs[1] else None,
        )

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.sub(a, b)


@declare("multiply")
class Multiply(Binary):
    """The product, elementwise."""

    numpy = (np.multiply,)
    inputs = ("a", "b")
    kernel = staticmethod(operator.mul)

    def vjp(self, dy: Any, a: Any, b: Any, *, needs: Any) -> Any:
        if dy.dtype.kind == "c":
            a, b = conj(a), conj(b)
        if same_shape(dy, a, b):
            return dy * b if needs[0] else None, dy * a if needs[1] else None
        return (
            unbroadcast(dy * b, a) if needs[0] else None,
            unbroadcast(dy * a, b) if needs[1] else None,
        )

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.mul(a, b)


@declare("multiply_no_nan")
class MultiplyNoNan(Binary):
    """The product, elementwise, and zero where the second factor is zero, whatever the first is."""

    kinds = "fVc"

    def kernel(self, a: Any, b: Any) -> Any:
        y = a * b
        return np.where(b == 0, number(0, y), y)

    def vjp(self, dy: Any, a: Any, b: Any, *, needs: Any) -> Any:
        return (
            unbroadcast(MultiplyNoNan(dy, conj(b)), a) if needs[0] else None,
            unbroadcast(MultiplyNoNan(conj(a), dy), b) if needs[1] else None,
        )

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        zero = cg.constant(0, b)
        return cg.select(cg.eq(b, zero), zero, cg.mul(a, b))


@declare("squared_difference")
class SquaredDifference(Binary):
    """The square of the difference, elementwise."""

    kinds = "fViu"

    def kernel(self, a: Any, b: Any) -> Any:
        d = a - b
        return d * d

    def vjp(self, dy: Any, a: Any, b: Any, *, needs: Any) -> Any:
        d = a - b
        d = dy * (d + d)
        return unbroadcast(d, a) if needs[0] else None, unbroadcast(-d, b) if needs[1] else None

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        d = cg.sub(a, b)
        return cg.mul(d, d)


@declare("negative")
class Negative(Unary):
    """-x, elementwise."""

    numpy = (np.negative,)
    kinds = "fVci"
    inputs = ("x",)
    kernel = staticmethod(operator.neg)

    def vjp(self, dy: Any) -> Any:
        return (-dy,)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.neg(x)


@declare("square")
class Square(Unary):
    """x * x, elementwise."""

    numpy = (np.square,)
    kinds = "fVciu"

    def kernel(self, x: Any) -> Any:
        return x * x

    def vjp(self, dy: Any, x: Any) -> Any:
        x = conj(x)
        return (dy * (x + x),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.mul(x, x)


@declare("abs")
class Abs(Unary):
    """The absolute value, elementwise. Its derivative at 0 is 0."""

    numpy = (np.abs,)
    kinds = "fVi"
    inputs = ("x",)
    kernel = staticmethod(np.abs)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * Sign(x),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.abs(x)


@declare("sign")
class Sign(Unary):
    """-1, 0 or 1, elementwise; NaN of NaN. Its derivative is zero everywhere."""

    numpy = (np.sign,)
    kinds = "fVi"
    inputs = ("x",)
    kernel = staticmethod(np.sign)

    def vjp(self, dy: Any) -> Any:
        return (zeros(dy),)

    def scalar(self, cg: Any, x: Any) -> Any:
        zero, one = cg.constant(0, x), cg.constant(1, x)
        return cg.select(cg.gt(x, zero), one, cg.select(cg.lt(x, zero), cg.neg(one), x))
