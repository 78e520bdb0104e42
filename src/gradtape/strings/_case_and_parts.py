"""Functions of each string: case, parts, patterns, numbers."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import Spec, broadcast
from gradtape.core.tensor import Tensor
from gradtape.api.array_op import flat, objects, on_arrays
from gradtape.strings._arguments import choice, each, over, same_shape, strings, text

__all__ = [
    "length", "lower", "regex_full_match", "regex_replace", "strip", "substr", "to_number", "upper",
]  # fmt: skip

_UNITS = ("BYTE", "UTF8_CHAR")
_ESCAPED = "surrogateescape"  # bytes that are no UTF-8 pass unchanged


@on_arrays(same_shape)
def _lower(x: Any, *, unicode: bool) -> Any:
    return each(
        (lambda s: s.decode("utf-8", _ESCAPED).lower().encode("utf-8", _ESCAPED)) if unicode else bytes.lower, x
    )


@on_arrays(same_shape)
def _upper(x: Any, *, unicode: bool) -> Any:
    return each(
        (lambda s: s.decode("utf-8", _ESCAPED).upper().encode("utf-8", _ESCAPED)) if unicode else bytes.upper, x
    )


@on_arrays(same_shape)
def _strip(x: Any) -> Any:
    return each(bytes.strip, x)


def lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """The strings in lower case.

    Args:
      input: strings.
      encoding: "utf-8" for all letters; by default only those of ASCII.
      name: ignored.

    >>> tf.strings.lower("CamelCase").numpy()
    b'camelcase'
    """
    kind = choice(encoding.lower(), ("", "utf-8"), "strings.lower", "encoding")
    return over(strings(input, "strings.lower"), lambda x: _lower(x, unicode=bool(kind)))  # type: ignore[no-any-return]


def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """The strings in upper case.

    Args:
      input: strings.
      encoding: "utf-8" for all letters; by default only those of ASCII.
      name: ignored.

    >>> tf.strings.upper("CamelCase").numpy()
    b'CAMELCASE'
    """
    kind = choice(encoding.lower(), ("", "utf-8"), "strings.upper", "encoding")
    return over(strings(input, "strings.upper"), lambda x: _upper(x, unicode=bool(kind)))  # type: ignore[no-any-return]


def strip(input: Any, name: str | None = None) -> Tensor:
    """The strings without blanks at their ends.

    >>> tf.strings.strip(["  a ", "b"]).numpy()
    array([b'a', b'b'], dtype=object)
    """
    return over(strings(input, "strings.strip"), _strip)  # type: ignore[no-any-return]


@on_arrays(lambda x, unicode: Spec(x.shape, dtypes.int32))
def _length(x: Any, *, unicode: bool) -> Any:
    found = [len(s.decode("utf-8", _ESCAPED)) if unicode else len(s) for s in flat(x)]
    return np.array(found, np.int32).reshape(x.shape)[()]


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The lengths of strings.

    Args:
      input: strings.
      unit: "BYTE" or "UTF8_CHAR": what is counted.
      name: ignored.

    >>> tf.strings.length(["hé", "abc"], unit="UTF8_CHAR").numpy()
    array([2, 3], dtype=int32)
    """
    unit = choice(unit, _UNITS, "strings.length", "unit")
    return over(strings(input, "strings.length"), lambda x: _length(x, unicode=unit == "UTF8_CHAR"))  # type: ignore[no-any-return]


def _broadcast(x: Spec, pos: Spec, len: Spec, *, unicode: bool) -> Spec:
    shape = broadcast(pos.shape, len.shape)
    shape = None if shape is None else broadcast(x.shape, shape)
    if shape is None:
        raise errors.build(
            errors.ShapeError, f"strings.substr: input is {x}, pos {pos}, len {len}.", "the shapes must broadcast."
        )
    return Spec(shape, dtypes.string)


@on_arrays(_broadcast)
def _substr(x: Any, pos: Any, len: Any, *, unicode: bool) -> Any:
    x, pos, len = np.broadcast_arrays(x, pos, len)
    return objects([_part(s, p, n, unicode) for s, p, n in zip(flat(x), flat(pos), flat(len), strict=True)], x.shape)


def _part(s: bytes, pos: int, count: int, unicode: bool) -> bytes:
    whole: Any = s.decode("utf-8", _ESCAPED) if unicode else s
    if not -len(whole) <= pos <= len(whole):
        raise errors.build(
            errors.InvalidArgumentError, f"strings.substr: pos {pos} out of range for string {s!r}.", "start inside it."
        )
    start = pos + len(whole) if pos < 0 else pos
    part = whole[start : start + max(count, 0)]
    return part.encode("utf-8", _ESCAPED) if unicode else part  # type: ignore[no-any-return]


