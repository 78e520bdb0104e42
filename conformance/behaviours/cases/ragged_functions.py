"""Ragged tensors in functions, loops, branches, maps, custom gradients and datasets."""

from behaviour import case

ROWS = [[1.0, 2.0, 3.0], [], [4.0], [5.0, 6.0]]


@case
def map_fn_to_scalars(tf):
    return tf.map_fn(tf.reduce_sum, tf.ragged.constant(ROWS), fn_output_signature=tf.float32)


@case
def map_fn_to_rows(tf):
    return tf.map_fn(
        lambda r: r * 2, tf.ragged.constant(ROWS), fn_output_signature=tf.RaggedTensorSpec([None], tf.float32)
    )


@case
def map_fn_default_signature(tf):
    return tf.map_fn(lambda r: r + 1, tf.ragged.constant(ROWS))


@case
def map_fn_dense_to_ragged(tf):
    return tf.map_fn(tf.range, tf.constant([3, 0, 2]), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))


@case
def map_fn_dense_to_other_shapes(tf):
    return tf.map_fn(tf.range, tf.constant([3, 0, 2]))


@case
def map_fn_of_deeper_rows(tf):
    x = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])
    return tf.map_fn(lambda r: tf.reduce_sum(r, axis=1), x, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))


@case
def map_fn_of_several(tf):
    x = tf.ragged.constant(ROWS)
    return tf.map_fn(lambda a: tf.reduce_sum(a[0]) + a[1], (x, tf.range(4.0)), fn_output_signature=tf.float32)


@case
def map_fn_in_a_function(tf):
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def f(x):
        return tf.map_fn(lambda r: r[::-1], x, fn_output_signature=tf.RaggedTensorSpec([None], tf.float32))

    return f(tf.ragged.constant(ROWS))


@case
def map_fn_gradient(tf):
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        x = tf.RaggedTensor.from_row_lengths(v, [2, 1])
        y = tf.reduce_sum(tf.map_fn(lambda r: tf.reduce_sum(r) ** 2, x, fn_output_signature=tf.float32))
    return tape.gradient(y, v)


@case
def map_flat_values(tf):
    x = tf.ragged.constant(ROWS)
    return [
        tf.ragged.map_flat_values(tf.square, x),
        tf.ragged.map_flat_values(tf.add, x, 1.0),
        tf.ragged.map_flat_values(tf.add, x, y=x),
    ]


@case
def map_flat_values_of_other_rows(tf):
    return tf.ragged.map_flat_values(tf.add, tf.ragged.constant([[1], [2]]), tf.ragged.constant([[1, 2], []]))


@case
def map_flat_values_that_shrinks(tf):
    return tf.ragged.map_flat_values(lambda v: v[:1], tf.ragged.constant(ROWS))


@case
def a_function_of_ragged(tf):
    @tf.function
    def f(x):
        return tf.reduce_sum(x, axis=1), x * 2, x.nrows()

    return f(tf.ragged.constant(ROWS))


@case
def shapes_in_a_function(tf):
    seen = []

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None, 2], tf.float32, ragged_rank=1)])
    def f(x):
        seen.append([x.shape, x.ragged_rank, x.dtype])
        return x

    f(tf.ragged.constant([[[1.0, 2.0]]], ragged_rank=1))
    return seen


@case
def gradient_through_a_function(tf):
    f = tf.function(lambda x: tf.reduce_sum(x * x, axis=1))
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = f(tf.RaggedTensor.from_row_lengths(v, [1, 0, 2]))
    return [y, tape.gradient(y, v)]


@case
def gradient_of_a_ragged_target(tf):
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        x = tf.RaggedTensor.from_row_lengths(v, [1, 2])
        y = x * x
    return tape.gradient(y.values, v)


