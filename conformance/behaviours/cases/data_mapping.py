"""map, filter, flat_map, interleave, scan, take_while, reduce: results, orders and structures."""

import collections

from behaviour import case
from cases._draining import drain, refusal

Pair = collections.namedtuple("Pair", ["first", "second"])


@case
def map_of_a_list(tf):
    ds = tf.data.Dataset.range(2).map(lambda x: [x, x + 1])
    return drain(tf, ds), str(ds.element_spec)


@case
def map_to_none(tf):
    return refusal(lambda: drain(tf, tf.data.Dataset.range(2).map(lambda x: None)))


@case
def map_to_none_in_a_structure(tf):
    return drain(tf, tf.data.Dataset.range(2).map(lambda x: (x, None)))


@case
def map_through_none(tf):
    return drain(tf, tf.data.Dataset.range(2).map(lambda x: (x, None)).map(lambda x, y: x if y is None else -x))


@case
def map_to_a_named_tuple(tf):
    ds = tf.data.Dataset.range(2).map(lambda x: Pair(x, x * 2))
    return drain(tf, ds), drain(tf, ds.map(lambda p: p.first + p.second))


@case
def named_tuple_arguments(tf):
    ds = tf.data.Dataset.from_tensor_slices(Pair([1, 2], [3, 4]))
    return drain(tf, ds.map(lambda a, b: a * b))


@case
def map_to_nested_structures(tf):
    ds = tf.data.Dataset.range(2).map(lambda x: {"a": (x, {"b": x}), "c": [x, x]})
    return drain(tf, ds), str(ds.element_spec)


@case
def dicts_are_one_argument(tf):
    return drain(tf, tf.data.Dataset.from_tensor_slices({"x": [1, 2], "y": [3, 4]}).map(lambda d: d["x"] + d["y"]))


@case
def nested_tuples_are_spread_once(tf):
    ds = tf.data.Dataset.from_tensor_slices((([1, 2], [3, 4]), [5, 6]))
    return drain(tf, ds.map(lambda p, q: p[0] + p[1] + q))


@case
def variable_arguments(tf):
    ds = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4], [5, 6]))
    return drain(tf, ds.map(lambda *a: tf.add_n(a)))


@case(arguments=[0, 2, 3])
def wrong_number_of_arguments(tf, arguments):
    functions = {0: lambda: 1, 2: lambda a, b: a, 3: lambda a, b, c: a}
    return refusal(lambda: list(tf.data.Dataset.range(2).map(functions[arguments])))


@case(method=["map", "filter", "flat_map", "take_while", "interleave"])
def function_that_is_none(tf, method):
    return refusal(lambda: list(getattr(tf.data.Dataset.range(2), method)(None)))


@case(calls=[0, -2, "a"])
def wrong_number_of_calls(tf, calls):
    return refusal(lambda: list(tf.data.Dataset.range(2).map(lambda x: x, num_parallel_calls=calls)))


@case
def map_of_constants(tf):
    return drain(tf, tf.data.Dataset.range(2).map(lambda x: 1)), drain(tf, tf.data.Dataset.range(1).map(lambda x: "a"))


@case
def map_to_sparse_and_ragged(tf):
    sp = tf.data.Dataset.range(2).map(lambda x: tf.SparseTensor([[0]], [x], [3]))
    rt = tf.data.Dataset.range(1, 3).map(lambda x: tf.RaggedTensor.from_row_lengths(tf.range(x), [x]))
    return drain(tf, sp), drain(tf, sp.map(tf.sparse.to_dense)), drain(tf, rt)


@case
def specs_of_sparse_maps(tf):
    row = tf.data.Dataset.range(2).map(lambda x: tf.SparseTensor([[0, 0]], [x], [3, 2]))
    same = row.map(lambda s: s)
    return str(row.element_spec), str(same.element_spec)


@case
def map_to_a_tensor_array_of_shapes(tf):
    ds = tf.data.Dataset.range(3).map(lambda x: tf.fill([x, 2], 1.0))
    return str(ds.element_spec), drain(tf, ds)


