"""tf.train.CheckpointManager."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gradtape as tf


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_keeps_the_latest(tmp_path: Path) -> None:
    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), tmp_path, max_to_keep=2)
    assert manager.latest_checkpoint is None
    for _ in range(4):
        step.assign_add(1)
        manager.save()
    assert files(tmp_path) == ["checkpoint", "ckpt-3.index", "ckpt-4.index"]
    assert manager.latest_checkpoint == str(tmp_path / "ckpt-4") == tf.train.latest_checkpoint(tmp_path)
    assert manager.checkpoints == [str(tmp_path / "ckpt-3"), str(tmp_path / "ckpt-4")]


def test_goes_on_with_an_earlier_run(tmp_path: Path) -> None:
    def run(count: int) -> int:
        step = tf.Variable(0)
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), tmp_path, max_to_keep=3)
        manager.restore_or_initialize()
        for _ in range(count):
            step.assign_add(1)
            manager.save()
        return int(step)

    assert run(2) == 2
    assert run(2) == 4
    assert files(tmp_path) == ["checkpoint", "ckpt-2.index", "ckpt-3.index", "ckpt-4.index"]


def test_a_folder_that_was_moved(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1.0)), tmp_path / "a", max_to_keep=3)
    manager.save()
    (tmp_path / "a").rename(tmp_path / "b")
    assert tf.train.latest_checkpoint(tmp_path / "b") == str(tmp_path / "b" / "ckpt-1")


def test_numbers_and_names(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=None, checkpoint_name="model")
    assert manager.save(checkpoint_number=tf.Variable(70)) == str(tmp_path / "model-70")
    assert int(checkpoint.save_counter) == 1


def test_interval(tmp_path: Path) -> None:
    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(step=step), tmp_path, max_to_keep=5, step_counter=step, checkpoint_interval=5
    )
    saved = []
    for _ in range(12):
        step.assign_add(1)
        if manager.save():
            saved.append(int(step))
    assert saved == [1, 6, 11]
    assert manager.save(check_interval=False) is not None


def test_some_are_kept_for_ever(tmp_path: Path, monkeypatch: Any) -> None:
    from gradtape.train import _manager as module

    now = [1000.0]
    monkeypatch.setattr(module.time, "time", lambda: now[0])
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=tf.Variable(1.0)), tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=2
    )
    for _ in range(6):
        now[0] += 3600
        manager.save()
    assert files(tmp_path) == ["checkpoint", "ckpt-2.index", "ckpt-4.index", "ckpt-6.index"]


def test_init_fn(tmp_path: Path) -> None:
    called: list[int] = []
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=tf.Variable(1.0)), tmp_path, max_to_keep=1, init_fn=lambda: called.append(1)
    )
    assert manager.restore_or_initialize() is None
    assert called == [1]
    path = manager.save()
    assert manager.restore_or_initialize() == path
    assert called == [1]


def test_bad_arguments(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(ValueError, match="max_to_keep"):
        tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=0)
    with pytest.raises(ValueError, match="needs a step_counter"):
        tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1, checkpoint_interval=3)


def test_new_checkpoints_are_iterated(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    first = checkpoint.save(tmp_path / "ckpt")
    found = tf.train.checkpoints_iterator(tmp_path, timeout=0)
    assert next(found) == first
    second = checkpoint.save(tmp_path / "ckpt")
    assert list(found) == [second]


def test_checkpoints_without_a_manager_are_left_alone(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    unmanaged = [checkpoint.save(tmp_path / "other") for _ in range(2)]
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1)
    assert manager.latest_checkpoint == unmanaged[-1]
    assert manager.checkpoints == []
    third, fourth = manager.save(), manager.save()
    assert manager.checkpoints == [fourth]
    assert [Path(f"{path}.index").exists() for path in (*unmanaged, third, fourth)] == [True, True, False, True]


def test_a_state_file_that_is_indented_or_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    file.write_text('\n    model_checkpoint_path: "./b"\n    all_model_checkpoint_paths: "./a"\n')
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == f"{tmp_path}/./b"
    assert state.all_model_checkpoint_paths == [f"{tmp_path}/./a", f"{tmp_path}/./b"]
    file.write_text("")
    with pytest.raises(ValueError, match="does not name a latest checkpoint"):
        tf.train.get_checkpoint_state(tmp_path)
