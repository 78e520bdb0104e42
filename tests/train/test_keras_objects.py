"""Checkpoints of Keras's models and optimizers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf


def sequential(keras: Any) -> Any:
    return keras.Sequential([keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(1)])


def functional(keras: Any) -> Any:
    inputs = keras.Input((3,))
    hidden = keras.layers.BatchNormalization()(keras.layers.Dense(4)(inputs))
    return keras.Model(inputs, keras.layers.Dense(1)(hidden))


def subclassed(keras: Any) -> Any:
    class Net(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.first = keras.layers.Dense(4)
            self.more = [keras.layers.Dense(4), keras.layers.Dense(1)]

        def call(self, x: Any) -> Any:
            x = self.first(x)
            for layer in self.more:
                x = layer(x)
            return x

    return Net()


def trained(model: Any, optimizer: Any, x: Any, steps: int) -> list[float]:
    return [float(trained_once(model, optimizer, x)) for _ in range(steps)]


@pytest.mark.parametrize("make", [sequential, functional, subclassed])
@pytest.mark.parametrize("built", [True, False])
def test_training_goes_on_where_it_stopped(tmp_path: Path, make: Any, built: bool) -> None:
    keras = tf.keras
    x = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")
    model, optimizer = make(keras), keras.optimizers.Adam(0.1)
    trained(model, optimizer, x, 3)
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "ckpt")
    expected = trained(model, optimizer, x, 3)

    model, optimizer = make(keras), keras.optimizers.Adam(0.1)
    if built:
        model(x)
        optimizer.build(model.trainable_variables)
    status = tf.train.Checkpoint(model=model, optimizer=optimizer).restore(path)
    found = trained(model, optimizer, x, 3)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    status.assert_consumed()


def test_a_model_alone_of_a_checkpoint_with_more(tmp_path: Path) -> None:
    keras = tf.keras
    x = np.ones((2, 3), "float32")
    model, optimizer = functional(keras), keras.optimizers.Adam(0.1)
    trained(model, optimizer, x, 2)
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "ckpt")
    other = functional(keras)
    status = tf.train.Checkpoint(model=other).restore(path).expect_partial()
    status.assert_existing_objects_matched()
    np.testing.assert_array_equal(other(x), model(x))


def test_metrics(tmp_path: Path) -> None:
    mean = tf.keras.metrics.Mean()
    mean.update_state([1.0, 2.0])
    path = tf.train.Checkpoint(mean=mean).write(tmp_path / "x")
    other = tf.keras.metrics.Mean()
    tf.train.Checkpoint(mean=other).read(path).assert_consumed()
    assert float(other.result()) == 1.5


def test_objects_that_a_function_builds_after_restore(tmp_path: Path) -> None:
    keras = tf.keras
    x = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")

    def make() -> tuple[Any, Any, Any]:
        model, optimizer = subclassed(keras), keras.optimizers.Adam(0.1)
        return model, optimizer, tf.function(lambda: trained_once(model, optimizer, x))

    model, optimizer, step = make()
    for _ in range(3):
        step()
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "ckpt")
    expected = [float(step()) for _ in range(3)]

    model, optimizer, step = make()
    status = tf.train.Checkpoint(model=model, optimizer=optimizer).restore(path)
    np.testing.assert_allclose([float(step()) for _ in range(3)], expected, rtol=1e-5)
    status.assert_consumed()


def trained_once(model: Any, optimizer: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - 1.0) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss
