"""DCGAN (Radford, Metz and Chintala 2015): a convolutional GAN draws digits.

You learn how to train two networks against each other: two tapes and two optimizers in one compiled step.

    python examples/dcgan.py        saves dcgan.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

import gradtape as tf

keras = tf.keras
NOISE, BATCH, KINDS = 24, 30, (0, 1, 4, 7)

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


def pictures(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Clear images of four kinds of digits, and their labels."""
    x, labels = draw_digits(rng, 3 * count)
    chosen = np.flatnonzero(np.isin(labels, KINDS))[:count]
    return np.clip(1.6 * x[chosen] - 0.3, 0.0, 1.0).astype(np.float32), labels[chosen]


def make_generator() -> keras.Model:
    """A network from noise to images: 4x4, then 8x8."""
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


def make_discriminator() -> keras.Model:
    """A network from images to one logit: how real they look."""
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


def discriminator_loss(real: tf.Tensor, made: tf.Tensor) -> tf.Tensor:
    """The discriminator should output 1 for real images (smoothed to 0.9) and 0 for generated ones."""
    return cross_entropy(0.9 * tf.ones_like(real), real) + cross_entropy(tf.zeros_like(made), made)


def generator_loss(made: tf.Tensor) -> tf.Tensor:
    """The generator wants the discriminator to output 1 for generated images."""
    return cross_entropy(tf.ones_like(made), made)


def nearest(pictures: tf.Tensor, known: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """For each image, the distance to the nearest known image, and the index of that image."""
    a, b = (tf.reshape(p, [p.shape[0], -1]) for p in (pictures, known))
    squares = tf.reduce_sum(a * a, 1)[:, None] + tf.reduce_sum(b * b, 1) - 2.0 * tf.matmul(a, b, transpose_b=True)
    return tf.sqrt(tf.maximum(tf.reduce_min(squares, 1), 0.0)), tf.argmin(squares, 1)


def run(epochs: int = 12) -> tuple[float, int]:
    """Train, and judge the generated digits.

    Returns their distance to the nearest real digit, relative to that of real digits, and the number of kinds that occur.
    """
    keras.utils.set_random_seed(3)
    x, _ = pictures(np.random.default_rng(0), 2400)
    generator, discriminator = make_generator(), make_discriminator()
    generator_optimizer = keras.optimizers.Adam(2e-3, beta_1=0.5)
    discriminator_optimizer = keras.optimizers.Adam(2e-3, beta_1=0.5)

    @tf.function
    def train_step(images: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        noise = tf.random.normal([BATCH, NOISE])
        # Each tape differentiates one loss with respect to one network.
        with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
            made = generator(noise, training=True)
            real_score, made_score = discriminator(images, training=True), discriminator(made, training=True)
            gen_loss, disc_loss = generator_loss(made_score), discriminator_loss(real_score, made_score)
        # Both gradients are computed before either network changes.
        gen_weights, disc_weights = generator.trainable_variables, discriminator.trainable_variables
        gen_gradients = gen_tape.gradient(gen_loss, gen_weights)
        disc_gradients = disc_tape.gradient(disc_loss, disc_weights)
        generator_optimizer.apply_gradients(zip(gen_gradients, gen_weights, strict=True))
        discriminator_optimizer.apply_gradients(zip(disc_gradients, disc_weights, strict=True))
        return gen_loss, disc_loss

    batches = tf.data.Dataset.from_tensor_slices(2.0 * x - 1.0).shuffle(2400, seed=2).batch(BATCH)
    seed = tf.random.normal([8, NOISE], seed=5)
    rows: dict[str, np.ndarray] = {}
    for epoch in range(epochs):
        losses = np.mean([train_step(images) for images in batches], axis=0)
        if (epoch + 1) % (epochs // 3) == 0:
            print(f"  epoch {epoch + 1}: generator {losses[0]:.3f}, discriminator {losses[1]:.3f}")
            rows[f"epoch {epoch + 1}"] = generator(seed, training=False).numpy() * 0.5 + 0.5

    show_images(rows, "dcgan.png")

    known, labels = (tf.constant(a) for a in pictures(np.random.default_rng(1), 2400))
    made = 0.5 + 0.5 * generator(tf.random.normal([300, NOISE], seed=6), training=False)
    far, which = nearest(made, known)
    usual, _ = nearest(tf.constant(x[:300]), known)
    ratio = float(tf.reduce_mean(far) / tf.reduce_mean(usual))
    kinds = len(tf.unique(tf.gather(labels, which)).y)
    print(
        f"\n  distance to the nearest real digit: {ratio:.2f} times that of real ones; {kinds} of {len(KINDS)} kinds occur"
    )
    return ratio, kinds


if __name__ == "__main__":
    print("A convolutional GAN")
    run()
