"""Ragged and sparse tensors, IndexedSlices, extension types and dataclasses in functions and control flow."""

import dataclasses
import typing

from behaviour import case

MODES = ["eager", "function"]


def run(tf, mode, function, *args):
    return (tf.function(function) if mode == "function" else function)(*args)


def ragged(tf, dtype=None):
    return tf.ragged.constant([[1.0, 2.0], [], [3.0]], dtype=dtype or tf.float32)


def sparse(tf):
    return tf.sparse.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])


def slices(tf):
    return tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2]), tf.constant([3, 2]))


MAKERS = {"ragged": ragged, "sparse": sparse, "slices": slices}


@case(kind=list(MAKERS))
def through_a_function(tf, kind):
    return tf.function(lambda x: x)(MAKERS[kind](tf))


@case(kind=list(MAKERS))
def made_in_a_function(tf, kind):
    return tf.function(lambda: MAKERS[kind](tf))()


@case(kind=list(MAKERS))
def in_a_structure(tf, kind):
    f = tf.function(lambda s: {"y": s["x"][0], "z": s["k"] * 2})
    return f({"x": [MAKERS[kind](tf)], "k": tf.constant(2)})


@case(kind=["ragged", "sparse"])
def traces_for_other_lengths(tf, kind):
    f = tf.function(lambda x: x)
    if kind == "ragged":
        values = [tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.ragged.constant([[], [2.0]])]
    else:
        values = [tf.sparse.from_dense([[1.0, 0.0]]), tf.sparse.from_dense([[1.0, 2.0]])]
    for v in values:
        f(v)
    return f.experimental_get_tracing_count()


@case(kind=list(MAKERS))
def concrete_function_of_a_value(tf, kind):
    value = MAKERS[kind](tf)
    return tf.function(lambda x: x).get_concrete_function(value)(value)


@case
def concrete_function_of_a_ragged_spec(tf):
    c = tf.function(lambda x: tf.reduce_sum(x, 1)).get_concrete_function(tf.RaggedTensorSpec([None, None], tf.float32))
    return c(ragged(tf)), c(x=ragged(tf))


@case
def concrete_function_of_a_sparse_spec(tf):
    c = tf.function(tf.sparse.to_dense).get_concrete_function(tf.SparseTensorSpec([None, None], tf.float32))
    return c(sparse(tf))


