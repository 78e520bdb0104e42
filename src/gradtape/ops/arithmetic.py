"""Elementwise arithmetic."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.family import Binary, Unary, conj, same_shape, unbroadcast, unbroadcast_to


@declare("add")
class Add(Binary):
    """a + b, elementwise."""

    numpy = (np.add,)
    inputs = ("a", "b")
    kernel = staticmethod(operator.add)

    def vjp(self, dy: Any, a_shape: Any, b_shape: Any, *, needs: Any) -> Any:
        return (
            unbroadcast_to(dy, a_shape) if needs[0] else None,
            unbroadcast_to(dy, b_shape) if needs[1] else None,
        )

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.add(a, b)


@declare("subtract")
class Subtract(Binary):
    """a - b, elementwise."""

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
    """a * b, elementwise."""

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


@declare("negative")
class Negative(Unary):
    """-x, elementwise."""

    numpy = (np.negative,)
    kinds = "fVciu"
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
