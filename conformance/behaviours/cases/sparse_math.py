"""Sparse tensors in arithmetic, reductions, joins, slices, products and maps."""

from behaviour import case


def sparse(tf, dtype="float32"):
    return tf.SparseTensor([[0, 0], [0, 2], [1, 1]], tf.cast([1, 2, 3], dtype), [2, 3])


def other(tf, dtype="float32"):
    return tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.cast([10, 20, -3], dtype), [2, 3])


@case(threshold=[None, 0.0, 0.5])
def add_sparse(tf, threshold):
    return (
        tf.sparse.add(sparse(tf), other(tf))
        if threshold is None
        else tf.sparse.add(sparse(tf), other(tf), threshold=threshold)
    )


@case
def add_dense(tf):
    return [tf.sparse.add(sparse(tf), tf.ones([2, 3])), tf.sparse.add(tf.ones([2, 3]), sparse(tf))]


@case
def add_two_dense(tf):
    return tf.sparse.add(tf.ones([2]), tf.ones([2]))


@case
def add_of_other_shapes(tf):
    return tf.sparse.add(sparse(tf), tf.SparseTensor([[0, 0]], [1.0], [3, 3]))


@case
def add_of_other_dtypes(tf):
    return tf.sparse.add(sparse(tf), other(tf, "int32"))


@case
def add_gradient(tf):
    v, w = tf.constant([1.0, 2.0, 3.0]), tf.constant([10.0, 20.0, 30.0])
    with tf.GradientTape() as tape:
        tape.watch([v, w])
        y = tf.reduce_sum(tf.sparse.add(sparse(tf).with_values(v), other(tf).with_values(w)).values ** 2)
    return tape.gradient(y, [v, w])


@case(name=["maximum", "minimum"])
def extremes(tf, name):
    return getattr(tf.sparse, name)(sparse(tf), other(tf))


@case(name=["maximum", "minimum"])
def extremes_of_other_shapes(tf, name):
    return getattr(tf.sparse, name)(sparse(tf), tf.SparseTensor([[0]], [1.0], [3]))


@case(
    op=[
        "x * [[2.0], [3.0]]",
        "x * 2.0",
        "x / [[2.0, 2.0, 2.0]]",
        "2.0 * x",
        "x + 1.0",
        "-x",
        "x * x",
        "[1.0, 2.0, 3.0] * x",
        "x / 0.0",
    ]
)
def operators(tf, op):
    return eval(op, {"x": sparse(tf)})


@case(name=["abs", "square", "negative", "sign", "exp", "cast", "zeros_like", "math.tanh", "nn.relu", "identity"])
def functions(tf, name):
    f = tf
    for part in name.split("."):
        f = getattr(f, part)
    return f(sparse(tf), tf.int32) if name == "cast" else f(sparse(tf))


@case(axis=[None, 0, 1, -1, [0, 1], [0], []], keepdims=[False, True])
def reduce_sum(tf, axis, keepdims):
    return tf.sparse.reduce_sum(sparse(tf), axis, keepdims)


@case(axis=[None, 0, 1, -1], keepdims=[False, True])
def reduce_max(tf, axis, keepdims):
    return tf.sparse.reduce_max(sparse(tf), axis, keepdims)


@case(axis=[0, 1, None])
def reduce_to_sparse(tf, axis):
    return [
        tf.sparse.reduce_sum(sparse(tf), axis, output_is_sparse=True),
        tf.sparse.reduce_max(sparse(tf), axis, output_is_sparse=True),
    ]


@case(axis=[2, -3, [0, 0], [5]])
def reduce_a_bad_axis(tf, axis):
    return tf.sparse.reduce_sum(sparse(tf), axis)


@case
def reduce_max_of_negative(tf):
    return tf.sparse.reduce_max(tf.SparseTensor([[0, 0]], [-1.0], [2, 2]), 1)


@case
def reduce_nothing(tf):
    x = tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [2, 3])
    return [tf.sparse.reduce_sum(x), tf.sparse.reduce_sum(x, 1), tf.sparse.reduce_max(x)]


