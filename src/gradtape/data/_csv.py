"""Datasets of CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.core.weak import Closing
from gradtape.data import _file_stages as file_stages
from gradtape.data._dataset import Dataset
from gradtape.data._failure import Failure, attempt, guarded
from gradtape.data._stage import UNKNOWN, Stage
from gradtape.data._threads import AUTOTUNE
from gradtape.io import _tfrecord as tfrecord
from gradtape.io._compressed import opened


class _Columns(Stage):
    """The fields of lines, each as a tensor of rank 0."""

    def __init__(
        self, names: Any, defaults: Sequence[Any], kind: str, header: bool, form: dict[str, Any], na: str, chosen: Any
    ) -> None:
        self._names, self._kind, self._header, self._form, self._na = (
            file_stages.checked_names(names),
            kind,
            header,
            form,
            na,
        )
        self._columns = [_Column(d) for d in defaults]
        self._chosen = list(range(len(defaults))) if chosen is None else [int(i) for i in chosen]
        if len(self._chosen) != len(self._columns):
            raise ValueError(
                errors.compose(
                    f"CsvDataset: record_defaults and select_cols differ in length: {len(self._columns)} vs {len(self._chosen)}.",
                    "give one default for each column.",
                )
            )
        if self._chosen != sorted(set(self._chosen)):
            raise errors.build(
                errors.InvalidArgumentError,
                f"CsvDataset: select_cols must be in increasing order, got {self._chosen}.",
                "sort them, and record_defaults with them.",
            )
        self._width = None if chosen is not None else len(self._columns)

    def elements(self) -> Iterator[Any]:
        for path in file_stages.paths(self._names):
            for number, fields in enumerate(guarded(read_fields(path, self._kind, self._form)), 1):
                if type(fields) is Failure:
                    yield fields
                elif fields and not (self._header and number == 1):
                    yield attempt(self._row, fields, (path, number))

    def _row(self, fields: list[str], where: tuple[str, int]) -> Any:
        """The chosen fields of a line as tensors."""
        if self._width not in (None, len(fields)) or max(self._chosen) >= len(fields):
            raise errors.build(
                errors.InvalidArgumentError,
                f"CsvDataset: line {where[1]} of {where[0]} has {len(fields)} fields, {len(self._columns)} are expected.",
                "correct record_defaults, select_cols, or the file.",
            )
        return tuple(
            column.value(fields[i], self._na, where) for column, i in zip(self._columns, self._chosen, strict=True)
        )

    def cardinality(self) -> int:
        return UNKNOWN

    def spec(self) -> Any:
        return tuple(TensorSpec([], column.dtype) for column in self._columns)


class _Column:
    """A column's dtype, and its value where a field is empty. A dtype alone says that no field may be."""

    def __init__(self, default: Any) -> None:
        self.default: Tensor | None = None
        if isinstance(default, (dtypes.DType, type, str)) and not isinstance(default, str):
            self.dtype = dtypes.as_dtype(default)
            return
        value = np.asarray(host(convert.convert_to_tensor(default)._array))
        self.dtype = dtypes.from_numpy(value.dtype)
        if value.size:
            self.default = _scalar(value.ravel()[0], self.dtype)

    def value(self, field: str, na: str, where: tuple[str, int]) -> Tensor:
        """A field as a tensor."""
        if field in ("", na):
            if self.default is None:
                raise _refused(f"a field is empty, and there is no default, in line {where[1]} of {where[0]}.")
            return self.default
        try:
            return _scalar(
                field.encode("utf-8", "surrogateescape") if self.dtype is dtypes.string else field, self.dtype
            )
        except (ValueError, OverflowError):
            raise _refused(f"{field!r} is not {self.dtype.name}, in line {where[1]} of {where[0]}.") from None


def _refused(what: str) -> Exception:
    return errors.build(errors.InvalidArgumentError, f"CsvDataset: {what}", "correct record_defaults, or the file.")


def _scalar(value: Any, dtype: dtypes.DType) -> Tensor:
    return file_stages.string(value) if dtype is dtypes.string else wrap(dtype.numpy.type(value))


def read_fields(path: str, kind: str, form: dict[str, Any]) -> Iterator[list[str]]:
    """The fields of each line of a CSV file."""
    # Bytes that are no UTF-8 are kept as they are.
    held = Closing(io.TextIOWrapper(opened(path, kind), "utf-8", "surrogateescape", newline=""))
    try:
        yield from csv.reader(held.file, **form)
    except csv.Error as problem:
        raise _refused(f"{path}: {problem}.") from None


