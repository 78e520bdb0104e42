"""Translation without pairs (Zhu, Park, Isola and Efros 2017): two generators and two critics learn how digits of one palette
look in the other, from pictures that never show the same digit twice. One persistent tape, four optimizers."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import digits
import gradtape as tf
import terminal

keras = tf.keras
BATCH, CYCLE = 50, 5.0
# Colours of the ground and of the ink, by day and by night.
PALETTES = {"day": ((0.9, 0.9, 0.6), (0.2, 0.1, 0.1)), "night": ((-0.9, -0.8, -0.4), (0.4, 0.9, 0.9))}


def coloured(pictures: Any, palette: str) -> Any:
    """Pictures between 0 and 1, in the colours of a palette between -1 and 1: f32[count,8,8,3]."""
    ground, ink = (np.array(colour, np.float32) for colour in PALETTES[palette])
    return ground + pictures * (ink - ground)


def make_generator() -> Any:
    """From a picture to one of the same size."""
    layers = keras.layers
    inputs = keras.Input((8, 8, 3))
    x = layers.Conv2D(24, 3, padding="same", activation="relu")(inputs)
    y = layers.Conv2D(24, 3, padding="same", activation="relu")(x)
    x = layers.Add()([x, layers.Conv2D(24, 3, padding="same")(y)])
    return keras.Model(inputs, layers.Conv2D(3, 3, padding="same", activation="tanh")(x))


def make_critic() -> Any:
    """From a picture to scores of its parts."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((8, 8, 3)),
            layers.Conv2D(24, 3, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Conv2D(48, 3, padding="same"),
            layers.LeakyReLU(),
            layers.Conv2D(1, 3, padding="same"),
        ]
    )


def squares(scores: Any, wanted: float) -> Any:
    """The loss of least squares GANs."""
    return tf.reduce_mean(tf.square(scores - wanted))


def distance(a: Any, b: Any) -> Any:
    """The mean absolute difference."""
    return tf.reduce_mean(tf.abs(a - b))


class CycleGan:
    """Both directions of a translation, and what trains them."""

    def __init__(self) -> None:
        self.to_night, self.to_day, self.night_critic, self.day_critic = self.networks = (
            make_generator(), make_generator(), make_critic(), make_critic()
        )  # fmt: skip
        self.optimizers = [keras.optimizers.Adam(2e-3, beta_1=0.5) for _ in self.networks]

    @tf.function
    def train_step(self, day: Any, night: Any) -> dict[str, Any]:
        """The losses on a batch of either side, after a step of all four networks."""
        with tf.GradientTape(persistent=True) as tape:
            made_night, made_day = self.to_night(day, training=True), self.to_day(night, training=True)
            cycle = distance(self.to_day(made_night, training=True), day)
            cycle += distance(self.to_night(made_day, training=True), night)
            same = distance(self.to_day(day, training=True), day) + distance(self.to_night(night, training=True), night)
            night_score, day_score = self.night_critic(made_night), self.day_critic(made_day)
            shared = CYCLE * (cycle + 0.5 * same)
            losses = [
                squares(night_score, 1.0) + shared,
                squares(day_score, 1.0) + shared,
                0.5 * (squares(self.night_critic(night), 1.0) + squares(night_score, 0.0)),
                0.5 * (squares(self.day_critic(day), 1.0) + squares(day_score, 0.0)),
            ]
        for network, optimizer, loss in zip(self.networks, self.optimizers, losses, strict=True):
            gradients = tape.gradient(loss, network.trainable_variables)
            optimizer.apply_gradients(zip(gradients, network.trainable_variables, strict=True))
        return {"cycle": cycle, "critics": losses[2] + losses[3]}


def run(epochs: int = 7) -> tuple[float, float]:
    """Train, and translate; the mean error of translations in either direction, on a range of 2."""
    keras.utils.set_random_seed(2)
    day = coloured(digits.drawn(np.random.default_rng(0), 1200)[0], "day")
    night = coloured(digits.drawn(np.random.default_rng(1), 1200)[0], "night")
    pairs = (tf.data.Dataset.from_tensor_slices(side).shuffle(1200, seed=1).batch(BATCH) for side in (day, night))
    batches = tf.data.Dataset.zip(tuple(pairs))
    gan = CycleGan()
    for epoch in range(epochs):
        losses = [gan.train_step(*sides) for sides in batches]
        means = {name: float(tf.reduce_mean([loss[name] for loss in losses])) for name in losses[0]}
        print(f"  epoch {epoch + 1}: " + ", ".join(f"{name} {value:.3f}" for name, value in means.items()))

    unseen, _ = digits.drawn(np.random.default_rng(2), 200)
    by_day, by_night = coloured(unseen, "day"), coloured(unseen, "night")
    made_night, made_day = gan.to_night(by_day), gan.to_day(by_night)
    errors = float(distance(made_night, by_night)), float(distance(made_day, by_day))
    untouched = float(distance(by_day, by_night))
    for name, picture in (
        ("by day", by_day),
        ("translated to night", made_night),
        ("and back", gan.to_day(made_night)),
    ):
        brightness = 0.5 + 0.5 * tf.reduce_mean(picture[:8], axis=-1, keepdims=True)
        print(f"\n  {name}:\n{digits.side_by_side(brightness.numpy())}")
    print(f"\n  error: {errors[0]:.3f} to night, {errors[1]:.3f} to day; {untouched:.3f} without translation")
    return errors


if __name__ == "__main__":
    terminal.heading("A CycleGAN paints digits by day and by night")
    run(*map(int, sys.argv[1:]))
