"""Elementwise comparisons and tests for NaN and infinity: the result is bool."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes
from gradtape.core.op import NotDifferentiable, declare
from gradtape.core.shape import Spec
from gradtape.ops.family import Compare, Unary

_CONSTANT = NotDifferentiable("the result is bool")


class Comparison(Compare):
    """A comparison of two inputs of one dtype."""

    inputs = ("a", "b")
    vjp = _CONSTANT


class Ordering(Comparison):
    """A comparison that needs an order: no complex numbers, bools or strings."""

    kinds = "fViu"


@declare("equal")
class Equal(Comparison):
    """True where the inputs are equal, elementwise."""

    kinds = "fVciubO"
    numpy = (np.equal,)
    kernel = staticmethod(np.equal)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.eq(a, b)


@declare("not_equal")
class NotEqual(Comparison):
    """True where the inputs are not equal, elementwise."""

    kinds = "fVciubO"
    numpy = (np.not_equal,)
    kernel = staticmethod(np.not_equal)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.ne(a, b)


@declare("less")
class Less(Ordering):
    """True where the first input is less than the second, elementwise."""

    numpy = (np.less,)
    kernel = staticmethod(np.less)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.lt(a, b)


@declare("less_equal")
class LessEqual(Ordering):
    """True where the first input is less than or equal to the second, elementwise."""

    numpy = (np.less_equal,)
    kernel = staticmethod(np.less_equal)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.le(a, b)


@declare("greater")
class Greater(Ordering):
    """True where the first input is greater than the second, elementwise."""

    numpy = (np.greater,)
    kernel = staticmethod(np.greater)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.gt(a, b)


@declare("greater_equal")
class GreaterEqual(Ordering):
    """True where the first input is greater than or equal to the second, elementwise."""

    numpy = (np.greater_equal,)
    kernel = staticmethod(np.greater_equal)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.ge(a, b)


class Predicate(Unary):
    """A test of each element."""

    kinds = "fV"
    inputs = ("x",)
    vjp = _CONSTANT

    def infer(self, x: Spec, **params: Any) -> Spec:
        self.check_dtypes(x)
        return Spec(x.shape, dtypes.bool_)


@declare("is_nan")
class IsNan(Predicate):
    """True where x is NaN, elementwise."""

    numpy = (np.isnan,)
    kernel = staticmethod(np.isnan)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.isnan(x)


@declare("is_inf")
class IsInf(Predicate):
    """True where x is infinite, of either sign, elementwise."""

    numpy = (np.isinf,)
    kernel = staticmethod(np.isinf)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.eq(cg.abs(x), cg.constant(np.inf, x))


@declare("is_finite")
class IsFinite(Predicate):
    """True where x is neither infinite nor NaN, elementwise."""

    numpy = (np.isfinite,)
    kernel = staticmethod(np.isfinite)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.isfinite(x)
