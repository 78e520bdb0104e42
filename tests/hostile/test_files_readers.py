"""Readers of damaged files: they raise TensorFlow's errors, and take neither long nor much memory."""

from __future__ import annotations

import errno
import gzip
import os
import struct
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.io._tfrecord import masked, read_records
from gradtape.protos import wire_format
from gradtape.protos.message import DecodeError
from gradtape.protos.tensor_proto import TensorProto
from hostile import mutations
from hostile.formats import FORMATS, record

# Messages raise what protobuf's raise.
DOCUMENTED = (tf.errors.OpError, DecodeError)
PEAK = 64 << 20  # bytes


@pytest.fixture(autouse=True, scope="module")
def memory_is_traced() -> Iterator[None]:
    """Once for all tests: CPython 3.11 may crash if tracing begins or ends while another thread decompresses."""
    tracemalloc.start()
    yield
    tracemalloc.stop()


def tried(read: Callable[[Path], Any], path: Path) -> str:
    """What became of a file: the class of the error, or "read"; an assertion if it took long or much memory."""
    start, before = time.perf_counter(), tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    try:
        read(path)
        return "read"
    except DOCUMENTED as problem:
        return type(problem).__name__
    finally:
        peak = tracemalloc.get_traced_memory()[1] - before
        assert peak < PEAK, peak
        assert time.perf_counter() - start < 20


@pytest.mark.parametrize("name", FORMATS)
def test_changed_bytes(name: str, tmp_path: Path, rounds: Any, caplog: Any) -> None:
    made = FORMATS[name].make(tmp_path)
    found = set()
    for seed in range(rounds(12, 2000)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "file").write_bytes(mutations.of_bytes(made, seed))
        found.add(tried(FORMATS[name].read, folder / "file"))
    assert found


def test_keys_of_maps_that_are_no_texts() -> None:
    """Messages keep the entry as an unknown field, parsers refuse it."""
    feature = wire_format.delimited(3, wire_format.delimited(1, wire_format.varint(5)))
    entry = wire_format.tag(1, wire_format.VARINT) + wire_format.varint(7) + wire_format.delimited(2, feature)
    data = wire_format.delimited(1, wire_format.delimited(1, entry))
    message = tf.train.Example.FromString(data)
    assert not message.features.feature
    assert message.SerializeToString() == data
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse"):
        tf.io.parse_single_example(data, {"": tf.io.FixedLenFeature([], tf.int64)})


