"""Style transfer (Gatys, Ecker and Bethge 2015): the content of one image in the style of another.

You learn how to optimise an image instead of weights: the image is a variable, and Gram matrices of features describe style.

    python examples/style_transfer.py        saves style_transfer.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np

import gradtape as tf

keras = tf.keras
SIZE = 24
STYLE_LAYERS, CONTENT_LAYER = ("edges", "parts"), "patterns"

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


def content_picture() -> tf.Tensor:
    """A bright disc on a darker background that becomes lighter downward."""
    row, column = np.mgrid[:SIZE, :SIZE]
    disc = np.hypot(row - 11.5, column - 11.5) < 8.0
    colours = np.where(disc[..., None], [0.9, 0.8, 0.7], [0.2, 0.25, 0.35])
    return tf.constant(colours + 0.1 * row[..., None] / SIZE, tf.float32)


def gram(features: tf.Tensor) -> tf.Tensor:
    """The Gram matrix: how often each pair of features occurs together."""
    products = tf.linalg.einsum("bijc,bijd->bcd", features, features)
    shape = tf.shape(features)
    return products / tf.cast(shape[1] * shape[2], tf.float32)


class Extractor(tf.Module):
    """The style and the content of an image, from the features of a network."""

    def __init__(self, model: keras.Model) -> None:
        super().__init__()
        names = (*STYLE_LAYERS, CONTENT_LAYER)
        self.features = keras.Model(model.inputs, [model.get_layer(name).output for name in names])

    def __call__(self, image: tf.Tensor | tf.Variable) -> tuple[list[tf.Tensor], tf.Tensor]:
        """The Gram matrices of the style layers, and the features of the content layer."""
        *style, content = self.features(image[tf.newaxis])
        return [gram(features) for features in style], content


def relative(values: tf.Tensor, wanted: tf.Tensor) -> tf.Tensor:
    """The squared distance between values and wanted values, relative to the latter."""
    return tf.reduce_sum(tf.square(values - wanted)) / tf.reduce_sum(tf.square(wanted))


def run(steps: int = 200) -> dict[str, float]:
    """Optimise an image; return its distances from the style and the content."""
    keras.utils.set_random_seed(4)
    model, _ = train_network()
    extract = Extractor(model)
    content = content_picture()
    samples, kinds = draw_textures(np.random.default_rng(5), 50, SIZE)
    style = tf.constant(samples[kinds == KINDS.index("stripes")][0])
    wanted_style, style_as_content = extract(style)
    _, wanted_content = extract(content)
    image = tf.Variable(content)  # the image itself is trained
    optimizer = keras.optimizers.Adam(0.02, beta_1=0.95)

    def losses() -> tuple[tf.Tensor, tf.Tensor]:
        seen_style, seen_content = extract(image)
        pairs = zip(seen_style, wanted_style, strict=True)
        return tf.add_n([relative(a, b) for a, b in pairs]), relative(seen_content, wanted_content)

    @tf.function
    def train_step() -> tuple[tf.Tensor, tf.Tensor]:
        with tf.GradientTape() as tape:
            in_style, in_content = losses()
            loss = 3.0 * in_style + in_content + 1e-4 * tf.image.total_variation(image)
        gradient = tape.gradient(loss, image)  # with respect to the image; the network is frozen
        optimizer.apply_gradients([(gradient, image)])
        image.assign(tf.clip_by_value(image, 0.0, 1.0))
        return in_style, in_content

    before, _ = losses()
    for step in range(steps):
        in_style, in_content = train_step()
        if (step + 1) % (steps // 5) == 0:
            print(f"  step {step + 1:3}: style {in_style:.4f}, content {in_content:.4f}")
    after, in_content = losses()
    as_style = relative(style_as_content, wanted_content)
    show_images({"content, style, and the result": tf.stack([content, style, image]).numpy()}, "style_transfer.png")
    print(f"\n  distance from the style: {before:.3f} before, {after:.4f} after")
    print(f"  distance from the content: {in_content:.3f}; of the style itself: {as_style:.3f}")
    return {"before": float(before), "after": float(after), "content": float(in_content), "texture": float(as_style)}


if __name__ == "__main__":
    print("Style transfer")
    run()