@case
def reduce_gradient(tf):
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.reduce_sum(tf.sparse.reduce_sum(sparse(tf).with_values(v), 1) ** 2)
    return tape.gradient(y, v)


@case(axis=[0, 1, -1, 2])
def concat(tf, axis):
    return tf.sparse.concat(axis, [sparse(tf), other(tf)])


@case(expand=[False, True])
def concat_of_other_shapes(tf, expand):
    wide = tf.SparseTensor([[0, 4]], [5.0], [1, 5])
    return tf.sparse.concat(0, [sparse(tf), wide], expand_nonconcat_dims=expand)


@case
def concat_of_other_ranks(tf):
    return tf.sparse.concat(0, [sparse(tf), tf.SparseTensor([[0]], [1.0], [2])])


@case
def concat_nothing(tf):
    return tf.sparse.concat(0, [])


@case
def concat_gradient(tf):
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.reduce_sum(tf.sparse.concat(1, [sparse(tf).with_values(v), other(tf)]).values ** 2)
    return tape.gradient(y, v)


@case(parts=[1, 2, 3], axis=[0, 1, -1])
def split(tf, parts, axis):
    return tf.sparse.split(sparse(tf), parts, axis)


@case(parts=[0, -1, 4], axis=[1, 2])
def split_checks(tf, parts, axis):
    return tf.sparse.split(sparse(tf), parts, axis)


@case(start=[[0, 0], [0, 1], [1, 1], [5, 5]], size=[[2, 2], [1, 3], [0, 0], [10, 10]])
def slice(tf, start, size):
    return tf.sparse.slice(sparse(tf), start, size)


@case(start=[[0], [0, 0, 0], [-1, 0]])
def slice_checks(tf, start):
    return tf.sparse.slice(sparse(tf), start, [1, 1])


@case
def slice_gradient(tf):
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.reduce_sum(tf.sparse.slice(sparse(tf).with_values(v), [0, 1], [2, 2]).values ** 2)
    return tape.gradient(y, v)


@case(perm=[None, [1, 0], [0, 1]])
def transpose(tf, perm):
    return tf.sparse.transpose(sparse(tf), perm)


@case(perm=[[0], [0, 0], [0, 5]])
def transpose_checks(tf, perm):
    return tf.sparse.transpose(sparse(tf), perm)


@case
def softmax(tf):
    return tf.sparse.softmax(sparse(tf))


@case
def softmax_of_a_vector(tf):
    return tf.sparse.softmax(tf.SparseTensor([[0]], [1.0], [2]))


@case
def softmax_gradient(tf):
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.reduce_sum(tf.sparse.softmax(sparse(tf).with_values(v)).values ** 2)
    return tape.gradient(y, v)


@case(adjoint_a=[False, True], adjoint_b=[False, True])
def dense_matmul(tf, adjoint_a, adjoint_b):
    rows = 2 if adjoint_a else 3
    b = tf.reshape(tf.range(4.0 * rows), [4, rows] if adjoint_b else [rows, 4])
    return tf.sparse.sparse_dense_matmul(sparse(tf), b, adjoint_a, adjoint_b)


@case
def dense_matmul_on_the_left(tf):
    return tf.sparse.sparse_dense_matmul(tf.ones([4, 2]), sparse(tf))


@case
def dense_matmul_of_other_sizes(tf):
    return tf.sparse.sparse_dense_matmul(sparse(tf), tf.ones([2, 2]))


@case
def dense_matmul_complex(tf):
    x = tf.SparseTensor([[0, 1]], tf.constant([1 + 2j], tf.complex64), [2, 2])
    return tf.sparse.sparse_dense_matmul(x, tf.ones([2, 1], tf.complex64), adjoint_a=True)


@case
def dense_matmul_gradient(tf):
    v, b = tf.constant([1.0, 2.0, 3.0]), tf.reshape(tf.range(6.0), [3, 2])
    with tf.GradientTape() as tape:
        tape.watch([v, b])
        y = tf.reduce_sum(tf.sparse.sparse_dense_matmul(sparse(tf).with_values(v), b) ** 2)
    return tape.gradient(y, [v, b])


@case
def dense_matmul_out_of_range(tf):
    return tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 5]], [1.0], [2, 3]), tf.ones([3, 2]))


