"""vectorized_map: the function of one example is applied to all of them at once, with its gradients."""

from behaviour import case

UNARY = {
    "relu": "tf.nn.relu(x)",
    "softmax": "tf.nn.softmax(x)",
    "log_softmax": "tf.nn.log_softmax(x)",
    "sum": "tf.reduce_sum(x)",
    "sum_axis": "tf.reduce_sum(x, axis=0)",
    "mean": "tf.reduce_mean(x, axis=-1, keepdims=True)",
    "max": "tf.reduce_max(x, axis=1)",
    "prod": "tf.reduce_prod(x, axis=[0, 1])",
    "logsumexp": "tf.reduce_logsumexp(x, axis=0)",
    "std": "tf.math.reduce_std(x)",
    "argmax": "tf.argmax(x, axis=0)",
    "argmin_int32": "tf.argmin(x, axis=1, output_type=tf.int32)",
    "any": "tf.reduce_any(x > 0.0)",
    "cast": "tf.cast(x, tf.int32)",
    "transpose": "tf.transpose(x)",
    "reshape": "tf.reshape(x, [-1])",
    "expand": "tf.expand_dims(x, 1)",
    "squeeze": "tf.squeeze(x[:, :1], 1)",
    "tile": "tf.tile(x, [2, 1])",
    "pad": "tf.pad(x, [[1, 0], [0, 2]])",
    "pad_reflect": "tf.pad(x, [[1, 1], [0, 1]], 'REFLECT')",
    "reverse": "tf.reverse(x, [1])",
    "roll": "tf.roll(x, 1, 0)",
    "concat": "tf.concat([x, x * 2.0], 1)",
    "stack": "tf.stack([x, x], 0)",
    "unstack": "tf.unstack(x)[1]",
    "split": "tf.split(x, 2, 1)[1]",
    "slice": "x[1:, ::2]",
    "newaxis": "x[tf.newaxis, ..., 0]",
    "gather": "tf.gather(x, [2, 0], axis=0)",
    "gather_nd": "tf.gather_nd(x, [[0, 1], [2, 3]])",
    "one_hot": "tf.one_hot(tf.cast(x[:, 0] > 0.0, tf.int32), 3)",
    "where": "tf.where(x > 0.0, x, -x)",
    "matmul": "tf.matmul(x, x, transpose_b=True)",
    "matvec": "tf.linalg.matvec(x, x[0])",
    "einsum": "tf.einsum('ij,kj->ik', x, x)",
    "tensordot": "tf.tensordot(x, x, [[1], [1]])",
    "cumsum": "tf.cumsum(x, axis=1, reverse=True)",
    "sort": "tf.sort(x, axis=-1)",
    "top_k": "tf.math.top_k(x, 2)",
    "norm": "tf.norm(x, axis=1)",
    "l2_normalize": "tf.math.l2_normalize(x, 0)",
    "clip": "tf.clip_by_value(x, -0.5, 0.5)",
    "clip_norm": "tf.clip_by_norm(x, 1.0)",
    "det": "tf.linalg.det(x[:, :3])",
    "inv": "tf.linalg.inv(x[:, :3] + 3.0 * tf.eye(3))",
    "solve": "tf.linalg.solve(x[:, :3] + 3.0 * tf.eye(3), x[:, 3:])",
    "cholesky": "tf.linalg.cholesky(tf.matmul(x, x, transpose_b=True) + tf.eye(3))",
    "band_part": "tf.linalg.band_part(x, 1, 0)",
    "diag": "tf.linalg.diag(x[0])",
    "diag_part": "tf.linalg.diag_part(x[:, :3])",
    "trace": "tf.linalg.trace(x[:, :3])",
    "bias_add": "tf.nn.bias_add(x, [1.0, 2.0, 3.0, 4.0])",
    "sigmoid_ce": "tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(x), x)",
    "softmax_ce": "tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x), x)",
    "sparse_ce": "tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 3], x)",
    "segment_sum": "tf.math.segment_sum(x, [0, 0, 1])",
    "unsorted_segment": "tf.math.unsorted_segment_sum(x, [1, 0, 1], 2)",
    "scatter": "tf.tensor_scatter_nd_update(x, [[0]], [[9.0, 9.0, 9.0, 9.0]])",
    "size": "tf.size(x)",
    "shape": "tf.shape(x)",
    "rank": "tf.rank(x)",
    "zeros_like": "tf.zeros_like(x)",
    "fill": "tf.fill([2], x[0, 0])",
    "range": "tf.range(3.0) * x[0, 0]",
    "linspace": "tf.linspace(x[0, 0], 1.0, 3)",
    "broadcast": "tf.broadcast_to(x[0], [2, 4])",
    "complex": "tf.abs(tf.complex(x, x))",
    "fft": "tf.abs(tf.signal.rfft(x))",
    "string": "tf.strings.length(tf.strings.as_string(tf.cast(x * 10.0, tf.int32)))",
    "check_numerics": "tf.debugging.check_numerics(x, 'not finite')",
    "identity": "tf.identity(x)",
    "stop_gradient": "tf.stop_gradient(x) * x",
    "cond": "tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x - 1.0)",
    "while": "tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 0.5), [0, x])[1]",
    "while_varying": "tf.while_loop(lambda v: tf.reduce_sum(v) > 1.0, lambda v: (v * 0.5,), [tf.abs(x)])[0]",
    "map_fn": "tf.map_fn(lambda r: tf.reduce_sum(r), x)",
    "scan": "tf.scan(lambda a, r: a + r, x)",
    "nested": "tf.vectorized_map(lambda r: r * tf.reduce_sum(r), x)",
    "dict": "{'a': x, 'b': [tf.reduce_sum(x), 1.0]}",
    "tuple": "(x, tf.constant(3))",
}
DATA = [
    [[0.5, -1.0, 2.0, 0.25], [1.5, 0.75, -0.5, 1.0], [-2.0, 0.1, 0.3, 3.0]],
    [[-0.5, 1.0, 1.0, 2.25], [0.4, -0.6, 2.5, 1.2], [2.0, -0.1, 0.9, -3.0]],
]


