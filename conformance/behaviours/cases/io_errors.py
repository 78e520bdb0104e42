"""Files: errors of readers and writers, and what tf.io and tf.io.gfile do."""

from __future__ import annotations

import gzip
import os
import struct
import tempfile
import zlib
from pathlib import Path
from typing import Any

from behaviour import case


def _folder() -> Path:
    return Path(tempfile.mkdtemp())


def _file(data: bytes = b"one\ntwo\n", name: str = "file") -> str:
    path = _folder() / name
    path.write_bytes(data)
    return str(path)


def _records(tf: Any, records: list[bytes], kind: str = "") -> str:
    path = _file()
    with tf.io.TFRecordWriter(path, kind) as writer:
        for record in records:
            writer.write(record)
    return path


@case(what=["missing", "folder", "below a file"])
def read_file(tf, what):
    path = {"missing": "/no/such/file", "folder": str(_folder()), "below a file": _file() + "/x"}[what]
    return tf.io.read_file(path)


@case(what=["new folders", "folder", "below a file", "over a file", "empty"])
def write_file(tf, what):
    folder = _folder()
    (folder / "old").write_text("old text")
    path = {"new folders": "a/b/c", "folder": "", "below a file": "old/x", "over a file": "old", "empty": "new"}[what]
    tf.io.write_file(str(folder / path) if path else str(folder), b"" if what == "empty" else b"text")
    return (folder / path).read_bytes()


@case(name=["read_file", "write_file"], argument=["number", "vector"])
def arguments_that_are_no_path(tf, name, argument):
    value = 3 if argument == "number" else tf.constant(["a", "b"])
    return tf.io.read_file(value) if name == "read_file" else tf.io.write_file(value, b"")


@case(pattern=["*.txt", "?.txt", "[ab].txt", "none*", "*", "[!a].txt", "{a,b}.txt"])
def matching_files(tf, pattern):
    folder = _folder()
    for name in ("a.txt", "b.txt", "c.dat", "dd.txt"):
        (folder / name).write_text("")
    return [os.path.basename(p) for p in tf.io.matching_files(str(folder / pattern)).numpy()]


@case(kind=["", "GZIP", "ZLIB"])
def records_there_and_back(tf, kind):
    path = _records(tf, [b"one", b"", b"x" * 1000], kind)
    return list(tf.data.TFRecordDataset(path, kind))


@case(cut=[1, 8, 11, 12, 14, 17, 18, 30])
def records_cut_off(tf, cut):
    path = _records(tf, [b"one", b"two"])
    Path(path).write_bytes(Path(path).read_bytes()[:cut])
    return list(tf.data.TFRecordDataset(path))


@case(at=[0, 7, 9, 12, 14, 16, 19, 31])
def records_with_a_changed_byte(tf, at):
    path = _records(tf, [b"one", b"two"])
    data = bytearray(Path(path).read_bytes())
    data[at] ^= 0xFF
    Path(path).write_bytes(data)
    return list(tf.data.TFRecordDataset(path))


@case(what=["missing", "folder", "empty", "text"])
def records_of(tf, what):
    path = {"missing": "/no/such/file", "folder": str(_folder()), "empty": _file(b""), "text": _file(b"text " * 20)}
    return list(tf.data.TFRecordDataset(path[what]))


@case(written=["", "GZIP", "ZLIB"], read=["GZIP", "ZLIB"])
def records_of_another_compression(tf, written, read):
    if written == read:
        return 0
    return list(tf.data.TFRecordDataset(_records(tf, [b"one"], written), read))


@case(kind=["gzip", "GZIP ", "BZ2", 3])
def compression_that_is_none(tf, kind):
    return list(tf.data.TFRecordDataset(_records(tf, [b"one"]), kind))


@case(where=["missing folder", "folder", "below a file"])
def record_writer(tf, where):
    path = {"missing folder": "/no/such/folder/x", "folder": str(_folder()), "below a file": _file() + "/x"}[where]
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(b"x")
    return 0


