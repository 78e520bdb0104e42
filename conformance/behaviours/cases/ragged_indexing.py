"""Ragged tensors indexed, sliced, iterated."""

from behaviour import case

ROWS = [[1, 2, 3], [], [4], [5, 6]]
DEEP = [[[1, 2], [3]], [], [[], [4, 5, 6]]]


@case(index=["0", "-1", "1", "4", "-5", "0, 1", "2, 0", "3, -1", "1, 0", "0, 3", "0, -4"])
def element(tf, index):
    return tf.ragged.constant(ROWS)[eval(index)]


@case(
    index=[
        ":2",
        "1:",
        "::2",
        "::-1",
        "-2:",
        "5:",
        ":, :1",
        ":, 1:",
        ":, -1:",
        ":, ::2",
        ":, ::-1",
        ":, :-1",
        "1:3, :1",
        "...",
        "..., :1",
        "0, 1:",
        "None",
        ":, None",
        ":, :, None",
        "2:0",
        ":0",
    ]
)
def slices(tf, index):
    x = tf.ragged.constant(ROWS)
    return eval(f"x[{index}]", {"x": x})


@case(
    index=[
        "0",
        "0, 0",
        "0, 0, 1",
        "2, 1",
        ":, :1",
        ":, :, 1:",
        "0, :, :1",
        "..., :1",
        "..., 0:1",
        ":, ::-1",
        "2:, -1:, :2",
        ":, None",
        "0, ..., 1:",
        "1, :",
    ]
)
def deep_slices(tf, index):
    x = tf.ragged.constant(DEEP)
    return eval(f"x[{index}]", {"x": x})


@case(index=[":, 0", ":, -1", ":, 0, 1", "..., 0", "0, 0, 0, 0", "'a'", "1.0", "::0", ":, 1.5", "[0, 1]", "True"])
def refused(tf, index):
    x = tf.ragged.constant(ROWS)
    return eval(f"x[{index}]", {"x": x})


@case(index=[":, 0", ":, 0, 1", ":, :, 0", "..., 1", "..., 1:", "0, 1", ":, 1:, 0", "2, :, ::-1"])
def inner_dense(tf, index):
    x = tf.ragged.constant([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)
    return eval(f"x[{index}]", {"x": x})


@case(index=[":, 0", ":, 1", ":, :1", "0", ":, ::-1"])
def uniform(tf, index):
    x = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [], [4]]), 2)
    return eval(f"x[{index}]", {"x": x})


@case
def tensors_as_index(tf):
    x = tf.ragged.constant(ROWS)
    return [x[tf.constant(3)], x[tf.constant(1) :], x[tf.constant(3), tf.constant(0)], x[:, : tf.constant(1)]]


@case
def index_by_a_vector(tf):
    return tf.ragged.constant(ROWS)[tf.constant([0, 1])]


@case
def rows_in_turn(tf):
    return list(tf.ragged.constant(ROWS))


@case
def length(tf):
    return len(tf.ragged.constant(ROWS))


@case
def gradient_of_a_slice(tf):
    v = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        x = tf.RaggedTensor.from_row_lengths(v, [2, 0, 2])
        y = tf.reduce_sum(x[:, 1:].values ** 2) + tf.reduce_sum(x[0] ** 3)
    return tape.gradient(y, v)


@case
def slices_in_a_function(tf):
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        return x[:, :n], x[n], x[n:]

    return f(tf.ragged.constant(ROWS), tf.constant(2))


@case(index=["0", "[1, 0]", "[[0], [3]]", "r([[0], [1, 3]])", "[]", "4", "-1"])
def gather(tf, index):
    i = eval(index, {"r": tf.ragged.constant})
    return tf.gather(tf.ragged.constant(ROWS), tf.constant(i, tf.int32) if i == [] else i)


@case(axis=[0, 1, -1, 2])
def gather_axis(tf, axis):
    return tf.gather(tf.ragged.constant([[1, 2, 3], [4, 5]]), [1, 0], axis=axis)


@case(batch_dims=[0, 1, 2, -1])
def gather_batch_dims(tf, batch_dims):
    return tf.gather(tf.ragged.constant([[1, 2, 3], [4, 5]]), tf.ragged.constant([[0, 2], [1]]), batch_dims=batch_dims)


@case
def gather_dense_by_ragged(tf):
    return tf.gather([10, 20, 30], tf.ragged.constant([[0], [2, 1], []]))


@case
def gather_dense_out_of_range(tf):
    return tf.gather([10, 20, 30], tf.ragged.constant([[0], [3]]))


@case
def gather_gradient(tf):
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.reduce_sum(tf.gather(v, tf.ragged.constant([[0], [2, 0]])).values ** 2)
    return tf.convert_to_tensor(tape.gradient(y, v))


@case(indices=["[[0, 1], [3, 0]]", "[[0], [2]]", "[0, 1]", "r([[[0, 0]], [[3, 1], [2, 0]]])", "[[1, 0]]"])
def gather_nd(tf, indices):
    return tf.gather_nd(tf.ragged.constant(ROWS), eval(indices, {"r": lambda x: tf.ragged.constant(x, ragged_rank=1)}))


@case
def boolean_mask_dense(tf):
    return [
        tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [False, False]]),
        tf.ragged.boolean_mask([1, 2, 3], [True, False, True]),
    ]


@case
def boolean_mask_ragged(tf):
    x = tf.ragged.constant(ROWS)
    m = tf.ragged.constant([[True, False, True], [], [False], [True, True]])
    return [tf.ragged.boolean_mask(x, m), tf.ragged.boolean_mask(x, [True, False, False, True])]


@case(mask=["[True, False]", "[[True]]", "[1, 0, 1, 0]", "True"])
def boolean_mask_refused(tf, mask):
    return tf.ragged.boolean_mask(tf.ragged.constant(ROWS), eval(mask))


@case(axis=[0, 1, -1, [0, 1], 2, []])
def reverse(tf, axis):
    return tf.reverse(tf.ragged.constant(ROWS), axis if isinstance(axis, list) else [axis])


@case
def where(tf):
    x, y = tf.ragged.constant(ROWS), tf.ragged.constant([[10, 20, 30], [], [40], [50, 60]])
    m = tf.ragged.constant([[True, False, True], [], [False], [True, False]])
    return [
        tf.where(m, x, y),
        tf.where(m),
        tf.where(m, x, 0),
        tf.where([True, False, True, False], x, y) if False else None,
    ]


@case
def where_by_rows(tf):
    x, y = tf.ragged.constant(ROWS), tf.ragged.constant([[10], [20, 30], [], [40]])
    return (
        tf.where([[True], [False], [True], [False]], x, tf.ragged.constant([[10, 20, 30], [], [40], [50, 60]]))
        if False
        else tf.ragged.boolean_mask(y, [True, True, False, False])
    )


@case
def where_of_other_rows(tf):
    return tf.where(
        tf.ragged.constant([[True], [False]]), tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[1], [2]])
    )


@case
def dynamic_partition(tf):
    return tf.dynamic_partition(tf.ragged.constant(ROWS), [0, 1, 1, 0], 2)


@case
def dynamic_partition_elements(tf):
    return tf.dynamic_partition(tf.ragged.constant(ROWS), tf.ragged.constant([[0, 1, 0], [], [1], [0, 0]]), 2)


@case(kind=["scatter", "update"])
def updates_are_refused(tf, kind):
    x = tf.ragged.constant(ROWS)
    return tf.tensor_scatter_nd_update(x, [[0]], [1]) if kind == "update" else tf.scatter_nd([[0]], x, [4])
