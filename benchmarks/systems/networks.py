"""The models of `networks.py`, in Keras's own words; `keras` is the module, on whichever backend."""

from __future__ import annotations

from typing import Any

import numpy as np

from network_works import CLASSES, EDGES, FEATURES, NODES
from works import random


def initialize(model: Any) -> None:
    """Give the model weights that are the same on every backend, and keep the size of what passes through them."""
    rng = random()
    for weight in model.trainable_weights:
        shape = tuple(weight.shape)
        if len(shape) > 1:
            taps = shape[:2] if "depthwise" in weight.path else shape[:-1]
            weight.assign((rng.standard_normal(shape) * np.sqrt(2 / np.prod(taps))).astype(np.float32))


def resnet50(keras: Any) -> Any:
    """Keras's own, for ten classes."""
    return keras.applications.ResNet50(
        weights=None, input_shape=(96, 96, 3), classes=CLASSES, classifier_activation=None
    )


def mobilenet_v2(keras: Any) -> Any:
    """Keras's own, for ten classes."""
    return keras.applications.MobileNetV2(
        weights=None, input_shape=(96, 96, 3), classes=CLASSES, classifier_activation=None
    )


def efficientnet_b0(keras: Any) -> Any:
    """Keras's own, for ten classes."""
    return keras.applications.EfficientNetB0(
        weights=None, input_shape=(96, 96, 3), classes=CLASSES, classifier_activation=None
    )


def unet(keras: Any) -> Any:
    """Three halvings and three doublings, with batch norm after each convolution."""
    layers = keras.layers

    def block(x: Any, filters: int) -> Any:
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
            x = layers.ReLU()(layers.BatchNormalization()(x))
        return x

    image = x = keras.Input((64, 64, 3))
    levels = []
    for filters in (32, 64, 128):
        x = block(x, filters)
        levels.append(x)
        x = layers.MaxPooling2D()(x)
    x = block(x, 256)
    for filters in (128, 64, 32):
        x = layers.Conv2DTranspose(filters, 2, strides=2)(x)
        x = block(layers.Concatenate()([x, levels.pop()]), filters)
    return keras.Model(image, layers.Conv2D(2, 1)(x))


def _places(keras: Any) -> Any:
    """A layer that adds a learned vector for each place."""

    class Places(keras.layers.Layer):  # type: ignore[misc, name-defined]
        def build(self, shape: Any) -> None:
            self.places = self.add_weight(shape=shape[1:], name="places")

        def call(self, x: Any) -> Any:
            return x + self.places

    return Places()


def _block(keras: Any, x: Any, heads: int, width: int, causal: bool = False) -> Any:
    """Attention and two dense layers, on normalised inputs and added to them."""
    layers = keras.layers
    h = layers.LayerNormalization()(x)
    x = x + layers.MultiHeadAttention(heads, width // heads)(h, h, use_causal_mask=causal)
    h = layers.Dense(4 * width, activation="gelu")(layers.LayerNormalization()(x))
    return x + layers.Dense(width)(h)


def vit(keras: Any) -> Any:
    """Patches of 4x4 pixels, four blocks of 128."""
    layers = keras.layers
    image = keras.Input((32, 32, 3))
    x = layers.Reshape((64, 128))(layers.Conv2D(128, 4, strides=4)(image))
    x = _places(keras)(x)
    for _ in range(4):
        x = _block(keras, x, 4, 128)
    return keras.Model(image, layers.Dense(CLASSES)(layers.GlobalAveragePooling1D()(x)))


def bert(keras: Any) -> Any:
    """Four blocks of 256 over 20,000 words."""
    words = keras.Input((64,), dtype="int32")
    x = _places(keras)(keras.layers.Embedding(20_000, 256)(words))
    for _ in range(4):
        x = _block(keras, x, 4, 256)
    return keras.Model(words, keras.layers.Dense(CLASSES)(keras.layers.GlobalAveragePooling1D()(x)))


def gpt(keras: Any) -> Any:
    """Two causal blocks of 128, and the logits of 5,000 words at each place."""
    words = keras.Input((64,), dtype="int32")
    x = _places(keras)(keras.layers.Embedding(5000, 128)(words))
    for _ in range(2):
        x = _block(keras, x, 4, 128, causal=True)
    return keras.Model(words, keras.layers.Dense(5000)(keras.layers.LayerNormalization()(x)))


def bilstm(keras: Any) -> Any:
    """An LSTM in both directions, which passes over zeros."""
    layers = keras.layers
    words = keras.Input((40,), dtype="int32")
    x = layers.Bidirectional(layers.LSTM(64))(layers.Embedding(2000, 64, mask_zero=True)(words))
    return keras.Model(words, layers.Dense(CLASSES)(x))


def wavenet(keras: Any) -> Any:
    """Ten dilated causal convolutions with gates, each added to its input and to the sum that is classified."""
    layers = keras.layers
    sound = keras.Input((1024, 1))
    x = layers.Conv1D(32, 2, padding="causal")(sound)
    skipped = []
    for k in range(10):
        shape, gate = (
            layers.Conv1D(32, 2, padding="causal", dilation_rate=2**k, activation=f)(x) for f in ("tanh", "sigmoid")
        )
        h = shape * gate
        skipped.append(layers.Conv1D(64, 1)(h))
        x = x + layers.Conv1D(32, 1)(h)
    h = layers.ReLU()(layers.Add()(skipped))
    return keras.Model(sound, layers.Conv1D(256, 1)(layers.Conv1D(64, 1, activation="relu")(h)))


def graph_network(keras: Any) -> Any:
    """Two rounds of messages along fixed edges, from the feature vectors of all nodes to their classes."""
    ops, rng = keras.ops, random()
    sources, targets = (rng.integers(0, NODES, EDGES).astype(np.int32) for _ in range(2))

    class Messages(keras.layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any) -> Any:
            return ops.segment_sum(ops.take(x, sources, axis=0), targets, num_segments=NODES)

    x = nodes = keras.Input((FEATURES,))
    for _ in range(2):
        x = keras.layers.Dense(64)(keras.layers.Concatenate()([x, Messages()(keras.layers.Dense(64)(x))]))
        x = keras.layers.ReLU()(x)
    return keras.Model(nodes, keras.layers.Dense(CLASSES)(x))


def tabular(keras: Any) -> Any:
    """An embedding for each column of categories, and three dense layers."""
    layers = keras.layers
    row = keras.Input((30,))
    parts = [layers.Embedding(1000, 8)(row[:, k]) for k in range(10)]
    x = layers.Concatenate()([*parts, layers.BatchNormalization()(row[:, 10:])])
    for units in (256, 128, 64):
        x = layers.Dense(units, activation="relu")(x)
    return keras.Model(row, layers.Dense(CLASSES)(x))
