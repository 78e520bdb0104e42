"""Datasets: parts of elements, snapshots, files of CSV, optionals and files in functions, and what is refused."""

from __future__ import annotations

import collections
import os
import tempfile
import time

from behaviour import case
from cases._draining import drain


def _written(folder, text, name="a.csv"):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(text.encode())
    return path


@case(stage=["unbatch", "rebatch", "ragged", "slices", "window", "padded"])
def none_beside_tensors(tf, stage):
    pairs = tf.data.Dataset.range(4).map(lambda x: (x, None))
    made = {
        "unbatch": lambda: pairs.batch(2).unbatch(),
        "rebatch": lambda: pairs.batch(2).rebatch(3),
        "ragged": lambda: tf.data.Dataset.range(3).map(lambda x: (tf.range(x), None)).ragged_batch(2),
        "slices": lambda: tf.data.Dataset.from_tensor_slices(([1, 2], None)),
        "window": lambda: pairs.window(2).flat_map(lambda a, b: a.batch(2)),
        "padded": lambda: pairs.padded_batch(3),
    }[stage]
    return list(made())


@case
def arrays_of_tensors(tf):
    def rows(n):
        n = tf.cast(n, tf.int32)
        return tf.TensorArray(tf.int32, size=n, element_shape=()).unstack(tf.range(n))

    ds = tf.data.Dataset.range(3).map(rows).map(lambda a: (a.stack(), a.size()))
    return list(ds), ds.element_spec[0].shape


@case
def mappings_with_a_default(tf):
    (element,) = tf.data.Dataset.from_tensors(collections.defaultdict(int, b=1, a=2)).batch(1)
    return type(element).__name__, element["a"], element["b"]


@case(size=["2", "3", "4", "pair", "mixed"])
def static_sizes_of_rebatch(tf, size):
    sizes = {"pair": [2, 2], "mixed": [2, 1]}.get(size) or int(size)
    return tf.data.Dataset.range(8).batch(4, drop_remainder=True).rebatch(sizes).element_spec.shape


@case(weights=["one", "none", "two"])
def cardinality_of_samples(tf, weights):
    given = {"one": [0.0, 1.0, 0.0], "none": [0.0, 0.0, 0.0], "two": [0.5, 0.0, 0.5]}[weights]
    ds = tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(n) for n in (2, 3, 4)], weights=given)
    return ds.cardinality(), sorted(int(x) for x in ds)


@case
def pipelines_share_a_snapshot_folder(tf):
    with tempfile.TemporaryDirectory() as folder:
        made = [tf.data.Dataset.range(n).map(add) for n in (3, 4) for add in (lambda x: x + 1, lambda x: x + 2)]
        return [[int(x) for x in ds.snapshot(folder)] for ds in (*made, *made)]


@case
def functions_of_a_loop(tf):
    made = [tf.data.Dataset.range(2).map(lambda x: x + n) for n in (10, 20)]  # noqa: B023
    scale = tf.constant(2, tf.int64)
    ds = tf.data.Dataset.range(3).map(lambda x: x * scale)
    scale = tf.constant(5, tf.int64)
    return [list(each) for each in made], list(ds), scale


@case
def functions_choose_the_files_of_a_snapshot(tf):
    with tempfile.TemporaryDirectory() as folder:
        ds = tf.data.Dataset.range(9).snapshot(
            folder, shard_func=lambda x: x % 3, reader_func=lambda files: files.flat_map(lambda x: x)
        )
        return list(ds), list(ds)


@case
def saved_in_several_files(tf):
    with tempfile.TemporaryDirectory() as folder:
        tf.data.Dataset.range(9).save(folder, shard_func=lambda x: x % 3)
        ds = tf.data.Dataset.load(folder, reader_func=lambda files: files.flat_map(lambda x: x))
        return list(ds), ds.cardinality()


@case(text=['1,2"3\nx,y', '"a"b",c\nx,y', "1\nx,y", "\nx,y", "1,2,3\nx,y", 'a,"b\n""c"""\r\nx,y', 'x,"y', "x,y\r\rz,w"])
def csv_records(tf, text):
    with tempfile.TemporaryDirectory() as folder:
        return drain(tf, tf.data.experimental.CsvDataset(_written(folder, text), [[""]] * 2))


@case(options=["header", "excluded", "too few", "NA"])
def csv_options(tf, options):
    given = {
        "header": {"header": True},
        "excluded": {"exclude_cols": [0]},
        "too few": {"select_cols": [1, 5]},
        "NA": {"na_value": "NA"},
    }[options]
    count = 1 if options == "excluded" else 2
    with tempfile.TemporaryDirectory() as folder:
        path = _written(folder, "1,2\nNA,4\n")
        return drain(tf, tf.data.experimental.CsvDataset(path, [[0]] * count, **given))


