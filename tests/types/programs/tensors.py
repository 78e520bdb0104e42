"""Types of tensors, variables and the functions of `tf`."""

from typing import assert_type

import numpy as np

import gradtape as tf

x = tf.constant([1.0, 2.0])
v = tf.Variable([1.0, 2.0], name="v")
i = tf.Variable(0)

# Operators, with all that can stand beside a tensor.
assert_type(x, tf.Tensor)
assert_type(x + x, tf.Tensor)
assert_type(x + 1, tf.Tensor)
assert_type(1.0 - x, tf.Tensor)
assert_type(v * 2, tf.Tensor)
assert_type(2 * v, tf.Tensor)
assert_type(v + x, tf.Tensor)
assert_type(x / v, tf.Tensor)
assert_type(x // 2, tf.Tensor)
assert_type(x % 2, tf.Tensor)
assert_type(x**2, tf.Tensor)
assert_type(2.0**x, tf.Tensor)
assert_type(x + [1.0, 2.0], tf.Tensor)
assert_type(x * np.float32(2), tf.Tensor)
assert_type(x + np.zeros(2, np.float32), tf.Tensor)
assert_type(tf.eye(2) @ tf.eye(2), tf.Tensor)
assert_type(-x, tf.Tensor)
assert_type(+v, tf.Tensor)
assert_type(abs(x), tf.Tensor)
assert_type(x < 2, tf.Tensor)
assert_type(v >= 1, tf.Tensor)
assert_type(x == 1.0, tf.Tensor)
assert_type(x != v, tf.Tensor)
assert_type((x > 0) & (v > 0), tf.Tensor)
assert_type(~(x > 0), tf.Tensor)
assert_type(x[0], tf.Tensor)
assert_type(x[..., tf.newaxis], tf.Tensor)
assert_type(v[1:] + 1, tf.Tensor)

# Attributes.
assert_type(x.shape, tf.TensorShape)
assert_type(x.dtype, tf.DType)
assert_type(x.ndim, int)
assert_type(x.device, str)
assert_type(v.name, str)
assert_type(v.dtype, tf.DType)
assert_type(v.trainable, bool)
assert_type(v.shape, tf.TensorShape)
assert_type(v.read_value(), tf.Tensor)
assert_type(v.assign_add(x), tf.Variable)
assert_type(v[0].assign(3.0), tf.Variable)
assert_type(v.scatter_add(tf.IndexedSlices(x[:1], tf.constant([0]))), tf.Variable)
assert_type(v.sparse_read([0, 1]), tf.Tensor)
assert_type(float(x[0]), float)
assert_type(len(x), int)
assert_type([y for y in x], list[tf.Tensor])  # noqa: C416

# Functions of families, functions written out, and names that load when they are first used.
assert_type(tf.reduce_sum(x, axis=0, keepdims=True), tf.Tensor)
assert_type(tf.math.reduce_logsumexp([[1.0, 2.0]], axis=[0, 1]), tf.Tensor)
assert_type(tf.tanh(x), tf.Tensor)
assert_type(tf.nn.relu(v), tf.Tensor)
assert_type(tf.add(x, 1), tf.Tensor)
assert_type(tf.less(x, v), tf.Tensor)
assert_type(tf.maximum([1, 2], 2), tf.Tensor)
assert_type(tf.einsum("i,i->", x, v), tf.Tensor)
assert_type(tf.concat([x, v], 0), tf.Tensor)
assert_type(tf.stack([x, x]), tf.Tensor)
assert_type(tf.reshape(x, [2, 1]), tf.Tensor)
assert_type(tf.cast(x, tf.int32), tf.Tensor)
assert_type(tf.zeros([2, 3]), tf.Tensor)
assert_type(tf.ones((2, 3), tf.bool), tf.Tensor)
assert_type(tf.range(3), tf.Tensor)
assert_type(tf.where(x > 1, x, 0.0), tf.Tensor)
assert_type(tf.gather(x, [0, 1]), tf.Tensor)
assert_type(tf.matmul([[1.0]], [[2.0]]), tf.Tensor)
assert_type(tf.sort([3, 1]), tf.Tensor)
assert_type(tf.cumsum([3, 1]), tf.Tensor)
assert_type(tf.linalg.inv(tf.eye(2)), tf.Tensor)
assert_type(tf.signal.fft([1 + 0j]), tf.Tensor)
assert_type(tf.strings.upper(["a"]), tf.Tensor)
assert_type(tf.random.normal([2]), tf.Tensor)
assert_type(tf.math.segment_sum([1.0, 2.0], [0, 0]), tf.Tensor)
assert_type(tf.nn.max_pool2d(tf.zeros([1, 2, 2, 1]), 2, 2, "VALID"), tf.Tensor)
assert_type(tf.float32, tf.DType)
assert_type(tf.bool, tf.DType)


def scaled(value: tf.types.TensorLike, shape: tf.types.Shape, dtype: tf.types.DType = "float32") -> tf.Tensor:
    return tf.reshape(tf.cast(value, dtype), shape) * 2


def total(array: tf.types.Array, axis: tf.types.Axis = None) -> tf.Tensor:
    return tf.reduce_sum(array, axis)


scaled(1.0, [])
scaled([[1, 2], [3, 4]], (4,), tf.float64)
scaled(np.arange(3), tf.TensorShape([3]), np.float32)
scaled(tf.ragged.constant([[1.0], [2.0]]).flat_values, [2], float)
total(np.ones((2, 2)), [0, 1])
