"""Saved functions that make, iterate and reduce datasets."""

import tempfile

from behaviour import case


def reloaded(tf, module):
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        return tf.saved_model.load(folder)


def total(tf, dataset):
    return dataset.reduce(tf.constant(0, tf.int64), lambda a, b: a * 2 + tf.reduce_sum(tf.cast(b, tf.int64)))


def numbers(tf):
    return tf.data.Dataset.range(6)


STAGES = {
    "range": lambda tf, x: numbers(tf),
    "range of an argument": lambda tf, x: tf.data.Dataset.range(x),
    "slices": lambda tf, x: tf.data.Dataset.from_tensor_slices([3, 1, 2]),
    "slices of an argument": lambda tf, x: tf.data.Dataset.from_tensor_slices(tf.stack([x, x + 1])),
    "tensors": lambda tf, x: tf.data.Dataset.from_tensors([1, 2]),
    "map": lambda tf, x: numbers(tf).map(lambda i: i * 3 + 1),
    "map of an argument": lambda tf, x: numbers(tf).map(lambda i: i * x),
    "map of structures": lambda tf, x: numbers(tf).map(lambda i: (i, {"a": i * x})).map(lambda i, d: i + d["a"]),
    "filter": lambda tf, x: numbers(tf).filter(lambda i: i % 2 == 1),
    "filter of an argument": lambda tf, x: numbers(tf).filter(lambda i: i < x),
    "take_while": lambda tf, x: numbers(tf).take_while(lambda i: i < x),
    "scan": lambda tf, x: numbers(tf).scan(tf.constant(0, tf.int64), lambda s, i: (s + i, s * x)),
    "batch": lambda tf, x: numbers(tf).batch(4),
    "batch, remainder dropped": lambda tf, x: numbers(tf).batch(4, drop_remainder=True),
    "padded_batch": lambda tf, x: numbers(tf).map(lambda i: tf.fill([i], i)).padded_batch(3),
    "unbatch": lambda tf, x: numbers(tf).batch(2).unbatch(),
    "take and skip": lambda tf, x: numbers(tf).skip(1).take(3),
    "shard": lambda tf, x: numbers(tf).shard(2, 1),
    "repeat": lambda tf, x: numbers(tf).repeat(2),
    "cache": lambda tf, x: numbers(tf).map(lambda i: i * x).cache().repeat(2),
    "prefetch": lambda tf, x: numbers(tf).prefetch(2),
    "concatenate": lambda tf, x: numbers(tf).concatenate(tf.data.Dataset.range(3)),
    "zip": lambda tf, x: tf.data.Dataset.zip((numbers(tf), {"b": tf.data.Dataset.range(3)})).map(
        lambda a, d: a * 2 + d["b"]
    ),
    "enumerate": lambda tf, x: numbers(tf).enumerate(start=2).map(lambda k, i: k * i),
    "ragged_batch": lambda tf, x: (
        numbers(tf).map(lambda i: tf.range(i)).ragged_batch(2).map(lambda r: tf.reduce_sum(r))
    ),
    "shuffle, sorted": lambda tf, x: tf.data.Dataset.from_tensors(0).map(
        lambda _: tf.sort(tf.stack(tf.range(3)), direction="DESCENDING")
    ),
}


@case(stage=list(STAGES))
def reduced(tf, stage):
    module = tf.Module()
    module.f = tf.function(lambda x: total(tf, STAGES[stage](tf, x)), input_signature=[tf.TensorSpec([], tf.int64)])
    before = module.f(tf.constant(3, tf.int64))
    loaded = reloaded(tf, module)
    return (
        before,
        loaded.f(tf.constant(3, tf.int64)),
        loaded.f(tf.constant(5, tf.int64)),
        loaded.f(tf.constant(3, tf.int64)),
    )


@case(stage=["range", "map of an argument", "filter of an argument", "zip", "batch, remainder dropped", "enumerate"])
def iterated(tf, stage):
    def f(x):
        found = tf.constant(0, tf.int64)
        for element in STAGES[stage](tf, x):
            found = found * 2 + tf.reduce_sum(element)
        return found

    module = tf.Module()
    module.f = tf.function(f, input_signature=[tf.TensorSpec([], tf.int64)])
    loaded = reloaded(tf, module)
    return loaded.f(tf.constant(3, tf.int64)), loaded.f(tf.constant(5, tf.int64))


@case
def shuffled_elements(tf):
    module = tf.Module()
    module.f = tf.function(lambda: numbers(tf).shuffle(4).batch(6).get_single_element(), input_signature=[])
    return tf.sort(reloaded(tf, module).f())


@case
def next_elements(tf):
    def f(x):
        iterator = iter(numbers(tf).map(lambda i: i * x))
        return next(iterator), next(iterator), iterator.get_next_as_optional().get_value()

    module = tf.Module()
    module.f = tf.function(f, input_signature=[tf.TensorSpec([], tf.int64)])
    return reloaded(tf, module).f(tf.constant(3, tf.int64))


@case
def variables_in_maps(tf):
    module = tf.Module()
    module.v = tf.Variable(2, dtype=tf.int64)
    module.f = tf.function(
        lambda x: total(tf, numbers(tf).map(lambda i: i * module.v + x)), input_signature=[tf.TensorSpec([], tf.int64)]
    )
    loaded = reloaded(tf, module)
    first = loaded.f(tf.constant(1, tf.int64))
    loaded.v.assign(5)
    return first, loaded.f(tf.constant(1, tf.int64))


@case
def dataset_of_the_object(tf):
    class Model(tf.Module):
        def __init__(self):
            self.data = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda i: i * 2)

        @tf.function(input_signature=[])
        def f(self):
            found = 0
            for x in self.data:
                found += x
            return found

    return reloaded(tf, Model()).f()


@case
def end_of_the_elements(tf):
    module = tf.Module()
    module.f = tf.function(lambda: next(iter(numbers(tf).skip(10))), input_signature=[])
    return reloaded(tf, module).f()


@case
def saved_again(tf):
    module = tf.Module()
    module.f = tf.function(
        lambda x: total(tf, numbers(tf).map(lambda i: i * x)), input_signature=[tf.TensorSpec([], tf.int64)]
    )
    return reloaded(tf, reloaded(tf, module)).f(tf.constant(2, tf.int64))
