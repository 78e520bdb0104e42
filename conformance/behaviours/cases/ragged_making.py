"""Ragged tensors: constructors with their checks, row partitions, specs, conversion, text."""

from behaviour import case

ROWS = [[1, 2, 3], [], [4], [5, 6]]


@case(rows=[ROWS, [], [[]], [[], []], [[[1], []], [[2, 3]]], [[1.5], [2]], [["a"], ["b", "c"]], 3, [1, 2]])
def constant(tf, rows):
    x = tf.ragged.constant(rows)
    return [x, x.dtype, x.shape]


@case(rows=[[[1], 2], [[[1]], [2]], [1, [2]], [[1], ["a"]], [[1], None]])
def constant_of_uneven_depth(tf, rows):
    return tf.ragged.constant(rows)


@case(
    options=[
        "{'ragged_rank': 1}",
        "{'inner_shape': (2,)}",
        "{'ragged_rank': 1, 'inner_shape': (2,)}",
        "{'dtype': 'float64'}",
        "{'row_splits_dtype': 'int32'}",
        "{'ragged_rank': 2}",
        "{'ragged_rank': 0}",
        "{'inner_shape': (3,)}",
        "{'ragged_rank': 3}",
    ]
)
def constant_with(tf, options):
    x = tf.ragged.constant([[[1, 2], [3, 4]], [], [[5, 6]]], **eval(options))
    return [x, x.shape]


SPLITS = [[0, 3, 3, 4, 6], [0, 6], [0], [1, 6], [0, 3], [0, 4, 2, 6], [], [0, 7]]


@case(splits=SPLITS)
def from_row_splits(tf, splits):
    return tf.RaggedTensor.from_row_splits([1, 2, 3, 4, 5, 6], tf.constant(splits, tf.int64))


@case(lengths=[[3, 0, 1, 2], [6], [], [3, 2], [7, -1]])
def from_row_lengths(tf, lengths):
    return tf.RaggedTensor.from_row_lengths([1, 2, 3, 4, 5, 6], tf.constant(lengths, tf.int64))


@case(starts=[[0, 3, 3, 4], [0], [1], [], [0, 4, 2], [0, 7]])
def from_row_starts(tf, starts):
    return tf.RaggedTensor.from_row_starts([1, 2, 3, 4, 5, 6], tf.constant(starts, tf.int64))


@case(limits=[[3, 3, 4, 6], [6], [5], [], [4, 2, 6], [7]])
def from_row_limits(tf, limits):
    return tf.RaggedTensor.from_row_limits([1, 2, 3, 4, 5, 6], tf.constant(limits, tf.int64))


@case(
    ids=[[0, 0, 0, 2, 3, 3], [0, 0, 1, 1, 2, 2], [0, 2, 1, 3, 3, 3], [0, 0], [-1, 0, 0, 0, 0, 0]],
    nrows=[None, 4, 6, 2, -1],
)
def from_value_rowids(tf, ids, nrows):
    return tf.RaggedTensor.from_value_rowids([1, 2, 3, 4, 5, 6], ids, nrows)


@case(length=[2, 3, 6, 4, 0, -1], nrows=[None, 3])
def from_uniform_row_length(tf, length, nrows):
    x = tf.RaggedTensor.from_uniform_row_length(tf.constant([1, 2, 3, 4, 5, 6]), length, nrows)
    return [x, x.shape, x.uniform_row_length]


@case
def from_uniform_row_length_zero(tf):
    return tf.RaggedTensor.from_uniform_row_length(tf.constant([], tf.int32), 0, nrows=3)


@case
def from_nested(tf):
    r = tf.RaggedTensor
    return [
        r.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 1, 3]]),
        r.from_nested_row_lengths([1, 2, 3], [[1, 1], [1, 2]]),
        r.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 1, 1]]),
    ]


@case(name=["from_row_splits", "from_row_lengths", "from_row_starts", "from_row_limits", "from_value_rowids"])
def from_floats(tf, name):
    return getattr(tf.RaggedTensor, name)([1, 2], [0.0, 2.0])


@case(name=["from_row_splits", "from_row_lengths", "from_value_rowids"])
def from_matrices(tf, name):
    return getattr(tf.RaggedTensor, name)([1, 2], [[0, 2]])


@case(name=["from_row_splits", "from_row_lengths", "from_row_starts"])
def from_a_scalar(tf, name):
    return getattr(tf.RaggedTensor, name)(1, [0])


@case
def from_row_splits_without_checks(tf):
    return tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 3], validate=False)


