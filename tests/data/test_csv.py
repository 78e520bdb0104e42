"""CSV files: what records are, which errors they may hold, and what their columns are taken for."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf

CsvDataset, make_csv_dataset = tf.data.experimental.CsvDataset, tf.data.experimental.make_csv_dataset


def written(folder: Path, text: str, name: str = "a.csv") -> str:
    (folder / name).write_bytes(text.encode())
    return str(folder / name)


def records(dataset: Any) -> list[Any]:
    """The elements, or the first lines of errors in their places."""
    iterator, found = iter(dataset), []
    while True:
        try:
            found.append(tuple(x.numpy() for x in next(iterator)))
        except StopIteration:
            return found
        except tf.errors.InvalidArgumentError as error:
            found.append(str(error).partition("\n")[0])


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_quoted_fields_hold_lines_and_quotes(tmp_path: Path, end: str) -> None:
    path = written(tmp_path, f'a,"b\n\nx","""c""\r0"{end}"",f,g{end}')
    assert records(CsvDataset(path, [["none"]] * 3)) == [(b"a", b"b\n\nx", b'"c"\r0'), (b"none", b"f", b"g")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('1,2"3', "Unquoted fields cannot have quotes inside"),
        ('"a"b",c', "Quote inside a string has to be escaped"),
        ("1", "Expect 2 fields but have 1"),
        ("", "Expect 2 fields but have 1"),
        ("1,2,3", "Expect 2 fields but have more"),
    ],
)
def test_the_record_after_a_wrong_one_is_read(tmp_path: Path, line: str, message: str) -> None:
    ds = CsvDataset(written(tmp_path, f"x,y\n{line}\nz,w"), [[""]] * 2)
    first, wrong, last = records(ds)
    assert (first, last) == ((b"x", b"y"), (b"z", b"w"))
    assert message in wrong
    assert records(ds.ignore_errors()) == [first, last]


def test_errors_of_fields_and_files(tmp_path: Path) -> None:
    (open_,) = records(CsvDataset(written(tmp_path, 'a,"b'), [[""]] * 2))
    assert "Reached end of file without closing quoted field" in open_
    (required,) = records(CsvDataset(written(tmp_path, "0,"), [[], []]))
    assert "Field 1 is required but missing" in required
    (number,) = records(CsvDataset(written(tmp_path, "1.5"), [tf.int32]))
    assert "Field 0 in record is not a valid int32: 1.5" in number
    (header,) = records(CsvDataset(written(tmp_path, ""), [tf.int32], header=True))
    assert "Can't read header of file" in header
    assert records(CsvDataset(written(tmp_path, "0\n\n2"), [["none"]])) == [(b"0",), (b"none",), (b"2",)]


@pytest.mark.parametrize(
    ("dtype", "text", "value"),
    [(tf.int32, " +5\t", 5), (tf.float32, "0x10", 16), (tf.float32, "1e39", math.inf), (tf.float64, "1e400", math.inf)],
)
def test_numbers_are_read_as_in_tensorflow(tmp_path: Path, dtype: Any, text: str, value: Any) -> None:
    assert records(CsvDataset(written(tmp_path, text), [dtype])) == [(value,)]
    assert tf.io.decode_csv([text], [tf.constant([], dtype)])[0].numpy().tolist() == [value]


@pytest.mark.parametrize(("dtype", "text"), [(tf.int32, "1_000"), (tf.float32, "1_0.5"), (tf.int32, "\u0663")])
def test_numbers_of_python_only_are_refused(tmp_path: Path, dtype: Any, text: str) -> None:
    (found,) = records(CsvDataset(written(tmp_path, text), [dtype]))
    name = "float" if dtype is tf.float32 else dtype.name
    assert f"not a valid {name}: {text}" in found
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"not a valid {name}"):
        tf.io.decode_csv([text], [tf.constant([], dtype)])


