"""Sparse tensors: constructors, checks, conversion, specs, text."""

from behaviour import case


def sparse(tf, dtype="float32"):
    return tf.SparseTensor([[0, 0], [0, 2], [1, 1]], tf.cast([1, 2, 3], dtype), [2, 3])


@case
def parts(tf):
    x = sparse(tf)
    return [x, x.indices, x.values, x.dense_shape, x.shape, x.dtype, x.get_shape()]


@case(
    args=[
        "[[0, 0]], [1, 2], [2, 2]",
        "[0], [1], [2]",
        "[[0]], [1], [2, 2]",
        "[[0, 0]], 1, [2, 2]",
        "[[0.0]], [1], [2]",
        "[[0]], [1], 2",
        "[[0]], [1], [-2]",
        "[[5]], [1], [2]",
        "[[0, 0]], [[1]], [2, 2]",
    ]
)
def constructor_checks(tf, args):
    return tf.SparseTensor(*eval(f"[{args}]"))


@case(dtype=["bool", "string", "int8", "complex64", "float64"])
def dtypes(tf, dtype):
    values = ["a", "b"] if dtype == "string" else tf.cast([1, 0], dtype)
    return tf.sparse.to_dense(tf.SparseTensor([[0], [2]], values, [3]))


@case(options=["{}", "{'default_value': -1.0}", "{'default_value': [1.0]}", "{'default_value': 'a'}"])
def to_dense(tf, options):
    return tf.sparse.to_dense(sparse(tf), **eval(options))


@case(indices=["[[1, 1], [0, 0]]", "[[0, 0], [0, 0]]", "[[0, 5], [1, 1]]", "[[-1, 0], [1, 1]]"], validate=[True, False])
def to_dense_checks(tf, indices, validate):
    if not validate and "5" in indices + "-":
        indices = "[[1, 1], [0, 0]]"
    return tf.sparse.to_dense(tf.SparseTensor(eval(indices), [1, 2], [2, 2]), validate_indices=validate)


@case
def to_dense_gradient(tf):
    v, d = tf.constant([1.0, 2.0, 3.0]), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([v, d])
        y = tf.reduce_sum(tf.sparse.to_dense(tf.SparseTensor([[0, 0], [0, 2], [1, 1]], v, [2, 3]), d) ** 2)
    return tape.gradient(y, [v, d])


@case(rows=[[[0, 1], [2, 0]], [[0, 0]], [5, 0, 6], [[["a", ""]]], [[True, False]], 3])
def from_dense(tf, rows):
    return tf.sparse.from_dense(rows)


@case
def from_dense_gradient(tf):
    x = tf.constant([[1.0, 0.0], [2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sparse.from_dense(x).values ** 2)
    return tape.gradient(y, x)


@case
def from_dense_nan(tf):
    return tf.sparse.from_dense([0.0, float("nan"), -0.0])


@case(n=[1, 3], columns=[None, 2])
def eye(tf, n, columns):
    return tf.sparse.eye(n, columns)


@case
def eye_dtype(tf):
    return tf.sparse.eye(2, dtype=tf.int32)


@case
def to_indicator(tf):
    x = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([3, 1, 0], tf.int64), [2, 2])
    return tf.sparse.to_indicator(x, 4)


@case(values=[[1.0], [5]])
def to_indicator_checks(tf, values):
    return tf.sparse.to_indicator(tf.SparseTensor([[0, 0]], values, [1, 1]), 4)


@case
def reorder(tf):
    return tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1], [0, 0]], ["a", "b", "c"], [2, 2]))


@case
def reorder_out_of_range(tf):
    return tf.sparse.reorder(tf.SparseTensor([[3, 0], [0, 1]], [1, 2], [2, 2]))


@case(shape=[[3, 2], [6], [-1, 2], [1, 2, 3], [-1], [-1, -1], [5], [4, -1]])
def reshape(tf, shape):
    return tf.sparse.reshape(sparse(tf), shape)


