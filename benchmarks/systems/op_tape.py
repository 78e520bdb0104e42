"""The works of ops.py as programs for `tf.GradientTape`: the same text runs on gradtape and on TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import op_works
import works


class OpPrograms:
    """The works, for a module with TensorFlow's names."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf

    def _gradients(self, function: Callable[..., Any], inputs: works.Inputs, names: str) -> Callable[[], list[Any]]:
        """Forward and backward of a function of named inputs."""
        tf = self.tf
        variables = [tf.Variable(inputs[name]) for name in names.split()]
        dy = tf.constant(inputs["dy"])

        def run() -> list[Any]:
            with tf.GradientTape() as tape:
                y = function(*variables)
            return [y, *tape.gradient(y, variables, output_gradients=dy)]

        return run

    def convolution(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """Channels last, the borders padded with zeros."""
        tf = self.tf
        return self._gradients(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), inputs, "x w")

    def batched_matmul(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """Products of the last two axes."""
        return self._gradients(self.tf.matmul, inputs, "a b")

    def softmax(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """Along the last axis."""
        return self._gradients(self.tf.nn.softmax, inputs, "x")

    def layer_normalization(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """By the system's own function, or composed, as TensorFlow's users write it."""
        tf = self.tf

        def composed(x: Any, gain: Any, offset: Any) -> Any:
            mean, variance = tf.nn.moments(x, -1, keepdims=True)
            return tf.nn.batch_normalization(x, mean, variance, offset, gain, 1e-5)

        def fused(x: Any, gain: Any, offset: Any) -> Any:
            return tf.nn.layer_normalization(x, gain, offset, epsilon=1e-5)

        return self._gradients(fused if hasattr(tf.nn, "layer_normalization") else composed, inputs, "x gain offset")

    def embedding(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """The gradient stays a set of rows."""
        tf = self.tf
        ids = tf.constant(inputs["ids"])
        run = self._gradients(lambda table: tf.nn.embedding_lookup(table, ids), inputs, "table")
        return lambda: [run()[1].values]

    def sort(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """Ascending, along the last axis."""
        tf = self.tf
        x = tf.constant(inputs["x"])
        return lambda: [tf.sort(x)]

    def top_k(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """The largest of each row, sorted, and where they are."""
        tf = self.tf
        x = tf.constant(inputs["x"])
        return lambda: list(tf.math.top_k(x, op_works.TOP))
