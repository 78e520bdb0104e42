"""Files that appear under their name when they are complete.

A file is written beside its place, as `.<name>.gradtape-<thread>-<process>`, and takes the place in one step: a reader never sees a part
of it, and a full disk or an exception leaves what was there before. A process that is killed leaves its part behind; the next one
that writes into the folder removes it, unless it is locked by the process that writes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import threading
import time
from collections.abc import Iterator
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PART = re.compile(r"\..*\.gradtape-\d+-(\d+)(?P<suffix>\..*)?", re.DOTALL)
_LONGEST = 150  # bytes of a name that the part's name repeats
# Looking through a folder of many files at each of many writes would take most of the time.
_MANY, _PAUSE = 1000, 60.0
_swept: dict[str, float] = {}
_live: set[str] = set()  # the parts that this process is writing


@contextlib.contextmanager
def replacing(
    path: str | os.PathLike[str], folders: bool = False, durable: bool = False, is_private: bool = False
) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of `path` when the block ends without an exception.

    Args:
      path: a pipe or device is written to as it is.
      folders: whether missing folders are made.
      durable: whether the file is on the disk when the block ends, and lasts through a power cut.
      is_private: whether only this user may read and write the file.
    """
    if not os.path.isdir(path) and os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as device:
            yield device
        return
    with beside(path, folders, is_private=is_private) as part, open(part, "wb") as file:
        yield file
        file.flush()
        if durable:
            os.fsync(file.fileno())
    if durable:
        _sync_folder(os.path.dirname(os.path.realpath(path)))


@contextlib.contextmanager
def beside(
    path: str | os.PathLike[str], folders: bool = False, suffix: str = "", is_private: bool = False
) -> Iterator[str]:
    """The path of an empty file, which takes the place of `path` when the block ends without an exception.

    Args:
      path: the place; a link stays, and what it leads to is replaced.
      folders: whether missing folders are made.
      suffix: the end of the name of the part, for writers that go by it.
      is_private: whether only this user may read and write the file, from the first moment on.
    """
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    if folders:
        make_folder(folder)
    sweep(folder)
    short = os.fsdecode(os.fsencode(name)[:_LONGEST])
    part = os.path.join(folder, f".{short}.gradtape-{threading.get_ident()}-{os.getpid()}{suffix}")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(part)
    _live.add(part)
    try:
        handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600 if is_private else _mode(target))
        try:
            if not suffix:  # other libraries have locks of their own
                _lock(handle)
            yield part
        finally:
            os.close(handle)
        os.replace(part, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise
    finally:
        _live.discard(part)


def make_folder(folder: str | os.PathLike[str]) -> None:
    """Make a folder and those around it; NotADirectoryError if a file is in its place."""
    try:
        os.makedirs(folder or ".", exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(folder)) from None


def _mode(target: str) -> int:
    """The permissions of a file that is replaced; of a new one those that the umask leaves."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except OSError:
        return 0o666


def _lock(handle: int) -> bool:
    """True if a part was not locked; it is then until it is closed."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        return problem.errno not in (errno.EWOULDBLOCK, errno.EACCES)  # a file system may have no locks
    return True


def sweep(folder: str) -> None:
    """Remove the parts that killed processes left in a folder."""
    now = time.monotonic()
    if now < _swept.get(folder, 0.0):
        return
    count = 0
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            count += 1
            if ".gradtape-" in entry.name and (found := _PART.fullmatch(entry.name)):
                _remove_if_left(entry, int(found[1]), has_lock=fcntl is not None and found["suffix"] is None)
    if count > _MANY:
        if len(_swept) > _MANY:
            _swept.clear()
        _swept[folder] = now + _PAUSE


def _remove_if_left(entry: os.DirEntry[str], process: int, has_lock: bool) -> None:
    if entry.path in _live or not entry.is_file(follow_symlinks=False):
        return
    with contextlib.suppress(OSError):
        # Numbers of processes come again, and mean others in another container: in the end the lock decides. A part is locked
        # a moment after it was made.
        is_new = time.time() - entry.stat().st_mtime < _PAUSE
        if (is_new or not has_lock) and process != os.getpid() and is_running(process):
            return
        handle = os.open(entry.path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            is_left = _lock(handle)
        finally:
            os.close(handle)
        if is_left:
            os.unlink(entry.path)


def is_running(process: int) -> bool:
    """True if there is a process with a number, as far as the system tells."""
    if os.name != "posix":
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _sync_folder(folder: str) -> None:
    """Make a new name last through a power cut, where the system can."""
    if os.name != "posix":
        return
    handle: Any = os.open(folder or ".", os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
