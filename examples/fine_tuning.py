"""A trained network serves another task: its layers are frozen, BatchNormalization and all, and only a new head learns."""

from __future__ import annotations

from typing import Any

import numpy as np

import digits
import gradtape as tf
import terminal

keras = tf.keras


def body() -> Any:
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


def with_head(trunk: Any, training: bool | None = None) -> Any:
    """The body with a new layer for five classes; `training=False` keeps its averages and dropout still for good."""
    inputs = keras.Input((8, 8, 1))
    model = keras.Model(inputs, keras.layers.Dense(5)(trunk(inputs, training=training)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(3e-3), loss, metrics=["accuracy"])
    return model


def run() -> tuple[float, bool]:
    """Learn 0 to 4, then 5 to 9 with few pictures; the accuracy on unseen ones, and whether the body stayed as it was."""
    keras.utils.set_random_seed(1)
    x, y = digits.drawn(np.random.default_rng(0), 3000)
    trunk = body()
    low = y < 5
    history = with_head(trunk).fit(x[low], y[low], batch_size=50, epochs=5, verbose=0).history
    print(f"  digits 0 to 4: accuracy {history['accuracy'][-1]:.1%}")
    averages = trunk.layers[1].moving_mean.numpy()
    print(f"  moving averages, first four channels: {np.round(averages[:4], 3)}")

    trunk.trainable = False
    model = with_head(trunk, training=False)
    before = trunk.get_weights()
    few, few_labels = x[~low][:200], y[~low][:200] - 5
    model.fit(few, few_labels, batch_size=50, epochs=30, verbose=0)
    same = all(np.array_equal(a, b) for a, b in zip(before, trunk.get_weights(), strict=True))
    x, y = digits.drawn(np.random.default_rng(1), 1000)
    _, accuracy = model.evaluate(x[y >= 5], y[y >= 5] - 5, batch_size=50, verbose=0)
    print(f"  digits 5 to 9 from {len(few)} pictures: accuracy {accuracy:.1%} on unseen ones")
    print(
        f"  trained: {len(model.trainable_weights)} of {len(model.weights)} weights; the body stayed as it was: {same}"
    )
    return accuracy, same


if __name__ == "__main__":
    terminal.heading("Fine tuning")
    run()
