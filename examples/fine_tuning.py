"""Fine-tuning: a trained network gets a new head for another task.

You learn how to freeze layers, including BatchNormalization and Dropout, so that only the head is trained.

    python examples/fine_tuning.py
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


def body() -> keras.Model:
    """Convolutions with normalization and dropout."""
    return keras.Sequential(
        [
            keras.layers.Input((8, 8, 1)),
            keras.layers.Conv2D(24, 3, use_bias=False),
            keras.layers.BatchNormalization(),
            keras.layers.ReLU(),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.3, seed=4),
        ],
        name="body",
    )


def with_head(trunk: keras.Model, training: bool | None = None) -> keras.Model:
    """The body with a new dense layer for five classes; `training=False` disables dropout and fixes the moving averages."""
    inputs = keras.Input((8, 8, 1))
    model = keras.Model(inputs, keras.layers.Dense(5)(trunk(inputs, training=training)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(3e-3), loss, metrics=["accuracy"])
    return model


def run() -> tuple[float, bool]:
    """Learn 0 to 4, then 5 to 9 from few images; return the accuracy, and whether the body is unchanged."""
    keras.utils.set_random_seed(1)
    x, y = draw_digits(np.random.default_rng(0), 3000)
    trunk = body()
    low = y < 5
    history = with_head(trunk).fit(x[low], y[low], batch_size=50, epochs=5, verbose=0).history
    print(f"  digits 0 to 4: accuracy {history['accuracy'][-1]:.1%}")
    averages = trunk.layers[1].moving_mean.numpy()
    print(f"  moving averages, first four channels: {np.round(averages[:4], 3)}")

    # Freeze the body: its weights get no gradients, and its moving averages do not change.
    trunk.trainable = False
    model = with_head(trunk, training=False)
    before = trunk.get_weights()
    few, few_labels = x[~low][:200], y[~low][:200] - 5
    model.fit(few, few_labels, batch_size=50, epochs=30, verbose=0)
    same = all(np.array_equal(a, b) for a, b in zip(before, trunk.get_weights(), strict=True))
    x, y = draw_digits(np.random.default_rng(1), 1000)
    _, accuracy = model.evaluate(x[y >= 5], y[y >= 5] - 5, batch_size=50, verbose=0)
    print(f"  digits 5 to 9 from {len(few)} images: accuracy {accuracy:.1%} on unseen ones")
    print(f"  trained: {len(model.trainable_weights)} of {len(model.weights)} weights; body unchanged: {same}")
    return accuracy, same


if __name__ == "__main__":
    print("Fine-tuning")
    run()
