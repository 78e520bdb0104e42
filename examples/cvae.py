"""A convolutional variational autoencoder (Kingma and Welling 2013).

You learn the reparametrisation trick: the evidence lower bound is estimated from one sample, and the gradient passes
through the sample. The training loop is a plain `tf.function`.

    python examples/cvae.py        saves cvae.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

import gradtape as tf

keras = tf.keras
LATENT = 4

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


class Cvae(keras.Model):
    """An encoder q(z | x), normal, and a decoder p(x | z), Bernoulli; both are convolutional networks."""

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

    def encode(self, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The mean and the log variance of the codes."""
        mean, log_variance = tf.split(self.encoder(x), num_or_size_splits=2, axis=1)
        return mean, log_variance

    def sample(self, mean: tf.Tensor, log_variance: tf.Tensor) -> tf.Tensor:
        """A code for each image."""
        # Reparametrisation: the sample is a differentiable function of mean and variance.
        return mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))

    def decode(self, z: tf.Tensor) -> tf.Tensor:
        """The images of codes."""
        return tf.sigmoid(self.decoder(z))


def log_normal(z: tf.Tensor, mean: tf.Tensor | float, log_variance: tf.Tensor | float) -> tf.Tensor:
    """The log density of independent normal numbers, summed over each row."""
    squares = (z - mean) ** 2 * tf.exp(-log_variance)
    return tf.reduce_sum(-0.5 * (squares + log_variance + tf.math.log(2.0 * np.pi)), axis=1)


def negative_bound(model: Cvae, x: tf.Tensor) -> tf.Tensor:
    """The negative evidence lower bound, from one sample for each image."""
    mean, log_variance = model.encode(x)
    z = model.sample(mean, log_variance)
    logits = model.decoder(z)
    entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits)
    likelihood = -tf.reduce_sum(entropy, axis=[1, 2, 3])
    # log p(x | z) + log p(z) - log q(z | x), whose mean over samples is the bound.
    prior, posterior = log_normal(z, 0.0, 0.0), log_normal(z, mean, log_variance)
    return -tf.reduce_mean(likelihood + prior - posterior)


@tf.function
def train_step(model: Cvae, x: tf.Tensor, optimizer: keras.optimizers.Optimizer) -> tf.Tensor:
    """Take one optimizer step on a batch; return the negative bound."""
    with tf.GradientTape() as tape:
        loss = negative_bound(model, x)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


def black_and_white(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Digits whose pixels are 0 or 1, for a Bernoulli distribution, and their labels."""
    pictures, labels = draw_digits(rng, count)
    return (pictures > 0.5).astype(np.float32), labels


def run(epochs: int = 20) -> tuple[float, float]:
    """Train, and interpolate between two digits; return the bound on unseen images before and after."""
    keras.utils.set_random_seed(1)
    x, _ = black_and_white(np.random.default_rng(1), 2400)
    unseen, labels = (tf.constant(a) for a in black_and_white(np.random.default_rng(2), 500))
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
    rows = {
        "a 3, six interpolated codes, an 8": tf.concat([first, model.decode(way), last], axis=0).numpy(),
        "decoded from random codes": model.decode(tf.random.normal([8, LATENT], seed=4)).numpy(),
    }
    show_images(rows, "cvae.png")
    print(f"\n  bound on unseen images: {before:.1f} before, {after:.1f} after training")
    return before, after


if __name__ == "__main__":
    print("A convolutional variational autoencoder")
    run()
