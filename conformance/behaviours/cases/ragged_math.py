"""Ragged tensors in arithmetic, reductions, rearrangement, control flow and functions."""

from behaviour import case

ROWS = [[1.0, 2.0, 3.0], [], [4.0], [5.0, 6.0]]
DEEP = [[[1.0, 2.0], [3.0]], [], [[], [4.0, 5.0, 6.0]]]


@case(
    name=[
        "abs",
        "exp",
        "negative",
        "sign",
        "square",
        "floor",
        "sigmoid",
        "zeros_like",
        "ones_like",
        "identity",
        "stop_gradient",
    ]
)
def unary(tf, name):
    return getattr(tf, name)(tf.ragged.constant(ROWS))


@case(
    name=[
        "math.is_nan",
        "math.log1p",
        "math.reciprocal",
        "nn.relu",
        "nn.leaky_relu",
        "nn.elu",
        "nn.gelu",
        "nn.softplus",
        "math.erf",
        "nn.swish",
        "nn.relu6",
    ]
)
def unary_elsewhere(tf, name):
    room, function = name.split(".")
    return getattr(getattr(tf, room), function)(tf.ragged.constant(ROWS))


@case(
    name=[
        "add",
        "subtract",
        "multiply",
        "divide",
        "maximum",
        "minimum",
        "pow",
        "equal",
        "less",
        "math.floordiv",
        "math.squared_difference",
        "math.divide_no_nan",
    ]
)
def binary(tf, name):
    f = getattr(tf.math, name.split(".")[-1]) if "." in name else getattr(tf, name)
    x = tf.ragged.constant(ROWS)
    return [f(x, x), f(x, 2.0), f(2.0, x)]


@case(
    other=[
        "[[1.0], [2.0], [3.0], [4.0]]",
        "[10.0]",
        "r([[1.0], [2.0], [3.0], [4.0]])",
        "[[1.0]]",
        "r([[10.0, 20.0, 30.0], [], [40.0], [50.0, 60.0]])",
    ]
)
def broadcast(tf, other):
    return tf.ragged.constant(ROWS) + eval(other, {"r": tf.ragged.constant})


@case(
    other=[
        "[1.0, 2.0]",
        "r([[1.0]])",
        "r([[1.0], [2.0], [3.0], [4.0, 5.0]])",
        "r([[1.0, 2.0], [], [], []])",
        "[[1.0], [2.0]]",
    ]
)
def broadcast_refused(tf, other):
    return tf.ragged.constant(ROWS) + eval(other, {"r": tf.ragged.constant})


@case
def broadcast_deeper(tf):
    x = tf.ragged.constant(DEEP)
    return [x * [[[10.0]]], x + tf.constant([[[1.0]], [[2.0]], [[3.0]]]), x + 1.0]


@case
def broadcast_two_ragged(tf):
    x = tf.ragged.constant([[[1.0], [2.0]], [[3.0]]])
    y = tf.ragged.constant([[[10.0, 20.0], [30.0]], [[40.0]]])
    return [x + y, y * x]


@case(
    op=[
        "x + y",
        "x - y",
        "x * y",
        "x / y",
        "x // y",
        "x % y",
        "x ** y",
        "-x",
        "abs(x)",
        "x < y",
        "x >= y",
        "x == y",
        "x != y",
        "1.0 + x",
        "2.0 ** x",
        "1.0 / x",
    ]
)
def operators(tf, op):
    x = tf.ragged.constant(ROWS)
    return eval(op, {"x": x, "y": x + 1.0, "abs": abs})


@case(op=["x & y", "x | y", "x ^ y", "~x"])
def logical_operators(tf, op):
    x = tf.ragged.constant([[True, False], [True]])
    return eval(op, {"x": x, "y": tf.ragged.constant([[True, True], [False]])})


@case
def equality_of_other_rows(tf):
    return tf.ragged.constant([[1], [2]]) == tf.ragged.constant([[1, 2], []])


@case
def truth_is_refused(tf):
    return bool(tf.ragged.constant([[1]]))


