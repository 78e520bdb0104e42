"""The table of NumPy's elementwise functions: what they compute on tensors, and how their arguments are converted first."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import gradtape as tf
from gradtape.api.array_op import on_arrays
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec, broadcast
from gradtape.core.tensor import Tensor


class Row(NamedTuple):
    """One function.

    Attributes:
      converted: the method of `Policy` that makes tensors of the arguments.
      function: of these tensors.
      text: what it returns.
      example: `arguments -> result`.
      is_binary: of two arrays that broadcast, not of one.
    """

    converted: str
    function: Callable[..., Any]
    text: str
    example: str
    is_binary: bool = False


def in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that computes on float16 and bfloat16 in float32, where factors are not exact in fewer bits."""

    def wide(*xs: Any) -> Any:
        own = xs[0].dtype
        if not own.is_floating or own.size > 2:
            return function(*xs)
        return tf.cast(function(*[tf.cast(x, dtypes.float32) for x in xs]), own)

    return wide


def absolute(x: Any) -> Any:
    """|x|; that of unsigned integers and bools is x."""
    return x if x.dtype.is_bool or x.dtype.is_unsigned else tf.math.abs(x)


def conj(x: Any) -> Any:
    """The complex conjugate; real numbers stay."""
    return tf.math.conj(x) if x.dtype.is_complex else x


def real(x: Any) -> Tensor:
    """The real part."""
    return tf.math.real(x)


def imag(x: Any) -> Tensor:
    """The imaginary part; False for bools."""
    return tf.math.logical_xor(x, x) if x.dtype.is_bool else tf.math.imag(x)


def sign(x: Any) -> Tensor:
    """-1, 0 or 1, in the dtype of x; complex numbers divided by their absolute values."""
    is_signed = not (x.dtype.is_bool or x.dtype.is_unsigned)
    return tf.math.sign(x) if is_signed else tf.cast(tf.math.not_equal(x, tf.zeros_like(x)), x.dtype)


def signbit(x: Any) -> Any:
    """True where the sign is negative, that of -0.0 too."""
    # The sign of a zero shows in the infinity that its reciprocal is.
    if x.dtype.is_floating:
        return tf.math.less(tf.where(tf.math.equal(x, 0), 1.0 / x, x), 0)
    return isnan(x) if x.dtype.is_bool else tf.math.less(x, 0)


def truncate(x: Any) -> Any:
    """The whole number toward zero; integers stay."""
    if x.dtype.is_complex:
        return tf.math.floor(x)  # which refuses them
    return tf.where(x < 0, tf.math.ceil(x), tf.math.floor(x)) if x.dtype.is_floating else x


def rounded(x: Any, decimals: int = 0) -> Tensor:
    """The numbers rounded to decimals, halves to even; negative decimals round digits in front of the point."""
    own = x.dtype
    if own.is_bool or (own.is_integer and decimals >= 0):
        return tf.convert_to_tensor(x)
    factor = 10.0**decimals
    x = x if own.is_floating or own.is_complex else tf.cast(x, dtypes.float64)
    return tf.cast(tf.math.round(x * factor) / factor if decimals else tf.math.round(x), own)


def isfinite(x: Any) -> Any:
    """True where x is a finite number."""
    if x.dtype.is_complex:
        return tf.math.is_finite(tf.math.real(x)) & tf.math.is_finite(tf.math.imag(x))
    return tf.math.is_finite(x) if x.dtype.is_floating else tf.math.equal(x, x)


def isinf(x: Any) -> Any:
    """True where x is infinite."""
    if x.dtype.is_complex:
        return tf.math.is_inf(tf.math.real(x)) | tf.math.is_inf(tf.math.imag(x))
    return tf.math.is_inf(x) if x.dtype.is_floating else tf.math.not_equal(x, x)


def isnan(x: Any) -> Any:
    """True where x is not a number."""
    return tf.math.not_equal(x, x)


def _is_infinity(sign: float) -> Callable[..., Any]:
    def test(x: Any) -> Any:
        return tf.math.equal(x, sign * math.inf) if x.dtype.is_floating else tf.math.not_equal(x, x)

    return test


def _imaginary_is(zero: bool) -> Callable[..., Any]:
    def test(x: Any) -> Any:
        # Those of real numbers are 0; bools need no shape, which may be unknown.
        part = tf.math.imag(x) != 0 if x.dtype.is_complex else isnan(tf.cast(x, dtypes.bool_))
        return ~part if zero else part

    return test


def _cube_root(x: Any) -> Any:
    size = tf.math.abs(x)
    some = tf.where(size > 0, size, tf.ones_like(x))
    root = tf.math.pow(some, 1.0 / 3.0)
    # One step of Newton's method corrects the rounded exponent.
    step = (root - some / tf.math.square(root)) * (1.0 / 3.0)
    return tf.math.sign(x) * tf.where(tf.math.is_finite(step), root - step, root)


