"""Trigonometric functions and their inverses, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.exponential import Sqrt
from gradtape.ops.family import Binary, Unary, conj, unbroadcast


@declare("sin")
class Sin(Unary):
    """The sine, elementwise."""

    numpy = (np.sin,)
    inputs = ("x",)
    kernel = staticmethod(np.sin)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * Cos(conj(x)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.sin(x)


@declare("cos")
class Cos(Unary):
    """The cosine, elementwise."""

    numpy = (np.cos,)
    inputs = ("x",)
    kernel = staticmethod(np.cos)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (-dy * Sin(conj(x)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.cos(x)


@declare("tan")
class Tan(Unary):
    """The tangent, elementwise."""

    numpy = (np.tan,)
    inputs = ("x",)
    kernel = staticmethod(np.tan)

    def vjp(self, dy: Any, y: Any) -> Any:
        y = conj(y)
        return (dy * (1 + y * y),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.tan(x)


def _one_less_square(x: Any) -> Any:
    """1 - x², without cancellation near 1 and -1."""
    return (1 - x) * (1 + x)


@declare("asin")
class Asin(Unary):
    """The inverse sine, elementwise, from -pi/2 to pi/2."""

    numpy = (np.arcsin,)
    inputs = ("x",)
    kernel = staticmethod(np.arcsin)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy / Sqrt(_one_less_square(conj(x))),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.asin(x)


@declare("acos")
class Acos(Unary):
    """The inverse cosine, elementwise, from 0 to pi."""

    numpy = (np.arccos,)
    inputs = ("x",)
    kernel = staticmethod(np.arccos)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (-dy / Sqrt(_one_less_square(conj(x))),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.acos(x)


@declare("atan")
class Atan(Unary):
    """The inverse tangent, elementwise, from -pi/2 to pi/2."""

    numpy = (np.arctan,)
    inputs = ("x",)
    kernel = staticmethod(np.arctan)

    def vjp(self, dy: Any, x: Any) -> Any:
        x = conj(x)
        return (dy / (1 + x * x),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.atan(x)


@declare("atan2")
class Atan2(Binary):
    """The angle of the point with the second input and the first as coordinates, elementwise, from -pi to pi."""

    kinds = "fV"
    numpy = (np.arctan2,)
    inputs = ("a", "b")
    kernel = staticmethod(np.arctan2)

    def vjp(self, dy: Any, a: Any, b: Any, *, needs: Any) -> Any:
        d = dy / (a * a + b * b)
        return unbroadcast(d * b, a) if needs[0] else None, unbroadcast(-d * a, b) if needs[1] else None

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.atan2(a, b)
