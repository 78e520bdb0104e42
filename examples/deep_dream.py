"""Deep dream (Mordvintsev, Olah and Tyka 2015): a picture is changed, by gradient ascent at several scales, to excite a layer of a
trained network. The loop over steps is Python that `tf.function` converts, for pictures of any size."""

from __future__ import annotations

import sys
from typing import Any

import gradtape as tf
import terminal
import textures

keras = tf.keras


class Dream(tf.Module):
    """Steps of gradient ascent on the mean activations of layers."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None, 3], tf.float32),
            tf.TensorSpec([], tf.int32),
            tf.TensorSpec([], tf.float32),
        ]
    )
    def __call__(self, image: Any, steps: Any, size: Any) -> tuple[Any, Any]:
        """The picture after some steps, and the excitement before the last one."""
        loss = tf.constant(0.0)
        for _ in tf.range(steps):
            shift = tf.random.uniform([2], 0, 4, tf.int32)  # a little to and fro, so that no pixel stands out
            with tf.GradientTape() as tape:
                tape.watch(image)
                rolled = tf.roll(image, shift, axis=[0, 1])
                loss = tf.add_n([tf.reduce_mean(a) for a in self.model(rolled[tf.newaxis])])
            gradient = tape.gradient(loss, image)
            gradient /= tf.math.reduce_std(gradient) + 1e-8
            image = tf.clip_by_value(image + size * gradient, 0.0, 1.0)
        return image, loss


def run(steps: int = 30) -> tuple[float, float]:
    """Dream at three scales, beginning with noise; the excitement of the layers before and after."""
    keras.utils.set_random_seed(4)
    model, accuracy = textures.trained()
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
        print(f"  {size} by {size}: excitement {after:.3f}")
    print(f"\n  the noise, and the dream:\n{textures.drawn(tf.image.resize(start, [size, size]), image)}")
    seen = tf.nn.softmax(model(tf.stack([tf.image.resize(start, [size, size]), image])))
    for name, row in zip(("noise", "dream"), seen.numpy(), strict=True):
        print(f"  the {name} looks like {textures.KINDS[row.argmax()]} ({row.max():.0%})")
    print(
        f"\n  excitement: {before:.3f} before, {after:.3f} after; {dream.__call__.experimental_get_tracing_count()} trace"
    )
    return float(before), float(after)


if __name__ == "__main__":
    terminal.heading("Deep dream")
    run(*map(int, sys.argv[1:]))
