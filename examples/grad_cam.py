"""Grad-CAM (Selvaraju et al. 2017): which part of an image a network looks at.

You learn how to differentiate a class score with respect to the feature maps of an inner layer.

    python examples/grad_cam.py        saves grad_cam.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np

import gradtape as tf

keras = tf.keras
SIZE, PATCH = 12, 4
SHAPES = ("square", "cross", "nothing")


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


def pictures(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Noise images with a small square, cross or nothing; their labels; and the upper left corner of the shape."""
    patches = np.zeros((3, PATCH, PATCH), np.float32)
    patches[0, [0, -1], :] = patches[0, :, [0, -1]] = 1.0
    patches[1, range(PATCH), range(PATCH)] = patches[1, range(PATCH), range(PATCH - 1, -1, -1)] = 1.0
    labels, corners = rng.integers(0, 3, count), rng.integers(0, SIZE - PATCH + 1, (count, 2))
    images = rng.uniform(0.0, 0.4, (count, SIZE, SIZE, 1)).astype(np.float32)
    for image, label, (row, column) in zip(images, labels, corners, strict=True):
        image[row : row + PATCH, column : column + PATCH, 0] += patches[label]
    return images, labels.astype(np.int32), corners


def classifier() -> keras.Model:
    """Two convolutions, a global average, and a dense layer."""
    inputs = keras.Input((SIZE, SIZE, 1))
    x = keras.layers.Conv2D(16, 3, padding="same", activation="relu")(inputs)
    x = keras.layers.Conv2D(16, 3, padding="same", activation="relu", name="maps")(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(3)(x))


def heat(model: keras.Model, images: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """How much each pixel supports the class, in [0, 1], for each image."""
    both = keras.Model(model.input, [model.get_layer("maps").output, model.output])
    with tf.GradientTape() as tape:
        maps, scores = both(images)  # `maps` is an intermediate result; the tape can differentiate with respect to it
        chosen = tf.gather(scores, labels, axis=1, batch_dims=1)
    # The weight of a map is the mean of its gradient; the heat is the weighted sum of the maps, where it is positive.
    weights = tf.reduce_mean(tape.gradient(chosen, maps), axis=(1, 2), keepdims=True)
    found = tf.nn.relu(tf.reduce_sum(weights * maps, axis=-1))
    return (found / (tf.reduce_max(found, axis=(1, 2), keepdims=True) + 1e-6)).numpy()


def run(epochs: int = 12) -> float:
    """Train, and show heat maps; return how often the maximum lies on the shape."""
    keras.utils.set_random_seed(1)
    x, y, _ = pictures(np.random.default_rng(0), 1500)
    model = classifier()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    history = model.fit(x, y, batch_size=50, epochs=epochs, verbose=0).history
    x, y, corners = pictures(np.random.default_rng(1), 300)
    x, y, corners = x[y < 2], y[y < 2], corners[y < 2]
    hot = heat(model, x, y)
    rows = {}
    for i in (int(np.argmax(y == 0)), int(np.argmax(y == 1))):
        rows[f"{SHAPES[y[i]]}, and the heat map"] = np.stack([x[i] / 1.4, hot[i, :, :, None]])
    show_images(rows, "grad_cam.png")
    hottest = np.stack(np.unravel_index(hot.reshape(len(hot), -1).argmax(1), (SIZE, SIZE)), 1)
    on_shape = float(np.mean(np.all((hottest >= corners - 1) & (hottest <= corners + PATCH), axis=1)))
    print(f"\n  accuracy {history['accuracy'][-1]:.1%}; the maximum lies on the shape in {on_shape:.1%} of images")
    return on_shape


if __name__ == "__main__":
    print("Grad-CAM")
    run()
