"""Datasets of CSV files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradtape.api import numerals
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.data import _file_stages as file_stages
from gradtape.data._csv_fields import Dialect, Records
from gradtape.data._dataset import Dataset
from gradtape.data._failure import Failure, attempt, guarded
from gradtape.data._stage import UNKNOWN, Stage
from gradtape.io import _tfrecord as tfrecord
from gradtape.io._csv import KINDS, WORDS


class _Columns(Stage):
    """The fields of records, each as a tensor of rank 0.

    Args:
      chosen: the columns to read; all by default.
      left_out: the columns not to read.
    """

    def __init__(
        self,
        names: Any,
        defaults: Sequence[Any],
        kind: str,
        header: bool,
        dialect: Dialect,
        na: str,
        chosen: Any,
        left_out: Any,
    ) -> None:
        self._names, self._kind, self._header = file_stages.checked_names(names), kind, header
        self._dialect, self._na = dialect, na
        self._columns = [_Column(d) for d in defaults]
        self._chosen = None if chosen is None else _checked_columns(chosen, len(self._columns))
        self._left_out = frozenset(map(int, left_out or ()))

    def elements(self) -> Iterator[Any]:
        for path in file_stages.paths(self._names):
            records = Records(path, self._kind, self._dialect)
            rest = guarded(iter(records))
            if self._header:
                first = next(rest, None)
                if first is None:
                    yield Failure(records.refused("Can't read header of file"))
                elif type(first) is Failure:
                    yield first
            for fields in rest:
                yield fields if type(fields) is Failure else attempt(self._row, fields, records)

    def _row(self, fields: list[str], records: Records) -> Any:
        """The chosen fields of a record as tensors."""
        wanted = len(self._columns)
        if self._chosen is not None:
            fields = [fields[i] for i in self._chosen if i < len(fields)]
        elif self._left_out:
            fields = [field for i, field in enumerate(fields) if i not in self._left_out]
        if len(fields) != wanted:
            there = "more" if len(fields) > wanted else len(fields)
            raise records.refused(f"Expect {wanted} fields but have {there} in record")
        return tuple([column.value(fields[i], self._na, i, records) for i, column in enumerate(self._columns)])

    def cardinality(self) -> int:
        return UNKNOWN

    def spec(self) -> Any:
        return tuple(TensorSpec([], column.dtype) for column in self._columns)


def _checked_columns(chosen: Any, count: int) -> list[int]:
    """The numbers of the columns to read."""
    found = [int(i) for i in chosen]
    wrong = None
    if len(found) != count:
        wrong = f"select_cols should match output size: {len(found)} vs {count} record_defaults"
    elif found != sorted(set(found)):
        wrong = f"select_cols should be strictly increasing indices, got {found}"
    elif found and found[0] < 0:
        wrong = f"select_cols should be non-negative indices, got {found}"
    if wrong is not None:
        raise errors.build(
            errors.InvalidArgumentError,
            f"CsvDataset: {wrong}.",
            "give one index for each of record_defaults, in order.",
        )
    return found


class _Column:
    """A column's dtype, and its default for empty fields; without a default, no field may be empty."""

    def __init__(self, default: Any) -> None:
        self.default: Tensor | None = None
        if isinstance(default, (dtypes.DType, type)):
            self.dtype = _checked_dtype(dtypes.as_dtype(default))
            return
        value = np.asarray(host(convert.convert_to_tensor(default)._array))
        if value.ndim > 1:
            raise errors.build(
                errors.InvalidArgumentError,
                f"CsvDataset: Each record default should be at most rank 1, got {value.tolist()}.",
                "give a value, a list of one value, or a dtype.",
            )
        self.dtype = _checked_dtype(dtypes.from_numpy(value.dtype))
        if value.size:
            self.default = _scalar(value.ravel()[0], self.dtype)

    def value(self, field: str, na: str, number: int, records: Records) -> Tensor:
        """A field as a tensor."""
        if field in ("", na):
            if self.default is None:
                raise records.refused(f"Field {number} is required but missing in record!")
            return self.default
        text = field.encode("utf-8", "surrogateescape")
        try:
            return _scalar(text if self.dtype is dtypes.string else numerals.parse(text, self.dtype), self.dtype)
        except (ValueError, OverflowError):
            raise records.refused(
                f"Field {number} in record is not a valid {WORDS.get(self.dtype, self.dtype.name)}: {field}"
            ) from None


def _checked_dtype(dtype: dtypes.DType) -> dtypes.DType:
    if dtype not in KINDS:
        raise errors.build(
            errors.DTypeError,
            f"CsvDataset: record_defaults must be of float32, float64, int32, int64 or string, got {dtype.name}.",
            "read the column as one of these, and cast it in a map.",
        )
    return dtype


def _scalar(value: Any, dtype: dtypes.DType) -> Tensor:
    if dtype is dtypes.string:
        return file_stages.string(value)
    with np.errstate(over="ignore"):  # a number that is too large for float32 is infinite
        return wrap(dtype.numpy.type(value))


class CsvDataset(Dataset):
    """The lines of CSV files, as tuples of tensors of rank 0.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.csv")
    >>> _ = pathlib.Path(path).write_text("x,name\\n1.5,a\\n,b\\n")
    >>> ds = tf.data.experimental.CsvDataset(path, [0.0, tf.string], header=True)
    >>> list(ds.as_numpy_iterator())
    [(np.float32(1.5), b'a'), (np.float32(0.0), b'b')]

    Args:
      filenames: a path, a list of paths, or a string tensor.
      record_defaults: for each column a dtype, or a value for empty fields.
      compression_type: "", "GZIP" or "ZLIB".
      buffer_size: must be positive, and has no effect.
      header: whether the first line of each file is left out.
      field_delim, use_quote_delim: what stands between fields, and whether quotes have a meaning.
      na_value: text that means an empty field.
      select_cols: the columns to read.
      exclude_cols: the columns not to read, of as many as there are.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        kind = _compression(compression_type)
        if exclude_cols is not None and select_cols is not None:
            raise errors.build(
                errors.InvalidArgumentError,
                "CsvDataset: Either select_cols or exclude_cols should be empty.",
                "give one.",
            )
        if buffer_size is not None and int(buffer_size) <= 0:
            raise errors.build(
                errors.InvalidArgumentError,
                f"CsvDataset: buffer_size should be positive, got {buffer_size}.",
                "leave it out.",
            )
        dialect = Dialect("CsvDataset", field_delim, use_quote_delim)
        super().__init__(
            _Columns(filenames, record_defaults, kind, header, dialect, na_value, select_cols, exclude_cols)
        )


def _compression(kind: Any) -> str:
    try:
        return tfrecord.compression("CsvDataset", kind)
    except ValueError as problem:
        raise errors.build(
            errors.InvalidArgumentError, f"CsvDataset: Unsupported compression_type: {kind!r}.", 'use "GZIP" or "ZLIB".'
        ) from problem
