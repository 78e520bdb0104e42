"""The variables of a saved model as the checkpoint `variables/variables` of its folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

VALUE = ".ATTRIBUTES/VARIABLE_VALUE"


class Layer(tf.Module):
    def __init__(self, value: float) -> None:
        super().__init__()
        self.w = tf.Variable([value, value])


class Model(tf.Module):
    """Variables in attributes, lists and dicts, one of them under two names."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.v = tf.Variable(value)
        self.layers = [tf.Variable(2 * value), "text", Layer(3 * value)]
        self.named = {"a/b.c": Layer(4 * value)}
        self.again = self.named["a/b.c"].w
        self.generator = tf.random.Generator.from_seed(int(value))

    @tf.function(input_signature=[tf.TensorSpec([])])
    def __call__(self, x: Any) -> Any:
        return x * self.v + self.layers[0]

    def values(self) -> list[Any]:
        held = [self.v, self.layers[0], self.layers[2].w, self.named["a/b.c"].w, self.generator.state]
        return [v.numpy().tolist() for v in held]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tf.saved_model.save(Model(5.0), tmp_path / "model")
    return tmp_path / "model"


def test_values_by_name_are_those_of_a_checkpoint(folder: Path, tmp_path: Path) -> None:
    written = tf.train.Checkpoint(Model(5.0)).write(tmp_path / "own")
    prefix = os.fspath(folder / "variables" / "variables")
    assert tf.train.list_variables(prefix) == tf.train.list_variables(written)
    own, model = tf.train.load_checkpoint(written), tf.train.load_checkpoint(prefix)
    assert model.get_variable_to_dtype_map() == own.get_variable_to_dtype_map()
    for name, _ in tf.train.list_variables(written):
        np.testing.assert_array_equal(model.get_tensor(name), own.get_tensor(name))
    assert tf.train.load_variable(prefix, f"layers/0/{VALUE}") == 10.0


@pytest.mark.parametrize("place", ["", "variables/variables"])
def test_restore_takes_the_folder_and_the_prefix(folder: Path, place: str) -> None:
    model = Model(1.0)
    checkpoint = tf.train.Checkpoint(model)
    checkpoint.restore(os.path.join(folder, place)).expect_partial()
    assert model.values() == Model(5.0).values()
    status = tf.train.Checkpoint(Model(1.0)).read(folder / "variables" / "variables")
    status.assert_consumed()


def test_parts_that_come_later_get_their_values(folder: Path) -> None:
    root = tf.Module()
    checkpoint = tf.train.Checkpoint(root)
    status = checkpoint.read(folder)
    root.v = tf.Variable(0.0)
    assert root.v.numpy() == 5.0
    with pytest.raises(AssertionError, match=r"layers\.0"):
        status.assert_consumed()


def test_a_view_has_the_objects(folder: Path) -> None:
    assert {"v", "layers", "named"} <= set(tf.train.CheckpointView(folder / "variables" / "variables").children(0))


def test_a_checkpoint_beside_the_model_comes_first(folder: Path) -> None:
    value = tf.Variable(7.0)
    tf.train.Checkpoint(v=value).save(folder / "ckpt")
    value.assign(0.0)
    tf.train.Checkpoint(v=value).restore(folder)
    assert value.numpy() == 7.0


def test_what_is_no_checkpoint_is_refused(folder: Path, tmp_path: Path) -> None:
    assert tf.train.latest_checkpoint(folder) is None
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.load_checkpoint(folder)
    for path in (folder / "variables" / "other", tmp_path / "variables" / "variables", tmp_path):
        with pytest.raises(tf.errors.NotFoundError, match="there is no checkpoint"):
            tf.train.Checkpoint(v=tf.Variable(0.0)).restore(path)


def test_damage_is_named(folder: Path) -> None:
    content = json.loads((folder / "saved_model.json").read_text())
    for nodes in ([], [{"variable": 99}], [{"object": ["M", {"v": 7}]}], [3]):
        (folder / "saved_model.json").write_text(json.dumps(content | {"objects": nodes}))
        with pytest.raises(tf.errors.DataLossError, match="is damaged"):
            tf.train.Checkpoint(v=tf.Variable(0.0)).restore(folder)


def test_reading_checkpoints_does_not_load_saved_models(tmp_path: Path) -> None:
    program = """
import sys, gradtape as tf
path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(sys.argv[1])
tf.train.Checkpoint(v=tf.Variable(0.0)).restore(path)
assert not [name for name in sys.modules if name.startswith("gradtape.saved_model.")]
"""
    subprocess.run([sys.executable, "-c", program, tmp_path / "ckpt"], check=True)
