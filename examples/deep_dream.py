"""Deep dream (Mordvintsev, Olah and Tyka 2015): gradient ascent on an image.

You learn how to differentiate with respect to the input, and how one `tf.function` with unknown sizes and a Python loop
over a tensor serves images of several scales.

    python examples/deep_dream.py        saves deep_dream.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np

import gradtape as tf

keras = tf.keras

KINDS = ("stripes", "checks", "dots", "waves", "noise")


def draw_textures(rng: np.random.Generator, count: int, size: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """Coloured textures in [0, 1], f32[count,size,size,3], and their kinds, i32[count]."""
    labels = rng.integers(0, len(KINDS), count)
    angle = rng.uniform(0.0, np.pi, (count, 1, 1))
    period, phase = rng.uniform(4.0, 7.0, (count, 1, 1)), rng.uniform(0.0, 2.0 * np.pi, (2, count, 1, 1))
    row, column = np.mgrid[:size, :size]
    along = 2.0 * np.pi / period * (np.cos(angle) * column + np.sin(angle) * row) + phase[0]
    across = 2.0 * np.pi / period * (np.cos(angle) * row - np.sin(angle) * column) + phase[1]
    patterns = np.stack(
        [
            np.sign(np.sin(along)),
            np.sign(np.sin(along) * np.sin(across)),
            2.0 * (np.sin(along) + np.sin(across) > 0.9) - 1.0,
            np.sin(along + 1.5 * np.sin(0.5 * across)),
            rng.uniform(-1.0, 1.0, along.shape),
        ]
    )
    grey = 0.5 + 0.4 * patterns[labels, np.arange(count)]
    light, dark = rng.uniform(0.6, 1.0, (count, 1, 1, 3)), rng.uniform(0.0, 0.4, (count, 1, 1, 3))
    return (dark + grey[..., None] * (light - dark)).astype(np.float32), labels.astype(np.int32)


def network() -> keras.Model:
    """A classifier with three convolutions, for images of any size."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((None, None, 3)),
            layers.Conv2D(16, 3, padding="same", activation="relu", name="edges"),
            layers.AveragePooling2D(2),
            layers.Conv2D(32, 3, padding="same", activation="relu", name="parts"),
            layers.AveragePooling2D(2),
            layers.Conv2D(32, 3, padding="same", activation="relu", name="patterns"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(len(KINDS)),
        ]
    )


def train_network(epochs: int = 8) -> tuple[keras.Model, float]:
    """A trained classifier of textures, and its accuracy on unseen ones."""
    x, y = draw_textures(np.random.default_rng(0), 1500)
    model = network()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(4e-3), loss, metrics=["accuracy"])
    model.fit(x, y, batch_size=50, epochs=epochs, verbose=0)
    x, y = draw_textures(np.random.default_rng(1), 500)
    _, accuracy = model.evaluate(x, y, batch_size=50, verbose=0)
    model.trainable = False
    return model, accuracy


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


class Dream(tf.Module):
    """Gradient ascent on the mean activations of layers."""

    def __init__(self, model: keras.Model) -> None:
        super().__init__()
        self.model = model

    # Sizes of None: one trace serves images of all sizes.
    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None, 3], tf.float32),
            tf.TensorSpec([], tf.int32),
            tf.TensorSpec([], tf.float32),
        ]
    )
    def __call__(
        self, image: tf.Tensor, steps: int | tf.Tensor, size: float | tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """The image after some steps, and the activation before the last step."""
        loss = tf.constant(0.0)
        for _ in tf.range(steps):
            shift = tf.random.uniform([2], 0, 4, tf.int32)  # a random shift avoids artefacts of single pixels
            with tf.GradientTape() as tape:
                tape.watch(image)  # a tensor is not watched automatically
                rolled = tf.roll(image, shift, axis=[0, 1])
                loss = tf.add_n([tf.reduce_mean(a) for a in self.model(rolled[tf.newaxis])])
            gradient = tape.gradient(loss, image)
            gradient /= tf.math.reduce_std(gradient) + 1e-8
            # Plus, not minus: the activation should grow.
            image = tf.clip_by_value(image + size * gradient, 0.0, 1.0)
        return image, loss


def run(steps: int = 30) -> tuple[float, float]:
    """Dream at three scales, starting with noise; return the mean activation before and after."""
    keras.utils.set_random_seed(4)
    model, accuracy = train_network()
    print(f"  the network knows {accuracy:.1%} of unseen textures")
    layers = keras.Model(model.inputs, [model.get_layer(name).output for name in ("parts", "patterns")])
    dream = Dream(layers)
    start = tf.random.uniform([16, 16, 3], 0.4, 0.6, seed=1)
    _, before = dream(start, 1, 0.0)
    image = start
    for octave in range(3):
        size = int(16 * 1.4**octave)
        image = tf.image.resize(image, [size, size])
        image, after = dream(image, steps, 0.02)
        print(f"  {size} by {size}: activation {after:.3f}")
    noise = tf.image.resize(start, [size, size])
    show_images({"the noise, and the dream": tf.stack([noise, image]).numpy()}, "deep_dream.png")
    seen = tf.nn.softmax(model(tf.stack([noise, image])))
    for name, row in zip(("noise", "dream"), seen.numpy(), strict=True):
        print(f"  the {name} looks like {KINDS[row.argmax()]} ({row.max():.0%})")
    print(
        f"\n  activation: {before:.3f} before, {after:.3f} after; {dream.__call__.experimental_get_tracing_count()} trace"
    )
    return float(before), float(after)


if __name__ == "__main__":
    print("Deep dream")
    run()
