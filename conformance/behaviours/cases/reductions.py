"""Reductions of integers at their extremes, of empty tensors, and of nan."""

from behaviour import case

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
REDUCTIONS = ["reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_min"]


def extremes(tf, dtype):
    """The extremes of a dtype and their neighbours: sums and products of these wrap."""
    low, high = tf.as_dtype(dtype).min, tf.as_dtype(dtype).max
    return tf.constant([[high, high, high - 1], [low, low + 1, high], [high, low, high]], dtype)


@case(dtype=["uint8", "int8", "uint16", "int16", "int32"])
def mean_of_large_integers(tf, dtype):
    return tf.reduce_mean(tf.fill([3], tf.constant(tf.as_dtype(dtype).max, dtype)))


@case(reduction=REDUCTIONS, dtype=INTEGERS, axis=[None, 0, 1])
def reduction_at_the_extremes(tf, reduction, dtype, axis):
    return getattr(tf, reduction)(extremes(tf, dtype), axis)


@case(reduction=REDUCTIONS, dtype=INTEGERS)
def reduction_at_the_extremes_in_a_function(tf, reduction, dtype):
    @tf.function
    def f(x):
        return getattr(tf, reduction)(x, 0), getattr(tf, reduction)(x, 1, keepdims=True)

    return f(extremes(tf, dtype))


@case(dtype=INTEGERS)
def negative_mean_rounds_towards_zero(tf, dtype):
    x = tf.constant([[1, 2], [5, 2]], dtype)
    return tf.reduce_mean(x, 0), tf.reduce_mean(x - tf.constant(6, dtype), 0), tf.reduce_mean(x)


@case(reduction=REDUCTIONS, dtype=["int32", "uint8", "float32"])
def reduction_of_nothing(tf, reduction, dtype):
    return getattr(tf, reduction)(tf.zeros([2, 0], dtype), 1)


@case(reduction=["cumsum", "cumprod"], dtype=INTEGERS)
def cumulative_at_the_extremes(tf, reduction, dtype):
    f = getattr(tf.math, reduction)
    return f(extremes(tf, dtype), 1), f(extremes(tf, dtype), 0, exclusive=True), f(extremes(tf, dtype), 1, reverse=True)


@case(segment=["sum", "prod", "max", "min", "mean"], dtype=INTEGERS)
def segment_at_the_extremes(tf, segment, dtype):
    return getattr(tf.math, f"segment_{segment}")(extremes(tf, dtype), [0, 0, 2])


@case(segment=["sum", "prod", "max", "min", "mean"], dtype=INTEGERS)
def unsorted_segment_at_the_extremes(tf, segment, dtype):
    return getattr(tf.math, f"unsorted_segment_{segment}")(extremes(tf, dtype), [2, 0, 2], 4)


@case(dtype=INTEGERS)
def sum_of_many(tf, dtype):
    return tf.add_n([extremes(tf, dtype)] * 3), tf.math.accumulate_n([extremes(tf, dtype)] * 3)


@case(dtype=INTEGERS)
def arguments_of_the_extremes(tf, dtype):
    x = extremes(tf, dtype)
    return tf.argmax(x, 0), tf.argmin(x, 1), tf.math.top_k(x, 2).values, tf.sort(x), tf.argsort(x, stable=True)


@case(dtype=["int32", "int64"])
def moments_of_integers(tf, dtype):
    return tf.nn.moments(tf.constant([[100, 120], [110, 90]], dtype), [0, 1])


@case(dtype=INTEGERS)
def deviation_of_integers(tf, dtype):
    return tf.math.reduce_std(tf.constant([100, 120], dtype)), tf.math.reduce_variance(tf.constant([100, 120], dtype))


@case(dtype=INTEGERS, order=["euclidean", 1, 2, "inf"])
def norm_of_integers(tf, dtype, order):
    return tf.norm(tf.constant([100, 120], dtype), float("inf") if order == "inf" else order)


@case(dtype=["int32", "int64"])
def histogram_of_integers(tf, dtype):
    values = tf.constant([0, 100, 120, 127, 3], dtype)
    return tf.histogram_fixed_width(values, tf.constant([0, 127], dtype), nbins=5)


@case(dtype=["int32", "int64"])
def bincount_of_integers(tf, dtype):
    return tf.math.bincount(tf.constant([1, 5, 1, 0], dtype))


@case(dtype=INTEGERS)
def count_nonzero_of_integers(tf, dtype):
    return tf.math.count_nonzero(extremes(tf, dtype), 0), tf.math.zero_fraction(extremes(tf, dtype))


@case(dtype=["int32", "int64"])
def product_of_matrices(tf, dtype):
    x = extremes(tf, dtype)
    return tf.matmul(x, x), tf.tensordot(x, x, 1), tf.einsum("ij,jk->ik", x, x)


@case(dtype=INTEGERS)
def trace_of_integers(tf, dtype):
    return tf.linalg.trace(extremes(tf, dtype))


@case(dtype=INTEGERS, op=["abs", "negative", "square", "sign"])
def elementwise_at_the_extremes(tf, dtype, op):
    return getattr(tf.math, op)(extremes(tf, dtype))


