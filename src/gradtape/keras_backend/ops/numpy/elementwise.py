"""Functions of one tensor, element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.keras_backend.convert import as_float, cast_tensor, convert_to_tensor, operands, widened


def _floating(function: Any, name: Any) -> Any:
    """The backend's function for one of tf that takes floating point numbers."""

    def apply(x: Any) -> Any:
        return function(as_float(x))

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"`numpy.{name}`; integers become `floatx`."
    return apply


arccos = _floating(tf.acos, "arccos")
arccosh = _floating(tf.acosh, "arccosh")
arcsin = _floating(tf.asin, "arcsin")
arcsinh = _floating(tf.asinh, "arcsinh")
arctan = _floating(tf.atan, "arctan")
arctanh = _floating(tf.atanh, "arctanh")
cos = _floating(tf.cos, "cos")
cosh = _floating(tf.cosh, "cosh")
exp = _floating(tf.exp, "exp")
expm1 = _floating(tf.math.expm1, "expm1")
log = _floating(tf.math.log, "log")
log1p = _floating(tf.math.log1p, "log1p")
reciprocal = _floating(tf.math.reciprocal, "reciprocal")
sin = _floating(tf.sin, "sin")
sinh = _floating(tf.sinh, "sinh")
sqrt = _floating(tf.sqrt, "sqrt")
tan = _floating(tf.tan, "tan")
tanh = _floating(tf.tanh, "tanh")
ceil = _floating(tf.math.ceil, "ceil")
floor = _floating(tf.floor, "floor")


def exp2(x: Any) -> Any:
    """2 to the power of x."""
    return tf.exp(as_float(x) * math.log(2.0))


def log2(x: Any) -> Any:
    """The logarithm to the base of 2."""
    return _scaled_log(x, 1.0 / math.log(2.0))


def log10(x: Any) -> Any:
    """The logarithm to the base of 10."""
    return _scaled_log(x, 1.0 / math.log(10.0))


def _scaled_log(x: Any, factor: Any) -> Any:
    x, back = widened(as_float(x))
    return back(tf.math.log(x) * factor)


def cbrt(x: Any) -> Any:
    """The cube root, real for negative numbers too."""
    x = as_float(x, wide=True)
    magnitude = tf.abs(x)
    positive = tf.where(magnitude > 0, magnitude, tf.ones_like(x))
    root = tf.sign(x) * tf.exp(tf.math.log(positive) * (1.0 / 3.0))
    # One step of Newton's method takes the error of exp and log away.
    return root - (root - x / tf.where(magnitude > 0, tf.square(root), tf.ones_like(x))) * (1.0 / 3.0)


def deg2rad(x: Any) -> Any:
    """Degrees in radians."""
    return as_float(x, wide=True) * (math.pi / 180.0)


def rad2deg(x: Any) -> Any:
    """Radians in degrees."""
    return as_float(x) * (180.0 / math.pi)


def i0(x: Any) -> Any:
    """The modified Bessel function of the first kind, of order 0."""
    x, back = widened(as_float(x))
    return back(tf.math.bessel_i0(x))


