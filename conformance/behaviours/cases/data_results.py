"""What functions given to stages may return, and when what they may not is refused."""

import numpy as np
from behaviour import case


def sources(tf):
    data = tf.data.Dataset
    return {
        "scalar": data.range(3),
        "vector": data.from_tensor_slices(np.arange(6.0).reshape(3, 2)),
        "pair": data.from_tensor_slices((np.arange(3), np.arange(3) * 0.5)),
        "dict": data.from_tensor_slices({"a": [1, 2, 3]}),
    }


PREDICATES = {
    "bool": lambda tf, *x: tf.constant(True),
    "python bool": lambda tf, *x: True,
    "int": lambda tf, *x: tf.constant(1),
    "float": lambda tf, *x: tf.constant(0.5),
    "vector": lambda tf, *x: tf.constant([True, False]),
    "string": lambda tf, *x: tf.constant("yes"),
}


@case(stage=["filter", "take_while"], source=["scalar", "vector", "pair", "dict"], result=list(PREDICATES))
def predicate(tf, stage, source, result):
    made = getattr(sources(tf)[source], stage)(lambda *x: PREDICATES[result](tf, *x))
    return made.reduce(0, lambda n, *_: n + 1)


@case(stage=["filter", "take_while"], result=["int", "vector"])
def predicate_is_refused_when_the_dataset_is_made(tf, stage, result):
    getattr(tf.data.Dataset.range(3), stage)(lambda x: PREDICATES[result](tf, x))
    return "made"


STATES = {
    "same": lambda tf, s, x: (s + x, s),
    "float": lambda tf, s, x: (tf.cast(s, tf.float32), s),
    "no pair": lambda tf, s, x: s,
    "triple": lambda tf, s, x: (s, s, s),
}


@case(result=list(STATES))
def scan_result(tf, result):
    return list(tf.data.Dataset.range(4).scan(tf.constant(1, tf.int64), lambda s, x: STATES[result](tf, s, x)))


@case(result=["float", "no pair"])
def scan_is_refused_when_the_dataset_is_made(tf, result):
    tf.data.Dataset.range(4).scan(tf.constant(1, tf.int64), lambda s, x: STATES[result](tf, s, x))
    return "made"


@case(count=[0, 1, 4])
def scan_with_a_growing_state(tf, count):
    made = tf.data.Dataset.range(count).scan(np.array([], np.int64), lambda s, x: (tf.concat([s, [x]], 0), s))
    return list(made), made.element_spec.shape


@case(stage=["flat_map", "interleave"], result=["tensor", "pair", "number"])
def function_that_gives_no_dataset(tf, stage, result):
    values = {"tensor": lambda x: x * 2, "pair": lambda x: (x, x), "number": lambda x: 3}
    try:
        getattr(tf.data.Dataset.range(3), stage)(values[result])
    except (TypeError, AttributeError):
        return "refused"
    return "made"


@case(result=["tensor", "dataset"])
def group_by_window_result(tf, result):
    values = {"tensor": lambda key, group: key, "dataset": lambda key, group: group.batch(2)}
    return list(tf.data.Dataset.range(4).group_by_window(lambda x: x % 2, values[result], 2))


@case(key=["float", "vector", "int64"])
def group_by_window_key(tf, key):
    values = {"float": lambda x: tf.cast(x, tf.float32), "vector": lambda x: [x, x], "int64": lambda x: x % 2}
    try:
        return list(tf.data.Dataset.range(4).group_by_window(values[key], lambda k, g: g.batch(2), 2))
    except (TypeError, ValueError):
        return "refused"


@case(stage=["map", "filter", "flat_map", "interleave", "take_while"], given=["none", "number"])
def something_that_is_no_function(tf, stage, given):
    getattr(tf.data.Dataset.range(3), stage)(None if given == "none" else 3)


@case(size=[1, 2, 5], drop=[False, True])
def batches_with_nothing_in_a_place(tf, size, drop):
    return list(tf.data.Dataset.range(4).map(lambda x: (x, None)).batch(size, drop_remainder=drop))


@case(stage=["map", "batch", "concatenate", "repeat"])
def arrays_of_a_sparse_tensor(tf, stage):
    arrays = tf.compat.v1.SparseTensorValue(np.array([[0, 1]]), np.array([5]), np.array([2, 3]))
    made = tf.data.Dataset.range(2).map(lambda x: arrays)
    changed = {
        "map": lambda: made.map(lambda s: tf.sparse.to_dense(s) * 2),
        "batch": lambda: made.batch(2),
        "concatenate": lambda: made.concatenate(made),
        "repeat": lambda: made.repeat(2),
    }
    return list(changed[stage]())


@case(first=[2, 3], second=[2, 4], kind=["sparse", "ragged"])
def specs_of_datasets_one_after_the_other(tf, first, second, kind):
    def made(n):
        dense = tf.reshape(tf.range(n * n), [n, n])
        value = tf.sparse.from_dense(dense) if kind == "sparse" else tf.RaggedTensor.from_tensor(dense)
        return tf.data.Dataset.from_tensors(value)

    joined = made(first).concatenate(made(second))
    return joined.element_spec.shape[0], list(joined)


@case(times=[1, 2], size=[1, 2, 3])
def ragged_batches_of_batches(tf, times, size):
    made = tf.data.Dataset.range(6).map(lambda i: tf.ragged.constant([[1], [2, 3]], dtype=tf.int64) * i)
    for _ in range(times):
        made = made.batch(size)
    return list(made)


@case(axis=[0, 1, 2], count=[1, 2], rank=[1, 2])
def ragged_stack(tf, axis, count, rank):
    x = tf.ragged.constant([[1], [2, 3]] if rank == 1 else [[[1], [2]], [[3, 4]]])
    return tf.ragged.stack([x] * count, axis=axis)


@case(shapes=["2 3", "3 2 3", "1 1 2"], parts=[1, 2])
def message_of_a_batch_of_different_shapes(tf, shapes, parts):
    lengths = [int(n) for n in shapes.split()]
    values = [np.zeros(n) if parts == 1 else (n, np.zeros(n)) for n in lengths]
    specs = tf.TensorSpec([None], tf.float64)
    signature = specs if parts == 1 else (tf.TensorSpec([], tf.int32), specs)
    made = tf.data.Dataset.from_generator(lambda: iter(values), output_signature=signature)
    try:
        list(made.batch(3))
    except tf.errors.InvalidArgumentError as error:
        start = str(error).index("Cannot batch tensors")
        return str(error)[start:].partition(":")[0].split(" [Op")[0].rstrip(". ")


@case(given=["list", "number", "nothing", "both"])
def message_of_zip(tf, given):
    data = tf.data.Dataset.range(2)
    calls = {
        "list": lambda: tf.data.Dataset.zip([data, data]),
        "number": lambda: tf.data.Dataset.zip(1, 2),
        "nothing": lambda: tf.data.Dataset.zip(),
        "both": lambda: tf.data.Dataset.zip(data, datasets=data),
    }
    words = ["Invalid input to `zip`", "`tuple` instead", "at least one dataset", "cannot be set"]
    try:
        calls[given]()
    except TypeError as error:
        return [word in str(error) for word in words]