@case(dtype=INTEGERS, op=["add", "subtract", "multiply", "maximum", "minimum"])
def binary_at_the_extremes(tf, dtype, op):
    x = extremes(tf, dtype)
    return getattr(tf.math, op)(x, tf.reverse(x, [1]))


@case(dtype=INTEGERS, op=["floordiv", "floormod", "truncatediv", "truediv", "divide_no_nan"])
def division_at_the_extremes(tf, dtype, op):
    x = extremes(tf, dtype)
    f = getattr(tf, op, None) or getattr(tf.math, op)
    return f(x, tf.constant([3, 1, 2], dtype))


@case(dtype=["int8", "int16", "int32", "int64"])
def power_at_the_extremes(tf, dtype):
    return tf.pow(extremes(tf, dtype), tf.constant([0, 2, 3], dtype))


@case
def std_of_equal_numbers_has_a_zero_gradient(tf):
    x = tf.constant([2.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.reduce_std(x) * 0.0
    return tape.gradient(y, x)


@case
def std_of_equal_numbers_has_an_undefined_gradient(tf):
    x = tf.constant([2.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.reduce_std(x)
    return tape.gradient(y, x)


@case
def argmax_skips_nan(tf):
    return tf.argmax([1.0, float("nan"), 3.0])


@case(op=["argmax", "argmin"], dtype=["float16", "float32", "float64", "bfloat16"], axis=[0, 1])
def arguments_with_nan(tf, op, dtype, axis):
    nan = float("nan")
    x = tf.constant([[nan, 1.0, 2.0], [3.0, nan, nan], [nan, nan, nan], [2.0, 5.0, nan]], dtype)
    return getattr(tf, op)(x, axis)


@case(op=["argmax", "argmin"])
def arguments_with_nan_in_a_function(tf, op):
    nan = float("nan")
    x = tf.constant([[nan, 1.0, 2.0], [3.0, nan, nan], [nan, nan, nan], [2.0, 5.0, nan]])
    return tf.function(lambda x: (getattr(tf, op)(x, 0), getattr(tf, op)(x, 1)))(x)


@case(op=["argmax", "argmin"])
def arguments_of_long_rows_with_nan(tf, op):
    x = tf.tensor_scatter_nd_update(tf.range(1000.0), [[0], [500], [999]], [float("nan")] * 3)
    return getattr(tf, op)(x), getattr(tf, op)(x[1:]), getattr(tf, op)(x[::-1])


@case(op=["reduce_max", "reduce_min", "reduce_sum", "reduce_prod", "reduce_mean", "reduce_logsumexp"])
def reduction_with_nan(tf, op):
    nan = float("nan")
    x = tf.constant([[nan, 1.0, 2.0], [3.0, nan, 4.0], [nan, nan, nan]])
    return getattr(tf, op)(x, 0), getattr(tf, op)(x, 1), getattr(tf, op)(x)


@case(op=["maximum", "minimum"])
def larger_with_nan(tf, op):
    return getattr(tf, op)([1.0, float("nan"), 2.0], [float("nan"), 1.0, 3.0])


@case(op=["sort", "argsort"], direction=["ASCENDING", "DESCENDING"])
def order_with_infinities(tf, op, direction):
    return getattr(tf, op)([1.0, float("inf"), -float("inf"), 2.0, 1.0], direction=direction, stable=True)


@case(dtype=["float16", "bfloat16"], reduction=["reduce_sum", "reduce_mean"])
def reduction_of_many_half_floats(tf, dtype, reduction):
    return getattr(tf, reduction)(tf.ones([4096], dtype) * 3)


@case(zeros=["reduce_std", "norm", "sqrt", "rsqrt", "reduce_euclidean_norm", "l2_normalize"])
def singular_point_under_a_zero_cotangent(tf, zeros):
    """Where a derivative is infinite, but nothing depends on it."""
    x = tf.zeros([2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = (tf.norm if zeros == "norm" else getattr(tf.math, zeros))(x) * 0.0
    return tape.gradient(y, x)


@case(dtype=INTEGERS)
def euclidean_norm_at_the_extremes(tf, dtype):
    return tf.math.reduce_euclidean_norm(extremes(tf, dtype), 1)


@case(op=["reduce_euclidean_norm", "reduce_logsumexp", "reduce_std", "reduce_variance"])
def float_reduction_of_integers(tf, op):
    return getattr(tf.math, op)(tf.constant([3, 4]))


@case(dtype=INTEGERS)
def euclidean_norm_of_integers(tf, dtype):
    return tf.math.reduce_euclidean_norm(tf.constant([3, 4], dtype))


@case(op=["mean", "sum", "prod", "max", "min", "cumsum", "cumprod", "var", "std"], dtype=INTEGERS)
def numpy_reduction_at_the_extremes(tf, op, dtype):
    return getattr(tf.experimental.numpy, op)(extremes(tf, dtype), axis=0)


@case(dtype=["bool"], op=["sum", "prod", "mean", "max", "all", "any"])
def numpy_reduction_of_booleans(tf, dtype, op):
    return getattr(tf.experimental.numpy, op)(tf.constant([True, True, False]), axis=0)
