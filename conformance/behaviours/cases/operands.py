"""Operators with operands that are no tensors; class numbers out of range; casts that saturate; features that are crossed."""

import numpy as np
from behaviour import case

OPERATORS = [
    "x + y",
    "x - y",
    "x * y",
    "x / y",
    "x // y",
    "x % y",
    "x @ y",
    "x ** y",
    "x < y",
    "x >= y",
    "y + x",
    "y * x",
    "y ** x",
]
LOGIC = ["x & y", "y ^ x"]


class Opaque:
    """An object that knows no operators."""


class Aware:
    """An object that knows some operators of tensors."""

    __array_priority__ = 200

    def __radd__(self, other):
        return "sum"

    def __rmul__(self, other):
        return NotImplemented

    def __rsub__(self, other):
        raise TypeError("not with tensors")

    def __gt__(self, other):
        return "compared"


@case(operator=OPERATORS, other=["object", "None", "dict", "function"])
def opaque(tf, operator, other):
    y = {"object": Opaque(), "None": None, "dict": {"a": 1}, "function": len}[other]
    return eval(operator, {"x": tf.constant([[1.0]]), "y": y})


@case(operator=LOGIC)
def opaque_logic(tf, operator):
    return eval(operator, {"x": tf.constant([True]), "y": Opaque()})


@case(operator=["x + y", "x * y", "x - y", "x < y", "x / y"])
def aware(tf, operator):
    return eval(operator, {"x": tf.constant([[1.0]]), "y": Aware()})


@case(operator=["x + y", "x * y"])
def aware_of_variables(tf, operator):
    return eval(operator, {"x": tf.Variable([[1.0]]), "y": Aware()})


@case(dtype=["int8", "uint8", "int16", "uint16", "int32", "int64"], slice_=[False, True])
def index_dtypes(tf, dtype, slice_):
    i = tf.constant(1, dtype)
    return tf.range(4)[i:] if slice_ else tf.range(4)[i]


@case(dtype=["float64", "float32", "int32"])
def saturated_complex(tf, dtype):
    largest = {"float64": 1e300, "float32": 3e38, "int32": 2**31 - 1}[dtype]
    return tf.saturate_cast(tf.constant([1, largest, -largest], dtype), tf.complex64)


@case(
    crossing=["ragged.cross", "sparse.cross", "ragged.cross_hashed", "sparse.cross_hashed"],
    inputs=["[]", "3"],
)
def crossed(tf, crossing, inputs):
    room, name = crossing.split(".")
    return getattr(getattr(tf, room), name)(eval(inputs))


@case(buckets=[-1, 0, 5])
def buckets(tf, buckets):
    return tf.sparse.cross_hashed([tf.sparse.from_dense([["a", "b"]])], num_buckets=buckets)


@case(blank=[0, -1], gaps=[False, True])
def ctc_of_sparse_labels(tf, blank, gaps):
    logits = tf.constant(np.random.RandomState(0).randn(5, 2, 4), tf.float32)
    labels = tf.SparseTensor([[0, 1], [1, 0], [1, 2]] if gaps else [[0, 0], [1, 0], [1, 1]], [2, 1, 2], [2, 3])
    return tf.nn.ctc_loss(tf.cast(labels, tf.int32), logits, None, [5, 5], blank_index=blank)


@case(ids=["sparse", "ragged"], weights=["none", "sparse", "ragged"])
def rows_with_weights(tf, ids, weights):
    numbers, factors = tf.ragged.constant([[0, 1], [2]]), tf.ragged.constant([[1.0, 2.0], [3.0]])
    given = [
        numbers.to_sparse() if ids == "sparse" else numbers,
        factors.to_sparse() if weights == "sparse" else factors,
    ]
    table = tf.reshape(tf.range(8.0), [4, 2])
    return tf.nn.embedding_lookup_sparse(table, given[0], None if weights == "none" else given[1], combiner="sum")


@case(depth=[10, 300])
def deep_structures(tf, depth):
    deep = 1
    for _ in range(depth):
        deep = [{"a": (deep,)}]
    return tf.nest.flatten(tf.nest.map_structure(lambda v: v + 1, deep))


@case(shape=["[None, 6]", "[5, None]", "[None, None]", "None", "[5, 6]"])
def sparse_functions_of_unknown_shape(tf, shape):
    @tf.function(input_signature=[tf.TensorSpec(eval(shape))])
    def f(x):
        s = tf.sparse.from_dense(x)
        t = tf.SparseTensor(s.indices, s.values, tf.shape(x, tf.int64))
        both = [tf.sparse.reorder(t), tf.sparse.transpose(t), tf.sparse.expand_dims(t, 0), tf.sparse.expand_dims(t), tf.sparse.concat(0, [t, t]),
                tf.sparse.concat(-1, [t, t]), tf.sparse.maximum(t, t), tf.sparse.add(t, t), tf.sparse.softmax(t), tf.sparse.slice(t, [0, 1], [2, 2])]  # fmt: skip
        return [tf.sparse.to_dense(b) for b in both]

    return f(tf.reshape(tf.range(30.0) % 4.0, [5, 6]))


@case(shape=["[None, 6]", "[5, None]"])
def static_shapes_of_sparse_tensors(tf, shape):
    seen = []

    @tf.function(input_signature=[tf.TensorSpec(eval(shape))])
    def f(x):
        s = tf.sparse.from_dense(x)
        t = tf.SparseTensor(s.indices, s.values, tf.shape(x, tf.int64))
        for each in (
            s,
            t,
            tf.sparse.reorder(t),
            tf.sparse.map_values(tf.square, t),
            tf.sparse.softmax(t),
            tf.sparse.maximum(t, t),
            tf.sparse.concat(0, [t, t]),
        ):
            seen.append(each.shape.as_list())
        seen.append(tf.sparse.to_dense(t).shape.as_list())
        return x

    f(tf.zeros([5, 6]))
    return seen
