"""Adversarial pictures by the sign of the gradient (Goodfellow, Shlens and Szegedy 2014): small changes that nobody would mind
confuse a network. Trained on such pictures, it is hard to confuse."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import digits
import gradtape as tf
import terminal

keras = tf.keras
STRENGTHS = (0.0, 0.05, 0.1, 0.15)


def classifier() -> Any:
    """Two convolutions and a layer of ten logits."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((8, 8, 1)),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )


loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def adversarial(model: Any, images: Any, labels: Any, strength: Any) -> Any:
    """The images, every pixel moved by the strength to the side where the loss grows."""
    with tf.GradientTape() as tape:
        tape.watch(images)
        loss = loss_of(labels, model(images))
    signed = tf.sign(tape.gradient(loss, images))
    return tf.clip_by_value(images + strength * signed, 0.0, 1.0)


def train(model: Any, batches: Any, epochs: int, strength: float) -> None:
    """Train on images; where the strength is not 0, on half of each batch as it is and half made adversarial."""
    optimizer = keras.optimizers.Adam(3e-3)

    @tf.function
    def train_step(images: Any, labels: Any) -> None:
        if strength:
            half = images.shape[0] // 2
            images = tf.concat([images[:half], adversarial(model, images[half:], labels[half:], strength)], axis=0)
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(images, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    for _ in range(epochs):
        for images, labels in batches:
            train_step(images, labels)


def accuracy(model: Any, images: Any, labels: Any) -> float:
    """The part of the images that are classified rightly."""
    metric = keras.metrics.SparseCategoricalAccuracy()
    metric.update_state(labels, model(images))
    return float(metric.result())


def run(epochs: int = 6) -> dict[str, list[float]]:
    """Train twice, and attack; the accuracy at each strength: of a plain network, with plain noise, and of a hardened one."""
    keras.utils.set_random_seed(1)
    data = digits.drawn(np.random.default_rng(0), 3000)
    batches = tf.data.Dataset.from_tensor_slices(data).shuffle(3000, seed=1).batch(50)
    images, labels = (tf.constant(a) for a in digits.drawn(np.random.default_rng(1), 1000))
    plain, hardened = classifier(), classifier()
    train(plain, batches, epochs, 0.0)
    train(hardened, batches, epochs, 0.1)

    noise = tf.sign(tf.random.normal(images.shape, seed=1))
    results = {
        "plain network, noise": [
            accuracy(plain, tf.clip_by_value(images + s * noise, 0.0, 1.0), labels) for s in STRENGTHS
        ],
        "plain network, attacked": [accuracy(plain, adversarial(plain, images, labels, s), labels) for s in STRENGTHS],
        "hardened network, attacked": [
            accuracy(hardened, adversarial(hardened, images, labels, s), labels) for s in STRENGTHS
        ],
    }
    print(f"  {'accuracy at strength':28}" + "".join(f"{s:8.2f}" for s in STRENGTHS))
    for name, row in results.items():
        print(f"  {name:28}" + "".join(f"{value:8.1%}" for value in row))

    attacked = adversarial(plain, images[:8], labels[:8], 0.1)
    for name, shown in (("seen by the plain network as", images[:8]), ("attacked with strength 0.1", attacked)):
        seen = tf.argmax(plain(shown), axis=1).numpy()
        print(f"\n  {name}:\n{digits.side_by_side(shown.numpy(), [f'   {digit}' for digit in seen])}")
    return results


if __name__ == "__main__":
    terminal.heading("Adversarial digits")
    run(*map(int, sys.argv[1:]))
