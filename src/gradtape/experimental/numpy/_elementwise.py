"""Elementwise functions of `tf.experimental.numpy`: rows of `numpy_functions.elementwise`, and those with further parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradtape.api.families import family
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._promotion import POLICY, asarray, inexact, promoted
from gradtape.math import _conversion as conversion
from gradtape.math import _elementwise as elementwise
from gradtape.math import _reductions as reductions
from gradtape.numpy_functions import elementwise as numpy_elementwise
from gradtape.numpy_functions import selection
from gradtape.numpy_functions.rows import client

_rows = client(POLICY, "tf.experimental.numpy")

(abs, absolute, fabs, positive, negative, square, reciprocal) = _rows(
    "abs absolute fabs positive negative square reciprocal"
)
(sqrt, cbrt, exp, exp2, expm1, log, log2, log10, log1p) = _rows("sqrt cbrt exp exp2 expm1 log log2 log10 log1p")
(sin, cos, tan, arcsin, arccos, arctan, sinc) = _rows("sin cos tan arcsin arccos arctan sinc")
(sinh, cosh, tanh, arcsinh, arccosh, arctanh) = _rows("sinh cosh tanh arcsinh arccosh arctanh")
(deg2rad, rad2deg, floor, ceil, fix) = _rows("deg2rad rad2deg floor ceil fix")
(isfinite, isinf, isnan, isposinf, isneginf, isreal, iscomplex, signbit) = _rows(
    "isfinite isinf isnan isposinf isneginf isreal iscomplex signbit"
)
(add, subtract, multiply, divide, true_divide, floor_divide, mod, remainder, power, float_power) = _rows(
    "add subtract multiply divide true_divide floor_divide mod remainder power float_power"
)
(maximum, minimum, arctan2, hypot, heaviside, logaddexp, logaddexp2, nextafter, gcd, lcm) = _rows(
    "maximum minimum arctan2 hypot heaviside logaddexp logaddexp2 nextafter gcd lcm"
)
(equal, not_equal, less, less_equal, greater, greater_equal) = _rows(
    "equal not_equal less less_equal greater greater_equal"
)
(logical_and, logical_or, logical_xor, logical_not) = _rows("logical_and logical_or logical_xor logical_not")
(bitwise_and, bitwise_or, bitwise_xor, bitwise_not) = _rows("bitwise_and bitwise_or bitwise_xor bitwise_not")


@family("", val="numbers: a tensor, an array, or a value that becomes one.")
def _part(who: str, part: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(val: Any) -> Tensor:
        return part(asarray(val))

    return function


real = _part("real", "The real part.", "tf.experimental.numpy.real([1 + 2j]).numpy() -> array([1.])", conversion.real)
imag = _part(
    "imag", "The imaginary part.", "tf.experimental.numpy.imag([1 + 2j]).numpy() -> array([2.])", numpy_elementwise.imag
)


def conj(x: Any) -> Tensor:
    """The complex conjugate.

    Args:
      x: numbers.

    >>> tf.experimental.numpy.conj([1j]).numpy()
    array([0.-1.j])
    """
    return conversion.conj(asarray(x))


def conjugate(x: Any) -> Tensor:
    """As `conj`.

    >>> tf.experimental.numpy.conjugate([2j]).numpy()
    array([0.-2.j])
    """
    return conj(x)


def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Tensor:
    """-1, 0 or 1; complex numbers divided by their absolute values.

    Args:
      x: numbers.
      out: None: tensors are immutable.
      where: None: use `tf.where`.
      **kwargs: none is taken.

    >>> tf.experimental.numpy.sign([-2.5, 0.0]).numpy()
    array([-1.,  0.])
    """
    if out is not None or where is not None or kwargs:
        raise errors.build(ValueError, "sign: arguments other than x are not taken.", "use tf.where for `where`.")
    return elementwise.sign(asarray(x))


def angle(z: Any, deg: bool = False) -> Tensor:
    """The angle of complex numbers.

    Args:
      z: numbers.
      deg: in degrees instead of radians.

    >>> tf.experimental.numpy.angle([1j, 1.0], deg=True).numpy()
    array([90.,  0.])
    """
    found = conversion.angle(inexact(z)[0])
    return found * (180.0 / math.pi) if deg else found


def around(a: Any, decimals: int = 0) -> Tensor:
    """The numbers rounded to a number of decimals; halves to the even neighbour.

    Args:
      a: numbers.
      decimals: how many; negative ones count digits in front of the point.

    >>> tf.experimental.numpy.around([1.25, 2.5], 1).numpy()
    array([1.2, 2.5])
    """
    return numpy_elementwise.rounded(asarray(a), decimals)


def round(a: Any, decimals: int = 0) -> Tensor:
    """As `around`.

    >>> tf.experimental.numpy.round([0.5, 1.5]).numpy()
    array([0., 2.])
    """
    return around(a, decimals)


def clip(a: Any, a_min: Any, a_max: Any) -> Tensor:
    """The numbers limited to a range.

    Args:
      a: numbers.
      a_min: the lower limit, or None.
      a_max: the upper limit, or None.

    >>> tf.experimental.numpy.clip([-3, 0, 3], -1, None).numpy()
    array([-1,  0,  3])
    """
    if a_min is None and a_max is None:
        raise errors.build(ValueError, "clip: a_min and a_max are both None.", "give at least one of them.")
    if a_min is not None:
        a = elementwise.maximum(*promoted(a, a_min))
    return a if a_max is None else elementwise.minimum(*promoted(a, a_max))


def divmod(x1: Any, x2: Any) -> tuple[Any, Any]:
    """The quotient rounded down, and the remainder.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> [int(part) for part in tf.experimental.numpy.divmod(7, 2)]
    [3, 1]
    """
    return floor_divide(x1, x2), mod(x1, x2)


def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """True where two numbers differ by no more than `atol + rtol · |b|`.

    Args:
      a: numbers.
      b: numbers, of a shape that broadcasts with the first.
      rtol: the relative tolerance.
      atol: the absolute tolerance.
      equal_nan: whether two NaN are alike.

    >>> tf.experimental.numpy.isclose([1.0, 2.0], [1.0 + 1e-9, 2.1]).numpy()
    array([ True, False])
    """
    a, b = promoted(a, b)
    is_exact = not (a.dtype.is_floating or a.dtype.is_complex)
    return elementwise.equal(a, b) if is_exact else selection.isclose(a, b, rtol, atol, equal_nan)


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """True if `isclose` is true everywhere.

    >>> bool(tf.experimental.numpy.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9]))
    True
    """
    return reductions.reduce_all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any) -> Tensor:
    """True if two arrays have the same shape and the same elements.

    >>> bool(tf.experimental.numpy.array_equal([1, 2], [1, 2]))
    True
    """
    a1, a2 = promoted(a1, a2)
    if tuple(a1.shape) != tuple(a2.shape):
        return asarray(False)
    return reductions.reduce_all(elementwise.equal(a1, a2))