@case
def hash_is_refused(tf):
    return len({tf.ragged.constant([[1]]): 1})


@case
def cast_and_friends(tf):
    x = tf.ragged.constant(ROWS)
    return [tf.cast(x, tf.int32), tf.clip_by_value(x, 2.0, 4.0), tf.add_n([x, x]), tf.saturate_cast(x, tf.uint8)]


@case(
    name=["reduce_sum", "reduce_prod", "reduce_mean", "reduce_max", "reduce_min", "reduce_variance", "reduce_std"],
    axis=[None, 0, 1, -1, [0, 1]],
)
def reductions(tf, name, axis):
    return getattr(tf.math, name)(tf.ragged.constant(ROWS), axis=axis)


@case(name=["reduce_all", "reduce_any"], axis=[None, 0, 1])
def logical_reductions(tf, name, axis):
    return getattr(tf, name)(tf.ragged.constant([[True, False], [], [True]]), axis=axis)


@case(name=["reduce_sum", "reduce_max", "reduce_mean"], axis=[0, 1, 2, [0, 1], [1, 2], [0, 2], -2])
def deep_reductions(tf, name, axis):
    return getattr(tf, name)(tf.ragged.constant(DEEP), axis=axis)


@case(axis=[0, 1, None])
def reductions_that_keep_axes(tf, axis):
    return tf.reduce_sum(tf.ragged.constant(ROWS), axis=axis, keepdims=True)


@case(axis=[2, -3, [0, 0], "a"])
def reductions_of_a_bad_axis(tf, axis):
    return tf.reduce_sum(tf.ragged.constant(ROWS), axis=axis)


@case(axis=[0, 1])
def gradients_of_reductions(tf, axis):
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        x = tf.RaggedTensor.from_row_lengths(v, [2, 0, 1])
        y = tf.reduce_sum(tf.reduce_sum(x * x, axis=axis) ** 2)
    return tape.gradient(y, v)


@case(axis=[0, 1, -1, 2, -3])
def concat(tf, axis):
    return tf.concat([tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4, 5], []])], axis=axis)


@case
def concat_with_dense(tf):
    return [
        tf.concat([tf.ragged.constant([[1], [2, 3]]), [[9, 9]]], axis=0),
        tf.concat([tf.ragged.constant([[1], [2, 3]]), [[8], [9]]], axis=1),
    ]


@case
def concat_of_other_ranks(tf):
    return tf.concat([tf.ragged.constant([[1]]), tf.constant([1])], axis=0)


@case
def concat_of_other_rows(tf):
    return tf.concat([tf.ragged.constant([[1], [2]]), tf.ragged.constant([[1]])], axis=1)


@case(axis=[0, 1, 2, -1, 3])
def stack(tf, axis):
    return tf.stack([tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4, 5], []])], axis=axis)


@case
def ragged_stack_of_dense(tf):
    return [
        tf.ragged.stack([[1, 2], [3]]),
        tf.ragged.stack([tf.constant([[1, 2]]), tf.constant([[3]])], axis=0),
        tf.ragged.stack([1, 2]),
    ]


@case(multiples=[[2, 1], [1, 2], [2, 3], [1], [0, 1], [1, 0], [-1, 1]])
def tile(tf, multiples):
    return tf.tile(tf.ragged.constant([[1, 2], [3]]), multiples)


@case(axis=[0, 1, 2, -1, -3, 3])
def expand_dims(tf, axis):
    x = tf.expand_dims(tf.ragged.constant([[1, 2], [3]]), axis)
    return [x, x.shape]


@case(axis=[0, 1, -1, [0], None, 2])
def squeeze(tf, axis):
    return tf.squeeze(tf.ragged.constant([[1, 2]]) if axis != 1 else tf.ragged.constant([[1], [2]]), axis)


@case
def squeeze_inner(tf):
    return tf.squeeze(tf.ragged.constant([[[1], [2]], [[3]]], ragged_rank=1), axis=2)


@case
def size_rank_shape(tf):
    x = tf.ragged.constant(DEEP)
    return [tf.size(x), tf.rank(x), tf.size(x, tf.int64), tf.ragged.constant(ROWS).bounding_shape()]


