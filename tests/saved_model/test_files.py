"""Folders of saved models: a process that is killed leaves the last one readable; damage is noticed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from killing import check_after_kills
from saved_model.programs import Network

SIZE = 100_000
# Saves models in which everything equals the step, as fast as it can.
_WRITER = f"""
import sys
import gradtape as tf
folder = sys.argv[1]
module = tf.Module()
module.a, module.b = tf.Variable(tf.zeros([{SIZE}])), tf.Variable(tf.zeros([{SIZE}]))
module.step = tf.Variable(0)
if tf.saved_model.contains_saved_model(folder):
    module.step.assign(tf.saved_model.load(folder).step)
while True:
    module.step.assign_add(1)
    step = int(module.step)
    with open(folder + ".txt", "w") as file:
        file.write(str(step))
    module.words = tf.saved_model.Asset(file.name)
    module.f = tf.function(lambda x: x + module.a[0] + float(step), input_signature=[tf.TensorSpec([])])
    value = tf.fill([{SIZE}], tf.cast(module.step, tf.float32))
    module.a.assign(value)
    module.b.assign(value)
    tf.saved_model.save(module, folder)
    print("writing", flush=True)
"""


def read(folder: Path) -> int:
    """The step of the model, after a check that it is whole; 0 if there is none."""
    if not tf.saved_model.contains_saved_model(folder):
        return 0
    loaded = tf.saved_model.load(folder)
    step = int(loaded.step)
    assert np.all(loaded.a.numpy() == step)
    assert np.all(loaded.b.numpy() == step)
    assert float(loaded.f(tf.constant(0.0))) == 2 * step
    assert Path(loaded.words.file).read_text() == str(step)
    return step


def test_a_killed_writer_leaves_a_whole_model(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    check_after_kills(_WRITER, folder, read, longest=0.2)
    module = tf.Module()
    module.v = tf.Variable(1.0)
    tf.saved_model.save(module, folder)
    assert len(list(folder.glob("arrays-*"))) == 1  # what the dead left is gone
    assert not list((folder / "assets").iterdir())


def test_a_failed_write_leaves_the_old_model(tmp_path: Path, monkeypatch: Any) -> None:
    network = Network()
    tf.saved_model.save(network, tmp_path)
    files = sorted(p.name for p in tmp_path.iterdir())
    network.steps.assign(5)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
        tf.saved_model.save(network, tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == files
    assert int(tf.saved_model.load(tmp_path).steps) == 0


def test_the_later_model_counts(tmp_path: Path) -> None:
    network = Network()
    for step in range(3):
        network.steps.assign(step)
        tf.saved_model.save(network, tmp_path)
    assert int(tf.saved_model.load(tmp_path).steps) == 2
    assert len(list(tmp_path.iterdir())) == 2


def test_nothing_in_it_is_executable(tmp_path: Path) -> None:
    tf.saved_model.save(Network(), tmp_path)
    content = json.loads((tmp_path / "saved_model.json").read_text())
    assert (content["format"], content["version"]) == ("gradtape saved model", 1)
    assert str(Path(__file__).parent) not in json.dumps(content)
    tf.saved_model.save(Network(), tmp_path, options=tf.saved_model.SaveOptions(save_debug_info=True))
    assert "programs.py" in (tmp_path / "saved_model.json").read_text()


def change(folder: Path, how: Callable[[Any], Any]) -> None:
    """Change the description of a model."""
    file = folder / "saved_model.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps(how(content) or content))


def cut(path: Path, part: float = 0.5) -> None:
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * part)])


def rename_op(content: Any) -> None:
    for trace in content["traces"]:
        for node in trace["nodes"]:
            node[0] = ["no_such_op", *node[0][1:2]]


def foreign_function(content: Any) -> None:
    content["captures"] = [{"function": "os:system"}]


DAMAGE: dict[str, tuple[Callable[[Path], Any], type[Exception], str]] = {
    "missing": (lambda f: (f / "saved_model.json").unlink(), tf.errors.NotFoundError, "does not exist"),
    "cut off": (lambda f: cut(f / "saved_model.json"), tf.errors.DataLossError, "is cut off"),
    "empty": (lambda f: cut(f / "saved_model.json", 0), tf.errors.DataLossError, "is cut off"),
    "foreign": (
        lambda f: (f / "saved_model.json").write_text("[1]"), tf.errors.DataLossError, "not a saved model of gradtape",
    ),
    "arrays cut off": (lambda f: cut(next(f.glob("arrays-*"))), tf.errors.DataLossError, "is damaged.*is cut off"),
    "arrays missing": (lambda f: next(f.glob("arrays-*")).unlink(), tf.errors.DataLossError, "is missing"),
    "newer": (
        lambda f: change(f, lambda c: c.update(version=2)), tf.errors.UnimplementedError, "version 2 of the format",
    ),
    "part missing": (lambda f: change(f, lambda c: c.pop("values") and c), tf.errors.DataLossError, "is damaged"),
    "unknown op": (lambda f: change(f, rename_op), tf.errors.NotFoundError, "'no_such_op'"),
    "function of others": (lambda f: change(f, foreign_function), tf.errors.NotFoundError, "'os:system'"),
    "TensorFlow's": (
        lambda f: (f / "saved_model.json").rename(f / "saved_model.pb"), tf.errors.UnimplementedError, "by TensorFlow",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_damage(name: str, tmp_path: Path) -> None:
    spoil, kind, text = DAMAGE[name]
    tf.saved_model.save(Network(), tmp_path)
    spoil(tmp_path)
    with pytest.raises(kind, match=text) as problem:
        tf.saved_model.load(tmp_path)
    assert "fix:" in str(problem.value)


def test_any_changed_byte_of_the_arrays(tmp_path: Path) -> None:
    tf.saved_model.save(Network(), tmp_path)
    (path,) = tmp_path.glob("arrays-*")
    whole = bytearray(path.read_bytes())
    for at in (3, 30, len(whole) // 2, len(whole) - 1):
        changed = whole.copy()
        changed[at] ^= 0xFF
        path.write_bytes(changed)
        with pytest.raises(tf.errors.DataLossError):
            tf.saved_model.load(tmp_path)


def test_ops_of_a_program(tmp_path: Path) -> None:
    tf.saved_model.save(Network(), tmp_path)

    def elsewhere(content: Any) -> None:
        for trace in content["traces"]:
            for node in trace["nodes"]:
                node[0] = ["own_op", "my_project.ops"]

    change(tmp_path, elsewhere)
    with pytest.raises(tf.errors.NotFoundError, match=r"'own_op'(.|\n)*import my_project.ops before loading"):
        tf.saved_model.load(tmp_path)


def test_another_version_of_a_derivative(tmp_path: Path) -> None:
    module = tf.Module()
    module.f = tf.function(lambda x: tf.tanh(x), input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(module, tmp_path)

    def other(content: Any) -> None:
        content["traces"][0]["records"][0][1] = [["z", ""]]

    change(tmp_path, other)
    loaded, x = tf.saved_model.load(tmp_path), tf.constant(1.0)
    assert float(loaded.f(x)) == float(tf.tanh(x))

    def slope() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loaded.f(x)
        return tape.gradient(y, x)

    with pytest.raises(tf.errors.UnimplementedError, match="another version"):
        slope()
