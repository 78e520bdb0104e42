"""Logic on bools, and bitwise logic and shifts on integers, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import NotDifferentiable, declare
from gradtape.ops.family import Binary, Unary

_DISCRETE = NotDifferentiable("bools and integers have no derivative")


class Logical(Binary):
    """Two bools in, one out."""

    kinds = "b"
    inputs = ("a", "b")
    vjp = _DISCRETE


class Bitwise(Binary):
    """Two integers of one dtype in, one out."""

    kinds = "iu"
    inputs = ("a", "b")
    vjp = _DISCRETE


@declare("logical_and")
class LogicalAnd(Logical):
    """True where both inputs are true, elementwise."""

    numpy = (np.logical_and,)
    kernel = staticmethod(np.logical_and)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.bit_and(a, b)


@declare("logical_or")
class LogicalOr(Logical):
    """True where one input or both are true, elementwise."""

    numpy = (np.logical_or,)
    kernel = staticmethod(np.logical_or)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.bit_or(a, b)


@declare("logical_xor")
class LogicalXor(Logical):
    """True where exactly one input is true, elementwise."""

    numpy = (np.logical_xor,)
    kernel = staticmethod(np.logical_xor)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.bit_xor(a, b)


@declare("logical_not")
class LogicalNot(Unary):
    """True where x is false, elementwise."""

    kinds = "b"
    numpy = (np.logical_not,)
    inputs = ("x",)
    kernel = staticmethod(np.logical_not)
    vjp = _DISCRETE

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.bit_not(x)


@declare("bitwise_and")
class BitwiseAnd(Bitwise):
    """The bits that both integers have, elementwise."""

    numpy = (np.bitwise_and,)
    kernel = staticmethod(np.bitwise_and)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.bit_and(a, b)


@declare("bitwise_or")
class BitwiseOr(Bitwise):
    """The bits that one integer or both have, elementwise."""

    numpy = (np.bitwise_or,)
    kernel = staticmethod(np.bitwise_or)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.bit_or(a, b)


@declare("bitwise_xor")
class BitwiseXor(Bitwise):
    """The bits that exactly one integer has, elementwise."""

    numpy = (np.bitwise_xor,)
    kernel = staticmethod(np.bitwise_xor)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.bit_xor(a, b)


@declare("invert")
class Invert(Unary):
    """Every bit of x turned over, elementwise."""

    kinds = "iu"
    numpy = (np.invert,)
    inputs = ("x",)
    kernel = staticmethod(np.invert)
    vjp = _DISCRETE

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.bit_not(x)


class Shift(Bitwise):
    """A shift. As in TensorFlow, the number of places is limited to what the dtype has: from 0 to its bits less one."""

    def limit(self, cg: Any, b: Any) -> Any:
        """The number of bits to shift by, emitted."""
        return cg.minimum(cg.maximum(b, cg.constant(0, b)), cg.constant(cg.dtype(b).size * 8 - 1, b))


@declare("left_shift")
class LeftShift(Shift):
    """The first integer shifted left by the number of bits in the second, elementwise."""

    def kernel(self, a: Any, b: Any) -> Any:
        return np.left_shift(a, np.clip(b, 0, b.dtype.itemsize * 8 - 1))

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.shift_left(a, self.limit(cg, b))


@declare("right_shift")
class RightShift(Shift):
    """The first integer shifted right by the number of bits in the second, elementwise; the sign is kept."""

    def kernel(self, a: Any, b: Any) -> Any:
        return np.right_shift(a, np.clip(b, 0, b.dtype.itemsize * 8 - 1))

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.shift_right(a, self.limit(cg, b))