@case
def map_with_a_captured_tensor(tf):
    offset = tf.constant(10, tf.int64)
    return drain(tf, tf.data.Dataset.range(2).map(lambda x: x + offset))


@case(calls=[None, 2])
def map_reads_a_variable(tf, calls):
    v = tf.Variable(5, dtype=tf.int64)
    ds = tf.data.Dataset.range(2).map(lambda x: x + v, num_parallel_calls=calls)
    first = drain(tf, ds)
    v.assign(7)
    return first, drain(tf, ds)


@case
def map_assigns_a_variable(tf):
    v = tf.Variable(0, dtype=tf.int64)
    ds = tf.data.Dataset.range(4).map(lambda x: v.assign_add(x))
    return drain(tf, ds), v.read_value()


@case
def parallel_map_assigns_a_variable(tf):
    v = tf.Variable(0, dtype=tf.int64)
    list(tf.data.Dataset.range(100).map(lambda x: v.assign_add(x), num_parallel_calls=4))
    return v.read_value()


@case
def filter_with_a_counter(tf):
    v = tf.Variable(0, dtype=tf.int64)
    return drain(tf, tf.data.Dataset.range(5).filter(lambda x: v.assign_add(1) > 2)), v.read_value()


@case
def map_uses_an_object(tf):
    class Model:
        def __init__(self):
            self.scale = tf.Variable(3, dtype=tf.int64)

        def __call__(self, x):
            return x * self.scale

    return drain(tf, tf.data.Dataset.range(3).map(Model()))


@case
def map_uses_a_table(tf):
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), default_value=-1
    )
    return drain(tf, tf.data.Dataset.from_tensor_slices(["b", "a", "c"]).map(table.lookup))


@case
def map_uses_a_function(tf):
    @tf.function
    def double(x):
        return x * 2

    return drain(tf, tf.data.Dataset.range(3).map(double))


@case
def map_with_conditions_and_loops(tf):
    def collatz(x):
        n = tf.constant(0)
        while x > 1:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            n += 1
        return n

    return drain(tf, tf.data.Dataset.range(1, 7).map(collatz))


@case
def map_to_datasets(tf):
    ds = tf.data.Dataset.range(1, 3).map(lambda n: tf.data.Dataset.range(n))
    return drain(tf, ds), str(ds.element_spec)


@case
def map_of_partial_functions_and_methods(tf):
    import functools

    return drain(tf, tf.data.Dataset.range(2).map(functools.partial(lambda a, b: a + b, b=3)))


@case(result=["int", "vector", "float", "none"])
def filter_that_gives_no_bool(tf, result):
    results = {
        "int": lambda x: x, "vector": lambda x: [x > 0, x > 1], "float": lambda x: 1.0, "none": lambda x: None,
    }  # fmt: skip
    return refusal(lambda: list(tf.data.Dataset.range(3).filter(results[result])))


@case
def filter_of_parts(tf):
    ds = tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))
    return drain(tf, ds.filter(lambda x, s: (x > 1) & (s != "c")))


@case
def filter_of_sparse(tf):
    ds = tf.data.Dataset.range(4).map(lambda i: (tf.SparseTensor([[0]], [i], [1]), i))
    return drain(tf, ds.filter(lambda s, i: i % 2 == 1))


@case
def filter_by_a_python_bool(tf):
    return drain(tf, tf.data.Dataset.range(3).filter(lambda x: True)), drain(
        tf, tf.data.Dataset.range(3).filter(lambda x: False)
    )


@case
def flat_map_that_gives_no_dataset(tf):
    return refusal(lambda: list(tf.data.Dataset.range(3).flat_map(lambda x: x)))


@case
def flat_map_of_nested_datasets(tf):
    ds = tf.data.Dataset.range(4).flat_map(
        lambda x: tf.data.Dataset.range(x).flat_map(lambda y: tf.data.Dataset.from_tensors((x, y)))
    )
    return drain(tf, ds)


@case
def flat_map_of_windows_and_sparse(tf):
    ds = tf.data.Dataset.range(3).flat_map(
        lambda x: tf.data.Dataset.from_tensors(tf.SparseTensor([[0]], [x], [1])).repeat(2)
    )
    return drain(tf, ds)


