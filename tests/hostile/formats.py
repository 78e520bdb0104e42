"""Every format of files that is read: the bytes of a small file, and what reads it."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import struct
import wave
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gradtape as tf
from gradtape.io._tfrecord import masked


class Format(NamedTuple):
    """A format.

    Attributes:
      make: gives the bytes of a file; it may use a folder.
      read: reads a file with the bytes in it to the end.
    """

    make: Callable[[Path], bytes]
    read: Callable[[Path], Any]


def record(data: bytes) -> bytes:
    """A record of a TFRecord file."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked(length)) + data + struct.pack("<I", masked(data))


def example() -> Any:
    """A message with features of all kinds."""
    return tf.train.Example(
        features=tf.train.Features(
            feature={
                "f": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
                "i": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2, 3])),
                "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"one", b"two"])),
            }
        )
    )


def _checkpoint(folder: Path) -> bytes:
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), s=tf.Variable(["a", "bc"])).write(folder / "c")
    return Path(path + ".index").read_bytes()


def _read_checkpoint(path: Path) -> None:
    prefix = path.with_suffix("")
    path.rename(prefix.with_suffix(".index"))
    reader = tf.train.load_checkpoint(prefix)
    for name in reader.get_variable_to_shape_map():
        reader.get_tensor(name)
    tf.train.Checkpoint(v=tf.Variable([0.0, 0.0]), s=tf.Variable(["", ""])).restore(prefix)


def _state(folder: Path) -> bytes:
    tf.train.Checkpoint(v=tf.Variable(1.0)).save(folder / "c")
    return (folder / "checkpoint").read_bytes()


def _read_state(path: Path) -> None:
    path.rename(path.parent / "checkpoint")
    tf.train.latest_checkpoint(path.parent)
    tf.train.get_checkpoint_state(path.parent)
    tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1.0)), path.parent, 3)


def _dataset(folder: Path) -> bytes:
    data = tf.data.Dataset.from_tensor_slices({"x": [1.0, 2.0], "y": ["a", "bc"]}).batch(2)
    list(data.cache(str(folder / "d")))
    (file,) = folder.glob("d*")
    return file.read_bytes()


def _parse(path: Path) -> None:
    data = path.read_bytes()
    features = {
        "f": tf.io.FixedLenFeature([2], tf.float32),
        "i": tf.io.VarLenFeature(tf.int64),
        "b": tf.io.RaggedFeature(tf.string),
    }
    tf.io.parse_single_example(data, features)


def _parse_sequence(path: Path) -> None:
    tf.io.parse_single_sequence_example(
        path.read_bytes(), {"i": tf.io.VarLenFeature(tf.int64)}, {"b": tf.io.FixedLenSequenceFeature([], tf.string)}
    )


