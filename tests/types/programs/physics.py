"""u'' = -sin(x) by a physics-informed network."""

from __future__ import annotations

import itertools
import math
from typing import assert_type

import gradtape as tf


def init(sizes: list[int]) -> list[tuple[tf.Variable, tf.Variable]]:
    return [
        (tf.Variable(tf.random.normal([m, n]) / math.sqrt(m)), tf.Variable(tf.zeros([n])))
        for m, n in itertools.pairwise(sizes)
    ]


def net(params: list[tuple[tf.Variable, tf.Variable]], x: tf.Tensor) -> tf.Tensor:
    h = x
    for w, b in params[:-1]:
        h = tf.tanh(tf.matmul(h, w) + b)
    w, b = params[-1]
    return tf.matmul(h, w) + b


params = init([1, 16, 16, 1])
xs = tf.reshape(tf.linspace(0.0, math.pi, 32), [-1, 1])
edge = tf.constant([[0.0], [math.pi]])


@tf.function
def loss_fn() -> tf.Tensor:
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as inner:
            inner.watch(xs)
            u = net(params, xs)
        du = inner.gradient(u, xs)
    d2u = outer.gradient(du, xs)
    residual = d2u + tf.sin(xs)
    return tf.reduce_mean(tf.square(residual)) + tf.reduce_mean(net(params, edge) ** 2)


@tf.function
def train_step(lr: float) -> tf.Tensor:
    with tf.GradientTape() as tape:
        loss = loss_fn()
    flat = [v for pair in params for v in pair]
    for v, g in zip(flat, tape.gradient(loss, flat), strict=False):
        v.assign_sub(lr * g)
    return loss


assert_type(train_step(0.01), tf.Tensor)
for _ in range(3):
    value = train_step(0.01).numpy()
print(value)
jac = tf.GradientTape(persistent=True)
with jac:
    jac.watch(xs)
    u = net(params, xs)
j = jac.batch_jacobian(u, xs)
print(j.shape)