@case(value=[3, None, 1.5])
def record_of_no_bytes(tf, value):
    with tf.io.TFRecordWriter(_file()) as writer:
        writer.write(value)
    return 0


@case
def record_after_close(tf):
    path = _file()
    writer = tf.io.TFRecordWriter(path)
    writer.write(b"one")
    writer.close()
    writer.close()
    return list(tf.data.TFRecordDataset(path))


@case(what=["missing", "folder", "empty", "no end", "windows"])
def lines_of(tf, what):
    files = {"empty": b"", "no end": b"one\ntwo", "windows": b"one\r\ntwo\r\n"}
    path = {"missing": "/no/such/file", "folder": str(_folder())}.get(what) or _file(files[what])
    return list(tf.data.TextLineDataset(path))


@case(size=[1, 2, 3, 4, 8, 9])
def records_of_one_length(tf, size):
    return list(tf.data.FixedLengthRecordDataset(_file(b"12345678"), size))


@case(header=[0, 2, 9], footer=[0, 2])
def records_between_header_and_footer(tf, header, footer):
    return list(tf.data.FixedLengthRecordDataset(_file(b"12345678"), 2, header, footer))


@case(size=[0, -1])
def records_of_no_length(tf, size):
    return list(tf.data.FixedLengthRecordDataset(_file(b"12345678"), size))


@case(kind=["GZIP", "ZLIB", ""], data=["good", "cut off", "changed", "other", "empty"])
def decode_compressed(tf, kind, data):
    whole = gzip.compress(b"data" * 10, mtime=0) if kind == "GZIP" else zlib.compress(b"data" * 10)
    if kind == "" and data != "good":
        return 0
    given = {
        "good": whole if kind else b"data",
        "cut off": whole[:-5],
        "changed": whole[:4] + b"xx" + whole[6:],
        "other": b"no",
        "empty": b"",
    }
    found = tf.io.decode_compressed(given[data], kind)
    return 0 if data == "empty" else found


@case(dtype=["float32", "int16", "uint8", "float64", "bool", "complex64"], size=[0, 3, 4, 8])
def decode_raw(tf, dtype, size):
    return tf.io.decode_raw(bytes(size), dtype)


@case(text=["ZGF0YQ", "ZGF0YQ==", "", "a", "@@@@", "-_-_", "+/+/", "ZGF0 YQ"])
def decode_base64(tf, text):
    return tf.io.decode_base64(text)


@case(
    line=[
        "1,2,a",
        "1,,a",
        ",2,a",
        "1,2",
        "1,2,a,b",
        "x,2,a",
        "1,2.5,a",
        '1,2,"a',
        '1,2,"a,b"',
        "",
        '1,2,"a""b"',
        " 1,2,a",
        "1,99999999999,a",
    ]
)
def decode_csv(tf, line):
    return tf.io.decode_csv([line], [[0.5], tf.constant([], tf.int32), ["z"]])


@case(damage=["cut off", "other dtype", "too few bytes", "empty", "text", "enormous", "negative"])
def parse_tensor(tf, damage):
    whole = tf.io.serialize_tensor(tf.constant([1.0, 2.0])).numpy()
    if damage == "enormous":
        dim = b"\x12\x06\x08\x80\x80\x80\x80\x20"
        return tf.io.parse_tensor(b"\x08\x01\x12" + bytes([2 * len(dim)]) + dim * 2 + b"\x22\x04\0\0\0\0", tf.float32)
    if damage == "negative":
        dim = b"\x12\x0b\x08\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01"
        return tf.io.parse_tensor(b"\x08\x01\x12" + bytes([len(dim)]) + dim + b"\x22\x04\0\0\0\0", tf.float32)
    given = {
        "cut off": whole[:-1],
        "too few bytes": whole.replace(b"\x22\x08", b"\x22\x04")[:-4],
        "empty": b"",
        "text": b"text",
    }
    return tf.io.parse_tensor(given.get(damage, whole), tf.int32 if damage == "other dtype" else tf.float32)