@case
def csv_dtypes(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = _written(folder, "a,b,c,d,e,f\n0,8589934592,2.0,3e50,rabbit,\n")
        ds = tf.data.experimental.make_csv_dataset(path, 1, num_epochs=1, shuffle=False)
        return list(ds), type(ds.element_spec).__name__


@case
def optionals_in_a_loop(tf):
    @tf.function
    def total(iterator):
        result, found = tf.constant(0, tf.int64), iterator.get_next_as_optional()
        while found.has_value():
            result += tf.reduce_sum(found.get_value())
            found = iterator.get_next_as_optional()
        return result

    return total(iter(tf.data.Dataset.range(5))), total(iter(tf.data.Dataset.range(5).batch(2)))


@case
def optionals_of_branches(tf):
    optional = tf.experimental.Optional

    @tf.function
    def positive(x):
        return tf.cond(x > 0, lambda: optional.from_value(x), lambda: optional.empty(tf.TensorSpec([], tf.int32)))

    return [positive(tf.constant(n)).has_value() for n in (3, -3)], positive(tf.constant(3)).get_value()


@case
def files_that_are_arguments(tf):
    @tf.function
    def characters(path):
        count = tf.constant(0)
        for line in tf.data.TextLineDataset(path):
            count += tf.strings.length(line)
        return count

    with tempfile.TemporaryDirectory() as folder:
        path = _written(folder, "ab\nc\n")
        listed = tf.function(lambda p: tf.data.Dataset.list_files(p).reduce(tf.constant(0), lambda n, x: n + 1))
        return characters(tf.constant(path)), listed(tf.constant(folder + "/*"))


@case
def windows_in_a_function(tf):
    @tf.function
    def products(ds):
        total = tf.constant(0, tf.int64)
        for number, window in ds.window(2).enumerate():
            for x in window:
                total += number * x
        return total

    return products(tf.data.Dataset.range(5)), tf.function(lambda ds: len(ds))(tf.data.Dataset.range(5))


@case(seed=[3, 4])
def a_function_makes_a_shuffled_dataset(tf, seed):
    @tf.function
    def order():
        return tf.data.Dataset.range(20).shuffle(20, seed=seed).batch(20).get_single_element()

    return bool(tf.reduce_all(order() == order()))


@case
def options_of_a_function(tf):
    @tf.function
    def slack(ds):
        options = tf.data.Options()
        options.experimental_slack = True
        return ds.with_options(options).map(lambda x: 10 * x)

    made = slack(tf.data.Dataset.range(3))
    return made.options().experimental_slack, list(made)


@case
def options_cannot_be_changed(tf):
    tf.data.Dataset.range(3).options().deterministic = False


@case(what=["counter", "unique", "synchronous", "readers", "sparse", "padding", "scan", "shape"])
def arguments_of_stages(tf, what):
    dataset = tf.data.Dataset
    made = {
        "counter": lambda: dataset.counter(1.5, 2, tf.float32).take(2),
        "unique": lambda: dataset.from_tensor_slices({"a": [1, 2, 1]}).unique(),
        "synchronous": lambda: dataset.range(2).map(lambda x: x, num_parallel_calls=2, synchronous=True),
        "readers": lambda: tf.data.TextLineDataset("a", num_parallel_reads=0),
        "sparse": lambda: dataset.from_tensors(([1], [2])).sparse_batch(4, [2]),
        "padding": lambda: dataset.from_tensor_slices([[1]]).padded_batch(1, ["a"]),
        "scan": lambda: dataset.range(2).scan(1, lambda s, x: (tf.SparseTensor([[0]], [1], [1]), s)),
        "shape": lambda: dataset.range(8).batch(4).rebatch([[2]]),
    }[what]
    return list(made())


@case(kind=["unknown", "infinite", "more", "tensor"])
def padding_to_a_cardinality(tf, kind):
    one = tf.data.Dataset.from_tensors({"a": 1})
    ds = {
        "unknown": lambda: one.filter(lambda x: True),
        "infinite": lambda: one.repeat(),
        "more": lambda: one.repeat(5),
        "tensor": lambda: tf.data.Dataset.range(2),
    }[kind]()
    return list(ds.apply(tf.data.experimental.pad_to_cardinality(3)))


def _first_is_slow(tf, x):
    """The number itself, which takes a while for 0."""

    def wait(v):
        time.sleep(0.3 if int(v) == 0 else 0.0)
        return v

    y = tf.numpy_function(wait, [x], tf.int64)
    y.set_shape([])
    return y


@case(stage=["map", "interleave", "batch"], argument=[None, True, False], option=[None, True, False])
def order_of_parallel_stages(tf, stage, argument, option):
    ds = tf.data.Dataset.range(6)
    if stage == "interleave":
        ds = ds.interleave(
            lambda x: tf.data.Dataset.from_tensors(x).map(lambda v: _first_is_slow(tf, v)),
            cycle_length=3,
            num_parallel_calls=3,
            deterministic=argument,
        )
    else:
        ds = ds.map(lambda x: _first_is_slow(tf, x), num_parallel_calls=3, deterministic=argument)
    options = tf.data.Options()
    if option is not None:
        options.deterministic = option
    ds = ds.with_options(options)
    found = [int(x) for x in (ds.batch(2).unbatch() if stage == "batch" else ds)]
    return sorted(found), found[0] == 0


@case
def options_of_a_later_dataset(tf):
    def made(first, last):
        options = [tf.data.Options(), tf.data.Options()]
        for option, value in zip(options, (first, last), strict=True):
            if value is not None:
                option.deterministic = value
        ds = tf.data.Dataset.range(4).with_options(options[0])
        ds = ds.map(lambda x: _first_is_slow(tf, x), num_parallel_calls=2).with_options(options[1]).map(lambda x: x)
        return next(iter(ds)) == 0

    return made(False, True), made(True, False), made(False, None)


@case(given=["calls", "batches", "both", "none"])
def map_and_batch(tf, given):
    options = {"num_parallel_calls": 2} if given in ("calls", "both") else {}
    options |= {"num_parallel_batches": 2} if given in ("batches", "both") else {}
    return list(tf.data.Dataset.range(5).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 2, **options)))


@case
def options_that_are_set_to_none(tf):
    tf.data.Options().deterministic = None
