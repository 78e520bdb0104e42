"""Sums, products, extremes and means along axes, and running ones."""

from __future__ import annotations

import builtins
from typing import Any

from keras.src.backend.common import standardize_dtype

import gradtape as tf
from gradtape.keras_backend.convert import (
    as_float,
    cast_tensor,
    convert_to_tensor,
    float_operands,
    operands,
    widened,
)
from gradtape.numpy_functions import selection

# Sums of narrow integers are computed in 32 bits.
WIDE = {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}


def wide(x: Any, dtype: Any = None) -> Any:
    """What is summed: in the given dtype, or narrow integers in 32 bits."""
    x = convert_to_tensor(x)
    return cast_tensor(x, WIDE.get(x.dtype.name, x.dtype) if dtype is None else standardize_dtype(dtype))


def sum(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The sum along axes."""
    x = wide(x)
    return x if axis == () else tf.reduce_sum(x, axis=axis, keepdims=keepdims)


def prod(x: Any, axis: Any = None, keepdims: Any = False, dtype: Any = None) -> Any:
    """The product along axes."""
    x = wide(x, dtype)
    return x if axis == () else tf.reduce_prod(x, axis=axis, keepdims=keepdims)


def mean(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The mean along axes; integers become `floatx`."""
    x = as_float(x)
    return x if axis == () else tf.reduce_mean(x, axis=axis, keepdims=keepdims)


def var(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The variance along axes."""
    x, back = widened(as_float(x))
    return back(tf.zeros_like(x) if axis == () else tf.math.reduce_variance(x, axis=axis, keepdims=keepdims))


def std(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The standard deviation along axes."""
    x, back = widened(as_float(x))
    return back(tf.zeros_like(x) if axis == () else tf.math.reduce_std(x, axis=axis, keepdims=keepdims))


def _extreme(reduce: Any, combine: Any, of_booleans: Any) -> Any:
    def apply(x: Any, axis: Any = None, keepdims: Any = False, initial: Any = None) -> Any:
        x = convert_to_tensor(x)
        if axis == ():
            return x
        _check_not_empty(x, axis, initial)
        if x.dtype.kind == "b":
            result = of_booleans(x, axis=axis, keepdims=keepdims)
            if initial is None:
                return result
            return cast_tensor(combine(cast_tensor(result, "int32"), int(bool(initial))), "bool")
        result = reduce(x, axis=axis, keepdims=keepdims)
        return result if initial is None else combine(result, convert_to_tensor(initial, x.dtype))

    return apply


def _check_not_empty(x: Any, axis: Any, initial: Any) -> Any:
    if initial is None and 0 in tuple(x.shape):
        shape = tuple(x.shape)
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
        if builtins.any(shape[a] == 0 for a in axes):
            raise ValueError("zero-size array to a reduction operation which has no identity; give `initial`.")


max = _extreme(tf.reduce_max, tf.maximum, tf.reduce_any)
min = _extreme(tf.reduce_min, tf.minimum, tf.reduce_all)
max.__name__, min.__name__ = "max", "min"


def amax(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """As `max`."""
    return max(x, axis, keepdims)


def amin(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """As `min`."""
    return min(x, axis, keepdims)


def ptp(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The distance of the extremes."""
    return tf.subtract(max(x, axis, keepdims), min(x, axis, keepdims))


def _place(find: Any) -> Any:
    def apply(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
        x = convert_to_tensor(x)
        if x.dtype.kind == "b":
            x = cast_tensor(x, "int32")
        rank = x.ndim
        if axis is None:
            place = find(tf.reshape(x, (-1,)), axis=0, output_type="int32")
            return tf.reshape(place, (1,) * rank) if keepdims else place
        place = find(x, axis=axis, output_type="int32")
        return tf.expand_dims(place, axis) if keepdims else place

    return apply


argmax = _place(tf.argmax)
argmin = _place(tf.argmin)
argmax.__name__, argmin.__name__ = "argmax", "argmin"


def _running(function: Any) -> Any:
    def apply(x: Any, axis: Any = None, dtype: Any = None) -> Any:
        x = convert_to_tensor(x)
        if dtype is not None:
            x = cast_tensor(x, standardize_dtype(dtype))
        elif x.dtype.kind == "b":
            x = cast_tensor(x, "int32")
        return function(tf.reshape(x, (-1,)), axis=0) if axis is None else function(x, axis=axis)

    return apply


cumsum = _running(tf.math.cumsum)
cumprod = _running(tf.math.cumprod)
cumsum.__name__, cumprod.__name__ = "cumsum", "cumprod"


def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """The mean along axes, with weights."""
    if weights is None:
        return mean(x, axis)
    x, weights = float_operands(x, weights)
    if tuple(weights.shape) != tuple(x.shape):
        shape = [1] * x.ndim
        shape[axis] = -1
        weights = tf.broadcast_to(tf.reshape(weights, shape), tuple(x.shape))
    return tf.divide(tf.reduce_sum(x * weights, axis=axis), tf.reduce_sum(weights, axis=axis))


def diff(a: Any, n: Any = 1, axis: Any = -1) -> Any:
    """Differences of neighbours, n times."""
    return selection.diff(convert_to_tensor(a), n, axis)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """The integral by the trapezoidal rule."""
    y = as_float(y)
    if x is not None:
        x = convert_to_tensor(x)
        dx = diff(x, axis=axis if x.ndim > 1 else -1)
        if dx.ndim == 1 and y.ndim > 1:
            shape = [1] * y.ndim
            shape[axis] = -1
            dx = tf.reshape(dx, shape)
    y, dx = operands(y, as_float(dx) if x is not None else convert_to_tensor(dx, y.dtype))
    before = (builtins.slice(None),) * (axis % y.ndim)
    low, high = y[(*before, builtins.slice(None, -1))], y[(*before, builtins.slice(1, None))]
    return tf.reduce_sum(dx * (low + high) * 0.5, axis=axis)
