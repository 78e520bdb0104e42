"""Whole files: read, written and found, at once and in functions."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import gradtape as tf


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.bin"
    tf.io.write_file(str(path), b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert tf.io.read_file(path).numpy() == b"\x00\xff"
    assert tf.io.read_file(tf.constant(str(path))).shape == ()


def test_writing_replaces_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for content in ("a longer text", "short"):
        tf.io.write_file(str(path), content)
    assert path.read_text() == "short"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_permissions_are_usual_ones_or_stay(tmp_path: Path) -> None:
    before = os.umask(0o022)
    os.umask(before)
    path = tmp_path / "a.txt"
    tf.io.write_file(str(path), "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~before
    path.chmod(0o600)
    tf.io.write_file(str(path), "again")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    tf.io.write_file(str(tmp_path / "link"), "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_functions_read_and_write_in_the_order_of_their_text(tmp_path: Path) -> None:
    path = str(tmp_path / "a.txt")

    @tf.function
    def step(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        tf.io.write_file(path, x)
        first = tf.io.read_file(path)
        tf.io.write_file(path, "second")
        return first, tf.io.read_file(path)

    for text in (b"one", b"two"):
        first, second = step(tf.constant(text))
        assert (first.numpy(), second.numpy()) == (text, b"second")


def test_a_function_reads_the_file_each_time(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    read = tf.function(lambda: tf.io.read_file(str(path)))
    for text in ("one", "two"):
        path.write_text(text)
        assert read().numpy() == text.encode()


def test_matching_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.bin", ".hidden.txt"):
        (tmp_path / name).write_text("")
    found = tf.io.matching_files([f"{tmp_path}/[ab].txt", f"{tmp_path}/*.bin", f"{tmp_path}/a*"]).numpy()
    assert [os.path.basename(path) for path in found] == [b"a.txt", b"a.txt", b"b.txt", b"c.bin"]
    assert tf.io.matching_files(f"{tmp_path}/nothing*").shape == (0,)
    assert tf.function(tf.io.matching_files)(f"{tmp_path}/*.bin").numpy()[0].endswith(b"c.bin")


def test_match_filenames_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    found = tf.io.match_filenames_once(f"{tmp_path}/*")
    (tmp_path / "b").write_text("")
    assert isinstance(found, tf.Variable)
    assert found.shape == (1,)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"nope; No such file"):
        tf.io.read_file(str(tmp_path / "nope"))
    with pytest.raises(tf.errors.NotFoundError, match=r"Graph execution error: detected at node 'read_file'"):
        tf.function(tf.io.read_file)(str(tmp_path / "nope"))


def test_directories_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        tf.io.read_file(str(tmp_path))
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        tf.io.write_file(str(tmp_path), "x")


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"scheme 'gs' not implemented"):
        tf.io.read_file("gs://bucket/file")
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be scalar"):
        tf.io.read_file(["a", "b"])
    with pytest.raises(TypeError, match="must be of dtype string, it is float32"):
        tf.io.write_file(str(tmp_path / "a"), 1.0)


def test_record_files(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.io.TFRecordWriter(tmp_path / "nothing" / "a")
    with pytest.raises(tf.errors.UnimplementedError, match="scheme 'gs' not implemented"):
        tf.io.TFRecordWriter("gs://bucket/a")
    with pytest.raises(tf.errors.UnimplementedError, match="scheme 'gs' not implemented"):
        list(tf.data.TFRecordDataset("gs://bucket/a"))
    with tf.io.TFRecordWriter(tmp_path / "a") as writer, pytest.raises(TypeError, match="SerializeToString"):
        writer.write(tf.train.Example())
