"""State that is not in variables."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.toplevel.trackable import Trackable


class Count(tf.train.experimental.PythonState):
    """A number that is kept as text."""

    n = 0

    def serialize(self) -> Any:
        return str(self.n)

    def deserialize(self, string_value: Any) -> None:
        assert isinstance(string_value, bytes)
        self.n = int(string_value)


def test_a_string(tmp_path: Path) -> None:
    count = Count()
    count.n = 7
    checkpoint = tf.train.Checkpoint(count=count, v=tf.Variable(1.0))
    path = checkpoint.write(tmp_path / "values")
    assert ("count/.ATTRIBUTES/py_state", []) in tf.train.list_variables(path)
    assert tf.train.load_variable(path, "count/.ATTRIBUTES/py_state") == b"7"
    assert [v.shape for v in checkpoint.variables] == [()]
    count.n = 8
    checkpoint.read(path).assert_consumed()
    assert count.n == 7
    with pytest.raises(AssertionError, match=r"Unused attributes: \(root\).count"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).read(path).assert_consumed()


def test_an_object_that_is_made_later(tmp_path: Path) -> None:
    count = Count()
    count.n = 7
    path = tf.train.Checkpoint(root=tf.Module(), inner=_holder(count)).write(tmp_path / "values")
    holder = tf.Module()
    tf.train.Checkpoint(root=tf.Module(), inner=holder).read(path)
    holder.count = Count()  # type: ignore[attr-defined]
    assert holder.count.n == 7  # type: ignore[attr-defined]


def _holder(count: Count) -> tf.Module:
    holder = tf.Module()
    holder.count = count  # type: ignore[attr-defined]
    return holder


def test_state_does_not_keep_its_object_alive(tmp_path: Path) -> None:
    count = Count()
    tf.train.Checkpoint(count=count).write(tmp_path / "values")
    seen = weakref.ref(count)
    del count
    gc.collect()
    assert seen() is None


def test_bytes_that_end_with_zeros(tmp_path: Path) -> None:
    class Raw(tf.train.experimental.PythonState):
        value = b"a\0\0"

        def serialize(self) -> Any:
            return self.value

        def deserialize(self, string_value: Any) -> None:
            self.value = string_value

    raw, text = Raw(), tf.Variable(b"b\0\0")
    checkpoint = tf.train.Checkpoint(raw=raw, text=text)
    path = checkpoint.write(tmp_path / "values")
    raw.value = b""
    text.assign(b"")
    checkpoint.read(path)
    assert raw.value == b"a\0\0"
    assert text.numpy() == b"b\0\0"


def test_tensors_by_name(tmp_path: Path) -> None:
    class Pair(Trackable):
        def __init__(self) -> None:
            self.a, self.b = np.float32(1.0), tf.constant([2, 3])

        def _serialize_to_tensors(self) -> Any:
            return {"a": self.a, "b": self.b}

        def _restore_from_tensors(self, restored_tensors: Any) -> None:
            self.a, self.b = restored_tensors["a"], restored_tensors["b"]

    pair, other = Pair(), Pair()
    path = tf.train.Checkpoint(pair=pair).write(tmp_path / "values")
    assert [name for name, _ in tf.train.list_variables(path)] == ["pair/.ATTRIBUTES/a", "pair/.ATTRIBUTES/b"]
    other.a, other.b = np.float32(0.0), tf.constant([0, 0])
    tf.train.Checkpoint(pair=other).read(path).assert_consumed()
    assert float(other.a) == 1.0
    np.testing.assert_array_equal(other.b, [2, 3])


def test_parts_that_are_tracked_by_name(tmp_path: Path) -> None:
    root, leaf = Trackable(), tf.Variable(5.0)
    root._track_trackable(leaf, "leaf")
    assert tf.train.TrackableView.children(root) == {"leaf": leaf}
    with pytest.raises(ValueError, match="already declared"):
        root._track_trackable(tf.Variable(6.0), "leaf")
    path = tf.train.Checkpoint(root=root).write(tmp_path / "values")
    leaf.assign(0.0)
    tf.train.Checkpoint(root=root).read(path).assert_consumed()
    assert float(leaf) == 5.0
