"""Style transfer (Gatys, Ecker and Bethge 2015): a picture with the content of one and the style of another, found by gradient
descent on the picture itself. Style is which features of a trained network occur together."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import gradtape as tf
import terminal
import textures

keras = tf.keras
SIZE = 24
STYLE_LAYERS, CONTENT_LAYER = ("edges", "parts"), "patterns"


def content_picture() -> Any:
    """A bright disc over a darker ground that grows lighter downward."""
    row, column = np.mgrid[:SIZE, :SIZE]
    disc = np.hypot(row - 11.5, column - 11.5) < 8.0
    colours = np.where(disc[..., None], [0.9, 0.8, 0.7], [0.2, 0.25, 0.35])
    return tf.constant(colours + 0.1 * row[..., None] / SIZE, tf.float32)


def gram(features: Any) -> Any:
    """How often features occur together, for all pairs of them."""
    products = tf.linalg.einsum("bijc,bijd->bcd", features, features)
    shape = tf.shape(features)
    return products / tf.cast(shape[1] * shape[2], tf.float32)


class Extractor(tf.Module):
    """The style and the content that a network sees in a picture."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        names = (*STYLE_LAYERS, CONTENT_LAYER)
        self.features = keras.Model(model.inputs, [model.get_layer(name).output for name in names])

    def __call__(self, image: Any) -> dict[str, Any]:
        *style, content = self.features(image[tf.newaxis])
        return {"style": [gram(features) for features in style], "content": content}


def relative(values: Any, wanted: Any) -> Any:
    """The squared distance of what is seen from what is wanted, in units of the latter."""
    return tf.reduce_sum(tf.square(values - wanted)) / tf.reduce_sum(tf.square(wanted))


def run(steps: int = 200) -> dict[str, float]:
    """Paint; the distances from the wanted style and content, before and after."""
    keras.utils.set_random_seed(4)
    model, _ = textures.trained()
    extract = Extractor(model)
    content = content_picture()
    samples, kinds = textures.textures(np.random.default_rng(5), 50, SIZE)
    style = tf.constant(samples[kinds == textures.KINDS.index("stripes")][0])
    wanted_style, wanted_content = extract(style)["style"], extract(content)["content"]
    image = tf.Variable(content)
    optimizer = keras.optimizers.Adam(0.02, beta_1=0.95)

    def losses() -> tuple[Any, Any]:
        seen = extract(image)
        pairs = zip(seen["style"], wanted_style, strict=True)
        return tf.add_n([relative(a, b) for a, b in pairs]), relative(seen["content"], wanted_content)

    @tf.function
    def train_step() -> tuple[Any, Any]:
        with tf.GradientTape() as tape:
            in_style, in_content = losses()
            loss = 3.0 * in_style + in_content + 1e-4 * tf.image.total_variation(image)
        gradient = tape.gradient(loss, image)
        optimizer.apply_gradients([(gradient, image)])
        image.assign(tf.clip_by_value(image, 0.0, 1.0))
        return in_style, in_content

    before, _ = losses()
    for step in range(steps):
        in_style, in_content = train_step()
        if (step + 1) % (steps // 5) == 0:
            print(f"  step {step + 1:3}: style {in_style:.4f}, content {in_content:.4f}")
    after, in_content = losses()
    as_style = relative(extract(style)["content"], wanted_content)
    print(f"\n  content, style, and both in one:\n{textures.drawn(content, style, image.numpy())}")
    print(f"\n  distance from the style: {before:.3f} before, {after:.4f} after")
    print(f"  distance from the content: {in_content:.3f}; of the style itself: {as_style:.3f}")
    return {"before": float(before), "after": float(after), "content": float(in_content), "texture": float(as_style)}


if __name__ == "__main__":
    terminal.heading("Style transfer")
    run(*map(int, sys.argv[1:]))
