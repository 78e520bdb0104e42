"""A custom training loop: a small network learns to tell three spiral arms apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import gradtape as tf
import terminal

CLASSES = 3
STEPS = 400


def arms(rng: np.random.Generator, points: int = 150) -> tuple[Any, Any]:
    """Points on three noisy spirals within the unit square, and the number of the arm of each."""
    radius = np.tile(np.linspace(0.05, 0.95, points), CLASSES)
    label = np.repeat(np.arange(CLASSES), points)
    angle = 2 * np.pi * label / CLASSES + 4.5 * radius + rng.normal(0, 0.12, radius.shape)
    position = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return position.astype(np.float32), label.astype(np.int32)


class Dense(tf.Module):
    """A layer: x @ kernel + bias."""

    def __init__(self, inputs: int, outputs: int, name: str) -> None:
        super().__init__(name=name)
        self.kernel = tf.Variable(tf.random.normal([inputs, outputs]) * (2.0 / inputs) ** 0.5, name=f"{name}/kernel")
        self.bias = tf.Variable(tf.zeros([outputs]), name=f"{name}/bias")

    def __call__(self, x: Any) -> Any:
        return x @ self.kernel + self.bias


class Network(tf.Module):
    """Two layers with a rectifier between them."""

    def __init__(self, hidden: int = 64) -> None:
        super().__init__()
        self.first = Dense(2, hidden, "first")
        self.second = Dense(hidden, CLASSES, "second")

    def __call__(self, x: Any) -> Any:
        return self.second(tf.nn.relu(self.first(x)))


class Adam:
    """The optimizer of Kingma and Ba (2015)."""

    def __init__(self, variables: Any, rate: float = 0.02) -> None:
        self.variables, self.rate, self.step = variables, rate, 0
        self.means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def apply(self, gradients: Any) -> None:
        """Move every variable against its gradient."""
        self.step += 1
        rate = self.rate * (1 - 0.999**self.step) ** 0.5 / (1 - 0.9**self.step)
        for v, g, m, s in zip(self.variables, gradients, self.means, self.squares, strict=True):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * tf.square(g))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


def train(network: Network, points: Any, labels: Any, history: list[float]) -> Iterator[int]:
    """Run the training loop, one step for each number that is drawn; losses go to `history`."""
    variables = network.trainable_variables
    optimizer = Adam(variables)
    for step in range(STEPS):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=network(points))
            loss = tf.reduce_mean(losses)
        optimizer.apply(tape.gradient(loss, variables))
        history.append(float(loss))
        yield step


def accuracy(network: Network, points: Any, labels: Any) -> float:
    """The part of the points that the network puts on the right arm."""
    predicted = tf.argmax(network(points), axis=1, output_type=tf.int32)
    return float(tf.reduce_mean(tf.cast(predicted == labels, tf.float32)))


def predicted_classes(network: Network, rows: int, columns: int) -> Any:
    """The class that the network sees at each place of a grid over the unit square, from the top left."""
    y, x = np.meshgrid(np.linspace(1, -1, rows), np.linspace(-1, 1, columns), indexing="ij")
    grid = np.stack([x.ravel(), y.ravel()], axis=1).astype(np.float32)
    return tf.argmax(network(tf.constant(grid)), axis=1).numpy().reshape(rows, columns)


def draw(network: Network, points: Any, labels: Any, history: list[float], path: Path) -> bool:
    """Save the loss curve and the regions as a picture; False if matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.semilogy(history)
    left.set(title="loss", xlabel="step")
    right.imshow(predicted_classes(network, 300, 300), extent=(-1, 1, -1, 1), cmap="Set3", alpha=0.6)
    right.scatter(*points.numpy().T, c=labels.numpy(), s=8, cmap="Dark2")
    right.set(title="what the network learned", xticks=[], yticks=[])
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return True


def run(picture: Path) -> float:
    """Train, and show everything; the accuracy on points that were not trained on."""
    tf.random.set_seed(7)
    points, labels = (tf.constant(a) for a in arms(np.random.default_rng(1)))
    unseen, unseen_labels = (tf.constant(a) for a in arms(np.random.default_rng(2)))
    network = Network()
    history: list[float] = []
    steps = train(network, points, labels, history)
    for _ in terminal.progress(steps, STEPS, lambda: f"loss {history[-1]:.4f}"):
        pass
    print(f"\n  loss on a logarithmic scale, {STEPS} steps\n{terminal.curve(history)}\n")
    print(terminal.regions(predicted_classes(network, 19, 74), unseen.numpy()[::5], unseen_labels.numpy()[::5]))
    reached = accuracy(network, unseen, unseen_labels)
    print(
        f"\n  accuracy: {accuracy(network, points, labels):.1%} on the training points, {reached:.1%} on unseen points"
    )
    if draw(network, points, labels, history, picture):
        print(f"  picture:  {picture}")
    return reached
