"""Datasets that functions make of arguments whose values they do not know yet, and datasets among elements."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def test_names_of_files_are_arguments(tmp_path: Path) -> None:
    for name, text in [("a", "ab\nc\n"), ("b", "def\n")]:
        (tmp_path / name).write_text(text)

    @tf.function
    def characters(paths: Any) -> Any:
        count = tf.constant(0)
        for line in tf.data.TextLineDataset(paths):
            count += tf.strings.length(line)
        return count

    @tf.function
    def listed(pattern: Any) -> Any:
        return Dataset.list_files(pattern, shuffle=False).batch(9).get_single_element()

    assert int(characters(tf.constant(str(tmp_path / "a")))) == 3
    assert int(characters(tf.constant(str(tmp_path / "b")))) == 3
    assert int(characters([str(tmp_path / "a"), str(tmp_path / "b")])) == 6
    assert [Path(p.decode()).name for p in listed(tf.constant(f"{tmp_path}/*")).numpy()] == ["a", "b"]


def test_records_of_files_that_are_arguments(tmp_path: Path) -> None:
    path = str(tmp_path / "r")
    with tf.io.TFRecordWriter(path) as writer:
        for record in (b"x", b"y", b"z"):
            writer.write(record)
    count = tf.function(lambda p: tf.data.TFRecordDataset(p).reduce(tf.constant(0), lambda n, x: n + 1))
    assert int(count(tf.constant([path, path]))) == 6


def test_a_loop_over_windows() -> None:
    @tf.function
    def products(ds: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for number, window in ds.window(2).enumerate():
            for x in window:
                total += number * x
        return total

    assert int(products(Dataset.range(5))) == 2 + 3 + 8
    assert int(products(Dataset.range(3))) == 2


def test_the_length_of_an_argument() -> None:
    length = tf.function(lambda ds: len(ds))
    assert int(length(Dataset.range(5))) == 5
    assert int(length(Dataset.range(3))) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="definitive cardinality"):
        length(Dataset.range(3).repeat())


def test_mappings_keep_their_class() -> None:
    counts = collections.defaultdict(int, b=1, a=2)
    for ds in (Dataset.from_tensors(counts), Dataset.range(1).map(lambda _: counts)):
        (element,) = ds.batch(1)
        assert type(element) is collections.defaultdict
        assert element.default_factory is int
        assert [int(element[key][0]) for key in ("a", "b")] == [2, 1]


def test_classes_of_specs() -> None:
    assert tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)).value_type is Dataset
    spec = tf.data.IteratorSpec.from_value(iter(Dataset.range(2)))
    assert spec.value_type is tf.data.Iterator
    assert repr(spec) == "IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)"


def test_refusals() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_reads"):
        tf.data.TextLineDataset("a", num_parallel_reads=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Rank of input SparseTensor"):
        Dataset.from_tensor_slices(tf.SparseTensor([[0]], [1], [2]))
    parse = tf.data.experimental.parse_example_dataset({"x": tf.io.FixedLenFeature([], tf.int64)})
    with pytest.raises(TypeError, match="dataset of vectors of strings"):
        Dataset.from_tensors("a").apply(parse)
