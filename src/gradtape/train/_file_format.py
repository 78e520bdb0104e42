"""The file of a checkpoint: arrays under names, and a description in JSON.

    22 bytes   the text "gradtape checkpoint 1" and a newline
     8 bytes   the length of the header (unsigned, little endian, as all numbers)
     4 bytes   the header's CRC-32
     header    JSON: {"size": of the whole file, "arrays": {name: {"dtype", "shape", "offset", "bytes", "crc32"}},
               "content": what the writer says of them}
     arrays    in C order, each at a multiple of 64 bytes; strings as their lengths (8 bytes each) and then their bytes

A file appears under its name when it is complete and on the disk: until then a file that was there before stays. What
was cut off, changed or written by another program is told from a checkpoint by the header and the checksums. Nothing in
a file is executed.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import math
import os
import struct
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradtape.api.array_op import objects
from gradtape.core import atomic_file, dtypes, errors, locks, os_errors
from gradtape.core.plain_file import open_plain
from gradtape.core.weak import Closing

_MAGIC = b"gradtape checkpoint 1\n"
_FRONT = struct.Struct("<QI")
_ALIGNMENT = 64
_MOST_DIMS = 64


def write(path: Path, arrays: Mapping[str, Any], content: Any) -> None:
    """Write arrays and a description; the file is replaced as a whole."""
    stored = {name: _bytes_of(array) for name, array in arrays.items()}
    entries: dict[str, Any] = {}
    for name, array in arrays.items():
        entries[name] = {
            "dtype": dtypes.as_dtype(array.dtype).name,
            "shape": list(array.shape),
            "offset": 0,
            "bytes": stored[name].nbytes,
            "crc32": zlib.crc32(stored[name]),
        }
    front, size = _header(entries, content)
    with replacing(path) as file:
        file.write(front)
        for name, entry in entries.items():
            file.write(bytes(entry["offset"] - file.tell()))
            file.write(stored[name])
        assert file.tell() == size


def _header(entries: dict[str, Any], content: Any) -> tuple[bytes, int]:
    """Everything before the arrays, with their offsets, and the size of the file.

    The offsets depend on the header's length and are part of it: the length is found by trying until it stays.
    """
    length, size = 0, 0
    while True:
        size = len(_MAGIC) + _FRONT.size + length
        for entry in entries.values():
            entry["offset"] = -(-size // _ALIGNMENT) * _ALIGNMENT
            size = entry["offset"] + entry["bytes"]
        text = json.dumps({"size": size, "arrays": entries, "content": content}).encode().ljust(length)
        if len(text) == length:
            return _MAGIC + _FRONT.pack(length, zlib.crc32(text)) + text, size
        length = len(text)


def replacing(path: Path) -> contextlib.AbstractContextManager[Any]:
    """A file to write, which takes the place of `path`, and is on the disk, when the block ends without an error."""
    return atomic_file.replacing(path, folders=True, durable=True)


def _bytes_of(array: Any) -> memoryview:
    """The bytes of an array as the file holds them."""
    if array.dtype.kind in "OSU":
        texts = [t.encode() if isinstance(t, str) else bytes(t) for t in array.reshape(-1).tolist()]
        return memoryview(np.array([len(t) for t in texts], "<u8").tobytes() + b"".join(texts))
    array = np.ascontiguousarray(array)
    if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and sys.byteorder == "big"):
        array = array.byteswap()
    return memoryview(array.reshape(-1).view(np.uint8))


class Reader:
    """The arrays of a file, read when asked for. The file stays open: it can be read to the end although it is replaced.

    Attributes:
      content: what the writer said of the arrays.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = open_plain(path)
        except (FileNotFoundError, NotADirectoryError):
            raise errors.build(
                errors.NotFoundError,
                f"Error when restoring from checkpoint or SavedModel at {str(path.with_suffix(''))!r}: there is no checkpoint, "
                f"the file would be {path.name}.",
                "check the path, and whether a number such as the '-1' of 'ckpt-1' is missing; "
                "tf.train.latest_checkpoint(folder) gives the latest.",
            ) from None
        except OSError as problem:
            raise os_errors.translated(problem) from None
        self._closing = Closing(self._file)
        self._lock = locks.lock("checkpoint file")
        header = self._header()
        self._entries: dict[str, Any] = header["arrays"]
        self.content: Any = header["content"]

    def _header(self) -> Any:
        start = self._file.read(len(_MAGIC) + _FRONT.size)
        if not start.startswith(_MAGIC):
            if _MAGIC.startswith(start[: len(_MAGIC)]):
                raise self._problem("is cut off")
            if start.startswith(_MAGIC.rpartition(b" ")[0]):
                raise self._problem("has a newer format", "read it with the version of gradtape that wrote it.")
            raise self._problem(
                "is not a checkpoint of gradtape",
                "TensorFlow's own checkpoints cannot be read: load them there, and save the values as .npz.",
            )
        actual = os.fstat(self._file.fileno()).st_size
        if len(start) < len(_MAGIC) + _FRONT.size:
            raise self._problem("is cut off")
        length, checksum = _FRONT.unpack_from(start, len(_MAGIC))
        if len(start) + length > actual:
            raise self._problem("is cut off")
        text = self._read(len(start), length)
        if zlib.crc32(text) != checksum:
            raise self._problem("is damaged: the checksum of its header is wrong")
        header = self._checked(bytes(text), actual)
        if header["size"] != actual:
            what = "is cut off" if actual < header["size"] else "is damaged"
            raise self._problem(f"{what}: it has {actual} bytes of {header['size']}")
        return header

    def _checked(self, text: bytes, actual: int) -> Any:
        """The header, if it says what headers say, and nothing that the bytes of the file do not support."""
        try:
            header = json.loads(text)
            if type(header["size"]) is not int or "content" not in header:
                raise ValueError("parts are missing")
            for name, entry in header["arrays"].items():
                dtype, shape = dtypes.as_dtype(entry["dtype"]), entry["shape"]
                numbers = [entry["offset"], entry["bytes"], entry["crc32"], *shape]
                if not all(type(n) is int and n >= 0 for n in numbers):
                    raise ValueError(f"the sizes of {name!r} are no numbers")
                least = 8 if dtype.name == "string" else dtype.size
                is_exact = dtype.name == "string" or entry["bytes"] == least * math.prod(shape)
                if not is_exact or least * math.prod(shape) > entry["bytes"] or len(shape) > _MOST_DIMS:
                    raise ValueError(f"{name!r} of shape {shape} cannot have {entry['bytes']} bytes")
                if header["size"] == actual and entry["offset"] + entry["bytes"] > actual:
                    raise ValueError(f"{name!r} lies behind the end")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
            raise self._problem(f"is damaged: its header is wrong ({problem})") from None
        return header

    def _problem(self, what: str, fix: str = "") -> Exception:
        fix = fix or "restore an earlier checkpoint; files that gradtape writes are complete when they appear."
        return errors.build(errors.DataLossError, f"{self._path} {what}.", fix)

    def renamed(self, names: Mapping[str, str], content: Any) -> Reader:
        """A reader of some of the arrays, under other names: `names` has theirs here by the new ones."""
        made = copy.copy(self)
        made._entries = {new: self._entries[own] for new, own in names.items()}
        made.content = content
        return made

    def objects(self) -> list[Any]:
        """What the file says of the objects that were saved: `{"parts": {name: number}, "value": name of an array}` each."""
        nodes = self.content.get("objects") if isinstance(self.content, dict) else None
        if not isinstance(nodes, list) or not nodes or not all(self._is_object(node, len(nodes)) for node in nodes):
            raise self._problem("is damaged: it does not describe objects")
        return nodes

    def _is_object(self, node: Any, count: int) -> bool:
        if not isinstance(node, dict) or not isinstance(node.get("parts"), dict):
            return False
        is_known = "value" not in node or (isinstance(node["value"], str) and node["value"] in self)
        return is_known and all(type(part) is int and 0 <= part < count for part in node["parts"].values())

    def names(self) -> list[str]:
        """The names of the arrays, sorted."""
        return sorted(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def shape(self, name: str) -> list[int]:
        """The shape of an array."""
        return list(self._entries[name]["shape"])

    def dtype(self, name: str) -> dtypes.DType:
        """The dtype of an array."""
        return dtypes.as_dtype(self._entries[name]["dtype"])

    def array(self, name: str) -> Any:
        """An array; DataLossError if it is not as it was written."""
        entry = self._entries[name]
        data = self._read(entry["offset"], entry["bytes"])
        if zlib.crc32(data) != entry["crc32"]:
            raise self._problem(f"is damaged: the checksum of {name!r} is wrong")
        shape, dtype = tuple(entry["shape"]), self.dtype(name)
        if dtype.name == "string":
            try:
                return _strings(bytes(data), shape)
            except ValueError as problem:
                raise self._problem(f"is damaged: {name!r}: {problem}") from None
        array = data.view(dtype.numpy).reshape(shape)
        return array if sys.byteorder == "little" else array.byteswap()

    def _read(self, offset: int, count: int) -> Any:
        data: Any = np.empty(count, np.uint8)
        view = memoryview(data)
        with self._lock:
            self._file.seek(offset)
            while len(view):
                done = self._file.readinto(view)
                if not done:
                    raise self._problem("is cut off")
                view = view[done:]
        return data


def _strings(data: bytes, shape: tuple[int, ...]) -> Any:
    """An array of strings from their lengths and their bytes."""
    count = math.prod(shape)
    lengths = np.frombuffer(data, "<u8", count).tolist()
    if sum(lengths) != len(data) - 8 * count:
        raise ValueError("the lengths of the strings do not fit")
    ends = itertools.accumulate(lengths, initial=8 * count)
    return objects([data[a:b] for a, b in itertools.pairwise(ends)], shape)
