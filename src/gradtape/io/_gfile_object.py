"""`tf.io.gfile.GFile`: an open file."""

from __future__ import annotations

import os
from typing import Any

from gradtape.core import errors
from gradtape.core.os_errors import translated, with_errors
from gradtape.core.weak import Closing
from gradtape.io._paths import local

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """A file that is read or written. It is opened when it is first used.

    As in TensorFlow, reading and writing have places of their own: reading begins at the start, and the first `write` makes the file
    anew, in the mode "r+" too, or goes on at its end in the modes "a" and "a+". Call `flush` to read what was written.

    Args:
      name: the path.
      mode: "r", "w", "a", "r+", "w+" or "a+"; with "b" it gives and takes bytes instead of text.
      encoding: of the text.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.txt"
    >>> with tf.io.gfile.GFile(path, "w") as file:
    ...     file.write("one\\ntwo\\n")
    >>> with tf.io.gfile.GFile(path) as file:
    ...     [line for line in file]
    ['one\\n', 'two\\n']
    """

    def __init__(self, name: Any, mode: str = "r", encoding: str = "utf-8") -> None:
        self._encoding = encoding
        self._path, self._name, self._mode = local("GFile", name), name, mode
        self._binary = "b" in mode
        self._plain = mode.replace("b", "")
        if self._plain not in _MODES:
            raise errors.build(
                errors.InvalidArgumentError,
                f"GFile: mode is {mode!r}; it is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'",
                'add "b" for bytes.',
            )
        self._reader: Any = None
        self._is_changed = False
        self._writer: Any = None

    @property
    def name(self) -> Any:
        """The path that was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode that was given."""
        return self._mode

    def _opened(self, mode: str) -> tuple[Any, Closing]:
        try:
            file = open(self._path, mode)  # noqa: SIM115 - closed by `close`
        except OSError as problem:
            raise translated(problem) from None
        return file, Closing(file)

    def _refused(self, use: str) -> Exception:
        what = f"File isn't open for {use}: {self._path}"
        return errors.build(errors.PermissionDeniedError, what, f"its mode is {self._mode!r}.")

    def _reading(self) -> Any:
        """The file to read, open; an error if its mode does not allow that."""
        if self._plain in ("w", "a"):
            raise self._refused("reading")
        if self._reader is None:
            self._reader, self._closing_reader = self._opened("rb")
        elif self._is_changed:  # its buffer may hold what was there before
            place = self._reader.tell()
            self._reader.close()
            self._reader, self._closing_reader = self._opened("rb")
            self._reader.seek(place)
        self._is_changed = False
        return self._reader

    def _writing(self) -> Any:
        """The file to write, open; an error if its mode does not allow that."""
        if self._plain == "r":
            raise self._refused("writing")
        if self._writer is None:
            self._writer, self._closing_writer = self._opened("ab" if self._plain.startswith("a") else "wb")
        return self._writer

    def _given(self, data: bytes) -> Any:
        return data if self._binary else data.decode(self._encoding)

    def size(self) -> int:
        """The number of bytes in the file."""
        self.flush()
        try:
            return os.stat(self._path).st_size
        except OSError as problem:
            raise translated(problem) from None

    @with_errors
    def write(self, file_content: Any) -> None:
        """Write text or bytes at the current position."""
        data = file_content.encode(self._encoding) if isinstance(file_content, str) else file_content
        self._writing().write(data)
        self._is_changed = True

    @with_errors
    def read(self, n: int = -1) -> Any:
        """The next bytes as text (of `n` bytes) or bytes; all that is left if `n` is -1."""
        file = self._reading()
        if n < -1:
            what = f"GFile.read: Can't read a negative number of bytes: {n}."
            raise errors.build(errors.InvalidArgumentError, what, "leave it out to read all that is left.")
        return self._given(file.read(n))

    @with_errors
    def readline(self) -> Any:
        """The next line with its end; nothing at the end of the file."""
        return self._given(self._reading().readline())

    @with_errors
    def readlines(self) -> list[Any]:
        """The remaining lines."""
        return [self._given(line) for line in self._reading().readlines()]

    @with_errors
    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Move to a position, relative to the start (whence 0), the current position (1) or the end (2).

        Args:
          offset: the place.
          whence: what it counts from.
          position: an older name of `offset`.
        """
        if offset is not None and position is not None:
            what = "GFile.seek: offset and position may not be set simultaneously."
            raise TypeError(errors.compose(what, "give offset alone."))
        place = position if offset is None else offset
        if place is None:
            raise TypeError(errors.compose("GFile.seek: offset is missing.", "give a number of bytes."))
        if whence not in (0, 1, 2):
            raise errors.build(
                errors.InvalidArgumentError,
                f"GFile.seek: whence must be 0, 1 or 2, got {whence}.",
                "0 is the start, 1 the current position, 2 the end.",
            )
        self._reading().seek(place, whence)

    @with_errors
    def tell(self) -> int:
        """The current position, in bytes from the start."""
        file = self._writing() if self._plain in ("w", "a") else self._reading()
        return int(file.tell())

    def seekable(self) -> bool:
        """True."""
        return True

    @with_errors
    def flush(self) -> None:
        """Flush buffered writes to the operating system."""
        if self._writer is not None:
            self._writer.flush()
            self._is_changed = True

    @with_errors
    def close(self) -> None:
        """Close the file; it is opened again if it is used again."""
        files = self._reader, self._writer
        self._reader = self._writer = None
        for file in files:
            if file is not None:
                file.close()

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def __iter__(self) -> GFile:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__
