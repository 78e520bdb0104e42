"""A multilayer perceptron without Keras: layers, Adam and metrics are `tf.Module`s. Training is interrupted; a checkpoint
brings everything back, and the weights at the end are those of a training that was never interrupted, bit by bit."""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

import digits
import gradtape as tf
import terminal


class Dense(tf.Module):
    """activation(x @ kernel + bias), with weights as Glorot and Bengio (2010) begin."""

    def __init__(self, inputs: int, outputs: int, activation: Any = tf.identity, name: str | None = None) -> None:
        super().__init__(name=name)
        reach = (6.0 / (inputs + outputs)) ** 0.5
        with self.name_scope:
            self.kernel = tf.Variable(tf.random.uniform([inputs, outputs], -reach, reach), name="kernel")
            self.bias = tf.Variable(tf.zeros([outputs]), name="bias")
        self.activation = activation

    def __call__(self, x: Any) -> Any:
        return self.activation(x @ self.kernel + self.bias)


class Perceptron(tf.Module):
    """Layers of the given sizes, with rectifiers between them."""

    def __init__(self, sizes: Sequence[int]) -> None:
        super().__init__()
        self.layers = [Dense(a, b, tf.nn.relu, f"hidden_{a}") for a, b in itertools.pairwise(sizes[:-1])]
        self.layers.append(Dense(sizes[-2], sizes[-1], name="logits"))

    @tf.function
    def __call__(self, x: Any) -> Any:
        x = tf.reshape(x, [x.shape[0], -1])
        for layer in self.layers:
            x = layer(x)
        return x


class Adam(tf.Module):
    """The optimizer of Kingma and Ba (2015); its state is saved with it."""

    def __init__(self, variables: Sequence[Any], rate: float = 3e-3) -> None:
        super().__init__()
        self.rate, self.step = rate, tf.Variable(0.0, trainable=False)
        self.means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def apply_gradients(self, gradients: Any, variables: Any) -> None:
        """Move every variable against its gradient."""
        self.step.assign_add(1.0)
        rate = self.rate * tf.sqrt(1.0 - 0.999**self.step) / (1.0 - 0.9**self.step)
        for v, g, m, s in zip(variables, gradients, self.means, self.squares, strict=True):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * tf.square(g))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


class Accuracy(tf.Module):
    """The part of all examples that were classified rightly since the last reset."""

    def __init__(self) -> None:
        super().__init__()
        self.right, self.all = tf.Variable(0.0, trainable=False), tf.Variable(0.0, trainable=False)

    def update(self, labels: Any, logits: Any) -> None:
        """Count a batch."""
        right = tf.math.in_top_k(labels, logits, k=1)
        self.right.assign_add(tf.reduce_sum(tf.cast(right, tf.float32)))
        self.all.assign_add(float(len(labels)))

    def result(self) -> float:
        """The accuracy; counting begins anew."""
        value = float(self.right / self.all)
        self.right.assign(0.0)
        self.all.assign(0.0)
        return value


class Training:
    """A model with all that its training changes."""

    def __init__(self) -> None:
        tf.random.set_seed(5)
        self.model = Perceptron([64, 96, 48, 10])
        self.optimizer = Adam(self.model.trainable_variables)
        self.accuracy, self.epoch = Accuracy(), tf.Variable(0, trainable=False)

    def checkpoint(self) -> Any:
        """What is saved."""
        return tf.train.Checkpoint(model=self.model, optimizer=self.optimizer, epoch=self.epoch)

    @tf.function
    def train_step(self, x: Any, labels: Any) -> Any:
        """The loss on a batch, after a step on it."""
        with tf.GradientTape() as tape:
            logits = self.model(x)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(tape.gradient(loss, variables), variables)
        self.accuracy.update(labels, logits)
        return loss

    def run(self, until: int, x: Any, labels: Any) -> None:
        """Train to the end of an epoch; the order of examples depends on the number of the epoch alone."""
        while int(self.epoch) < until:
            order = np.random.default_rng(int(self.epoch)).permutation(len(x)).reshape(-1, 60)
            losses = [self.train_step(x[rows], labels[rows]) for rows in order]
            self.epoch.assign_add(1)
            print(f"  epoch {int(self.epoch)}: loss {np.mean(losses):.4f}, accuracy {self.accuracy.result():.1%}")


def run(epochs: int = 6) -> tuple[float, bool]:
    """Train, stop, restore, go on; the accuracy on unseen digits, and whether the weights are as without a stop."""
    x, labels = digits.drawn(np.random.default_rng(1), 3000)
    unseen, unseen_labels = digits.drawn(np.random.default_rng(2), 1000)
    with tempfile.TemporaryDirectory() as folder:
        first = Training()
        manager = tf.train.CheckpointManager(first.checkpoint(), folder, max_to_keep=2)
        for epoch in range(1, epochs // 2 + 1):
            first.run(epoch, x, labels)
            manager.save(checkpoint_number=epoch)
        print(f"  stopped; kept: {[path.rpartition('/')[2] for path in manager.checkpoints]}")

        second = Training()
        status = second.checkpoint().restore(tf.train.latest_checkpoint(folder))
        status.assert_existing_objects_matched()
        print(f"  restored: epoch {int(second.epoch)}, step {int(second.optimizer.step)} of Adam")
    second.run(epochs, x, labels)
    second.accuracy.update(unseen_labels, second.model(unseen))
    reached = second.accuracy.result()

    print("  once more, without a stop")
    whole = Training()
    whole.run(epochs, x, labels)
    pairs = zip(second.model.variables, whole.model.variables, strict=True)
    same = all(np.array_equal(a.numpy(), b.numpy()) for a, b in pairs)
    print(f"\n  accuracy: {reached:.1%} on unseen digits; equal weights: {same}")
    return reached, same


if __name__ == "__main__":
    terminal.heading("A multilayer perceptron from scratch")
    run(*map(int, sys.argv[1:]))
