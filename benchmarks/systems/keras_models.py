"""The models of `keras.py`, in Keras's own words; `keras` is the module, on whichever backend."""

from __future__ import annotations

from typing import Any

import numpy as np

from keras_works import WORDS
from works import random


def mlp(keras: Any, dropout: float) -> Any:
    """Two hidden layers."""
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((784,)),
            layers.Dense(512, activation="relu"),
            layers.Dropout(dropout),
            layers.Dense(512, activation="relu"),
            layers.Dropout(dropout),
            layers.Dense(10),
        ]
    )


def convnet(keras: Any, dropout: float) -> Any:
    """Two convolutions and a dense layer."""
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dense(10),
        ]
    )


def lstm(keras: Any, dropout: float) -> Any:
    """A recurrent layer."""
    return keras.Sequential([keras.Input((50, 32)), keras.layers.LSTM(64), keras.layers.Dense(10)])


def transformer(keras: Any, dropout: float) -> Any:
    """Two blocks of attention and dense layers over words and places, and a mean."""
    layers = keras.layers

    class Places(layers.Layer):  # type: ignore[misc, name-defined]
        def build(self, shape: Any) -> None:
            self.places = self.add_weight(shape=shape[1:], name="places")

        def call(self, x: Any) -> Any:
            return x + self.places

    words = keras.Input((64,), dtype="int32")
    x = Places()(layers.Embedding(WORDS, 64)(words))
    for _ in range(2):
        x = layers.LayerNormalization()(x + layers.Dropout(dropout)(layers.MultiHeadAttention(4, 16)(x, x)))
        hidden = layers.Dense(64)(layers.Dense(256, activation="relu")(x))
        x = layers.LayerNormalization()(x + layers.Dropout(dropout)(hidden))
    return keras.Model(words, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


def with_weights(model: Any) -> Any:
    """The model with weights that are the same on every backend."""
    rng = random()
    for weight in model.trainable_weights:
        shape = tuple(weight.shape)
        if len(shape) > 1:
            weight.assign((rng.standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32))
    return model


def compiled(keras: Any, model: Any, jit_compile: Any) -> Any:
    """The model, ready for `fit`."""
    model.compile(
        keras.optimizers.Adam(1e-3),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
        jit_compile=jit_compile,
    )
    return model
