"""Learning to learn (Finn, Abbeel and Levine 2017): weights from which ten points and few steps suffice for a new sine wave. The
gradient of the outer loss goes through the gradient steps of the inner one: tapes in a tape, over all tasks at once."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import gradtape as tf
import terminal

keras = tf.keras
HIDDEN, SHOTS, TASKS, RATE = 40, 10, 16, 0.01


def tasks(rng: np.random.Generator, count: int, shots: int = SHOTS) -> Any:
    """Points of sine waves with amplitudes and phases of their own, to learn from and to be judged by: f32[count,shots,1] each."""
    amplitude = rng.uniform(0.5, 4.0, (count, 1, 1))
    phase = rng.uniform(0.0, np.pi, (count, 1, 1))
    x = rng.uniform(-5.0, 5.0, (2, count, shots, 1))
    return tuple(tf.constant(a, tf.float32) for a in (*x, *(amplitude * np.sin(x + phase))))


def fresh_weights() -> list[Any]:
    """The variables of a network with two hidden layers."""
    weights = []
    for inputs, outputs in ((1, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, 1)):
        weights.append(tf.Variable(tf.random.normal([inputs, outputs], stddev=(2.0 / (inputs + outputs)) ** 0.5)))
        weights.append(tf.Variable(tf.zeros([outputs])))
    return weights


def network(weights: Any, x: Any) -> Any:
    """What the network says with these weights, be they variables or the tensors that steps make of them."""
    w1, b1, w2, b2, w3, b3 = weights
    return tf.nn.relu(tf.nn.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3


def error(weights: Any, x: Any, y: Any) -> Any:
    """The mean squared error."""
    return tf.reduce_mean(tf.square(network(weights, x) - y))


def adapted(weights: Any, x: Any, y: Any, steps: int) -> Any:
    """The weights after steps of gradient descent on one task; tensors that know where they come from."""
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            loss = error(weights, x, y)
        gradients = tape.gradient(loss, weights)
        weights = [w - RATE * g for w, g in zip(weights, gradients, strict=True)]
    return weights


def after_learning(weights: Any, batch: Any, steps: int) -> Any:
    """The error of each task on points that it did not learn from."""

    def one(task: Any) -> Any:
        x, unseen, y, wanted = task
        return error(adapted(list(weights), x, y, steps), unseen, wanted)

    return tf.vectorized_map(one, batch)


def run(iterations: int = 800) -> tuple[float, float]:
    """Learn to learn; the error on new tasks after five steps, from learned and from other weights."""
    tf.random.set_seed(2)
    rng = np.random.default_rng(0)
    weights, others = fresh_weights(), fresh_weights()
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(5e-3, iterations))

    @tf.function
    def meta_step(x: Any, unseen: Any, y: Any, wanted: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(after_learning(weights, (x, unseen, y, wanted), 1))
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    @tf.function
    def pooled_step(x: Any, unseen: Any, y: Any, wanted: Any) -> Any:
        """What one would do otherwise: learn all tasks at once, hence their mean."""
        with tf.GradientTape() as tape:
            loss = error(others, tf.concat([x, unseen], 1), tf.concat([y, wanted], 1))
        for weight, gradient in zip(others, tape.gradient(loss, others), strict=True):
            weight.assign_sub(0.01 * gradient)
        return loss

    losses = []
    for iteration in range(iterations):
        batch = tasks(rng, TASKS)
        losses.append(meta_step(*batch))
        pooled_step(*batch)
        if (iteration + 1) % (iterations // 5) == 0:
            print(f"  iteration {iteration + 1:4}: error after one step {np.mean(losses[-iterations // 5 :]):.3f}")

    new = tasks(np.random.default_rng(1), 200)
    print("\n  new waves      before   1 step  5 steps  10 steps")
    results = []
    for name, start in (("learned", weights), ("pooled", others)):
        row = [float(tf.reduce_mean(after_learning(start, new, steps))) for steps in (0, 1, 5, 10)]
        print(f"  {name:12}" + "".join(f"{value:9.3f}" for value in row))
        results.append(row[2])
    print(f"\n  error after five steps: {results[0]:.3f} from learned weights, {results[1]:.3f} from pooled ones")
    return results[0], results[1]


if __name__ == "__main__":
    terminal.heading("Learning to learn sine waves")
    run(*map(int, sys.argv[1:]))
