"""A custom training loop with hand-written layers."""

from __future__ import annotations

from typing import assert_type

import numpy as np

import gradtape as tf


class Dense(tf.Module):
    def __init__(self, inputs: int, outputs: int, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([inputs, outputs], stddev=0.1), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x @ self.w + self.b


class MLP(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [Dense(4, 8), Dense(8, 1)]

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        for layer in self.layers[:-1]:
            x = tf.nn.relu(layer(x))
        return self.layers[-1](x)


model = MLP()
x = tf.constant(np.ones((16, 4), np.float32))
y = tf.reduce_sum(x, axis=1, keepdims=True)
assert_type(y, tf.Tensor)

for step in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    variables = model.trainable_variables
    grads = tape.gradient(loss, variables)
    grads, norm = tf.clip_by_global_norm(grads, 1.0)
    assert_type(norm, tf.Tensor)
    for v, g in zip(variables, grads, strict=False):
        v.assign_sub(0.1 * g)
    if step % 2 == 0:
        tf.print("step", step, "loss", loss)
print(f"final loss {float(loss.numpy()):.3f}")
total = sum(int(tf.size(v)) for v in model.trainable_variables)
print(total, model.layers[0].w.shape, model.layers[0].w.dtype.name)
