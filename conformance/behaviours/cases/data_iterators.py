"""Iterators: checkpoints of every stage, optionals, NumPy iterators, specs, options."""

import collections
import os
import tempfile

from behaviour import case
from cases._draining import drain, plain, refusal, remaining

Pair = collections.namedtuple("Pair", ["a", "b"])

STAGES = {
    "range": lambda tf, ds: ds,
    "map": lambda tf, ds: ds.map(lambda x: x * 2),
    "parallel map": lambda tf, ds: ds.map(lambda x: x * 2, num_parallel_calls=2),
    "filter": lambda tf, ds: ds.filter(lambda x: x % 3 > 0),
    "batch": lambda tf, ds: ds.batch(2),
    "padded_batch": lambda tf, ds: ds.map(lambda x: tf.fill([x % 3], x)).padded_batch(2),
    "unbatch": lambda tf, ds: ds.batch(2).unbatch(),
    "repeat": lambda tf, ds: ds.repeat(2),
    "take": lambda tf, ds: ds.take(7),
    "skip": lambda tf, ds: ds.skip(2),
    "shard": lambda tf, ds: ds.shard(2, 1),
    "shuffle": lambda tf, ds: ds.shuffle(1),
    "cache": lambda tf, ds: ds.cache(),
    "prefetch": lambda tf, ds: ds.prefetch(2),
    "zip": lambda tf, ds: tf.data.Dataset.zip((ds, ds.skip(1))),
    "concatenate": lambda tf, ds: ds.concatenate(ds),
    "enumerate": lambda tf, ds: ds.enumerate(),
    "window": lambda tf, ds: ds.window(2).flat_map(lambda w: w.batch(2)),
    "flat_map": lambda tf, ds: ds.flat_map(lambda x: tf.data.Dataset.range(x % 3)),
    "interleave": lambda tf, ds: ds.interleave(lambda x: tf.data.Dataset.range(x, x + 2), 2),
    "parallel interleave": lambda tf, ds: ds.interleave(
        lambda x: tf.data.Dataset.range(x, x + 2), 2, num_parallel_calls=2
    ),
    "scan": lambda tf, ds: ds.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s)),
    "take_while": lambda tf, ds: ds.take_while(lambda x: x < 8),
    "unique": lambda tf, ds: ds.map(lambda x: x % 6).unique(),
    "group_by_window": lambda tf, ds: ds.group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), 2),
    "rebatch": lambda tf, ds: ds.batch(4).rebatch(3),
    "ragged_batch": lambda tf, ds: ds.map(tf.range).ragged_batch(2),
    "choose": lambda tf, ds: tf.data.Dataset.choose_from_datasets([ds, ds], ds.map(lambda x: x % 2)),
    "counter": lambda tf, ds: tf.data.Dataset.counter().take(9),
    "slices": lambda tf, ds: tf.data.Dataset.from_tensor_slices({"a": list(range(9)), "b": list(range(9))}),
}


@case(stage=list(STAGES), position=[0, 3])
def checkpoints(tf, stage, position):
    ds = STAGES[stage](tf, tf.data.Dataset.range(10))
    iterator = iter(ds)
    for _ in range(position):
        next(iterator)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(iterator=iterator).write(os.path.join(folder, "c"))
        next(iterator)
        other = iter(ds)
        tf.train.Checkpoint(iterator=other).read(path)
        found = remaining(tf, other)
        tf.train.Checkpoint(iterator=iterator).read(path)
        again = remaining(tf, iterator)
    return found, len(again) == len(found)


@case(seed=[None, 3])
def checkpoint_of_a_shuffle(tf, seed):
    ds = tf.data.Dataset.range(30).shuffle(10, seed=seed, reshuffle_each_iteration=False)
    iterator = iter(ds)
    first = [int(next(iterator)) for _ in range(7)]
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(iterator=iterator).write(os.path.join(folder, "c"))
        rest = [int(x) for x in iterator]
        other = iter(ds)
        tf.train.Checkpoint(iterator=other).read(path)
        return [int(x) for x in other] == rest, sorted(first + rest) == list(range(30))


