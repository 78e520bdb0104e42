"""The works as programs for `tf.GradientTape`: the same text runs on gradtape and on TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import works


class TapePrograms:
    """The works, for a module with TensorFlow's names."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf

    @staticmethod
    def to_numpy(value: Any) -> Any:
        """The array of a tensor."""
        return value.numpy()

    def square(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """The seed example."""
        tf = self.tf
        x = tf.Variable(inputs["x"])

        def run() -> list[Any]:
            with tf.GradientTape() as tape:
                y = x**2
            return [tape.gradient(y, x)]

        return run

    def multiplies(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """A chain of multiplications."""
        tf = self.tf
        w = tf.constant(inputs["w"])

        def run() -> list[Any]:
            with tf.GradientTape() as tape:
                tape.watch(w)
                y = w
                for _ in range(works.MULTIPLIES):
                    y = y * w
            return [tape.gradient(y, w)]

        return run

    def training_step(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """One step; the parameters move from call to call."""
        tf = self.tf
        x, labels = tf.constant(inputs["x"]), tf.constant(inputs["labels"])
        parameters = [tf.Variable(inputs[name]) for name in ("w1", "b1", "w2", "b2")]
        w1, b1, w2, b2 = parameters

        def run() -> list[Any]:
            with tf.GradientTape() as tape:
                h = tf.nn.relu(tf.matmul(x, w1) + b1)
                logits = tf.matmul(h, w2) + b2
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
            gradients = tape.gradient(loss, parameters)
            for p, g in zip(parameters, gradients, strict=True):
                p.assign_sub(works.LEARNING_RATE * g)
            return parameters

        return run

    def elementwise(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """The gradient of a long elementwise expression."""
        tf = self.tf
        x = tf.constant(inputs["x"])

        def run() -> list[Any]:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.tanh(tf.sin(x) * tf.exp(-tf.square(x))))
            return [tape.gradient(y, x)]

        return run

    def jacobian(self, inputs: works.Inputs) -> Callable[[], list[Any]]:
        """The derivative of every output of a network with respect to every input."""
        tf = self.tf
        x, w1, b1, w2, b2 = (tf.constant(inputs[name]) for name in ("x", "w1", "b1", "w2", "b2"))

        def run() -> list[Any]:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.matmul(tf.tanh(tf.matmul(x, w1) + b1), w2) + b2
            return [tape.jacobian(y, x)]

        return run
