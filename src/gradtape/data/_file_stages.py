"""Elements from files: TFRecord, lines of text, records of one length, lists of files."""

from __future__ import annotations

import glob
import gzip
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.core.weak import Closing
from gradtape.data import _threads as threads
from gradtape.data._failure import Failure
from gradtape.data._stage import UNKNOWN, Stage, known_spec, positive
from gradtape.io import _tfrecord as tfrecord
from gradtape.io._compressed import opened
from gradtape.ops.family import boxed

# The number of elements that a thread reads ahead from each file, if several files are read in parallel.
_AHEAD = 64


def string(value: bytes) -> Tensor:
    """A string tensor of rank 0."""
    return wrap(boxed(value))


class Files(Stage):
    """The records of several files, one file after another, or several files in turn.

    Args:
      names: a path, a list of paths, a string tensor, or the stage of a dataset of paths.
      read: a function that gives the items of bytes in a file.
      parallel: how many files are read at the same time, by threads; one after the other by default.
    """

    def __init__(self, names: Any, read: Callable[[str], Iterator[bytes]], parallel: Any = None) -> None:
        self._names, self._read = checked_names(names), read
        self._parallel = None if parallel is None else threads.workers(_readers(parallel))
        if isinstance(names, Stage):
            self.inputs = (names,)

    def elements(self) -> Iterator[Any]:
        return (item if type(item) is Failure else string(item) for item in self._items())

    def _items(self) -> Iterator[Any]:
        if self._parallel is None or self._parallel < 2:
            for name in paths(self._names):
                yield from _sound(name, self._read(name))
            return
        names = paths(self._names)
        running: list[Iterator[Any]] = []
        while True:
            while len(running) < self._parallel and (path := next(names, None)) is not None:
                running.append(threads.background(_sound(path, self._read(path)), _AHEAD))
            if not running:
                return
            for reader in list(running):
                item = next(reader, None)
                if item is None:
                    running.remove(reader)
                else:
                    yield item

    def cardinality(self) -> int:
        return UNKNOWN

    def spec(self) -> Any:
        return TensorSpec([], dtypes.string)


def _readers(wanted: Any) -> int:
    """`num_parallel_reads`, checked."""
    number = positive("files", "num_parallel_reads", wanted, threads.AUTOTUNE)
    return number if number == threads.AUTOTUNE else positive("files", "num_parallel_reads", number)


def _sound(path: str, items: Iterator[bytes]) -> Iterator[Any]:
    """The items of a file, followed by a failure if the rest cannot be read."""
    try:
        yield from items
    except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
        yield Failure(errors.build(errors.DataLossError, f"{path}: {problem}", "check compression_type, or the file."))
    except Exception as problem:
        yield Failure(problem)


def checked_names(names: Any) -> Any:
    """The names of files: a stage, or a tensor of strings."""
    if names is None:
        raise ValueError(errors.compose("filenames must not be None.", "give paths."))
    if not isinstance(names, Stage):
        found = convert.convert_to_tensor(_plain(names))
        _check(found.dtype, found.shape.num_elements() == 0, f"Got `tf.{found.dtype.name}` elements")
        return found
    spec = known_spec(names)
    if spec is not None:
        dtype = getattr(spec, "dtype", None)
        _check(dtype, False, f"Got a dataset of `tf.{getattr(dtype, 'name', spec)}` elements")
        is_single = isinstance(spec, TensorSpec) and spec.shape.is_compatible_with([])
        _check(dtype if is_single else None, False, f"Got {spec!r}", " of shape [] (i.e. scalars)")
    return names


def _check(dtype: Any, is_empty: bool, shown: str, more: str = "") -> None:
    if dtype is not dtypes.string and not is_empty:  # an empty list could be anything
        what = f"The `filenames` argument must contain `tf.string` elements{more}. {shown}."
        raise TypeError(errors.compose(what, "give paths, or a dataset of paths."))


def paths(names: Any) -> Iterator[str]:
    """The paths of files as strings."""
    if isinstance(names, Stage):
        for element in names.values():
            yield from _texts(element)
    else:
        yield from _texts(names)


def _plain(names: Any) -> Any:
    """Paths of `pathlib` as strings."""
    if isinstance(names, (list, tuple)):
        return [_plain(name) for name in names]
    return names.__fspath__() if hasattr(names, "__fspath__") else names


def _texts(tensor: Tensor) -> list[str]:
    _check(tensor.dtype, tensor.shape.num_elements() == 0, tensor.dtype.name)
    return [name.decode() for name in np.asarray(host(tensor._array)).ravel()]


def tf_records(kind: str) -> Callable[[str], Iterator[bytes]]:
    """A reader of TFRecord files."""
    return lambda path: tfrecord.read_records(path, kind)


def lines(kind: str) -> Callable[[str], Iterator[bytes]]:
    """A reader of lines, without their ends."""

    def read(path: str) -> Iterator[bytes]:
        held = Closing(opened(path, kind))
        for line in held.file:
            yield line.removesuffix(b"\n").replace(b"\r", b"")  # as TensorFlow, which skips every carriage return

    return read


def fixed(size: int, header: int, footer: int, kind: str) -> Callable[[str], Iterator[bytes]]:
    """A reader of records of equal length."""

    def read(path: str) -> Iterator[bytes]:
        with opened(path, kind) as file:
            data = file.read()
        body = len(data) - header - footer
        if body < 0 or body % size:
            raise errors.build(
                errors.InvalidArgumentError,
                f'FixedLengthRecordDataset: Excluding the header ({header} bytes) and footer ({footer} bytes), input file "{path}" has body '
                f"length {body} bytes, which is not an exact multiple of the record length ({size} bytes).",
                "check record_bytes, header_bytes and footer_bytes.",
            )
        for start in range(header, header + body, size):
            yield data[start : start + size]

    return read


def matching(patterns: Any) -> list[str]:
    """The sorted files that match one or several patterns; a file that matches several is repeated. An error if none match."""
    wanted = _texts(convert.convert_to_tensor(_plain(patterns)))
    found = sorted([path for pattern in wanted for path in glob.glob(pattern)])
    if not found:
        raise errors.build(
            errors.InvalidArgumentError,
            f"list_files: No files matched pattern: {', '.join(wanted)}.",
            "check the pattern.",
        )
    return found
