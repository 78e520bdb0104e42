"""Regular expressions by RE2: in time that grows with the text alone, in the dialect that TensorFlow has.

The package `google-re2` brings the library; it is imported with the first pattern. Matching and rewriting follow RE2's own
`FullMatch`, `Replace` and `GlobalReplace`, on bytes: text that is not UTF-8 passes unchanged.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from gradtape.core import errors

# Compiled patterns that are kept; each may hold some megabytes.
_KEPT = 64

# One bracket expression of ASCII characters, of which RE2 can be asked one by one: no negation, no classes by name.
_ASCII_SET = re.compile(rb"\[(?!\^)(?:[^\\\[\]\x80-\xff]|\\[^0-9A-Za-z\x80-\xff])+\]")


@functools.lru_cache(_KEPT)
def pattern(source: bytes) -> Any:
    """A compiled pattern; an InvalidArgumentError if RE2 cannot read it."""
    re2 = _library()
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(source, options)
    except re2.error as problem:
        reason = problem.args[0] if problem.args else problem
        if isinstance(reason, bytes):
            reason = reason.decode("utf-8", "backslashreplace")
        raise errors.build(
            errors.InvalidArgumentError,
            f"Invalid pattern: {source.decode('utf-8', 'backslashreplace')}, error: {reason}",
            "correct the regular expression; RE2 has no lookahead and no backreferences.",
        ) from None


def _library() -> Any:
    try:
        import re2
    except ImportError:
        raise ModuleNotFoundError(
            errors.compose(
                "tf.strings.regex_* cannot match: RE2, the library of regular expressions, is not installed.",
                "pip install google-re2",
            ),
            name="re2",
        ) from None
    return re2


def full_match(source: bytes) -> Callable[[bytes], bool]:
    """Whether a text is matched as a whole."""
    match = pattern(source).fullmatch
    return lambda text: match(text) is not None


def replace(source: bytes, rewrite: bytes, everywhere: bool) -> Callable[[bytes], bytes]:
    """A text with its first match replaced, or with all of them.

    Args:
      source: the pattern.
      rewrite: what is put in place of a match: `\\1` is its first group, `\\0` all of it, `\\\\` a backslash.
      everywhere: replace all matches.
    """
    compiled = pattern(source)
    pieces, complete = _pieces(rewrite)
    if max((p for p in pieces if isinstance(p, int)), default=0) > compiled.groups:
        return lambda text: text  # as RE2 has it: a rewrite with groups that are not there changes nothing
    if not everywhere:
        return (lambda text: _replace_first(compiled, pieces, text)) if complete else lambda text: text
    if b"\\" not in rewrite and _ASCII_SET.fullmatch(source):
        members = _members(source)
        return (lambda text: text.translate(None, members)) if not rewrite else _replace_characters(members, rewrite)
    return lambda text: _replace_all(compiled, pieces, text)


def _pieces(rewrite: bytes) -> tuple[list[bytes | int], bool]:
    """A rewrite as texts and numbers of groups, up to the first mistake, and whether there is none."""
    pieces: list[bytes | int] = []
    parts = re.split(rb"(\\.|\\\Z)", rewrite, flags=re.DOTALL)
    for place, part in enumerate(parts):
        if place % 2 == 0:
            pieces.append(part)
        elif part[1:].isdigit():
            pieces.append(int(part[1:]))
        elif part == b"\\\\":
            pieces.append(b"\\")
        else:
            return pieces, False
    return pieces, True


@functools.lru_cache(_KEPT)
def _members(source: bytes) -> bytes:
    """The characters of a set that has ASCII characters only."""
    matches = full_match(source)
    return bytes(c for c in range(128) if matches(bytes([c])))


def _replace_characters(members: bytes, new: bytes) -> Callable[[bytes], bytes]:
    if not members:
        return lambda text: text
    found = re.compile(b"[" + b"".join(re.escape(bytes([c])) for c in members) + b"]")
    return lambda text: found.sub(lambda match: new, text)


def _filled(pieces: list[bytes | int], match: Any) -> bytes:
    return b"".join([(match[p] or b"") if isinstance(p, int) else p for p in pieces])


def _replace_first(compiled: Any, pieces: list[bytes | int], text: bytes) -> bytes:
    match = compiled.search(text)
    if match is None:
        return text
    return text[: match.start()] + _filled(pieces, match) + text[match.end() :]


def _replace_all(compiled: Any, pieces: list[bytes | int], text: bytes) -> bytes:
    out: list[bytes] = []
    end = 0
    for match in compiled.finditer(text):
        start, stop = match.span()
        if start == stop:
            return _replace_with_empty(compiled, pieces, text)
        out += (text[end:start], _filled(pieces, match))
        end = stop
    return b"".join([*out, text[end:]]) if out else text


def _replace_with_empty(compiled: Any, pieces: list[bytes | int], text: bytes) -> bytes:
    """All matches replaced, where some are empty: none at the end of another, and none inside a character."""
    out: list[bytes] = []
    place, last = 0, -1
    while place <= len(text):
        match = compiled.search(text, place)
        if match is None:
            break
        start, stop = match.span()
        out.append(text[place:start])
        if start == stop == last:
            step = _width(text, start)
            out.append(text[start : start + step])
            place = start + step
            continue
        out.append(_filled(pieces, match))
        place = last = stop
    return b"".join([*out, text[place:]])


def _width(text: bytes, place: int) -> int:
    """How many bytes the character at a place has; 1 if it is none."""
    first = text[place] if place < len(text) else 0
    width = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    try:
        text[place : place + width].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return 1
    return width
