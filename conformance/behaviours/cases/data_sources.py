"""Where elements come from: tensors, ranges, generators, random numbers, other datasets."""

import collections

import numpy as np
from behaviour import case
from cases._draining import drain, plain, refusal

Point = collections.namedtuple("Point", ["x", "y"])


@case(arguments=[(3,), (1, 4), (0, 7, 3), (5, 0, -2), (0,), (-3,), (4, 1), (0, 5, -1)])
def ranges(tf, arguments):
    ds = tf.data.Dataset.range(*arguments)
    return drain(tf, ds), ds.cardinality()


@case(dtype=["int8", "int32", "int64", "float32", "float64", "uint8", "bfloat16"])
def ranges_of_dtypes(tf, dtype):
    ds = tf.data.Dataset.range(1, 4, output_type=tf.as_dtype(dtype))
    return drain(tf, ds), str(ds.element_spec)


@case(dtype=["string", "bool", "complex64"])
def ranges_of_wrong_dtypes(tf, dtype):
    return refusal(lambda: list(tf.data.Dataset.range(3, output_type=tf.as_dtype(dtype))))


@case(arguments=[("a",), (), (1, 2, 3, 4), (1.5,), (0, 5, 0), (None,), ([1, 2],)])
def ranges_of_wrong_numbers(tf, arguments):
    return refusal(lambda: list(tf.data.Dataset.range(*arguments)))


@case
def range_of_tensors(tf):
    return drain(tf, tf.data.Dataset.range(tf.constant(1, tf.int64), tf.constant(3, tf.int64)))


@case
def slices_of_structures(tf):
    ds = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ([3.0, 4.0], [[5, 6], [7, 8]])})
    return drain(tf, ds), str(ds.element_spec)


@case
def slices_of_named_tuples(tf):
    ds = tf.data.Dataset.from_tensor_slices(Point([1, 2], [3, 4]))
    return drain(tf, ds), [type(e).__name__ for e in ds]


@case(value=["scalar", "empty tuple", "different", "empty dict", "none"])
def slices_that_are_refused(tf, value):
    values = {"scalar": 3, "empty tuple": (), "different": ([1, 2], [3]), "empty dict": {}, "none": None}
    return refusal(lambda: tf.data.Dataset.from_tensor_slices(values[value]))


@case
def slices_of_nothing(tf):
    ds = tf.data.Dataset.from_tensor_slices(np.zeros([0, 3], np.float32))
    return drain(tf, ds), str(ds.element_spec), ds.cardinality()


@case
def slices_of_mixed_lists(tf):
    return drain(tf, tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])), drain(
        tf, tf.data.Dataset.from_tensor_slices((1.0, 2) and [1.0, 2])
    )


@case
def slices_of_sparse(tf):
    sp = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])
    ds = tf.data.Dataset.from_tensor_slices(sp)
    return drain(tf, ds), str(ds.element_spec)


@case
def slices_of_sparse_in_structures(tf):
    sp = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])
    return drain(tf, tf.data.Dataset.from_tensor_slices({"s": sp, "d": [1, 2]}))


@case
def slices_of_ragged(tf):
    ds = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], []]))
    return drain(tf, ds), str(ds.element_spec)


@case
def slices_of_ragged_of_rank_three(tf):
    ds = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [[4]]]))
    return drain(tf, ds), str(ds.element_spec)


@case
def slices_of_datasets(tf):
    ds = tf.data.Dataset.from_tensor_slices([tf.data.Dataset.range(2), tf.data.Dataset.range(5, 8)])
    return drain(tf, ds), str(ds.element_spec), drain(tf, ds.flat_map(lambda d: d))


@case
def slices_of_datasets_beside_tensors(tf):
    ds = tf.data.Dataset.from_tensor_slices(([1, 2], [tf.data.Dataset.range(2), tf.data.Dataset.range(5, 8)]))
    return drain(tf, ds)


@case
def tensors_of_structures(tf):
    ds = tf.data.Dataset.from_tensors({"a": [1, 2], "b": (3.0, "x")})
    return drain(tf, ds), str(ds.element_spec), ds.cardinality()


