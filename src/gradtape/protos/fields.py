"""Fields of messages: their types, and how they are written."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape.protos import wire_format
from gradtape.protos.scalars import KINDS, write_repeated, write_scalar


class Field(NamedTuple):
    """One field of a message.

    Attributes:
      number: on the wire.
      kind: "bytes", "string", "float", "double", "int32", "int64", "uint32", "uint64", "bool", "enum", or the class of a
        message.
      label: "" for a single value, "repeated", or "map" from text to messages.
      oneof: the name of the group of which only one field is set.
    """

    number: int
    kind: Any
    label: str = ""
    oneof: str = ""


def accepted(field: Field) -> tuple[int, ...]:
    """The kinds on the wire that a field may have."""
    if not isinstance(field.kind, str):
        return (wire_format.BYTES,)
    own = KINDS[field.kind]
    return (own, wire_format.BYTES) if field.label else (own,)


def raw(number: int, kind: int, value: Any) -> bytes:
    """A field that the class does not know, as it was."""
    if kind == wire_format.VARINT:
        return wire_format.tag(number, kind) + wire_format.varint(value)
    return wire_format.delimited(number, value) if kind == wire_format.BYTES else wire_format.tag(number, kind) + value


def written(field: Field, value: Any, deterministic: bool) -> bytes:
    """A field with its value."""
    number, kind = field.number, field.kind
    if field.label == "map":
        keys = sorted(value) if deterministic else value
        entries = [
            wire_format.delimited(1, key.encode())
            + wire_format.delimited(2, value[key].SerializeToString(deterministic))
            for key in keys
        ]
        return b"".join([wire_format.delimited(number, entry) for entry in entries])
    if isinstance(kind, str):
        return write_repeated(number, kind, value) if field.label else write_scalar(number, kind, value)
    items = value if field.label else [value]
    return b"".join([wire_format.delimited(number, item.SerializeToString(deterministic)) for item in items])