@case
def from_rows_and_a_ragged_tensor(tf):
    inner = tf.ragged.constant([[1], [2, 3], []])
    x = tf.RaggedTensor.from_row_lengths(inner, [2, 1])
    return [x, x.ragged_rank, x.shape]


@case
def checks_in_a_function(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def f(splits):
        return tf.RaggedTensor.from_row_splits(tf.range(6), splits)

    return f(tf.constant([0, 7], tf.int64))


@case
def row_partitions(tf):
    x = tf.ragged.constant(ROWS)
    return [
        x.row_splits,
        x.row_lengths(),
        x.row_starts(),
        x.row_limits(),
        x.value_rowids(),
        x.nrows(),
        x.nrows(tf.int32),
    ]


@case(axis=[1, 2, 0, -1, 3])
def row_lengths_of_an_axis(tf, axis):
    return tf.ragged.constant([[[1], [2, 3]], []]).row_lengths(axis)


@case
def nested_partitions(tf):
    x = tf.ragged.constant([[[1], [2, 3]], []])
    return [x.nested_row_splits, x.nested_row_lengths(), x.nested_value_rowids(), x.flat_values, x.ragged_rank]


@case(axis=[None, 0, 1, 2, [0, 2], 3])
def bounding_shape(tf, axis):
    return tf.ragged.constant([[[1], [2, 3]], []]).bounding_shape(axis)


@case(out_type=["int32", "int64"])
def bounding_shape_dtype(tf, out_type):
    return tf.ragged.constant(ROWS).bounding_shape(out_type=getattr(tf, out_type))


@case(
    options=[
        "{}",
        "{'default_value': -1}",
        "{'shape': [None, 2]}",
        "{'shape': [2, None]}",
        "{'shape': [6, 5]}",
        "{'shape': [None]}",
        "{'default_value': [1, 2]}",
        "{'default_value': 'a'}",
        "{'shape': [-1, 4]}",
    ]
)
def to_tensor(tf, options):
    return tf.ragged.constant(ROWS).to_tensor(**eval(options))


@case
def to_tensor_of_inner_rows(tf):
    x = tf.ragged.constant([[[1, 2]], [], [[3, 4], [5, 6]]], ragged_rank=1)
    return [x.to_tensor(), x.to_tensor(default_value=[8, 9]), x.to_tensor(7, shape=[None, 1, 2])]


@case
def to_tensor_gradient(tf):
    values = tf.constant([1.0, 2.0, 3.0])
    default = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([values, default])
        x = tf.RaggedTensor.from_row_lengths(values, [2, 0, 1])
        y = tf.reduce_sum(x.to_tensor(default, shape=[None, 2]) ** 2)
    return tape.gradient(y, [values, default])


@case(
    options=[
        "{}",
        "{'lengths': [1, 0, 3]}",
        "{'lengths': [4, 0, 0]}",
        "{'padding': 0}",
        "{'padding': [0]}",
        "{'ragged_rank': 1}",
        "{'ragged_rank': 2}",
        "{'ragged_rank': 0}",
        "{'lengths': [1, 2]}",
        "{'lengths': [1, 0, 3], 'padding': 0}",
        "{'lengths': ([1, 0, 2],)}",
    ]
)
def from_tensor(tf, options):
    return tf.RaggedTensor.from_tensor([[1, 0, 0], [0, 2, 0], [3, 4, 5]], **eval(options))


@case
def from_tensor_of_rank_3(tf):
    x = tf.reshape(tf.range(8), [2, 2, 2])
    return [
        tf.RaggedTensor.from_tensor(x, ragged_rank=2),
        tf.RaggedTensor.from_tensor(x, lengths=([1, 2], [0, 1, 2])),
        tf.RaggedTensor.from_tensor(x, lengths=[1, 2]),
    ]


@case
def from_tensor_vector(tf):
    return tf.RaggedTensor.from_tensor([1, 2])


@case
def sparse_round_trip(tf):
    x = tf.ragged.constant(ROWS)
    return [x.to_sparse(), tf.RaggedTensor.from_sparse(x.to_sparse())]


@case
def from_sparse_with_gaps(tf):
    return tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 1]], [1], [2, 2]))


@case
def from_sparse_of_rank_3(tf):
    return tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0, 0]], [1], [1, 1, 1]))


@case
def to_sparse_deeper(tf):
    return tf.ragged.constant([[[1], [2, 3]], [[]]]).to_sparse()


@case(axes=[(0, 1), (1, 2), (0, 2), (0, -1), (2, 1), (0, 0), (0, 5)])
def merge_dims(tf, axes):
    return tf.ragged.constant([[[1], [2, 3]], [[], [4]]]).merge_dims(*axes)


