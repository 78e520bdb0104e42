"""Functions of two tensors, element by element, promoted to one dtype: rows of `numpy_functions.elementwise`, and a few more."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.keras_backend.convert import (
    POLICY,
    cast_tensor,
    common_dtype,
    convert_to_tensor,
    float_operands,
    operands,
    shape,
    widened,
)
from gradtape.keras_backend.ops.numpy_fallback import computed_by_numpy
from gradtape.numpy_functions.rows import client

_rows, _bits = client(POLICY), client(POLICY, named=("x", "y"))

(add, subtract, multiply, divide_no_nan, floor_divide, mod, fmod, power, maximum, minimum) = _rows(
    "add subtract multiply divide_no_nan floor_divide mod fmod power maximum minimum"
)
(arctan2, hypot, logaddexp, logaddexp2, heaviside, gcd, lcm) = _rows(
    "arctan2 hypot logaddexp logaddexp2 heaviside gcd lcm"
)
(bitwise_and, bitwise_or, bitwise_xor, bitwise_not, bitwise_invert) = _bits(
    "bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_invert"
)
(bitwise_left_shift, left_shift, bitwise_right_shift, right_shift) = _bits(
    "bitwise_left_shift left_shift bitwise_right_shift right_shift"
)


def divide(x1: Any, x2: Any) -> Any:
    """x1 / x2 as floating point numbers. Rows of a gradient stay rows if they are divided by one number."""
    if isinstance(x1, IndexedSlices) and not shape(x2):
        return type(x1)(divide(x1.values, x2), x1.indices, x1.dense_shape)
    return tf.divide(*float_operands(x1, x2))


def true_divide(x1: Any, x2: Any) -> Any:
    """As `divide`."""
    return divide(x1, x2)


def fmax(x1: Any, x2: Any) -> Any:
    """The larger of both, or the one that is not nan."""
    return _beside_nan(maximum, x1, x2)


def fmin(x1: Any, x2: Any) -> Any:
    """The smaller of both, or the one that is not nan."""
    return _beside_nan(minimum, x1, x2)


def _beside_nan(choose: Any, x1: Any, x2: Any) -> Any:
    x1, x2 = operands(x1, x2)
    if x1.dtype.kind in "iub":
        return choose(x1, x2)
    return tf.where(tf.math.is_nan(x1), x2, tf.where(tf.math.is_nan(x2), x1, choose(x1, x2)))


def ldexp(x1: Any, x2: Any) -> Any:
    """x1 * 2**x2."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    if x2.dtype.kind not in "iu":
        raise TypeError(f"ldexp exponent must be an integer type. Received: x2 dtype={x2.dtype.name}")
    dtype = common_dtype(x1, x2, 1.0)
    x1, back = widened(cast_tensor(x1, dtype))
    return back(x1 * tf.pow(tf.constant(2.0, x1.dtype), cast_tensor(x2, x1.dtype)))


def nextafter(x1: Any, x2: Any) -> Any:
    """The next number after x1 in the direction of x2."""
    x1, x2 = float_operands(x1, x2)
    if x1.dtype.name in ("float32", "float64"):
        return tf.math.nextafter(x1, x2)
    return computed_by_numpy("nextafter", (x1, x2))
