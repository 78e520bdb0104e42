"""Pooling."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.config import standardize_data_format

import gradtape as tf
from gradtape.keras_backend.convert import as_float, convert_to_tensor
from gradtape.keras_backend.ops.nn.convolution import each, layout


def _pool(function: Any, inputs: Any, pool_size: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    count = inputs.ndim - 2
    size = each(pool_size, count)
    steps = size if strides is None else each(strides, count)
    return function(inputs, size, steps, padding.upper(), layout(data_format, count))


def max_pool(inputs: Any, pool_size: Any, strides: Any = None, padding: Any = "valid", data_format: Any = None) -> Any:
    """The largest element of each window."""
    return _pool(tf.nn.max_pool, convert_to_tensor(inputs), pool_size, strides, padding, data_format)


def average_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: Any = "valid", data_format: Any = None
) -> Any:
    """The mean of each window; padding does not count."""
    return _pool(tf.nn.avg_pool, as_float(inputs), pool_size, strides, padding, data_format)


def adaptive_average_pool(inputs: Any, output_size: Any, data_format: Any = None) -> Any:
    """Means of windows that divide the input into a given number of parts."""
    return _adaptive(as_float(inputs), output_size, data_format, _mean_along)


def adaptive_max_pool(inputs: Any, output_size: Any, data_format: Any = None) -> Any:
    """Largest elements of windows that divide the input into a given number of parts."""
    return _adaptive(convert_to_tensor(inputs), output_size, data_format, _max_along)


def _adaptive(x: Any, output_size: Any, data_format: Any, reduce: Any) -> Any:
    count = x.ndim - 2
    first = 1 if standardize_data_format(data_format) == "channels_last" else 2
    for axis, size in enumerate(each(output_size, count), first):
        if size is not None and size != x.shape[axis]:
            x = reduce(x, axis, *_windows(x.shape[axis], size))
    return x


def _windows(length: Any, count: Any) -> Any:
    """Begins and ends of windows that cover a length; neighbours may share an element."""
    numbers = np.arange(count)
    return numbers * length // count, -(-(numbers + 1) * length // count)


def _mean_along(x: Any, axis: Any, starts: Any, ends: Any) -> Any:
    """Means as one product with a matrix of weights."""
    length = x.shape[axis]
    places = np.arange(length)
    inside = (places[:, None] >= starts) & (places[:, None] < ends)
    weights = tf.constant((inside / (ends - starts)).astype(x.dtype.numpy))
    result = tf.tensordot(x, weights, [[axis], [0]])
    order = list(range(x.ndim - 1))
    order.insert(axis, x.ndim - 1)
    return tf.transpose(result, order)


def _max_along(x: Any, axis: Any, starts: Any, ends: Any) -> Any:
    """Windows of one length; the shorter ones name their last element twice."""
    longest = int((ends - starts).max())
    places = np.minimum(starts[:, None] + np.arange(longest), ends[:, None] - 1).astype("int32")
    return tf.reduce_max(tf.gather(x, places, axis=axis), axis=axis + 1)