@case(name=list(UNARY))
def function_of_one_example(tf, name):
    f = eval(f"lambda tf, x: {UNARY[name]}")
    return tf.vectorized_map(lambda x: f(tf, x), tf.constant(DATA))


@case(name=list(UNARY))
def in_a_function(tf, name):
    f = eval(f"lambda tf, x: {UNARY[name]}")
    return tf.function(lambda v: tf.vectorized_map(lambda x: f(tf, x), v), autograph=False)(tf.constant(DATA))


DIFFERENTIABLE = [
    name
    for name in UNARY
    if name
    not in (
        "argmax",
        "argmin_int32",
        "any",
        "cast",
        "one_hot",
        "top_k",
        "size",
        "shape",
        "rank",
        "string",
        "dict",
        "tuple",
    )
]


@case(name=DIFFERENTIABLE)
def gradient_around(tf, name):
    f = eval(f"lambda tf, x: {UNARY[name]}")
    x = tf.constant(DATA)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(lambda v: f(tf, v), x)
    return tape.gradient(y, x)


@case(name=DIFFERENTIABLE)
def gradient_inside(tf, name):
    f = eval(f"lambda tf, x: {UNARY[name]}")

    def one(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(tf, x)
        g = tape.gradient(y, x)
        return tf.constant(-7.0) if g is None else g

    return tf.vectorized_map(one, tf.constant(DATA))


@case(name=DIFFERENTIABLE)
def second_derivative(tf, name):
    f = eval(f"lambda tf, x: {UNARY[name]}")
    x = tf.constant(DATA[0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(tf, x)
        g = inner.gradient(y, x)
    return None if g is None else outer.gradient(g, x)


@case(name=DIFFERENTIABLE, tolerance=1e-4)
def jacobian(tf, name):
    f = eval(f"lambda tf, x: {UNARY[name]}")
    x = tf.constant(DATA[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(tf, x)
    return tape.jacobian(y, x)


@case(name=DIFFERENTIABLE)
def forward_mode(tf, name):
    f = eval(f"lambda tf, x: {UNARY[name]}")
    x = tf.constant(DATA[0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = f(tf, x)
    return accumulator.jvp(y)


SIZES = {
    "slice": lambda tf, x, n: tf.slice(x, [n, 0], [2, 3]),
    "tile": lambda tf, x, n: tf.tile(x, [n * 0 + 2, 1]),
    "reshape": lambda tf, x, n: tf.reshape(x, [n * 0 + 3, -1]),
    "roll": lambda tf, x, n: tf.roll(x, n, 0),
    "fill": lambda tf, x, n: tf.fill([n * 0 + 2], x[0, 0]),
    "one_hot": lambda tf, x, n: tf.one_hot(1, n * 0 + 3),
    "split": lambda tf, x, n: tf.split(x, [n * 0 + 1, 3])[0],
    "transpose": lambda tf, x, n: tf.transpose(x, [n * 0 + 1, 0]),
    "expand_dims": lambda tf, x, n: tf.expand_dims(x, n * 0),
    "strided_slice": lambda tf, x, n: tf.strided_slice(x, [n], [n + 2]),
}


@case(mode=["eager", "function"], of=list(SIZES))
def sizes_and_axes_that_differ_between_examples(tf, mode, of):
    def run(x, n):
        return tf.vectorized_map(lambda pair: SIZES[of](tf, *pair), (x, n))

    call = tf.function(run) if mode == "function" else run
    return call(tf.reshape(tf.range(24.0), [2, 4, 3]), tf.constant([0, 2]))
