"""A convolutional variational autoencoder (Kingma and Welling 2013) in a loop of one's own: the bound on the likelihood is
estimated from one sample, through which the gradient goes by reparametrisation."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import digits
import gradtape as tf
import terminal

keras = tf.keras
LATENT = 4


class Cvae(keras.Model):
    """q(z | x) and p(x | z), normal and Bernoulli, by two convolutional networks."""

    def __init__(self) -> None:
        super().__init__()
        layers = keras.layers
        self.encoder = keras.Sequential(
            [
                layers.Input((8, 8, 1)),
                layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
                layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
                layers.Flatten(),
                layers.Dense(2 * LATENT),
            ]
        )
        self.decoder = keras.Sequential(
            [
                layers.Input((LATENT,)),
                layers.Dense(2 * 2 * 32, activation="relu"),
                layers.Reshape((2, 2, 32)),
                layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu"),
                layers.Conv2DTranspose(16, 3, strides=2, padding="same", activation="relu"),
                layers.Conv2D(1, 3, padding="same"),
            ]
        )

    def encode(self, x: Any) -> tuple[Any, Any]:
        """Mean and logarithm of the variance of the codes."""
        mean, log_variance = tf.split(self.encoder(x), num_or_size_splits=2, axis=1)
        return mean, log_variance

    def sample(self, mean: Any, log_variance: Any) -> Any:
        """A code for each picture, as a function of noise."""
        return mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))

    def decode(self, z: Any) -> Any:
        """Pictures of codes."""
        return tf.sigmoid(self.decoder(z))


def log_normal(z: Any, mean: Any, log_variance: Any) -> Any:
    """The logarithm of the density of independent normal numbers, summed over each row."""
    squares = (z - mean) ** 2 * tf.exp(-log_variance)
    return tf.reduce_sum(-0.5 * (squares + log_variance + tf.math.log(2.0 * np.pi)), axis=1)


def negative_bound(model: Cvae, x: Any) -> Any:
    """Minus the evidence lower bound, from one sample for each picture."""
    mean, log_variance = model.encode(x)
    z = model.sample(mean, log_variance)
    logits = model.decoder(z)
    entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits)
    likelihood = -tf.reduce_sum(entropy, axis=[1, 2, 3])
    prior, posterior = log_normal(z, 0.0, 0.0), log_normal(z, mean, log_variance)
    return -tf.reduce_mean(likelihood + prior - posterior)


@tf.function
def train_step(model: Cvae, x: Any, optimizer: Any) -> Any:
    """Minus the bound on a batch, after a step on it."""
    with tf.GradientTape() as tape:
        loss = negative_bound(model, x)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


def black_and_white(rng: np.random.Generator, count: int) -> tuple[Any, Any]:
    """Drawn digits whose pixels are 0 or 1, as a Bernoulli distribution gives them; and which digit each is."""
    pictures, labels = digits.drawn(rng, count)
    return (pictures > 0.5).astype(np.float32), labels


def run(epochs: int = 20) -> tuple[float, float]:
    """Train, and walk from one digit to another; the bound on unseen pictures before and after."""
    keras.utils.set_random_seed(1)
    x, _ = black_and_white(np.random.default_rng(1), 2400)
    unseen, labels = black_and_white(np.random.default_rng(2), 500)
    batches = tf.data.Dataset.from_tensor_slices(x).shuffle(2400, seed=1).batch(50)
    model, optimizer = Cvae(), keras.optimizers.Adam(3e-3)
    before = -float(negative_bound(model, unseen))
    for epoch in range(epochs):
        bound = keras.metrics.Mean()
        for images in batches:
            bound(-train_step(model, images, optimizer))
        if (epoch + 1) % 5 == 0:
            print(f"  epoch {epoch + 1:2}: bound {bound.result():.2f}")
    after = -float(negative_bound(model, unseen))

    first, last = unseen[labels == 3][:1], unseen[labels == 8][:1]
    (start, _), (end, _) = model.encode(first), model.encode(last)
    way = tf.linspace(start[0], end[0], 6)
    print("\n  a drawn 3, six codes on the way, a drawn 8:")
    print(digits.side_by_side(tf.concat([first, model.decode(way), last], axis=0).numpy()))
    print("\n  from random codes:")
    print(digits.side_by_side(model.decode(tf.random.normal([8, LATENT], seed=4)).numpy()))
    print(f"\n  bound on unseen pictures: {before:.1f} before, {after:.1f} after training")
    return before, after


if __name__ == "__main__":
    terminal.heading("A convolutional variational autoencoder")
    run(*map(int, sys.argv[1:]))
