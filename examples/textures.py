"""Pictures of textures, and a small convolutional network that tells them apart. The programs that look into networks use both."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf

KINDS = ("stripes", "checks", "dots", "waves", "noise")
SHADES = " .:-=+*%@"


def textures(rng: np.random.Generator, count: int, size: int = 16) -> tuple[Any, Any]:
    """Coloured textures between 0 and 1, as f32[count,size,size,3], and the number of the kind of each."""
    labels = rng.integers(0, len(KINDS), count)
    angle = rng.uniform(0.0, np.pi, (count, 1, 1))
    period, phase = rng.uniform(4.0, 7.0, (count, 1, 1)), rng.uniform(0.0, 2.0 * np.pi, (2, count, 1, 1))
    row, column = np.mgrid[:size, :size]
    along = 2.0 * np.pi / period * (np.cos(angle) * column + np.sin(angle) * row) + phase[0]
    across = 2.0 * np.pi / period * (np.cos(angle) * row - np.sin(angle) * column) + phase[1]
    patterns = np.stack(
        [
            np.sign(np.sin(along)),
            np.sign(np.sin(along) * np.sin(across)),
            2.0 * (np.sin(along) + np.sin(across) > 0.9) - 1.0,
            np.sin(along + 1.5 * np.sin(0.5 * across)),
            rng.uniform(-1.0, 1.0, along.shape),
        ]
    )
    grey = 0.5 + 0.4 * patterns[labels, np.arange(count)]
    light, dark = rng.uniform(0.6, 1.0, (count, 1, 1, 3)), rng.uniform(0.0, 0.4, (count, 1, 1, 3))
    return (dark + grey[..., None] * (light - dark)).astype(np.float32), labels.astype(np.int32)


def network() -> Any:
    """Three convolutions for pictures of any size, and the kinds of textures."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input((None, None, 3)),
            layers.Conv2D(16, 3, padding="same", activation="relu", name="edges"),
            layers.AveragePooling2D(2),
            layers.Conv2D(32, 3, padding="same", activation="relu", name="parts"),
            layers.AveragePooling2D(2),
            layers.Conv2D(32, 3, padding="same", activation="relu", name="patterns"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(len(KINDS)),
        ]
    )


def trained(epochs: int = 8) -> tuple[Any, float]:
    """A network that knows textures, and its accuracy on unseen ones."""
    x, y = textures(np.random.default_rng(0), 1500)
    model = network()
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(4e-3), loss, metrics=["accuracy"])
    model.fit(x, y, batch_size=50, epochs=epochs, verbose=0)
    x, y = textures(np.random.default_rng(1), 500)
    _, accuracy = model.evaluate(x, y, batch_size=50, verbose=0)
    model.trainable = False
    return model, accuracy


def drawn(*pictures: Any) -> str:
    """Coloured pictures in characters by their brightness, side by side."""
    grey = [np.clip(np.asarray(p).mean(-1), 0.0, 0.999)[::2] for p in pictures]
    lines = (
        "   ".join("".join(SHADES[int(v * len(SHADES))] for v in line) for line in row)
        for row in zip(*grey, strict=True)
    )
    return "\n".join(f"  {line}".rstrip() for line in lines)
