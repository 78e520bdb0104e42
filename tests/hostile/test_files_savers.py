"""Savers on a disk that fails: the error is TensorFlow's, the earlier file stays whole, and nothing is left beside it."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import gradtape as tf
from hostile.full_disk import FailingDisk, limited

SIZE = 3000


class Saver(NamedTuple):
    """What writes a number into a folder, and reads it."""

    save: Callable[[Path, int], Any]
    load: Callable[[Path], int]
    replaces: bool = True  # whether a file appears when it is complete


def _checkpoint(folder: Path, step: int) -> None:
    tf.train.Checkpoint(v=tf.Variable(tf.fill([SIZE], step))).write(folder / "ckpt")


def _read_checkpoint(folder: Path) -> int:
    value = tf.train.load_checkpoint(folder / "ckpt").get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    assert np.all(value == value[0])
    return int(value[0])


def _manager(folder: Path, step: int) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(step))
    tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2).save(checkpoint_number=step)


def _read_manager(folder: Path) -> int:
    v = tf.Variable(0)
    tf.train.Checkpoint(v=v).restore(tf.train.latest_checkpoint(folder)).assert_existing_objects_matched()
    return int(v)


def _model(folder: Path, step: int) -> None:
    module = tf.Module()
    module.v = tf.Variable(tf.fill([SIZE], step))
    tf.saved_model.save(module, folder / "model")


def _read_model(folder: Path) -> int:
    return int(tf.saved_model.load(folder / "model").v[SIZE - 1])


def _dataset(folder: Path, step: int) -> None:
    tf.data.Dataset.from_tensors(tf.fill([SIZE], step)).repeat(3).save(str(folder / "data"))


def _read_dataset(folder: Path) -> int:
    (found,) = {int(x[SIZE - 1]) for x in tf.data.Dataset.load(str(folder / "data"))}
    return found


def _write_file(folder: Path, step: int) -> None:
    tf.io.write_file(str(folder / "file"), str(step) * SIZE)


def _read_file(folder: Path) -> int:
    text = tf.io.read_file(str(folder / "file")).numpy().decode()
    assert len(text) == SIZE
    return int(text[0])


def _records(folder: Path, step: int) -> None:
    with tf.io.TFRecordWriter(str(folder / f"{step}.tfrecord")) as writer:
        for _ in range(3):
            writer.write(str(step) * SIZE)


def _read_records(folder: Path) -> int:
    return max(int(p.stem) for p in folder.glob("*.tfrecord"))


def _events(folder: Path, step: int) -> None:
    writer = tf.summary.create_file_writer(str(folder))
    with writer.as_default(step):
        tf.summary.text("a", "b" * SIZE)
    writer.close()


SAVERS = {
    "checkpoint": Saver(_checkpoint, _read_checkpoint),
    "manager": Saver(_manager, _read_manager),
    "saved_model": Saver(_model, _read_model),
    "dataset": Saver(_dataset, _read_dataset),
    "write_file": Saver(_write_file, _read_file),
    "records": Saver(_records, _read_records, replaces=False),
    "events": Saver(_events, lambda folder: 0, replaces=False),
}
KINDS = {
    errno.ENOSPC: tf.errors.ResourceExhaustedError,
    errno.EDQUOT: tf.errors.ResourceExhaustedError,
    errno.EACCES: tf.errors.PermissionDeniedError,
    errno.EROFS: tf.errors.PermissionDeniedError,
    errno.ENOENT: tf.errors.NotFoundError,
    errno.ENOTDIR: tf.errors.FailedPreconditionError,
}


@pytest.mark.parametrize("name", SAVERS)
@pytest.mark.parametrize("code", KINDS)
def test_every_call_that_writes_may_fail(name: str, code: int, tmp_path: Path, monkeypatch: Any, rounds: Any) -> None:
    saver = SAVERS[name]
    saver.save(tmp_path, 1)
    if code != errno.ENOSPC and rounds(True, False):
        return
    before, at, problem = 1, 0, ""
    while True:
        step = at % 7 + 2
        with FailingDisk(at, code).instead(monkeypatch) as disk:
            try:
                saver.save(tmp_path, step)
                before = step
            except KINDS[code] as raised:
                problem = str(raised)
        assert not disk.has_failed or "fix:" in problem
        if saver.replaces:
            assert saver.load(tmp_path) in (before, step)  # the last calls come after the file has its name
            before = saver.load(tmp_path)
            assert not list(tmp_path.rglob(".*"))
        if not disk.has_failed:
            break
        at += 1
    assert at > 2


@pytest.mark.parametrize("name", SAVERS)
def test_files_that_cannot_grow(name: str, tmp_path: Path, rounds: Any) -> None:
    saver = SAVERS[name]
    saver.save(tmp_path, 1)
    for size in rounds((0, 200), range(0, 250, 50)):
        with limited(size), pytest.raises(tf.errors.ResourceExhaustedError, match="File too large"):
            saver.save(tmp_path, 2)
        if saver.replaces:
            assert saver.load(tmp_path) == 1
            assert not list(tmp_path.rglob(".*"))


@pytest.mark.parametrize("name", SAVERS)
def test_a_file_in_place_of_a_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Not a directory"):
        SAVERS[name].save(tmp_path / "file", 1)


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        tf.io.TFRecordWriter(str(tmp_path / "no" / "file"))
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        tf.io.gfile.GFile(str(tmp_path / "no" / "file"), "w").write("x")


def test_a_full_device() -> None:
    writer = tf.io.TFRecordWriter("/dev/full")
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
        writer.write(b"x" * 100_000)
    writer.close()
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
        tf.io.write_file("/dev/full", "x" * 100_000)
    file = tf.io.gfile.GFile("/dev/full", "w")
    file.write("x")
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
        file.close()


_KILLED = """
import sys
from pathlib import Path
from hostile.test_files_savers import SAVERS
folder, name = Path(sys.argv[1]), sys.argv[2]
step = 1
while True:
    SAVERS[name].save(folder, step % 7 + 1)
    step += 1
    print("saved", flush=True)
"""


@pytest.mark.parametrize("name", [name for name, saver in SAVERS.items() if saver.replaces])
def test_killed_while_saving(name: str, tmp_path: Path, rounds: Any) -> None:
    """The file is whole after `kill -9`, and the next save removes what the dead process left."""
    if name in rounds(("manager", "dataset", "write_file"), ()):
        return
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    for seed in range(rounds(1, 20)):
        command = [sys.executable, "-c", _KILLED, str(tmp_path), name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths}) as process:
            assert process.stdout is not None
            assert process.stdout.readline()
            time.sleep(random.Random(seed).uniform(0, 0.05))
            process.kill()
        assert 1 <= SAVERS[name].load(tmp_path) <= 7
        SAVERS[name].save(tmp_path, 5)
        assert SAVERS[name].load(tmp_path) == 5
        assert not list(tmp_path.rglob(".*"))


def test_only_the_parts_of_dead_processes_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    dead = tmp_path / f".x.gradtape-1-{process.pid}"
    living = tmp_path / f".x.gradtape-1-{os.getppid()}"
    others = [tmp_path / name for name in (".x", ".gradtape-notes", f"x.gradtape-1-{process.pid}", ".x.gradtape-1-a")]
    for path in (dead, living, *others):
        path.write_text("")
    tf.io.write_file(str(tmp_path / "file"), "x")
    assert not dead.exists()
    assert living.exists()
    assert all(path.exists() for path in others)