@case(cycle=[1, 2, 3, 5], block=[1, 2, 3])
def interleave_order(tf, cycle, block):
    ds = tf.data.Dataset.from_tensor_slices([4, 5, 6])
    return drain(
        tf, ds.interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(tf.cast(x, tf.int64)), cycle, block)
    )


@case(cycle=[1, 2, 3], block=[1, 2], calls=[1, 2])
def parallel_interleave_order(tf, cycle, block, calls):
    ds = tf.data.Dataset.from_tensor_slices([4, 5, 6, 0, 2])
    made = ds.interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(tf.cast(x, tf.int64)),
        cycle, block, num_parallel_calls=min(calls, cycle), deterministic=True,
    )  # fmt: skip
    return drain(tf, made)


@case(cycle=[2, 3], block=[1, 2])
def interleave_with_empty_datasets(tf, cycle, block):
    ds = tf.data.Dataset.from_tensor_slices(tf.constant([2, 0, 3, 0, 0, 1], tf.int64))
    return drain(tf, ds.interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(x), cycle, block))


@case(cycle=[0, -2], block=[1])
def interleave_of_a_wrong_cycle(tf, cycle, block):
    return refusal(lambda: list(tf.data.Dataset.range(2).interleave(tf.data.Dataset.from_tensors, cycle, block)))


@case(block=[0, -1])
def interleave_of_a_wrong_block(tf, block):
    return refusal(lambda: list(tf.data.Dataset.range(2).interleave(tf.data.Dataset.from_tensors, 2, block)))


@case(calls=[0, -3, 4])
def interleave_of_wrong_calls(tf, calls):
    return refusal(
        lambda: list(tf.data.Dataset.range(2).interleave(tf.data.Dataset.from_tensors, 2, 1, num_parallel_calls=calls))
    )


@case
def interleave_without_determinism_gives_all(tf):
    ds = tf.data.Dataset.range(4).interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(3), 2, num_parallel_calls=2, deterministic=False
    )
    return sorted(int(x) for x in ds)


@case
def interleave_of_sparse(tf):
    ds = tf.data.Dataset.range(2).interleave(
        lambda x: tf.data.Dataset.from_tensors(tf.SparseTensor([[0]], [x], [1])).repeat(2), cycle_length=2
    )
    return drain(tf, ds)


@case
def map_without_determinism_gives_all(tf):
    ds = tf.data.Dataset.range(20).map(lambda x: x * 2, num_parallel_calls=4, deterministic=False)
    return sorted(int(x) for x in ds)


@case
def scan_of_a_sum(tf):
    ds = tf.data.Dataset.range(5).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s))
    return drain(tf, ds), ds.cardinality(), str(ds.element_spec)


@case
def scan_of_structures(tf):
    ds = tf.data.Dataset.range(3).scan(
        {"a": 0, "b": (1.0,)}, lambda s, x: ({"a": s["a"] + 1, "b": s["b"]}, (x, s["a"]))
    )
    return drain(tf, ds)


@case
def scan_with_growing_state(tf):
    ds = tf.data.Dataset.range(3).scan(
        tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), tf.concat([s, [x]], 0))
    )
    return drain(tf, ds)


@case
def scan_with_another_dtype_of_state(tf):
    return refusal(lambda: list(tf.data.Dataset.range(3).scan(0, lambda s, x: (tf.cast(s, tf.float32), x))))


@case
def scan_with_another_structure_of_state(tf):
    return refusal(lambda: list(tf.data.Dataset.range(3).scan(0, lambda s, x: ((s, s), x))))


@case(result=["one", "three", "none"])
def scan_that_gives_no_pair(tf, result):
    results = {"one": lambda s, x: s, "three": lambda s, x: (s, x, x), "none": lambda s, x: None}
    return refusal(lambda: list(tf.data.Dataset.range(3).scan(0, results[result])))


