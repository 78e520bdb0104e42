"""One step of a GAN."""

from __future__ import annotations

import itertools
from typing import assert_type

import gradtape as tf

Params = list[tf.Variable]


def mlp(sizes: list[int]) -> Params:
    out: Params = []
    for m, n in itertools.pairwise(sizes):
        out += [tf.Variable(tf.initializers.GlorotUniform()([m, n])), tf.Variable(tf.zeros(n))]
    return out


def apply(params: Params, x: tf.Tensor) -> tf.Tensor:
    *hidden, w, b = params
    for i in range(0, len(hidden), 2):
        x = tf.nn.leaky_relu(x @ hidden[i] + hidden[i + 1], alpha=0.2)
    return x @ w + b


gen, disc = mlp([2, 16, 2]), mlp([2, 16, 1])


def bce(logits: tf.Tensor, target: float) -> tf.Tensor:
    return tf.reduce_mean(
        tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.fill(tf.shape(logits), target), logits=logits)
    )


@tf.function
def step(real: tf.Tensor) -> dict[str, tf.Tensor]:
    noise = tf.random.normal((tf.shape(real)[0], 2))
    with tf.GradientTape() as gt, tf.GradientTape() as dt:
        fake = apply(gen, noise)
        on_fake, on_real = apply(disc, fake), apply(disc, real)
        d_loss = bce(on_real, 1.0) + bce(on_fake, 0.0)
        g_loss = bce(on_fake, 1.0)
    for params, tape, loss in ((gen, gt, g_loss), (disc, dt, d_loss)):
        for p, g in zip(params, tape.gradient(loss, params), strict=False):
            if g is not None:
                p.assign_sub(1e-3 * g)
    return {"g": g_loss, "d": d_loss}


losses = step(tf.random.normal([8, 2]))
assert_type(losses, dict[str, tf.Tensor])
print({k: float(v) for k, v in losses.items()})
ema = tf.train.ExponentialMovingAverage(0.9)
ema.apply(gen)
print(ema.average(gen[0]))
