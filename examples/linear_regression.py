"""Linear regression with `tf.Module`.

You learn how to create variables lazily, read mini-batches from `tf.data`, and compile a training step. The result is
compared with the exact solution.

    python examples/linear_regression.py
"""

from __future__ import annotations

import numpy as np

import gradtape as tf

NAMES = ("floor area", "rooms", "distance to the station", "age", "floor")


def flats(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Standardised features of flats, f32[count,5], and noisy rents in hundreds, f32[count]."""
    features = rng.standard_normal((count, len(NAMES)))
    features[:, 1] = 0.8 * features[:, 0] + 0.6 * features[:, 1]  # larger flats have more rooms
    rents = 9.0 + features @ [3.0, 0.5, -1.2, -0.4, 0.2] + rng.normal(0.0, 0.5, count)
    return features.astype(np.float32), rents.astype(np.float32)


class Linear(tf.Module):
    """x @ w + b; `w` is created when the first input supplies its size."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w: tf.Variable | None = None
        self.b = tf.Variable(0.0, name="b")

    @tf.Module.with_name_scope
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        if self.w is None:
            self.w = tf.Variable(tf.zeros([x.shape[-1]]), name="w")
        return tf.linalg.matvec(x, self.w) + self.b


def mean_squared_error(predicted: tf.Tensor, wanted: tf.Tensor | np.ndarray) -> tf.Tensor:
    """The mean squared difference."""
    return tf.reduce_mean(tf.math.squared_difference(predicted, wanted))


@tf.function
def train_step(model: Linear, x: tf.Tensor, y: tf.Tensor, rate: tf.Tensor) -> tf.Tensor:
    """Take one step of gradient descent on a batch; return the loss."""
    with tf.GradientTape() as tape:
        loss = mean_squared_error(model(x), y)  # the tape records the forward pass
    variables = model.trainable_variables
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(rate * gradient)  # in place: `variable = variable - …` would create a tensor
    return loss


def run(epochs: int = 20) -> float:
    """Train, and compare with the exact solution; return the largest difference between weights."""
    tf.random.set_seed(1)
    x, y = flats(np.random.default_rng(0), 1000)
    batches = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000, seed=1).batch(50)
    model = Linear(name="rent")
    model(x[:1])  # creates `w`
    print(f"  untrained: {mean_squared_error(model(x), y):.3f}")
    for epoch in range(epochs):
        # A tensor: a Python number would cause a new trace for every value.
        rate = tf.constant(0.1 * 0.85**epoch)
        losses = [train_step(model, features, rents, rate) for features, rents in batches]
        if epoch % 4 == 3:
            print(f"  epoch {epoch + 1:2}: {tf.reduce_mean(losses):.4f}")

    with_ones = tf.concat([x, tf.ones([len(x), 1])], axis=1)
    exact = tf.linalg.lstsq(with_ones, y[:, None], fast=False)[:, 0]
    learned = tf.concat([model.w, [model.b]], axis=0)
    print(f"\n  {'':24} learned   exact")
    for name, ours, theirs in zip((*NAMES, "(constant)"), learned.numpy(), exact.numpy(), strict=True):
        print(f"  {name:24} {ours:7.3f} {theirs:7.3f}")
    difference = float(tf.reduce_max(tf.abs(learned - exact)))
    print(f"\n  variables: {[v.name for v in model.trainable_variables]}")
    print(f"  largest difference: {difference:.4f}")
    return difference


if __name__ == "__main__":
    print("Linear regression")
    run()
