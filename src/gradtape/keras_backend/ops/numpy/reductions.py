"""Sums, products, extremes and means along axes, and running ones."""

from __future__ import annotations

import builtins
from typing import Any

import gradtape as tf
from gradtape.keras_backend.convert import POLICY, as_float, cast_tensor, convert_to_tensor, float_operands, operands
from gradtape.numpy_functions import selection
from gradtape.numpy_functions.statistics import Statistics

STATISTICS = Statistics(POLICY)
sum, prod, mean, var, std = STATISTICS.sum, STATISTICS.prod, STATISTICS.mean, STATISTICS.var, STATISTICS.std
argmax, argmin, cumsum, cumprod = STATISTICS.argmax, STATISTICS.argmin, STATISTICS.cumsum, STATISTICS.cumprod


def max(x: Any, axis: Any = None, keepdims: Any = False, initial: Any = None) -> Any:
    """The largest element along axes, or a number that is larger."""
    return _extreme(STATISTICS.max, tf.maximum, x, axis, keepdims, initial)


def min(x: Any, axis: Any = None, keepdims: Any = False, initial: Any = None) -> Any:
    """The smallest element along axes, or a number that is smaller."""
    return _extreme(STATISTICS.min, tf.minimum, x, axis, keepdims, initial)


def _extreme(reduce: Any, combine: Any, x: Any, axis: Any, keepdims: Any, initial: Any) -> Any:
    x = convert_to_tensor(x)
    if axis == ():
        return x
    _check_not_empty(x, axis, initial)
    result = reduce(x, axis, keepdims)
    if initial is None:
        return result
    if x.dtype.is_bool:
        return cast_tensor(combine(cast_tensor(result, "int32"), int(bool(initial))), "bool")
    return combine(result, convert_to_tensor(initial, x.dtype))


def _check_not_empty(x: Any, axis: Any, initial: Any) -> Any:
    if initial is None and 0 in tuple(x.shape):
        shape = tuple(x.shape)
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
        if builtins.any(shape[a] == 0 for a in axes):
            raise ValueError("zero-size array to a reduction operation which has no identity; give `initial`.")


def amax(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """As `max`."""
    return max(x, axis, keepdims)


def amin(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """As `min`."""
    return min(x, axis, keepdims)


def ptp(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The distance of the extremes."""
    return tf.subtract(max(x, axis, keepdims), min(x, axis, keepdims))


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
