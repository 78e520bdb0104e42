"""Files of elements, for caches, snapshots and saved datasets.

A file holds records of the TFRecord format: first the specs of the elements as JSON, then for each element and each of its
tensors one record, a line of JSON with dtype and shape followed by the bytes. It gets its name when it is complete. One writer
at a time: a lock beside the file, which ends with its process, keeps others away.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape.core import atomic_file, dtypes, errors, nest, os_errors
from gradtape.core.shape import TensorSpec
from gradtape.core.sparse_tensor import SparseTensorSpec
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.data import _composites as composites
from gradtape.data import _structure as structure
from gradtape.data._failure import Failure
from gradtape.data._stage import UNKNOWN
from gradtape.io._tfrecord import TFRecordWriter, read_records

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]


def write_elements(
    path: str, elements: Iterator[Any], spec: Any = None, compression: Any = None, count: int = UNKNOWN
) -> Iterator[Any]:
    """The elements, which are also written to a file. The file exists after the last of them.

    Args:
      path: of the file.
      elements: failures among them are handed on, and not written.
      spec: the structure of their specs; that of the first one by default.
      compression: "GZIP" or "ZLIB".
      count: how many there are, if that is known: the file is then there before the last one is, as nobody may ask for the
        end.
    """
    with (
        os_errors.translating(),
        _lock(path),
        atomic_file.beside(path, folders=True) as part,
        TFRecordWriter(part, compression) as writer,
    ):
        last = yield from _written(writer, elements, spec, count)
    yield from last


def _written(writer: TFRecordWriter, elements: Iterator[Any], spec: Any, count: int) -> Generator[Any, None, list[Any]]:
    """The elements after they were written; the last one, if known to be the last, is returned instead of yielded."""
    number, file = 0, ElementWriter(writer, spec)
    for value in elements:
        if type(value) is Failure:
            yield value
            continue
        file.write(value)
        number += 1
        if number == count:
            return [value]
        yield value
    return []


class ElementWriter:
    """Writes elements to a file, preceded by their specs: the given ones, or those of the first element."""

    def __init__(self, writer: TFRecordWriter, spec: Any = None) -> None:
        self._writer, self._has_specs = writer, spec is not None
        if spec is not None:
            self._write_specs(spec)

    def _write_specs(self, spec: Any) -> None:
        self._writer.write(json.dumps(encode_spec(spec)).encode())

    def write(self, value: Any) -> None:
        """Write an element."""
        if not self._has_specs:
            self._write_specs(structure.spec(value))
            self._has_specs = True
        for leaf in nest.flatten(value, expand_composites=True):
            if leaf is not None:
                self._writer.write(_bytes(leaf))


@contextmanager
def _lock(path: str) -> Iterator[None]:
    """Lock a file against other writers."""
    atomic_file.make_folder(os.path.dirname(path))
    name = f"{path}.lockfile"
    handle = os.open(name, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise errors.build(
                    errors.AlreadyExistsError,
                    f"{path}: another iterator is already writing this file.",
                    "let it finish first, or give each dataset a separate file.",
                ) from None
        try:
            yield
        finally:
            os.remove(name)
    finally:
        os.close(handle)


def read_elements(path: str, spec: Any = None, compression: str = "", promised: Any = None) -> Iterator[Any]:
    """The elements of a file.

    Args:
      path: of the file.
      spec: a function that gives the structure of their specs where the file alone does not: for named tuples.
      compression: "GZIP" or "ZLIB".
      promised: the structure of specs that the elements must have, whatever the file says of theirs.
    """
    records = read_records(path, compression, plain=True)
    first = next(records, None)
    if first is None:
        return
    try:
        form = json.loads(first)
        own = decode_spec(form)
        pattern = promised if promised is not None else spec() if spec is not None and _has_names(form) else own
        parts = composites.components(nest.flatten(own))
        wanted = composites.components(nest.flatten(pattern))
        if len(wanted) != len(parts):
            raise _unexpected(path, f"Number of components mismatch: expected {len(wanted)} but got {len(parts)}.")
        leaves: list[Tensor] = []
        for record in records:
            leaves.append(_tensor(record))
            if len(leaves) == len(parts):
                _check_rows(nest.flatten(own), leaves)
                if promised is not None:
                    _check_promise(path, wanted, leaves)
                yield composites.packed(pattern, leaves)
                leaves = []
        if leaves:
            raise ValueError(f"the last element has {len(leaves)} of {len(parts)} tensors")
    except errors.InvalidArgumentError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as problem:
        raise errors.build(
            errors.DataLossError, f"{path}: the file holds no elements: {problem}", "make it again."
        ) from problem


def _check_promise(path: str, wanted: Sequence[TensorSpec], leaves: Sequence[Tensor]) -> None:
    """Refuse an element that does not match the specs given by the program."""
    for i, (part, leaf) in enumerate(zip(wanted, leaves, strict=True)):
        if leaf.dtype is not part.dtype:
            what = f"Data type mismatch at component {i}: expected {part.dtype.name} but got {leaf.dtype.name}."
            raise _unexpected(path, what)
        if not part.shape.is_compatible_with(leaf.shape):
            what = f"Incompatible shapes at component {i}: expected {part.shape} but got {list(leaf.shape)}."
            raise _unexpected(path, what)


def _unexpected(path: str, what: str) -> Exception:
    return errors.build(
        errors.InvalidArgumentError, f"{path}: {what}", "leave element_spec out, or give that of the saved elements."
    )


def _check_rows(specs: Sequence[Any], leaves: Sequence[Tensor]) -> None:
    """Refuse ragged tensors whose row splits do not divide their values."""
    place = 0
    for spec in specs:
        width = len(composites.components([spec]))
        if getattr(spec, "ragged_rank", 0):
            values, *splits = [np.asarray(host(leaf._array)) for leaf in leaves[place : place + width]]
            count = len(values)
            for level in reversed(splits):
                if not len(level) or level[0] != 0 or level[-1] != count or (np.diff(level) < 0).any():
                    raise ValueError(f"row splits {level.tolist()[:20]} do not divide {count} values")
                count = len(level) - 1
        place += width


def encode_spec(spec: Any) -> Any:
    """A structure of specs as JSON."""
    if isinstance(spec, tuple):
        return {"kind": "named" if hasattr(spec, "_fields") else "tuple", "items": [encode_spec(item) for item in spec]}
    if isinstance(spec, dict):
        return {"kind": "dict", "keys": list(spec), "items": [encode_spec(item) for item in spec.values()]}
    if spec is None:
        return {"kind": "none"}
    shape = None if spec.shape is None or spec.shape.rank is None else spec.shape.as_list()
    if isinstance(spec, TensorSpec):
        return {"kind": "tensor", "dtype": spec.dtype.name, "shape": shape}
    if isinstance(spec, SparseTensorSpec):
        return {"kind": "sparse", "dtype": spec.dtype.name, "shape": shape}
    if hasattr(spec, "row_splits_dtype"):
        found = {"kind": "ragged", "dtype": spec.dtype.name, "shape": shape, "rank": spec.ragged_rank}
        return {**found, "splits": spec.row_splits_dtype.name}
    raise TypeError(
        errors.compose(f"elements of {spec!r} cannot be kept in a file.", "let elements hold tensors only.")
    )


def _has_names(form: Any) -> bool:
    return form["kind"] == "named" or any(_has_names(item) for item in form.get("items", ()))


def decode_spec(form: Any) -> Any:
    """The structure of specs from JSON, with plain tuples in place of named ones."""
    kind = form["kind"]
    items = [decode_spec(item) for item in form.get("items", ())]
    if kind == "dict":
        return dict(zip(form["keys"], items, strict=True))
    if kind in ("tuple", "named"):
        return tuple(items)
    if kind == "none":
        return None
    # Files of older versions have no kinds of tensors.
    dtype, shape = dtypes.as_dtype(form.get("dtype", "float32")), form.get("shape")
    if kind == "sparse":
        return SparseTensorSpec(shape, dtype)
    if kind == "ragged":
        from gradtape.ragged._spec import RaggedTensorSpec

        return RaggedTensorSpec(shape, dtype, int(form["rank"]), dtypes.as_dtype(form["splits"]))
    return TensorSpec(shape, dtype)


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
        sizes = [int(size) for size in head["sizes"]]
        if len(sizes) != math.prod(shape) or sum(sizes) != len(data) or min(sizes, default=0) < 0:
            raise ValueError("the sizes of strings are wrong")
        array = np.empty(len(sizes), object)
        ends = np.cumsum([0, *sizes]).tolist()
        array[:] = [data[a:b] for a, b in pairwise(ends)]
        return wrap(array.reshape(shape))
    if min(shape, default=0) < 0:
        raise ValueError(f"the shape is {list(shape)}")
    array = np.frombuffer(data, dtype.numpy).reshape(shape)
    return wrap(array.copy() if shape else array[()])
