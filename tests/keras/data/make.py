"""Writes the archives of this folder: a small model, trained a little by Keras on another backend, and what it predicts.

KERAS_BACKEND=tensorflow python tests/keras/data/make.py     also jax, torch
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

import keras

HERE = Path(__file__).parent


def model_of(keras: Any) -> Any:
    """A convolution and a recurrent layer, side by side."""
    layers = keras.layers
    image, words = keras.Input((6, 6, 2), name="image"), keras.Input((5,), dtype="int32", name="words")
    seen = layers.Conv2D(3, 3, padding="same", strides=2)(image)
    seen = layers.GlobalAveragePooling2D()(layers.ReLU()(layers.BatchNormalization()(seen)))
    read = layers.LSTM(3)(layers.Embedding(7, 4, mask_zero=True)(words))
    return keras.Model([image, words], layers.Dense(2, activation="softmax")(layers.Concatenate()([seen, read])))


def inputs() -> list[Any]:
    """An image and some words for each of eight examples."""
    random = np.random.default_rng(0)
    return [random.normal(size=(8, 6, 6, 2)).astype("float32"), random.integers(0, 7, (8, 5)).astype("int32")]


def main() -> None:
    """Train, predict, write."""
    keras.utils.set_random_seed(1)
    model, data = model_of(keras), inputs()
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "sparse_categorical_crossentropy")
    model.fit(data, np.arange(8) % 2, epochs=3, verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.keras")
        model.save_weights(f"{folder}/model.weights.h5")
        np.save(f"{folder}/predicted.npy", model.predict(data, verbose=0))
        # HDF5 leaves much room: packed, a file is small.
        with zipfile.ZipFile(
            HERE / f"{keras.config.backend()}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9
        ) as archive:
            for path in sorted(Path(folder).iterdir()):
                archive.write(path, path.name)


if __name__ == "__main__":
    main()
