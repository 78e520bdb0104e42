"""The complementary error function, and the inverses of the error functions and of the normal distribution."""

from __future__ import annotations

import math
from typing import Any

from gradtape.core.op import declare
from gradtape.ops.arithmetic import MultiplyNoNan
from gradtape.ops.exponential import Exp
from gradtape.ops.selection import ClipByValue, number
from gradtape.ops.special import SpecialFunction


@declare("erfc")
class Erfc(SpecialFunction):
    """1 minus the error function, elementwise; accurate where that is close to 1."""

    function = "erfc"

    def vjp(self, dy: Any, x: Any) -> Any:
        # Beyond 30 the density is zero in every dtype; the limit keeps higher derivatives from inf * 0.
        z = ClipByValue(x, number(-30, x), number(30, x))
        return (dy * ((-2 / math.sqrt(math.pi)) * Exp(-(z * z))),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.erfc(x)


@declare("erfinv")
class Erfinv(SpecialFunction):
    """The number whose error function is x, elementwise."""

    function = "erfinv"

    def vjp(self, dy: Any, y: Any) -> Any:
        return (MultiplyNoNan((math.sqrt(math.pi) / 2) * Exp(y * y), dy),)


@declare("erfcinv")
class Erfcinv(SpecialFunction):
    """The number whose complementary error function is x, elementwise; accurate where x is close to 0."""

    function = "erfcinv"

    def vjp(self, dy: Any, y: Any) -> Any:
        return (MultiplyNoNan((-math.sqrt(math.pi) / 2) * Exp(y * y), dy),)


@declare("ndtri")
class Ndtri(SpecialFunction):
    """The quantile of the standard normal distribution at x, elementwise."""

    function = "ndtri"

    def vjp(self, dy: Any, y: Any) -> Any:
        return (MultiplyNoNan(math.sqrt(2 * math.pi) * Exp(0.5 * (y * y)), dy),)