@case
def scan_with_sparse_state(tf):
    start = tf.SparseTensor([[0]], [1], [1])
    ds = tf.data.Dataset.range(3).scan(
        start, lambda s, x: (tf.SparseTensor(s.indices, s.values * 2, s.dense_shape), s.values)
    )
    return drain(tf, ds)


@case
def scan_with_ragged_state(tf):
    start = tf.ragged.constant([[1], [2, 3]])
    return drain(tf, tf.data.Dataset.range(2).scan(start, lambda s, x: (s * 2, s)))


@case
def take_while_of_parts(tf):
    ds = tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))
    return drain(tf, ds.take_while(lambda x, s: s != "c")), ds.take_while(lambda x, s: True).cardinality()


@case
def take_while_that_gives_no_bool(tf):
    return refusal(lambda: list(tf.data.Dataset.range(3).take_while(lambda x: x)))


@case
def take_while_is_anew_in_repeats(tf):
    return drain(tf, tf.data.Dataset.range(5).take_while(lambda x: x < 2).repeat(2))


@case
def reduce_of_sums(tf):
    ds = tf.data.Dataset.range(5)
    return ds.reduce(tf.constant(0, tf.int64), lambda a, b: a + b), ds.reduce(
        (0, 1.0), lambda s, x: (s[0] + 1, s[1] * 2.0)
    )


@case
def reduce_of_parts(tf):
    ds = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [4, 5, 6]))
    return ds.reduce(0, lambda s, *p: s + p[0][0])


@case
def reduce_gets_a_tuple(tf):
    ds = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [4, 5, 6]))
    return ds.reduce(0, lambda s, p: s + p[0] * p[1])


@case
def reduce_of_nothing(tf):
    return tf.data.Dataset.range(0).reduce(7, lambda s, x: s + 1)


@case
def reduce_with_another_dtype(tf):
    return refusal(lambda: tf.data.Dataset.range(3).reduce(0, lambda s, x: tf.cast(s, tf.float32) + 1.0))


@case
def reduce_with_a_mixed_sum(tf):
    return refusal(lambda: tf.data.Dataset.range(3).reduce(0, lambda s, x: s + x))


@case
def reduce_with_another_structure(tf):
    return refusal(lambda: tf.data.Dataset.range(3).reduce(0, lambda s, x: (s, s)))


@case
def reduce_with_growing_state(tf):
    return tf.data.Dataset.range(3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0))


@case
def reduce_of_sparse_and_ragged(tf):
    sp = tf.data.Dataset.range(3).map(lambda i: tf.SparseTensor([[0]], [i], [2]))
    rt = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]]))
    return (
        sp.reduce(tf.constant(0, tf.int64), lambda s, x: s + tf.sparse.reduce_sum(x)),
        rt.reduce(0, lambda s, x: s + tf.reduce_sum(x)),
    )


@case
def apply_gives_a_dataset(tf):
    return drain(tf, tf.data.Dataset.range(4).apply(lambda d: d.filter(lambda x: x > 1)))


@case
def apply_that_gives_no_dataset(tf):
    return refusal(lambda: tf.data.Dataset.range(4).apply(lambda d: 3))


@case(stage=["map", "filter", "batch", "shuffle", "repeat", "take", "skip", "prefetch", "cache", "enumerate", "shard"])
def stages_take_names(tf, stage):
    arguments = {
        "map": (lambda x: x,), "filter": (lambda x: x > 0,), "batch": (2,), "shuffle": (1,), "repeat": (2,), "take": (2,),
        "skip": (1,), "prefetch": (1,), "cache": (), "enumerate": (), "shard": (2, 0),
    }  # fmt: skip
    return drain(tf, getattr(tf.data.Dataset.range(3, name="numbers"), stage)(*arguments[stage], name="stage"))


@case
def group_by_window_of_sizes(tf):
    ds = tf.data.Dataset.range(10).group_by_window(lambda x: x % 3, lambda k, w: w.batch(10), window_size=2)
    return drain(tf, ds), str(ds.element_spec), ds.cardinality()


@case
def group_by_window_with_a_function_of_sizes(tf):
    ds = tf.data.Dataset.range(12).group_by_window(
        lambda x: x % 2, lambda k, w: w.batch(10), window_size_func=lambda k: k + 2
    )
    return drain(tf, ds)