def _sequence() -> bytes:
    lists = {"b": tf.train.FeatureList(feature=[tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x"]))] * 2)}
    context = tf.train.Features(feature={"i": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})
    message = tf.train.SequenceExample(context=context, feature_lists=tf.train.FeatureLists(feature_list=lists))
    return message.SerializeToString()


def _from_string(kind: Any) -> Callable[[Path], Any]:
    return lambda path: kind.FromString(path.read_bytes())


def _wav(folder: Path) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(range(200)))
    return file.getvalue()


def _image(encode: Any) -> Callable[[Path], bytes]:
    pixels = np.arange(8 * 9 * 3, dtype=np.uint8).reshape(8, 9, 3)
    return lambda folder: encode(pixels).numpy()


def _pillow(kind: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        from PIL import Image

        file = io.BytesIO()
        pixels = np.arange(8 * 9 * 3, dtype=np.uint8).reshape(8, 9, 3)
        frames = [Image.fromarray(pixels), Image.fromarray(pixels[::-1].copy())]
        more = {"save_all": True, "append_images": frames[1:]} if kind == "GIF" else {}
        frames[0].save(file, kind, **more)
        return file.getvalue()

    return make


def _text_table(path: Path) -> None:
    initializer = tf.lookup.TextFileInitializer(str(path), tf.string, 0, tf.int64, 1, delimiter=",")
    tf.lookup.StaticHashTable(initializer, -1).lookup(tf.constant(["a"]))


def _csv(path: Path) -> None:
    for _ in tf.data.experimental.CsvDataset([str(path)], [tf.float32, tf.int32, tf.string]):
        pass
    tf.io.decode_csv(tf.constant(path.read_bytes().split(b"\n")[:2]), [[0.0], [0], [""]])


def _parse_batch(path: Path) -> None:
    """All kinds of features, of two messages at once."""
    features = {
        "f": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
        "i": tf.io.RaggedFeature(tf.int64, partitions=[tf.io.RaggedFeature.UniformRowLength(3)]),
        "b": tf.io.RaggedFeature(tf.string, partitions=[tf.io.RaggedFeature.UniformRowLength(2)]),
    }
    tf.io.parse_example([path.read_bytes(), path.read_bytes()], features)


def _parse_sequences(path: Path) -> None:
    sequences = {"b": tf.io.RaggedFeature(tf.string), "c": tf.io.VarLenFeature(tf.int64)}
    tf.io.parse_sequence_example([path.read_bytes()] * 2, {"i": tf.io.RaggedFeature(tf.int64)}, sequences)


def _save_dataset(folder: Path) -> tuple[Path, bytes]:
    """The file that describes a saved dataset, and the name of that with the elements."""
    tf.data.Dataset.range(5).save(str(folder))
    (metadata,) = folder.glob("*.json")
    return metadata, json.loads(metadata.read_bytes())["file"].encode()


def _saved_dataset(folder: Path) -> bytes:
    metadata, name = _save_dataset(folder / "saved")
    return metadata.read_bytes().replace(name, b"FILE")


def _read_saved_dataset(path: Path) -> None:
    metadata, name = _save_dataset(path.parent / "saved")
    metadata.write_bytes(path.read_bytes().replace(b"FILE", name))
    list(tf.data.Dataset.load(str(metadata.parent)))


def _sparse(folder: Path) -> bytes:
    parts = tf.io.serialize_sparse(tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])).numpy()
    return b"|||".join(parts)


def _read_sparse(path: Path) -> None:
    parts = [*path.read_bytes().split(b"|||"), b"", b"", b""][:3]
    tf.io.deserialize_many_sparse(tf.constant([parts, parts]), tf.float32)


def _csv_table(path: Path) -> None:
    with contextlib.suppress(ValueError):  # the header has other columns than the argument
        list(
            tf.data.experimental.make_csv_dataset(
                str(path), 2, num_epochs=1, column_defaults=[0.0, 0, ""], shuffle=False
            )
        )


FORMATS: dict[str, Format] = {
    "tfrecord": Format(
        lambda f: record(b"one") + record(b"") + record(b"x" * 100),
        lambda p: list(tf.data.TFRecordDataset(str(p))),
    ),
    "tfrecord gzip": Format(
        lambda f: gzip.compress(record(b"one") * 20, mtime=0), lambda p: list(tf.data.TFRecordDataset(str(p), "GZIP"))
    ),
    "tfrecord zlib": Format(
        lambda f: zlib.compress(record(b"one") * 20), lambda p: list(tf.data.TFRecordDataset(str(p), "ZLIB"))
    ),
    "text gzip": Format(
        lambda f: gzip.compress(b"line\n" * 20, mtime=0), lambda p: list(tf.data.TextLineDataset(str(p), "GZIP"))
    ),
    "fixed gzip": Format(
        lambda f: gzip.compress(b"line\n" * 20, mtime=0),
        lambda p: list(tf.data.FixedLengthRecordDataset(str(p), 5, compression_type="GZIP")),
    ),
    "fixed": Format(lambda f: b"abcde" * 20, lambda p: list(tf.data.FixedLengthRecordDataset(str(p), 5, 5, 5))),
    "text": Format(lambda f: b"line\nmore\r\n" * 5, lambda p: list(tf.data.TextLineDataset(str(p)))),
    "compressed": Format(
        lambda f: gzip.compress(b"data" * 20, mtime=0), lambda p: tf.io.decode_compressed(p.read_bytes(), "GZIP")
    ),
    "compressed zlib": Format(
        lambda f: zlib.compress(b"data" * 20), lambda p: tf.io.decode_compressed(p.read_bytes(), "ZLIB")
    ),
    "raw": Format(lambda f: b"data" * 20, lambda p: tf.io.decode_raw(p.read_bytes(), tf.float32)),
    "base64": Format(lambda f: b"ZGF0YQ", lambda p: tf.io.decode_base64(p.read_bytes())),
    "csv": Format(lambda f: b'1.5,2,"a"\n2.5,3,b\n', _csv),
    "vocabulary": Format(lambda f: b"a,1\nb,2\n", _text_table),
    "tensor": Format(
        lambda f: tf.io.serialize_tensor(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy(),
        lambda p: tf.io.parse_tensor(p.read_bytes(), tf.float32),
    ),
    "strings": Format(
        lambda f: tf.io.serialize_tensor(tf.constant(["a", "bc"])).numpy(),
        lambda p: tf.io.parse_tensor(p.read_bytes(), tf.string),
    ),
    "example": Format(lambda f: example().SerializeToString(), _parse),
    "example message": Format(lambda f: example().SerializeToString(), _from_string(tf.train.Example)),
    "sequence": Format(lambda f: _sequence(), _parse_sequence),
    "sequence message": Format(lambda f: _sequence(), _from_string(tf.train.SequenceExample)),
    "json example": Format(
        lambda f: b'{"features": {"feature": {"a": {"floatList": {"value": [1.0]}}}}}',
        lambda p: tf.io.decode_json_example(p.read_bytes()),
    ),
    "examples": Format(lambda f: example().SerializeToString(), _parse_batch),
    "sequences": Format(lambda f: _sequence(), _parse_sequences),
    "sparse": Format(_sparse, _read_sparse),
    "saved dataset": Format(_saved_dataset, _read_saved_dataset),
    "csv table": Format(lambda f: b"a,b,c\n1.5,2,x\n2.5,3,y\n", _csv_table),
    "webp": Format(_pillow("WEBP"), lambda p: tf.io.decode_webp(p.read_bytes())),
    "png": Format(_image(tf.io.encode_png), lambda p: tf.io.decode_png(p.read_bytes())),
    "jpeg": Format(_image(tf.io.encode_jpeg), lambda p: tf.io.decode_jpeg(p.read_bytes())),
    "jpeg crop": Format(_image(tf.io.encode_jpeg), lambda p: tf.io.decode_and_crop_jpeg(p.read_bytes(), [1, 1, 4, 4])),
    "jpeg shape": Format(_image(tf.io.encode_jpeg), lambda p: tf.io.extract_jpeg_shape(p.read_bytes())),
    "bmp": Format(_pillow("BMP"), lambda p: tf.io.decode_bmp(p.read_bytes())),
    "gif": Format(_pillow("GIF"), lambda p: tf.io.decode_gif(p.read_bytes())),
    "image": Format(_pillow("GIF"), lambda p: tf.io.decode_image(p.read_bytes())),
    "wav": Format(_wav, lambda p: tf.audio.decode_wav(p.read_bytes())),
    "checkpoint": Format(_checkpoint, _read_checkpoint),
    "checkpoint state": Format(_state, _read_state),
    "dataset": Format(_dataset, lambda p: list(tf.data.Dataset.load(str(p)))),
    "cache": Format(
        _dataset,
        lambda p: list(tf.data.Dataset.from_tensor_slices({"x": [1.0, 2.0], "y": ["a", "bc"]}).batch(2).cache(str(p))),
    ),
}
