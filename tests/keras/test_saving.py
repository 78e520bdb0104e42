"""Models in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest


def model_of(keras: Any) -> Any:
    inputs = keras.Input((6, 3))
    hidden = keras.layers.BatchNormalization()(keras.layers.GRU(4, return_sequences=True)(inputs))
    model = keras.Model(inputs, keras.layers.Dense(2)(keras.layers.Flatten()(hidden)))
    model.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    return model


@pytest.fixture
def data() -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    return random.normal(size=(10, 6, 3)).astype("float32"), random.normal(size=(10, 2)).astype("float32")


def test_whole_model(keras: Any, tmp_path: Path, data: Any) -> None:
    model = model_of(keras)
    model.fit(*data, epochs=2, verbose=0)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.predict(data[0], verbose=0), model.predict(data[0], verbose=0))
    assert int(loaded.optimizer.iterations) == int(model.optimizer.iterations)
    first, second = [m.fit(*data, epochs=1, shuffle=False, verbose=0).history["loss"] for m in (model, loaded)]
    np.testing.assert_allclose(first, second, rtol=1e-6)


def test_weights(keras: Any, tmp_path: Path, data: Any) -> None:
    model = model_of(keras)
    other = keras.models.clone_model(model)
    model.fit(*data, verbose=0)
    model.save_weights(tmp_path / "model.weights.h5")
    other.load_weights(tmp_path / "model.weights.h5")
    for a, b in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_custom_layer(keras: Any, tmp_path: Path) -> None:
    @keras.saving.register_keras_serializable("tests")
    class Scale(keras.layers.Layer):  # type: ignore[misc, name-defined]
        def build(self, shape: Any) -> None:
            self.factor = self.add_weight(shape=(shape[-1],), initializer="ones")

        def call(self, x: Any) -> Any:
            return x * self.factor

    model = keras.Sequential([keras.layers.Input((3,)), Scale()])
    model.layers[0].factor.assign([1.0, 2.0, 3.0])
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded(np.ones((1, 3))), [[1.0, 2.0, 3.0]])


def test_clone(keras: Any, data: Any) -> None:
    model = model_of(keras)
    cloned = keras.models.clone_model(model)
    cloned.set_weights(model.get_weights())
    np.testing.assert_allclose(cloned.predict(data[0], verbose=0), model.predict(data[0], verbose=0), rtol=1e-6)