@case
def ragged_signature(tf):
    f = tf.function(lambda x: x * 2.0, input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    return f(ragged(tf)), f.experimental_get_tracing_count()


@case
def ragged_signature_refuses_dense(tf):
    f = tf.function(lambda x: x, input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    return f(tf.ones([2, 2]))


@case(mode=MODES, op=["sum", "mean", "max", "min", "prod"], axis=[None, 0, 1])
def ragged_reductions(tf, mode, op, axis):
    value = tf.ragged.constant([[1.0, 2.0], [4.0], [3.0, 5.0, 6.0]])
    return run(tf, mode, lambda x: getattr(tf, f"reduce_{op}")(x, axis), value)


@case(mode=MODES)
def ragged_arithmetic(tf, mode):
    return run(tf, mode, lambda x: (x + 1.0) * x - tf.constant([[1.0], [2.0], [3.0]]), ragged(tf))


@case(mode=MODES)
def ragged_gradient(tf, mode):
    def f(values):
        with tf.GradientTape() as tape:
            tape.watch(values)
            x = tf.RaggedTensor.from_row_splits(values, [0, 2, 2, 3])
            y = tf.reduce_sum(tf.reduce_sum(x * x, 1) ** 2)
        return tape.gradient(y, values)

    return run(tf, mode, f, tf.constant([1.0, 2.0, 3.0]))


@case(mode=MODES)
def ragged_in_a_custom_gradient(tf, mode):
    @tf.custom_gradient
    def double(x):
        return x * 2.0, lambda dy: dy * 10.0

    def f(values):
        with tf.GradientTape() as tape:
            tape.watch(values)
            x = tf.RaggedTensor.from_row_splits(values, [0, 2, 3])
            y = double(x)
        return y, tape.gradient(y, values)

    return run(tf, mode, f, tf.constant([1.0, 2.0, 3.0]))


@case(mode=MODES)
def two_ragged_in_a_custom_gradient(tf, mode):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda dz: (dz * y * 10.0, dz * x * 100.0)

    def g(values):
        with tf.GradientTape() as tape:
            tape.watch(values)
            x = tf.RaggedTensor.from_row_splits(values, [0, 2, 3])
            z = f(x, x + 1.0)
        return tape.gradient(z, values)

    return run(tf, mode, g, tf.constant([1.0, 2.0, 3.0]))


@case(mode=MODES)
def ragged_into_a_py_function(tf, mode):
    def f(x):
        return tf.py_function(lambda r: tf.reduce_sum(r), [x], tf.float32)

    return run(tf, mode, f, ragged(tf))


@case(mode=MODES)
def ragged_out_of_a_py_function(tf, mode):
    spec = tf.RaggedTensorSpec([None, None], tf.float32)

    def f(x):
        return tf.py_function(lambda r: r * 2.0, [x], spec)

    return run(tf, mode, f, ragged(tf))


@case(mode=MODES)
def ragged_out_of_a_py_function_that_says_tensor(tf, mode):
    return run(tf, mode, lambda x: tf.py_function(lambda r: r, [x], tf.float32), ragged(tf))


@case(mode=MODES)
def tensor_out_of_a_py_function_that_says_ragged(tf, mode):
    spec = tf.RaggedTensorSpec([None, None], tf.float32)
    return run(tf, mode, lambda: tf.py_function(lambda: tf.ones([2, 2]), [], spec))


@case(mode=MODES)
def map_fn_over_ragged(tf, mode):
    def f(x):
        return tf.map_fn(tf.reduce_sum, x, fn_output_signature=tf.float32)

    return run(tf, mode, f, ragged(tf))


@case(mode=MODES)
def map_fn_to_ragged(tf, mode):
    spec = tf.RaggedTensorSpec([None], tf.int32)
    return run(tf, mode, lambda x: tf.map_fn(tf.range, x, fn_output_signature=spec), tf.constant([2, 0, 3]))


@case(mode=MODES)
def map_fn_over_sparse(tf, mode):
    spec = tf.SparseTensorSpec(None, tf.float32)

    def f(x):
        return tf.map_fn(lambda r: tf.sparse.map_values(tf.multiply, r, 2.0), x, fn_output_signature=spec)

    return run(tf, mode, f, sparse(tf))


@case(mode=MODES)
def map_fn_over_sparse_to_dense(tf, mode):
    def f(x):
        return tf.map_fn(tf.sparse.reduce_sum, x, fn_output_signature=tf.float32)

    return run(tf, mode, f, sparse(tf))


@case(kind=["ragged", "sparse", "slices"], mode=MODES)
def cond_of_composites(tf, mode, kind):
    value = MAKERS[kind](tf)
    return run(tf, mode, lambda x, p: tf.cond(p, lambda: x, lambda: x), value, tf.constant(True))


@case(mode=MODES)
def while_loop_over_ragged(tf, mode):
    def f(x):
        return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), (0, x))[1]

    return run(tf, mode, f, ragged(tf))


@case
def while_loop_with_a_ragged_invariant(tf):
    def f(x):
        return tf.while_loop(
            lambda i, x: i < 2,
            lambda i, x: (i + 1, tf.concat([x, x], 0)),
            (0, x),
            shape_invariants=(tf.TensorShape([]), tf.RaggedTensorSpec([None, None], tf.float32)),
        )[1]

    return run(tf, "function", f, ragged(tf))


@case
def while_loop_with_a_sparse_invariant(tf):
    def f(x):
        return tf.while_loop(
            lambda i, x: i < 2,
            lambda i, x: (i + 1, tf.sparse.concat(0, [x, x])),
            (0, x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, None])),
        )[1]

    return run(tf, "function", f, sparse(tf))


@case
def while_loop_over_sparse(tf):
    def f(x):
        return tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.sparse.map_values(tf.add, x, 1.0)), (0, x))[1]

    return run(tf, "function", f, sparse(tf))