@pytest.mark.parametrize("name", FORMATS)
def test_the_file_itself(name: str, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    made = FORMATS[name].make(tmp_path / "made")
    (tmp_path / "file").write_bytes(made)
    assert tried(FORMATS[name].read, tmp_path / "file") == "read"


def test_headers_of_checkpoints_with_valid_checksums(tmp_path: Path, rounds: Any) -> None:
    made = FORMATS["checkpoint"].make(tmp_path)
    start = len(b"gradtape checkpoint 1\n")
    length = struct.unpack_from("<Q", made, start)[0]
    header = made[start + 12 : start + 12 + length]
    for seed in range(rounds(40, 3000)):
        text = mutations.of_json(header, seed).encode().ljust(length)
        folder = tmp_path / str(seed)
        folder.mkdir()
        front = struct.pack("<QI", len(text), zlib.crc32(text))
        (folder / "file").write_bytes(made[:start] + front + text + made[start + 12 + length :])
        tried(FORMATS["checkpoint"].read, folder / "file")


def test_records_of_datasets_with_valid_checksums(tmp_path: Path, rounds: Any) -> None:
    (tmp_path / "made").write_bytes(FORMATS["dataset"].make(tmp_path))
    first, *others = read_records(str(tmp_path / "made"))
    for seed in range(rounds(40, 3000)):
        if seed % 2:
            changed = [mutations.of_json(first, seed).encode(), *others]
        else:
            line, _, data = others[seed // 2 % 2].partition(b"\n")
            head = mutations.of_json(line, seed).encode()
            changed = [first, *others]
            changed[1 + seed // 2 % 2] = head + b"\n" + data
        (tmp_path / "file").write_bytes(b"".join([record(r) for r in changed]))
        tried(FORMATS["dataset"].read, tmp_path / "file")


@pytest.mark.parametrize("size", [2**31, 2**40, 2**63, 2**64 - 4])
@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_a_record_that_claims_to_be_enormous(size: int, kind: str, tmp_path: Path) -> None:
    length = struct.pack("<Q", size)
    data = length + struct.pack("<I", masked(length)) + b"few bytes"
    packed = {"": data, "GZIP": gzip.compress(data), "ZLIB": zlib.compress(data)}[kind]
    (tmp_path / "file").write_bytes(packed)
    assert tried(lambda p: list(tf.data.TFRecordDataset(str(p), kind)), tmp_path / "file") == "DataLossError"


def tensor(shape: list[int], **parts: Any) -> bytes:
    proto = TensorProto(dtype=1, **parts)
    for n in shape:
        proto.tensor_shape.dim.add().size = n
    return proto.SerializeToString()


@pytest.mark.parametrize("shape", [[2**33, 2**33], [2**62], [2**40], [-1], [2, -3], [3], [1] * 200])
def test_a_tensor_that_claims_to_be_enormous(shape: list[int], tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(tensor(shape, tensor_content=np.ones(2, np.float32).tobytes()))
    read = lambda p: tf.io.parse_tensor(p.read_bytes(), tf.float32)  # noqa: E731
    assert tried(read, tmp_path / "file") == "InvalidArgumentError"
    (tmp_path / "file").write_bytes(tensor(shape, float_val=[1.0, 2.0]))
    assert tried(read, tmp_path / "file") == ("read" if shape == [3] else "InvalidArgumentError")


def test_one_value_that_stands_for_many_takes_no_memory(tmp_path: Path) -> None:
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    found = tf.io.parse_tensor(tensor([2**20, 2**10], float_val=[3.0]), tf.float32)
    assert tracemalloc.get_traced_memory()[1] - before < PEAK
    assert found.shape == [2**20, 2**10]
    assert float(found[-1, -1]) == 3.0


@pytest.mark.parametrize("depth", [900, 100_000])
def test_deep_json(depth: int) -> None:
    for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.decode_json_example('{"features": {"feature": {"a": ' + text + "}}}")


def test_an_image_that_claims_to_be_enormous() -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    for depth in (8, 16):
        head = struct.pack(">IIBBBBB", 60_000, 60_000, depth, 2, 0, 0, 0)
        data = (
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", head)
            + chunk(b"IDAT", zlib.compress(bytes(10**7)))
            + chunk(b"IEND", b"")
        )
        for dtype in (tf.uint8, tf.uint16):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid PNG data"):
                tf.io.decode_png(data, dtype=dtype)


def test_a_pipe_in_place_of_a_file(tmp_path: Path) -> None:
    """Nobody writes into it: whoever waited for it would wait for ever."""
    os.mkfifo(tmp_path / "saved_model.json")
    with pytest.raises(tf.errors.OpError, match="Not a plain file"):
        tf.saved_model.load(tmp_path)
    os.mkfifo(tmp_path / "ckpt.index")
    with pytest.raises(tf.errors.OpError, match="Not a plain file"):
        tf.train.load_checkpoint(tmp_path / "ckpt")
    os.mkfifo(tmp_path / "checkpoint")
    assert tf.train.latest_checkpoint(tmp_path) is None


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.ENOENT])
def test_files_that_cannot_be_opened(code: int, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "file").write_bytes(b"")

    def fails(*args: Any, **kwargs: Any) -> Any:
        raise OSError(code, os.strerror(code), str(tmp_path / "file"))

    path = str(tmp_path / "file")
    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", fails)
        for read in (
            lambda: tf.io.read_file(path),
            lambda: list(tf.data.TFRecordDataset(path)),
            lambda: list(tf.data.TextLineDataset(path)),
            lambda: tf.io.gfile.GFile(path).read(),
            lambda: tf.lookup.TextFileInitializer(path, tf.string, -2, tf.int64, -1).entries(),
        ):
            with pytest.raises(tf.errors.OpError):
                read()