def _hypotenuse(a: Any, b: Any) -> Any:
    # Scaled by the larger one, so that squares do not overflow; the scale cancels in the derivative.
    large = tf.math.maximum(tf.math.abs(a), tf.math.abs(b))
    is_zero = tf.math.equal(large, 0)
    scale = tf.where(is_zero, tf.ones_like(large), large)
    length = scale * tf.math.sqrt(tf.math.square(a / scale) + tf.math.square(b / scale))
    return tf.where(is_zero | (tf.math.abs(large) == math.inf), large, length)


def _step(x: Any, at_zero: Any) -> Any:
    low, high = x - x, x - x + 1.0
    return tf.where(x < 0, low, tf.where(x > 0, high, tf.where(tf.math.equal(x, 0), at_zero + low, x)))


def _logaddexp2(a: Any, b: Any) -> Any:
    two = math.log(2.0)
    return tf.math.logaddexp(a * two, b * two) / two


def _on_bools(function: Callable[..., Any], on_bools: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b: (on_bools if a.dtype.is_bool else function)(a, b)


def _integers(a: Spec, b: Spec) -> Spec:
    common = broadcast(a.shape, b.shape)
    if common is None or not a.dtype.is_integer:
        raise errors.build(
            errors.ShapeError if common is None else errors.DTypeError,
            f"gcd, lcm: x1 and x2 must be integers, got {a} and {b}.",
            "give integers of shapes that broadcast.",
        )
    return Spec(common, a.dtype)


@on_arrays(_integers)
def _gcd(a: Any, b: Any) -> Any:
    return np.gcd(a, b)


@on_arrays(_integers)
def _lcm(a: Any, b: Any) -> Any:
    return np.lcm(a, b)


_Entry = tuple[str, Callable[..., Any], str, str]
_UNARY: dict[str, _Entry] = {
    # name: conversion, function, text, example
    "abs": ("arrays", absolute, "|x|.", "[-1, 2] -> array([1, 2])"),
    "absolute": ("arrays", absolute, "|x|.", "[-1.5] -> array([1.5])"),
    "fabs": ("inexact", absolute, "|x|, as floating point numbers.", "[-1] -> array([1.])"),
    "positive": ("arrays", lambda x: x, "x itself.", "[-1, 2] -> array([-1,  2])"),
    "negative": ("arrays", tf.math.negative, "-x.", "[-1, 2] -> array([ 1, -2])"),
    "square": ("numbers", tf.math.square, "x².", "[3, -4] -> array([ 9, 16])"),
    "conj": ("arrays", conj, "The complex conjugate.", "[1j] -> array([0.-1.j])"),
    "conjugate": ("arrays", conj, "The complex conjugate.", "[2j] -> array([0.-2.j])"),
    "sign": ("arrays", sign, "-1, 0 or 1.", "[-2.5, 0.0] -> array([-1.,  0.])"),
    "reciprocal": ("inexact", tf.math.reciprocal, "1 / x.", "[2, 4] -> array([0.5 , 0.25])"),
    "sqrt": ("inexact", tf.math.sqrt, "The square root.", "[4, 9] -> array([2., 3.])"),
    "cbrt": ("exact", _cube_root, "The cube root.", "[8.0, -1.0] -> array([ 2., -1.])"),
    "exp": ("inexact", tf.math.exp, "eˣ.", "[0] -> array([1.])"),
    "exp2": ("inexact", lambda x: tf.math.pow(2.0, x), "2ˣ.", "[0] -> array([1.])"),
    "expm1": ("inexact", tf.math.expm1, "eˣ - 1, exact near zero.", "[0] -> array([0.])"),
    "log": ("inexact", tf.math.log, "The natural logarithm.", "[1] -> array([0.])"),
    "log2": ("inexact", in_float32(lambda x: tf.math.log(x) / math.log(2.0)), "The logarithm to base 2.", "[2] -> array([1.])"),
    "log10": ("inexact", in_float32(lambda x: tf.math.log(x) / math.log(10.0)), "The logarithm to base 10.", "[10] -> array([1.])"),
    "log1p": ("inexact", tf.math.log1p, "log(1 + x), exact near zero.", "[0] -> array([0.])"),
    "sin": ("inexact", tf.math.sin, "The sine.", "[0] -> array([0.])"),
    "cos": ("inexact", tf.math.cos, "The cosine.", "[0] -> array([1.])"),
    "tan": ("inexact", tf.math.tan, "The tangent.", "[0] -> array([0.])"),
    "arcsin": ("inexact", tf.math.asin, "The inverse sine.", "[0] -> array([0.])"),
    "arccos": ("inexact", tf.math.acos, "The inverse cosine.", "[1] -> array([0.])"),
    "arctan": ("inexact", tf.math.atan, "The inverse tangent.", "[0] -> array([0.])"),
    "sinh": ("inexact", tf.math.sinh, "The hyperbolic sine.", "[0] -> array([0.])"),
    "cosh": ("inexact", tf.math.cosh, "The hyperbolic cosine.", "[0] -> array([1.])"),
    "tanh": ("inexact", tf.math.tanh, "The hyperbolic tangent.", "[0] -> array([0.])"),
    "arcsinh": ("inexact", tf.math.asinh, "The inverse hyperbolic sine.", "[0] -> array([0.])"),
    "arccosh": ("inexact", tf.math.acosh, "The inverse hyperbolic cosine.", "[1] -> array([0.])"),
    "arctanh": ("inexact", tf.math.atanh, "The inverse hyperbolic tangent.", "[0] -> array([0.])"),
    "sinc": ("inexact", tf.math.sinc, "sin(πx) / πx.", "[0] -> array([1.])"),
    "i0": ("inexact", in_float32(tf.math.bessel_i0), "The modified Bessel function of the first kind, of order 0.", "[0] -> array([1.])"),
    "deg2rad": ("exact", lambda x: x * (math.pi / 180.0), "Degrees in radians.", "[0.0] -> array([0.])"),
    "rad2deg": ("inexact", lambda x: x * (180.0 / math.pi), "Radians in degrees.", "[np.pi] -> array([180.])"),
    "floor": ("inexact", tf.math.floor, "The largest whole number that is not above.", "[1.7, -1.2] -> array([ 1., -2.])"),
    "ceil": ("inexact", tf.math.ceil, "The smallest whole number that is not below.", "[1.2, -1.7] -> array([ 2., -1.])"),
    "fix": ("inexact", truncate, "The whole number toward zero.", "[1.7, -1.7] -> array([ 1., -1.])"),
    "trunc": ("arrays", truncate, "The whole number toward zero; integers stay.", "[1.7, -1.7] -> array([ 1., -1.])"),
    "bitwise_not": ("arrays", operator.invert, "The bits inverted.", "[5, -1] -> array([-6,  0])"),
    "logical_not": ("truths", operator.invert, "True where x is zero.", "[0, 2] -> array([ True, False])"),
    "isfinite": ("arrays", isfinite, "True where x is a finite number.", "[np.inf, 1] -> array([False,  True])"),
    "isinf": ("arrays", isinf, "True where x is infinite.", "[np.inf, 1] -> array([ True, False])"),
    "isnan": ("arrays", isnan, "True where x is not a number.", "[np.nan, 1] -> array([ True, False])"),
    "isposinf": ("arrays", _is_infinity(1.0), "True where x is +∞.", "[np.inf, -np.inf] -> array([ True, False])"),
    "isneginf": ("arrays", _is_infinity(-1.0), "True where x is -∞.", "[np.inf, -np.inf] -> array([False,  True])"),
    "isreal": ("arrays", _imaginary_is(True), "True where the imaginary part is 0.", "[1j, 1] -> array([False,  True])"),
    "iscomplex": ("arrays", _imaginary_is(False), "True where the imaginary part is not 0.", "[1j, 1] -> array([ True, False])"),
    "signbit": ("arrays", signbit, "True where the sign is negative.", "[-1.0, 0.0] -> array([ True, False])"),
}  # fmt: skip

_BINARY: dict[str, _Entry] = {
    "add": ("promoted", _on_bools(tf.math.add, tf.math.logical_or), "x1 + x2.", "[1, 2], 0.5 -> array([1.5, 2.5])"),
    "subtract": ("promoted", tf.math.subtract, "x1 - x2.", "[1, 2], 1 -> array([0, 1])"),
    "multiply": ("promoted", _on_bools(tf.math.multiply, tf.math.logical_and), "x1 · x2.", "[1, 2], 3 -> array([3, 6])"),
    "divide": ("quotients", tf.math.truediv, "x1 / x2; integers give floating point numbers.", "[7, 8], 2 -> array([3.5, 4. ])"),
    "true_divide": ("quotients", tf.math.truediv, "x1 / x2, as `divide`.", "[7], 2 -> array([3.5])"),
    "divide_no_nan": ("quotients", tf.math.divide_no_nan, "x1 / x2, and 0 where x2 is 0.", "[7.0], 0.0 -> array([0.])"),
    "floor_divide": ("numbers", tf.math.floordiv, "x1 / x2, rounded down.", "[7, -7], 2 -> array([ 3, -4])"),
    "mod": ("numbers", tf.math.floormod, "The remainder, with the sign of x2.", "[7, -7], 3 -> array([1, 2])"),
    "remainder": ("numbers", tf.math.floormod, "The remainder, as `mod`.", "[7, -7], 3 -> array([1, 2])"),
    "fmod": ("numbers", tf.truncatemod, "The remainder, with the sign of x1.", "[7, -7], 3 -> array([ 1, -1])"),
    "power": ("numbers", tf.math.pow, "x1 to the power of x2.", "[2, 3], 2 -> array([4, 9])"),
    "float_power": ("inexact", tf.math.pow, "x1 to the power of x2, in floating point.", "[2, 3], 2 -> array([4., 9.])"),
    "maximum": ("promoted", _on_bools(tf.math.maximum, tf.math.logical_or), "The larger one.", "[1, 5], 3 -> array([3, 5])"),
    "minimum": ("promoted", _on_bools(tf.math.minimum, tf.math.logical_and), "The smaller one.", "[1, 5], 3 -> array([1, 3])"),
    "arctan2": ("inexact", tf.math.atan2, "The angle of the point (x2, x1).", "[0], 1 -> array([0.])"),
    "hypot": ("exact", _hypotenuse, "√(x1² + x2²).", "[3], 4 -> array([5.])"),
    "heaviside": ("exact", _step, "0 below zero, 1 above, x2 at zero.", "[-1, 0, 2], 0.5 -> array([0. , 0.5, 1. ])"),
    "logaddexp": ("inexact", tf.math.logaddexp, "log(exp x1 + exp x2).", "[-np.inf], 0 -> array([0.])"),
    "logaddexp2": ("inexact", in_float32(_logaddexp2), "log2(2 ** x1 + 2 ** x2).", "[-np.inf], 0 -> array([0.])"),
    "nextafter": ("inexact", tf.math.nextafter, "The next number after x1 toward x2.", "[0.0], 0.0 -> array([0.])"),
    "gcd": ("promoted", _gcd, "The greatest common divisor.", "[12, 18], 8 -> array([4, 2])"),
    "lcm": ("promoted", _lcm, "The least common multiple.", "[4, 6], 6 -> array([12,  6])"),
    "equal": ("promoted", tf.math.equal, "True where both are equal.", "[1, 2], 2.0 -> array([False,  True])"),
    "not_equal": ("promoted", tf.math.not_equal, "True where they differ.", "[1, 2], 2.0 -> array([ True, False])"),
    "less": ("numbers", tf.math.less, "x1 < x2.", "[1, 2], 2 -> array([ True, False])"),
    "less_equal": ("numbers", tf.math.less_equal, "x1 ≤ x2.", "[1, 3], 2 -> array([ True, False])"),
    "greater": ("numbers", tf.math.greater, "x1 > x2.", "[1, 3], 2 -> array([False,  True])"),
    "greater_equal": ("numbers", tf.math.greater_equal, "x1 ≥ x2.", "[1, 2], 2 -> array([False,  True])"),
    "logical_and": ("truths", tf.math.logical_and, "True where both are not zero.", "[0, 2], 3 -> array([False,  True])"),
    "logical_or": ("truths", tf.math.logical_or, "True where one is not zero.", "[0, 2], 0 -> array([False,  True])"),
    "logical_xor": ("truths", tf.math.logical_xor, "True where just one is not zero.", "[0, 2], 3 -> array([ True, False])"),
    "bitwise_and": ("promoted", operator.and_, "The bits that both have.", "[6, 5], 3 -> array([2, 1])"),
    "bitwise_or": ("promoted", operator.or_, "The bits that one has.", "[6, 5], 3 -> array([7, 7])"),
    "bitwise_xor": ("promoted", operator.xor, "The bits that just one has.", "[6, 5], 3 -> array([5, 6])"),
    "left_shift": ("numbers", tf.bitwise.left_shift, "x1 · 2 ** x2.", "[1, 2], 3 -> array([ 8, 16])"),
    "right_shift": ("numbers", tf.bitwise.right_shift, "x1 / 2 ** x2, rounded down.", "[8, 16], 3 -> array([1, 2])"),
}  # fmt: skip

ROWS: dict[str, Row] = {
    **{name: Row(*row) for name, row in _UNARY.items()},
    **{name: Row(*row, is_binary=True) for name, row in _BINARY.items()},
}
for _name, _original in [
    ("bitwise_invert", "bitwise_not"),
    ("bitwise_left_shift", "left_shift"),
    ("bitwise_right_shift", "right_shift"),
]:
    ROWS[_name] = ROWS[_original]
