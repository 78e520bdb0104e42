"""Linear algebra of matrices that are singular or hold nan, and functions of tensors without elements."""

from behaviour import case

NAN, INF = float("nan"), float("inf")
MATRICES = {
    "nan": [[NAN, 1.0], [1.0, 2.0]],
    "inf": [[INF, 1.0], [1.0, 2.0]],
    "zero": [[0.0, 0.0], [0.0, 0.0]],
    "singular": [[1.0, 2.0], [2.0, 4.0]],
    "indefinite": [[1.0, 2.0], [2.0, 1.0]],
    "good": [[4.0, 1.0], [1.0, 3.0]],
}
DTYPES = ["float32", "float64"]


def matrix(tf, kind, dtype="float32"):
    return tf.constant(MATRICES[kind], dtype)


@case(kind=list(MATRICES), dtype=DTYPES)
def determinant(tf, kind, dtype):
    return tf.linalg.det(matrix(tf, kind, dtype)), tf.function(tf.linalg.det)(matrix(tf, kind, dtype))


@case(kind=list(MATRICES))
def determinant_of_one_of_a_batch(tf, kind):
    return tf.linalg.det([MATRICES["good"], MATRICES[kind]])


@case(kind=["nan", "zero", "singular", "good", "indefinite"])
def logarithm_of_a_determinant(tf, kind):
    return tf.linalg.slogdet(matrix(tf, kind))


@case(kind=list(MATRICES), dtype=DTYPES)
def inverse(tf, kind, dtype):
    return tf.linalg.inv(matrix(tf, kind, dtype))


@case(kind=list(MATRICES))
def solution(tf, kind):
    return tf.linalg.solve(matrix(tf, kind), [[1.0], [2.0]])


@case(kind=list(MATRICES))
def triangular_solution(tf, kind):
    return tf.linalg.triangular_solve(matrix(tf, kind), [[1.0], [2.0]])


@case(kind=["good", "singular", "zero"], lower=[True, False], adjoint=[True, False])
def triangular_solution_of_either_side(tf, kind, lower, adjoint):
    return tf.linalg.triangular_solve(matrix(tf, kind), [[1.0], [2.0]], lower=lower, adjoint=adjoint)


@case(kind=list(MATRICES))
def cholesky(tf, kind):
    return tf.linalg.cholesky(matrix(tf, kind))


@case(kind=["good", "indefinite", "zero"])
def cholesky_in_a_function(tf, kind):
    return tf.function(tf.linalg.cholesky)(matrix(tf, kind))


@case(kind=["good", "singular", "zero", "nan"], fast=[True, False])
def least_squares(tf, kind, fast):
    return tf.linalg.lstsq(matrix(tf, kind, "float64"), tf.constant([[1.0], [2.0]], tf.float64), fast=fast)


@case(kind=["good", "singular", "zero"])
def least_squares_with_a_regularizer(tf, kind):
    return tf.linalg.lstsq(matrix(tf, kind, "float64"), tf.constant([[1.0], [2.0]], tf.float64), l2_regularizer=0.1)


@case(kind=["good", "singular", "zero", "nan"])
def singular_values(tf, kind):
    return tf.linalg.svd(matrix(tf, kind), compute_uv=False)


@case(kind=["good", "singular", "zero", "indefinite"])
def eigenvalues(tf, kind):
    return tf.linalg.eigvalsh(matrix(tf, kind))


@case(kind=["good", "singular", "zero"])
def pseudo_inverse(tf, kind):
    return tf.linalg.pinv(matrix(tf, kind))


@case(kind=["good", "singular", "zero", "nan"])
def matrix_rank(tf, kind):
    return tf.linalg.matrix_rank(matrix(tf, kind))


@case(kind=["good", "zero", "singular"])
def matrix_exponential(tf, kind):
    return tf.linalg.expm(matrix(tf, kind))


@case(kind=["good", "zero", "singular", "indefinite"])
def gradient_of_a_determinant(tf, kind):
    x = matrix(tf, kind)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.det(x)
    return tape.gradient(y, x)


@case(
    op=["det", "inv", "cholesky", "qr", "svd", "eigvalsh", "expm", "slogdet", "matrix_transpose", "diag_part", "trace"]
)
def functions_of_no_matrices(tf, op):
    return getattr(tf.linalg, op)(tf.zeros([0, 3, 3]))


