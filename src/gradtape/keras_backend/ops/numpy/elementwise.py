"""Functions of one tensor, element by element: rows of `numpy_functions.elementwise`, and those with further parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.keras_backend.convert import POLICY, as_float, cast_tensor, convert_to_tensor, operands, widened
from gradtape.numpy_functions import elementwise as shared
from gradtape.numpy_functions.rows import client

_rows = client(POLICY)

(abs, absolute, fabs, negative, square, conj, conjugate, reciprocal, sign, signbit) = _rows(
    "abs absolute fabs negative square conj conjugate reciprocal sign signbit"
)
(sqrt, cbrt, exp, exp2, expm1, log, log2, log10, log1p) = _rows("sqrt cbrt exp exp2 expm1 log log2 log10 log1p")
(sin, cos, tan, arcsin, arccos, arctan, sinc, i0) = _rows("sin cos tan arcsin arccos arctan sinc i0")
(sinh, cosh, tanh, arcsinh, arccosh, arctanh) = _rows("sinh cosh tanh arcsinh arccosh arctanh")
(deg2rad, rad2deg, floor, ceil, trunc) = _rows("deg2rad rad2deg floor ceil trunc")
(isfinite, isinf, isnan, isposinf, isneginf, isreal) = _rows("isfinite isinf isnan isposinf isneginf isreal")


def round(x: Any, decimals: Any = 0) -> Any:
    """Numbers rounded to a number of decimals, half to even."""
    return shared.rounded(convert_to_tensor(x), decimals)


def real(x: Any) -> Any:
    """Real parts."""
    return shared.real(convert_to_tensor(x))


def imag(x: Any) -> Any:
    """Imaginary parts, zeros for real numbers."""
    return shared.imag(convert_to_tensor(x))


def angle(x: Any) -> Any:
    """The angle of complex numbers: 0 or pi for real ones."""
    x = as_float(x)
    if x.dtype.is_complex:
        return tf.math.angle(x)
    x, back = widened(x)
    return back(tf.atan2(tf.zeros_like(x), x))


def nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """x with numbers in the places of nan, inf and -inf: by default zero and the largest and least of the dtype."""
    x = convert_to_tensor(x)
    if x.dtype.kind in "iub":
        return x
    limits = x.dtype.min, x.dtype.max
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
