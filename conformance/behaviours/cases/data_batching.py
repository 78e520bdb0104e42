"""batch, padded_batch, unbatch, rebatch, window, ragged and sparse batches."""

from behaviour import case
from cases._draining import drain, refusal


def rows(tf, *sizes, dtype="int32"):
    return tf.data.Dataset.from_tensor_slices(list(sizes)).map(lambda n: tf.cast(tf.range(n) + 1, dtype))


@case(count=[0, 5, 6], size=[1, 4, 7], drop=[False, True])
def batch_sizes(tf, count, size, drop):
    ds = tf.data.Dataset.range(count).batch(size, drop_remainder=drop)
    return drain(tf, ds), ds.cardinality(), str(ds.element_spec)


@case(size=[0, -1, -5])
def batch_size_not_positive(tf, size):
    return drain(tf, tf.data.Dataset.range(3).batch(size))


@case(size=["a", 2.5, None, [2]])
def batch_size_of_a_wrong_kind(tf, size):
    return refusal(lambda: tf.data.Dataset.range(3).batch(size))


@case
def batch_size_as_a_tensor(tf):
    ds = tf.data.Dataset.range(5).batch(tf.constant(2, tf.int64), drop_remainder=tf.constant(True))
    return drain(tf, ds), ds.cardinality()


@case
def batch_of_dicts_and_tuples(tf):
    ds = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ([4.0, 5.0, 6.0], ["x", "y", "z"])})
    return drain(tf, ds.batch(2))


@case
def batch_of_strings_and_bools(tf):
    ds = tf.data.Dataset.from_tensor_slices((["a", "bc", ""], [True, False, True]))
    return drain(tf, ds.batch(2))


@case
def batch_of_sparse(tf):
    sp = tf.SparseTensor([[0, 0], [1, 2], [2, 1]], [1, 2, 3], [3, 4])
    return drain(tf, tf.data.Dataset.from_tensor_slices(sp).batch(2))


@case
def batch_of_sparse_with_different_shapes(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(
        lambda n: tf.SparseTensor([[0]], [n], tf.cast(tf.expand_dims(n, 0), tf.int64))
    )
    return drain(tf, ds.batch(2))


@case
def nested_batches_of_sparse(tf):
    ds = tf.data.Dataset.range(4).map(lambda i: tf.SparseTensor([[0]], [i], [2]))
    return drain(tf, ds.batch(2).batch(2))


@case
def batch_of_ragged(tf):
    rt = tf.ragged.constant([[[1], [2, 3]], [[4]], [[], [5]]])
    return drain(tf, tf.data.Dataset.from_tensor_slices(rt).batch(2))


@case
def batch_of_ragged_made_in_a_map(tf):
    ds = tf.data.Dataset.range(1, 4).map(lambda n: tf.RaggedTensor.from_row_lengths(tf.range(n), [n]))
    return drain(tf, ds.batch(2))


@case
def batch_of_datasets(tf):
    ds = tf.data.Dataset.range(4).window(1).batch(2)
    return [len(list(x)) for x in ds.take(0)], str(ds.element_spec)


@case
def batch_of_different_dtypes(tf):
    def generate():
        yield 1
        yield 2.5

    ds = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec(None, tf.int32))
    return drain(tf, ds.batch(2))


@case(calls=[1, 2, -1], deterministic=[None, True, False])
def parallel_batch(tf, calls, deterministic):
    return drain(tf, tf.data.Dataset.range(5).batch(2, num_parallel_calls=calls, deterministic=deterministic))


@case(shape=[None, [None], [4], [-1], [2], [4, 4], []])
def padded_shapes(tf, shape):
    return drain(tf, rows(tf, 1, 3, 2).padded_batch(2, padded_shapes=shape))


@case(shape=[[None], [4], [-1], [2], [4, 4], [], ([4],), "a"])
def padded_shapes_when_made(tf, shape):
    return refusal(lambda: rows(tf, 1, 3, 2).padded_batch(2, padded_shapes=shape))


@case
def padded_shape_as_tensor_and_shape(tf):
    a = rows(tf, 1, 3).padded_batch(2, padded_shapes=tf.constant([5], tf.int64))
    b = rows(tf, 1, 3).padded_batch(2, padded_shapes=tf.TensorShape([5]))
    c = rows(tf, 1, 3).padded_batch(2, padded_shapes=(5,))
    return drain(tf, a), drain(tf, b), drain(tf, c)