@case
def checkpoint_at_the_end(tf):
    ds = tf.data.Dataset.range(3)
    iterator = iter(ds)
    list(iterator)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(iterator=iterator).write(os.path.join(folder, "c"))
        other = iter(ds)
        tf.train.Checkpoint(iterator=other).read(path)
        return remaining(tf, other)


@case
def checkpoint_of_a_numpy_iterator(tf):
    ds = tf.data.Dataset.range(5)
    iterator = ds.as_numpy_iterator()
    next(iterator)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(iterator=iterator).write(os.path.join(folder, "c"))
        other = ds.as_numpy_iterator()
        tf.train.Checkpoint(iterator=other).read(path)
        return remaining(tf, other)


@case
def save_and_restore_of_an_iterator(tf):
    iterator = iter(tf.data.Dataset.range(5).map(lambda x: x * 2))
    next(iterator)
    state = iterator.save() if hasattr(iterator, "save") else None
    return state is None or state.dtype == tf.variant


@case
def optional_values(tf):
    some = tf.experimental.Optional.from_value((1, {"a": 2.0}))
    none = tf.experimental.Optional.empty(some.element_spec)
    return some.has_value(), plain(tf, some.get_value()), none.has_value(), str(some.element_spec)


@case
def optional_without_a_value(tf):
    return tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)).get_value()


@case
def optionals_of_an_iterator(tf):
    iterator = iter(tf.data.Dataset.range(2))
    found = [iterator.get_next_as_optional() for _ in range(4)]
    return [o.has_value() for o in found], str(found[0].element_spec)


@case
def optionals_in_functions(tf):
    @tf.function
    def double(optional):
        return optional.get_value() * 2

    return double(tf.experimental.Optional.from_value(4))


@case
def get_next_at_the_end(tf):
    iterator = iter(tf.data.Dataset.range(1))
    iterator.get_next()
    return iterator.get_next()


@case
def next_at_the_end_again_and_again(tf):
    iterator = iter(tf.data.Dataset.range(1))
    return remaining(tf, iterator), remaining(tf, iterator), next(iterator, "default")


@case
def iterator_of_an_iterator(tf):
    iterator = iter(tf.data.Dataset.range(2))
    return iter(iterator) is iterator


@case
def iterators_are_independent(tf):
    ds = tf.data.Dataset.range(3)
    a, b = iter(ds), iter(ds)
    next(a)
    return next(a), next(b)


@case
def spec_of_an_iterator(tf):
    iterator = iter(tf.data.Dataset.range(2).batch(2))
    return str(iterator.element_spec), str(tf.data.IteratorSpec(iterator.element_spec).element_spec)


@case
def iterator_in_a_function(tf):
    iterator = iter(tf.data.Dataset.range(4))

    @tf.function
    def take(it):
        return next(it) + next(it)

    return take(iterator), take(iterator)


@case
def numpy_iterator_of_structures(tf):
    ds = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": (["x", "y"], [[1.0], [2.0]])})
    return [plain(tf, e) for e in ds.as_numpy_iterator()]


@case
def numpy_iterator_of_ragged_and_sparse(tf):
    ragged = tf.data.Dataset.from_tensors(tf.ragged.constant([[1], [2, 3]]))
    sparse = tf.data.Dataset.from_tensors(tf.SparseTensor([[0]], [1], [2]))
    return [type(e).__name__ for e in ragged.as_numpy_iterator()], [
        type(e).__name__ for e in sparse.as_numpy_iterator()
    ]


@case
def numpy_iterator_of_nested_datasets(tf):
    return [[int(x) for x in w] for w in tf.data.Dataset.range(4).window(2).as_numpy_iterator()]


@case(kind=["optional", "ragged pair"])
def numpy_iterator_that_is_refused(tf, kind):
    if kind == "optional":
        ds = tf.data.Dataset.from_tensors(tf.experimental.Optional.from_value(1))
    else:
        ds = tf.data.Dataset.from_tensors((tf.ragged.constant([[1], [2, 3]]), tf.experimental.Optional.from_value(1)))
    return refusal(ds.as_numpy_iterator)


@case
def numpy_iterator_types(tf):
    ds = tf.data.Dataset.from_tensors((1, "a", [1.0, 2.0]))
    a, b, c = next(ds.as_numpy_iterator())
    return type(a).__name__, type(b).__name__, type(c).__name__


