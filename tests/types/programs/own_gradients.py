"""Functions with gradients of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_type

import gradtape as tf


@tf.custom_gradient
def log1pexp(x: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
    e = tf.exp(x)

    def grad(upstream: tf.Tensor) -> tf.Tensor:
        return upstream * (1 - 1 / (1 + e))

    return tf.math.log(1 + e), grad


@tf.custom_gradient
def clip(x: tf.Tensor, limit: float) -> tuple[tf.Tensor, Callable[[tf.Tensor], tuple[tf.Tensor, None]]]:
    def grad(dy: tf.Tensor) -> tuple[tf.Tensor, None]:
        return tf.clip_by_value(dy, -limit, limit), None

    return tf.identity(x), grad


x = tf.Variable(100.0)
with tf.GradientTape() as tape:
    y = log1pexp(x.read_value())
    assert_type(y, tf.Tensor)
print(tape.gradient(y, x))
z = clip(x.read_value(), 1.0)
assert_type(z, tf.Tensor)


@tf.recompute_grad
def heavy(v: tf.Tensor) -> tf.Tensor:
    return tf.sin(v) * tf.cos(v)


assert_type(heavy(tf.ones([2])), tf.Tensor)
with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant(1.0)) as acc:
    w = x * x
print(acc.jvp(w))


def body(i: tf.Tensor, s: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return i + 1, s + tf.cast(i, tf.float32)


i, s = tf.while_loop(lambda i, s: i < 5, body, [tf.constant(0), tf.constant(0.0)])
print(s.numpy())
out = tf.cond(s > 3, lambda: tf.constant(1), lambda: tf.constant(2))
print(out + 1)
m = tf.map_fn(lambda r: tf.reduce_sum(r), tf.ones([3, 2]))
print(m.shape)
