"""Decoding of serialized records: only the requested features, without building messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.api.array_op import objects
from gradtape.core import dtypes, errors
from gradtape.protos import wire_format

# The numbers of a feature's kinds on the wire.
_STRINGS, _FLOATS, _INTEGERS = 1, 2, 3
_DTYPES = {_STRINGS: dtypes.string, _FLOATS: dtypes.float32, _INTEGERS: dtypes.int64}

# The values of a feature: their dtype, and a list of bytes or an array. None if the record lacks it.
Values = tuple[dtypes.DType, Any] | None


def features(data: bytes, number: int = 1) -> dict[str, bytes]:
    """The features of a record by name, still encoded. Their field is the first of Example and of SequenceExample."""
    found: dict[str, bytes] = {}
    for n, kind, part in wire_format.fields(data):
        if n == number and kind == wire_format.BYTES:
            found.update(_entries(part))
    return found


def feature_lists(data: bytes) -> dict[str, list[bytes]]:
    """The lists of features of a SequenceExample by name, each feature still encoded."""
    found: dict[str, list[bytes]] = {}
    for n, kind, part in wire_format.fields(data):
        if n == 2 and kind == wire_format.BYTES:
            for key, steps in _entries(part):
                found[key] = [step for m, k, step in wire_format.fields(steps) if m == 1 and k == wire_format.BYTES]
    return found


def _entries(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Keys and values of a map field with the number 1."""
    for n, kind, entry in wire_format.fields(data):
        if n == 1 and kind == wire_format.BYTES:
            key = value = b""
            for m, own, part in wire_format.fields(entry):
                if m in (1, 2) and own != wire_format.BYTES:
                    raise wire_format.WireError("the name of a feature, or the feature, is a number")
                if m == 1:
                    key = part
                elif m == 2:
                    value = part
            yield key.decode(errors="replace"), value


def values(feature: bytes) -> Values:
    """The values of an encoded feature; None if no kind is set."""
    found: Values = None
    for number, kind, body in wire_format.fields(feature):
        if kind == wire_format.BYTES and number in _DTYPES:
            read = _strings if number == _STRINGS else _floats if number == _FLOATS else _integers
            found = (_DTYPES[number], read(body))
    return found


def _strings(body: bytes) -> list[bytes]:
    return [value for n, kind, value in wire_format.fields(body) if n == 1 and kind == wire_format.BYTES]


def _floats(body: bytes) -> Any:
    # Packed they are one field of bytes, otherwise many of four bytes: side by side both are the numbers themselves.
    parts = [
        value for n, kind, value in wire_format.fields(body) if n == 1 and kind in (wire_format.BYTES, wire_format.FOUR)
    ]
    data = b"".join(parts)
    if len(data) % 4:
        raise wire_format.WireError("floats are cut off")
    return np.frombuffer(data, "<f4")


def _integers(body: bytes) -> Any:
    found = []
    for n, kind, value in wire_format.fields(body):
        if n == 1 and kind == wire_format.BYTES:
            found.append(wire_format.unpacked_varints(value))
        elif n == 1 and kind == wire_format.VARINT:
            found.append(np.array([wire_format.signed(value)], np.int64))
    return found[0] if len(found) == 1 else np.concatenate(found or [np.zeros(0, np.int64)])


class Batch:
    """Serialized records whose features are asked for by name.

    Args:
      who: the public function, for messages.
      data: the records.
      names: of the records, for messages; empty if they have none.
      number: of the field with the features.
    """

    def __init__(self, who: str, data: list[bytes], names: list[bytes], number: int = 1) -> None:
        self.data = data
        self._names = names
        try:
            self._features = [features(record, number) for record in data]
        except wire_format.WireError as problem:
            raise errors.build(
                errors.InvalidArgumentError,
                f"{who}: Could not parse example input: {problem}.",
                "give what Example.SerializeToString returned; are the records compressed, or of another kind?",
            ) from None

    def __len__(self) -> int:
        return len(self.data)

    def column(self, key: str, dtype: dtypes.DType) -> list[Any]:
        """The values of a feature in each record, None where it is missing."""
        return [self._checked(key, i, record.get(key), dtype) for i, record in enumerate(self._features)]

    def _checked(self, key: str, i: int, feature: bytes | None, dtype: dtypes.DType) -> Any:
        found = None if feature is None else decoded(self, key, i, feature)
        return None if found is None else checked(self, key, i, found, dtype)

    def error(self, i: int, what: str, fix: str) -> Exception:
        """An error about a record."""
        name = self._names[i].decode(errors="replace") if i < len(self._names) else "<unknown>"
        return errors.build(errors.InvalidArgumentError, f"Name: {name}, {what}", fix)


def decoded(batch: Batch, key: str, i: int, feature: bytes) -> Values:
    """The values of an encoded feature; an error that names it if it is damaged."""
    try:
        return values(feature)
    except wire_format.WireError as problem:
        raise batch.error(i, f"Key: {key}, Index: {i}.  Can't parse serialized Example: {problem}.", "") from None


def checked(batch: Batch, key: str, i: int, found: Any, dtype: dtypes.DType, step: int | None = None) -> Any:
    """Values that have the dtype that is wanted; an error if they have not, in a step of a list of features or in a feature."""
    own, content = found
    if own is not dtype:
        if step is not None:
            raise batch.error(
                i,
                f"Feature list: {key}, Index: {step}.  Data types don't match. Expected type: {word(dtype)}, but it is {word(own)}",
                f"describe the feature with tf.{own.name}.",
            )
        raise batch.error(
            i,
            f"Key: {key}, Index: {i}.  Data types don't match. Data type: {word(own)} but expected type: {word(dtype)}",
            f"describe the feature with tf.{own.name}.",
        )
    return content


def word(dtype: dtypes.DType) -> str:
    """A dtype as TensorFlow's messages call it."""
    return "float" if dtype is dtypes.float32 else dtype.name


def joined(found: list[Any], dtype: dtypes.DType) -> Any:
    """The values of all records, one record after the other."""
    present = [content for content in found if content is not None]
    if dtype is dtypes.string:
        return objects([value for content in present for value in content])
    return np.concatenate([*present, np.zeros(0, dtype.numpy)])
