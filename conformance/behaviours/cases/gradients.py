"""Which gradients there are: of constants and captured tensors in functions, second derivatives that vanish, rows."""

from behaviour import case

# Functions by name: of a vector, or of an image where the name says so.
SMOOTH = {
    "square": lambda tf, x: tf.square(x), "linear": lambda tf, x: 2.0 * x, "add": lambda tf, x: x + 1.0, "negative": lambda tf, x: -x,
    "identity": lambda tf, x: tf.identity(x), "relu": lambda tf, x: tf.nn.relu(x), "leaky_relu": lambda tf, x: tf.nn.leaky_relu(x),
    "relu6": lambda tf, x: tf.nn.relu6(x), "elu": lambda tf, x: tf.nn.elu(x), "selu": lambda tf, x: tf.nn.selu(x),
    "abs": lambda tf, x: tf.abs(x), "sign": lambda tf, x: tf.sign(x), "floor": lambda tf, x: tf.floor(x), "round": lambda tf, x: tf.round(x),
    "exp": lambda tf, x: tf.exp(x), "log": lambda tf, x: tf.math.log(x), "tanh": lambda tf, x: tf.tanh(x),
    "sigmoid": lambda tf, x: tf.sigmoid(x), "softplus": lambda tf, x: tf.math.softplus(x), "softmax": lambda tf, x: tf.nn.softmax(x),
    "sqrt": lambda tf, x: tf.sqrt(x), "rsqrt": lambda tf, x: tf.math.rsqrt(x), "reciprocal": lambda tf, x: 1.0 / x,
    "sin": lambda tf, x: tf.sin(x), "erf": lambda tf, x: tf.math.erf(x), "lgamma": lambda tf, x: tf.math.lgamma(x),
    "sum": lambda tf, x: tf.reduce_sum(x), "mean": lambda tf, x: tf.reduce_mean(x), "max": lambda tf, x: tf.reduce_max(x),
    "prod": lambda tf, x: tf.reduce_prod(x), "logsumexp": lambda tf, x: tf.reduce_logsumexp(x), "cumsum": lambda tf, x: tf.cumsum(x),
    "cumprod": lambda tf, x: tf.math.cumprod(x), "norm": lambda tf, x: tf.norm(x), "std": lambda tf, x: tf.math.reduce_std(x),
    "reshape": lambda tf, x: tf.reshape(x, [2, 2]), "transpose": lambda tf, x: tf.transpose(tf.reshape(x, [2, 2])),
    "slice": lambda tf, x: x[1:3], "strided": lambda tf, x: x[::2], "gather": lambda tf, x: tf.gather(x, [0, 2, 2]),
    "gather_nd": lambda tf, x: tf.gather_nd(x, [[1], [1]]), "concat": lambda tf, x: tf.concat([x, x], 0),
    "stack": lambda tf, x: tf.stack([x, x]), "pad": lambda tf, x: tf.pad(x, [[1, 1]]), "tile": lambda tf, x: tf.tile(x, [2]),
    "reverse": lambda tf, x: tf.reverse(x, [0]), "roll": lambda tf, x: tf.roll(x, 1, 0), "where": lambda tf, x: tf.where(x > 1.5, x, 0.0),
    "maximum": lambda tf, x: tf.maximum(x, 1.5), "minimum": lambda tf, x: tf.minimum(x, 1.5),
    "clip": lambda tf, x: tf.clip_by_value(x, 1.2, 2.0), "clip_by_norm": lambda tf, x: tf.clip_by_norm(x, 1.0),
    "sort": lambda tf, x: tf.sort(x), "top_k": lambda tf, x: tf.math.top_k(x, 2).values,
    "matmul with a constant": lambda tf, x: tf.matmul(tf.reshape(x, [2, 2]), [[1.0, 2.0], [3.0, 4.0]]),
    "matmul with itself": lambda tf, x: tf.matmul(tf.reshape(x, [2, 2]), tf.reshape(x, [2, 2])),
    "einsum": lambda tf, x: tf.einsum("i,j->ij", x, x), "segment_sum": lambda tf, x: tf.math.segment_sum(x, [0, 0, 1, 1]),
    "unsorted_segment_max": lambda tf, x: tf.math.unsorted_segment_max(x, [0, 0, 1, 1], 2),
    "scatter_nd": lambda tf, x: tf.scatter_nd([[0], [2], [1], [3]], x, [5]), "cast": lambda tf, x: tf.cast(x, tf.float64),
    "to integers": lambda tf, x: tf.cast(tf.cast(x, tf.int32), tf.float32), "stop_gradient": lambda tf, x: tf.stop_gradient(x),
    "broadcast_to": lambda tf, x: tf.broadcast_to(x, [3, 4]), "diag": lambda tf, x: tf.linalg.diag(x),
    "diag_part": lambda tf, x: tf.linalg.diag_part(tf.reshape(x, [2, 2])), "trace": lambda tf, x: tf.linalg.trace(tf.reshape(x, [2, 2])),
    "band_part": lambda tf, x: tf.linalg.band_part(tf.reshape(x, [2, 2]), 0, -1), "inv": lambda tf, x: tf.linalg.inv(tf.linalg.diag(x)),
    "det": lambda tf, x: tf.linalg.det(tf.linalg.diag(x)), "l2_normalize": lambda tf, x: tf.nn.l2_normalize(x),
    "l2_loss": lambda tf, x: tf.nn.l2_loss(x), "bias_add": lambda tf, x: tf.nn.bias_add(tf.reshape(x, [2, 2]), [1.0, 2.0]),
    "cross entropy": lambda tf, x: tf.nn.softmax_cross_entropy_with_logits([0.0, 1.0, 0.0, 0.0], x),
    "sparse cross entropy": lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits(1, x),
    "sigmoid cross entropy": lambda tf, x: tf.nn.sigmoid_cross_entropy_with_logits([0.0, 1.0, 0.0, 1.0], x),
    "max_pool": lambda tf, x: tf.nn.max_pool2d(tf.reshape(x, [1, 2, 2, 1]), 2, 2, "VALID"),
    "avg_pool": lambda tf, x: tf.nn.avg_pool2d(tf.reshape(x, [1, 2, 2, 1]), 2, 2, "VALID"),
    "conv2d": lambda tf, x: tf.nn.conv2d(tf.reshape(x, [1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID"),
    "resize": lambda tf, x: tf.image.resize(tf.reshape(x, [1, 2, 2, 1]), [3, 3]), "fft": lambda tf, x: tf.abs(tf.signal.rfft(x)),
    "add_n": lambda tf, x: tf.add_n([x, x]), "squeeze": lambda tf, x: tf.squeeze(tf.expand_dims(x, 0)), "unstack": lambda tf, x: tf.unstack(x)[1],
    "split": lambda tf, x: tf.split(x, 2)[0], "boolean_mask": lambda tf, x: tf.boolean_mask(x, [True, False, True, True]),
    "one_hot product": lambda tf, x: tf.one_hot(1, 4) * x, "pow 2": lambda tf, x: x**2, "pow 1": lambda tf, x: x**1.0,
    "squared_difference": lambda tf, x: tf.math.squared_difference(x, 1.0), "divide_no_nan": lambda tf, x: tf.math.divide_no_nan(x, 2.0),
    "floormod": lambda tf, x: tf.math.floormod(x, 1.5), "atan2": lambda tf, x: tf.atan2(x, 2.0), "xlogy": lambda tf, x: tf.math.xlogy(x, 2.0),
}  # fmt: skip
POINT = [1.1, 1.9, 2.7, 1.3]


def presence(d):
    """Whether a gradient is there, and its value."""
    return "none" if d is None else d


@case(op=list(SMOOTH))
def second_derivative(tf, op):
    x = tf.constant(POINT)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = SMOOTH[op](tf, x)
        first = inner.gradient(y, x)
    return presence(first), "none" if first is None else presence(outer.gradient(first, x))


@case(op=list(SMOOTH))
def second_derivative_in_a_function(tf, op):
    @tf.function
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = SMOOTH[op](tf, x)
            first = inner.gradient(y, x)
        second = None if first is None else outer.gradient(first, x)
        return "none" if first is None else first, "none" if second is None else second

    return [v if not hasattr(v, "dtype") or v.dtype != tf.string else v.numpy().decode() for v in f(tf.constant(POINT))]


@case(op=["square", "linear", "leaky_relu", "max_pool", "reshape", "softmax", "sum", "gather", "maximum"])
def second_derivative_of_a_function(tf, op):
    f = tf.function(lambda x: SMOOTH[op](tf, x))
    x = tf.constant(POINT)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    return presence(first), "none" if first is None else presence(outer.gradient(first, x))


@case
def gradients_of_a_constant_made_inside(tf):
    @tf.function
    def f():
        c = tf.constant(3.0)
        return tf.gradients(c * c, [c])

    return f()


@case
def gradients_of_a_captured_tensor(tf):
    c = tf.constant(3.0)

    @tf.function
    def f():
        return tf.gradients(c * c * 2.0, [c])

    return f()


@case
def gradients_of_a_tensor_of_an_outer_function(tf):
    @tf.function
    def outer(x):
        z = x * 2.0

        @tf.function
        def inner():
            return tf.gradients(z * z, [z])[0]

        return inner()

    return outer(tf.constant(3.0))


@case
def gradients_of_a_captured_variable(tf):
    v = tf.Variable(3.0)

    @tf.function
    def f():
        return tf.gradients(v * v, [v])

    return f()


@case
def gradients_of_an_argument_and_an_intermediate(tf):
    @tf.function
    def f(x):
        y = x * x
        z = y * y
        return tf.gradients(z, [x, y]), tf.gradients([y, z], x, grad_ys=[tf.constant(2.0), tf.constant(1.0)])

    return f(tf.constant(3.0))


@case(unconnected=["none", "zero"])
def gradients_of_what_is_not_connected(tf, unconnected):
    @tf.function
    def f(x, y):
        (d,) = tf.gradients(x * x, [y], unconnected_gradients=unconnected)
        return tf.constant(-1.0) if d is None else d

    return f(tf.constant(3.0), tf.constant(4.0))


@case
def gradients_of_a_gradient(tf):
    @tf.function
    def f(x):
        (d,) = tf.gradients(x**3, x)
        return tf.gradients(d, x)

    return f(tf.constant(3.0))


@case
def gradients_with_a_stop(tf):
    @tf.function
    def f(x):
        y = x * 2.0
        return tf.gradients(x + y, [x, y], stop_gradients=[x, y])

    return f(tf.constant(3.0))


@case(where=["eager", "function", "inner function"])
def rows_of_a_variable(tf, where):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def take():
        return tf.gather(v, [2, 0, 2]) * 2.0

    if where == "function":
        take = tf.function(take)

    def step():
        with tf.GradientTape() as tape:
            y = take()
        return tape.gradient(y, v)

    return (tf.function(step) if where == "inner function" else step)()


@case(where=["eager", "function", "inner function"])
def rows_of_an_embedding(tf, where):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def take():
        return tf.nn.embedding_lookup(v, [2, 0, 2])

    if where == "function":
        take = tf.function(take)

    def step():
        with tf.GradientTape() as tape:
            y = take()
        return tape.gradient(y, v)

    return (tf.function(step) if where == "inner function" else step)()


@case(where=["eager", "function"])
def forward_accumulator_of_an_unused_argument(tf, where):
    x, y = tf.constant(2.0), tf.constant(3.0)
    f = (lambda a, b: a * a) if where == "eager" else tf.function(lambda a, b: a * a)
    with tf.autodiff.ForwardAccumulator(y, tf.constant(1.0)) as acc:
        z = f(x, y)
    return presence(acc.jvp(z)), presence(acc.jvp(z, unconnected_gradients="zero"))


@case(kind=["while_loop", "cond", "plain"], where=["eager", "function"])
def custom_gradient_in_a_vectorized_map(tf, kind, where):
    @tf.custom_gradient
    def reversed_gradient(x):
        return x * 2.0, lambda dy: -7.0 * dy

    def element(x):
        if kind == "while_loop":
            return tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, reversed_gradient(x)), (0, x))[1]
        if kind == "cond":
            return tf.cond(x > 1.5, lambda: reversed_gradient(x), lambda: x)
        return reversed_gradient(x)

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.vectorized_map(element, x)
        return y, tape.gradient(y, x)

    return (tf.function(step) if where == "function" else step)(tf.constant([1.0, 2.0]))


@case(kind=["while_loop", "cond", "plain"], where=["eager", "function"])
def custom_gradient_in_control_flow(tf, kind, where):
    @tf.custom_gradient
    def reversed_gradient(x):
        return x * 2.0, lambda dy: -7.0 * dy

    def run(x):
        if kind == "while_loop":
            return tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, reversed_gradient(x)), (0, x))[1]
        if kind == "cond":
            return tf.cond(tf.reduce_sum(x) > 1.5, lambda: reversed_gradient(x), lambda: x)
        return reversed_gradient(x)

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(x)
        return y, tape.gradient(y, x)

    return (tf.function(step) if where == "function" else step)(tf.constant([1.0, 2.0]))


@case(where=["eager", "function"])
def gradients_inside_a_vectorized_map(tf, where):
    def element(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3)
        return tape.gradient(y, x)

    f = lambda x: tf.vectorized_map(element, x)  # noqa: E731
    return (tf.function(f) if where == "function" else f)(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