@case
def tensors_of_sparse_and_ragged(tf):
    ds = tf.data.Dataset.from_tensors((tf.SparseTensor([[0]], [1], [2]), tf.ragged.constant([[1], [2, 3]])))
    return drain(tf, ds), str(ds.element_spec)


@case
def tensors_of_a_dataset(tf):
    ds = tf.data.Dataset.from_tensors(tf.data.Dataset.range(3))
    return drain(tf, ds), str(ds.element_spec)


@case
def tensors_of_none(tf):
    ds = tf.data.Dataset.from_tensors((1, None))
    return drain(tf, ds), str(ds.element_spec)


@case
def tensors_of_an_optional(tf):
    ds = tf.data.Dataset.from_tensors(tf.experimental.Optional.from_value(3))
    return drain(tf, ds)


@case
def tensors_of_mixed_lists(tf):
    return refusal(lambda: tf.data.Dataset.from_tensors([1, "a"]))


def generated(tf, values, **options):
    return tf.data.Dataset.from_generator(lambda: iter(values), **options)


@case
def generator_with_types(tf):
    ds = generated(tf, [1, 2], output_types=tf.int64)
    return drain(tf, ds), str(ds.element_spec)


@case
def generator_with_types_and_shapes(tf):
    ds = generated(tf, [([1, 2], 3)], output_types=(tf.int64, tf.float32), output_shapes=([None], []))
    return drain(tf, ds), str(ds.element_spec)


@case
def generator_with_a_signature(tf):
    ds = generated(
        tf, [{"a": 1, "b": "x"}], output_signature={"a": tf.TensorSpec([], tf.int32), "b": tf.TensorSpec([], tf.string)}
    )
    return drain(tf, ds), str(ds.element_spec)


@case
def generator_of_ragged(tf):
    ds = generated(
        tf, [tf.ragged.constant([[1], [2, 3]])], output_signature=tf.RaggedTensorSpec([None, None], tf.int32)
    )
    return drain(tf, ds)


@case
def generator_of_sparse(tf):
    ds = generated(tf, [tf.SparseTensor([[0]], [1], [2])], output_signature=tf.SparseTensorSpec([2], tf.int32))
    return drain(tf, ds)


@case(options=["none", "both", "types and signature", "shapes and signature", "signature of types"])
def generator_with_wrong_options(tf, options):
    spec = tf.TensorSpec([], tf.int32)
    given = {
        "none": {}, "both": {"output_types": tf.int32, "output_shapes": [], "output_signature": spec},
        "types and signature": {"output_types": tf.int32, "output_signature": spec},
        "shapes and signature": {"output_shapes": [], "output_signature": spec},
        "signature of types": {"output_signature": tf.int32},
    }  # fmt: skip
    return refusal(lambda: generated(tf, [1], **given[options]))


@case(generator=["number", "iterator", "none"])
def generators_that_are_not_callable(tf, generator):
    given = {"number": 3, "iterator": iter([1]), "none": None}[generator]
    return refusal(lambda: tf.data.Dataset.from_generator(given, output_types=tf.int32))


@case
def generator_that_is_not_iterable(tf):
    return drain(tf, tf.data.Dataset.from_generator(lambda: 1, output_types=tf.int32))


@case(value=["text", "wrong shape", "float", "none", "too many", "nested"])
def generator_of_wrong_elements(tf, value):
    values = {
        "text": "a",
        "wrong shape": [1, 2],
        "float": 1.5,
        "none": None,
        "too many": (1, 2),
        "nested": [[1], [2, 3]],
    }
    return drain(tf, generated(tf, [1, values[value], 3], output_signature=tf.TensorSpec([], tf.int32)))


