"""A convolutional GAN (Radford, Metz and Chintala 2015) draws digits: transposed convolutions against convolutions, two
optimizers and two tapes in one compiled step."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import digits
import gradtape as tf
import terminal

keras = tf.keras
NOISE, BATCH, KINDS = 24, 30, (0, 1, 4, 7)


def pictures(rng: np.random.Generator, count: int) -> tuple[Any, Any]:
    """Clear pictures of four kinds of digits, and which they are."""
    x, labels = digits.drawn(rng, 3 * count)
    chosen = np.flatnonzero(np.isin(labels, KINDS))[:count]
    return np.clip(1.6 * x[chosen] - 0.3, 0.0, 1.0).astype(np.float32), labels[chosen]


def make_generator() -> Any:
    """From noise to pictures: 4x4, then 8x8."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((NOISE,)),
            layers.Dense(4 * 4 * 32, use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Reshape((4, 4, 32)),
            layers.Conv2DTranspose(24, 5, strides=2, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Conv2DTranspose(1, 5, padding="same", activation="tanh"),
        ],
        name="generator",
    )


def make_discriminator() -> Any:
    """From pictures to one number: how real they look."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((8, 8, 1)),
            layers.Conv2D(32, 3, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Conv2D(64, 3, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Flatten(),
            layers.Dense(1),
        ],
        name="discriminator",
    )


cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)


def discriminator_loss(real: Any, made: Any) -> Any:
    """Real pictures should be called 1, made ones 0."""
    return cross_entropy(0.9 * tf.ones_like(real), real) + cross_entropy(tf.zeros_like(made), made)


def generator_loss(made: Any) -> Any:
    """Made pictures should be called 1."""
    return cross_entropy(tf.ones_like(made), made)


def nearest(pictures: Any, known: Any) -> tuple[Any, Any]:
    """For each picture the distance of the nearest known one, and which it is."""
    a, b = (tf.reshape(p, [p.shape[0], -1]) for p in (pictures, known))
    squares = tf.reduce_sum(a * a, 1)[:, None] + tf.reduce_sum(b * b, 1) - 2.0 * tf.matmul(a, b, transpose_b=True)
    return tf.sqrt(tf.maximum(tf.reduce_min(squares, 1), 0.0)), tf.argmin(squares, 1)


def run(epochs: int = 12) -> tuple[float, int]:
    """Train, and look at what is made; how much farther from real digits than other real ones, and how many kinds occur."""
    keras.utils.set_random_seed(3)
    x, _ = pictures(np.random.default_rng(0), 2400)
    generator, discriminator = make_generator(), make_discriminator()
    generator_optimizer = keras.optimizers.Adam(2e-3, beta_1=0.5)
    discriminator_optimizer = keras.optimizers.Adam(2e-3, beta_1=0.5)

    @tf.function
    def train_step(images: Any) -> tuple[Any, Any]:
        noise = tf.random.normal([BATCH, NOISE])
        with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
            made = generator(noise, training=True)
            real_score, made_score = discriminator(images, training=True), discriminator(made, training=True)
            gen_loss, disc_loss = generator_loss(made_score), discriminator_loss(real_score, made_score)
        gen_weights, disc_weights = generator.trainable_variables, discriminator.trainable_variables
        gen_gradients = gen_tape.gradient(gen_loss, gen_weights)
        disc_gradients = disc_tape.gradient(disc_loss, disc_weights)
        generator_optimizer.apply_gradients(zip(gen_gradients, gen_weights, strict=True))
        discriminator_optimizer.apply_gradients(zip(disc_gradients, disc_weights, strict=True))
        return gen_loss, disc_loss

    batches = tf.data.Dataset.from_tensor_slices(2.0 * x - 1.0).shuffle(2400, seed=2).batch(BATCH)
    seed = tf.random.normal([8, NOISE], seed=5)
    for epoch in range(epochs):
        losses = np.mean([train_step(images) for images in batches], axis=0)
        if (epoch + 1) % (epochs // 3) == 0:
            print(f"  epoch {epoch + 1}: generator {losses[0]:.3f}, discriminator {losses[1]:.3f}")
            print(digits.side_by_side(generator(seed, training=False).numpy() * 0.5 + 0.5) + "\n")

    known, labels = pictures(np.random.default_rng(1), 2400)
    made = 0.5 + 0.5 * generator(tf.random.normal([300, NOISE], seed=6), training=False)
    far, which = nearest(made, known)
    usual, _ = nearest(x[:300], known)
    ratio = float(tf.reduce_mean(far) / tf.reduce_mean(usual))
    kinds = len(tf.unique(tf.gather(labels, which)).y)
    print(
        f"  distance to the nearest real digit: {ratio:.2f} times that of real ones; {kinds} of {len(KINDS)} kinds occur"
    )
    return ratio, kinds


if __name__ == "__main__":
    terminal.heading("A convolutional GAN")
    run(*map(int, sys.argv[1:]))
