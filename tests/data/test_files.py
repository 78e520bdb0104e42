"""TFRecord, text, fixed length and CSV files."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.io._tfrecord import crc32c

Dataset = tf.data.Dataset


def texts(dataset: Any) -> list[bytes]:
    return [x.numpy() for x in dataset]


def bitwise(data: bytes) -> int:
    """CRC-32C, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_crc32c() -> None:
    # The check value of the catalogue of CRC algorithms, and values of RFC 3720, B.4.
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    data = np.random.default_rng(0).integers(0, 256, 5000, np.uint8).tobytes()
    for size in (0, 1, 511, 512, 513, 514, 515, 516, 1024, 1025, 4999):
        assert crc32c(data[:size]) == bitwise(data[:size])


def test_bytes_of_the_format(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(b"abc")
    # What TensorFlow 2.21 writes.
    assert path.read_bytes().hex() == "0300000000000000b099490e6162636e57f121"


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records(tmp_path: Path, kind: str) -> None:
    path = str(tmp_path / "a")
    records = [b"", b"x" * 3000, bytes(range(256))]
    with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions(kind)) as writer:
        for record in records:
            writer.write(record)
        writer.flush()
    assert texts(tf.data.TFRecordDataset(path, kind)) == records
    raw = Path(path).read_bytes()
    if kind:
        plain = gzip.decompress(raw) if kind == "GZIP" else zlib.decompress(raw)
        assert len(plain) == sum(16 + len(r) for r in records)


def test_damaged_records(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(b"one")
        writer.write(b"two")
    whole = path.read_bytes()
    for damage in (whole[:-1], whole[:20], whole[:13] + b"?" + whole[14:], b"?" + whole[1:]):
        path.write_bytes(damage)
        with pytest.raises(tf.errors.DataLossError):
            texts(tf.data.TFRecordDataset(str(path)))
    with pytest.raises(tf.errors.NotFoundError):
        texts(tf.data.TFRecordDataset(str(tmp_path / "nothing")))
    with pytest.raises(ValueError, match="compression_type"):
        tf.data.TFRecordDataset(str(path), "LZ")
    with tf.io.TFRecordWriter(str(tmp_path / "b")) as writer, pytest.raises(TypeError, match="bytes"):
        writer.write(3)


def test_records_of_text(tmp_path: Path) -> None:
    with tf.io.TFRecordWriter(str(tmp_path / "a")) as writer:
        writer.write("é")
    assert [x.decode() for x in tf.data.TFRecordDataset(str(tmp_path / "a")).as_numpy_iterator()] == ["é"]


def test_several_files(tmp_path: Path) -> None:
    for i in range(3):
        (tmp_path / f"{i}.txt").write_text(f"{i}a\r\n{i}b\n")
    names = Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False)
    assert [Path(n.decode()).name for n in names.as_numpy_iterator()] == ["0.txt", "1.txt", "2.txt"]
    assert texts(tf.data.TextLineDataset(names)) == [b"0a", b"0b", b"1a", b"1b", b"2a", b"2b"]
    parallel = tf.data.TextLineDataset(names, num_parallel_reads=2)
    assert sorted(texts(parallel)) == [b"0a", b"0b", b"1a", b"1b", b"2a", b"2b"]
    inner = names.interleave(tf.data.TextLineDataset, cycle_length=3)
    assert texts(inner) == [b"0a", b"1a", b"2a", b"0b", b"1b", b"2b"]
    assert inner.element_spec == tf.TensorSpec([], tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched"):
        Dataset.list_files(str(tmp_path / "*.csv"))


def test_fixed_length(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"HHaabbccF")
    assert texts(tf.data.FixedLengthRecordDataset(path, 2, 2, 1)) == [b"aa", b"bb", b"cc"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="9 bytes"):
        texts(tf.data.FixedLengthRecordDataset(path, 4))


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('i,f,s\n1,2.5,"a,b"\n2,,NA\n')
    form: dict[str, Any] = {"header": True, "na_value": "NA"}
    dataset = tf.data.experimental.CsvDataset(str(path), [tf.int32, [-1.0], "none"], **form)
    found = list(dataset.as_numpy_iterator())
    assert found == [(1, 2.5, b"a,b"), (2, -1.0, b"none")]
    assert dataset.element_spec[1] == tf.TensorSpec([], tf.float32)
    chosen = tf.data.experimental.CsvDataset(str(path), [tf.string], select_cols=[2], header=True)
    assert [s.numpy() for (s,) in chosen] == [b"a,b", b"NA"]
    for defaults in ([tf.int32, tf.float32, tf.string], [tf.int32, tf.float32]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="line"):
            list(tf.data.experimental.CsvDataset(str(path), defaults, **form))


def test_a_csv_table_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_bytes(b"")
    with pytest.raises(ValueError, match="failed when reading the header line"):
        tf.data.experimental.make_csv_dataset(str(tmp_path / "empty.csv"), 2)


def test_make_csv_dataset(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("i,f,s,y\n" + "".join(f"{i},{i}.5,w{i},{i % 2}\n" for i in range(5)))
    dataset = tf.data.experimental.make_csv_dataset(str(path), 2, label_name="y", num_epochs=1, shuffle=False)
    features, labels = next(iter(dataset))
    assert {name: t.dtype for name, t in features.items()} == {"i": tf.int32, "f": tf.float32, "s": tf.string}
    assert labels.numpy().tolist() == [0, 1]
    assert [len(y) for _, y in dataset] == [2, 2, 1]
    endless = tf.data.experimental.make_csv_dataset(str(path), 3, select_columns=["i"], shuffle_seed=1)
    assert [batch["i"].shape for batch in endless.take(4)] == [[3]] * 4


def test_patterns_that_fit_the_same_file(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(name)
    patterns = [str(tmp_path / "b"), str(tmp_path / "*")]
    found = [Path(n.decode()).name for n in Dataset.list_files(patterns, shuffle=False).as_numpy_iterator()]
    assert found == ["a", "b", "b"]
    assert [Path(n.decode()).name for n in tf.io.matching_files(patterns).numpy()] == ["a", "b", "b"]
    assert [Path(n).name for n in tf.io.gfile.glob(patterns)] == ["b", "a", "b"]
    assert list(tf.data.TextLineDataset([])) == []


def test_objects_without_rows() -> None:
    class Pair(tf.experimental.ExtensionType):
        values: tf.Tensor

    with pytest.raises(TypeError, match="has no rows"):
        Dataset.from_tensor_slices(Pair(tf.constant([1.0])))


def test_records_that_a_dataset_writes(tmp_path: Path) -> None:
    """In a function, at each run of it; elements that are no strings are refused."""
    path = str(tmp_path / "a")

    @tf.function
    def write() -> Any:
        tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.from_tensor_slices(["x", "y"]))
        return "written"

    for _ in range(2):
        assert write().numpy() == b"written"
        assert list(tf.data.TFRecordDataset(path).as_numpy_iterator()) == [b"x", b"y"]
        (tmp_path / "a").unlink()
    for wrong in (["x"], tf.data.Dataset.range(2), tf.data.Dataset.from_tensors(["x"])):
        with pytest.raises(TypeError, match="Invalid `dataset`"):
            tf.data.experimental.TFRecordWriter(path).write(wrong)