@case(value=["one", "three", "not nested", "another key"])
def generator_of_wrong_structures(tf, value):
    values = {"one": (1,), "three": (1, 2, 3), "not nested": 1, "another key": {"a": 1, "b": 2}}
    spec = (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    return drain(tf, generated(tf, [(1, 2), values[value], (3, 4)], output_signature=spec))


@case
def generator_with_arguments(tf):
    def count(n, step):
        for i in range(n):
            yield i * step

    ds = tf.data.Dataset.from_generator(count, args=(3, 2.0), output_signature=tf.TensorSpec([], tf.float32))
    return drain(tf, ds), drain(tf, ds)


@case
def generator_is_anew_each_time(tf):
    starts = []

    def count():
        starts.append(1)
        yield 1

    ds = tf.data.Dataset.from_generator(count, output_types=tf.int32).repeat(3)
    return drain(tf, ds), len(starts)


@case
def generator_of_lists_and_tuples(tf):
    spec = tf.TensorSpec([2], tf.int32)
    return drain(tf, generated(tf, [[1, 2], (3, 4), np.array([5, 6])], output_signature=spec))


@case
def generator_that_is_a_class(tf):
    class Numbers:
        def __iter__(self):
            return iter([1, 2])

    return drain(tf, tf.data.Dataset.from_generator(Numbers, output_types=tf.int32))


@case
def generator_of_strings_of_both_kinds(tf):
    return drain(tf, generated(tf, ["a", b"b", np.str_("c")], output_signature=tf.TensorSpec([], tf.string)))


@case
def generator_in_a_flat_map(tf):
    def count(n):
        yield from range(n)

    ds = tf.data.Dataset.range(1, 4).flat_map(
        lambda n: tf.data.Dataset.from_generator(count, args=(n,), output_signature=tf.TensorSpec([], tf.int64))
    )
    return drain(tf, ds)


@case(arguments=[(), (3,), (3, 2), (3, -1)])
def counters(tf, arguments):
    return drain(tf, tf.data.Dataset.counter(*arguments).take(3))


@case(dtype=["int32", "float32"])
def counters_of_dtypes(tf, dtype):
    return drain(tf, tf.data.Dataset.counter(1, dtype=tf.as_dtype(dtype)).take(3))


@case
def lists(tf):
    return drain(tf, tf.data.experimental.from_list([(1, "a"), (2, "b")])), drain(
        tf, tf.data.experimental.from_list([1, 2])
    )


@case(value=["empty", "tuple", "mixed"])
def lists_that_are_refused(tf, value):
    values = {"empty": [], "tuple": (1, 2), "mixed": [1, "a"]}
    return refusal(lambda: tf.data.experimental.from_list(values[value]))


@case
def list_of_different_shapes(tf):
    ds = tf.data.experimental.from_list([[1], [2, 3]])
    return drain(tf, ds), str(ds.element_spec)


@case(rerandomize=[None, True, False], seed=[None, 3])
def random_numbers_in_two_iterations(tf, rerandomize, seed):
    ds = tf.data.Dataset.random(seed=seed, rerandomize_each_iteration=rerandomize).take(5)
    return [int(x) for x in ds] == [int(x) for x in ds]


@case
def random_numbers_of_equal_seeds(tf):
    def numbers():
        return [int(x) for x in tf.data.Dataset.random(seed=4).take(5)]

    return numbers() == numbers()


@case
def zip_of_structures(tf):
    a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 20)
    return (
        drain(tf, tf.data.Dataset.zip(a, b)), drain(tf, tf.data.Dataset.zip((a, (b, a)))),
        drain(tf, tf.data.Dataset.zip({"x": a, "y": b})), drain(tf, tf.data.Dataset.zip(a)),
        drain(tf, tf.data.Dataset.zip(datasets=(a, b))),
    )  # fmt: skip


@case
def zip_of_named_tuples(tf):
    ds = tf.data.Dataset.zip(Point(tf.data.Dataset.range(2), tf.data.Dataset.range(3)))
    return drain(tf, ds), [type(e).__name__ for e in ds]


@case(value=["none", "list", "number", "both", "mixed", "empty"])
def zips_that_are_refused(tf, value):
    ds = tf.data.Dataset.range(3)
    made = {
        "none": lambda: tf.data.Dataset.zip(), "list": lambda: tf.data.Dataset.zip([ds, ds]),
        "number": lambda: tf.data.Dataset.zip(3), "both": lambda: tf.data.Dataset.zip(ds, datasets=ds),
        "mixed": lambda: tf.data.Dataset.zip(ds, 3), "empty": lambda: tf.data.Dataset.zip(()),
    }  # fmt: skip
    return refusal(made[value])