@pytest.mark.parametrize("default", [tf.bool, tf.uint8, tf.complex64, [True]])
def test_columns_of_other_dtypes_are_refused(default: Any) -> None:
    with pytest.raises(ValueError, match="record_defaults must be of float32"):
        CsvDataset("a.csv", [default])


def test_a_quote_that_is_never_closed_takes_time_in_proportion(tmp_path: Path) -> None:
    text = '"' + "a,b\n" * 100_000
    start = time.process_time()
    (found,) = records(CsvDataset(written(tmp_path, text), [[""]] * 2))
    assert "without closing quoted field" in found
    assert time.process_time() - start < 5  # minutes, if each line were to look at all those before it


@pytest.mark.parametrize(
    "options",
    [
        {"buffer_size": 0},
        {"field_delim": "::"},
        {"select_cols": [-1]},
        {"select_cols": [0, 1]},
        {"compression_type": "RAR"},
        {"record_defaults": [tf.constant([[0]])]},
    ],
)
def test_arguments_are_checked(options: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        CsvDataset("a.csv", **{"record_defaults": [[""]], **options})


def test_columns_that_are_left_out_count(tmp_path: Path) -> None:
    path = written(tmp_path, "1,2,3")
    assert records(CsvDataset(path, [tf.int32], exclude_cols=[1, 2])) == [(1,)]
    assert "Expect 1 fields but have more" in records(CsvDataset(path, [tf.int32], exclude_cols=[0]))[0]
    assert "Expect 3 fields but have 2" in records(CsvDataset(path, [tf.int32] * 3, exclude_cols=[0]))[0]


def test_columns_are_of_the_narrowest_dtype(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b,c,d,e,f\n0,8589934592,2.0,3e50,rabbit,\n")
    (row,) = make_csv_dataset(path, 1, num_epochs=1, shuffle=False)
    assert isinstance(row, OrderedDict)
    assert [x.dtype for x in row.values()] == [tf.int32, tf.int64, tf.float32, tf.float64, tf.string, tf.string]
    (row,) = make_csv_dataset(path, 1, num_epochs=1, shuffle=False, select_columns=["d", "b"])
    assert list(row) == ["b", "d"]


def test_datasets_of_files_are_checked(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n1,2\nx,3\n4,5\n")
    options: Any = {"column_defaults": [tf.int32] * 2, "num_epochs": 1, "shuffle": False}
    rows = make_csv_dataset(path, 1, ignore_errors=True, **options)
    assert [int(row["b"][0]) for row in rows] == [2, 5]
    for wrong, message in [
        ({"column_names": ["a", "a"]}, "duplicate"),
        ({"label_name": "c"}, "label_name"),
        ({"select_columns": ["c"], "column_defaults": [tf.int32]}, "select_columns"),
        ({"select_columns": [0]}, "column_defaults"),
        ({"column_names": ["a", "b", "c"], "column_defaults": None}, "Problem inferring types"),
    ]:
        with pytest.raises(ValueError, match=message):
            make_csv_dataset(path, 1, **{**options, **wrong})
    with pytest.raises(ValueError, match="No files match"):
        make_csv_dataset(str(tmp_path / "*.tsv"), 1)
    other = written(tmp_path, "b,a\n6,7\n", "b.csv")
    with pytest.raises(ValueError, match="same column names"):
        make_csv_dataset([path, other], 1)
    both = make_csv_dataset([path, other], 1, column_names=["a", "b"], num_parallel_reads=2, **options)
    assert [int(row["b"][0]) for row in both.take(2)] == [2, 7]


def test_names_are_not_read_from_other_compressions(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="`compression_type` ZLIB is not supported"):
        make_csv_dataset(written(tmp_path, "x\n1\n"), 1, compression_type="ZLIB")


def test_one_element_is_not_several() -> None:
    one = tf.data.Dataset.range(3).apply(tf.data.experimental.assert_cardinality(1))
    with pytest.raises(
        tf.errors.FailedPreconditionError, match=r"contain 1 element but contained at least 2 elements\."
    ):
        list(one)
