"""Single values of messages: their checks, and how they are written and read."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.protos import wire_format

# The kind of field on the wire.
KINDS = {
    "bytes": wire_format.BYTES, "string": wire_format.BYTES, "float": wire_format.FOUR, "double": wire_format.EIGHT, "int32": wire_format.VARINT,
    "int64": wire_format.VARINT, "uint32": wire_format.VARINT, "uint64": wire_format.VARINT, "bool": wire_format.VARINT, "enum": wire_format.VARINT,
}  # fmt: skip
DEFAULTS: dict[str, Any] = {
    "bytes": b"", "string": "", "float": 0.0, "double": 0.0, "int32": 0, "int64": 0, "uint32": 0, "uint64": 0,
    "bool": False, "enum": 0,
}  # fmt: skip
_FORMATS = {"float": "<f", "double": "<d"}
_LIMITS = {
    "int32": (-(2**31), 2**31), "enum": (-(2**31), 2**31), "int64": (-(2**63), 2**63), "uint32": (0, 2**32),
    "uint64": (0, 2**64),
}  # fmt: skip


def _bytes(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    what = f"{errors.brief(value)} has type {type(value).__name__}, but expected one of: bytes"
    fix = (
        "encode the text: text.encode()."
        if isinstance(value, str)
        else "tf.io.serialize_tensor(x).numpy() makes bytes of a tensor."
    )
    raise TypeError(errors.compose(what, fix, depth=5))


def _string(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode()
    raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: bytes, str")


def _double(value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: int, float")
    return float(value)


def _float(value: Any) -> float:
    # What is read back is what a float32 can hold.
    return float(np.float32(_double(value)))


def _integer(kind: str) -> Callable[[Any], int]:
    low, high = _LIMITS[kind]

    def check(value: Any) -> int:
        if not hasattr(value, "__index__"):
            what = f"{errors.brief(value)} has type {type(value).__name__}, but expected one of: int"
            raise TypeError(errors.compose(what, "convert it with int(value), or use a FloatList.", depth=5))
        found = int(value)
        if not low <= found < high:
            raise ValueError(f"Value out of range: {found}")
        return found

    return check


CHECKS: dict[str, Callable[[Any], Any]] = {
    "bytes": _bytes, "string": _string, "float": _float, "double": _double,
    "bool": lambda value: bool(_integer("int64")(value)),
    **{kind: _integer(kind) for kind in _LIMITS},
}  # fmt: skip


@functools.cache
def check_all(kind: str) -> Callable[[list[Any]], list[Any]]:
    """A function that checks many values, all at once where they are Python's own."""
    check, plain = CHECKS[kind], _PLAIN.get(kind, set())

    def checked(values: list[Any]) -> list[Any]:
        if not values or not {type(v) for v in values} <= plain:
            return [check(v) for v in values]
        if kind == "float":
            result: list[Any] = np.array(values, np.float64).astype(np.float32).tolist()
            return result
        if kind in _LIMITS:
            check(min(values)), check(max(values))
        return values

    return checked


# Types of values that need no conversion but for their range or precision.
_PLAIN: dict[str, set[type]] = {
    "bytes": {bytes},
    "float": {float, int},
    "double": {float},
    "int64": {int},
    "int32": {int},
}


def write_scalar(number: int, kind: str, value: Any) -> bytes:
    """A field of one value."""
    if kind == "bytes":
        return wire_format.delimited(number, value)
    if kind == "string":
        return wire_format.delimited(number, value.encode())
    if kind in _FORMATS:
        return wire_format.tag(number, KINDS[kind]) + struct.pack(_FORMATS[kind], value)
    return wire_format.tag(number, wire_format.VARINT) + wire_format.varint(int(value))


def write_repeated(number: int, kind: str, values: Any) -> bytes:
    """A field of several values: numbers are packed into one."""
    if kind in ("bytes", "string"):
        return b"".join([write_scalar(number, kind, v) for v in values])
    if kind in _FORMATS:
        return wire_format.delimited(number, np.asarray(list(values), _FORMATS[kind][0] + "f" + _width(kind)).tobytes())
    array = np.asarray(list(values), np.uint64 if kind == "uint64" else np.int64)
    return wire_format.delimited(number, wire_format.packed_varints(array))


def _width(kind: str) -> str:
    return "4" if kind == "float" else "8"


def read_scalar(kind: str, value: Any) -> Any:
    """The value of a field."""
    if kind == "bytes":
        return value
    if kind == "string":
        return value.decode()
    if kind in _FORMATS:
        return struct.unpack(_FORMATS[kind], value)[0]
    if kind == "bool":
        return bool(value)
    if kind == "uint64":
        return value
    if kind == "uint32":
        return value & 0xFFFFFFFF
    found = wire_format.signed(value)
    return found if kind == "int64" else ((found + 2**31) & 0xFFFFFFFF) - 2**31


def read_repeated(kind: str, on_wire: int, value: Any) -> Any:
    """The values that a field adds: one, or all that are packed in it."""
    if on_wire != wire_format.BYTES or kind in ("bytes", "string"):
        return [read_scalar(kind, value)]
    if kind in _FORMATS:
        if len(value) % int(_width(kind)):
            raise wire_format.WireError("numbers are cut off")
        return np.frombuffer(value, "<f" + _width(kind)).tolist()
    numbers = wire_format.unpacked_varints(value).tolist()
    return [read_scalar(kind, v & (1 << 64) - 1) for v in numbers]
