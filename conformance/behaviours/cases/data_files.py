"""Datasets of files, caches, snapshots, save and load."""

import gzip
import os
import pathlib
import struct
import tempfile
import zlib

import numpy as np
from behaviour import case
from cases._draining import drain, refusal


def written(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


TEXT = b"one\ntwo\r\n\nlast"


@case(data=[TEXT, b"", b"\n", b"a", b"a\n", b"a\r\nb\r\n", b"a\rb\n"])
def lines(tf, data):
    with tempfile.TemporaryDirectory() as folder:
        return drain(tf, tf.data.TextLineDataset(written(folder, "a.txt", data)))


@case(kind=["GZIP", "ZLIB"])
def compressed_lines(tf, kind):
    with tempfile.TemporaryDirectory() as folder:
        data = gzip.compress(TEXT) if kind == "GZIP" else zlib.compress(TEXT)
        return drain(tf, tf.data.TextLineDataset(written(folder, "a", data), compression_type=kind))


@case(parallel=[None, 1, 2])
def lines_of_several_files(tf, parallel):
    with tempfile.TemporaryDirectory() as folder:
        paths = [written(folder, f"{i}", f"{i}a\n{i}b\n".encode()) for i in range(3)]
        return sorted(bytes(x.numpy()) for x in tf.data.TextLineDataset(paths, num_parallel_reads=parallel))


@case
def lines_of_a_dataset_of_files(tf):
    with tempfile.TemporaryDirectory() as folder:
        paths = [written(folder, f"{i}", f"{i}a\n".encode()) for i in range(3)]
        return drain(tf, tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(paths)))


@case
def lines_in_a_flat_map(tf):
    with tempfile.TemporaryDirectory() as folder:
        paths = [written(folder, f"{i}", f"{i}a\n{i}b\n".encode()) for i in range(2)]
        return drain(tf, tf.data.Dataset.from_tensor_slices(paths).flat_map(tf.data.TextLineDataset))


@case
def a_file_that_is_missing(tf):
    with tempfile.TemporaryDirectory() as folder:
        return next(iter(tf.data.TextLineDataset(os.path.join(folder, "none"))))


@case(given=["ints", "floats", "dataset of ints", "dataset of pairs", "none", "matrix", "dataset of matrices"])
def names_that_are_no_strings(tf, given):
    names = {
        "ints": [1, 2], "floats": 1.5, "dataset of ints": tf.data.Dataset.range(2), "none": None,
        "dataset of pairs": tf.data.Dataset.from_tensor_slices((["a"], ["b"])), "matrix": [["a"], ["b"]],
        "dataset of matrices": tf.data.Dataset.from_tensors([["a"], ["b"]]),
    }[given]  # fmt: skip
    return refusal(lambda: tf.data.TextLineDataset(names))


@case(kind=["ZIP", 3])
def compressions_that_are_refused(tf, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "a", TEXT)
        return refusal(lambda: list(tf.data.TextLineDataset(path, compression_type=kind)))


@case
def corrupt_compression(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "a", b"no gzip at all")
        return refusal(lambda: list(tf.data.TextLineDataset(path, compression_type="GZIP")))


def records(tf, folder, values, options=None):
    path = os.path.join(folder, "r.tfrecord")
    with tf.io.TFRecordWriter(path, options) as writer:
        for value in values:
            writer.write(value)
    return path


