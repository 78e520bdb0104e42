"""Complex numbers: parts, conjugates, absolute values and angles, elementwise.

A cotangent of a complex z is dL/dRe(z) + i dL/dIm(z).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import declare
from gradtape.core.patterns import movement
from gradtape.core.patterns.movement import Copy, Move, View
from gradtape.core.shape import Spec
from gradtape.ops.division import DivideNoNan
from gradtape.ops.family import NO_LOWERING, Binary, Unary, conj, unbroadcast_to
from gradtape.ops.selection import number

_COMPLEX: dict[Any, np.dtype[Any]] = {
    np.dtype(np.float32): np.dtype(np.complex64),
    np.dtype(np.float64): np.dtype(np.complex128),
}


class RealPart(Unary):
    """Complex in, real of the same precision out."""

    kinds = "c"
    lower: Any = NO_LOWERING

    def infer(self, x: Spec, **params: Any) -> Spec:
        return Spec(x.shape, self.check_dtypes(x).real_dtype)


@declare("complex")
class Complex(Binary):
    """a + ib of two real numbers, elementwise."""

    kinds = "f"

    def infer(self, a: Spec, b: Spec, **params: Any) -> Spec:
        dtype = self.check_dtypes(a, b)
        if dtype.numpy not in _COMPLEX:
            raise self.error(
                errors.DTypeError,
                f"the parts must both be float32 or float64, got {a} and {b}.",
                "use tf.cast(x, tf.float32) for both.",
            )
        return Spec(self.broadcast_shape(a, b), dtypes.from_numpy(_COMPLEX[dtype.numpy]))

    def kernel(self, a: Any, b: Any) -> Any:
        # Not a + 1j * b, which makes NaN of an infinite b. The sum has the shape and the array type of the result.
        y = np.empty_like(a + b, dtype=_COMPLEX[a.dtype])
        np.copyto(np.real(y), a)
        np.copyto(np.imag(y), b)
        return y

    def vjp(self, dy: Any, a_shape: Any, b_shape: Any, *, needs: Any) -> Any:
        return (
            unbroadcast_to(Real(dy), a_shape) if needs[0] else None,
            unbroadcast_to(Imag(dy), b_shape) if needs[1] else None,
        )

    def lower(self, a: Spec, b: Spec) -> Copy:
        shape = self.broadcast_shape(a, b)
        moves = [
            Move(i, movement.broadcast(movement.contiguous(x.shape), shape), _parts(shape, i))
            for i, x in enumerate((a, b))
        ]
        return Copy(tuple(moves), a.dtype.size)


def _parts(shape: tuple[int, ...], which: int) -> View:
    """Where the real (0) or imaginary (1) parts of complex numbers are among all parts."""
    return View(shape, tuple([2 * s for s in movement.packed(shape)]), which)


@declare("real")
class Real(RealPart):
    """The real part, elementwise."""

    def kernel(self, x: Any) -> Any:
        return np.real(x)

    def vjp(self, dy: Any) -> Any:
        return (Complex(dy, number(0, dy)),)

    def lower(self, x: Spec) -> Copy:
        return movement.seen(_parts(x.shape, 0))


@declare("imag")
class Imag(RealPart):
    """The imaginary part, elementwise."""

    def kernel(self, x: Any) -> Any:
        return np.imag(x)

    def vjp(self, dy: Any) -> Any:
        return (Complex(number(0, dy), dy),)

    def lower(self, x: Spec) -> Copy:
        return movement.seen(_parts(x.shape, 1))


@declare("conj")
class Conj(Unary):
    """The complex conjugate, elementwise; real numbers stay."""

    kinds = "fVciu"
    numpy = (np.conj,)
    inputs = ("x",)
    kernel = staticmethod(np.conj)
    lower = NO_LOWERING

    def vjp(self, dy: Any) -> Any:
        return (conj(dy),)


@declare("complex_abs")
class ComplexAbs(RealPart):
    """The absolute value of complex numbers, elementwise. Its derivative at 0 is 0."""

    inputs = ("x",)
    kernel = staticmethod(np.abs)

    def vjp(self, dy: Any, x: Any, y: Any) -> Any:
        d = DivideNoNan(dy, y)
        return (x * Complex(d, number(0, d)),)


@declare("angle")
class Angle(RealPart):
    """The angle of complex numbers, elementwise, from -pi to pi."""

    def kernel(self, x: Any) -> Any:
        return np.angle(x)

    def vjp(self, dy: Any, x: Any) -> Any:
        a, b = Real(x), Imag(x)
        d = dy / (a * a + b * b)
        return (Complex(-d * b, d * a),)