@case
def datasets_are_true(tf):
    return bool(tf.data.Dataset.range(0)), tf.data.Dataset.range(0).__nonzero__() if hasattr(
        tf.data.Dataset, "__nonzero__"
    ) else True


@case
def options_by_default(tf):
    options = tf.data.Options()
    return (
        options.deterministic, options.autotune.enabled, options.experimental_optimization.map_fusion,
        options.threading.private_threadpool_size, options.experimental_distribute.num_devices,
        options.experimental_slack,
    )  # fmt: skip


@case
def options_are_merged(tf):
    a, b = tf.data.Options(), tf.data.Options()
    a.deterministic = False
    a.threading.private_threadpool_size = 3
    b.deterministic = True
    b.autotune.enabled = False
    ds = tf.data.Dataset.range(1).with_options(a).with_options(b)
    found = ds.options()
    return found.deterministic, found.threading.private_threadpool_size, found.autotune.enabled


@case
def options_go_through_stages(tf):
    options = tf.data.Options()
    options.deterministic = False
    ds = tf.data.Dataset.range(3).with_options(options).map(lambda x: x).batch(2)
    return ds.options().deterministic


@case
def options_of_several_inputs(tf):
    a, b = tf.data.Options(), tf.data.Options()
    a.deterministic = False
    b.autotune.enabled = False
    left = tf.data.Dataset.range(3).with_options(a)
    right = tf.data.Dataset.range(3).with_options(b)
    found = tf.data.Dataset.zip((left, right)).options()
    return found.deterministic, found.autotune.enabled


@case
def options_are_equal(tf):
    a, b = tf.data.Options(), tf.data.Options()
    before = a == b
    a.deterministic = True
    return before, a == b, a != b


@case(name=["unknown", "experimental_unknown"])
def options_that_do_not_exist(tf, name):
    return refusal(lambda: setattr(tf.data.Options(), name, 1))


@case(what=["deterministic", "threading", "autotune"])
def options_of_wrong_types(tf, what):
    options = tf.data.Options()
    tries = {
        "deterministic": lambda: setattr(options, "deterministic", "yes"),
        "threading": lambda: setattr(options.threading, "private_threadpool_size", "many"),
        "autotune": lambda: setattr(options.autotune, "enabled", 3.5),
    }
    return refusal(tries[what])


@case
def with_options_of_something_else(tf):
    return refusal(lambda: tf.data.Dataset.range(2).with_options(3))


@case
def specs_of_datasets(tf):
    spec = tf.data.DatasetSpec.from_value(tf.data.Dataset.range(2).batch(2))
    other = tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64))
    return str(spec), spec == other, spec.is_compatible_with(other), hash(spec) == hash(other)


@case
def subtypes_of_dataset_specs(tf):
    wide = tf.data.DatasetSpec({"a": tf.TensorSpec([None], tf.int32)})
    narrow = tf.data.DatasetSpec({"a": tf.TensorSpec([2], tf.int32)})
    return (
        narrow.is_subtype_of(wide), wide.is_subtype_of(narrow), str(narrow.most_specific_common_supertype([wide])),
        str(narrow.most_specific_compatible_type(wide)),
    )  # fmt: skip


@case
def specs_of_other_structures(tf):
    a = tf.data.DatasetSpec({"a": tf.TensorSpec([None], tf.int32)})
    b = tf.data.DatasetSpec((tf.TensorSpec([None], tf.int32),))
    return a == b, a.is_compatible_with(b), a.is_subtype_of(b), a.most_specific_common_supertype([b])


@case
def legacy_types_and_shapes(tf):
    ds = tf.data.Dataset.from_tensor_slices({"a": [1], "b": [[1.0, 2.0]]})
    return (
        tf.compat.v1.data.get_output_types(ds), tf.compat.v1.data.get_output_shapes(ds),
        sorted(c.__name__ for c in tf.nest.flatten(tf.compat.v1.data.get_output_classes(ds))),
    )  # fmt: skip


@case
def structure_of_elements(tf):
    ds = tf.data.Dataset.from_tensor_slices(Pair([1, 2], [3.0, 4.0])).batch(2)
    return type(ds.element_spec).__name__, str(ds.element_spec), str(tf.data.experimental.get_structure(ds))


