"""Files that must be plain ones: a pipe in their place would let the reader wait for ever."""

from __future__ import annotations

import errno
import os
import stat
from typing import Any

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def open_plain(path: str | os.PathLike[str]) -> Any:
    """A file to read bytes from, unbuffered; OSError if there is a folder, a pipe or a device in its place."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return open(handle, "rb", buffering=0)
    os.close(handle)
    code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
    raise OSError(code, os.strerror(code) if code == errno.EISDIR else "Not a plain file", os.fspath(path))


def read_plain(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a plain file."""
    with open_plain(path) as file:
        result: bytes = file.read()
        return result


def read_own(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a plain file that only this user may write; PermissionError if anybody else may. For files that are executed."""
    with open_plain(path) as file:
        if not is_own(os.fstat(file.fileno())):
            raise PermissionError(errno.EPERM, "Another user may have written this file", os.fspath(path))
        result: bytes = file.read()
        return result


def is_own(found: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user, who alone may write it."""
    if not hasattr(os, "geteuid"):  # Windows, where other users cannot write to one's profile
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_WRITE
