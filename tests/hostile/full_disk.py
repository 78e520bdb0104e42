"""A disk that fails: at the n-th call that writes, or beyond a number of bytes of a file."""

from __future__ import annotations

import builtins
import contextlib
import errno
import gc
import io
import os
import resource
from collections.abc import Iterator
from typing import Any


class FailingDisk:
    """Raises an OSError at the n-th call that changes the disk.

    Args:
      at: the number of the call, from 0 on.
      code: what it raises.

    Attributes:
      has_failed: whether so many calls were made.
    """

    def __init__(self, at: int, code: int = errno.ENOSPC) -> None:
        self._left, self._code = at, code
        self.has_failed = False

    def count(self) -> None:
        """One more call."""
        self._left -= 1
        if self._left < 0 and not self.has_failed:
            self.has_failed = True
            raise OSError(self._code, os.strerror(self._code))

    @contextlib.contextmanager
    def instead(self, patch: Any) -> Iterator[FailingDisk]:
        """A block in which files that are opened for writing are on this disk."""
        plain = builtins.open

        def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            if not set(mode) & set("wax+"):
                return plain(file, mode, *args, **kwargs)
            self.count()
            return _Failing(plain(file, mode, *args, **kwargs), self)

        with patch.context() as patched:
            patched.setattr(builtins, "open", opened)
            for name in ("fsync", "replace"):
                patched.setattr(os, name, self._counted(getattr(os, name)))
            yield self

    def _counted(self, function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.count()
            return function(*args, **kwargs)

        return call


class _Failing(io.BufferedIOBase):
    """A file on a disk that fails. What could not be written is lost, and the file is closed all the same."""

    def __init__(self, file: Any, disk: FailingDisk) -> None:
        self._file, self._disk = file, disk

    def write(self, data: Any) -> int:
        self._disk.count()
        return int(self._file.write(data))

    def flush(self) -> None:
        if not self.closed:
            self._disk.count()
            self._file.flush()

    def tell(self) -> int:
        return int(self._file.tell())

    def fileno(self) -> int:
        return int(self._file.fileno())

    def writable(self) -> bool:
        return True

    @property
    def closed(self) -> bool:
        return bool(self._file.closed)

    def close(self) -> None:
        if not self.closed:
            try:
                self._disk.count()
            finally:
                self._file.close()


@contextlib.contextmanager
def limited(size: int) -> Iterator[None]:
    """A block in which no file can grow beyond a number of bytes: what the libraries in C write fails as well."""
    gc.collect()  # files that earlier tests left open are not to be closed in here
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
