"""Files of elements: caches, saved datasets, their writers and their damage."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def numbers(dataset: Any) -> list[Any]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    ds = Dataset.range(4).cache(str(tmp_path / "c"))
    first, second = iter(ds), iter(ds)
    next(first)
    with pytest.raises(tf.errors.AlreadyExistsError, match="another iterator"):
        next(second)
    assert [int(x) for x in first] == [1, 2, 3]
    assert numbers(ds) == [0, 1, 2, 3]
    assert [p.name for p in tmp_path.iterdir()] == ["c"]


def test_a_cache_is_not_complete_after_half_of_it(tmp_path: Path) -> None:
    path = tmp_path / "c"
    ds = Dataset.range(4).cache(str(path))
    iterator = iter(ds)
    next(iterator)
    del iterator
    assert not list(tmp_path.iterdir())
    assert numbers(ds) == [0, 1, 2, 3]


def test_what_killed_writers_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".c.gradtape-1-99999999").write_bytes(b"half")
    (tmp_path / "c.lockfile").write_bytes(b"")
    assert numbers(Dataset.range(3).cache(str(tmp_path / "c"))) == [0, 1, 2]
    assert [p.name for p in tmp_path.iterdir()] == ["c"]


@pytest.mark.parametrize("compression", [None, "GZIP"])
def test_composites_are_saved(tmp_path: Path, compression: Any) -> None:
    rows = tf.ragged.constant([[[1], [2, 3]], [[4]]])
    ds = Dataset.from_tensor_slices({"r": rows, "n": [1, 2]}).map(
        lambda d: {**d, "s": tf.SparseTensor([[0]], [d["n"]], [3])}
    )
    ds.save(str(tmp_path / "saved"), compression=compression)
    loaded = Dataset.load(str(tmp_path / "saved"), compression=compression)
    assert len(loaded) == 2
    assert loaded.element_spec == ds.element_spec
    assert [d["r"].to_list() for d in loaded] == [[[1], [2, 3]], [[4]]]
    assert [d["s"].values.numpy().tolist() for d in loaded] == [[1], [2]]


def test_saving_again_replaces(tmp_path: Path) -> None:
    for count in (5, 2, 0):
        Dataset.range(count).save(str(tmp_path / "saved"))
        loaded = Dataset.load(str(tmp_path / "saved"))
        assert len(loaded) == count
        assert numbers(loaded) == list(range(count))
        assert loaded.element_spec == tf.TensorSpec([], tf.int64)
        assert len(list((tmp_path / "saved").iterdir())) == 2


def test_a_save_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = str(tmp_path / "saved")
    Dataset.range(3).save(path)
    with pytest.raises(tf.errors.InvalidArgumentError):
        Dataset.range(3).map(lambda x: 1 // (x - 2)).save(path)
    assert numbers(Dataset.load(path)) == [0, 1, 2]
    assert len(list((tmp_path / "saved").iterdir())) == 2


@pytest.mark.parametrize(
    "damage",
    [
        "[]",
        "{",
        '{"file": "../x", "count": 1, "spec": null}',
        '{"file": "x", "count": -1, "spec": null}',
        "[" * 9999,
        '{"file": "elements-0123456789abcdef.tfrecord", "count": 99999999999999999999, "spec": null}',
    ],
)
def test_damaged_metadata(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "saved"
    Dataset.range(3).save(str(path))
    (path / "metadata.json").write_text(damage)
    with pytest.raises(tf.errors.DataLossError):
        Dataset.load(str(path))
    Dataset.range(2).save(str(path))  # as the message says
    assert numbers(Dataset.load(str(path))) == [0, 1]


@pytest.mark.parametrize(
    "record",
    [
        b"no json",
        b'{"dtype": "int64", "shape": [4]}\n12',
        b'{"dtype": "string", "shape": [2], "sizes": [1]}\nabc',
        b'{"dtype": "string", "shape": [1], "sizes": [-5]}\nabc',
        b'{"dtype": "nothing", "shape": []}\n',
        b'{"shape": []}\n',
    ],
)
def test_damaged_elements(tmp_path: Path, record: bytes) -> None:
    path = str(tmp_path / "c")
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(json.dumps({"kind": "tensor", "dtype": "int64", "shape": []}).encode())
        writer.write(record)
    with pytest.raises(tf.errors.DataLossError):
        list(Dataset.range(3).cache(path))


def test_elements_of_an_unknown_spec_may_differ_in_shape(tmp_path: Path) -> None:
    ds = Dataset.range(4).map(lambda x: tf.zeros([x.numpy()]))  # which no trace can tell
    lengths = [0, 1, 2, 3]
    assert [len(x) for x in ds.cache(str(tmp_path / "c"))] == lengths
    assert [len(x) for x in ds.cache(str(tmp_path / "c"))] == lengths
    assert [len(x) for x in ds.snapshot(str(tmp_path / "s"))] == lengths
    assert sorted(len(x) for x in ds.snapshot(str(tmp_path / "s"))) == lengths
    ds.save(str(tmp_path / "saved"))
    assert [len(x) for x in Dataset.load(str(tmp_path / "saved"))] == lengths


@pytest.mark.parametrize("sharded", [False, True])
def test_elements_have_the_spec_that_the_program_gives(tmp_path: Path, sharded: bool) -> None:
    path = str(tmp_path / "saved")
    Dataset.range(2).save(path, shard_func=(lambda x: x) if sharded else None)
    wider = Dataset.load(path, {"a": tf.TensorSpec(None, tf.int64)})
    assert [d["a"].numpy() for d in wider] == [0, 1]
    for spec, message in [
        (tf.TensorSpec([], tf.float32), "Data type mismatch at component 0: expected float32 but got int64"),
        (tf.TensorSpec([3], tf.int64), "Incompatible shapes at component 0"),
        ((tf.TensorSpec([], tf.int64),) * 2, "Number of components mismatch: expected 2 but got 1"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            list(Dataset.load(path, spec))


@pytest.mark.parametrize("splits", [[0, 2, 10**9], [0, 3, 2], [1, 1, 3], [], [0, 2], None])
def test_damaged_rows(tmp_path: Path, splits: Any) -> None:
    path = str(tmp_path / "c")
    rows = tf.ragged.constant([[1], [2, 3]])
    list(Dataset.from_tensors(rows).cache(path))
    spec, values, _ = [bytes(x.numpy()) for x in tf.data.TFRecordDataset(path)]
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(spec)
        writer.write(values)
        if splits is not None:
            head = json.dumps({"dtype": "int64", "shape": [len(splits)]}).encode()
            writer.write(head + b"\n" + np.array(splits, np.int64).tobytes())
    with pytest.raises(tf.errors.DataLossError, match="the file holds no elements"):
        list(Dataset.from_tensors(rows).cache(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_place_of_elements_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "saved"
    Dataset.range(3).save(str(path))
    (elements,) = path.glob("elements-*")
    elements.unlink()
    os.mkfifo(elements)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Not a plain file"):
        list(Dataset.load(str(path)))


def test_readers_go_on_with_the_next_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\n")
    (tmp_path / "z").write_bytes(b"no gzip")
    paths = [str(tmp_path / name) for name in ("a", "missing", "a")]
    assert numbers_of_lines(tf.data.TextLineDataset(paths).ignore_errors()) == [b"one", b"one"]
    with pytest.raises(tf.errors.DataLossError):
        list(tf.data.TextLineDataset(str(tmp_path / "z"), compression_type="GZIP"))


def numbers_of_lines(dataset: Any) -> list[bytes]:
    return [bytes(x.numpy()) for x in dataset]


def test_a_writer_that_is_dropped_after_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for ds in (Dataset.range(4).cache(str(folder / "c")), Dataset.range(4).snapshot(str(folder))):
        iterator = iter(ds)
        next(iterator)
        shutil.rmtree(folder)
        elements = iterator._elements
        del iterator
        elements.close()  # raises nothing, and does not go on
