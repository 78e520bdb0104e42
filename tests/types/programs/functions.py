"""Types of functions: `tf.function` keeps the signature of what it decorates."""

from typing import assert_type

import gradtape as tf


@tf.function
def affine(x: tf.Tensor, scale: float = 2.0, *, offset: int = 0) -> tf.Tensor:
    return x * scale + offset


@tf.function(jit_compile=True, reduce_retracing=True)
def pair(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return x, -x


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def norm(x: tf.Tensor) -> tf.Tensor:
    return tf.sqrt(tf.reduce_sum(x * x))


class Layer(tf.Module):
    """A layer with a traced method."""

    def __init__(self, size: int) -> None:
        super().__init__(name="layer")
        self.w = tf.Variable(tf.ones([size, size]))

    @tf.function
    def __call__(self, x: tf.Tensor, training: bool = False) -> tf.Tensor:
        return x @ self.w

    @tf.function(reduce_retracing=True)
    def loss(self, x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(self(x) ** 2)


x = tf.constant([[1.0, 2.0]])
layer = Layer(2)
assert_type(affine(x), tf.Tensor)
assert_type(affine(x, 3.0, offset=1), tf.Tensor)
assert_type(pair(x), tuple[tf.Tensor, tf.Tensor])
assert_type(norm(x[0]), tf.Tensor)
assert_type(layer(x, training=True), tf.Tensor)
assert_type(layer.loss(x), tf.Tensor)
assert_type(tf.function(lambda: 3)(), int)
affine.get_concrete_function(tf.TensorSpec([2], tf.float32))
layer.loss.get_concrete_function(x)
first, second = pair(x)
assert_type(first, tf.Tensor)