@case(op=["det", "inv", "cholesky", "slogdet", "trace", "diag_part", "matrix_transpose"])
def functions_of_matrices_without_rows(tf, op):
    return getattr(tf.linalg, op)(tf.zeros([2, 0, 0]))


@case(shape=["3, 0", "0, 3", "0, 0"])
def cross_entropy_of_nothing(tf, shape):
    x = tf.zeros(eval(f"[{shape}]"))
    return tf.nn.softmax_cross_entropy_with_logits(x, x)


@case(shape=["3, 0", "0, 3"], op=["softmax", "log_softmax", "l2_normalize", "relu", "sigmoid"])
def activations_of_nothing(tf, shape, op):
    return getattr(tf.nn, op)(tf.zeros(eval(f"[{shape}]")))


@case
def sparse_cross_entropy_of_no_classes(tf):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros([0], tf.int32), tf.zeros([0, 3]))


@case(channels=[0, 1], multiplier=[0, 1, 2], padding=["SAME", "VALID"])
def depthwise_convolution_of_few_channels(tf, channels, multiplier, padding):
    x, f = tf.ones([1, 4, 4, channels]), tf.ones([2, 2, channels, multiplier])
    return tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], padding)


@case(batch=[0, 1], channels=[0, 2], filters=[0, 3])
def convolution_of_nothing(tf, batch, channels, filters):
    return tf.nn.conv2d(tf.ones([batch, 4, 4, channels]), tf.ones([2, 2, channels, filters]), 1, "VALID")


@case(op=["max_pool2d", "avg_pool2d"], shape=["0, 4, 4, 2", "1, 4, 4, 0"])
def pooling_of_nothing(tf, op, shape):
    return getattr(tf.nn, op)(tf.ones(eval(f"[{shape}]")), 2, 2, "VALID")


@case(
    op=[
        "argmax",
        "argmin",
        "reduce_max",
        "reduce_min",
        "sort",
        "argsort",
        "cumsum",
        "reverse",
        "unique",
        "size",
        "rank",
    ]
)
def functions_of_an_empty_axis(tf, op):
    x = tf.zeros([0])
    if op == "reverse":
        return tf.reverse(x, [0])
    if op == "unique":
        return list(tf.unique(x))
    return getattr(tf, op)(x)


@case(shape=["0, 3", "3, 0"])
def products_of_nothing(tf, shape):
    x = tf.ones(eval(f"[{shape}]"))
    return tf.matmul(x, x, transpose_b=True), tf.matmul(x, x, transpose_a=True), tf.einsum("ij,ij->i", x, x)


@case
def joining_nothing(tf):
    return tf.concat([tf.zeros([0, 2]), tf.ones([1, 2])], 0), tf.stack([tf.zeros([0])] * 2), tf.tile(tf.zeros([0]), [3])


@case(op=["gather", "boolean_mask", "where", "one_hot", "repeat", "split", "unstack"])
def taking_nothing(tf, op):
    none = tf.zeros([0], tf.int32)
    return {
        "gather": lambda: tf.gather(tf.ones([3, 2]), none),
        "boolean_mask": lambda: tf.boolean_mask(tf.ones([2, 2]), [False, False]),
        "where": lambda: tf.where(tf.zeros([0], tf.bool)),
        "one_hot": lambda: tf.one_hot(none, 3),
        "repeat": lambda: tf.repeat([1, 2], [0, 0]),
        "split": lambda: tf.split(tf.zeros([0, 2]), 2, 1),
        "unstack": lambda: tf.unstack(tf.zeros([0, 2]), axis=1),
    }[op]()


@case(op=["moments", "batch_normalization", "reduce_std", "reduce_logsumexp", "norm"])
def statistics_of_nothing(tf, op):
    x = tf.zeros([0, 2])
    return {
        "moments": lambda: tf.nn.moments(x, [0]),
        "batch_normalization": lambda: tf.nn.batch_normalization(x, 0.0, 1.0, None, None, 0.1),
        "reduce_std": lambda: tf.math.reduce_std(x, 0),
        "reduce_logsumexp": lambda: tf.reduce_logsumexp(x, 0),
        "norm": lambda: tf.norm(x, axis=0),
    }[op]()