@case(kind=["", "GZIP", "ZLIB"])
def tf_records(tf, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = records(tf, folder, [b"a", b"", b"ccc"], kind)
        return drain(tf, tf.data.TFRecordDataset(path, compression_type=kind))


@case(damage=["truncated", "checksum", "length", "tail"])
def damaged_tf_records(tf, damage):
    with tempfile.TemporaryDirectory() as folder:
        path = records(tf, folder, [b"first", b"second"])
        data = bytearray(pathlib.Path(path).read_bytes())
        if damage == "truncated":
            data = data[:-3]
        elif damage == "checksum":
            data[13] ^= 255
        elif damage == "length":
            data[0] ^= 255
        else:
            data += b"xx"
        pathlib.Path(path).write_bytes(bytes(data))
        return drain(tf, tf.data.TFRecordDataset(path), 3)[:2]


@case
def a_record_of_a_huge_length(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "r", struct.pack("<Q", 1 << 40) + b"\0" * 20)
        return refusal(lambda: list(tf.data.TFRecordDataset(path)))


@case
def examples(tf):
    with tempfile.TemporaryDirectory() as folder:
        example = tf.train.Example(
            features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})
        )
        path = records(tf, folder, [example.SerializeToString()] * 2)
        ds = tf.data.TFRecordDataset(path).map(
            lambda r: tf.io.parse_single_example(r, {"a": tf.io.FixedLenFeature([2], tf.int64)})
        )
        return drain(tf, ds.batch(2))


@case(header=[0, 2], footer=[0, 1], size=[2, 3])
def fixed_length_records(tf, header, footer, size):
    with tempfile.TemporaryDirectory() as folder:
        data = b"h" * header + b"abcdef" + b"f" * footer
        return drain(tf, tf.data.FixedLengthRecordDataset(written(folder, "a", data), size, header, footer))


@case
def fixed_length_records_of_a_wrong_size(tf):
    with tempfile.TemporaryDirectory() as folder:
        return refusal(lambda: list(tf.data.FixedLengthRecordDataset(written(folder, "a", b"abcde"), 2)))


@case(size=[0, -1])
def fixed_length_of_nothing(tf, size):
    return refusal(lambda: list(tf.data.FixedLengthRecordDataset(["a"], size)))


CSV = b'x,y,z\n1,2.5,a\n2,,b\n3,4.5,"c,d"\n'


@case(header=[True, False])
def csv_rows(tf, header):
    with tempfile.TemporaryDirectory() as folder:
        data = CSV if header else CSV.partition(b"\n")[2]
        ds = tf.data.experimental.CsvDataset(written(folder, "a.csv", data), [tf.int32, [0.0], [""]], header=header)
        return drain(tf, ds), str(ds.element_spec)


@case(columns=[[0, 2], [1], [2]])
def csv_columns(tf, columns):
    with tempfile.TemporaryDirectory() as folder:
        defaults = [[0, [0.0], [""]][c] if c else [0] for c in columns]
        ds = tf.data.experimental.CsvDataset(written(folder, "a.csv", CSV), defaults, header=True, select_cols=columns)
        return drain(tf, ds)


@case
def csv_required_fields(tf):
    with tempfile.TemporaryDirectory() as folder:
        ds = tf.data.experimental.CsvDataset(
            written(folder, "a.csv", CSV), [tf.int32, tf.float32, tf.string], header=True
        )
        return drain(tf, ds)


@case
def csv_with_errors(tf):
    with tempfile.TemporaryDirectory() as folder:
        ds = tf.data.experimental.CsvDataset(written(folder, "a.csv", b"1,2\nx,3\n4\n5,6\n"), [[0], [0]])
        return drain(tf, ds)


@case
def csv_with_delimiters_and_na(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "a.csv", b"1;NA\nNA;2\n")
        return drain(tf, tf.data.experimental.CsvDataset(path, [[7], [8]], field_delim=";", na_value="NA"))


@case(order=["unsorted", "both"])
def csv_columns_that_are_refused(tf, order):
    options = {"unsorted": {"select_cols": [1, 0]}, "both": {"select_cols": [0, 1], "exclude_cols": [2]}}[order]
    return refusal(lambda: list(tf.data.experimental.CsvDataset(["a"], [[0], [0]], **options)))


