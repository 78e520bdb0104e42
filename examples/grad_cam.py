"""Grad-CAM: where a trained network looks, from the gradient of a class score by the last feature maps."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf
import terminal

keras = tf.keras
SIZE, PATCH = 12, 4
SHAPES = ("square", "cross", "nothing")


def pictures(rng: np.random.Generator, count: int) -> tuple[Any, Any, Any]:
    """Noise with a small square, cross or nothing in it; which of them; and its upper left corner."""
    patches = np.zeros((3, PATCH, PATCH), np.float32)
    patches[0, [0, -1], :] = patches[0, :, [0, -1]] = 1.0
    patches[1, range(PATCH), range(PATCH)] = patches[1, range(PATCH), range(PATCH - 1, -1, -1)] = 1.0
    labels, corners = rng.integers(0, 3, count), rng.integers(0, SIZE - PATCH + 1, (count, 2))
    images = rng.uniform(0.0, 0.4, (count, SIZE, SIZE, 1)).astype(np.float32)
    for image, label, (row, column) in zip(images, labels, corners, strict=True):
        image[row : row + PATCH, column : column + PATCH, 0] += patches[label]
    return images, labels.astype(np.int32), corners


def classifier() -> Any:
    """Two convolutions, whose maps are averaged before the decision."""
    inputs = keras.Input((SIZE, SIZE, 1))
    x = keras.layers.Conv2D(16, 3, padding="same", activation="relu")(inputs)
    x = keras.layers.Conv2D(16, 3, padding="same", activation="relu", name="maps")(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(3)(x))


def heat(model: Any, images: Any, labels: Any) -> Any:
    """How much each place speaks for the class, between 0 and 1, for each picture."""
    both = keras.Model(model.input, [model.get_layer("maps").output, model.output])
    with tf.GradientTape() as tape:
        maps, scores = both(images)
        chosen = tf.gather(scores, labels, axis=1, batch_dims=1)
    weights = tf.reduce_mean(tape.gradient(chosen, maps), axis=(1, 2), keepdims=True)
    found = tf.nn.relu(tf.reduce_sum(weights * maps, axis=-1))
    return (found / (tf.reduce_max(found, axis=(1, 2), keepdims=True) + 1e-6)).numpy()


def run(epochs: int = 12) -> float:
    """Train, and show pictures beside their heat; how often the hottest place lies on the shape."""
    keras.utils.set_random_seed(1)
    x, y, _ = pictures(np.random.default_rng(0), 1500)
    model = classifier()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    history = model.fit(x, y, batch_size=50, epochs=epochs, verbose=0).history
    x, y, corners = pictures(np.random.default_rng(1), 300)
    x, y, corners = x[y < 2], y[y < 2], corners[y < 2]
    hot = heat(model, x, y)
    for i in (int(np.argmax(y == 0)), int(np.argmax(y == 1))):
        print(f"  {SHAPES[y[i]]}, and where the network sees it")
        for image, line in zip(x[i, :, :, 0], hot[i], strict=True):
            print("  " + " ".join("".join(" .:-=+*%@"[min(int(9 * v / 1.4), 8)] for v in row) for row in (image, line)))
    hottest = np.stack(np.unravel_index(hot.reshape(len(hot), -1).argmax(1), (SIZE, SIZE)), 1)
    on_shape = float(np.mean(np.all((hottest >= corners - 1) & (hottest <= corners + PATCH), axis=1)))
    print(
        f"\n  accuracy {history['accuracy'][-1]:.1%}; the hottest place lies on the shape in {on_shape:.1%} of pictures"
    )
    return on_shape


if __name__ == "__main__":
    terminal.heading("Grad-CAM")
    run()
