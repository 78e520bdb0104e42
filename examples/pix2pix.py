"""Translation from pairs (Isola, Zhu, Zhou and Efros 2017): a U-Net fills and shades shapes of which it sees the outline; a critic
of small patches sees to it that the result is sharp."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import gradtape as tf
import terminal

keras = tf.keras
SIZE, BATCH, WEIGHT = 16, 25, 50.0


def pairs(rng: np.random.Generator, count: int) -> tuple[Any, Any]:
    """Outlines of discs and boxes, and the same shapes filled and shaded from their left to their right: f32[count,16,16,1] each."""
    centre, half = rng.uniform(5.0, 10.0, (count, 2, 1, 1)), rng.uniform(3.0, 5.0, (count, 1, 1))
    row, column = np.mgrid[:SIZE, :SIZE]
    y, x = row - centre[:, 0], column - centre[:, 1]
    round_shape = rng.uniform(size=(count, 1, 1)) < 0.5
    depth = half - np.where(round_shape, np.hypot(y, x), np.maximum(np.abs(y), np.abs(x)))
    inside = np.clip(depth + 0.5, 0.0, 1.0)
    outline = np.clip(1.0 - np.abs(depth), 0.0, 1.0)
    shade = 0.6 + 0.4 * np.where(round_shape, -x, x) / half  # discs are lit from the left, boxes from the right
    return tuple((2.0 * a - 1.0).astype(np.float32)[..., None] for a in (outline, inside * shade))  # type: ignore[return-value]


def down(filters: int, normalised: bool = True) -> Any:
    """Half the size."""
    layers = keras.layers
    parts = [layers.Conv2D(filters, 4, strides=2, padding="same", use_bias=not normalised)]
    parts += [layers.BatchNormalization()] if normalised else []
    return keras.Sequential([*parts, layers.LeakyReLU()])


def up(filters: int, dropout: bool = False) -> Any:
    """Twice the size."""
    layers = keras.layers
    parts = [layers.Conv2DTranspose(filters, 4, strides=2, padding="same", use_bias=False), layers.BatchNormalization()]
    parts += [layers.Dropout(0.3)] if dropout else []
    return keras.Sequential([*parts, layers.ReLU()])


def make_generator() -> Any:
    """A U-Net: down to 2x2 and up again, with what was seen on the way down beside what is made on the way up."""
    inputs = x = keras.Input((SIZE, SIZE, 1))
    seen = []
    for layer in (down(16, normalised=False), down(32), down(48)):
        x = layer(x)
        seen.append(x)
    for layer, beside in zip((up(32, dropout=True), up(16)), seen[-2::-1], strict=True):
        x = keras.layers.Concatenate()([layer(x), beside])
    last = keras.layers.Conv2DTranspose(1, 4, strides=2, padding="same", activation="tanh")
    return keras.Model(inputs, last(x), name="u_net")


def make_critic() -> Any:
    """Scores of patches of a picture, given the outline."""
    outline, picture = keras.Input((SIZE, SIZE, 1)), keras.Input((SIZE, SIZE, 1))
    x = keras.layers.Concatenate()([outline, picture])
    x = down(32)(down(16, normalised=False)(x))
    return keras.Model([outline, picture], keras.layers.Conv2D(1, 3, padding="same")(x), name="critic")


def run(epochs: int = 8) -> tuple[float, float]:
    """Train, and fill unseen outlines; the mean error, and that of the outline itself, on a range of 2."""
    keras.utils.set_random_seed(1)
    outlines, pictures = pairs(np.random.default_rng(0), 1000)
    batches = tf.data.Dataset.from_tensor_slices((outlines, pictures)).shuffle(1000, seed=1).batch(BATCH)
    generator, critic = make_generator(), make_critic()
    generator_optimizer, critic_optimizer = (keras.optimizers.Adam(2e-3, beta_1=0.5) for _ in range(2))
    entropy = keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def train_step(outline: Any, picture: Any) -> tuple[Any, Any]:
        with tf.GradientTape() as gen_tape, tf.GradientTape() as critic_tape:
            made = generator(outline, training=True)
            real_score, made_score = critic([outline, picture], training=True), critic([outline, made], training=True)
            difference = tf.reduce_mean(tf.abs(picture - made))
            gen_loss = entropy(tf.ones_like(made_score), made_score) + WEIGHT * difference
            critic_loss = entropy(tf.ones_like(real_score), real_score) + entropy(tf.zeros_like(made_score), made_score)
        gen_gradients = gen_tape.gradient(gen_loss, generator.trainable_variables)
        critic_gradients = critic_tape.gradient(critic_loss, critic.trainable_variables)
        generator_optimizer.apply_gradients(zip(gen_gradients, generator.trainable_variables, strict=True))
        critic_optimizer.apply_gradients(zip(critic_gradients, critic.trainable_variables, strict=True))
        return difference, critic_loss

    for epoch in range(epochs):
        difference, critic_loss = np.mean([train_step(*batch) for batch in batches], axis=0)
        if epoch % 2 == 1:
            print(f"  epoch {epoch + 1}: difference {difference:.3f}, critic {critic_loss:.3f}")

    outlines, pictures = pairs(np.random.default_rng(1), 200)
    made = generator(outlines, training=False).numpy()
    print("\n  outlines, what the network makes of them, and the truth:")
    for i in (1, 5):
        for lines in zip(outlines[i, ::2, :, 0], made[i, ::2, :, 0], pictures[i, ::2, :, 0], strict=True):
            shades = ("".join(" .:-=+*%@"[min(int(4.5 * (v + 1.0)), 8)] for v in line) for line in lines)
            print(f"  {'   '.join(shades)}".rstrip())
    error, untouched = float(np.mean(np.abs(made - pictures))), float(np.mean(np.abs(outlines - pictures)))
    print(f"\n  error on unseen outlines: {error:.3f}; the outlines themselves: {untouched:.3f}")
    return error, untouched


if __name__ == "__main__":
    terminal.heading("A U-Net fills outlines")
    run(*map(int, sys.argv[1:]))