@case(sizes=["none", "both"])
def group_by_window_without_one_size(tf, sizes):
    options = {"none": {}, "both": {"window_size": 1, "window_size_func": lambda k: k}}
    return refusal(lambda: tf.data.Dataset.range(3).group_by_window(lambda x: x, lambda k, w: w, **options[sizes]))


@case(size=[0, -1])
def group_by_window_of_a_wrong_size(tf, size):
    return refusal(
        lambda: list(tf.data.Dataset.range(3).group_by_window(lambda x: x, lambda k, w: w, window_size=size))
    )


@case
def group_by_window_of_a_wrong_size_function(tf):
    ds = tf.data.Dataset.range(3).group_by_window(lambda x: x, lambda k, w: w, window_size_func=lambda k: k * 0)
    return refusal(lambda: list(ds))


@case(key=["float", "vector", "int32"])
def group_by_window_of_a_wrong_key(tf, key):
    keys = {"float": lambda x: 1.0, "vector": lambda x: [x], "int32": lambda x: 1}
    return refusal(lambda: list(tf.data.Dataset.range(3).group_by_window(keys[key], lambda k, w: w, window_size=2)))


@case
def group_by_window_that_gives_no_dataset(tf):
    return refusal(lambda: list(tf.data.Dataset.range(3).group_by_window(lambda x: x, lambda k, w: k, window_size=2)))


@case
def group_by_window_of_nothing(tf):
    return drain(tf, tf.data.Dataset.range(0).group_by_window(lambda x: x, lambda k, w: w.batch(2), 2))


@case
def group_by_window_of_parts(tf):
    ds = tf.data.Dataset.from_tensor_slices({"a": tf.constant([0, 1, 0], tf.int64), "b": ["x", "y", "z"]})
    return drain(tf, ds.group_by_window(lambda d: d["a"], lambda k, w: w.batch(2), 2))


@case
def group_by_reducer(tf):
    reducer = tf.data.experimental.Reducer(
        lambda k: (tf.constant(0, tf.int64), k), lambda s, x: (s[0] + x, s[1]), lambda total, k: (k, total)
    )
    return drain(tf, tf.data.Dataset.range(7).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer)))


@case(boundaries=[[3], [2, 4]], drop=[False, True])
def buckets(tf, boundaries, drop):
    ds = tf.data.Dataset.from_tensor_slices([1, 4, 2, 3, 1, 5]).map(lambda n: tf.fill([n], n))
    made = ds.bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], boundaries, [2] * (len(boundaries) + 1), drop_remainder=drop
    )
    return drain(tf, made)


@case
def buckets_padded_to_boundaries(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 4, 2, 3, 1, 5]).map(lambda n: tf.fill([n], n))
    return drain(
        tf, ds.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 6], [2, 2, 2], pad_to_bucket_boundary=True)
    )


@case
def buckets_padded_beyond_the_last_boundary(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 4, 2, 3, 1, 5]).map(lambda n: tf.fill([n], n))
    return drain(tf, ds.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2], pad_to_bucket_boundary=True))


@case
def buckets_without_padding(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 4, 1, 4]).map(lambda n: tf.fill([n], n))
    return drain(tf, ds.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2], no_padding=True))


@case
def buckets_of_sparse(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2, 1, 2]).map(
        lambda n: tf.SparseTensor(tf.cast(tf.expand_dims(tf.range(n), 1), tf.int64), tf.fill([n], n), [2])
    )
    return drain(tf, ds.bucket_by_sequence_length(lambda s: tf.shape(s.values)[0], [2], [2, 2], no_padding=True))


@case
def buckets_of_parts_with_values(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda n: (tf.fill([n], n), n))
    made = ds.bucket_by_sequence_length(lambda x, n: n, [3], [2, 2], padded_shapes=([None], []), padding_values=(-1, 0))
    return drain(tf, made)


@case
def buckets_of_wrong_sizes(tf):
    ds = tf.data.Dataset.from_tensor_slices([[1], [2]])
    return refusal(lambda: ds.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2]))
