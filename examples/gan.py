"""A GAN whose generator learns to put points on a ring.

You learn how to write a Keras `train_step` with two networks, two tapes and two optimizers.

    python examples/gan.py        saves gan.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np

import gradtape as tf

keras = tf.keras
NOISE = 4


def ring(rng: np.random.Generator, count: int) -> np.ndarray:
    """Points near the unit circle."""
    angle = rng.uniform(0, 2 * np.pi, count)
    return (np.stack([np.cos(angle), np.sin(angle)], 1) + rng.normal(0, 0.05, (count, 2))).astype(np.float32)


def layers(inputs: int, outputs: int) -> keras.Model:
    """A network with two hidden layers."""
    hidden = [keras.layers.Dense(48, activation="leaky_relu") for _ in range(2)]
    return keras.Sequential([keras.layers.Input((inputs,)), *hidden, keras.layers.Dense(outputs)])


class Gan(keras.Model):
    """A generator and a critic, trained alternately."""

    def __init__(self) -> None:
        super().__init__()
        self.generator, self.critic = layers(NOISE, 2), layers(2, 1)
        self.noise = keras.random.SeedGenerator(3)

    def compile(
        self, generator_optimizer: keras.optimizers.Optimizer, critic_optimizer: keras.optimizers.Optimizer
    ) -> None:
        """Set an optimizer for each network."""
        super().compile()
        self.generator_optimizer, self.critic_optimizer = generator_optimizer, critic_optimizer
        self.loss_of = keras.losses.BinaryCrossentropy(from_logits=True)

    def train_step(self, real: tf.Tensor) -> dict[str, tf.Tensor]:
        """Update the critic, then the generator. `fit` compiles this method."""
        count = real.shape[0]
        made = self.generator(keras.random.normal((count, NOISE), seed=self.noise))
        # The points were generated outside the tape: this gradient ends at the critic.
        with tf.GradientTape() as tape:
            scores = self.critic(tf.concat([made, real], 0))
            critic_loss = self.loss_of(tf.concat([tf.zeros([count, 1]), tf.ones([count, 1])], 0), scores)
        weights = self.critic.trainable_weights
        self.critic_optimizer.apply_gradients(zip(tape.gradient(critic_loss, weights), weights, strict=True))
        noise = keras.random.normal((count, NOISE), seed=self.noise)
        # This gradient passes through the critic to the generator; only the generator is updated.
        with tf.GradientTape() as tape:
            generator_loss = self.loss_of(tf.ones([count, 1]), self.critic(self.generator(noise)))
        weights = self.generator.trainable_weights
        self.generator_optimizer.apply_gradients(zip(tape.gradient(generator_loss, weights), weights, strict=True))
        return {"critic": critic_loss, "generator": generator_loss}


def save_points(points: np.ndarray, file: str) -> None:
    """Save points as a picture, if Matplotlib is installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(4, 4))
    axes.add_patch(pyplot.Circle((0, 0), 1, fill=False))
    axes.scatter(points[:, 0], points[:, 1], s=6)
    axes.set(aspect="equal", title="generated points")
    figure.savefig(file)
    pyplot.close(figure)
    print(f"  picture: {file}")


def run(epochs: int = 30) -> float:
    """Train, and plot generated points; return their mean distance from the ring."""
    keras.utils.set_random_seed(1)
    gan = Gan()
    gan.compile(keras.optimizers.Adam(2e-3, beta_1=0.5), keras.optimizers.Adam(2e-3, beta_1=0.5))
    history = gan.fit(ring(np.random.default_rng(0), 4096), batch_size=128, epochs=epochs, verbose=0).history
    points = gan.generator.predict(keras.random.normal((400, NOISE), seed=9), verbose=0)
    inside = points[np.abs(points).max(1) <= 1.3] / 1.3
    cells = np.full((15, 60), "·")
    cells[np.rint((1 - inside[:, 1]) * 7).astype(int), np.rint((inside[:, 0] + 1) * 29.5).astype(int)] = "o"
    print("\n".join("  " + "".join(line) for line in cells))
    save_points(points, "gan.png")
    distance = float(np.mean(np.abs(np.linalg.norm(points, axis=1) - 1.0)))
    print(f"\n  losses: critic {history['critic'][-1]:.3f}, generator {history['generator'][-1]:.3f}")
    print(f"  mean distance of generated points from the ring: {distance:.3f}")
    return distance


if __name__ == "__main__":
    print("A GAN with two optimizers")
    run()
