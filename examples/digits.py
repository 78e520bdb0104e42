"""Keras on gradtape: train, evaluate, save and load a small convolutional network.

You learn how `fit`, `predict`, `save` and `load_model` work together, and that a loaded model gives the same predictions.

    python examples/digits.py        saves digits.png, if Matplotlib is installed
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

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


def run(epochs: int = 5) -> float:
    """Train, save and load a model; return the accuracy of the loaded model on unseen images."""
    keras.utils.set_random_seed(7)
    x, y = draw_digits(np.random.default_rng(1), 4000)
    unseen, unseen_labels = draw_digits(np.random.default_rng(2), 1000)
    model = network()
    # `fit` runs the forward pass, the backward pass, the optimizer and the metrics as one compiled function.
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    bar = 1 if sys.stdout.isatty() else 2  # a progress bar in a terminal, one line per epoch elsewhere
    model.fit(x, y, batch_size=64, epochs=epochs, validation_data=(unseen, unseen_labels), verbose=bar)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits.keras"
        model.save(path)
        size = path.stat().st_size
        loaded = keras.models.load_model(path)
    predicted = loaded.predict(unseen, verbose=0)
    same = np.array_equal(predicted, model.predict(unseen, verbose=0))

    digits = predicted.argmax(-1)
    show_images({f"predicted as {', '.join(map(str, digits[:8]))}": unseen[:8]}, "digits.png")
    accuracy = float(np.mean(digits == unseen_labels))
    print(f"\n  saved as {path.name} ({size / 1e3:.0f} kB) and loaded; equal predictions: {same}")
    print(f"  accuracy of the loaded model: {accuracy:.1%} on unseen digits")
    return accuracy


if __name__ == "__main__":
    print("Digits")
    run()