@case
def with_values(tf):
    x = tf.ragged.constant(ROWS)
    return [x.with_values(tf.range(6) * 10), x.with_flat_values(["a"] * 6)]


@case
def with_values_of_another_length(tf):
    return tf.ragged.constant(ROWS).with_values([1, 2])


@case
def with_row_splits_dtype(tf):
    x = tf.ragged.constant(ROWS).with_row_splits_dtype(tf.int32)
    return [x, x.row_splits.dtype]


@case
def text(tf):
    return [str(tf.ragged.constant(r)) for r in (ROWS, [["a"], []], [[1.5], [float("nan")]], [[[1]], []])]


@case
def representation(tf):
    return [repr(tf.ragged.constant(r)) for r in (ROWS, [["a"], []], [[[1]], []])]


@case
def long_text(tf):
    return str(tf.RaggedTensor.from_row_lengths(tf.range(100), [50, 0, 20, 30]))


@case
def numpy_and_lists(tf):
    x = tf.ragged.constant(ROWS)
    return [x.to_list(), [list(map(int, r)) for r in x.numpy()], tf.ragged.constant([[1], [2]]).numpy()]


@case
def tensor_shapes(tf):
    x = tf.ragged.constant([[[1, 2]], []], ragged_rank=1)
    y = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3]]), 2)
    return [x.shape, x.ragged_rank, y.shape, y.ragged_rank, tf.ragged.constant(ROWS).get_shape()]


@case(shape=["[None, None]", "[2, None]", "[None, None, 3]", "[None, 3]"])
def spec_of_a_shape(tf, shape):
    spec = tf.RaggedTensorSpec(eval(shape), tf.int32)
    return [spec.shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype, repr(spec)]


@case
def spec_compatibility(tf):
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    return [
        spec.is_compatible_with(tf.ragged.constant(ROWS)),
        spec.is_compatible_with(tf.ragged.constant([[1.0]])),
        spec.is_compatible_with(tf.RaggedTensorSpec([2, None], tf.int32)),
        spec == tf.RaggedTensorSpec([None, None], tf.int32),
    ]


@case
def spec_from_value(tf):
    return [
        repr(tf.RaggedTensorSpec.from_value(tf.ragged.constant(ROWS))),
        repr(tf.type_spec_from_value(tf.ragged.constant([[[1]]]))),
    ]


@case(
    options=[
        "{'shape': [None, None], 'ragged_rank': 2}",
        "{'shape': [3], 'ragged_rank': 1}",
        "{'shape': [None, None], 'ragged_rank': -1}",
        "{'shape': [None], 'row_splits_dtype': 'float32'}",
        "{'ragged_rank': 'a'}",
    ]
)
def spec_refuses(tf, options):
    return repr(tf.RaggedTensorSpec(dtype=tf.int32, **eval(options)))


@case
def constructor_is_private(tf):
    return tf.RaggedTensor([1, 2], [0, 2])


@case
def cannot_be_a_tensor(tf):
    return tf.convert_to_tensor(tf.ragged.constant(ROWS))


@case
def uniform_rows_as_a_tensor(tf):
    return tf.convert_to_tensor(tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2))


@case(value=["x", "ROWS", "np.array([[1, 2]])", "[tf.constant([1]), tf.constant([2])]"])
def convert_to_ragged(tf, value):
    import numpy as np

    x = tf.ragged.constant(ROWS)
    return tf.ragged.stack(eval(value, {"x": x, "ROWS": ROWS, "np": np, "tf": tf}))


@case(sizes=["[3, 0, 2]", "[[1, 2]]", "5", "[1.5]"])
def ragged_range_limits(tf, sizes):
    return tf.ragged.range(eval(sizes))


@case(
    args=[
        "([0, 5, 8], [3, 3, 12])",
        "([0, 5], [3, 3], 2)",
        "([5], [0], [-2])",
        "([0], [3], [0])",
        "([0.0], [1.0], [0.5])",
        "([0, 1], [1, 2, 3])",
        "(0, [2, 3])",
    ]
)
def ragged_range(tf, args):
    return tf.ragged.range(*eval(args))


@case
def row_splits_and_segment_ids(tf):
    return [
        tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]),
        tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2]),
        tf.ragged.segment_ids_to_row_splits([0, 2], num_segments=5),
    ]


@case
def segment_ids_that_do_not_increase(tf):
    return tf.ragged.segment_ids_to_row_splits([1, 0])


@case(length=[2, 3])
def placeholder_spec_in_a_function(tf, length):
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def f(x):
        return x.to_tensor()[:, :length]

    return f(tf.ragged.constant(ROWS))