@case(
    text=[
        "{}",
        "",
        "[",
        "[]",
        "3",
        '{"features": 3}',
        '{"features": {"feature": {"a": {"int64List": {"value": [1.5]}}}}}',
        '{"nothing": 1}',
    ]
)
def decode_json_example(tf, text):
    found = tf.io.decode_json_example(text)
    return 0 if text == "{}" else found


@case(
    kind=["png", "jpeg", "gif", "bmp", "image"],
    data=["", "no image", "\x89PNG\r\n\x1a\n", "GIF89a", "BM", "\xff\xd8\xff"],
)
def decode_images_that_are_none(tf, kind, data):
    return getattr(tf.io, f"decode_{kind}")(data.encode("latin-1"))


@case(part=[0.1, 0.5, 0.9])
def decode_png_cut_off(tf, part):
    data = tf.io.encode_png(tf.zeros([20, 20, 3], tf.uint8)).numpy()
    return tf.io.decode_png(data[: int(len(data) * part)])


@case(data=["", "RIFF", "RIFF\0\0\0\0WAVE", "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0"])
def decode_wav(tf, data):
    return tf.audio.decode_wav(data.encode("latin-1"))


def _wav(bits: int = 16, channels: int = 1, kind: int = 1, rate: int = 8000) -> bytes:
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits)
    body = b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", 8) + bytes(8)
    return b"RIFF" + struct.pack("<I", len(body)) + body


@case(bits=[8, 16, 24], channels=[0, 1, 2], kind=[1, 3])
def decode_wav_of_a_kind(tf, bits, channels, kind):
    return tuple(tf.audio.decode_wav(_wav(bits, channels, kind)))


@case(what=["good", "missing", "words", "few columns", "twice", "empty"])
def table_from_a_file(tf, what):
    files = {"good": b"a,1\nb,2\n", "words": b"a,x\n", "few columns": b"a,1\nb\n", "twice": b"a,1\na,2\n", "empty": b""}
    path = "/no/such/file" if what == "missing" else _file(files[what])
    initializer = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=",")
    return tf.lookup.StaticHashTable(initializer, -1).lookup(tf.constant(["a", "b"]))


@case(do=["mkdir", "remove", "rmtree", "listdir", "stat", "copy", "rename", "read", "isdir", "exists", "walk"])
def gfile_on_a_missing_path(tf, do):
    gfile, path = tf.io.gfile, str(_folder() / "no" / "such")
    calls = {
        "copy": lambda: gfile.copy(path, path + "2"),
        "rename": lambda: gfile.rename(path, path + "2"),
        "read": lambda: gfile.GFile(path).read(),
        "walk": lambda: list(gfile.walk(path)),
    }
    found = calls.get(do, lambda: getattr(gfile, do)(path))()
    return found


@case(do=["mkdir", "makedirs", "remove", "rmtree", "listdir", "read", "write", "copy"])
def gfile_on_a_folder(tf, do):
    gfile, folder = tf.io.gfile, _folder()
    (folder / "file").write_text("x")
    calls = {
        "read": lambda: gfile.GFile(str(folder)).read(),
        "write": lambda: gfile.GFile(str(folder), "w").write("x"),
        "copy": lambda: gfile.copy(str(folder / "file"), str(folder)),
    }
    return calls.get(do, lambda: getattr(gfile, do)(str(folder)))()


@case(do=["mkdir", "makedirs", "remove", "rmtree", "listdir", "copy", "rename"])
def gfile_on_a_file(tf, do):
    gfile, path = tf.io.gfile, _file()
    calls = {"copy": lambda: gfile.copy(path, _file()), "rename": lambda: gfile.rename(path, _file())}
    return calls.get(do, lambda: getattr(gfile, do)(path))()


@case(mode=["r", "w", "a", "rb", "x", "", "rw"])
def gfile_modes(tf, mode):
    with tf.io.gfile.GFile(_file(), mode) as file:
        return file.read()


@case(mode=["r", "w", "a"])
def gfile_writes(tf, mode):
    path = _file()
    with tf.io.gfile.GFile(path, mode) as file:
        file.write("three")
    return Path(path).read_bytes()
