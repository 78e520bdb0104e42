"""A variational autoencoder with a custom `train_step`.

You learn how to override `train_step`, track several losses with metrics, and sample with a Keras seed generator.

    python examples/vae.py        saves vae.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

import gradtape as tf

keras = tf.keras
LATENT = 6

# The digits 0 to 9, five by seven dots each.
GLYPHS = """
.###. ..#.. .###. .###. ...#. ##### ..##. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... .#... ....# #...# #...#
#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. ..##. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ...#.
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .##..
"""


def draw_digits(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy 8x8 images of digits, rotated, stretched and shifted: f32[count,8,8,1] in [0, 1], and labels i32[count]."""
    rows = [line.split() for line in GLYPHS.split("\n") if line]
    dots = np.array([[[dot == "#" for dot in cell] for cell in row] for row in rows], np.float64)
    glyphs = np.pad(dots.transpose(1, 0, 2), ((0, 0), (2, 2), (2, 2)))
    labels = rng.integers(0, 10, count)
    angle, stretch = rng.normal(0.0, 0.12, count), rng.uniform(0.9, 1.2, (2, count))
    shift = rng.uniform(-0.8, 0.8, (2, count))
    row, column = (axis.ravel()[:, None] for axis in np.mgrid[-3.5:4.5, -3.5:4.5])
    # Where in the glyph each pixel looks: the inverse of the rotation, the stretch and the shift.
    y = 5.0 + (np.cos(angle) * row + np.sin(angle) * column) * stretch[0] + shift[0]
    x = 4.0 + (np.cos(angle) * column - np.sin(angle) * row) * stretch[1] + shift[1]
    pixels = ndimage.map_coordinates(glyphs, [np.broadcast_to(labels, y.shape), y, x], order=1, mode="nearest")
    images = np.clip(pixels + rng.normal(0.0, 0.1, y.shape), 0.0, 1.0)
    return images.T.reshape(count, 8, 8, 1).astype(np.float32), labels.astype(np.int32)


def show_images(rows: dict[str, np.ndarray], file: str) -> None:
    """Print rows of images in [0, 1] as text; save them as a picture if Matplotlib is installed."""
    for title, images in rows.items():
        print(f"\n  {title}:")
        grey = np.clip(np.mean(images, axis=-1), 0.0, 0.999)
        for line in range(0, grey.shape[1], 1 if grey.shape[1] <= 12 else 2):  # characters are taller than wide
            print("  " + "  ".join("".join(" .:-=+*%@"[int(9 * v)] for v in image[line]) for image in grey).rstrip())
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    columns = max(len(images) for images in rows.values())
    figure, axes = pyplot.subplots(len(rows), columns, figsize=(1.2 * columns, 1.4 * len(rows)), squeeze=False)
    for line, (title, images) in zip(axes, rows.items(), strict=True):
        line[0].set_title(title, fontsize=8, loc="left")
        for place in line:
            place.axis("off")
        for place, image in zip(line, images, strict=False):
            place.imshow(np.clip(image, 0.0, 1.0), cmap="gray", vmin=0.0, vmax=1.0)
    figure.savefig(file)
    pyplot.close(figure)
    print(f"\n  picture: {file}")


class Vae(keras.Model):
    """An encoder that outputs a normal distribution of codes, and a decoder."""

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
    def metrics(self) -> list[keras.metrics.Metric]:
        """The metrics that Keras resets before each epoch."""
        return self.trackers

    def call(self, x: tf.Tensor) -> tf.Tensor:
        """The reconstruction of images from their mean codes."""
        return self.decoder(self.encoder(x)[:, :LATENT])

    def train_step(self, x: tf.Tensor) -> dict[str, tf.Tensor]:
        """Take one step on the evidence lower bound. `fit` compiles this method."""
        with tf.GradientTape() as tape:
            mean, log_variance = tf.split(self.encoder(x), 2, axis=1)
            noise = keras.random.normal(mean.shape, seed=self.noise)
            # Reparametrisation: the sample is a differentiable function of mean and variance.
            picture = self.decoder(mean + tf.exp(0.5 * log_variance) * noise)
            # The negative evidence lower bound: reconstruction error plus divergence of the codes from the prior.
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
    """Train, and show reconstructions; return the losses of the first and the last epoch."""
    keras.utils.set_random_seed(1)
    x, _ = draw_digits(np.random.default_rng(1), 3000)
    vae = Vae()
    vae.compile(keras.optimizers.Adam(3e-3))
    losses = vae.fit(x, batch_size=100, epochs=epochs, verbose=0).history["loss"]
    codes = keras.random.normal((8, LATENT), seed=2)
    rows = {
        "images": x[:8],
        "reconstructions": vae.predict(x[:8], verbose=0),
        "decoded from random codes": vae.decoder.predict(codes, verbose=0),
    }
    show_images(rows, "vae.png")
    print(f"\n  loss: {losses[0]:.1f} in the first epoch, {losses[-1]:.1f} in the last")
    return losses[0], losses[-1]


if __name__ == "__main__":
    print("A variational autoencoder")
    run()
