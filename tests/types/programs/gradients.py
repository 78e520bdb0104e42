"""Types of gradients: what comes back has the nest of the sources."""

from collections.abc import Callable
from typing import Any, assert_type

import gradtape as tf

x = tf.constant(1.0)
w = tf.Variable(2.0)
b = tf.Variable(0.5)
weights = {"w": w, "b": b}

with tf.GradientTape(persistent=True) as tape:
    assert_type(tape, tf.GradientTape)
    tape.watch(x)
    y = w * x + b

assert_type(tape.gradient(y, w), tf.Tensor | Any)
assert_type(tape.gradient(y, x), tf.Tensor | Any)
assert_type(tape.gradient(y, [w, b]), list[tf.Tensor | Any])
assert_type(tape.gradient(y, [w, x]), list[tf.Tensor | Any])
assert_type(tape.gradient(y, (w, b)), tuple[tf.Tensor | Any, ...])
assert_type(tape.gradient(y, weights), dict[str, tf.Tensor | Any])
assert_type(tape.jacobian(y, w), tf.Tensor | Any)
assert_type(tape.watched_variables(), tuple[tf.Variable, ...])

dw = tape.gradient(y, w)
w.assign_sub(0.1 * dw)
if dw is None:
    raise ValueError
for variable, gradient in zip([w, b], tape.gradient(y, [w, b]), strict=True):
    variable.assign_sub(0.1 * gradient)


@tf.custom_gradient
def clipped(value: tf.Tensor, limit: float = 1.0) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
    def backward(dy: tf.Tensor) -> tf.Tensor:
        return tf.clip_by_value(dy, -limit, limit)

    return value, backward


assert_type(clipped(x, limit=2.0), tf.Tensor)
assert_type(tf.vectorized_map(lambda row: (row, tf.reduce_sum(row)), tf.eye(2)), tuple[Any, tf.Tensor])

with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
    z = x * x
accumulator.jvp(z)