@case(stop=[True, False])
def choices(tf, stop):
    ds = [tf.data.Dataset.from_tensors(i).repeat(2) for i in range(3)]
    choice = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 0, 0, 2, 1, 2, 2], tf.int64))
    return drain(tf, tf.data.Dataset.choose_from_datasets(ds, choice, stop_on_empty_dataset=stop))


@case(
    value=["float choice", "int32 choice", "vector choice", "no datasets", "different dtypes", "no dataset as choice"]
)
def choices_that_are_refused(tf, value):
    data = tf.data.Dataset
    ds = [data.range(3), data.range(3)]
    made = {
        "float choice": lambda: data.choose_from_datasets(ds, data.from_tensor_slices([0.0])),
        "int32 choice": lambda: data.choose_from_datasets(ds, data.from_tensor_slices([0])),
        "vector choice": lambda: data.choose_from_datasets(ds, data.from_tensors(tf.constant([0], tf.int64))),
        "no datasets": lambda: data.choose_from_datasets([], data.range(2)),
        "different dtypes": lambda: data.choose_from_datasets([ds[0], data.from_tensor_slices(["a"])], data.range(2)),
        "no dataset as choice": lambda: data.choose_from_datasets(ds, [0, 1]),
    }  # fmt: skip
    return refusal(lambda: list(made[value]()))


@case
def choices_out_of_range(tf):
    ds = [tf.data.Dataset.range(3)]
    return drain(tf, tf.data.Dataset.choose_from_datasets(ds, tf.data.Dataset.range(3)))


@case(stop=[True, False], weights=["none", "list", "tensor", "dataset"])
def samples(tf, stop, weights):
    ds = [tf.data.Dataset.from_tensors(i).repeat(20) for i in range(2)]
    given = {
        "none": None, "list": [0.5, 0.5], "tensor": tf.constant([0.5, 0.5]),
        "dataset": tf.data.Dataset.from_tensors([0.5, 0.5]).repeat(),
    }[weights]  # fmt: skip
    found = [int(x) for x in tf.data.Dataset.sample_from_datasets(ds, given, seed=1, stop_on_empty_dataset=stop)]
    return len(found) == 40 if not stop else len(found) <= 40, 0 < sum(found) <= 20


@case
def samples_of_one_dataset_only(tf):
    ds = [tf.data.Dataset.from_tensors(i).repeat(3) for i in range(2)]
    return drain(tf, tf.data.Dataset.sample_from_datasets(ds, [0.0, 1.0]))


@case
def samples_with_one_hot_weights(tf):
    ds = [tf.data.Dataset.from_tensors(i).repeat(3) for i in range(2)]
    weights = tf.data.Dataset.from_tensor_slices([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    return drain(tf, tf.data.Dataset.sample_from_datasets(ds, weights))


@case(value=["length", "type", "no datasets", "different", "negative"])
def samples_that_are_refused(tf, value):
    data = tf.data.Dataset
    ds = [data.range(3), data.range(3)]
    made = {
        "length": lambda: data.sample_from_datasets(ds, [0.25] * 4),
        "type": lambda: data.sample_from_datasets(ds, [1, 1]),
        "no datasets": lambda: data.sample_from_datasets([]),
        "different": lambda: data.sample_from_datasets([ds[0], data.from_tensor_slices(["a"])]),
        "negative": lambda: data.sample_from_datasets(ds, [-1.0, 2.0]),
    }  # fmt: skip
    return refusal(lambda: list(made[value]()))


@case(rerandomize=[None, True, False])
def samples_in_two_iterations(tf, rerandomize):
    ds = [tf.data.Dataset.from_tensors(i).repeat(30) for i in range(2)]
    made = tf.data.Dataset.sample_from_datasets(ds, [0.5, 0.5], seed=3, rerandomize_each_iteration=rerandomize)
    return [int(x) for x in made] == [int(x) for x in made]


@case(count=[0, 1, 2])
def single_elements(tf, count):
    return tf.data.Dataset.range(count).get_single_element()


@case
def single_element_of_a_structure(tf):
    return plain(tf, tf.data.Dataset.from_tensors({"a": 1, "b": (2, 3)}).get_single_element())
