"""Functions of two tensors, element by element, promoted to one dtype."""

from __future__ import annotations

import math
from typing import Any

import gradtape as tf
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.keras_backend.convert import (
    as_float,
    cast_tensor,
    common_dtype,
    convert_to_tensor,
    float_operands,
    operands,
    shape,
    widened,
)
from gradtape.keras_backend.ops.numpy_fallback import computed_by_numpy


def add(x1: Any, x2: Any) -> Any:
    """x1 + x2; of booleans the logical or."""
    x1, x2 = operands(x1, x2)
    return tf.logical_or(x1, x2) if x1.dtype.kind == "b" else tf.add(x1, x2)


def subtract(x1: Any, x2: Any) -> Any:
    """x1 - x2."""
    x1, x2 = operands(x1, x2)
    return tf.subtract(x1, x2)


def multiply(x1: Any, x2: Any) -> Any:
    """x1 * x2; of booleans the logical and."""
    x1, x2 = operands(x1, x2)
    return tf.logical_and(x1, x2) if x1.dtype.kind == "b" else tf.multiply(x1, x2)


def divide(x1: Any, x2: Any) -> Any:
    """x1 / x2 as floating point numbers. Rows of a gradient stay rows if they are divided by one number."""
    if isinstance(x1, IndexedSlices) and not shape(x2):
        return type(x1)(divide(x1.values, x2), x1.indices, x1.dense_shape)
    x1, x2 = _to_divide(x1, x2)
    return tf.divide(x1, x2)


def true_divide(x1: Any, x2: Any) -> Any:
    """As `divide`."""
    return divide(x1, x2)


def divide_no_nan(x1: Any, x2: Any) -> Any:
    """x1 / x2, and 0 where x2 is 0."""
    x1, x2 = _to_divide(x1, x2)
    return tf.math.divide_no_nan(x1, x2)


def _to_divide(x1: Any, x2: Any) -> Any:
    x1, x2 = operands(x1, x2)
    return (as_float(x1), as_float(x2)) if x1.dtype.kind in "iub" else (x1, x2)


def _numbers(x1: Any, x2: Any) -> Any:
    """Operands of which booleans have become int32."""
    x1, x2 = operands(x1, x2)
    return (cast_tensor(x1, "int32"), cast_tensor(x2, "int32")) if x1.dtype.kind == "b" else (x1, x2)


def floor_divide(x1: Any, x2: Any) -> Any:
    """The largest integers below x1 / x2."""
    x1, x2 = _numbers(x1, x2)
    return tf.math.floordiv(x1, x2)


def mod(x1: Any, x2: Any) -> Any:
    """The remainder of `floor_divide`, with the sign of x2."""
    x1, x2 = _numbers(x1, x2)
    return tf.math.floormod(x1, x2)


def fmod(x1: Any, x2: Any) -> Any:
    """The remainder with the sign of x1."""
    x1, x2 = _numbers(x1, x2)
    return tf.truncatemod(x1, x2)


def power(x1: Any, x2: Any) -> Any:
    """x1 to the power of x2."""
    x1, x2 = _numbers(x1, x2)
    return tf.pow(x1, x2)


def maximum(x1: Any, x2: Any) -> Any:
    """The larger of both, nan if one is nan."""
    x1, x2 = operands(x1, x2)
    return tf.logical_or(x1, x2) if x1.dtype.kind == "b" else tf.maximum(x1, x2)


def minimum(x1: Any, x2: Any) -> Any:
    """The smaller of both, nan if one is nan."""
    x1, x2 = operands(x1, x2)
    return tf.logical_and(x1, x2) if x1.dtype.kind == "b" else tf.minimum(x1, x2)


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


def arctan2(x1: Any, x2: Any) -> Any:
    """The angle of the point (x2, x1)."""
    x1, x2 = float_operands(x1, x2)
    return tf.atan2(x1, x2)


def hypot(x1: Any, x2: Any) -> Any:
    """The length of (x1, x2), without overflow of the squares."""
    x1, x2 = float_operands(x1, x2, wide=True)
    a, b = tf.abs(x1), tf.abs(x2)
    large, small = tf.maximum(a, b), tf.minimum(a, b)
    ratio = tf.math.divide_no_nan(small, large)
    return large * tf.sqrt(1.0 + tf.square(ratio))


def logaddexp(x1: Any, x2: Any) -> Any:
    """log(exp(x1) + exp(x2))."""
    x1, x2 = float_operands(x1, x2)
    return tf.math.logaddexp(x1, x2)


def logaddexp2(x1: Any, x2: Any) -> Any:
    """log2(2**x1 + 2**x2)."""
    x1, x2 = float_operands(x1, x2)
    (x1, back), (x2, _) = widened(x1), widened(x2)
    factor = math.log(2.0)
    return back(tf.math.logaddexp(x1 * factor, x2 * factor) * (1.0 / factor))


def heaviside(x1: Any, x2: Any) -> Any:
    """0 below zero, 1 above, x2 at zero."""
    x1, x2 = float_operands(x1, x2, wide=True)
    zero, one = tf.zeros_like(x1), tf.ones_like(x1)
    step = tf.where(tf.less(x1, zero), zero, tf.where(tf.equal(x1, zero), x2, one))
    return tf.where(tf.math.is_nan(x1), x1, step)


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


def gcd(x1: Any, x2: Any) -> Any:
    """The greatest common divisor."""
    return computed_by_numpy("gcd", _numbers(x1, x2))


def lcm(x1: Any, x2: Any) -> Any:
    """The lowest common multiple."""
    return computed_by_numpy("lcm", _numbers(x1, x2))


def _bitwise(function: Any, of_booleans: Any) -> Any:
    def apply(x: Any, y: Any) -> Any:
        x, y = operands(x, y)
        return of_booleans(x, y) if x.dtype.kind == "b" else function(x, y)

    apply.__name__ = apply.__qualname__ = function.__name__
    return apply


bitwise_and = _bitwise(tf.bitwise.bitwise_and, tf.logical_and)
bitwise_or = _bitwise(tf.bitwise.bitwise_or, tf.logical_or)
bitwise_xor = _bitwise(tf.bitwise.bitwise_xor, tf.math.logical_xor)


def bitwise_not(x: Any) -> Any:
    """All bits inverted."""
    x = convert_to_tensor(x)
    return tf.logical_not(x) if x.dtype.kind == "b" else tf.bitwise.invert(x)


def bitwise_invert(x: Any) -> Any:
    """As `bitwise_not`."""
    return bitwise_not(x)


def bitwise_left_shift(x: Any, y: Any) -> Any:
    """x * 2**y."""
    return tf.bitwise.left_shift(*_numbers(x, y))


def left_shift(x: Any, y: Any) -> Any:
    """As `bitwise_left_shift`."""
    return bitwise_left_shift(x, y)


def bitwise_right_shift(x: Any, y: Any) -> Any:
    """x // 2**y."""
    return tf.bitwise.right_shift(*_numbers(x, y))


def right_shift(x: Any, y: Any) -> Any:
    """As `bitwise_right_shift`."""
    return bitwise_right_shift(x, y)
