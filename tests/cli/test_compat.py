"""gradtape.compat: in this process only, and only when asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import gradtape as tf


@pytest.fixture
def tensorflow() -> Iterator[Any]:
    """The module that programs get."""
    tf.compat.install()
    yield importlib.import_module("tensorflow")
    tf.compat.uninstall()
    assert "tensorflow" not in sys.modules


def test_modules_are_gradtapes(tensorflow: Any) -> None:
    assert tensorflow.math is importlib.import_module("tensorflow.math") is tf.math
    assert importlib.import_module("tensorflow.experimental.dlpack").to_dlpack is tf.experimental.dlpack.to_dlpack
    assert tensorflow.math.__name__ == "gradtape.math"
    assert tensorflow.Variable is tf.Variable
    assert tensorflow.__name__ == "tensorflow"
    assert "GradientTape" in dir(tensorflow)


def test_namespaces_that_are_no_modules(tensorflow: Any) -> None:
    config = importlib.import_module("tensorflow.config.experimental")
    assert config.set_memory_growth is tf.config.experimental.set_memory_growth


def test_version_two(tensorflow: Any) -> None:
    assert tensorflow.compat.v2 is tensorflow
    assert importlib.import_module("tensorflow.compat.v2").Variable is tf.Variable
    assert importlib.import_module("tensorflow.compat.v1") is tensorflow.compat.v1 is tf.compat.v1


def test_installing_twice_is_once(tensorflow: Any) -> None:
    before = list(sys.meta_path)
    tf.compat.install()
    assert sys.meta_path == before


def test_a_tensorflow_that_was_imported_stays(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", ModuleType("tensorflow"))
    with pytest.raises(ImportError, match="has been imported already"):
        tf.compat.install()
    assert not tf.compat.is_installed()


def test_nothing_is_answered_unasked() -> None:
    assert not tf.compat.is_installed()
    assert not any(name.partition(".")[0] == "tensorflow" for name in sys.modules)


def test_texts() -> None:
    assert tf.compat.as_bytes(bytearray(b"a")) == b"a"
    assert tf.compat.as_str(b"a") == tf.compat.as_text("a") == "a"
    with pytest.raises(TypeError, match="Expected binary or unicode string"):
        tf.compat.as_text(3)


def test_numpy_functions_give_arrays_as_there(tensorflow: Any) -> None:
    x = tensorflow.constant([[1.0, 2.0], [3.0, 4.0]])
    assert np.mean(x, axis=-1).astype(int).tolist() == [1, 3]
    assert type(np.concatenate([np.zeros((1, 2), "f"), x])) is np.ndarray


def test_numpy_functions_are_recorded_again_afterwards() -> None:
    tf.compat.install()
    tf.compat.uninstall()
    assert tf.is_tensor(np.mean(tf.constant([1.0])))


def test_attributes_of_other_libraries_are_explained_again_afterwards() -> None:
    tf.compat.install()
    assert tf.ones([2]).cpu().shape == [2]
    tf.compat.uninstall()
    with pytest.raises(AttributeError, match="everything is on the CPU"):
        tf.ones([2]).cpu()


def test_tensorboard_does_without(tensorflow: Any, tmp_path: Path) -> None:
    writer = tensorflow.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        tensorflow.summary.scalar("loss", 0.5, step=1)
    writer.close()
    read = "import sys, gradtape; gradtape.compat.install(); from tensorboard.backend.event_processing import event_accumulator"
    read += "; e = event_accumulator.EventAccumulator(sys.argv[1]); e.Reload(); print(e.Tags()['tensors'])"
    done = subprocess.run([sys.executable, "-c", read, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['loss']"
