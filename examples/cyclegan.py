"""CycleGAN (Zhu, Park, Isola and Efros 2017): image translation without pairs.

You learn how to train four networks with four optimizers from one persistent tape. Two generators translate digits between
two palettes; the data never shows the same digit in both.

    python examples/cyclegan.py        saves cyclegan.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

import gradtape as tf

keras = tf.keras
BATCH, CYCLE = 50, 5.0
# Colours of the background and of the ink, by day and by night.
PALETTES = {"day": ((0.9, 0.9, 0.6), (0.2, 0.1, 0.1)), "night": ((-0.9, -0.8, -0.4), (0.4, 0.9, 0.9))}

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


def colour(images: np.ndarray, palette: str) -> np.ndarray:
    """Images in [0, 1], in the colours of a palette in [-1, 1]: f32[count,8,8,3]."""
    ground, ink = (np.array(colour, np.float32) for colour in PALETTES[palette])
    return ground + images * (ink - ground)


def make_generator() -> keras.Model:
    """A network from images to images of the same size."""
    layers = keras.layers
    inputs = keras.Input((8, 8, 3))
    x = layers.Conv2D(24, 3, padding="same", activation="relu")(inputs)
    y = layers.Conv2D(24, 3, padding="same", activation="relu")(x)
    x = layers.Add()([x, layers.Conv2D(24, 3, padding="same")(y)])
    return keras.Model(inputs, layers.Conv2D(3, 3, padding="same", activation="tanh")(x))


def make_critic() -> keras.Model:
    """A network from images to scores of patches."""
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


def squares(scores: tf.Tensor, wanted: float) -> tf.Tensor:
    """The least-squares GAN loss."""
    return tf.reduce_mean(tf.square(scores - wanted))


def distance(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """The mean absolute difference."""
    return tf.reduce_mean(tf.abs(a - b))


class CycleGan:
    """Generators and critics for both directions, with their optimizers."""

    def __init__(self) -> None:
        self.to_night, self.to_day, self.night_critic, self.day_critic = self.networks = (
            make_generator(), make_generator(), make_critic(), make_critic()
        )  # fmt: skip
        self.optimizers = [keras.optimizers.Adam(2e-3, beta_1=0.5) for _ in self.networks]

    @tf.function
    def train_step(self, day: tf.Tensor, night: tf.Tensor) -> dict[str, tf.Tensor]:
        """Update all four networks on a batch of each side; return the losses."""
        with tf.GradientTape(persistent=True) as tape:
            made_night, made_day = self.to_night(day, training=True), self.to_day(night, training=True)
            # Cycle consistency: there and back must give the original image.
            cycle = distance(self.to_day(made_night, training=True), day)
            cycle += distance(self.to_night(made_day, training=True), night)
            # Identity: a generator leaves an image alone that has the right palette already.
            same = distance(self.to_day(day, training=True), day) + distance(self.to_night(night, training=True), night)
            night_score, day_score = self.night_critic(made_night), self.day_critic(made_day)
            shared = CYCLE * (cycle + 0.5 * same)
            losses = [
                squares(night_score, 1.0) + shared,
                squares(day_score, 1.0) + shared,
                0.5 * (squares(self.night_critic(night), 1.0) + squares(night_score, 0.0)),
                0.5 * (squares(self.day_critic(day), 1.0) + squares(day_score, 0.0)),
            ]
        # The tape is persistent, so it can be queried once for each network.
        for network, optimizer, loss in zip(self.networks, self.optimizers, losses, strict=True):
            gradients = tape.gradient(loss, network.trainable_variables)
            optimizer.apply_gradients(zip(gradients, network.trainable_variables, strict=True))
        return {"cycle": cycle, "critics": losses[2] + losses[3]}


def run(epochs: int = 7) -> tuple[float, float]:
    """Train, and translate; return the mean error in each direction, on a range of 2."""
    keras.utils.set_random_seed(2)
    day = colour(draw_digits(np.random.default_rng(0), 1200)[0], "day")
    night = colour(draw_digits(np.random.default_rng(1), 1200)[0], "night")
    pairs = (tf.data.Dataset.from_tensor_slices(side).shuffle(1200, seed=1).batch(BATCH) for side in (day, night))
    batches = tf.data.Dataset.zip(tuple(pairs))
    gan = CycleGan()
    for epoch in range(epochs):
        losses = [gan.train_step(*sides) for sides in batches]
        means = {name: float(tf.reduce_mean([loss[name] for loss in losses])) for name in losses[0]}
        print(f"  epoch {epoch + 1}: " + ", ".join(f"{name} {value:.3f}" for name, value in means.items()))

    unseen, _ = draw_digits(np.random.default_rng(2), 200)
    by_day, by_night = (tf.constant(colour(unseen, palette)) for palette in ("day", "night"))
    made_night, made_day = gan.to_night(by_day), gan.to_day(by_night)
    errors = float(distance(made_night, by_night)), float(distance(made_day, by_day))
    untouched = float(distance(by_day, by_night))
    translations = {"by day": by_day, "translated to night": made_night, "and back": gan.to_day(made_night)}
    show_images({name: 0.5 + 0.5 * np.asarray(images[:8]) for name, images in translations.items()}, "cyclegan.png")
    print(f"\n  error: {errors[0]:.3f} to night, {errors[1]:.3f} to day; {untouched:.3f} without translation")
    return errors


if __name__ == "__main__":
    print("A CycleGAN paints digits by day and by night")
    run()