@case
def csv_batches(tf):
    with tempfile.TemporaryDirectory() as folder:
        ds = tf.data.experimental.make_csv_dataset(
            written(folder, "a.csv", CSV), 2, label_name="x", num_epochs=1, shuffle=False
        )
        return drain(tf, ds)


@case
def csv_batches_without_shuffling_of_all(tf):
    with tempfile.TemporaryDirectory() as folder:
        ds = tf.data.experimental.make_csv_dataset(
            written(folder, "a.csv", CSV), 3, column_names=["a", "b", "c"], select_columns=["a", "c"], num_epochs=1,
            shuffle=False,
        )  # fmt: skip
        return drain(tf, ds)


@case(shuffle=[True, False])
def files_by_pattern(tf, shuffle):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("b.txt", "a.txt", "c.py"):
            written(folder, name, b"")
        ds = tf.data.Dataset.list_files(os.path.join(folder, "*.txt"), shuffle=shuffle)
        found = [os.path.basename(x.numpy()) for x in ds]
        return sorted(found) if shuffle else found


@case
def files_by_several_patterns(tf):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("b.txt", "a.py"):
            written(folder, name, b"")
        patterns = [os.path.join(folder, p) for p in ("*.txt", "*.py")]
        return [os.path.basename(x.numpy()) for x in tf.data.Dataset.list_files(patterns, shuffle=False)]


@case
def files_that_do_not_exist(tf):
    with tempfile.TemporaryDirectory() as folder:
        return refusal(lambda: list(tf.data.Dataset.list_files(os.path.join(folder, "*.none"))))


@case
def files_shuffled_by_a_seed(tf):
    with tempfile.TemporaryDirectory() as folder:
        for i in range(20):
            written(folder, f"{i:02}", b"")
        make = lambda: [x.numpy() for x in tf.data.Dataset.list_files(os.path.join(folder, "*"), seed=1)]  # noqa: E731
        return make() == make()


@case(kind=["numbers", "strings", "dicts", "sparse", "ragged", "empty"])
def caches_in_files(tf, kind):
    data = tf.data.Dataset
    made = {
        "numbers": lambda: data.range(3), "strings": lambda: data.from_tensor_slices(["a", "", "c"]),
        "dicts": lambda: data.from_tensor_slices({"a": [1, 2], "b": ([3.0, 4.0], ["x", "y"])}),
        "sparse": lambda: data.range(2).map(lambda i: tf.SparseTensor([[0]], [i], [2])),
        "ragged": lambda: data.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [[4]]])),
        "empty": lambda: data.range(0),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        ds = made[kind]().cache(os.path.join(folder, "c"))
        return drain(tf, ds), drain(tf, ds)


