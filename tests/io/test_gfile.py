"""`tf.io.gfile`: files and directories."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradtape as tf

gfile = tf.io.gfile


def make(folder: Path) -> Path:
    """A folder with a file, and a folder with another file."""
    (folder / "sub").mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / "sub" / "b.txt").write_text("b")
    return folder


def test_looking(tmp_path: Path) -> None:
    folder = make(tmp_path)
    assert gfile.exists(folder)
    assert not gfile.exists(folder / "c")
    assert gfile.isdir(str(folder))
    assert not gfile.isdir(folder / "a.txt")
    assert sorted(gfile.listdir(folder)) == ["a.txt", "sub"]
    assert gfile.glob(f"{folder}/*.txt") == [f"{folder}/a.txt"]
    assert gfile.glob([f"{folder}/s*", f"{folder}/*/b*"]) == [f"{folder}/sub", f"{folder}/sub/b.txt"]
    assert gfile.exists(f"file://{folder}/a.txt")


def test_walk(tmp_path: Path) -> None:
    folder = make(tmp_path)
    down = [(str(folder), ["sub"], ["a.txt"]), (f"{folder}/sub", [], ["b.txt"])]
    assert list(gfile.walk(folder)) == down
    assert list(gfile.walk(folder, topdown=False)) == down[::-1]
    assert list(gfile.walk(folder / "nothing")) == []


def test_stat(tmp_path: Path) -> None:
    folder = make(tmp_path)
    found = gfile.stat(folder / "a.txt")
    assert (found.length, found.is_directory) == (8, False)
    assert found.mtime_nsec == (folder / "a.txt").stat().st_mtime_ns
    assert gfile.stat(folder).is_directory


def test_copy_and_rename(tmp_path: Path) -> None:
    folder = make(tmp_path)
    gfile.copy(folder / "a.txt", folder / "c.txt")
    assert (folder / "c.txt").read_text() == "one\ntwo\n"
    with pytest.raises(tf.errors.AlreadyExistsError, match="file already exists"):
        gfile.copy(folder / "a.txt", folder / "c.txt")
    gfile.copy(folder / "sub" / "b.txt", folder / "c.txt", overwrite=True)
    assert (folder / "c.txt").read_text() == "b"
    with pytest.raises(tf.errors.AlreadyExistsError, match="file already exists"):
        gfile.rename(folder / "a.txt", folder / "c.txt")
    gfile.rename(folder / "a.txt", folder / "c.txt", overwrite=True)
    assert not gfile.exists(folder / "a.txt")
    assert (folder / "c.txt").read_text() == "one\ntwo\n"


def test_making_and_removing(tmp_path: Path) -> None:
    gfile.makedirs(tmp_path / "a" / "b")
    gfile.makedirs(tmp_path / "a" / "b")
    gfile.mkdir(tmp_path / "a")
    gfile.mkdir(tmp_path / "c")
    with pytest.raises(tf.errors.NotFoundError):
        gfile.mkdir(tmp_path / "x" / "y")
    tf.io.write_file(str(tmp_path / "a" / "file"), "")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        gfile.remove(tmp_path / "a")
    gfile.remove(tmp_path / "a" / "file")
    gfile.rmtree(tmp_path / "a")
    assert gfile.listdir(tmp_path) == ["c"]


@pytest.mark.parametrize("call", [gfile.listdir, gfile.remove, gfile.rmtree, gfile.stat])
def test_missing_paths(call: object, tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="nope"):
        call(tmp_path / "nope")  # type: ignore[operator]


def test_missing_sources(tmp_path: Path) -> None:
    for call in (gfile.copy, gfile.rename):
        with pytest.raises(tf.errors.NotFoundError, match="nope"):
            call(tmp_path / "nope", tmp_path / "other")


def test_other_file_systems() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"'s3' not implemented(.|\n)*copy the file first"):
        gfile.exists("s3://bucket/key")
    assert gfile.join("gs://bucket", "a", "b") == "gs://bucket/a/b"
    assert gfile.join("a", "/b") == "/b"
    assert set(gfile.get_registered_schemes()) == {"", "file"}


def test_reading_text(tmp_path: Path) -> None:
    with gfile.GFile(make(tmp_path) / "a.txt") as file:
        assert file.size() == 8
        assert file.read(3) == "one"
        assert file.tell() == 3
        assert file.readline() == "\n"
        assert list(file) == ["two\n"]
        file.seek(0)
        assert file.readlines() == ["one\n", "two\n"]
        file.seek(-4, whence=2)
        assert file.read() == "two\n"
        assert (file.mode, file.seekable()) == ("r", True)


def test_reading_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff\x00")
    with gfile.GFile(tmp_path / "a", "rb") as file:
        assert file.read() == b"\xff\x00"


def test_writing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with gfile.GFile(path, "w") as file:
        file.write("é")
        file.flush()
        assert file.size() == 2
    with gfile.GFile(path, "ab") as file:
        file.write(b"!")
    with gfile.GFile(path, "r+") as file:
        assert file.read() == "é!"
        file.write("?")
    assert path.read_text() == "?"
    with gfile.GFile(tmp_path / "empty", "w"):
        pass
    assert not (tmp_path / "empty").exists()


@pytest.mark.parametrize("mode", ["r+", "w+", "a+"])
def test_reading_and_writing_one_file(mode: str, tmp_path: Path) -> None:
    """Each has a place of its own, and what is read is what is on the disk."""
    path = tmp_path / "a"
    path.write_text("hello")
    with gfile.GFile(path, mode) as file:
        assert file.read(2) == "he"
        assert file.tell() == 2
        file.write("one\ntwo\n")
        file.seek(0)
        file.flush()
        assert file.readlines() == (["helloone\n", "two\n"] if mode == "a+" else ["one\n", "two\n"])
        file.seek(-2, 2)
        assert file.read() == "o\n"
    new = gfile.GFile(tmp_path / "new", mode)
    with pytest.raises(tf.errors.NotFoundError):
        new.read()
    new.write("x")
    new.close()
    assert (tmp_path / "new").read_text() == "x"


def test_misuse_of_files(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is 'z'"):
        gfile.GFile(tmp_path / "a", "z")
    with pytest.raises(tf.errors.NotFoundError):
        gfile.GFile(tmp_path / "nope").read()
    (tmp_path / "a").write_text("x")
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for writing"):
        gfile.GFile(tmp_path / "a").write("y")
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for reading"):
        gfile.GFile(tmp_path / "a", "w").read()
    with gfile.GFile(tmp_path / "a") as file, pytest.raises(TypeError, match="offset is missing"):
        file.seek()
