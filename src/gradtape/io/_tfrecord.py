"""TFRecord files: records of bytes with checksums.

A record is its length (uint64, little endian), the masked CRC-32C of these eight bytes, the data, and the masked CRC-32C
of the data.
"""

from __future__ import annotations

import functools
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.os_errors import with_errors
from gradtape.core.weak import Closing
from gradtape.io._compressed import opened
from gradtape.io._paths import local

_POLYNOMIAL = 0x82F63B78  # Castagnoli's, reflected
_ALL = 0xFFFFFFFF
# Up to so many bytes a loop in Python is quicker than calls of NumPy.
_SHORT = 512
# Of a larger record so many bytes are read at a time.
_AT_ONCE = 1 << 24


def _byte_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _byte_table()


@functools.cache
def _shift(level: int) -> Any:
    """Tables that move a remainder past 4 * 2**level zero bytes: one for each of its bytes."""
    if level:
        before = _shift(level - 1)
        return _moved(before, before.astype(np.uint32))
    tables = np.zeros((4, 256), np.uint32)
    for place in range(4):
        for value in range(256):
            crc = value << 8 * place
            for _ in range(4):
                crc = _TABLE[crc & 255] ^ crc >> 8
            tables[place, value] = crc
    return tables


def _moved(tables: Any, words: Any) -> Any:
    return tables[0][words & 255] ^ tables[1][words >> 8 & 255] ^ tables[2][words >> 16 & 255] ^ tables[3][words >> 24]


def crc32c(data: bytes) -> int:
    """The CRC-32C of bytes.

    The remainder is linear in the data, so neighbouring words are joined in pairs, pairs of pairs, and so on, all of one
    level at once.
    """
    if len(data) <= _SHORT:
        crc = _ALL
        for byte in data:
            crc = _TABLE[(crc ^ byte) & 255] ^ crc >> 8
        return crc ^ _ALL
    # Zeros in front change nothing; the initial remainder meets the first four bytes of data.
    count = 1 << (-(-len(data) // 4) - 1).bit_length()
    padded = np.zeros(4 * count, np.uint8)
    start = padded.size - len(data)
    padded[start:] = np.frombuffer(data, np.uint8)
    padded[start : start + 4] ^= 255
    words = padded.view("<u4").astype(np.uint32)
    level = 0
    while words.size > 1:
        words = _moved(_shift(level), words[::2]) ^ words[1::2]
        level += 1
    return int(_moved(_shift(0), words)[0]) ^ _ALL


def masked(data: bytes) -> int:
    """The checksum in the form that the format stores: rotated and offset, so that checksums of checksums are harmless."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & _ALL


class TFRecordWriter:
    """Writes records to a file.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> [x.numpy() for x in tf.data.TFRecordDataset(path)]
    [b'one', b'two']

    Args:
      path: the file, which is overwritten.
      options: "", "GZIP", "ZLIB", or an object with such a `compression_type`.
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        kind = compression("TFRecordWriter", getattr(options, "compression_type", options))
        self._file: Any = _created(local("TFRecordWriter", path))
        self._packed: Any = None
        if kind:
            self._packed = zlib.compressobj(-1, zlib.DEFLATED, 31 if kind == "GZIP" else 15)

    @with_errors
    def write(self, record: Any) -> None:
        """Write one record, of bytes, text or a string tensor."""
        data = record.numpy() if hasattr(record, "numpy") else record
        data = data.encode() if isinstance(data, str) else data
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(
                errors.compose(
                    f"TFRecordWriter.write: a record must be bytes, got {errors.brief(record) or type(record).__name__}.",
                    "writer.write(example.SerializeToString()), for a tf.train.Example.",
                )
            )
        data = bytes(data)
        length = struct.pack("<Q", len(data))
        self._put(b"".join([length, struct.pack("<I", masked(length)), data, struct.pack("<I", masked(data))]))

    def _put(self, data: bytes) -> None:
        self._file.write(data if self._packed is None else self._packed.compress(data))

    @with_errors
    def flush(self) -> None:
        """Write buffered records to the file."""
        if self._packed is not None:
            self._file.write(self._packed.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    @with_errors
    def close(self) -> None:
        """Complete the file."""
        if not self._file.closed:
            with self._file:
                if self._packed is not None:
                    self._file.write(self._packed.flush())

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


@with_errors
def _created(path: str) -> Any:
    return open(path, "wb")


class TFRecordOptions:
    """Options of a writer.

    Args:
      compression_type: "", "GZIP" or "ZLIB".
      others: accepted and ignored.
    """

    def __init__(self, compression_type: Any = None, **others: Any) -> None:
        self.compression_type = compression("TFRecordOptions", compression_type)


def compression(who: str, kind: Any) -> str:
    """The name of a compression, "" for none."""
    kind = kind.numpy().decode() if hasattr(kind, "numpy") else kind
    if kind not in (None, "", "GZIP", "ZLIB"):
        raise ValueError(
            errors.compose(
                f'{who}: compression_type must be "GZIP", "ZLIB" or "", got {kind!r}.',
                'use "GZIP", "ZLIB" or "" for none.',
            )
        )
    return kind or ""


def read_records(path: str, kind: str = "", plain: bool = False) -> Iterator[bytes]:
    """The records of a file; DataLossError if it is damaged or truncated. With `plain`, a pipe in its place is refused."""
    held = Closing(opened(path, kind, plain))
    file, place = held.file, 0
    while head := file.read(12):
        if len(head) < 12 or masked(head[:8]) != struct.unpack("<I", head[8:])[0]:
            raise _damaged(path, place, "the length of a record" if len(head) == 12 else "the end")
        size = struct.unpack("<Q", head[:8])[0]
        body = _read(file, size + 4)
        data = body[:size]
        if len(body) < size + 4 or masked(data) != struct.unpack("<I", body[size:])[0]:
            raise _damaged(path, place, "a record" if len(body) == size + 4 else "the end")
        yield data
        place += 16 + size


def _read(file: Any, count: int) -> bytes:
    """So many bytes, or as many as there are: a record that claims to be enormous takes no memory for it."""
    if count <= _AT_ONCE:
        result: bytes = file.read(count)
        return result
    parts = []
    while count and (part := file.read(min(count, _AT_ONCE))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _damaged(path: str, place: int, what: str) -> Exception:
    state = "truncated" if what == "the end" else "corrupted"
    return errors.build(
        errors.DataLossError,
        f"{state} record at {place} in {path}: the checksum or size of {what} is wrong.",
        "the file is damaged, incomplete, not a TFRecord file, or compressed: see compression_type.",
    )
