"""A tour of gradtape in half a minute.

You learn how to take gradients, nest tapes, write a training loop, find out why a gradient is None, and train a Keras model.

    python examples/quickstart.py        or: make demo; saves quickstart.png, if Matplotlib is installed
"""

from __future__ import annotations

import contextlib
import inspect
import io
import tempfile
import textwrap
import time
from collections.abc import Callable, Sequence

import numpy as np
from scipy import ndimage

import gradtape as tf

keras = tf.keras


def show(example: Callable[[], None]) -> None:
    """Print the code of an example, then its output."""
    print()
    for line in inspect.getsource(example).splitlines()[1:]:
        print(f"  |{line[3:]}")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        example()
    for line in printed.getvalue().splitlines():
        print("    " + "\n        ".join(textwrap.wrap(line, 90, drop_whitespace=False) or [""]))


def heading(text: str) -> None:
    """Print the title of a section."""
    print(f"\n{text}\n{'-' * len(text)}")


def variable() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    dy_dx = tape.gradient(y, x)
    print(dy_dx)


def constant() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)  # a tape watches variables automatically, but tensors only on request
        y = x * x
    print(tape.gradient(y, x))


def several_sources() -> None:
    w, b = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([0.5, -0.5])
    with tf.GradientTape() as tape:
        y = tf.constant([[1.0, -1.0]]) @ w + b
        loss = tf.reduce_sum(tf.square(y))
    gradients = tape.gradient(loss, {"w": w, "b": b})  # the result has the same structure
    print({name: gradient.numpy().tolist() for name, gradient in gradients.items()})


def twice_from_one_tape() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    print("dz/dx =", tape.gradient(z, x).numpy())
    print("dy/dx =", tape.gradient(y, x).numpy())
    del tape  # a persistent tape keeps its records until it is deleted


def second_derivative() -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape1:
        with tf.GradientTape() as tape2:
            y = x * x
        dy_dx = tape2.gradient(y, x)  # inside tape1, which records this backward pass
    d2y_dx2 = tape1.gradient(dy_dx, x)
    print("dy/dx =", dy_dx.numpy(), "  d2y/dx2 =", d2y_dx2.numpy())


def jacobian() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x) * tf.reduce_sum(x)
    print(tape.jacobian(y, x))


def stop_gradient() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * tf.stop_gradient(x * x)  # the factor is treated as a constant
    print(tape.gradient(y, x))