@case(value=[None, 7, -1])
def padding_values(tf, value):
    return drain(tf, rows(tf, 1, 3, 2).padded_batch(3, padding_values=value))


@case(value=["x", 1.5, [1, 2], True])
def padding_values_of_a_wrong_kind(tf, value):
    return refusal(lambda: list(rows(tf, 1, 3, 2).padded_batch(3, padding_values=value)))


@case(dtype=["float32", "int64", "string", "bool"])
def default_padding(tf, dtype):
    ds = tf.data.Dataset.from_tensor_slices([1, 2])
    if dtype == "string":
        made = ds.map(lambda n: tf.fill([n], "a"))
    else:
        made = ds.map(lambda n: tf.cast(tf.fill([n], 1), dtype))
    return drain(tf, made.padded_batch(2))


@case
def padding_of_parts(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda n: (tf.fill([n], n), tf.fill([n, 1], 1.0)))
    return drain(tf, ds.padded_batch(2, padded_shapes=([3], [None, 2]), padding_values=(9, None)))


@case
def one_padding_value_for_parts(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda n: (tf.fill([n], n), tf.fill([n], n)))
    return drain(tf, ds.padded_batch(2, padding_values=8))


@case
def padding_of_dicts(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda n: {"a": tf.fill([n], n), "b": n})
    return drain(tf, ds.padded_batch(2, padded_shapes={"a": [None], "b": []}, padding_values={"a": 5, "b": 0}))


@case
def padding_of_too_few_parts(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda n: (tf.fill([n], n), n))
    return refusal(lambda: ds.padded_batch(2, padded_shapes=([None],)))


@case
def padded_batch_of_unknown_rank(tf):
    ds = tf.data.Dataset.from_generator(lambda: iter([[1], [2, 3]]), output_types=tf.int32)
    return drain(tf, ds.padded_batch(2, padded_shapes=[None]))


@case
def padded_batch_of_unknown_rank_without_shapes(tf):
    ds = tf.data.Dataset.from_generator(lambda: iter([[1], [2, 3]]), output_types=tf.int32)
    return refusal(lambda: ds.padded_batch(2))


@case
def padded_batch_of_sparse(tf):
    ds = tf.data.Dataset.range(2).map(lambda i: tf.SparseTensor([[0]], [i], [2]))
    return refusal(lambda: ds.padded_batch(2))


@case
def padded_batch_of_ragged(tf):
    ds = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [[4]]]))
    return refusal(lambda: ds.padded_batch(2))


@case
def padded_batch_spec(tf):
    ds = rows(tf, 1, 2)
    made = [ds.padded_batch(2), ds.padded_batch(2, [4]), ds.padded_batch(2, [None], drop_remainder=True)]
    return [str(d.element_spec) for d in made], [d.cardinality() for d in made]


@case(size=[0, -1])
def padded_batch_size_not_positive(tf, size):
    return drain(tf, rows(tf, 1).padded_batch(size))


@case
def unbatch_of_parts(tf):
    ds = tf.data.Dataset.from_tensors({"a": [1, 2], "b": [[3.0], [4.0]]})
    return drain(tf, ds.unbatch()), str(ds.unbatch().element_spec)


@case
def unbatch_of_different_sizes(tf):
    ds = tf.data.Dataset.from_tensors(1).map(lambda n: (tf.zeros([n]), tf.zeros([n + 1])))
    return drain(tf, ds.unbatch())


@case
def unbatch_of_static_different_sizes(tf):
    return refusal(lambda: list(tf.data.Dataset.from_tensors(([1, 2], [3])).unbatch()))


@case
def unbatch_of_scalars(tf):
    return refusal(lambda: tf.data.Dataset.range(3).unbatch())


@case
def unbatch_of_ragged_and_sparse(tf):
    rt = tf.data.Dataset.from_tensors(tf.ragged.constant([[1], [2, 3]])).unbatch()
    sp = tf.data.Dataset.from_tensors(tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])).unbatch()
    return drain(tf, rt), drain(tf, sp)


@case
def unbatch_of_strings(tf):
    return drain(tf, tf.data.Dataset.from_tensor_slices([["a", "b"], ["c", "d"]]).unbatch())


@case
def unbatch_of_empty_batches(tf):
    return drain(tf, tf.data.Dataset.from_tensors(tf.zeros([0, 2])).unbatch())


