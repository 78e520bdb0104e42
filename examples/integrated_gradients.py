"""Integrated gradients (Sundararajan, Taly and Yan 2017): which pixels a prediction depends on.

You learn how to average gradients along the path from a blank image to the real one. The attributions add up to the change
of the score; plain gradients do not.

    python examples/integrated_gradients.py        saves integrated_gradients.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

import gradtape as tf

keras = tf.keras

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


def network() -> keras.Model:
    """Two convolutions and a dense layer with dropout."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((8, 8, 1)),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dropout(0.2),
            layers.Dense(10, activation="softmax"),
        ]
    )


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


@tf.function
def gradients_at(model: keras.Model, images: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    """The gradients of the probability of a class with respect to the pixels."""
    with tf.GradientTape() as tape:
        tape.watch(images)  # tensors are not watched automatically
        probability = model(images)[:, target]
    # One target per image: the sum of their gradients separates, since images do not affect each other.
    return tape.gradient(probability, images)


def integrated_gradients(
    model: keras.Model, image: tf.Tensor, target: tf.Tensor, baseline: tf.Tensor, steps: int = 60
) -> tf.Tensor:
    """The contribution of each pixel to the probability of a class."""
    alphas = tf.linspace(0.0, 1.0, steps + 1)[:, tf.newaxis, tf.newaxis, tf.newaxis]
    # All images between the baseline and the image form one batch.
    path = baseline + alphas * (image - baseline)
    gradients = gradients_at(model, path, target)
    # The trapezoidal rule for the integral of the gradients along the path.
    trapezoids = 0.5 * (gradients[:-1] + gradients[1:])
    return (image - baseline) * tf.reduce_mean(trapezoids, axis=0)


def erase(image: tf.Tensor, attributions: tf.Tensor, count: int) -> tf.Tensor:
    """The image without its `count` most important pixels."""
    least = tf.sort(tf.reshape(attributions, [-1]), direction="DESCENDING")[count - 1]
    return tf.where(attributions >= least, 0.0, image)


def run(epochs: int = 4, shown: int = 6) -> tuple[float, float]:
    """Train, and attribute.

    Returns the largest gap between the sum of the attributions and the change of the probability, and the mean
    probability without the ten most important pixels.
    """
    keras.utils.set_random_seed(3)
    x, labels = draw_digits(np.random.default_rng(1), 3000)
    model = network()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(x, labels, batch_size=50, epochs=epochs, verbose=0).history
    print(f"  trained: accuracy {history['accuracy'][-1]:.1%}\n")

    images, labels = draw_digits(np.random.default_rng(2), 40)
    baseline = tf.zeros([8, 8, 1])
    gaps, found, kept, random_kept = [], [], [], []
    rng = np.random.default_rng(0)
    for image, label in zip(tf.constant(images), tf.constant(labels), strict=True):
        attributions = integrated_gradients(model, image, label, baseline)
        before, after = model(tf.stack([baseline, image]))[:, label]
        gaps.append(float(abs(tf.reduce_sum(attributions) - (after - before))))
        found.append(attributions)
        without = erase(image, attributions, 10)
        by_chance = erase(image, tf.constant(rng.permutation(64).reshape(8, 8, 1)), 10)
        kept.append(model(without[tf.newaxis])[0, label])
        random_kept.append(model(by_chance[tf.newaxis])[0, label])

    strength = tf.nn.relu(tf.stack(found[:shown]))
    strength /= tf.reduce_max(strength, axis=(1, 2, 3), keepdims=True)
    show_images({"images": images[:shown], "positive attributions": strength.numpy()}, "integrated_gradients.png")
    gap, rest = max(gaps), float(tf.reduce_mean(kept))
    print(f"\n  sum of attributions and change of the probability differ by at most {gap:.4f}")
    print(f"  probability without ten pixels: {rest:.2f} the most important, {tf.reduce_mean(random_kept):.2f} any ten")
    return gap, rest


if __name__ == "__main__":
    print("Integrated gradients")
    run()
