# ruff: noqa
"""Mistakes that type checkers find: on every line that says so, and on no other."""

import gradtape as tf

x = tf.constant([1.0])
v = tf.Variable(1.0)

x + object()  # mistake
v * None  # mistake
x.nmpy()  # mistake
x.assign(2.0)  # mistake
v.asign(1.0)  # mistake
v.name + 1  # mistake
tf.reduce_sum(x, axsi=0)  # mistake
tf.reduce_sum(object())  # mistake
tf.reduce_sun(x)  # mistake
tf.math.reduce_suum(x)  # mistake
tf.strings.uper(["a"])  # mistake
tf.nn.max_pool2d(x, 2, 2)  # mistake
tf.tanh(x, x, x)  # mistake
tf.einsum(3, x)  # mistake
tf.reduce_sum(x).shape.rnak  # mistake


@tf.function
def f(a: tf.Tensor, count: int = 1) -> tf.Tensor:
    return a * count


f(x, 2, 3)  # mistake
f(x, cuont=2)  # mistake
f(x, "2")  # mistake
f(x).nmpy()  # mistake


class Model(tf.Module):
    @tf.function
    def step(self, a: tf.Tensor) -> tf.Tensor:
        return a


Model().step()  # mistake

with tf.GradientTape() as tape:
    y = f(x)
tape.gradient(y, [x, v])["x"]  # mistake
tape.gradient(y, {"x": x})[0]  # mistake
tape.gradient(y, x, unconnected="zero")  # mistake
