"""Initializers of static tables."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from gradtape.core import convert, dtypes, errors, os_errors
from gradtape.lookup._table import of_dtype


class Entries(NamedTuple):
    """Keys and values, in one order."""

    keys: list[Any]
    values: list[Any]


class TableInitializer:
    """Base of initializers of static tables; subclasses override `initialize`."""

    def entries(self) -> Entries:
        """The keys and values."""
        raise NotImplementedError

    def initialize(self, table: Any) -> None:
        """Fill a table.

        Args:
          table: that is empty.
        """
        for key, value in zip(*self.entries(), strict=True):
            if table.known.setdefault(key, value) != value:
                raise errors.build(
                    errors.FailedPreconditionError,
                    f"HashTable has different value for same key. Key {key!r} has {table.known[key]!r} and trying to add "
                    f"value {value!r}",
                    "give each key once.",
                )


class KeyValueTensorInitializer(TableInitializer):
    """Keys and values from tensors.

    Args:
      keys: a vector.
      values: another, of the same length.
      key_dtype: of the keys; by default what they are.
      value_dtype: of the values; by default what they are.
      name: ignored.

    >>> pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> tf.lookup.StaticHashTable(pairs, default_value=0).lookup(tf.constant(["b", "x"])).numpy()
    array([2, 0], dtype=int32)
    """

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None
    ) -> None:
        self._keys = convert.convert_to_tensor(keys, key_dtype)
        self._values = convert.convert_to_tensor(values, value_dtype)
        if self._keys.dtype is not dtypes.string and not self._keys.dtype.is_integer:
            raise errors.build(
                errors.NotFoundError,
                f"KeyValueTensorInitializer: keys must be strings or integers, got {self._keys.dtype.name}.",
                "use strings or integers as keys.",
            )
        if self._keys.shape != self._values.shape or self._keys.ndim != 1:
            raise errors.build(
                errors.ShapeError,
                f"KeyValueTensorInitializer: shapes differ: keys is {self._keys.shape}, values is {self._values.shape}.",
                "give two vectors of one length.",
            )

    key_dtype = property(lambda self: self._keys.dtype, doc="The dtype of the keys.")
    value_dtype = property(lambda self: self._values.dtype, doc="The dtype of the values.")

    def entries(self) -> Entries:
        """The keys and values."""
        return Entries(np.asarray(self._keys).tolist(), np.asarray(self._values).tolist())


class TextFileIndex:
    """The part of a line that is a key or value, if not a column."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializer):
    """Keys and values from the lines of a text file.

    Args:
      filename: of the file.
      key_dtype: string or int64.
      key_index: which column is the key, from 0 on; `TextFileIndex.WHOLE_LINE` or `TextFileIndex.LINE_NUMBER`.
      value_dtype: of the values.
      value_index: which column is the value, or one of the same two.
      vocab_size: how many lines are read; all by default.
      delimiter: between the columns.
      name: ignored.
      value_index_offset: added to line numbers that are values.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "words.txt")
    >>> _ = path.write_text("red\\ngreen\\n")
    >>> words = tf.lookup.TextFileInitializer(
    ...     path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
    >>> int(tf.lookup.StaticHashTable(words, -1).lookup(tf.constant("green")))
    1
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if filename is None or (isinstance(filename, str) and not filename):
            raise errors.build(
                ValueError,
                f"TextFileInitializer: `filename` argument required for tf.lookup.TextFileInitializer, got {filename!r}.",
                "give the path of a text file.",
            )
        is_path = isinstance(filename, (str, bytes, os.PathLike))
        self._filename = filename if is_path else of_dtype(filename, dtypes.string, "filename", ValueError)
        if vocab_size is not None and vocab_size <= 0:
            raise errors.build(
                ValueError, f"TextFileInitializer: vocab_size must be positive, got {vocab_size}.", "leave it out."
            )
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        self._columns, self._size = (int(key_index), int(value_index)), vocab_size
        self._delimiter, self._offset = delimiter, value_index_offset
        for what, column, dtype in zip(
            ("key", "value"), self._columns, (self.key_dtype, self.value_dtype), strict=True
        ):
            _check_column(what, column, dtype)

    def entries(self) -> Entries:
        """The keys and values, read from the file."""
        path = self._filename
        if not isinstance(path, (str, bytes, os.PathLike)):
            if path.ndim:
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"TextFileInitializer: filename should be a single string, but got {path.shape.as_list()}",
                    "make a table for each file.",
                )
            path = np.asarray(path)[()]
        with os_errors.translating(), open(path, "rb") as file:
            lines = [line.rstrip(b"\r\n") for line in file]
        if self._size is not None:
            if len(lines) < self._size:
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"TextFileInitializer: expected {self._size} lines in {path!r}, found {len(lines)}.",
                    "leave vocab_size out.",
                )
            lines = lines[: self._size]
        keys = [self._field(line, i, self._columns[0], self.key_dtype, 0) for i, line in enumerate(lines)]
        values = [
            self._field(line, i, self._columns[1], self.value_dtype, self._offset) for i, line in enumerate(lines)
        ]
        return Entries(keys, values)

    def _field(self, line: bytes, number: int, column: int, dtype: dtypes.DType, offset: int) -> Any:
        if column == TextFileIndex.LINE_NUMBER:
            return number + offset
        if column == TextFileIndex.WHOLE_LINE:
            return line if dtype is dtypes.string else self._number(line, number, dtype)
        fields = line.split(self._delimiter.encode())
        if column >= len(fields):
            raise errors.build(
                errors.InvalidArgumentError,
                f"Invalid number of columns in {self._filename!r} line {number} ({line!r}) : expected at least {column + 1} "
                f"got {len(fields)}",
                "check the delimiter.",
            )
        if dtype is dtypes.string:
            return fields[column]
        return self._number(fields[column], number, dtype)

    def _number(self, field: bytes, number: int, dtype: dtypes.DType) -> Any:
        try:
            return int(field) if dtype.is_integer else float(field)
        except ValueError:
            raise errors.build(
                errors.InvalidArgumentError,
                f"Field {field[:40]!r} in line {number} of {self._filename!r} is not a valid {dtype.name}.",
                "check the file, the column and the delimiter.",
            ) from None


def _check_column(what: str, column: int, dtype: dtypes.DType) -> None:
    if column < -2:
        raise errors.build(ValueError, f"Invalid {what} index {column}.", "columns count from 0.")
    if column == TextFileIndex.LINE_NUMBER and not dtype.is_integer:
        raise errors.build(
            ValueError, f"{what}_dtype must be int64 for line numbers, not {dtype.name}.", "use tf.int64."
        )
    if column == TextFileIndex.WHOLE_LINE and dtype is not dtypes.string and not (what == "key" and dtype.is_integer):
        raise errors.build(
            errors.ConversionError if what == "key" else errors.ShapeError,
            f"{what}_dtype must be string for whole lines, not {dtype.name}.",
            "use tf.string.",
        )