@case
def dynamic_shape(tf):
    return repr(tf.shape(tf.ragged.constant([[1, 2], [3]])))


@case(shape=["[-1]", "[2, -1]", "[3]"])
def reshape(tf, shape):
    return tf.reshape(tf.ragged.constant([[1, 2], [3]]), eval(shape))


@case(axis=[-1, 1, 0])
def softmax(tf, axis):
    return tf.nn.softmax(tf.ragged.constant(ROWS), axis=axis)


@case
def dropout_keeps_rows(tf):
    x = tf.nn.dropout(tf.ragged.constant(ROWS), 0.0)
    return x


@case
def matmul(tf):
    a = tf.ragged.constant([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]], ragged_rank=1)
    b = tf.ragged.constant([[[1.0], [2.0]], [[3.0], [4.0]]])
    return [tf.matmul(a, [[1.0], [2.0]]) if False else None, tf.matmul(a, b)]


@case(equation=["bij,bjk->bik", "bij->b", "bij,b->bi", "ij->ji"])
def einsum(tf, equation):
    a = tf.ragged.constant([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]], ragged_rank=1)
    operands = (
        [a] if "," not in equation else [a, tf.ones([2, 2, 3])] if "k" in equation else [a, tf.constant([1.0, 2.0])]
    )
    return tf.einsum(equation, *operands)


@case(name=["cross", "cross_hashed"])
def crosses(tf, name):
    x, y = tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d", "e"], ["f"]])
    return tf.ragged.cross([x, y]) if name == "cross" else tf.ragged.cross_hashed([x, y], num_buckets=100)


@case
def crosses_with_dense(tf):
    return tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([["x"], ["y"]])])


@case(k=[1, 2])
def top_k(tf, k):
    return tf.math.top_k(tf.ragged.constant([[3, 1, 2], [5, 4, 9]]).to_tensor(), k)


@case(
    method=[
        "segment_sum",
        "unsorted_segment_sum",
        "unsorted_segment_mean",
        "unsorted_segment_max",
        "unsorted_segment_sqrt_n",
    ]
)
def segments(tf, method):
    data, ids = tf.ragged.constant([[1.0], [2.0, 3.0], [4.0]]), [0, 1, 0]
    if method == "segment_sum":
        return tf.math.segment_sum(data, [0, 0, 1])
    return getattr(tf.math, method)(data, ids, 2)


@case(method=["sum", "mean"])
def embedding(tf, method):
    table = tf.reshape(tf.range(12.0), [4, 3])
    found = tf.nn.embedding_lookup(table, tf.ragged.constant([[0], [1, 3], []]))
    return getattr(tf, f"reduce_{method}")(found, axis=1)


@case(method=["sum", "mean", "sqrtn"])
def embedding_combined(tf, method):
    table = tf.reshape(tf.range(12.0), [4, 3])
    ids = tf.ragged.constant([[0], [1, 3]])
    return tf.nn.embedding_lookup_sparse(table, ids, None, combiner=method)


@case
def embedding_weighted(tf):
    table = tf.reshape(tf.range(12.0), [4, 3])
    ids, weights = tf.ragged.constant([[0], [1, 3]]), tf.ragged.constant([[2.0], [1.0, 3.0]])
    return tf.nn.embedding_lookup_sparse(table, ids, weights)


@case
def embedding_of_floats(tf):
    return tf.nn.embedding_lookup(tf.ones([3, 2]), tf.ragged.constant([[0.0], [1.0]]))


@case
def bincount_ragged(tf):
    x = tf.ragged.constant([[1, 1, 0], [2]])
    return [tf.math.bincount(x), tf.math.bincount(x, axis=-1), tf.math.bincount(x, axis=-1, binary_output=True)]


@case
def one_hot_of_ragged(tf):
    return tf.one_hot(tf.ragged.constant([[0, 1], [2]]), 3)


@case
def sort_of_ragged(tf):
    return tf.sort(tf.ragged.constant([[3, 1], [2]]).to_tensor())
