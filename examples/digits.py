"""Keras on gradtape: a small convolutional network learns drawn digits, is saved, and comes back."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import gradtape as tf
import terminal

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
SIZE = 8
SHADES = " .:-=+*%@"


def glyphs() -> Any:
    """The ten digits as arrays of zeros and ones, with an empty border: f32[10,11,9]."""
    rows = [line.split() for line in GLYPHS.split("\n") if line]
    dots = np.array([[[dot == "#" for dot in cell] for cell in row] for row in rows], np.float32)
    return np.pad(dots.transpose(1, 0, 2), ((0, 0), (2, 2), (2, 2)))


def drawn(rng: np.random.Generator, count: int) -> tuple[Any, Any]:
    """Pictures of digits, turned, stretched, moved and noisy, as f32[count,8,8,1] between 0 and 1; and which digit each is."""
    labels = rng.integers(0, 10, count)
    angle, stretch = rng.normal(0.0, 0.12, count), rng.uniform(0.9, 1.2, (2, count))
    shift = rng.uniform(-0.8, 0.8, (2, count))
    row, column = (axis.ravel()[:, None] for axis in np.mgrid[-3.5:4.5, -3.5:4.5])
    # Where in the glyph each pixel looks: the inverse of turning, stretching and moving.
    y = 5.0 + (np.cos(angle) * row + np.sin(angle) * column) * stretch[0] + shift[0]
    x = 4.0 + (np.cos(angle) * column - np.sin(angle) * row) * stretch[1] + shift[1]
    pictures = _between_dots(glyphs(), labels, y, x) + rng.normal(0.0, 0.1, y.shape)
    return np.clip(pictures.T, 0.0, 1.0).reshape(count, SIZE, SIZE, 1).astype(np.float32), labels.astype(np.int32)


def _between_dots(images: Any, which: Any, y: Any, x: Any) -> Any:
    """Values of images at places between their dots, by bilinear interpolation."""
    y, x = np.clip(y, 0.0, images.shape[1] - 1.001), np.clip(x, 0.0, images.shape[2] - 1.001)
    top, left = y.astype(int), x.astype(int)
    down, right = y - top, x - left
    upper = images[which, top, left] * (1 - right) + images[which, top, left + 1] * right
    lower = images[which, top + 1, left] * (1 - right) + images[which, top + 1, left + 1] * right
    return upper * (1 - down) + lower * down


def network() -> Any:
    """Two convolutions and a dense layer with dropout."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input((SIZE, SIZE, 1)),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dropout(0.2),
            layers.Dense(10, activation="softmax"),
        ]
    )


def side_by_side(pictures: Any, captions: list[str] | None = None) -> str:
    """Pictures in characters, with a line of text under each if there are captions."""
    shades = np.minimum((pictures[..., 0] * len(SHADES)).astype(int), len(SHADES) - 1)
    lines = ["  ".join("".join(SHADES[s] for s in picture[row]) for picture in shades) for row in range(SIZE)]
    if captions:
        lines.append("  ".join(f"{c:<{SIZE}}" for c in captions))
    return "\n".join(f"  {line.rstrip()}" for line in lines)


def run(epochs: int = 5) -> float:
    """Train, save, load, and show everything; the accuracy of the loaded model on pictures that were not trained on."""
    tf.keras.utils.set_random_seed(7)
    x, y = drawn(np.random.default_rng(1), 4000)
    unseen, unseen_labels = drawn(np.random.default_rng(2), 1000)
    model = network()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    # A bar that moves where the output is a terminal, one line per epoch elsewhere.
    bar = 1 if sys.stdout.isatty() else 2
    model.fit(x, y, batch_size=64, epochs=epochs, validation_data=(unseen, unseen_labels), verbose=bar)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits.keras"
        model.save(path)
        size = path.stat().st_size
        loaded = tf.keras.models.load_model(path)
    predicted = loaded.predict(unseen, verbose=0)
    same = np.array_equal(predicted, model.predict(unseen, verbose=0))
    print()
    print(side_by_side(unseen[:8], [f"   {digit}" for digit in predicted[:8].argmax(-1)]))
    reached = float(np.mean(predicted.argmax(-1) == unseen_labels))
    print(f"\n  saved as {path.name} ({size / 1e3:.0f} kB) and loaded; equal predictions: {same}")
    print(f"  accuracy of the loaded model: {reached:.1%} on unseen digits")
    return reached


if __name__ == "__main__":
    terminal.heading("Digits")
    run()
