"""Products and quotients in which a zero factor wins, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.accumulation_dtype import is_narrow
from gradtape.ops.division import Reciprocal
from gradtape.ops.exponential import Log, Log1p
from gradtape.ops.family import Binary, conj, unbroadcast
from gradtape.ops.selection import Where, number


class ZeroWins(Binary):
    """A product whose first factor decides where it is zero, whatever the second is.

    The derivative by the first factor is the second one, and 0 where the first is 0, as in TensorFlow.
    """

    kinds = "fVc"
    outputs = ("z",)


@declare("xlogy")
class Xlogy(ZeroWins):
    """x * log(y), elementwise, and 0 where x is 0."""

    def kernel(self, x: Any, y: Any) -> Any:
        return _unless_zero(x, x * np.log(y))

    def vjp(self, dy: Any, x: Any, y: Any, *, needs: Any) -> Any:
        x, y = conj(x), conj(y)
        return (
            unbroadcast(dy * Log(_unless(x, y, 1)), x) if needs[0] else None,
            unbroadcast(dy * Xdivy(x, y), y) if needs[1] else None,
        )

    def scalar(self, cg: Any, x: Any, y: Any) -> Any:
        return _select_unless_zero(cg, x, cg.mul(x, cg.log(y)))


@declare("xlog1py")
class Xlog1py(ZeroWins):
    """x * log(1 + y), elementwise, and 0 where x is 0; accurate where y is close to 0."""

    def kernel(self, x: Any, y: Any) -> Any:
        return _unless_zero(x, x * np.log1p(y))

    def vjp(self, dy: Any, x: Any, y: Any, *, needs: Any) -> Any:
        x, y = conj(x), conj(y)
        return (
            unbroadcast(dy * Log1p(_unless(x, y, 0)), x) if needs[0] else None,
            unbroadcast(dy * Xdivy(x, 1 + y), y) if needs[1] else None,
        )

    def scalar(self, cg: Any, x: Any, y: Any) -> Any:
        return _select_unless_zero(cg, x, cg.mul(x, cg.log1p(y)))


@declare("xdivy")
class Xdivy(ZeroWins):
    """x / y, elementwise, and 0 where x is 0."""

    def kernel(self, x: Any, y: Any) -> Any:
        return _unless_zero(x, x / y)

    def vjp(self, dy: Any, x: Any, y: Any, z: Any, *, needs: Any) -> Any:
        x, y, z = conj(x), conj(y), conj(z)
        dx = None
        if needs[0]:
            inverse = Where(x != 0, Reciprocal(_unless(x, y, 1)), number(0, y))
            dx = unbroadcast(dy * inverse, x)
        return dx, unbroadcast(-dy * Xdivy(z, y), y) if needs[1] else None

    def scalar(self, cg: Any, x: Any, y: Any) -> Any:
        return _select_unless_zero(cg, x, cg.div(x, y))


def _unless_zero(x: Any, product: Any) -> Any:
    return np.where(x == 0, number(0, product), product)


def _select_unless_zero(cg: Any, x: Any, product: Any) -> Any:
    zero = cg.constant(0, x)
    return cg.select(cg.eq(x, zero), zero, product)


def _unless(x: Any, y: Any, neutral: float) -> Any:
    """y where x is not zero, elsewhere a number that makes the other factor 0 or harmless."""
    return Where(x != 0, y, number(neutral, y))


@declare("logaddexp")
class Logaddexp(Binary):
    """log(exp(a) + exp(b)), elementwise, without overflow."""

    kinds = "fV"
    numpy = (np.logaddexp,)
    ufunc = None

    def kernel(self, a: Any, b: Any) -> Any:
        if is_narrow(a):
            return np.logaddexp(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)
        return np.logaddexp(a, b)

    def vjp(self, dy: Any, a: Any, b: Any, *, needs: Any) -> Any:
        return (
            unbroadcast(dy * LogaddexpShare(a, b), a) if needs[0] else None,
            unbroadcast(dy * LogaddexpShare(b, a), b) if needs[1] else None,
        )

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        # Infinities that are equal have no difference.
        gap = cg.select(cg.eq(a, b), cg.constant(0, a), cg.abs(cg.sub(a, b)))
        return cg.add(cg.maximum(a, b), cg.log1p(cg.exp(cg.neg(gap))))


@declare("logaddexp_share")
class LogaddexpShare(Binary):
    """exp(a) / (exp(a) + exp(b)), elementwise; a half where both are infinite alike.

    As an op of its own its derivative is the product of the two shares, neither of which loses digits.
    """

    kinds = "fV"

    def kernel(self, a: Any, b: Any) -> Any:
        difference = np.where(a == b, number(0, a), b - a)
        return 1 / (1 + np.exp(difference))

    def vjp(self, dy: Any, a: Any, b: Any, *, needs: Any) -> Any:
        d = dy * (LogaddexpShare(a, b) * LogaddexpShare(b, a))
        return unbroadcast(d, a) if needs[0] else None, unbroadcast(-d, b) if needs[1] else None

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        one = cg.constant(1, a)
        difference = cg.select(cg.eq(a, b), cg.constant(0, a), cg.sub(b, a))
        return cg.div(one, cg.add(one, cg.exp(difference)))
