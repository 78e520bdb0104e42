"""Files of checkpoints: a process that is killed leaves the last one readable; damage is noticed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from killing import check_after_kills

SIZE = 100_000
# Saves checkpoints in which all elements of both variables equal the step, as fast as it can.
_WRITER = f"""
import sys
import gradtape as tf
a, b = tf.Variable(tf.zeros([{SIZE}])), tf.Variable(tf.zeros([{SIZE}]))
step = tf.Variable(0)
checkpoint = tf.train.Checkpoint(a=a, b=b, step=step)
manager = tf.train.CheckpointManager(checkpoint, sys.argv[1], max_to_keep=2)
manager.restore_or_initialize()
print("writing", flush=True)
while True:
    step.assign_add(1)
    value = tf.fill([{SIZE}], tf.cast(step, tf.float32))
    a.assign(value)
    b.assign(value)
    manager.save()
"""


def read(folder: Path) -> int:
    """The step of the latest checkpoint, after a check that it is whole; 0 if there is none."""
    a, b, step = tf.Variable(tf.zeros([SIZE])), tf.Variable(tf.zeros([SIZE])), tf.Variable(0)
    latest = tf.train.latest_checkpoint(folder)
    if latest is None:
        return 0
    tf.train.Checkpoint(a=a, b=b, step=step).restore(latest).assert_consumed()
    assert np.all(a.numpy() == int(step))
    assert np.all(b.numpy() == int(step))
    return int(step)


def test_a_killed_writer_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    check_after_kills(_WRITER, tmp_path, read, longest=0.1)
    files = [p.name for p in tmp_path.iterdir()]
    assert len([f for f in files if f.endswith(".index")]) <= 3  # one that was about to be deleted may be left


def test_leftovers_of_the_dead_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    (tmp_path / f".x.index.gradtape-1-{process.pid}").write_bytes(b"half")
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "x")
    assert [p.name for p in tmp_path.iterdir()] == ["x.index"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: Any) -> None:
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.save(tmp_path / "ckpt")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
        checkpoint.save(tmp_path / "ckpt")
    assert int(checkpoint.save_counter) == 1
    assert tf.train.latest_checkpoint(tmp_path) == path
    assert sorted(p.name for p in tmp_path.iterdir()) == ["checkpoint", "ckpt-1.index"]


def written(folder: Path) -> Path:
    return Path(tf.train.Checkpoint(v=tf.Variable(tf.range(100.0))).write(folder / "x") + ".index")


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    file = written(tmp_path)
    data = file.read_bytes()
    for length in [0, 5, 22, 30, 34, 60, 200, len(data) // 2, len(data) - 1]:
        file.write_bytes(data[:length])
        with pytest.raises(tf.errors.DataLossError, match="is cut off"):
            tf.train.load_checkpoint(tmp_path / "x")


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    file = written(tmp_path)
    data = file.read_bytes()
    v = tf.Variable(tf.zeros([100]))
    header = 34
    for at in [0, 20, 24, 31, header + 3, header + 60, len(data) - 400, len(data) - 1]:
        file.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(tf.errors.DataLossError, match="fix: "):
            tf.train.Checkpoint(v=v).read(tmp_path / "x")
    assert not v.numpy().any()


def test_a_foreign_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.index").write_bytes(b"\x00\x00 something of another program" * 10)
    with pytest.raises(tf.errors.DataLossError, match="is not a checkpoint of gradtape"):
        tf.train.load_checkpoint(tmp_path / "x")


def test_a_newer_format_is_named(tmp_path: Path) -> None:
    file = written(tmp_path)
    file.write_bytes(file.read_bytes().replace(b"checkpoint 1\n", b"checkpoint 2\n", 1))
    with pytest.raises(tf.errors.DataLossError, match="has a newer format"):
        tf.train.load_checkpoint(tmp_path / "x")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"Error when restoring from checkpoint.*there is no checkpoint"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).restore(tmp_path / "ckpt")
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.list_variables(tmp_path)


def test_a_foreign_state_file_is_not_used(tmp_path: Path, caplog: Any) -> None:
    (tmp_path / "checkpoint").write_text("model_checkpoint_path: no quotes\n")
    assert tf.train.latest_checkpoint(tmp_path) is None
    assert "cannot be read" in caplog.text
