"""`tf.compat.v1.train.Saver` with eager variables and with a graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


def test_names(tmp_path: Path) -> None:
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3, name="w")
    saver = v1.train.Saver([v, w])
    path = saver.save(None, tmp_path / "model", global_step=tf.Variable(7))
    assert path == f"{tmp_path}/model-7"
    assert tf.train.list_variables(path) == [("v", [2]), ("w", [])]
    assert tf.train.load_checkpoint(path).debug_string() == b"v (DT_FLOAT) [2]\nw (DT_INT32) []"
    v.assign([0.0, 0.0])
    other = tf.Variable(0)
    v1.train.Saver({"v": v, "w": other}).restore(None, path)
    np.testing.assert_array_equal(v, [1.0, 2.0])
    assert int(other) == 3


def test_the_latest_are_kept(tmp_path: Path) -> None:
    saver = v1.train.Saver({"v": tf.Variable(1.0)}, max_to_keep=2)
    paths = [saver.save(None, tmp_path / "model", step) for step in range(3)]
    assert saver.last_checkpoints == paths[1:]
    assert tf.train.latest_checkpoint(tmp_path) == paths[2]
    assert [Path(f"{path}.index").exists() for path in paths] == [False, True, True]
    second = v1.train.Saver({"v": tf.Variable(1.0)}, max_to_keep=1)
    second.recover_last_checkpoints(paths)
    assert second.last_checkpoints == paths[1:]


def test_refused(tmp_path: Path) -> None:
    path = v1.train.Saver({"v": tf.Variable(1.0)}).save(None, tmp_path / "model")
    with pytest.raises(tf.errors.NotFoundError, match="Key w not found"):
        v1.train.Saver({"w": tf.Variable(1.0)}).restore(None, path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="original dtype"):
        v1.train.Saver({"v": tf.Variable(1)}).restore(None, path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes of both tensors"):
        v1.train.Saver({"v": tf.Variable([1.0])}).restore(None, path)
    with pytest.raises(ValueError, match="not a valid checkpoint"):
        v1.train.Saver({"v": tf.Variable(1.0)}).restore(None, tmp_path / "nowhere")
    with pytest.raises(RuntimeError, match="must specify a list"):
        v1.train.Saver()
    with pytest.raises(ValueError, match="defer_build"):
        v1.train.Saver([tf.Variable(1.0)], defer_build=True)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No variables to save"):
        v1.train.Saver()


def test_what_earlier_versions_wrote(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(values={"a/b": tf.Variable(5.0)}).write(tmp_path / "model")
    v = tf.Variable(0.0)
    v1.train.Saver({"a/b": v}).restore(None, path)
    assert float(v) == 5.0
