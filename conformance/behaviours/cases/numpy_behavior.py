"""`experimental_enable_numpy_behavior`: indexing, methods and operators of tensors, and NumPy's functions on them."""

from behaviour import case
from cases._expression import evaluate

SETUP = "tf.experimental.numpy.experimental_enable_numpy_behavior()"


@case(
    key=[
        "1",
        "-1",
        "1, 2",
        "1, 2, 3",
        "...",
        "..., 1",
        "1, ...",
        "None",
        "1, None, 1:3, ...",
        "None, 1, None",
        "..., None",
        ":, ::-1",
        "::2, 1:, -2:",
        "5:",
        "3:1:-1",
        "(True, False)",
        "[True, False]",
        ":, (True, False, True)",
        "..., (True, False, True, True)",
        "(True, False), 1",
        "(True, False), :, (True, True, False, False)",
        "[True, True], [True, False, True]",
        "np.array([True, False])",
        "c([True, False])",
        "x > 3",
        "x[0] > 3",
        "0, x[0] > 3",
        "0, x[0, 0] > 1",
        "True",
        "False",
        "0, True",
        "[0, 1]",
        "[1, 0, 1]",
        "(0, 1), (1, 2)",
        "[[0, 1], [1, 0]]",
        "np.array([[0, 1], [1, 0]])",
        "c([0, 1])",
        "c([[0], [1]]), c([0, 1])",
        "c(1)",
        "c(1), c([0, 2])",
        "np.int64(1)",
        "[0, 1], :, [1, 2]",
        ":, [0, 2], [1, 3]",
        ":, 0, [1, 3]",
        "0, :, [1, 3]",
        "[0, 1], :, 1",
        "[0, 1], None, [1, 2]",
        "..., [1, 2]",
        "[0, 1], ...",
        "[0, 1], ..., [1, 2]",
        "None, [0, 1], 1:",
        ":, 1:, [0, 0]",
        "[-1, 0]",
        "[0, 5]",
        "[[0, 1]], [[1], [2]], [0, 1]",
        "[0, 1], [0, 1, 2]",
        "[]",
        "1.5",
        "[1.5]",
        "'a'",
        "7",
        "0, 7",
        "0, 0, 0, 0",
        "..., ...",
        "c(1, tf.int8)",
        "c(1, tf.uint8)",
        "np.array([1], np.uint8)",
        "tf.Variable(1)",
        "slice(c(0), c(1))",
        "slice(None, tf.Variable(1))",
        "(slice(0, 1), 2)",
        "tnp.asarray([1, 0]), 1:",
        "[c(0), c(1)]",
    ]
)
def indexing(tf, key):
    return evaluate(tf, f"(lambda x:x[{key}])(tf.reshape(tf.range(24), [2, 3, 4]))")


@case(
    key=[
        "(True, False)",
        ":, (True, False, True)",
        "[1, 0]",
        "..., [1, 2]",
        "[0, 1], :, [1, 2]",
        "x > 3.0",
        "c([0, 1]), 1:",
        "None, 1",
    ]
)
def gradient_of_indexing(tf, key):
    return evaluate(tf, f"grad(lambda x:tf.reduce_sum(x[{key}] ** 2), ramp(2, 3, 4))")


@case(key=["(True, False)", "[1, 0]", "..., [1, 2]", "[0, 1], :, [1, 2]", "x > 3.0", "i, 1:", "[i, 0]", "i", "None, 1"])
def indexing_in_a_function(tf, key):
    return evaluate(tf, f"traced(lambda x, i:x[{key}], c(ramp(2, 3, 4)), c(1))")


@case(key=["[1, 0]", "(True, False)", ":, [0, 1]", "0", "..., None"])
def indexing_of_a_variable(tf, key):
    return evaluate(tf, f"tf.Variable(ramp(2, 3))[{key}]")


