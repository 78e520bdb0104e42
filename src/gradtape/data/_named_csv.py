"""Batches of CSV records with named columns: `make_csv_dataset`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.data import _file_stages as file_stages
from gradtape.data._csv import CsvDataset
from gradtape.data._csv_fields import Dialect, Records
from gradtape.data._dataset import Dataset
from gradtape.data._failure import raised
from gradtape.data._threads import AUTOTUNE
from gradtape.io import _tfrecord as tfrecord


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
    """A dataset of batches of CSV records: dicts of columns, with the label column as a second part if there is one.

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
      num_parallel_reads: how many files are read in turn, by threads; one after the other by default.
      ignore_errors: whether lines that cannot be read are left out.
      sloppy, encoding: ignored.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.csv")
    >>> _ = pathlib.Path(path).write_text("x,y\\n1.5,0\\n2.5,1\\n")
    >>> ds = tf.data.experimental.make_csv_dataset(path, 2, label_name="y", num_epochs=1, shuffle=False)
    >>> [(features["x"].numpy().tolist(), labels.numpy().tolist()) for features, labels in ds]
    [([1.5, 2.5], [0, 1])]
    """
    found = _files(file_pattern)
    dialect = Dialect("make_csv_dataset", field_delim, use_quote_delim)
    kind = tfrecord.compression("make_csv_dataset", compression_type)
    if column_names is None and kind not in ("", "GZIP"):
        raise ValueError(
            errors.compose(
                f"make_csv_dataset: `compression_type` {compression_type} is not supported where the column names are read from the "
                "file.",
                'give column_names, or use "GZIP".',
            )
        )
    names = _names(found, kind, dialect) if column_names is None else list(column_names)
    if len(set(names)) < len(names):
        raise ValueError(
            errors.compose(
                f"make_csv_dataset: Either `column_names` argument or CSV header row contains duplicate column names: {names}.",
                "give each column a different name.",
            )
        )
    chosen = list(range(len(names))) if select_columns is None else [_position(names, c) for c in select_columns]
    if column_defaults is not None and len(column_defaults) != len(chosen):
        raise ValueError(
            errors.compose(
                "make_csv_dataset: column_defaults and the columns must have the same length, got "
                f"{len(column_defaults)} and {len(chosen)}.",
                "give one default for each column that is read.",
            )
        )
    order = sorted(range(len(chosen)), key=chosen.__getitem__)
    chosen = [chosen[i] for i in order]
    if column_defaults is None:
        defaults = _guessed(found, kind, dialect, header, chosen, len(names), na_value, num_rows_for_inference)
    else:
        defaults = [column_defaults[i] for i in order]
    kept = [names[i] for i in chosen]
    if label_name is not None and label_name not in kept:
        raise ValueError(
            errors.compose(
                f"make_csv_dataset: `label_name` provided must be one of the columns, got {label_name!r}.",
                f"choose one of {kept}.",
            )
        )

    def lines_of(path: Any) -> Any:
        lines = CsvDataset(path, defaults, kind, None, header, field_delim, use_quote_delim, na_value, chosen)
        return lines.ignore_errors() if ignore_errors else lines

    def named(*columns: Any) -> Any:
        features = OrderedDict(zip(kept, columns, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    lines: Any = lines_of(found)
    if num_parallel_reads is not None and num_parallel_reads != 1:
        files = Dataset.from_tensor_slices(found)
        lines = files.interleave(lines_of, num_parallel_reads, num_parallel_calls=num_parallel_reads)
    if shuffle:
        lines = lines.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        lines = lines.repeat(num_epochs)
    batches = lines.batch(batch_size, drop_remainder=num_epochs is None).map(named)
    result: Dataset = batches.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
    return result


def _files(pattern: Any) -> list[str]:
    try:
        return file_stages.matching(pattern)
    except errors.InvalidArgumentError as problem:
        raise ValueError(
            errors.compose(f"make_csv_dataset: No files match `file_pattern` {pattern!r}.", "check the pattern.")
        ) from problem


def _names(files: list[str], kind: str, dialect: Dialect) -> list[str]:
    """The names of the columns in the first line, which all files must have."""
    found: list[str] | None = None
    for path in files:
        header = raised(next(iter(Records(path, kind, dialect)), None))
        if header is None:
            raise ValueError(
                errors.compose(
                    f"make_csv_dataset: failed when reading the header line of {path}: the file is empty.",
                    "give column_names, or a file with a header.",
                )
            )
        if found is not None and header != found:
            raise ValueError(
                errors.compose(
                    f"make_csv_dataset: all input CSV files should have the same column names in the header row; {path} does not.",
                    "give column_names, or one kind of file.",
                )
            )
        found = header
    return found or []


def _position(names: list[str], column: Any) -> int:
    """The number of a column, from its number or its name."""
    if isinstance(column, int) and 0 <= column < len(names):
        return column
    if column not in names:
        raise ValueError(
            errors.compose(
                f"make_csv_dataset: Column {column!r} specified in `select_columns` must be one of the columns.",
                f"choose among {names}.",
            )
        )
    return names.index(column)


def _guessed(
    files: list[str], kind: str, dialect: Dialect, header: bool, chosen: Any, width: int, na: str, most: int | None
) -> list[Any]:
    """A default for each column, of the narrowest dtype that its first fields have."""
    rows = islice(_rows(files, kind, dialect, header, width), most)
    columns = list(zip(*[[row[i] for i in chosen] for row in rows], strict=True)) or [()] * len(chosen)
    return [_default([field for field in column if field not in ("", na)]) for column in columns]


def _rows(files: list[str], kind: str, dialect: Dialect, header: bool, width: int) -> Iterator[list[str]]:
    for path in files:
        records = Records(path, kind, dialect)
        for fields in islice(records, int(header), None):
            if len(raised(fields)) != width:
                raise ValueError(
                    errors.compose(
                        f"make_csv_dataset: Problem inferring types: CSV row {records.line} of {path} has {len(fields)} number of "
                        f"fields. Expected: {width}.",
                        "correct the file or column_names, or give column_defaults.",
                    )
                )
            yield fields


def _default(fields: list[str]) -> Any:
    """The default for a column with some fields; a string where there are none."""
    if not fields:
        return [""]
    for dtype in (np.int32, np.int64):
        try:
            if all(np.iinfo(dtype).min <= int(field) <= np.iinfo(dtype).max for field in fields):
                return np.zeros(1, dtype)
        except ValueError:
            break
    for kind in (np.float32, np.float64):
        try:
            if all(float(np.finfo(kind).min) < float(field) < float(np.finfo(kind).max) for field in fields):
                return np.zeros(1, kind)
        except ValueError:
            break
    return [""]