def numpy_functions() -> None:
    x = tf.Variable([0.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        y = np.mean(np.exp(x))  # NumPy's functions on tensors are recorded
    print(tape.gradient(y, x))


def broken_by_numpy() -> None:
    tf.config.on_none("none")  # no log message about the None below
    w = tf.Variable(tf.ones([3, 2]), name="dense/kernel")
    x = tf.ones([4, 3])
    with tf.GradientTape() as tape:
        h = x @ w
        m = np.mean(h.numpy())
        loss = tf.constant(m)
    print(tape.gradient(loss, w))
    print(tape.explain(loss, w))


def broken_by_rebinding() -> None:
    w = tf.Variable(1.0, name="w")
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.square(w - 3.0)
        gradient = tape.gradient(loss, w)
        if gradient is not None:
            w = w - 0.1 * gradient
    print(tape.explain(loss, w))


# A training loop without Keras: points on three spiral arms.


def spirals(rng: np.random.Generator, points: int = 150) -> tuple[tf.Tensor, tf.Tensor]:
    """Points on three noisy spiral arms in the unit square, f32[3*points,2], and the arm of each, i32[3*points]."""
    radius, label = np.tile(np.linspace(0.05, 0.95, points), 3), np.repeat(np.arange(3), points)
    angle = 2 * np.pi * label / 3 + 4.5 * radius + rng.normal(0, 0.12, radius.shape)
    position = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return tf.constant(position, tf.float32), tf.constant(label, tf.int32)


class Dense(tf.Module):
    """A layer: x @ kernel + bias."""

    def __init__(self, inputs: int, outputs: int, name: str) -> None:
        super().__init__(name=name)
        self.kernel = tf.Variable(tf.random.normal([inputs, outputs]) * (2.0 / inputs) ** 0.5, name=f"{name}/kernel")
        self.bias = tf.Variable(tf.zeros([outputs]), name=f"{name}/bias")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x @ self.kernel + self.bias


class Network(tf.Module):
    """Two layers with a ReLU between them."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Dense(2, 64, "first"), Dense(64, 3, "second")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return self.second(tf.nn.relu(self.first(x)))


class Adam:
    """The optimizer of Kingma and Ba (2015)."""

    def __init__(self, variables: Sequence[tf.Variable], rate: float = 0.02) -> None:
        self.variables, self.rate, self.step = variables, rate, 0
        self.means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def apply(self, gradients: Sequence[tf.Tensor]) -> None:
        """Update every variable with its gradient."""
        self.step += 1
        rate = self.rate * (1 - 0.999**self.step) ** 0.5 / (1 - 0.9**self.step)
        for v, g, m, s in zip(self.variables, gradients, self.means, self.squares, strict=True):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * tf.square(g))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


def train_on_spirals(steps: int = 400) -> None:
    """Train a network in a loop, and print the accuracy on unseen points."""
    tf.random.set_seed(7)
    points, labels = spirals(np.random.default_rng(1))
    unseen, unseen_labels = spirals(np.random.default_rng(2))
    network = Network()
    optimizer = Adam(network.trainable_variables)
    losses: list[float] = []
    for step in range(1, steps + 1):
        with tf.GradientTape() as tape:  # records the forward pass
            logits = network(points)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        optimizer.apply(tape.gradient(loss, network.trainable_variables))
        losses.append(float(loss))
        if step % (steps // 5) == 0:
            print(f"  step {step}: loss {losses[-1]:.4f}")

    print(f"\n{region_map(network, unseen.numpy()[::5], unseen_labels.numpy()[::5])}")
    accuracy = float(tf.reduce_mean(tf.cast(predict(network, unseen) == unseen_labels, tf.float32)))
    print(f"\n  accuracy: {accuracy:.1%} on unseen points")
    save_regions(network, points.numpy(), labels.numpy(), losses, "quickstart.png")


def predict(network: Network, points: tf.Tensor) -> tf.Tensor:
    """The arm that the network assigns to each point."""
    return tf.argmax(network(points), axis=1, output_type=tf.int32)


def predict_grid(network: Network, rows: int, columns: int) -> np.ndarray:
    """The predicted arm on a grid over the unit square, from the top left."""
    y, x = np.meshgrid(np.linspace(1, -1, rows), np.linspace(-1, 1, columns), indexing="ij")
    return predict(network, tf.constant(np.stack([x.ravel(), y.ravel()], 1), tf.float32)).numpy().reshape(rows, columns)


def region_map(network: Network, points: np.ndarray, labels: np.ndarray, rows: int = 19, columns: int = 74) -> str:
    """A text map of the predicted arms, with the points as letters."""
    cells = np.array(list("·:-"))[predict_grid(network, rows, columns)]
    row, column = np.rint((1 - points[:, 1]) / 2 * (rows - 1)), np.rint((points[:, 0] + 1) / 2 * (columns - 1))
    cells[row.astype(int), column.astype(int)] = np.array(list("ABC"))[labels]
    return "\n".join("  " + "".join(line) for line in cells)


def save_regions(network: Network, points: np.ndarray, labels: np.ndarray, losses: list[float], file: str) -> None:
    """Save the loss curve and the predicted arms as a picture, if Matplotlib is installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.semilogy(losses)
    left.set(title="loss", xlabel="step")
    right.imshow(predict_grid(network, 300, 300), extent=(-1, 1, -1, 1), cmap="Set3", alpha=0.6)
    right.scatter(*points.T, c=labels, s=8, cmap="Dark2")
    right.set(title="predicted arms", xticks=[], yticks=[])
    figure.savefig(file, dpi=110)
    pyplot.close(figure)
    print(f"  picture: {file}")


# A Keras model: small images of digits.
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


def train_on_digits(epochs: int = 5) -> None:
    """Train, save and load a convolutional network, and print its accuracy on unseen digits."""
    keras.utils.set_random_seed(7)
    x, y = draw_digits(np.random.default_rng(1), 4000)
    unseen, unseen_labels = draw_digits(np.random.default_rng(2), 1000)
    model = keras.Sequential(
        [
            keras.layers.Input((8, 8, 1)),
            keras.layers.Conv2D(16, 3, padding="same", activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, batch_size=64, epochs=epochs, validation_data=(unseen, unseen_labels), verbose=2)
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/digits.keras")
        loaded = keras.models.load_model(f"{folder}/digits.keras")
    predicted = loaded.predict(unseen, verbose=0)
    same = np.array_equal(predicted, model.predict(unseen, verbose=0))
    print(f"\n  saved and loaded; equal predictions: {same}")
    print(f"  accuracy: {np.mean(predicted.argmax(-1) == unseen_labels):.1%} on unseen digits")


def main() -> None:
    """Run all parts."""
    start = time.perf_counter()
    heading("1. Gradients")
    for example in (variable, constant, several_sources):
        show(example)
    heading("2. Persistent tapes, nested tapes, jacobians")
    for example in (twice_from_one_tape, second_derivative, jacobian, stop_gradient, numpy_functions):
        show(example)
    heading("3. A training loop: three spiral arms, 2-64-3 network")
    train_on_spirals()
    heading("4. Why is this gradient None?")
    for example in (broken_by_numpy, broken_by_rebinding):
        show(example)
    heading("5. Keras: a convolutional network classifies digits")
    train_on_digits()
    print(f"\nAll of this took {time.perf_counter() - start:.1f} s.")


if __name__ == "__main__":
    main()
