"""A multilayer perceptron without Keras.

You learn how to write layers, Adam and a metric as `tf.Module`s, and how to resume training from a checkpoint with
bit-identical results.

    python examples/mlp_from_scratch.py
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Sequence

import numpy as np
from scipy import ndimage

import gradtape as tf

# The digits 0 to 9, five by seven dots each.
GLYPHS = """
.###. ..#.. .###. .###. ...#. ##### ..##. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... .#... ....# #...# #...#
#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. ..##. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ...#.
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .##..
"""


def draw_digits(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy 8x8 images of digits, rotated, stretched and shifted: f32[count,8,8,1] in [0, 1], and labels i32[count]."""
    rows = [line.split() for line in GLYPHS.split("\n") if line]
    dots = np.array([[[dot == "#" for dot in cell] for cell in row] for row in rows], np.float64)
    glyphs = np.pad(dots.transpose(1, 0, 2), ((0, 0), (2, 2), (2, 2)))
    labels = rng.integers(0, 10, count)
    angle, stretch = rng.normal(0.0, 0.12, count), rng.uniform(0.9, 1.2, (2, count))
    shift = rng.uniform(-0.8, 0.8, (2, count))
    row, column = (axis.ravel()[:, None] for axis in np.mgrid[-3.5:4.5, -3.5:4.5])
    # Where in the glyph each pixel looks: the inverse of the rotation, the stretch and the shift.
    y = 5.0 + (np.cos(angle) * row + np.sin(angle) * column) * stretch[0] + shift[0]
    x = 4.0 + (np.cos(angle) * column - np.sin(angle) * row) * stretch[1] + shift[1]
    pixels = ndimage.map_coordinates(glyphs, [np.broadcast_to(labels, y.shape), y, x], order=1, mode="nearest")
    images = np.clip(pixels + rng.normal(0.0, 0.1, y.shape), 0.0, 1.0)
    return images.T.reshape(count, 8, 8, 1).astype(np.float32), labels.astype(np.int32)


class Dense(tf.Module):
    """activation(x @ kernel + bias), with the initial weights of Glorot and Bengio (2010)."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        activation: Callable[[tf.Tensor], tf.Tensor] = tf.identity,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name)
        reach = (6.0 / (inputs + outputs)) ** 0.5
        with self.name_scope:
            self.kernel = tf.Variable(tf.random.uniform([inputs, outputs], -reach, reach), name="kernel")
            self.bias = tf.Variable(tf.zeros([outputs]), name="bias")
        self.activation = activation

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return self.activation(x @ self.kernel + self.bias)


class Perceptron(tf.Module):
    """Layers of the given sizes, with ReLUs between them."""

    def __init__(self, sizes: Sequence[int]) -> None:
        super().__init__()
        self.layers = [Dense(a, b, tf.nn.relu, f"hidden_{a}") for a, b in itertools.pairwise(sizes[:-1])]
        self.layers.append(Dense(sizes[-2], sizes[-1], name="logits"))

    @tf.function
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        x = tf.reshape(x, [x.shape[0], -1])
        for layer in self.layers:
            x = layer(x)
        return x


class Adam(tf.Module):
    """The optimizer of Kingma and Ba (2015); as a module, it saves its state in checkpoints."""

    def __init__(self, variables: Sequence[tf.Variable], rate: float = 3e-3) -> None:
        super().__init__()
        self.rate, self.step = rate, tf.Variable(0.0, trainable=False)
        self.means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def apply_gradients(self, gradients: Sequence[tf.Tensor], variables: Sequence[tf.Variable]) -> None:
        """Update every variable with its gradient."""
        self.step.assign_add(1.0)
        # The averages start at 0; this factor corrects the bias of the first steps.
        rate = self.rate * tf.sqrt(1.0 - 0.999**self.step) / (1.0 - 0.9**self.step)
        for v, g, m, s in zip(variables, gradients, self.means, self.squares, strict=True):
            # Variables, assigned in place: a compiled step updates them, and a checkpoint stores them.
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * tf.square(g))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


class Accuracy(tf.Module):
    """The fraction of examples classified correctly since the last reset."""

    def __init__(self) -> None:
        super().__init__()
        self.right, self.all = tf.Variable(0.0, trainable=False), tf.Variable(0.0, trainable=False)

    def update(self, labels: tf.Tensor, logits: tf.Tensor) -> None:
        """Count a batch."""
        right = tf.math.in_top_k(labels, logits, k=1)
        self.right.assign_add(tf.reduce_sum(tf.cast(right, tf.float32)))
        self.all.assign_add(float(len(labels)))

    def result(self) -> float:
        """Return the accuracy, and reset the counts."""
        value = float(self.right / self.all)
        self.right.assign(0.0)
        self.all.assign(0.0)
        return value


class Training:
    """A model with its training state."""

    def __init__(self) -> None:
        tf.random.set_seed(5)
        self.model = Perceptron([64, 96, 48, 10])
        self.optimizer = Adam(self.model.trainable_variables)
        self.accuracy, self.epoch = Accuracy(), tf.Variable(0, trainable=False)

    def checkpoint(self) -> tf.train.Checkpoint:
        """The model, the optimizer and the epoch: the state to save."""
        return tf.train.Checkpoint(model=self.model, optimizer=self.optimizer, epoch=self.epoch)

    @tf.function
    def train_step(self, x: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """Take one step on a batch; return the loss."""
        with tf.GradientTape() as tape:
            logits = self.model(x)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(tape.gradient(loss, variables), variables)
        self.accuracy.update(labels, logits)
        return loss

    def run(self, until: int, x: np.ndarray, labels: np.ndarray) -> None:
        """Train until an epoch; the order of examples depends only on the number of the epoch."""
        while int(self.epoch) < until:
            order = np.random.default_rng(int(self.epoch)).permutation(len(x)).reshape(-1, 60)
            losses = [self.train_step(tf.constant(x[rows]), tf.constant(labels[rows])) for rows in order]
            self.epoch.assign_add(1)
            print(f"  epoch {int(self.epoch)}: loss {np.mean(losses):.4f}, accuracy {self.accuracy.result():.1%}")


def run(epochs: int = 6) -> tuple[float, bool]:
    """Train, stop, restore and continue; return the accuracy, and whether the weights equal those of an uninterrupted run."""
    x, labels = draw_digits(np.random.default_rng(1), 3000)
    unseen, unseen_labels = (tf.constant(a) for a in draw_digits(np.random.default_rng(2), 1000))
    with tempfile.TemporaryDirectory() as folder:
        first = Training()
        manager = tf.train.CheckpointManager(first.checkpoint(), folder, max_to_keep=2)
        for epoch in range(1, epochs // 2 + 1):
            first.run(epoch, x, labels)
            manager.save(checkpoint_number=epoch)
        print(f"  stopped; kept: {[path.rpartition('/')[2] for path in manager.checkpoints]}")

        # A new object, as in a new process: everything comes from the checkpoint.
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
    print("A multilayer perceptron from scratch")
    run()