@case
def unbatch_cardinality(tf):
    known = tf.data.Dataset.range(6).batch(2, drop_remainder=True).unbatch()
    unknown = tf.data.Dataset.range(5).batch(2).unbatch()
    return (
        known.cardinality(),
        unknown.cardinality(),
        tf.data.Dataset.range(4).batch(2).repeat().unbatch().cardinality(),
    )


@case(sizes=[2, [2, 1], [1, 3]], drop=[False, True])
def rebatch(tf, sizes, drop):
    ds = tf.data.Dataset.range(7).batch(4).rebatch(sizes, drop_remainder=drop)
    return drain(tf, ds), str(ds.element_spec)


@case
def rebatch_of_ragged(tf):
    ds = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [4], [5, 6, 7]])).batch(3)
    return drain(tf, ds.rebatch(2))


@case
def rebatch_of_scalars(tf):
    return refusal(lambda: list(tf.data.Dataset.range(3).rebatch(2)))


@case(size=[2, 3], shift=[1, 2, 4], stride=[1, 2], drop=[False, True])
def windows(tf, size, shift, stride, drop):
    ds = tf.data.Dataset.range(7).window(size, shift, stride, drop)
    return [[int(x) for x in w] for w in ds], ds.cardinality()


@case(arguments=[(0, 1, 1), (-1, 1, 1), (2, 0, 1), (2, -1, 1), (2, 1, 0), (2, 1, -2)])
def windows_of_wrong_sizes(tf, arguments):
    return refusal(lambda: list(tf.data.Dataset.range(7).window(*arguments)))


@case
def windows_of_parts(tf):
    ds = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ([4, 5, 6], ["x", "y", "z"])}).window(2)
    return drain(tf, ds), str(ds.element_spec)


@case
def windows_of_nothing(tf):
    return drain(tf, tf.data.Dataset.range(0).window(3)), drain(
        tf, tf.data.Dataset.range(2).window(3, drop_remainder=True)
    )


@case
def windows_of_sparse(tf):
    ds = tf.data.Dataset.range(3).map(lambda i: tf.SparseTensor([[0]], [i], [2])).window(2)
    return drain(tf, ds.flat_map(lambda w: w.batch(2)))


@case
def windows_of_ragged(tf):
    ds = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], []])).window(2)
    return drain(tf, ds.flat_map(lambda w: w.batch(2)))


@case
def windows_zipped_again(tf):
    ds = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [4, 5, 6])).window(2)
    return drain(tf, ds.flat_map(lambda a, b: tf.data.Dataset.zip((a, b)).batch(2)))


@case
def windows_of_windows(tf):
    ds = tf.data.Dataset.range(5).window(2).window(2)
    return [[[int(x) for x in v] for v in w] for w in ds]


@case(drop=[False, True])
def ragged_batch(tf, drop):
    ds = rows(tf, 1, 3, 2).ragged_batch(2, drop_remainder=drop)
    return drain(tf, ds), str(ds.element_spec)


@case(dtype=["int32", "int64"])
def ragged_batch_row_splits(tf, dtype):
    ds = rows(tf, 1, 3, 2).ragged_batch(2, row_splits_dtype=tf.as_dtype(dtype))
    return drain(tf, ds), str(ds.element_spec)


@case
def ragged_batch_of_equal_shapes(tf):
    ds = tf.data.Dataset.range(4).map(lambda i: tf.fill([2], i)).ragged_batch(2)
    return drain(tf, ds)


@case
def ragged_batch_of_matrices(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda n: tf.ones([n, n + 1]))
    return drain(tf, ds.ragged_batch(2))


@case
def ragged_batch_of_scalars_and_parts(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda n: {"a": n, "b": tf.range(n)})
    return drain(tf, ds.ragged_batch(2))


@case
def dense_to_ragged(tf):
    return drain(tf, rows(tf, 2, 1, 3).apply(tf.data.experimental.dense_to_ragged_batch(2)))


@case(shape=[[4], [None], [-1]])
def sparse_batch(tf, shape):
    return drain(tf, rows(tf, 1, 3, 2).sparse_batch(2, row_shape=shape))


@case
def sparse_batch_of_a_larger_row(tf):
    return drain(tf, rows(tf, 1, 3, 2).sparse_batch(2, row_shape=[2]))


@case
def sparse_batch_of_strings(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda n: tf.fill([n], "a"))
    return drain(tf, ds.apply(tf.data.experimental.dense_to_sparse_batch(2, [3])))
