"""Files of bytes that may be compressed, to read from."""

from __future__ import annotations

import io
import zlib
from typing import Any

from gradtape.core import errors
from gradtape.core.os_errors import with_errors
from gradtape.core.plain_file import open_plain
from gradtape.core.weak import Closing
from gradtape.io._paths import local

_WINDOWS = {"GZIP": 31, "ZLIB": 15}  # what zlib calls the formats


@with_errors
def opened(path: str, kind: str = "", plain: bool = False) -> Any:
    """A file to read bytes from; DataLossError if compressed bytes are damaged or truncated.

    Args:
      path: the file.
      kind: "", "GZIP" or "ZLIB".
      plain: whether to refuse a pipe or a device in its place.
    """
    place = local("Dataset", path)
    file = io.BufferedReader(open_plain(place)) if plain else open(place, "rb")  # noqa: SIM115 - closed by whoever reads
    return io.BufferedReader(_Inflated(file, path, kind), 1 << 16) if kind else file


class _Inflated(io.RawIOBase):
    """What a compressed file holds. GZIP's may have several members, one after the other."""

    def __init__(self, file: Any, path: str, kind: str) -> None:
        self._held, self._path, self._kind = Closing(file), path, kind
        self._unpack: Any = None
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            packed = self._left or self._held.file.read(1 << 16)
            if not packed:
                if self._unpack is not None:
                    raise self._damaged("it is cut off")
                return 0
            if self._unpack is None:
                self._unpack = zlib.decompressobj(_WINDOWS[self._kind])
            try:
                data = self._unpack.decompress(packed, len(buffer))
            except zlib.error as problem:
                raise self._damaged(str(problem)) from None
            self._left = self._unpack.unconsumed_tail
            if self._unpack.eof:
                self._left, self._unpack = self._unpack.unused_data, None
                if self._kind == "GZIP":
                    self._left = self._left.lstrip(b"\0")  # tapes and some tools fill up the last block
            if data:
                buffer[: len(data)] = data
                return len(data)

    def _damaged(self, why: str) -> Exception:
        return errors.build(
            errors.DataLossError,
            f"{self._path} cannot be read as {self._kind}: {why}.",
            "the file is damaged, incomplete, or compressed in another way: see compression_type.",
        )
