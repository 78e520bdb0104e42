"""The works of data.py, for a module with TensorFlow's names: the same text runs on gradtape and on TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

import works
from data_works import BATCH
from systems.runs import Run, repeated


class DataPrograms:
    """The works, for a module with TensorFlow's names."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf

    @staticmethod
    def to_numpy(value: Any) -> Any:
        """The array of a tensor."""
        return np.asarray(value)

    def shuffle_batch(self, inputs: works.Inputs) -> Run:
        """Rows in random order. What all of them hold together is compared."""
        x, y = inputs["x"], inputs["y"]
        dataset = self.tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x)).batch(BATCH)

        def held() -> list[Any]:
            batches = list(dataset.as_numpy_iterator())
            rows, labels = (np.concatenate(part) for part in zip(*batches, strict=True))
            return [np.array([len(b[0]) for b in batches]), np.sort(rows @ np.ones(rows.shape[1])), np.sort(labels)]

        return Run(held, repeated(lambda: self._iterate(dataset)))

    def python_map(self, inputs: works.Inputs) -> Run:
        """A function of NumPy for each image."""
        tf = self.tf
        dataset = tf.data.Dataset.from_tensor_slices(inputs["images"])
        dataset = dataset.map(
            lambda image: tf.numpy_function(_normalized, [image], tf.float32), num_parallel_calls=tf.data.AUTOTUNE
        ).batch(BATCH)
        return Run(lambda: list(dataset.as_numpy_iterator()), repeated(lambda: self._iterate(dataset)))

    @staticmethod
    def _iterate(dataset: Any) -> None:
        for _ in dataset:
            pass

    def prefetch(self, inputs: works.Inputs) -> Run:
        """An epoch of training on images that are prepared meanwhile."""
        tf = self.tf

        def prepared(image: Any, label: Any) -> Any:
            large = tf.image.resize(tf.cast(image, tf.float32), (32, 32))
            return tf.reshape(tf.image.per_image_standardization(large), [-1]), label

        dataset = tf.data.Dataset.from_tensor_slices((inputs["images"], inputs["labels"]))
        dataset = dataset.map(prepared, num_parallel_calls=tf.data.AUTOTUNE).batch(BATCH).prefetch(tf.data.AUTOTUNE)
        parameters = [tf.Variable(inputs[name]) for name in ("w1", "b1", "w2", "b2")]
        step = self._step(parameters)

        def epoch() -> list[Any]:
            for x, labels in dataset:
                loss = step(x, labels)
            return [loss.numpy()]

        return Run(epoch, repeated(epoch))

    def _step(self, parameters: list[Any]) -> Any:
        tf = self.tf
        w1, b1, w2, b2 = parameters

        @tf.function  # type: ignore[untyped-decorator]
        def step(x: Any, labels: Any) -> Any:
            with tf.GradientTape() as tape:
                logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
            for p, g in zip(parameters, tape.gradient(loss, parameters)):  # noqa: B905 - AutoGraph has no `strict`
                p.assign_sub(works.LEARNING_RATE * g)
            return loss

        return step


def _normalized(image: Any) -> Any:
    """A mirrored image whose channels have mean 0 and deviation 1."""
    values = image[:, ::-1].astype(np.float32) / np.float32(255)
    return (values - values.mean(axis=(0, 1))) / (values.std(axis=(0, 1)) + np.float32(1e-6))