def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Parts of strings.

    Args:
      input: strings.
      pos: where they begin; negative numbers count from the end.
      len: how long they are at most.
      unit: "BYTE" or "UTF8_CHAR": what is counted.
      name: ignored.

    >>> tf.strings.substr(["hello", "world"], 1, 3).numpy()
    array([b'ell', b'orl'], dtype=object)
    """
    unit = choice(unit, _UNITS, "strings.substr", "unit")
    numbers = [convert.convert_to_tensor(n) for n in (pos, len)]
    return over(strings(input, "strings.substr"), lambda x: _substr(x, *numbers, unicode=unit == "UTF8_CHAR"))  # type: ignore[no-any-return]


@functools.cache
def _pattern(pattern: str) -> Any:
    try:
        return re.compile(pattern, re.ASCII)
    except re.error as problem:
        raise errors.build(
            errors.InvalidArgumentError,
            f"Invalid pattern: {pattern}, error: {problem}",
            "correct the regular expression.",
        ) from None


@on_arrays(same_shape)
def _replaced(x: Any, *, pattern: str, rewrite: str, everywhere: bool) -> Any:
    found = _pattern(pattern)
    # \0 is the whole match; Python takes it for a character.
    new = re.sub(r"\\([0-9])", r"\\g<\1>", rewrite)
    return each(
        lambda s: found.sub(new, s.decode("utf-8", _ESCAPED), count=0 if everywhere else 1).encode("utf-8", _ESCAPED), x
    )


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""The strings with the matches of a regular expression replaced.

    Args:
      input: strings.
      pattern: a regular expression; Python's `re` matches it.
      rewrite: what to put in place of a match; `\1` is its first group, `\0` all of it.
      replace_global: replace all matches, not only the first.
      name: ignored.

    >>> tf.strings.regex_replace("room 12, floor 3", "[0-9]+", "#").numpy()
    b'room #, floor #'
    """
    return _replaced(  # type: ignore[no-any-return]
        strings(input, "strings.regex_replace"),
        pattern=text(pattern),
        rewrite=text(rewrite),
        everywhere=bool(replace_global),
    )


@on_arrays(lambda x, pattern: Spec(x.shape, dtypes.bool_))
def _matches(x: Any, *, pattern: str) -> Any:
    found = [_pattern(pattern).fullmatch(s.decode("utf-8", _ESCAPED)) is not None for s in flat(x)]
    return np.array(found, bool).reshape(x.shape)[()]


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """True for strings that a regular expression matches as a whole.

    Args:
      input: strings.
      pattern: a regular expression; Python's `re` matches it.
      name: ignored.

    >>> tf.strings.regex_full_match(["abc", "abcd"], "a.c").numpy()
    array([ True, False])
    """
    wanted = text(pattern)
    return over(strings(input, "strings.regex_full_match"), lambda x: _matches(x, pattern=wanted))  # type: ignore[no-any-return]


@on_arrays(lambda x, dtype: Spec(x.shape, dtype))
def _numbers(x: Any, *, dtype: dtypes.DType) -> Any:
    limits = (dtype.min, dtype.max) if dtype.is_integer else None
    return np.array([_number(s, limits) for s in flat(x)], dtype.numpy).reshape(x.shape)[()]


def _number(s: bytes, limits: Any) -> Any:
    try:
        word = s.strip().decode("ascii")
        if "_" in word:  # a number for Python only
            raise ValueError
        if limits is None:
            return float.fromhex(word) if "0x" in word.lower() else float(word)
        if limits[0] <= int(word) <= limits[1]:
            return int(word)
    except ValueError:
        pass
    raise errors.build(
        errors.InvalidArgumentError,
        f"StringToNumberOp could not correctly convert string: {s.decode('utf-8', 'replace')}",
        "give decimal numbers that fit the dtype.",
    )


def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """The numbers that strings say.

    Args:
      input: strings.
      out_type: float32, float64, int32, int64, uint32 or uint64.
      name: ignored.

    >>> tf.strings.to_number(["1.5", "-2e1"]).numpy()
    array([  1.5, -20. ], dtype=float32)
    """
    dtype = dtypes.as_dtype(out_type)
    if dtype.name not in ("float32", "float64", "int32", "int64", "uint32", "uint64"):
        raise errors.build(
            errors.DTypeError, f"strings.to_number: out_type is {dtype.name}.", "use float32, float64, int32 or int64."
        )
    return over(strings(input, "strings.to_number"), lambda x: _numbers(x, dtype=dtype))  # type: ignore[no-any-return]
