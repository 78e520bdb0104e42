"""Integrated gradients (Sundararajan, Taly and Yan 2017): which pixels made a network decide. The gradients on the way from an empty
picture to the real one, averaged; they add up to the change of the score, which plain gradients do not."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import digits
import gradtape as tf
import terminal

keras = tf.keras


@tf.function
def gradients_at(model: Any, images: Any, target: Any) -> Any:
    """The gradients of the probability of a class by the pixels of images."""
    with tf.GradientTape() as tape:
        tape.watch(images)
        probability = model(images)[:, target]
    return tape.gradient(probability, images)


def integrated_gradients(model: Any, image: Any, target: Any, baseline: Any, steps: int = 60) -> Any:
    """What every pixel adds to the probability of a class, on the way from the baseline to the image."""
    alphas = tf.linspace(0.0, 1.0, steps + 1)[:, tf.newaxis, tf.newaxis, tf.newaxis]
    way = baseline + alphas * (image - baseline)
    gradients = gradients_at(model, way, target)
    trapezoids = 0.5 * (gradients[:-1] + gradients[1:])
    return (image - baseline) * tf.reduce_mean(trapezoids, axis=0)


def erased(image: Any, attributions: Any, count: int) -> Any:
    """The image without the pixels that matter most."""
    least = tf.sort(tf.reshape(attributions, [-1]), direction="DESCENDING")[count - 1]
    return tf.where(attributions >= least, 0.0, image)


def run(epochs: int = 4, shown: int = 6) -> tuple[float, float]:
    """Train, and attribute; the largest gap between sum and change, and the mean probability without the ten best pixels."""
    keras.utils.set_random_seed(3)
    x, labels = digits.drawn(np.random.default_rng(1), 3000)
    model = digits.network()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(x, labels, batch_size=50, epochs=epochs, verbose=0).history
    print(f"  trained: accuracy {history['accuracy'][-1]:.1%}\n")

    images, labels = digits.drawn(np.random.default_rng(2), 40)
    baseline = tf.zeros([8, 8, 1])
    gaps, found, kept, random_kept = [], [], [], []
    rng = np.random.default_rng(0)
    for image, label in zip(tf.constant(images), tf.constant(labels), strict=True):
        attributions = integrated_gradients(model, image, label, baseline)
        before, after = model(tf.stack([baseline, image]))[:, label]
        gaps.append(float(abs(tf.reduce_sum(attributions) - (after - before))))
        found.append(attributions)
        without = erased(image, attributions, 10)
        by_chance = erased(image, tf.constant(rng.permutation(64).reshape(8, 8, 1)), 10)
        kept.append(model(without[tf.newaxis])[0, label])
        random_kept.append(model(by_chance[tf.newaxis])[0, label])

    strength = tf.nn.relu(tf.stack(found[:shown]))
    strength /= tf.reduce_max(strength, axis=(1, 2, 3), keepdims=True)
    print(digits.side_by_side(images[:shown], [f"   {label}" for label in labels[:shown]]))
    print(f"\n  what speaks for it:\n{digits.side_by_side(strength.numpy())}")
    gap, rest = max(gaps), float(tf.reduce_mean(kept))
    print(f"\n  sum of attributions and change of the probability differ by at most {gap:.4f}")
    print(f"  probability without ten pixels: {rest:.2f} the most important, {tf.reduce_mean(random_kept):.2f} any ten")
    return gap, rest


if __name__ == "__main__":
    terminal.heading("Integrated gradients")
    run(*map(int, sys.argv[1:]))
