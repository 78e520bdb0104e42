"""`fit`, `evaluate` and `predict` on `tf.data.Dataset`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras
X = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
Y = X @ np.array([[1.0], [2.0], [-1.0]], np.float32)


def model() -> Any:
    keras.utils.set_random_seed(0)
    built = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    built.compile("sgd", "mse")
    return built


def dataset() -> Any:
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)


def test_fit_equals_that_of_arrays() -> None:
    arrays, data = model(), model()
    expected = arrays.fit(X, Y, batch_size=8, epochs=3, shuffle=False, verbose=0).history["loss"]
    found = data.fit(dataset().prefetch(2), epochs=3, validation_data=dataset(), verbose=0).history
    np.testing.assert_allclose(found["loss"], expected, rtol=1e-6)
    assert len(found["val_loss"]) == 3


def test_evaluate_and_predict() -> None:
    built = model()
    assert built.evaluate(dataset(), verbose=0) == pytest.approx(built.evaluate(X, Y, batch_size=8, verbose=0))
    np.testing.assert_allclose(built.predict(dataset(), verbose=0), built.predict(X, verbose=0), rtol=1e-6)


def test_unknown_length_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        history = model().fit(dataset().filter(lambda x, y: True), epochs=2, verbose=0)
    assert len(history.history["loss"]) == 2


def test_infinite_with_steps() -> None:
    history = model().fit(dataset().repeat(), epochs=2, steps_per_epoch=2, verbose=0)
    assert len(history.history["loss"]) == 2


def test_class_weight() -> None:
    labels = (Y[:, 0] > 0).astype(np.int32)
    data = tf.data.Dataset.from_tensor_slices((X, labels)).batch(20)
    weights = {0: 0.5, 1: 2.0}
    expected = model().fit(X, labels, batch_size=20, class_weight=weights, shuffle=False, verbose=0).history["loss"]
    assert model().fit(data, class_weight=weights, verbose=0).history["loss"] == pytest.approx(expected)


def test_class_weights_of_several_outputs_are_refused() -> None:
    data = tf.data.Dataset.from_tensor_slices((X, {"a": Y, "b": Y})).batch(4)
    with pytest.raises(ValueError, match="only supported for Models with a single output"):
        model().fit(data, class_weight={0: 1.0}, verbose=0)


def test_targets_beside_a_dataset_are_refused() -> None:
    with pytest.raises(ValueError, match="`y` should not be passed"):
        model().fit(dataset(), Y, verbose=0)