@case(keep=[[True, False, True], [False, False, False], [True], [1, 0, 1]])
def retain(tf, keep):
    return tf.sparse.retain(sparse(tf), keep)


@case(shape=[None, [5, 6], [1, 1], [2], [2, 3], [5, 6, 7]])
def reset_shape(tf, shape):
    return tf.sparse.reset_shape(sparse(tf), shape)


@case
def reset_shape_of_nothing(tf):
    return tf.sparse.reset_shape(tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [2, 3]))


@case
def fill_empty_rows(tf):
    x = tf.SparseTensor([[0, 1], [2, 0]], ["a", "b"], [4, 3])
    return tf.sparse.fill_empty_rows(x, "z")


@case(default=[1.5, 9, [9]])
def fill_empty_rows_defaults(tf, default):
    return tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 0]], [1], [3, 3]), default)


@case
def fill_empty_rows_out_of_order(tf):
    return tf.sparse.fill_empty_rows(tf.SparseTensor([[2, 0], [0, 1]], [1, 2], [3, 3]), 0)


@case
def fill_empty_rows_out_of_range(tf):
    return tf.sparse.fill_empty_rows(tf.SparseTensor([[5, 0]], [1], [3, 3]), 0)


@case
def fill_empty_rows_gradient(tf):
    v, d = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([v, d])
        y, _ = tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 1], [2, 0]], v, [4, 3]), d)
        z = tf.reduce_sum(y.values**2)
    return tape.gradient(z, [v, d])


@case
def text(tf):
    return [str(sparse(tf)), repr(tf.SparseTensorSpec([None, 3], tf.int32)), repr(tf.type_spec_from_value(sparse(tf)))]


@case
def specs(tf):
    spec = tf.SparseTensorSpec([None, 3], tf.float32)
    return [
        spec.shape,
        spec.dtype,
        spec.is_compatible_with(sparse(tf)),
        spec.is_compatible_with(sparse(tf, "int32")),
        spec == tf.SparseTensorSpec([None, 3]),
        tf.SparseTensorSpec.from_value(sparse(tf)).shape,
    ]


@case
def with_values(tf):
    return sparse(tf).with_values([10, 20, 30])


@case
def with_values_of_another_length(tf):
    return sparse(tf).with_values([10, 20])


@case
def cannot_be_a_tensor(tf):
    return tf.convert_to_tensor(sparse(tf))


@case
def is_sparse(tf):
    return [
        tf.is_tensor(sparse(tf)),
        isinstance(sparse(tf), tf.Tensor),
        len(tf.nest.flatten(sparse(tf), expand_composites=True)),
    ]


@case(index=["0", ":1", "0, 1"])
def getitem(tf, index):
    return eval(f"x[{index}]", {"x": sparse(tf)})


@case
def equality(tf):
    return sparse(tf) == sparse(tf)


@case
def expand_dims(tf):
    return [tf.sparse.expand_dims(sparse(tf), axis=a) for a in (0, 1, 2, -1, None)]


@case(axis=[3, -4])
def expand_dims_of_a_bad_axis(tf, axis):
    return tf.sparse.expand_dims(sparse(tf), axis)


@case
def set_shape_in_a_function(tf):
    seen = []

    @tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.float32)])
    def f(x):
        x.set_shape([None, 3])
        seen.append(x.shape)
        return tf.sparse.to_dense(x)

    return [f(sparse(tf)), seen]


@case(shape=[[2, 3], [None, 3], None])
def shapes_in_a_function(tf, shape):
    seen = []

    @tf.function(input_signature=[tf.SparseTensorSpec(shape, tf.float32)])
    def f(x):
        seen.append([x.shape, tf.sparse.reorder(x).shape])
        return x

    f(sparse(tf))
    return seen


@case
def from_value(tf):
    return tf.SparseTensor.from_value(tf.compat.v1.SparseTensorValue([[0]], [1], [2]))


@case
def constants_in_a_function(tf):
    seen = []

    @tf.function
    def f():
        x = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
        seen.append(x.shape)
        return x

    return [f(), seen]
