"""Sparse tensors in functions, loops, maps, Python functions, datasets and files."""

from behaviour import case


def sparse(tf, dtype="float32"):
    return tf.SparseTensor([[0, 0], [0, 2], [1, 1]], tf.cast([1, 2, 3], dtype), [2, 3])


@case
def function_of_sparse(tf):
    return tf.function(lambda x: tf.sparse.to_dense(x) * 2.0)(sparse(tf))


@case
def function_returns_sparse(tf):
    return tf.function(lambda x: x.with_values(x.values * 2.0))(sparse(tf))


@case
def traces_are_shared(tf):
    count = []

    @tf.function(reduce_retracing=True)
    def f(x):
        count.append(1)
        return tf.sparse.reduce_sum(x)

    results = [f(sparse(tf)), f(tf.SparseTensor([[0, 0]], [5.0], [2, 3]))]
    return [results, len(count)]


@case
def gradient_of_a_sparse_source(tf):
    x = sparse(tf)
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        y = tf.reduce_sum(tf.sparse.to_dense(x) ** 2)
    return tape.gradient(y, x.values)


@case
def cond(tf):
    @tf.function
    def f(x, flag):
        return tf.cond(flag, lambda: x, lambda: tf.sparse.add(x, x))

    return [f(sparse(tf), tf.constant(True)), f(sparse(tf), tf.constant(False))]


@case
def while_loop(tf):
    @tf.function
    def f(x):
        return tf.while_loop(
            lambda i, x: i < 2, lambda i, x: (i + 1, x.with_values(x.values * 2.0)), [tf.constant(0), x]
        )

    return f(sparse(tf))


@case
def while_loop_with_invariants(tf):
    @tf.function
    def f(x):
        return tf.while_loop(
            lambda i, x: i < 2,
            lambda i, x: (i + 1, tf.sparse.concat(0, [x, x])),
            [tf.constant(0), x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])],
        )

    return f(sparse(tf))


@case
def map_fn(tf):
    return tf.map_fn(lambda x: x.with_values(x.values * 2.0), sparse(tf))


@case
def map_fn_to_dense(tf):
    return tf.map_fn(lambda x: tf.sparse.reduce_sum(x), sparse(tf), fn_output_signature=tf.float32)


@case
def map_fn_in_a_function(tf):
    f = tf.function(lambda x: tf.map_fn(lambda r: tf.sparse.reduce_sum(r), x, fn_output_signature=tf.float32))
    return f(sparse(tf))


@case
def map_fn_to_sparse(tf):
    return tf.map_fn(
        lambda x: tf.sparse.from_dense(x),
        tf.constant([[0.0, 1.0], [2.0, 0.0]]),
        fn_output_signature=tf.SparseTensorSpec([None], tf.float32),
    )


@case
def py_function(tf):
    return tf.py_function(
        lambda x: x.with_values(x.values * 2.0), [sparse(tf)], tf.SparseTensorSpec([None, None], tf.float32)
    )


@case
def custom_gradient(tf):
    @tf.custom_gradient
    def f(v):
        return tf.sparse.to_dense(sparse(tf).with_values(v)), lambda dy: tf.ones([3]) * 7.0

    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.reduce_sum(f(v))
    return tape.gradient(y, v)


@case
def dataset_slices(tf):
    return list(tf.data.Dataset.from_tensor_slices(sparse(tf)))


@case
def dataset_batches(tf):
    d = tf.data.Dataset.range(3).map(lambda i: tf.SparseTensor([[i]], [i], [4])).batch(2)
    return [list(d), repr(d.element_spec)]


@case
def dataset_unbatch(tf):
    return list(tf.data.Dataset.from_tensors(sparse(tf)).unbatch())


@case
def dataset_map_keeps_what_is_known(tf):
    d = tf.data.Dataset.from_tensors(sparse(tf)).map(lambda x: x.with_values(x.values + 1.0))
    return [list(d), d.element_spec.dtype]


@case
def serialization(tf):
    x = sparse(tf)
    one = tf.io.serialize_sparse(x)
    many = tf.io.serialize_many_sparse(x)
    return [tf.io.deserialize_many_sparse(many, tf.float32), one.shape, many.shape]


@case
def serialization_of_other_dtypes(tf):
    return tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(sparse(tf)), tf.int32)


@case
def embedding_lookup_sparse(tf):
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 0, 2], [3, 2])
    weights = ids.with_values([2.0, 1.0, 0.5])
    table = tf.reshape(tf.range(6.0), [3, 2])
    return [
        tf.nn.embedding_lookup_sparse(table, ids, w, combiner=c)
        for w in (None, weights)
        for c in ("sum", "mean", "sqrtn")
    ]


@case
def safe_embedding_lookup_sparse(tf):
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, -1, 2], tf.int64), [4, 2])
    return tf.nn.safe_embedding_lookup_sparse(tf.reshape(tf.range(6.0), [3, 2]), ids, default_id=0)


@case(combiner=["max", ""])
def embedding_lookup_with_a_bad_combiner(tf, combiner):
    return tf.nn.embedding_lookup_sparse(
        tf.ones([3, 2]), tf.SparseTensor([[0, 0]], [1], [1, 1]), None, combiner=combiner
    )


@case
def saved_function(tf):
    import tempfile

    module = tf.Module()
    module.f = tf.function(
        lambda x: tf.sparse.reduce_sum(x, 1), input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)]
    )
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        return tf.saved_model.load(folder).f(sparse(tf))


@case
def edit_distance(tf):
    a = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2])
    b = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "c", "d"], [2, 2])
    return [tf.edit_distance(a, b), tf.edit_distance(a, b, normalize=False)]


@case
def sparse_to_dense_in_vectorized_map(tf):
    return tf.vectorized_map(
        lambda v: tf.sparse.to_dense(tf.SparseTensor([[0], [2]], v, [3])), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    )


@case
def matmul_with_a_hint(tf):
    return [
        tf.matmul(tf.eye(2), tf.ones([2, 2]), a_is_sparse=True),
        tf.matmul(tf.zeros([0, 0], tf.bfloat16), tf.zeros([0, 0], tf.bfloat16), b_is_sparse=True),
    ]


@case(of=["shape", "size", "rank"], traced=[False, True])
def shape_of_the_dense_tensor(tf, of, traced):
    run = getattr(tf, of)
    given = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4])
    return (tf.function(lambda x: run(x)) if traced else run)(given)