def _form(delimiter: str, quotes: bool) -> dict[str, Any]:
    return {"delimiter": delimiter, "quoting": csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE}


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
      buffer_size: ignored.
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
        kind = tfrecord.compression("CsvDataset", compression_type)
        if exclude_cols is not None and select_cols is not None:
            raise errors.build(
                errors.InvalidArgumentError,
                "CsvDataset: Either select_cols or exclude_cols should be empty.",
                "give one.",
            )
        if exclude_cols is not None:
            left_out = {int(i) for i in exclude_cols}
            every = range(len(record_defaults) + len(left_out))
            select_cols = [i for i in every if i not in left_out]
        form = _form(field_delim, use_quote_delim)
        super().__init__(_Columns(filenames, record_defaults, kind, header, form, na_value, select_cols))


def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: Any = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """A dataset of batches of CSV lines: dicts of columns, and the label's column beside it if there is one.

    Args:
      file_pattern: files, or patterns of files.
      batch_size: the number of lines in a batch.
      column_names: the names of the columns; those in the first line by default.
      column_defaults: dtypes or default values of the columns that are read; guessed from the first lines by default.
      label_name: the column of labels.
      select_columns: names or numbers of the columns to read.
      field_delim, use_quote_delim, na_value, header, compression_type: as of `CsvDataset`.
      num_epochs: how often the lines come; without end by default.
      shuffle, shuffle_buffer_size, shuffle_seed: whether and how they are shuffled.
      prefetch_buffer_size: how many batches are made ahead.
      num_rows_for_inference: how many lines are looked at for dtypes.
      num_parallel_reads, sloppy, ignore_errors, encoding: ignored.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.csv")
    >>> _ = pathlib.Path(path).write_text("x,y\\n1.5,0\\n2.5,1\\n")
    >>> ds = tf.data.experimental.make_csv_dataset(path, 2, label_name="y", num_epochs=1, shuffle=False)
    >>> [(features["x"].numpy().tolist(), labels.numpy().tolist()) for features, labels in ds]
    [([1.5, 2.5], [0, 1])]
    """
    found = file_stages.matching(file_pattern)
    form, kind = _form(field_delim, use_quote_delim), tfrecord.compression("make_csv_dataset", compression_type)
    names = list(column_names) if column_names is not None else next(read_fields(found[0], kind, form), None)
    if names is None:
        raise ValueError(
            errors.compose(
                f"make_csv_dataset: failed when reading the header line of {found[0]}: the file is empty.",
                "give column_names, or a file with a header.",
            )
        )
    chosen = range(len(names)) if select_columns is None else [_position(names, c) for c in select_columns]
    defaults = column_defaults
    if defaults is None:
        defaults = _guessed(found[0], kind, form, header, chosen, na_value, num_rows_for_inference)
    elif len(defaults) == len(names) != len(chosen):
        defaults = [defaults[i] for i in chosen]
    kept = [names[i] for i in chosen]
    if label_name is not None and label_name not in kept:
        raise ValueError(
            errors.compose(f"make_csv_dataset: label_name {label_name!r} is not a column.", f"choose one of {kept}.")
        )
    lines: Any = CsvDataset(
        found, defaults, kind, None, header, field_delim, use_quote_delim, na_value, select_cols=chosen
    )

    def named(*columns: Any) -> Any:
        features = dict(zip(kept, columns, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    if shuffle:
        lines = lines.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        lines = lines.repeat(num_epochs)
    batches = lines.batch(batch_size, drop_remainder=num_epochs is None).map(named)
    result: Dataset = batches.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
    return result


def _position(names: list[str], column: Any) -> int:
    return column if isinstance(column, int) else names.index(column)


def _guessed(path: str, kind: str, form: Any, header: bool, chosen: Any, na: str, most: int | None) -> list[Any]:
    """A default for each column, of the narrowest dtype that its first fields have."""
    seen: list[list[str]] = []
    for number, fields in enumerate(read_fields(path, kind, form)):
        if most is not None and len(seen) >= most:
            break
        if fields and not (header and number == 0):
            seen.append(fields)
    return [_default([row[i] for row in seen if row[i] not in ("", na)]) for i in chosen]


def _default(fields: list[str]) -> Any:
    for kind, dtype in ((np.int32, np.int32), (np.int64, np.int64), (np.float32, np.float32)):
        try:
            for field in fields:
                kind(field if kind is np.float32 else int(field))
        except (ValueError, OverflowError):
            continue
        return [dtype(0)]
    return [""]
