"""`tf.io.decode_csv`: lines of comma separated values (RFC 4180) as one tensor for each column."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.api import numerals
from gradtape.api.arguments import tensor
from gradtape.api.array_op import objects
from gradtape.api.host_op import check_strings, hosted
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor

KINDS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


# What TensorFlow calls these dtypes in messages.
WORDS = {dtypes.float32: "float", dtypes.float64: "double"}


def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    """The columns of records of comma separated values: a tensor of the shape of `records` for each.

    Args:
      records: a string tensor, each element one record.
      record_defaults: for each column a scalar or a vector of one value, which stands for empty fields and tells the
        dtype (float32, float64, int32, int64 or string); an empty vector where a field must not be empty.
      field_delim: what separates fields.
      use_quote_delim: whether `"` around a field lets it hold separators and, doubled, quotes.
      na_value: another text that means an empty field.
      select_cols: the sorted numbers of the columns that are wanted; `record_defaults` is for these alone.

    >>> numbers, names = tf.io.decode_csv(["1,a", "2,b", ",c"], [[-1], [""]])
    >>> numbers.numpy(), names.numpy()
    (array([ 1,  2, -1], dtype=int32), array([b'a', b'b', b'c'], dtype=object))
    """
    x = check_strings("decode_csv", "records", records)
    defaults = [tensor(d) for d in record_defaults]
    for i, default in enumerate(defaults):
        if default.dtype in KINDS and default.ndim > 1:
            raise errors.build(
                errors.ShapeError,
                f"decode_csv: Each record default should be at most rank 1, but record_defaults[{i}] has shape {default.shape}.",
                "give one value, or none.",
            )
        if default.dtype not in KINDS or (default.ndim and default.shape[0] > 1):
            raise errors.build(
                errors.DTypeError if default.dtype not in KINDS else errors.ShapeError,
                f"decode_csv: record_defaults[{i}] must be one number or string, or empty, got dtype {default.dtype.name} and shape {default.shape}.",
                "give one value, or none, of float32, float64, int32, int64 or string.",
            )
    columns = _columns(select_cols, len(defaults))
    found = _decode_csv(
        x,
        *defaults,
        columns=columns,
        delimiter=_delimiter(field_delim),
        quotes=use_quote_delim,
        empty=na_value.encode(),
    )
    return list(found)


def _specs(x: Spec, *defaults: Spec, **params: Any) -> tuple[Spec, ...]:
    return tuple([Spec(x.shape, d.dtype) for d in defaults])


@hosted(_specs)
def _decode_csv(
    lines: Any, *defaults: Any, columns: tuple[int, ...] | None, delimiter: bytes, quotes: bool, empty: bytes
) -> tuple[Any, ...]:
    rows = [
        _chosen(split(line, delimiter, quotes), columns, len(defaults), i) for i, line in enumerate(np.ravel(lines))
    ]
    found = []
    for number, default in enumerate(defaults):
        fields = [row[number] for row in rows]
        column = _column(fields, {b"", empty}, default, number).reshape(lines.shape)
        found.append(column if lines.ndim or column.dtype == object else column[()])
    return tuple(found)


def _delimiter(text: str) -> bytes:
    if len(text.encode()) != 1 or text in '"\n\r':
        raise errors.build(
            errors.InvalidArgumentError,
            f'decode_csv: field_delim must be a single character other than ", \\n and \\r, got {text!r}.',
            "use a comma, a semicolon or a tab.",
        )
    return text.encode()


def _columns(select_cols: Any, count: int) -> tuple[int, ...] | None:
    if select_cols is None:
        return None
    columns = tuple([int(c) for c in select_cols])
    if any(c < 0 for c in columns):
        what = f"decode_csv: select_cols contains negative values, got {list(columns)}."
        raise ValueError(errors.compose(what, "columns count from 0."))
    if any(b <= a for a, b in itertools.pairwise(columns)):
        what = f"decode_csv: select_cols is not strictly increasing, got {list(columns)}."
        raise ValueError(errors.compose(what, "sort the columns."))
    if len(columns) != count:
        raise ValueError(
            errors.compose(
                f"decode_csv: {len(columns)} select_cols and {count} record_defaults: Length of select_cols and "
                "record_defaults do not match.",
                "give a default for each selected column.",
            )
        )
    return columns


def _chosen(fields: list[bytes], columns: tuple[int, ...] | None, count: int, record: int) -> Sequence[bytes]:
    if columns is None and len(fields) == count:
        return fields
    if columns is not None and (not columns or columns[-1] < len(fields)):
        return [fields[c] for c in columns]
    there = len(fields) if columns is None else sum(c < len(fields) for c in columns)
    raise errors.build(
        errors.InvalidArgumentError,
        f"decode_csv: Expect {count} fields but have {there} in record {record}",
        "give a default for each column, or select_cols.",
    )


def split(line: bytes, delimiter: bytes, quotes: bool) -> list[bytes]:
    """The fields of a record."""
    if not quotes or b'"' not in line:
        if quotes and (b"\n" in line or b"\r" in line):
            raise _misquoted("Unquoted fields cannot have quotes/CRLFs inside")
        return line.split(delimiter)
    fields, place = [], 0
    while True:
        if line[place : place + 1] == b'"':
            field, place = _quoted(line, place + 1)
            if place < len(line) and line[place : place + 1] != delimiter:
                raise _misquoted("Quoted field has to end with quote followed by delim or end")
        else:
            end = line.find(delimiter, place)
            end = len(line) if end < 0 else end
            field, place = line[place:end], end
            if any(mark in field for mark in (b'"', b"\n", b"\r")):
                raise _misquoted("Unquoted fields cannot have quotes/CRLFs inside")
        fields.append(field)
        if place >= len(line):
            return fields
        place += 1


def _quoted(line: bytes, start: int) -> tuple[bytes, int]:
    """The field whose opening quote is before `start`, and the place after the closing one."""
    place = start
    while (end := line.find(b'"', place)) >= 0:
        if line[end + 1 : end + 2] != b'"':
            return line[start:end].replace(b'""', b'"'), end + 1
        place = end + 2
    raise _misquoted("Quoted field has to end with quote followed by delim or end")


def _misquoted(what: str) -> Exception:
    return errors.build(
        errors.InvalidArgumentError, f"decode_csv: {what}", "correct the record, or use_quote_delim=False."
    )


def _column(fields: list[bytes], empty: set[bytes], default: Any, number: int) -> Any:
    """The values of a column."""
    dtype = dtypes.from_numpy(default.dtype)
    parse = _parser(dtype)
    given = list(np.ravel(default))
    values = []
    for record, field in enumerate(fields):
        if field in empty:
            if not given:
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"decode_csv: Field {number} is required but missing in record {record}!",
                    "give a default value in record_defaults.",
                )
            values.append(given[0])
            continue
        try:
            values.append(parse(field))
        except ValueError:
            raise errors.build(
                errors.InvalidArgumentError,
                f"decode_csv: Field {number} in record {record} is not a valid {WORDS.get(dtype, dtype.name)}: {field.decode(errors='replace')}",
                "correct the record, or read the column as strings.",
            ) from None
    return objects(values) if dtype is dtypes.string else np.array(values, dtype.numpy)


def _parser(dtype: dtypes.DType) -> Callable[[bytes], Any]:
    if dtype is dtypes.string:
        return lambda field: field
    return lambda field: numerals.parse(field, dtype)
