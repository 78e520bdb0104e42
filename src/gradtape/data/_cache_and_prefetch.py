"""Elements that are kept: cache in memory or in files, prefetch, save and load.

A file holds records of the TFRecord format: first the structure of the elements as JSON, then for each element and each of
its tensors one record, a line of JSON with dtype and shape followed by the bytes. It gets its name when it is complete.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, nest
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.data import _structure as structure, _threads as threads
from gradtape.data._stage import UNKNOWN, Chosen, Rows, Stage, positive
from gradtape.io._tfrecord import TFRecordWriter, read_records

# How many elements AUTOTUNE makes ahead.
_AHEAD = 4


class Cache(Chosen):
    """Elements that are kept in memory once they have all been there."""

    def __init__(self, source: Stage) -> None:
        super().__init__(source)
        self._kept: list[Any] | None = None

    def _through(self, items: Any) -> Iterator[Any]:
        if self._kept is not None:
            yield from self._kept
            return
        kept = []
        for item in items():
            kept.append(item)
            yield item
        self._kept = kept

    def elements(self) -> Iterator[Any]:
        return super().elements() if self.table() is not None else self._through(self.inputs[0].elements)

    def rows(self) -> Iterator[Rows]:
        return self._through(self.inputs[0].rows)


class FileCache(Chosen):
    """Elements that are kept in a file once they have all been there."""

    def __init__(self, source: Stage, path: str) -> None:
        super().__init__(source)
        self._path = path

    def table(self) -> None:
        return None

    def elements(self) -> Iterator[Any]:
        if os.path.exists(self._path):
            yield from read_elements(self._path, self.inputs[0].spec)
            return
        yield from write_elements(self._path, self.inputs[0].elements())


class Saved(Stage):
    """The elements of a file."""

    def __init__(self, path: str, spec: Any = None) -> None:
        self._path, self._spec = path, spec
        if not os.path.exists(path):
            raise errors.build(errors.NotFoundError, f"load: {path} is not there.", "save a dataset there first.")

    def elements(self) -> Iterator[Any]:
        return read_elements(self._path, self.spec)

    def cardinality(self) -> int:
        return UNKNOWN

    def spec(self) -> Any:
        if self._spec is None:
            for value in read_elements(self._path, tuple):
                self._spec = structure.spec(value)
                break
        return self._spec


class Prefetch(Chosen):
    """Elements that a thread makes ahead."""

    def __init__(self, source: Stage, size: Any) -> None:
        super().__init__(source)
        self._size = positive("prefetch", "buffer_size", size, -1)

    def elements(self) -> Iterator[Any]:
        size = _AHEAD if self._size < 0 else self._size
        source = self.inputs[0].elements()
        return threads.background(source, size, not self.runs_functions()) if size else source

    def rows(self) -> Iterator[Rows]:
        # Whoever reads rows gathers them itself, and there is nothing to make ahead.
        return self.inputs[0].rows()


def write_elements(path: str, elements: Iterator[Any]) -> Iterator[Any]:
    """The elements, which are written to a file on the way. The file is there when all of them came."""
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    partial = f"{path}.{os.getpid()}.partial"
    is_first = True
    try:
        with TFRecordWriter(partial) as writer:
            for value in elements:
                if is_first:
                    writer.write(json.dumps(_form(value)).encode())
                    is_first = False
                for leaf in nest.flatten(value):
                    writer.write(_bytes(leaf))
                yield value
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def read_elements(path: str, spec: Any) -> Iterator[Any]:
    """The elements of a file. `spec()` gives their structure where it has named tuples."""
    records = read_records(path)
    first = next(records, None)
    if first is None:
        return
    form = json.loads(first)
    pattern = spec() if _has_names(form) else _pattern(form)
    if not nest.is_nested(pattern):
        pattern = 0
    count = len(nest.flatten(pattern))
    leaves = []
    for record in records:
        leaves.append(_tensor(record))
        if len(leaves) == count:
            yield nest.pack_sequence_as(pattern, leaves)
            leaves = []


def _form(value: Any) -> Any:
    """The structure of an element as JSON."""
    if isinstance(value, tuple):
        kind = "named" if hasattr(value, "_fields") else "tuple"
        return {"kind": kind, "items": [_form(item) for item in value]}
    if isinstance(value, dict):
        return {"kind": "dict", "keys": list(value), "items": [_form(item) for item in value.values()]}
    if not isinstance(value, Tensor):
        raise TypeError(
            errors.compose(f"cache: {value!r} cannot be kept in a file.", "let elements hold tensors only.")
        )
    return {"kind": "tensor"}


def _has_names(form: Any) -> bool:
    return form["kind"] == "named" or any(_has_names(item) for item in form.get("items", ()))


def _pattern(form: Any) -> Any:
    items = [_pattern(item) for item in form.get("items", ())]
    if form["kind"] == "dict":
        return dict(zip(form["keys"], items, strict=True))
    return tuple(items) if form["kind"] == "tuple" else 0


def _bytes(leaf: Any) -> bytes:
    array = np.asarray(host(leaf._array))
    head: dict[str, Any] = {"dtype": leaf.dtype.name, "shape": array.shape}
    if leaf.dtype is dtypes.string:
        parts = array.ravel().tolist()
        head["sizes"] = [len(part) for part in parts]
        data = b"".join(parts)
    else:
        data = array.tobytes()
    return json.dumps(head).encode() + b"\n" + data


def _tensor(record: bytes) -> Tensor:
    line, _, data = record.partition(b"\n")
    head = json.loads(line)
    dtype, shape = dtypes.as_dtype(head["dtype"]), tuple(head["shape"])
    if dtype is dtypes.string:
        array = np.empty(math.prod(shape), object)
        ends = np.cumsum([0, *head["sizes"]]).tolist()
        array[:] = [data[a:b] for a, b in pairwise(ends)]
        return wrap(array.reshape(shape))
    array = np.frombuffer(data, dtype.numpy).reshape(shape)
    return wrap(array.copy() if shape else array[()])