@case(
    expression=[
        "tnp.ones([5, 3]).T.shape",
        "tnp.ones([5, 3]).ndim",
        "tnp.ones([5, 3]).size",
        "tnp.arange(6).reshape(2, 3)",
        "tnp.arange(6).reshape([2, -1])",
        "tnp.arange(6).reshape((3, 2), order='F')",
        "tnp.ones([2, 3]).ravel().shape",
        "tnp.ones([2, 3]).transpose().shape",
        "tnp.ones([2, 3, 4]).transpose(1, 0, 2).shape",
        "tnp.ones([2, 3, 4]).transpose((1, 0, 2)).shape",
        "tnp.arange(3).astype(np.float32)",
        "tnp.arange(3).astype('bool')",
        "tnp.arange(3.0).clip(1, 2)",
        "tnp.arange(4.0).max()",
        "tnp.arange(4.0).min(axis=0)",
        "tnp.arange(4).mean()",
        "tnp.arange(4).tolist()",
        "tnp.arange(4).data",
        "tnp.arange(4).shape == (4,)",
        "len(tnp.arange(4))",
        "list(tnp.arange(2))",
        "round(tnp.asarray([1.5, 2.5]))",
        "round(tnp.asarray([1.26]), 1)",
        "bool(tnp.asarray(1))",
        "int(tnp.asarray(2.5))",
        "float(tnp.asarray(2))",
        "[5, 6, 7][tnp.asarray(1)]",
        "np.arange(3)[tnp.asarray(1)]",
        "2 in tnp.arange(3)",
        "c([[1, 2], [3, 4]]).T",
        "tf.Variable([1.0, 2.0]) + 1",
        "traced(lambda x:x.reshape(-1).T.astype(np.float32), c([[1, 2]]))",
        "traced(lambda x:x.ravel()[c([True, False, True, False])], c([[1, 2], [3, 4]]))",
        "tf.vectorized_map(lambda r:r.reshape(1, 2).sum() if hasattr(r, 'sum') else tf.reduce_sum(r), ramp(3, 2))",
        "tnp.ones([2]) + np.ones([2])",
        "np.ones([2]) + tnp.ones([2])",
        "np.ones([2]) * c([2, 3])",
        "np.float32(2) * c([1, 2])",
        "np.float64(2) + c([1, 2])",
        "c([1, 2]) * np.float32(2)",
        "np.int8(2) * c([1, 2], tf.int64)",
        "np.sum(np.asarray(tnp.ones([2, 3])))",
        "np.array(tnp.ones(2)).dtype.name",
        "tnp.sum(np.ones([2, 3]))",
        "tf.concat([tnp.ones(2), tnp.zeros(1)], 0)",
        "tf.matmul(tnp.ones([2, 2]), np.ones([2, 2]))",
        "tf.add(c([1]), c([1.5]))",
        "tf.matmul(c([[1]]), c([[1.5]]))",
        "tf.concat([c([1]), c([1.5])], 0)",
        "tf.stack([c(1), c(1.5)])",
        "tf.where([True, False], c(1), c(2.5))",
        "tf.maximum(c(1), c(2.5))",
        "grad(lambda x:tnp.sum(x * x + tnp.sum(x)), np.array([1.0, 2.0]))",
        "grad(lambda x:(x @ x), [1.0, 2.0])",
        "grad(lambda x:c([1, 2]) * x, c([1.0, 2.0]))",
        "traced(lambda x, y:x + y, c([1]), c([1.5]))",
        "traced(lambda x:x + 1.5, c([1]))",
        "tf.map_fn(lambda x:x + 1, tnp.arange(3))",
    ]
)
def methods(tf, expression):
    return evaluate(tf, expression)


@case(
    operator=["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "<<"],
    other=[
        "c([2, 1, 2])",
        "c([2.0, 1.0, 2.0])",
        "c([2, 1, 2], tf.int8)",
        "2",
        "2.5",
        "True",
        "np.array([2, 1, 2])",
        "np.array([2.5, 1, 2], np.float32)",
        "[1, 2, 3]",
        "c([True, False, True])",
    ],
)
def operators(tf, operator, other):
    return evaluate(tf, f"c([1, 2, 3]) {operator} {other}")


@case(
    operator=["+", "-", "*", "/", "@", "<", "==", "**", "&"],
    other=["2", "2.5", "[1, 2, 3]", "np.array([1.5, 2, 3])", "np.float32(2)"],
)
def reflected_operators(tf, operator, other):
    return evaluate(tf, f"{other} {operator} c([1, 2, 3])")


@case(
    dtype=["bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64"],
    other=[
        "bool",
        "int8",
        "uint8",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex128",
    ],
)
def promotion(tf, dtype, other):
    if dtype == other == "bool":
        return tf.experimental.numpy.result_type(tf.constant(True), tf.constant(False))
    return tf.cast([1], dtype) * tf.cast([1], other)