@case
def type_spec_of_a_dataset(tf):
    return str(tf.type_spec_from_value(tf.data.Dataset.range(2)))


@case(transformation=[
    "enumerate", "unbatch", "unique", "scan", "take_while", "shuffle_and_repeat", "map_and_batch", "dense_to_ragged", "counter",
    "ignore", "assert", "rejection", "group", "bucket", "parallel_interleave", "prefetch", "copy", "snapshotless", "get_single",
])  # fmt: skip
def experimental_names(tf, transformation):
    ex, ds = tf.data.experimental, tf.data.Dataset.range(6)
    made = {
        "enumerate": lambda: ds.apply(ex.enumerate_dataset(2)), "unbatch": lambda: ds.batch(2).apply(ex.unbatch()),
        "unique": lambda: ds.map(lambda x: x % 2).apply(ex.unique()),
        "scan": lambda: ds.apply(ex.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s))),
        "take_while": lambda: ds.apply(ex.take_while(lambda x: x < 3)),
        "shuffle_and_repeat": lambda: ds.apply(ex.shuffle_and_repeat(1, 2)),
        "map_and_batch": lambda: ds.apply(ex.map_and_batch(lambda x: x * 2, 4)),
        "dense_to_ragged": lambda: ds.map(tf.range).apply(ex.dense_to_ragged_batch(3)),
        "counter": lambda: ex.Counter(2, 3).take(3), "ignore": lambda: ds.apply(ex.ignore_errors()),
        "assert": lambda: ds.apply(ex.assert_cardinality(6)),
        "rejection": lambda: ds.apply(ex.rejection_resample(lambda x: 0, [1.0], [1.0])),
        "group": lambda: ds.apply(ex.group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), 3)),
        "bucket": lambda: ds.map(tf.range).apply(
            ex.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2])
        ),
        "parallel_interleave": lambda: ds.apply(ex.parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x), 2)),
        "prefetch": lambda: ds.apply(ex.prefetch_to_device("/cpu:0")), "copy": lambda: ds.apply(ex.copy_to_device("/cpu:0")),
        "snapshotless": lambda: ds.apply(lambda d: d.prefetch(ex.AUTOTUNE)),
        "get_single": lambda: tf.data.Dataset.from_tensors(ex.get_single_element(ds.batch(6))),
    }  # fmt: skip
    return drain(tf, made[transformation]())


@case
def one_trace_for_optionals(tf):
    traces = []

    @tf.function
    def value(optional):
        traces.append(None)
        return optional.get_value() if optional.has_value() else tf.constant(-1)

    own = tf.experimental.Optional
    given = [own.from_value(tf.constant(n)) for n in (3, 4)]
    return [value(o) for o in [*given, own.empty(tf.TensorSpec([], tf.int32))]], len(traces)


@case
def optional_of_a_signature(tf):
    @tf.function(input_signature=[tf.OptionalSpec(tf.TensorSpec([None], tf.float32))])
    def total(optional):
        return tf.reduce_sum(optional.get_value())

    return [total(tf.experimental.Optional.from_value(tf.ones([n]))) for n in (2, 3)]


@case(shape=[(), (2,), (None,)])
def spec_of_datasets_side_by_side(tf, shape):
    own, other = (tf.data.DatasetSpec(tf.TensorSpec([], tf.int64), s) for s in (shape, (2,)))
    return (
        own.is_compatible_with(other),
        own == other,
        own.is_compatible_with(tf.data.Dataset.range(3)) if shape == () else None,
    )


@case(count=[3, 0])
def optionals_in_a_loop(tf, count):
    @tf.function
    def f(iterator):
        n, total = 0, tf.constant(0, tf.int64)
        found = iterator.get_next_as_optional()
        while found.has_value():
            n += 1
            total += found.get_value()
            found = iterator.get_next_as_optional()
        return n, total

    return f(iter(tf.data.Dataset.range(count)))


@case(p=[True, False], way=["if", "cond"])
def optionals_in_branches(tf, p, way):
    @tf.function
    def f(p):
        full, empty = (
            tf.experimental.Optional.from_value(7),
            tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)),
        )
        if way == "cond":
            found = tf.cond(p, lambda: full, lambda: empty)
        elif p:
            found = full
        else:
            found = empty
        return found.has_value()

    return f(tf.constant(p))