@case
def caches_in_files_are_used_by_others(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c")
        list(tf.data.Dataset.range(3).cache(path))
        return drain(tf, tf.data.Dataset.range(10, 12).cache(path))


@case
def caches_in_files_half_way(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c")
        ds = tf.data.Dataset.range(4).cache(path)
        iterator = iter(ds)
        next(iterator)
        del iterator
        return drain(tf, ds), drain(tf, ds)


@case
def caches_in_files_with_errors(tf):
    with tempfile.TemporaryDirectory() as folder:
        ds = tf.data.Dataset.from_tensor_slices([2, 0, 1]).map(lambda x: 2 // x).cache(os.path.join(folder, "c"))
        return drain(tf, ds), drain(tf, ds)


@case
def concurrent_caches_in_files(tf):
    with tempfile.TemporaryDirectory() as folder:
        ds = tf.data.Dataset.range(4).cache(os.path.join(folder, "c"))
        a, b = iter(ds), iter(ds)
        next(a)
        return next(b)


@case
def caches_in_memory_half_way(tf):
    ds = tf.data.Dataset.range(4).cache()
    iterator = iter(ds)
    next(iterator)
    del iterator
    return drain(tf, ds), drain(tf, ds)


@case
def caches_in_memory_of_two_iterators(tf):
    ds = tf.data.Dataset.range(3).cache()
    a, b = iter(ds), iter(ds)
    return [int(next(a)), int(next(b)), int(next(a))], drain(tf, ds)


@case
def caches_in_memory_keep_what_came(tf):
    v = tf.Variable(0, dtype=tf.int64)
    ds = tf.data.Dataset.range(3).map(lambda x: x + v.assign_add(1)).cache()
    return drain(tf, ds), drain(tf, ds), v.read_value()


@case
def caches_that_are_repeated(tf):
    v = tf.Variable(0, dtype=tf.int64)
    ds = tf.data.Dataset.range(3).map(lambda x: x + v.assign_add(1)).cache().repeat(2)
    return drain(tf, ds), v.read_value()


@case(name=[3, None])
def caches_with_wrong_names(tf, name):
    return refusal(lambda: tf.data.Dataset.range(3).cache(name))


@case
def cache_cardinality_after_change(tf):
    ds = tf.data.Dataset.range(7).cache()
    return ds.cardinality(), ds.take(3).cardinality()


@case(kind=["numbers", "dicts", "strings", "sparse", "ragged", "empty"], compression=[None, "GZIP"])
def saved_datasets(tf, kind, compression):
    data = tf.data.Dataset
    made = {
        "numbers": lambda: data.range(3), "strings": lambda: data.from_tensor_slices(["a", "", "c"]),
        "dicts": lambda: data.from_tensor_slices({"a": [1, 2], "b": ([3.0, 4.0], ["x", "y"])}),
        "sparse": lambda: data.range(2).map(lambda i: tf.SparseTensor([[0]], [i], [2])),
        "ragged": lambda: data.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [[4]]])),
        "empty": lambda: data.range(0),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved")
        made[kind]().save(path, compression=compression)
        ds = tf.data.Dataset.load(path, compression=compression)
        return drain(tf, ds), tf.nest.map_structure(str, ds.element_spec)


@case
def cardinality_of_saved_datasets(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved")
        tf.data.Dataset.range(5).save(path)
        return tf.data.Dataset.load(path).cardinality()


@case
def loading_what_is_missing(tf):
    with tempfile.TemporaryDirectory() as folder:
        return refusal(lambda: list(tf.data.Dataset.load(os.path.join(folder, "none"))))


@case
def saving_twice(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved")
        tf.data.Dataset.range(5).save(path)
        tf.data.Dataset.range(2).save(path)
        return drain(tf, tf.data.Dataset.load(path))


@case
def saved_datasets_in_shards(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved")
        tf.data.Dataset.range(6).save(path, shard_func=lambda x: x % 2)
        found = tf.data.Dataset.load(path, reader_func=lambda shards: shards.flat_map(lambda d: d))
        return sorted(int(x) for x in found)


@case
def snapshots(tf):
    v = tf.Variable(0, dtype=tf.int64)
    with tempfile.TemporaryDirectory() as folder:
        ds = tf.data.Dataset.range(3).map(lambda x: x + v.assign_add(1)).snapshot(os.path.join(folder, "s"))
        return drain(tf, ds), drain(tf, ds), v.read_value()


@case
def snapshots_by_the_old_name(tf):
    with tempfile.TemporaryDirectory() as folder:
        ds = tf.data.Dataset.range(3).apply(tf.data.experimental.snapshot(os.path.join(folder, "s")))
        return drain(tf, ds), drain(tf, ds)


@case
def written_records(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r")
        tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
        return drain(tf, tf.data.TFRecordDataset(path))


@case
def written_records_of_numbers(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r")
        return refusal(lambda: tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.range(2)))


@case
def numpy_arrays_from_files(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "a.bin", np.arange(6, dtype=np.int16).tobytes())
        ds = tf.data.FixedLengthRecordDataset(path, 4).map(lambda r: tf.io.decode_raw(r, tf.int16))
        return drain(tf, ds.batch(2))
