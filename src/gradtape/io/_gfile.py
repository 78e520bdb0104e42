"""`tf.io.gfile`: files and directories of this computer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gradtape.core import errors
from gradtape.core.atomic_file import make_folder, replacing
from gradtape.core.os_errors import with_errors
from gradtape.io._gfile_object import GFile
from gradtape.io._paths import local, matching

__all__ = [
    "GFile", "copy", "exists", "get_registered_schemes", "glob", "isdir", "join", "listdir", "makedirs", "mkdir",
    "remove", "rename", "rmtree", "stat", "walk",
]  # fmt: skip


class FileStatistics(NamedTuple):
    """The result of `stat`: the size in bytes, the time of the last change in nanoseconds, whether it is a directory."""

    length: int
    mtime_nsec: int
    is_directory: bool


@with_errors
def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file. The copy appears under its name when it is complete.

    Args:
      src: the file.
      dst: the name of the copy.
      overwrite: whether a file of that name is replaced; AlreadyExistsError otherwise.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a", "content")
    >>> tf.io.gfile.copy(folder + "/a", folder + "/b")
    >>> tf.io.read_file(folder + "/b").numpy()
    b'content'
    """
    source, target = local("copy", src), local("copy", dst)
    _check_free("copy", target, overwrite)
    with open(source, "rb") as file, replacing(target) as made:
        shutil.copyfileobj(file, made)


def _check_free(who: str, target: str, overwrite: bool) -> None:
    if not overwrite and os.path.exists(target):
        raise errors.build(
            errors.AlreadyExistsError, f"{who}: file already exists: {target}", "use overwrite=True, or another name."
        )


@with_errors
def exists(path: Any) -> bool:
    """True if there is a file or directory of this name.

    >>> tf.io.gfile.exists("/there/is/nothing")
    False
    """
    return os.path.exists(local("exists", path))


@with_errors
def glob(pattern: Any) -> list[str]:
    """The sorted paths that match a pattern, or one of a list of patterns.

    >>> tf.io.gfile.glob("/there/is/nothing/*")
    []
    """
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [path for p in patterns for path in matching([local("glob", p)])]


@with_errors
def isdir(path: Any) -> bool:
    """True if there is a directory of this name.

    >>> tf.io.gfile.isdir("/")
    True
    """
    return os.path.isdir(local("isdir", path))


def join(path: Any, *paths: Any) -> str:
    """The path of parts: those after the last absolute one, with separators between them.

    >>> tf.io.gfile.join("folder", "sub", "file.txt")
    'folder/sub/file.txt'
    """
    parts = [os.fsdecode(os.fspath(p)) for p in (path, *paths)]
    if "://" not in parts[0]:
        return os.path.join(*parts)
    return os.path.join(*parts).replace(os.sep, "/")


@with_errors
def listdir(path: Any) -> list[str]:
    """The names in a directory, without `.` and `..`, in no particular order; NotFoundError if it does not exist.

    >>> import tempfile
    >>> tf.io.gfile.listdir(tempfile.mkdtemp())
    []
    """
    folder = local("listdir", path)
    if not os.path.isdir(folder):
        raise errors.build(errors.NotFoundError, f"listdir: Could not find directory {folder}", "check the path.")
    return os.listdir(folder)


@with_errors
def makedirs(path: Any) -> None:
    """Create a directory and its parents. Does nothing if it exists.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/a/b"
    >>> tf.io.gfile.makedirs(folder)
    >>> tf.io.gfile.isdir(folder)
    True
    """
    make_folder(local("makedirs", path))


@with_errors
def mkdir(path: Any) -> None:
    """Create a directory; do nothing if it exists. NotFoundError if its parent is missing.

    >>> import tempfile
    >>> tf.io.gfile.mkdir(tempfile.mkdtemp() + "/a")
    """
    folder = local("mkdir", path)
    if not os.path.isdir(folder):
        os.mkdir(folder)


@with_errors
def remove(path: Any) -> None:
    """Delete a file; NotFoundError if there is none, FailedPreconditionError if it is a directory.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a"
    >>> tf.io.write_file(path, "")
    >>> tf.io.gfile.remove(path)
    >>> tf.io.gfile.exists(path)
    False
    """
    os.remove(local("remove", path))


@with_errors
def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Rename a file or directory.

    Args:
      src: its name.
      dst: the new one.
      overwrite: whether a file of that name is replaced; AlreadyExistsError otherwise.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a", "")
    >>> tf.io.gfile.rename(folder + "/a", folder + "/b")
    >>> tf.io.gfile.listdir(folder)
    ['b']
    """
    source, target = local("rename", src), local("rename", dst)
    if os.path.lexists(source):
        _check_free("rename", target, overwrite)
    os.replace(source, target)


@with_errors
def rmtree(path: Any) -> None:
    """Delete a directory and all that is in it, or a file.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a/b", "")
    >>> tf.io.gfile.rmtree(folder + "/a")
    >>> tf.io.gfile.listdir(folder)
    []
    """
    place = local("rmtree", path)
    if os.path.isdir(place) and not os.path.islink(place):
        shutil.rmtree(place)
    else:
        os.remove(place)


@with_errors
def stat(path: Any) -> FileStatistics:
    """The size of a file, when it was changed, and whether it is a directory.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a"
    >>> tf.io.write_file(path, "12345")
    >>> tf.io.gfile.stat(path).length
    5
    """
    found = os.stat(local("stat", path))
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(local("stat", path)))


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Exception], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """For a directory and each in it: its path, the names of its directories, the names of its files.

    Args:
      top: where to begin. If that is no directory, there is nothing.
      topdown: directories come before those in them.
      onerror: called with the exception where a directory cannot be read.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a/b.txt", "")
    >>> [(folders, files) for _, folders, files in tf.io.gfile.walk(folder)]
    [(['a'], []), ([], ['b.txt'])]
    """
    for folder, folders, files in os.walk(local("walk", top), topdown=topdown, onerror=onerror):
        folders.sort()
        yield folder, folders, sorted(files)


def get_registered_schemes() -> list[str]:
    """The names before `://` that paths may begin with: those of local files.

    >>> tf.io.gfile.get_registered_schemes()
    ['file', '']
    """
    return ["file", ""]
