"""tf.train.Checkpoint: what is saved, what is restored, and when."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf


class Net(tf.Module):
    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.w = tf.Variable([scale, 2.0 * scale])
        self.layers = [tf.Variable(scale), {"a/b": tf.Variable(3.0 * scale)}]
        self.label = "not saved"
        self.again = self.w


def values(net: Net) -> list[Any]:
    return [np.asarray(v).tolist() for v in (net.w, net.layers[0], net.layers[1]["a/b"])]


def test_values_come_back(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(net=Net(5.0), step=tf.Variable(7)).save(tmp_path / "ckpt")
    net, step = Net(), tf.Variable(0)
    checkpoint = tf.train.Checkpoint(net=net, step=step)
    checkpoint.restore(path).assert_consumed()
    assert values(net) == [[5.0, 10.0], 5.0, 15.0]
    assert int(step) == 7
    assert int(checkpoint.save_counter) == 1
    assert path == str(tmp_path / "ckpt-1")


def test_names_in_the_file_are_paths(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(net=Net()).write(tmp_path / "x")
    assert [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in tf.train.list_variables(path)] == [
        "net/layers/0",
        "net/layers/1/a.Sb",
        "net/w",
    ]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.index"]


def test_root_gives_its_parts(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(Net(2.0), step=tf.Variable(1)).write(tmp_path / "x")
    net = Net()
    tf.train.Checkpoint(net, step=tf.Variable(0)).read(path).assert_consumed()
    assert values(net)[0] == [2.0, 4.0]


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int64", "uint8", "bool", "complex64", "string"]
)
def test_dtypes(tmp_path: Path, dtype: str) -> None:
    text = dtype == "string"
    value = tf.constant(["ä", "", "abc"]) if text else tf.cast(tf.constant([[0, 1], [1, 5]]), dtype)
    path = tf.train.Checkpoint(v=tf.Variable(value)).write(tmp_path / "x")
    new = tf.Variable(tf.fill([3], "z") if text else tf.zeros_like(value))
    tf.train.Checkpoint(v=new).read(path).assert_consumed()
    assert np.array_equal(new.numpy(), value.numpy())
    assert new.dtype == value.dtype


def test_empty_and_scalar_values(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(e=tf.Variable(tf.zeros([0, 3])), s=tf.Variable(2.0)).write(tmp_path / "x")
    empty, scalar = tf.Variable(tf.zeros([0, 3])), tf.Variable(0.0)
    tf.train.Checkpoint(e=empty, s=scalar).read(path).assert_consumed()
    assert empty.shape == (0, 3)
    assert float(scalar) == 2.0


def test_nested_checkpoints_and_generators(tmp_path: Path) -> None:
    def make(seed: int) -> tuple[Any, Any]:
        generator = tf.random.Generator.from_seed(seed)
        return generator, tf.train.Checkpoint(inner=tf.train.Checkpoint(generator=generator))

    generator, checkpoint = make(1)
    path = checkpoint.save(tmp_path / "ckpt")
    expected = generator.normal([3]).numpy()
    other, checkpoint = make(2)
    checkpoint.restore(path).assert_consumed()
    assert np.array_equal(other.normal([3]).numpy(), expected)


def test_objects_with_variables_of_any_class(tmp_path: Path) -> None:
    class Plain:
        def __init__(self, value: float) -> None:
            self.hidden = [tf.Variable(value)]

        @property
        def variables(self) -> list[Any]:
            return self.hidden

    path = tf.train.Checkpoint(plain=Plain(4.0)).write(tmp_path / "x")
    plain = Plain(0.0)
    tf.train.Checkpoint(plain=plain).read(path).assert_consumed()
    assert float(plain.hidden[0]) == 4.0


def test_a_new_attribute_gets_its_value(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(net=Net(5.0)).write(tmp_path / "x")
    late = tf.Module()
    status = tf.train.Checkpoint(net=late).read(path)
    with pytest.raises(AssertionError, match="3 values"):
        status.assert_consumed()
    late.w = tf.Variable([0.0, 0.0])
    assert late.w.numpy().tolist() == [5.0, 10.0]
    late.layers = []
    late.layers.append(tf.Variable(0.0))
    late.layers.append({"a/b": tf.Variable(0.0)})
    assert float(late.layers[1]["a/b"] + 0.0) == 15.0
    status.assert_consumed()
    assert type(late.layers[0]) is tf.Variable


def test_a_value_arrives_before_an_assignment(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(net=Net(5.0)).write(tmp_path / "x")
    late = tf.Module()
    tf.train.Checkpoint(net=late).read(path).expect_partial()
    late.w = tf.Variable([0.0, 0.0])
    late.w.assign_add([1.0, 1.0])
    assert late.w.numpy().tolist() == [6.0, 11.0]


def test_a_late_variable_in_a_function_and_a_tape(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(net=Net(5.0)).write(tmp_path / "x")
    late = tf.Module()
    tf.train.Checkpoint(net=late).read(path).expect_partial()

    @tf.function
    def double(x: Any) -> Any:
        if not hasattr(late, "w"):
            late.w = tf.Variable([0.0, 0.0])
        return x * late.w

    with tf.GradientTape() as tape:
        y = tf.reduce_sum(double(tf.constant([1.0, 2.0])))
    assert float(y) == 25.0
    assert tape.gradient(y, late.w).numpy().tolist() == [1.0, 2.0]


def test_the_file_may_go_while_values_are_waited_for(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(net=Net(5.0)).write(tmp_path / "x")
    late = tf.Module()
    tf.train.Checkpoint(net=late).read(path).expect_partial()
    Path(path + ".index").unlink()
    late.w = tf.Variable([0.0, 0.0])
    assert late.w.numpy().tolist() == [5.0, 10.0]


def test_variables_wait_no_longer_than_the_objects_live(tmp_path: Path) -> None:
    from gradtape.core import variable

    path = tf.train.Checkpoint(net=Net(5.0)).write(tmp_path / "x")
    late = tf.Module()
    tf.train.Checkpoint(net=late).read(path).expect_partial()
    unrelated = tf.Variable(1.0)
    assert float(unrelated) == 1.0
    del late
    tf.Variable(1.0)
    assert not variable.created


def test_status_names_what_is_missing(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(net=Net()).save(tmp_path / "ckpt")
    status = tf.train.Checkpoint(other=Net()).restore(path)
    with pytest.raises(AssertionError, match="Found 3 Python objects"):
        status.assert_existing_objects_matched()
    with pytest.raises(AssertionError, match="Nothing of checkpoint"):
        status.assert_nontrivial_match()
    assert status.expect_partial() is status


def test_nothing_to_restore() -> None:
    status = tf.train.Checkpoint(v=tf.Variable(1.0)).restore(None)
    assert status.expect_partial() is status
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        status.assert_consumed()


def test_a_wrong_shape_changes_nothing(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(5.0), b=tf.Variable([1.0, 2.0])).write(tmp_path / "x")
    a, b = tf.Variable(0.0), tf.Variable([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"with shape \(2,\).*\(3,\), in b/"):
        tf.train.Checkpoint(a=a, b=b).read(path)
    assert float(a) == 0.0
    with pytest.raises(TypeError, match="is float32, but variable"):
        tf.train.Checkpoint(a=tf.Variable(0)).read(path)


def test_what_cannot_be_saved_is_refused() -> None:
    with pytest.raises(ValueError, match="step is 3, which has no variables"):
        tf.train.Checkpoint(step=3)


def test_not_in_a_function(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))

    @tf.function
    def save() -> None:
        checkpoint.save(tmp_path / "ckpt")

    with pytest.raises(NotImplementedError, match="from a function"):
        save()


def test_callbacks_are_called(tmp_path: Path) -> None:
    seen: list[Any] = []
    options = tf.train.CheckpointOptions(experimental_write_callbacks=[seen.append, lambda: seen.append("done")])
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(tmp_path / "ckpt", options)
    assert seen == [path, "done"]


def test_reader(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable([1, 2])).save(tmp_path / "ckpt")
    for given in (path, tmp_path):
        reader = tf.train.load_checkpoint(given)
        assert reader.get_variable_to_dtype_map()["v/.ATTRIBUTES/VARIABLE_VALUE"] == tf.int32
        assert reader.has_tensor("save_counter/.ATTRIBUTES/VARIABLE_VALUE")
    with pytest.raises(tf.errors.NotFoundError, match="Key v not found"):
        reader.get_tensor("v")


@pytest.mark.parametrize("said", [False, True])
def test_values_that_nothing_took_are_named_at_the_end(tmp_path: Path, said: bool) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(tmp_path / "x")
    code = f"""
import gradtape as tf
status = tf.train.Checkpoint(a=tf.Variable(0.0)).read({path!r})
if {said}:
    status.expect_partial()
"""
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=settings)
    assert ("1 values of checkpoint" in done.stderr) is not said
