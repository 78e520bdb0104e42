"""pix2pix (Isola, Zhu, Zhou and Efros 2017): image translation from pairs.

You learn how to build a U-Net with skip connections, and how to train it with a patch discriminator in one compiled step.

    python examples/pix2pix.py        saves pix2pix.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np

import gradtape as tf

keras = tf.keras
SIZE, BATCH, WEIGHT = 16, 25, 50.0


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


def pairs(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Outlines of discs and boxes, and the same shapes filled and shaded: f32[count,16,16,1] each."""
    centre, half = rng.uniform(5.0, 10.0, (count, 2, 1, 1)), rng.uniform(3.0, 5.0, (count, 1, 1))
    row, column = np.mgrid[:SIZE, :SIZE]
    y, x = row - centre[:, 0], column - centre[:, 1]
    round_shape = rng.uniform(size=(count, 1, 1)) < 0.5
    depth = half - np.where(round_shape, np.hypot(y, x), np.maximum(np.abs(y), np.abs(x)))
    inside = np.clip(depth + 0.5, 0.0, 1.0)
    outline = np.clip(1.0 - np.abs(depth), 0.0, 1.0)
    shade = 0.6 + 0.4 * np.where(round_shape, -x, x) / half  # discs are lit from the left, boxes from the right
    return tuple((2.0 * a - 1.0).astype(np.float32)[..., None] for a in (outline, inside * shade))  # type: ignore[return-value]


def down(filters: int, normalised: bool = True) -> keras.Model:
    """A block that halves the size."""
    layers = keras.layers
    parts = [layers.Conv2D(filters, 4, strides=2, padding="same", use_bias=not normalised)]
    parts += [layers.BatchNormalization()] if normalised else []
    return keras.Sequential([*parts, layers.LeakyReLU()])


def up(filters: int, dropout: bool = False) -> keras.Model:
    """A block that doubles the size."""
    layers = keras.layers
    parts = [layers.Conv2DTranspose(filters, 4, strides=2, padding="same", use_bias=False), layers.BatchNormalization()]
    parts += [layers.Dropout(0.3)] if dropout else []
    return keras.Sequential([*parts, layers.ReLU()])


def make_generator() -> keras.Model:
    """A U-Net: down to 2x2 and up again, with skip connections between layers of equal size."""
    inputs = x = keras.Input((SIZE, SIZE, 1))
    seen = []
    for layer in (down(16, normalised=False), down(32), down(48)):
        x = layer(x)
        seen.append(x)
    for layer, beside in zip((up(32, dropout=True), up(16)), seen[-2::-1], strict=True):
        x = keras.layers.Concatenate()([layer(x), beside])
    last = keras.layers.Conv2DTranspose(1, 4, strides=2, padding="same", activation="tanh")
    return keras.Model(inputs, last(x), name="u_net")


def make_critic() -> keras.Model:
    """A network from outline and image to scores of patches."""
    outline, picture = keras.Input((SIZE, SIZE, 1)), keras.Input((SIZE, SIZE, 1))
    x = keras.layers.Concatenate()([outline, picture])
    x = down(32)(down(16, normalised=False)(x))
    return keras.Model([outline, picture], keras.layers.Conv2D(1, 3, padding="same")(x), name="critic")


def run(epochs: int = 8) -> tuple[float, float]:
    """Train, and fill unseen outlines; return the mean error, and that of the outlines themselves, on a range of 2."""
    keras.utils.set_random_seed(1)
    outlines, pictures = pairs(np.random.default_rng(0), 1000)
    batches = tf.data.Dataset.from_tensor_slices((outlines, pictures)).shuffle(1000, seed=1).batch(BATCH)
    generator, critic = make_generator(), make_critic()
    generator_optimizer, critic_optimizer = (keras.optimizers.Adam(2e-3, beta_1=0.5) for _ in range(2))
    entropy = keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def train_step(outline: tf.Tensor, picture: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        # Each tape differentiates one loss with respect to one network.
        with tf.GradientTape() as gen_tape, tf.GradientTape() as critic_tape:
            made = generator(outline, training=True)
            real_score, made_score = critic([outline, picture], training=True), critic([outline, made], training=True)
            # The generated image must be close to the target (L1) and look real to the critic.
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
    rows = {"outlines": outlines, "filled by the network": made, "targets": pictures}
    show_images({name: 0.5 + 0.5 * images[1:5] for name, images in rows.items()}, "pix2pix.png")
    error, untouched = float(np.mean(np.abs(made - pictures))), float(np.mean(np.abs(outlines - pictures)))
    print(f"\n  error on unseen outlines: {error:.3f}; the outlines themselves: {untouched:.3f}")
    return error, untouched


if __name__ == "__main__":
    print("A U-Net fills outlines")
    run()
