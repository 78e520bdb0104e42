"""Activation functions."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.keras_backend.convert import as_float, cast_tensor, convert_to_tensor, widened
from gradtape.keras_backend.ops.nn.logits import remember


def relu(x: Any) -> Any:
    """max(x, 0)."""
    return tf.nn.relu(convert_to_tensor(x))


def relu6(x: Any) -> Any:
    """x between 0 and 6."""
    return tf.nn.relu6(convert_to_tensor(x))


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    x = as_float(x)
    return remember(tf.sigmoid(x), x)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return tf.tanh(as_float(x))


def tanh_shrink(x: Any) -> Any:
    """x - tanh(x)."""
    x = as_float(x)
    return x - tf.tanh(x)


def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return tf.math.softplus(as_float(x))


def softsign(x: Any) -> Any:
    """x / (1 + |x|)."""
    return tf.nn.softsign(as_float(x))


def soft_shrink(x: Any, threshold: Any = 0.5) -> Any:
    """x moved towards zero by a threshold, and 0 below it."""
    x = as_float(x)
    return tf.where(x > threshold, x - threshold, tf.where(x < -threshold, x + threshold, tf.zeros_like(x)))


def hard_shrink(x: Any, threshold: Any = 0.5) -> Any:
    """x, and 0 where it is small."""
    x = as_float(x)
    return tf.where(tf.abs(x) > threshold, x, tf.zeros_like(x))


def sparse_plus(x: Any) -> Any:
    """0 below -1, x above 1, a parabola between."""
    x = as_float(x)
    return tf.where(x <= -1.0, tf.zeros_like(x), tf.where(x < 1.0, tf.square(x + 1.0) * 0.25, x))


def sparse_sigmoid(x: Any) -> Any:
    """0 below -1, 1 above 1, a line between."""
    x = as_float(x)
    return tf.where(x <= -1.0, tf.zeros_like(x), tf.where(x >= 1.0, tf.ones_like(x), 0.5 * (x + 1.0)))


def silu(x: Any) -> Any:
    """x * sigmoid(x)."""
    return tf.nn.silu(as_float(x))


def squareplus(x: Any, b: Any = 4) -> Any:
    """(x + sqrt(x² + b)) / 2."""
    x = as_float(x)
    return (x + tf.sqrt(tf.square(x) + convert_to_tensor(b, x.dtype))) * 0.5


def log_sigmoid(x: Any) -> Any:
    """log(sigmoid(x))."""
    return tf.math.log_sigmoid(as_float(x))


def leaky_relu(x: Any, negative_slope: Any = 0.2) -> Any:
    """x where it is positive, a part of it elsewhere."""
    return tf.nn.leaky_relu(as_float(x), negative_slope)


def hard_sigmoid(x: Any) -> Any:
    """x / 6 + 0.5, between 0 and 1."""
    x = as_float(x)
    return tf.nn.relu6(x + 3.0) * (1.0 / 6.0)


def hard_silu(x: Any) -> Any:
    """x * hard_sigmoid(x)."""
    x = as_float(x)
    return x * hard_sigmoid(x)


def hard_tanh(x: Any) -> Any:
    """x between -1 and 1."""
    x = as_float(x)
    return tf.clip_by_value(x, -1.0, 1.0)


def elu(x: Any, alpha: Any = 1.0) -> Any:
    """x where it is positive, alpha * (exp(x) - 1) elsewhere."""
    x = as_float(x)
    result = tf.nn.elu(x)
    return result if alpha == 1 else tf.where(x > 0.0, result, result * alpha)


def celu(x: Any, alpha: Any = 1.0) -> Any:
    """x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere."""
    x = as_float(x)
    return tf.maximum(x, 0.0) + alpha * tf.math.expm1(tf.minimum(x, 0.0) / alpha)


def selu(x: Any) -> Any:
    """The scaled exponential linear unit."""
    return tf.nn.selu(as_float(x))


def gelu(x: Any, approximate: Any = True) -> Any:
    """x times the probability that a normal number is below it."""
    return tf.nn.gelu(as_float(x), approximate=approximate)


def glu(x: Any, axis: Any = -1) -> Any:
    """The first half along an axis, times the sigmoid of the second."""
    x = convert_to_tensor(x)
    if x.shape[axis] % 2 != 0:
        raise ValueError(f"axis size must be divisible by 2. Received: x.shape={tuple(x.shape)} with axis={axis}")
    first, second = tf.split(x, 2, axis=axis)
    return first * tf.sigmoid(second)


def threshold(x: Any, threshold: Any, default_value: Any) -> Any:
    """x where it is above a threshold, a value elsewhere."""
    x = as_float(x)
    return tf.where(x > threshold, x, cast_tensor(convert_to_tensor(default_value), x.dtype))


def softmax(x: Any, axis: Any = -1) -> Any:
    """exp(x) divided by its sum along axes."""
    x = as_float(x)
    return remember(_over_axes(tf.nn.softmax, x, axis), x)


def log_softmax(x: Any, axis: Any = -1) -> Any:
    """The logarithm of softmax."""
    return _over_axes(tf.nn.log_softmax, as_float(x), axis)


def _over_axes(function: Any, x: Any, axis: Any) -> Any:
    """A function of one axis on several, which are made one for it."""
    if isinstance(axis, int):
        return function(x, axis=axis)
    if axis is None:
        return tf.reshape(function(tf.reshape(x, (-1,)), axis=-1), tuple(x.shape))
    axes = [a % x.ndim for a in axis]
    if len(axes) == 1:
        return function(x, axis=axes[0])
    order = [a for a in range(x.ndim) if a not in axes] + axes
    moved = tf.transpose(x, order)
    shape = tuple(moved.shape)
    flat = function(tf.reshape(moved, (*shape[: x.ndim - len(axes)], -1)), axis=-1)
    return tf.transpose(tf.reshape(flat, shape), [order.index(a) for a in range(x.ndim)])


def sparsemax(x: Any, axis: Any = -1) -> Any:
    """The nearest point of the simplex, in which many elements are zero."""
    x, back = widened(as_float(x))
    axis = axis % x.ndim
    order = [a for a in range(x.ndim) if a != axis] + [axis]
    rows = tf.transpose(x, order)
    size = rows.shape[-1]
    ordered = tf.reverse(tf.sort(rows, axis=-1), [rows.ndim - 1])
    sums = tf.math.cumsum(ordered, axis=-1)
    ranks = tf.cast(tf.range(1, size + 1), x.dtype)
    inside = tf.cast(1.0 + ranks * ordered > sums, x.dtype)
    count = tf.reduce_sum(inside, axis=-1, keepdims=True)
    excess = (tf.reduce_sum(ordered * inside, axis=-1, keepdims=True) - 1.0) / count
    result = tf.maximum(rows - excess, 0.0)
    return back(tf.transpose(result, [order.index(a) for a in range(x.ndim)]))
