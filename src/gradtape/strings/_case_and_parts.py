"""Functions of each string: case, parts, numbers."""

from __future__ import annotations

import builtins
import itertools
from typing import Any

import numpy as np

from gradtape.api import numerals
from gradtape.api.array_op import flat, objects, on_arrays
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import Spec, broadcast
from gradtape.core.tensor import Tensor
from gradtape.strings._arguments import choice, each, over, same_shape, strings

_UNITS = ("BYTE", "UTF8_CHAR")
# Bytes of UTF-8 behind the first of a character.
_TRAILING = bytes(range(0x80, 0xC0))


@on_arrays(same_shape)
def _lower(x: Any, *, unicode: bool) -> Any:
    return each((lambda s: s.decode("utf-8", "replace").lower().encode()) if unicode else bytes.lower, x)


@on_arrays(same_shape)
def _upper(x: Any, *, unicode: bool) -> Any:
    return each((lambda s: s.decode("utf-8", "replace").upper().encode()) if unicode else bytes.upper, x)


@on_arrays(same_shape)
def _strip(x: Any) -> Any:
    return each(bytes.strip, x)


def lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """The strings in lower case.

    Args:
      input: strings.
      encoding: "utf-8" for all letters; by default only those of ASCII.

    >>> tf.strings.lower("CamelCase").numpy()
    b'camelcase'
    """
    kind = choice(encoding, ("", "utf-8"), "strings.lower", "encoding")
    return over(strings(input, "strings.lower"), lambda x: _lower(x, unicode=bool(kind)))


def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """The strings in upper case.

    Args:
      input: strings.
      encoding: "utf-8" for all letters; by default only those of ASCII.

    >>> tf.strings.upper("CamelCase").numpy()
    b'CAMELCASE'
    """
    kind = choice(encoding, ("", "utf-8"), "strings.upper", "encoding")
    return over(strings(input, "strings.upper"), lambda x: _upper(x, unicode=bool(kind)))


def strip(input: Any, name: str | None = None) -> Tensor:
    """The strings without leading and trailing whitespace.

    >>> tf.strings.strip(["  a ", "b"]).numpy()
    array([b'a', b'b'], dtype=object)
    """
    return over(strings(input, "strings.strip"), _strip)


@on_arrays(lambda x, unicode: Spec(x.shape, dtypes.int32))
def _length(x: Any, *, unicode: bool) -> Any:
    found = [len(s.translate(None, _TRAILING)) if unicode else len(s) for s in flat(x)]
    return np.array(found, np.int32).reshape(x.shape)[()]


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The lengths of strings.

    Args:
      input: strings.
      unit: "BYTE" or "UTF8_CHAR": what is counted.

    >>> tf.strings.length(["hé", "abc"], unit="UTF8_CHAR").numpy()
    array([2, 3], dtype=int32)
    """
    unit = choice(unit, _UNITS, "strings.length", "unit")
    return over(strings(input, "strings.length"), lambda x: _length(x, unicode=unit == "UTF8_CHAR"))


def _broadcast(x: Spec, pos: Spec, len: Spec, *, unicode: bool) -> Spec:
    if pos.dtype is not len.dtype or pos.dtype not in (dtypes.int32, dtypes.int64):
        raise errors.build(
            errors.DTypeError,
            f"strings.substr: pos and len must be int32 or int64, both the same, got {pos} and {len}.",
            "convert them with tf.cast.",
        )
    if pos.shape != len.shape:
        raise errors.build(
            errors.ShapeError,
            f"strings.substr: pos and len should have the same shape, got {pos} and {len}.",
            "give one of each, or as many of one as of the other.",
        )
    shape = broadcast(x.shape, pos.shape)
    if x.shape != pos.shape and shape is not None and builtins.len(shape) > 2:
        raise errors.build(
            errors.UnimplementedError,
            f"strings.substr: Substr broadcast not implemented for {builtins.len(shape)} dimensions.",
            "use tf.broadcast_to on the smaller one.",
        )
    if shape is None:
        raise errors.build(
            errors.ShapeError,
            f"strings.substr: input and pos do not broadcast: input is {x}, pos {pos}.",
            "give one position, or one for each string.",
        )
    return Spec(shape, dtypes.string)


@on_arrays(_broadcast)
def _substr(x: Any, pos: Any, len: Any, *, unicode: bool) -> Any:
    _broadcast(*[Spec(a.shape, dtypes.as_dtype(a.dtype)) for a in (x, pos, len)], unicode=unicode)
    x, pos, len = np.broadcast_arrays(x, pos, len)
    return objects([_part(s, p, n, unicode) for s, p, n in zip(flat(x), flat(pos), flat(len), strict=True)], x.shape)


def _part(s: bytes, pos: int, count: int, unicode: bool) -> bytes:
    whole = _characters(s) if unicode else s
    if not -len(whole) <= pos <= len(whole):
        raise errors.build(
            errors.InvalidArgumentError,
            f"strings.substr: pos {pos} out of range for string {s!r}.",
            "use a position inside the string.",
        )
    start = pos + len(whole) if pos < 0 else pos
    part = whole[start : start + count] if count >= 0 else whole[start:]
    return b"".join(part) if isinstance(part, list) else part


def _characters(s: bytes) -> list[bytes]:
    """The characters of a string, each a byte and the trailing bytes behind it, valid or not."""
    starts = [i for i, c in enumerate(s) if i == 0 or c & 0xC0 != 0x80]
    return [s[a:b] for a, b in itertools.pairwise([*starts, builtins.len(s)])]


def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Parts of strings.

    Args:
      input: strings.
      pos: where they begin, int32 or int64; negative numbers count from the end. One, or as many as there are strings.
      len: how long they are at most; a negative number means up to the end.
      unit: "BYTE" or "UTF8_CHAR": what is counted.

    >>> tf.strings.substr(["hello", "world"], 1, 3).numpy()
    array([b'ell', b'orl'], dtype=object)
    """
    unit = choice(unit, _UNITS, "strings.substr", "unit")
    numbers = [convert.convert_to_tensor(n) for n in (pos, len)]
    return over(strings(input, "strings.substr"), lambda x: _substr(x, *numbers, unicode=unit == "UTF8_CHAR"))


@on_arrays(lambda x, dtype: Spec(x.shape, dtype))
def _numbers(x: Any, *, dtype: dtypes.DType) -> Any:
    return np.array([_number(s, dtype) for s in flat(x)], dtype.numpy).reshape(x.shape)[()]


def _number(s: bytes, dtype: dtypes.DType) -> Any:
    try:
        return numerals.parse(s, dtype)
    except (ValueError, OverflowError):
        raise errors.build(
            errors.InvalidArgumentError,
            f"StringToNumberOp could not correctly convert string: {s.decode('utf-8', 'replace')}",
            "give decimal numbers that fit the dtype.",
        ) from None


def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """The numbers that strings spell.

    Args:
      input: strings.
      out_type: float32, float64, int32, int64, uint32 or uint64.

    >>> tf.strings.to_number(["1.5", "-2e1"]).numpy()
    array([  1.5, -20. ], dtype=float32)
    """
    dtype = dtypes.as_dtype(out_type)
    if dtype.name not in ("float32", "float64", "int32", "int64", "uint32", "uint64"):
        raise errors.build(
            errors.DTypeError,
            f"strings.to_number: out_type must be float32, float64, int32 or int64, got {dtype.name}.",
            "use float32, float64, int32 or int64.",
        )
    return over(strings(input, "strings.to_number"), lambda x: _numbers(x, dtype=dtype))
