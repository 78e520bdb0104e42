"""Adversarial images with the fast gradient sign method (Goodfellow, Shlens and Szegedy 2014).

You learn how to attack a classifier with the gradient of its loss with respect to the image, and how to train a network
that resists the attack.

    python examples/fgsm.py        saves fgsm.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

import gradtape as tf

keras = tf.keras
STRENGTHS = (0.0, 0.05, 0.1, 0.15)

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


def show_images(rows: dict[str, np.ndarray], file: str) -> None:
    """Print rows of images in [0, 1] as text; save them as a picture if Matplotlib is installed."""
    for title, images in rows.items():
        print(f"\n  {title}:")
        grey = np.clip(np.mean(images, axis=-1), 0.0, 0.999)
        for line in range(0, grey.shape[1], 1 if grey.shape[1] <= 12 else 2):  # characters are taller than wide
            print("  " + "  ".join("".join(" .:-=+*%@"[int(9 * v)] for v in image[line]) for image in grey).rstrip())
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    columns = max(len(images) for images in rows.values())
    figure, axes = pyplot.subplots(len(rows), columns, figsize=(1.2 * columns, 1.4 * len(rows)), squeeze=False)
    for line, (title, images) in zip(axes, rows.items(), strict=True):
        line[0].set_title(title, fontsize=8, loc="left")
        for place in line:
            place.axis("off")
        for place, image in zip(line, images, strict=False):
            place.imshow(np.clip(image, 0.0, 1.0), cmap="gray", vmin=0.0, vmax=1.0)
    figure.savefig(file)
    pyplot.close(figure)
    print(f"\n  picture: {file}")


def classifier() -> keras.Model:
    """Two convolutions and a dense layer with ten logits."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((8, 8, 1)),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )


loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def adversarial(model: keras.Model, images: tf.Tensor, labels: tf.Tensor, strength: float) -> tf.Tensor:
    """The images with each pixel moved by `strength` in the direction that increases the loss."""
    with tf.GradientTape() as tape:
        tape.watch(images)  # differentiate with respect to the images, not the weights
        loss = loss_of(labels, model(images))
    signed = tf.sign(tape.gradient(loss, images))
    return tf.clip_by_value(images + strength * signed, 0.0, 1.0)


def train(model: keras.Model, batches: tf.data.Dataset, epochs: int, strength: float) -> None:
    """Train a model; if the strength is not 0, half of each batch is made adversarial."""
    optimizer = keras.optimizers.Adam(3e-3)

    @tf.function
    def train_step(images: tf.Tensor, labels: tf.Tensor) -> None:
        if strength:
            # The attack has its own tape and is part of the compiled step.
            half = images.shape[0] // 2
            images = tf.concat([images[:half], adversarial(model, images[half:], labels[half:], strength)], axis=0)
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(images, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    for _ in range(epochs):
        for images, labels in batches:
            train_step(images, labels)


def accuracy(model: keras.Model, images: tf.Tensor, labels: tf.Tensor) -> float:
    """The fraction of images that are classified correctly."""
    metric = keras.metrics.SparseCategoricalAccuracy()
    metric.update_state(labels, model(images))
    return float(metric.result())


def run(epochs: int = 6) -> dict[str, list[float]]:
    """Train a plain and a hardened network, and attack both; return the accuracies at each strength."""
    keras.utils.set_random_seed(1)
    data = draw_digits(np.random.default_rng(0), 3000)
    batches = tf.data.Dataset.from_tensor_slices(data).shuffle(3000, seed=1).batch(50)
    images, labels = (tf.constant(a) for a in draw_digits(np.random.default_rng(1), 1000))
    plain, hardened = classifier(), classifier()
    train(plain, batches, epochs, 0.0)
    train(hardened, batches, epochs, 0.1)

    noise = tf.sign(tf.random.normal(images.shape, seed=1))
    results = {
        "plain network, noise": [
            accuracy(plain, tf.clip_by_value(images + s * noise, 0.0, 1.0), labels) for s in STRENGTHS
        ],
        "plain network, attacked": [accuracy(plain, adversarial(plain, images, labels, s), labels) for s in STRENGTHS],
        "hardened network, attacked": [
            accuracy(hardened, adversarial(hardened, images, labels, s), labels) for s in STRENGTHS
        ],
    }
    print(f"  {'accuracy at strength':28}" + "".join(f"{s:8.2f}" for s in STRENGTHS))
    for name, row in results.items():
        print(f"  {name:28}" + "".join(f"{value:8.1%}" for value in row))

    attacked = adversarial(plain, images[:8], labels[:8], 0.1)
    rows = {}
    for name, shown in (("original", images[:8]), ("attacked with strength 0.1", attacked)):
        predicted = tf.argmax(plain(shown), axis=1).numpy()
        rows[f"{name}, classified as {', '.join(map(str, predicted))}"] = shown.numpy()
    show_images(rows, "fgsm.png")
    return results


if __name__ == "__main__":
    print("Adversarial digits")
    run()
