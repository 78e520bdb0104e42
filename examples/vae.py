"""A variational autoencoder of drawn digits, with a `train_step` of its own and metrics that Keras resets."""

from __future__ import annotations

from typing import Any

import numpy as np

import digits
import gradtape as tf
import terminal

keras = tf.keras
LATENT = 6


class Vae(keras.Model):
    """An encoder to a normal distribution of codes, and a decoder."""

    def __init__(self) -> None:
        super().__init__()
        dense = keras.layers.Dense
        self.encoder = keras.Sequential(
            [keras.layers.Flatten(), dense(128, activation="relu"), dense(2 * LATENT)], name="encoder"
        )
        self.decoder = keras.Sequential(
            [dense(128, activation="relu"), dense(64, activation="sigmoid"), keras.layers.Reshape((8, 8, 1))],
            name="decoder",
        )
        self.noise = keras.random.SeedGenerator(5)
        self.trackers = [keras.metrics.Mean(name=name) for name in ("loss", "picture", "code")]

    @property
    def metrics(self) -> Any:
        """What Keras sets to zero before each epoch."""
        return self.trackers

    def call(self, x: Any) -> Any:
        """The reconstruction from the mean code."""
        return self.decoder(self.encoder(x)[:, :LATENT])

    def train_step(self, x: Any) -> Any:
        """One step on the evidence lower bound, by the reparametrisation trick."""
        with tf.GradientTape() as tape:
            mean, log_variance = tf.split(self.encoder(x), 2, axis=1)
            noise = keras.random.normal(mean.shape, seed=self.noise)
            picture = self.decoder(mean + tf.exp(0.5 * log_variance) * noise)
            squares = 10.0 * tf.reduce_mean(tf.reduce_sum(tf.square(picture - x), axis=(1, 2, 3)))
            divergence = 0.5 * (tf.square(mean) + tf.exp(log_variance) - 1.0 - log_variance)
            code = tf.reduce_mean(tf.reduce_sum(divergence, axis=1))
            loss = squares + code
        weights = self.trainable_weights
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        for tracker, value in zip(self.trackers, (loss, squares, code), strict=True):
            tracker.update_state(value)
        return {tracker.name: tracker.result() for tracker in self.trackers}


def run(epochs: int = 12) -> tuple[float, float]:
    """Train, and show pictures with their reconstructions; the loss of the first and of the last epoch."""
    keras.utils.set_random_seed(1)
    x, labels = digits.drawn(np.random.default_rng(1), 3000)
    vae = Vae()
    vae.compile(keras.optimizers.Adam(3e-3))
    losses = vae.fit(x, batch_size=100, epochs=epochs, verbose=0).history["loss"]
    print(digits.side_by_side(x[:8], [f"   {label}" for label in labels[:8]]))
    print(digits.side_by_side(vae.predict(x[:8], verbose=0)))
    codes = keras.random.normal((8, LATENT), seed=2)
    print("\n  decoded from random codes:")
    print(digits.side_by_side(vae.decoder.predict(codes, verbose=0)))
    print(f"\n  loss: {losses[0]:.1f} in the first epoch, {losses[-1]:.1f} in the last")
    return losses[0], losses[-1]


if __name__ == "__main__":
    terminal.heading("A variational autoencoder")
    run()
