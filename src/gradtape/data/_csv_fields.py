"""The fields of CSV files, as TensorFlow reads them: a line that cannot be read is a failure, and the next one is read."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from gradtape.core import errors
from gradtape.core.weak import Closing
from gradtape.data._failure import Failure
from gradtape.io._compressed import opened

_END = re.compile(r"[\r\n]+\Z")
_QUOTED = re.compile(r'([^"]*+(?:""[^"]*+)*+)"')  # a doubled quote that has been read as one stays one


class Dialect:
    """The delimiter of fields, and whether quotes have a meaning."""

    def __init__(self, who: str, delimiter: str, quotes: bool) -> None:
        if len(delimiter) != 1:
            raise errors.build(
                errors.InvalidArgumentError,
                f"{who}: field_delim should be only 1 char, got {delimiter!r}.",
                'give one character, such as ",".',
            )
        self.delimiter, self.quotes = delimiter, quotes


class Records:
    """The fields of each record of a file, as text; a failure in place of a record that cannot be read.

    Attributes:
      line: how many lines were read.
    """

    def __init__(self, path: str, kind: str, dialect: Dialect) -> None:
        self.path, self.line = path, 0
        self._kind, self._dialect = kind, dialect

    def __iter__(self) -> Iterator[Any]:
        # Bytes that are not valid UTF-8 are kept unchanged.
        held = Closing(io.TextIOWrapper(opened(self.path, self._kind), "utf-8", "surrogateescape", newline=""))
        delimiter, quotes, lines = self._dialect.delimiter, self._dialect.quotes, iter(held.file)
        for line in lines:
            self.line += 1
            if quotes and '"' in line:
                try:
                    yield self._quoted(line, lines, delimiter)
                except errors.InvalidArgumentError as problem:
                    yield Failure(problem)
            else:
                yield _END.sub("", line).split(delimiter)

    def _quoted(self, line: str, lines: Iterator[str], delimiter: str) -> list[str]:
        """The fields of a record with quotes, which may span several lines."""
        fields, place = [], 0
        while True:
            if line.startswith('"', place):
                field, line, place = self._in_quotes(line, place + 1, lines)
                fields.append(field)
                if place < len(line) and line[place] not in (delimiter, "\r", "\n"):
                    raise self.refused("Quote inside a string has to be escaped by another quote")
            else:
                end = line.find(delimiter, place)
                field = _END.sub("", line[place:]) if end < 0 else line[place:end]
                if '"' in field:
                    raise self.refused(f"Unquoted fields cannot have quotes inside, got {field}")
                fields.append(field)
                place += len(field)
            if place >= len(line) or line[place] != delimiter:
                return fields
            place += 1

    def _in_quotes(self, line: str, place: int, lines: Iterator[str]) -> tuple[str, str, int]:
        """A field after its opening quote, with the line and position of its end. Each line is scanned once."""
        parts = []
        while (found := _QUOTED.match(line, place)) is None:
            parts.append(line[place:])
            line, place = self._next(lines), 0
        parts.append(found[1])
        return "".join(parts).replace('""', '"'), line, found.end()

    def _next(self, lines: Iterator[str]) -> str:
        more = next(lines, None)
        if more is None:
            raise self.refused("Reached end of file without closing quoted field in record")
        self.line += 1
        return more

    def refused(self, what: str) -> Exception:
        """The error for the last record."""
        return errors.build(
            errors.InvalidArgumentError,
            f"CsvDataset: cannot read line {self.line} of {self.path}: {what}.",
            "correct record_defaults, or the file.",
        )