@case
def map_values(tf):
    x = sparse(tf)
    return [
        tf.sparse.map_values(tf.square, x),
        tf.sparse.map_values(tf.add, x, x),
        tf.sparse.map_values(tf.add, x, 5.0),
    ]


@case
def map_values_of_other_places(tf):
    return tf.sparse.map_values(tf.add, sparse(tf), other(tf))


@case
def map_values_that_shrinks(tf):
    return tf.sparse.map_values(lambda v: v[:1], sparse(tf))


@case
def map_values_without_sparse(tf):
    return tf.sparse.map_values(tf.square, tf.ones([2]))


@case(name=["cross", "cross_hashed"])
def crosses(tf, name):
    a = tf.sparse.from_dense([["a", "b"], ["c", ""]])
    b = tf.sparse.from_dense([["x", ""], ["y", "z"]])
    return tf.sparse.cross([a, b]) if name == "cross" else tf.sparse.cross_hashed([a, b], num_buckets=100)


@case
def crosses_with_dense_and_separator(tf):
    return tf.sparse.cross([tf.constant([["a"], ["b"]]), tf.sparse.from_dense([["x"], ["y"]])], separator="-")


@case(
    inputs=[
        "[tf.constant(['a'])]",
        "[]",
        "[tf.constant([['a']]), tf.constant([['b'], ['c']])]",
        "[tf.constant('a')]",
        "[tf.constant([[1.5]])]",
    ]
)
def crosses_checks(tf, inputs):
    return tf.sparse.cross(eval(inputs, {"tf": tf}))


@case
def crosses_of_numbers(tf):
    return tf.sparse.cross([tf.constant([[1], [2]]), tf.constant([["a"], ["b"]])])


@case(separator=["['-']", "3"])
def crosses_with_a_bad_separator(tf, separator):
    return tf.sparse.cross([tf.constant([["a"]])], separator=eval(separator))


@case(
    options=[
        "{}",
        "{'minlength': 5}",
        "{'maxlength': 2}",
        "{'axis': -1}",
        "{'axis': 0}",
        "{'binary_output': True}",
        "{'axis': -1, 'binary_output': True}",
        "{'weights': [0.5, 1.0, 2.0]}",
    ]
)
def bincount(tf, options):
    options = eval(options)
    x = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1, 3, 1], [2, 3])
    if "weights" in options:
        options = {"weights": x.with_values(options["weights"]), "axis": -1}
    return tf.sparse.bincount(x, **options)


@case(values=["[[1, 1, 0], [2, 0, 0]]", "[1, 1, 3]"])
def bincount_of_dense(tf, values):
    return tf.sparse.bincount(tf.constant(eval(values)), axis=-1)


@case
def bincount_checks(tf):
    return tf.sparse.bincount(tf.constant([1, -2]), axis=-1)


@case
def math_bincount_of_sparse(tf):
    x = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1, 3, 1], [2, 4])
    return [tf.math.bincount(x, axis=-1), tf.math.bincount(x), tf.math.bincount(x, axis=-1, binary_output=True)]


@case(name=["segment_sum", "segment_mean", "segment_sqrt_n"])
def segments(tf, name):
    data = tf.reshape(tf.range(12.0), [4, 3])
    f = getattr(tf.sparse, name)
    return [f(data, [0, 2, 3], [0, 0, 1]), f(data, [0, 1], [0, 2]), f(data, [0, 1], [0, 2], num_segments=5)]


@case(args=["[0, 9], [0, 1]", "[0, 1], [1, 0]", "[0], [0, 1]", "[0, 1], [0, -1]"])
def segments_checks(tf, args):
    return tf.sparse.segment_sum(tf.ones([4, 2]), *eval(args))


@case
def segments_gradient(tf):
    x = tf.reshape(tf.range(8.0), [4, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sparse.segment_mean(x, [0, 2, 3], [0, 0, 1]) ** 2)
    return tf.convert_to_tensor(tape.gradient(y, x))


@case
def mask(tf):
    return tf.sparse.mask(tf.IndexedSlices(tf.ones([3, 2]), [1, 4, 6], [8, 2]), [4])
