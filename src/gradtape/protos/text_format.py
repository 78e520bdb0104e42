"""Messages as text, in the form that protobuf's `str` gives."""

from __future__ import annotations

from typing import Any

import numpy as np

_ESCAPES = {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord('"'): '\\"', ord("'"): "\\'", ord("\\"): "\\\\"}


def shown(fields: list[tuple[str, Any]], indent: str = "") -> str:
    """The lines of a message: a name and a value, or the lines of another message in braces."""
    lines = []
    for name, value in fields:
        if isinstance(value, list):
            lines.append(f"{indent}{name} {{\n{shown(value, indent + '  ')}{indent}}}\n")
        else:
            lines.append(f"{indent}{name}: {_value(value)}\n")
    return "".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (bytes, str)):
        return f'"{_quoted(value)}"'
    if isinstance(value, (float, np.float32)):
        return _digits(value)
    return str(value)


def _quoted(value: bytes | str) -> str:
    codes = [ord(c) for c in value] if isinstance(value, str) else value
    is_text = isinstance(value, str)
    return "".join([_ESCAPES.get(c) or (chr(c) if _is_plain(c, is_text) else f"\\{c:03o}") for c in codes])


def _is_plain(code: int, is_text: bool) -> bool:
    """True for what needs no escape: in text, letters of all languages."""
    return 32 <= code < 127 or (is_text and code > 127)


def _digits(value: Any) -> str:
    """A number with the digits that are usual, or those that tell it apart from all others."""
    few, all_digits, kind = (6, 9, np.float32) if isinstance(value, np.float32) else (15, 17, np.float64)
    short = f"{value:.{few}g}"
    return short if kind(short) == value or value != value else f"{value:.{all_digits}g}"