@case
def ragged_state_of_a_for(tf):
    def f(x, n):
        for _ in tf.range(n):
            x = x + 1.0
        return x

    return run(tf, "function", f, ragged(tf), tf.constant(2))


@case
def rows_of_ragged(tf):
    def f(x):
        s = 0.0
        for row in x:
            s = s * 10.0 + tf.reduce_sum(row)
        return s

    return run(tf, "function", f, ragged(tf))


@case
def gather_gradient_through_a_function(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    f = tf.function(lambda: tf.gather(v, [0, 0, 2]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(f() ** 2)
    return tf.convert_to_tensor(tape.gradient(y, v))


@case(mode=MODES)
def convert_slices(tf, mode):
    return run(tf, mode, tf.convert_to_tensor, slices(tf))


def masked(tf):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor
        name: str = "masked"

        def total(self):
            return tf.reduce_sum(tf.where(self.mask, self.values, tf.zeros_like(self.values)))

        @tf.function
        def scaled(self, k):
            return Masked(self.values * k, self.mask, self.name)

    return Masked


@case
def extension_type_through_a_function(tf):
    kind = masked(tf)
    y = tf.function(lambda m: m)(kind([1.0, 2.0], [True, False]))
    return type(y).__name__, y.values, y.mask, y.name


@case
def extension_type_traces(tf):
    kind = masked(tf)
    f = tf.function(lambda m: m.total())
    a = f(kind([1.0, 2.0], [True, False])), f(kind([3.0, 4.0], [True, True])), f(kind([3.0], [True], name="other"))
    return a, f.experimental_get_tracing_count()


@case
def extension_type_method_as_a_function(tf):
    y = masked(tf)([1.0, 2.0], [True, False]).scaled(tf.constant(3.0))
    return y.values, y.total()


@case
def extension_type_in_a_cond(tf):
    kind = masked(tf)

    @tf.function
    def f(m, p):
        return tf.cond(p, lambda: kind(m.values * 2.0, m.mask), lambda: m)

    return f(kind([1.0, 2.0], [True, False]), tf.constant(True)).values


@case
def extension_type_in_a_loop(tf):
    kind = masked(tf)

    @tf.function
    def f(m):
        for _ in tf.range(3):
            m = kind(m.values + 1.0, m.mask, m.name)
        return m.total()

    return f(kind([1.0, 2.0], [True, False]))


@case
def extension_type_as_a_concrete_argument(tf):
    m = masked(tf)([1.0, 2.0], [True, False])
    return tf.function(lambda m: m.total()).get_concrete_function(m)(m)


def flattened(tf):
    @dataclasses.dataclass
    class Scaled:
        flag: bool
        value: typing.Any

        def __tf_flatten__(self):
            return (self.flag,), (self.value,)

        @classmethod
        def __tf_unflatten__(cls, metadata, components):
            return cls(metadata[0], components[0])

    return Scaled


@case
def dataclass_through_a_function(tf):
    kind = flattened(tf)
    y = tf.function(lambda s: kind(s.flag, s.value * 2.0))(kind(True, tf.constant([1.0])))
    return type(y).__name__, y.flag, y.value


@case
def dataclass_traces(tf):
    kind = flattened(tf)
    f = tf.function(lambda s: s.value * (2.0 if s.flag else 3.0))
    values = [f(kind(True, tf.constant(1.0))), f(kind(True, tf.constant(2.0))), f(kind(False, tf.constant(1.0)))]
    return values, f.experimental_get_tracing_count()


@case
def dataclass_in_nest(tf):
    kind = flattened(tf)
    s = {"a": kind(True, tf.constant(1)), "b": tf.constant(2)}
    doubled = tf.nest.map_structure(lambda x: x * 2, s)
    return tf.nest.flatten(s), doubled["a"].value, doubled["a"].flag


@case
def dataclass_in_control_flow(tf):
    kind = flattened(tf)

    @tf.function
    def f(s, p):
        s = tf.cond(p, lambda: kind(s.flag, s.value * 2.0), lambda: s)
        return tf.while_loop(lambda s: s.value < 100.0, lambda s: (kind(s.flag, s.value * s.value),), (s,))[0].value

    return f(kind(True, tf.constant(2.0)), tf.constant(True))