@case
def gradient_of_a_ragged_source(tf):
    x = tf.ragged.constant([[1.0], [2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    return tape.gradient(y, x)


@case
def cond_of_ragged(tf):
    @tf.function
    def f(x, flag):
        return tf.cond(flag, lambda: x + 1.0, lambda: x * 10.0)

    x = tf.ragged.constant(ROWS)
    return [f(x, tf.constant(True)), f(x, tf.constant(False))]


@case
def while_loop_of_ragged(tf):
    @tf.function
    def f(x):
        return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), [tf.constant(0), x])

    return f(tf.ragged.constant(ROWS))


@case
def while_loop_that_grows(tf):
    @tf.function
    def f(x):
        return tf.while_loop(
            lambda i, x: i < 2,
            lambda i, x: (i + 1, tf.concat([x, tf.ones([1, 1])], axis=0)),
            [tf.constant(0), x],
            shape_invariants=[tf.TensorShape([]), tf.RaggedTensorSpec([None, None], tf.float32)],
        )

    return f(tf.ragged.constant(ROWS))


@case
def custom_gradient_of_ragged(tf):
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            return dy * 10.0

        return x.with_values(x.values * 2.0), grad

    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = f(tf.RaggedTensor.from_row_lengths(v, [1, 2]))
        z = tf.reduce_sum(y.values)
    return [y, tape.gradient(z, v)]


@case
def custom_gradient_of_several_ragged(tf):
    @tf.custom_gradient
    def f(x, y):
        def grad(dy):
            return dy * 2.0, dy * 3.0

        return x + y, grad

    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        x = tf.RaggedTensor.from_row_lengths(v, [1, 2])
        z = tf.reduce_sum(f(x, x * x).values)
    return tape.gradient(z, v)


@case
def custom_gradient_of_ragged_in_a_function(tf):
    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda dy: dy * 10.0

    @tf.function
    def g(v):
        with tf.GradientTape() as tape:
            tape.watch(v)
            z = tf.reduce_sum(f(tf.RaggedTensor.from_row_lengths(v, [1, 2])).values)
        return tape.gradient(z, v)

    return g(tf.constant([1.0, 2.0, 3.0]))


@case
def py_function_with_ragged(tf):
    x = tf.ragged.constant([[1, 2], [3]])
    out = tf.RaggedTensorSpec([None, None], tf.int32)
    return tf.py_function(lambda r: r * 2, [x], out)


@case
def py_function_gets_ragged(tf):
    x = tf.ragged.constant([[1, 2], [3]])
    return tf.py_function(lambda r: tf.reduce_sum(r, axis=1), [x], tf.int32)


@case
def py_function_returns_ragged_for_a_tensor(tf):
    return tf.py_function(lambda: tf.ragged.constant([[1, 2], [3]]), [], tf.int32)


@case
def py_function_returns_a_tensor_for_ragged(tf):
    return tf.py_function(lambda: tf.constant([1, 2]), [], tf.RaggedTensorSpec([None, None], tf.int32))


@case
def py_function_in_a_function(tf):
    @tf.function
    def f(x):
        return tf.py_function(lambda r: r + 1, [x], tf.RaggedTensorSpec([None, None], tf.int32))

    return f(tf.ragged.constant([[1, 2], [3]]))


@case
def py_function_gradient(tf):
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        x = tf.RaggedTensor.from_row_lengths(v, [1, 2])
        y = tf.py_function(lambda r: tf.reduce_sum(r * r), [x], tf.float32)
    return tape.gradient(y, v)


@case
def dataset_of_ragged(tf):
    return list(tf.data.Dataset.from_tensor_slices(tf.ragged.constant(ROWS)))


@case
def dataset_ragged_batch(tf):
    d = tf.data.Dataset.range(4).map(tf.range).ragged_batch(3)
    return [list(d), repr(d.element_spec)]


@case
def dataset_of_ragged_batches(tf):
    d = tf.data.Dataset.from_tensors(tf.ragged.constant([[1], [2, 3]])).repeat(2).batch(2)
    return list(d)


@case
def dataset_unbatch(tf):
    return list(tf.data.Dataset.from_tensors(tf.ragged.constant([[1], [2, 3]])).unbatch())


@case
def vectorized_map_of_ragged(tf):
    return tf.vectorized_map(lambda r: tf.reduce_sum(r), tf.ragged.constant(ROWS))


@case
def vectorized_map_to_other_shapes(tf):
    return tf.vectorized_map(lambda n: tf.range(n), tf.constant([1, 2]))


@case
def loop_over_rows(tf):
    @tf.function
    def f(x):
        total = 0.0
        for row in x:
            total += tf.reduce_sum(row) ** 2
        return total

    return f(tf.ragged.constant(ROWS))


@case
def ragged_variable_is_refused(tf):
    return tf.Variable(tf.ragged.constant(ROWS))


@case
def saved_function(tf):
    import tempfile

    module = tf.Module()
    module.f = tf.function(lambda x: x * 2.0, input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        return tf.saved_model.load(folder).f(tf.ragged.constant(ROWS))


@case
def nest_and_composites(tf):
    x = tf.ragged.constant(ROWS)
    return [
        len(tf.nest.flatten(x)),
        len(tf.nest.flatten(x, expand_composites=True)),
        tf.nest.map_structure(lambda t: t * 2.0, x, expand_composites=False),
    ]


@case
def is_tensor(tf):
    x = tf.ragged.constant(ROWS)
    return [tf.is_tensor(x), isinstance(x, tf.Tensor), isinstance(x, tf.RaggedTensor)]
