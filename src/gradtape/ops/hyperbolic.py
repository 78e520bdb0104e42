"""Hyperbolic functions and their inverses, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.family import Unary, conj


@declare("sinh")
class Sinh(Unary):
    """The hyperbolic sine, elementwise."""

    numpy = (np.sinh,)
    inputs = ("x",)
    kernel = staticmethod(np.sinh)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * Cosh(conj(x)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.sinh(x)


@declare("cosh")
class Cosh(Unary):
    """The hyperbolic cosine, elementwise."""

    numpy = (np.cosh,)
    inputs = ("x",)
    kernel = staticmethod(np.cosh)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * Sinh(conj(x)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.cosh(x)


@declare("tanh")
class Tanh(Unary):
    """The hyperbolic tangent, elementwise."""

    numpy = (np.tanh,)
    inputs = ("x",)
    kernel = staticmethod(np.tanh)

    def vjp(self, dy: Any, y: Any) -> Any:
        y = conj(y)
        return (dy * (1 - y * y),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.tanh(x)


@declare("asinh")
class Asinh(Unary):
    """The inverse hyperbolic sine, elementwise."""

    numpy = (np.arcsinh,)
    inputs = ("x",)
    kernel = staticmethod(np.arcsinh)

    def vjp(self, dy: Any, y: Any) -> Any:
        # sqrt(1 + x²), which would overflow for large x, and is on the right branch for complex x.
        return (dy / Cosh(conj(y)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.asinh(x)


@declare("acosh")
class Acosh(Unary):
    """The inverse hyperbolic cosine, elementwise; not negative."""

    numpy = (np.arccosh,)
    inputs = ("x",)
    kernel = staticmethod(np.arccosh)

    def vjp(self, dy: Any, y: Any) -> Any:
        # sqrt(x - 1) * sqrt(x + 1), without cancellation near 1, and on the right branch for complex x.
        return (dy / Sinh(conj(y)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.acosh(x)


@declare("atanh")
class Atanh(Unary):
    """The inverse hyperbolic tangent, elementwise."""

    numpy = (np.arctanh,)
    inputs = ("x",)
    kernel = staticmethod(np.arctanh)

    def vjp(self, dy: Any, x: Any) -> Any:
        x = conj(x)
        return (dy / ((1 - x) * (1 + x)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.atanh(x)
