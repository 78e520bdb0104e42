"""Meta-learning with MAML (Finn, Abbeel and Levine 2017) on sine waves.

You learn how to differentiate through gradient steps: tapes inside a tape, vectorised over all tasks with
`tf.vectorized_map`. The result is a set of weights that adapts to a new wave from ten points.

    python examples/maml.py        saves maml.png, if Matplotlib is installed
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import gradtape as tf

keras = tf.keras
HIDDEN, SHOTS, TASKS, RATE = 40, 10, 16, 0.01


def tasks(rng: np.random.Generator, count: int, shots: int = SHOTS) -> tuple[tf.Tensor, ...]:
    """Points of random sine waves: x to train on, x to test on, and their y; f32[count,shots,1] each."""
    amplitude = rng.uniform(0.5, 4.0, (count, 1, 1))
    phase = rng.uniform(0.0, np.pi, (count, 1, 1))
    x = rng.uniform(-5.0, 5.0, (2, count, shots, 1))
    return tuple(tf.constant(a, tf.float32) for a in (*x, *(amplitude * np.sin(x + phase))))


def fresh_weights() -> list[tf.Variable]:
    """The variables of a network with two hidden layers."""
    weights = []
    for inputs, outputs in ((1, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, 1)):
        weights.append(tf.Variable(tf.random.normal([inputs, outputs], stddev=(2.0 / (inputs + outputs)) ** 0.5)))
        weights.append(tf.Variable(tf.zeros([outputs])))
    return weights


def network(weights: Sequence[tf.Tensor | tf.Variable], x: tf.Tensor) -> tf.Tensor:
    """The output of the network; the weights may be variables, or tensors computed from them."""
    w1, b1, w2, b2, w3, b3 = weights
    return tf.nn.relu(tf.nn.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3


def error(weights: Sequence[tf.Tensor | tf.Variable], x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    """The mean squared error."""
    return tf.reduce_mean(tf.square(network(weights, x) - y))


def adapt(
    weights: Sequence[tf.Tensor | tf.Variable], x: tf.Tensor, y: tf.Tensor, steps: int
) -> Sequence[tf.Tensor | tf.Variable]:
    """The weights after gradient descent on one task; an outer tape can differentiate through these steps."""
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            loss = error(weights, x, y)
        gradients = tape.gradient(loss, weights)
        # New tensors instead of assign_sub: the outer tape records this update.
        weights = [w - RATE * g for w, g in zip(weights, gradients, strict=True)]
    return weights


def after_learning(weights: list[tf.Variable], batch: tuple[tf.Tensor, ...], steps: int) -> tf.Tensor:
    """The error of each task on unseen points, after adaptation."""

    def one(task: tuple[tf.Tensor, ...]) -> tf.Tensor:
        x, unseen, y, wanted = task
        return error(adapt(weights, x, y, steps), unseen, wanted)

    return tf.vectorized_map(one, batch)


def save_waves(starts: dict[str, list[tf.Variable]], file: str) -> None:
    """Save a new wave, and the networks before and after ten steps on its points, if Matplotlib is installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    place = np.linspace(-5.0, 5.0, 200, dtype=np.float32)[:, None]
    x = np.random.default_rng(3).uniform(-5.0, 5.0, (SHOTS, 1)).astype(np.float32)
    figure, plots = pyplot.subplots(1, len(starts), figsize=(5 * len(starts), 4), sharey=True, squeeze=False)
    for axes, (name, weights) in zip(plots[0], starts.items(), strict=True):
        adapted = adapt(weights, tf.constant(x), tf.constant(3.0 * np.sin(x + 1.0)), 10)
        axes.plot(place, 3.0 * np.sin(place + 1.0), "k:", label="new wave")
        axes.plot(x, 3.0 * np.sin(x + 1.0), "ko", label=f"{SHOTS} points")
        axes.plot(place, network(weights, tf.constant(place)).numpy(), label="before")
        axes.plot(place, network(adapted, tf.constant(place)).numpy(), label="after 10 steps")
        axes.set(title=f"{name} weights", xlabel="x")
    plots[0][0].legend()
    figure.savefig(file)
    pyplot.close(figure)
    print(f"\n  picture: {file}")


def run(iterations: int = 800) -> tuple[float, float]:
    """Meta-train; return the error on new tasks after five steps, from meta-learned and from pooled weights."""
    tf.random.set_seed(2)
    rng = np.random.default_rng(0)
    weights, others = fresh_weights(), fresh_weights()
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(5e-3, iterations))

    @tf.function
    def meta_step(x: tf.Tensor, unseen: tf.Tensor, y: tf.Tensor, wanted: tf.Tensor) -> tf.Tensor:
        # The gradient of the error after adaptation, with respect to the weights before it: second derivatives.
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(after_learning(weights, (x, unseen, y, wanted), 1))
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    @tf.function
    def pooled_step(x: tf.Tensor, unseen: tf.Tensor, y: tf.Tensor, wanted: tf.Tensor) -> tf.Tensor:
        """The baseline: train on all tasks together, which learns their mean."""
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
    save_waves({"learned": weights, "pooled": others}, "maml.png")
    print(f"\n  error after five steps: {results[0]:.3f} from learned weights, {results[1]:.3f} from pooled ones")
    return results[0], results[1]


if __name__ == "__main__":
    print("Learning to learn sine waves")
    run()
