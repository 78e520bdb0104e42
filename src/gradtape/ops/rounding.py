"""Rounding, elementwise. Piecewise constant: a tape treats the result as a constant."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import NotDifferentiable, declare
from gradtape.ops.family import Unary


class Rounding(Unary):
    """A function that is constant between its jumps."""

    kinds = "fV"
    inputs = ("x",)
    vjp = NotDifferentiable("rounding is piecewise constant")


@declare("floor")
class Floor(Rounding):
    """The largest integer that is not above x, elementwise."""

    numpy = (np.floor,)
    kernel = staticmethod(np.floor)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.floor(x)


@declare("ceil")
class Ceil(Rounding):
    """The smallest integer that is not below x, elementwise."""

    numpy = (np.ceil,)
    kernel = staticmethod(np.ceil)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.ceil(x)


@declare("rint")
class Rint(Rounding):
    """The nearest integer, elementwise; halves go to the even one."""

    numpy = (np.rint,)
    kernel = staticmethod(np.rint)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.round_even(x)


@declare("round")
class Round(Rounding):
    """The nearest integer, elementwise; halves go to the even one, and integers stay."""

    kinds = "fViu"

    def kernel(self, x: Any) -> Any:
        return x if x.dtype.kind in "iu" else np.rint(x)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.round_even(x) if cg.dtype(x).is_floating else x