def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), 1 at 0."""
    return tf.math.sinc(as_float(x))


def absolute(x: Any) -> Any:
    """Absolute values; those of complex numbers are real."""
    x = convert_to_tensor(x)
    return x if x.dtype.kind in "ub" else tf.abs(x)


def abs(x: Any) -> Any:
    """As `absolute`."""
    return absolute(x)


def fabs(x: Any) -> Any:
    """Absolute values as floating point numbers."""
    return tf.abs(as_float(x))


def negative(x: Any) -> Any:
    """-x."""
    return tf.negative(convert_to_tensor(x))


def square(x: Any) -> Any:
    """x squared; booleans become int32."""
    x = convert_to_tensor(x)
    return tf.square(cast_tensor(x, "int32") if x.dtype.kind == "b" else x)


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    x = convert_to_tensor(x)
    if x.dtype.kind in "ub":
        return cast_tensor(tf.not_equal(x, tf.zeros_like(x)), x.dtype)
    return tf.sign(x)


def signbit(x: Any) -> Any:
    """True for negative numbers, -0.0 among them."""
    x = convert_to_tensor(x)
    if x.dtype.kind in "ub":
        return tf.zeros(x.shape, "bool")
    if x.dtype.kind == "i":
        return tf.less(x, tf.zeros_like(x))
    # The reciprocal of -0.0 is -inf.
    zero = tf.zeros_like(x)
    return tf.logical_or(tf.less(x, zero), tf.logical_and(tf.equal(x, zero), tf.less(tf.math.reciprocal(x), zero)))


def trunc(x: Any) -> Any:
    """The nearest integers towards zero; integers are returned as they are."""
    x = convert_to_tensor(x)
    if x.dtype.kind in "iub":
        return x
    return tf.where(tf.less(x, tf.zeros_like(x)), tf.math.ceil(x), tf.floor(x))


def round(x: Any, decimals: Any = 0) -> Any:
    """Numbers rounded to a number of decimals, half to even."""
    x = convert_to_tensor(x)
    if x.dtype.kind == "b" or (x.dtype.kind in "iu" and decimals >= 0):
        return x
    if not decimals:
        return tf.round(x)
    factor = 10.0**decimals
    if x.dtype.kind in "iu":
        return cast_tensor(tf.round(tf.cast(x, "float64") * factor) / factor, x.dtype)
    return tf.round(x * factor) / factor


def real(x: Any) -> Any:
    """Real parts."""
    x = convert_to_tensor(x)
    return tf.math.real(x) if x.dtype.is_complex else x


def imag(x: Any) -> Any:
    """Imaginary parts, zeros for real numbers."""
    x = convert_to_tensor(x)
    return tf.math.imag(x) if x.dtype.is_complex else tf.zeros_like(x)


def conj(x: Any) -> Any:
    """Complex conjugates."""
    x = convert_to_tensor(x)
    return tf.math.conj(x) if x.dtype.is_complex else x


def conjugate(x: Any) -> Any:
    """As `conj`."""
    return conj(x)


def angle(x: Any) -> Any:
    """The angle of complex numbers: 0 or pi for real ones."""
    x = as_float(x)
    if x.dtype.is_complex:
        return tf.math.angle(x)
    x, back = widened(x)
    return back(tf.atan2(tf.zeros_like(x), x))


def isreal(x: Any) -> Any:
    """True where the imaginary part is zero."""
    x = convert_to_tensor(x)
    if not x.dtype.is_complex:
        return tf.ones(x.shape, "bool")
    part = tf.math.imag(x)
    return tf.equal(part, tf.zeros_like(part))


def _finite_test(function: Any, constant: Any) -> Any:
    """A test of floating point numbers; that of integers is known."""

    def apply(x: Any) -> Any:
        x = convert_to_tensor(x)
        if x.dtype.kind in "iub":
            return tf.fill(x.shape, constant)
        if x.dtype.is_complex:
            return _join(function(tf.math.real(x)), function(tf.math.imag(x)))
        return function(x)

    _join = tf.logical_and if constant else tf.logical_or
    apply.__name__ = apply.__qualname__ = function.__name__.replace("_", "")
    return apply


isfinite = _finite_test(tf.math.is_finite, True)
isinf = _finite_test(tf.math.is_inf, False)
isnan = _finite_test(tf.math.is_nan, False)


def isposinf(x: Any) -> Any:
    """True for +inf."""
    x = as_float(x)
    return tf.logical_and(tf.math.is_inf(x), tf.greater(x, tf.zeros_like(x)))


def isneginf(x: Any) -> Any:
    """True for -inf."""
    x = as_float(x)
    return tf.logical_and(tf.math.is_inf(x), tf.less(x, tf.zeros_like(x)))


def nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """x with numbers in the places of nan, inf and -inf: by default zero and the largest and least of the dtype."""
    x = convert_to_tensor(x)
    if x.dtype.kind in "iub":
        return x
    limits = x.dtype.limits
    posinf = limits[1] if posinf is None else posinf
    neginf = limits[0] if neginf is None else neginf
    x = tf.where(tf.math.is_nan(x), convert_to_tensor(nan, x.dtype), x)
    x = tf.where(isposinf(x), convert_to_tensor(posinf, x.dtype), x)
    return tf.where(isneginf(x), convert_to_tensor(neginf, x.dtype), x)


def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """x between two bounds; booleans become int32."""
    x = convert_to_tensor(x)
    if x.dtype.kind == "b":
        x = cast_tensor(x, "int32")
    x, low, high = operands(x, x_min, x_max)
    return tf.minimum(tf.maximum(x, low), high)


def copy(x: Any) -> Any:
    """A copy of the tensor."""
    return tf.identity(convert_to_tensor(x))


def view(x: Any, dtype: Any = None) -> Any:
    """The same bytes as another dtype."""
    x = convert_to_tensor(x)
    if dtype is None:
        return x
    wanted = tf.as_dtype(dtype)
    own, new = x.dtype.size, wanted.size
    if own == new:
        return tf.bitcast(x, wanted)
    if own > new:
        *lead, last = _sizes(x)
        return tf.reshape(tf.bitcast(x, wanted), (*lead, last * (own // new)))
    factor = new // own
    *lead, last = _sizes(x)
    if isinstance(last, int) and last % factor:
        raise ValueError(
            f"Cannot view an array of shape={x.shape} and dtype={x.dtype.name} as dtype={wanted.name}: the last "
            f"dimension must be divisible by {factor}."
        )
    return tf.bitcast(tf.reshape(x, (*lead, last // factor, factor)), wanted)


def _sizes(x: tf.Tensor) -> list[Any]:
    """The sizes of axes: ints where they are known, scalar tensors where they are not."""
    known = x.shape.as_list()
    return [tf.shape(x)[i] if n is None else n for i, n in enumerate(known)]


def ndim(x: Any) -> Any:
    """The number of dimensions."""
    return np.ndim(x) if not hasattr(x, "ndim") else x.ndim


def size(x: Any) -> Any:
    """The number of elements."""
    x = convert_to_tensor(x)
    return convert_to_tensor(math.prod(x.shape)) if None not in tuple(x.shape) else tf.size(x)
