"""Models in files."""

from __future__ import annotations

import ast
import re
import runpy
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from hostile.full_disk import limited

DATA = Path(__file__).parent / "data"


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


@pytest.fixture(params=["tensorflow", "jax", "torch"])
def written_elsewhere(request: Any, tmp_path: Path) -> Path:
    """A folder with the files that Keras wrote on another backend, by `data/make.py`."""
    with zipfile.ZipFile(DATA / f"{request.param}.zip") as archive:
        archive.extractall(tmp_path)
    return tmp_path


def test_files_of_other_backends(keras: Any, written_elsewhere: Path) -> None:
    make = runpy.run_path(str(DATA / "make.py"), {"keras": keras})
    expected = np.load(written_elsewhere / "predicted.npy")
    loaded = keras.saving.load_model(written_elsewhere / "model.keras")
    np.testing.assert_allclose(loaded.predict(make["inputs"](), verbose=0), expected, rtol=1e-5)
    assert int(loaded.optimizer.iterations) == 3
    model = make["model_of"](keras)
    model.load_weights(written_elsewhere / "model.weights.h5")
    np.testing.assert_allclose(model.predict(make["inputs"](), verbose=0), expected, rtol=1e-5)


_KILLED_WHILE_SAVING = """
import os, signal, sys
import gradtape as tf
path = sys.argv[1]
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
model.save(path) if path.endswith(".keras") else model.save_weights(path)
print(model.layers[0].kernel.numpy().tolist(), flush=True)

class Deadly:
    def __init__(self, layer):
        self.save = layer.save_own_variables

    def __call__(self, store):
        self.save(store)
        os.kill(os.getpid(), signal.SIGKILL)

model.layers[0].kernel.assign_add(tf.ones((3, 2)))
model.layers[0].save_own_variables = Deadly(model.layers[0])
model.save(path) if path.endswith(".keras") else model.save_weights(path)
"""


@pytest.mark.parametrize("name", ["model.keras", "model.weights.h5"])
def test_killed_while_saving_leaves_the_old_file(keras: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    command = [sys.executable, "-c", _KILLED_WHILE_SAVING, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    if name == "model.keras":
        model = keras.saving.load_model(path)
    else:
        model.load_weights(path)
    np.testing.assert_allclose(model.layers[0].kernel, ast.literal_eval(done.stdout), rtol=1e-6)


def test_failed_save_leaves_the_old_file_and_no_other(keras: Any, tmp_path: Path, monkeypatch: Any) -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    path = tmp_path / "model.keras"
    model.save(path)
    before = path.read_bytes()

    def fail(store: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(model.layers[0], "save_own_variables", fail)
    with pytest.raises(KeyboardInterrupt):
        model.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_clone(keras: Any, data: Any) -> None:
    model = model_of(keras)
    cloned = keras.models.clone_model(model)
    cloned.set_weights(model.get_weights())
    np.testing.assert_allclose(cloned.predict(data[0], verbose=0), model.predict(data[0], verbose=0), rtol=1e-6)


@pytest.mark.parametrize("name", ["model.keras", "model.weights.h5", "model.h5"])
def test_a_full_disk_leaves_the_old_file(keras: Any, tmp_path: Path, name: str) -> None:
    def model(value: float) -> Any:
        made = keras.Sequential(
            [keras.Input([4]), keras.layers.Dense(3000, kernel_initializer=keras.initializers.Constant(value))]
        )
        return made.save_weights if ".weights." in name else made.save

    path = tmp_path / name
    for size in (0, 100, 3000, 20_000):
        with limited(size), pytest.raises((OSError, RuntimeError)) as problem:
            model(2.0)(path)
        assert isinstance(problem.value, tf.errors.ResourceExhaustedError)
        assert "fix:" in str(problem.value)
        assert not list(tmp_path.iterdir())
    model(1.0)(path)
    before = path.read_bytes()
    with limited(20_000), pytest.raises(tf.errors.ResourceExhaustedError):
        model(2.0)(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [name]
    with pytest.raises(tf.errors.NotFoundError, match=re.escape(f"{tmp_path / 'no' / name};")) as missing:
        model(1.0)(tmp_path / "no" / name)
    assert isinstance(missing.value, FileNotFoundError)


def test_a_configuration_that_is_nested_too_deeply_is_refused(keras: Any, tmp_path: Path) -> None:
    path = tmp_path / "deep.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", "[" * 100_000 + "]" * 100_000)
        archive.writestr("metadata.json", "{}")
        archive.writestr("model.weights.h5", b"")
    with pytest.raises(tf.errors.DataLossError, match="nested too deeply") as caught:
        keras.models.load_model(path)
    assert isinstance(caught.value, ValueError)
