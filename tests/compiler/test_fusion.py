"""Fused loops: what is put into one, and that they compute what NumPy's kernels compute."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape.compiler.backends.pointwise.emit import LoopEmitter
from gradtape.compiler.runtime.kernels import _KERNELS
from gradtape.core.op import REGISTRY

RANDOM = np.random.default_rng(7)


def kernels(function):
    """The names of the ops that the only trace of a function runs."""
    (concrete,) = function._traces.values()
    names = []
    for node in concrete._staged.program.program.graph.nodes:
        names += [part.op.name for part in node.op.nodes] if node.op.name == "native" else [node.op.name]
    return names


def normal(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def test_a_chain_becomes_one_loop():
    f = tf.function(lambda x: tf.tanh(tf.sin(x) * tf.exp(-tf.square(x))))
    x = normal(1000)
    np.testing.assert_allclose(f(x), np.tanh(np.sin(x) * np.exp(-x * x)), rtol=1e-6, atol=1e-7)
    assert len(kernels(f)) == 1


def test_forward_sum_and_gradient_become_one_loop():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x) * tf.exp(x))
        return y, tape.gradient(y, x)

    x = normal(3, 41)
    y, g = f(x)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(y, np.sum(np.sin(wide) * np.exp(wide)), rtol=1e-6)
    np.testing.assert_allclose(g, (np.sin(wide) + np.cos(wide)) * np.exp(wide), rtol=1e-5, atol=1e-6)
    assert len(kernels(f)) == 1


def test_a_sum_ends_a_loop_when_its_elements_are_needed_again():
    f = tf.function(lambda x: x * 2.0 - tf.reduce_sum(x * 2.0))
    x = normal(70_000)
    np.testing.assert_allclose(f(x), 2 * x - 2 * x.astype(np.float64).sum(), rtol=1e-5, atol=1e-3)
    assert len(kernels(f)) == 2


def test_a_way_through_another_op_is_not_fused_across():
    w = normal(8, 8)

    def g(x):
        y = tf.sin(x)
        return y + tf.exp(tf.matmul(y, w))

    f = tf.function(g)
    x = normal(8, 8)
    y = np.sin(x)
    np.testing.assert_allclose(f(x), y + np.exp(y @ w), rtol=1e-4, atol=1e-5)
    assert kernels(f)[0] == "fused[sin]"
    assert "exp add" in kernels(f)[-1]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((5, 7), (7,)), ((5, 7), (5, 1)), ((5, 7), ()), ((5, 7), (1, 1)), ((2, 3, 4), (3, 1)), ((2, 3, 4), (2, 1, 4)),
        ((2, 3, 4), (4,)), ((2, 1, 4), (3, 1)), ((40,), (40,)), ((3, 100), (100,)), ((0, 3), (3,)), ((1,), (1,)),
    ],
)  # fmt: skip
def test_broadcasting(a, b):
    x, y = normal(*a), normal(*b)
    f = tf.function(lambda x, y: tf.exp(x) * y + x)
    np.testing.assert_allclose(f(x, y), np.exp(x) * y + x, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 15, 16, 17, 100, 16383, 16384, 16385, 50000])
def test_any_length_and_number_of_chunks(size):
    x = normal(size)
    f = tf.function(lambda x: (tf.tanh(x) + 1.0, tf.reduce_sum(tf.tanh(x))))
    y, total = f(x)
    np.testing.assert_allclose(y, np.tanh(x) + 1, rtol=1e-6, atol=2e-7)
    np.testing.assert_allclose(total, np.tanh(x.astype(np.float64)).sum(), rtol=1e-5, atol=1e-5)


def test_strided_and_read_only_inputs():
    x = normal(20, 30)
    f = tf.function(lambda x: tf.exp(tf.transpose(x)) * 2.0)
    np.testing.assert_allclose(f(x), np.exp(x.T) * 2, rtol=1e-6)
    x.flags.writeable = False
    np.testing.assert_allclose(f(x), np.exp(x.T) * 2, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "float16", "bfloat16"])
def test_dtypes(dtype):
    x = tf.cast(RANDOM.integers(-5, 6, 37), dtype)
    f = tf.function(lambda x: tf.where(x > 1, x * x + x, -x))
    np.testing.assert_array_equal(np.asarray(f(x), np.float64), np.asarray(tf.where(x > 1, x * x + x, -x), np.float64))


def test_casts_and_comparisons_in_a_loop():
    x = normal(50)
    f = tf.function(lambda x: tf.cast(x > 0.0, tf.float64) + tf.cast(tf.cast(x * 10.0, tf.int32), tf.float64))
    np.testing.assert_array_equal(f(x), (x > 0).astype(np.float64) + (x * np.float32(10)).astype(np.int32))


def test_integers_divided_by_zero_are_an_error_in_a_function_too():
    f = tf.function(lambda a, b: a // b + a)
    a = tf.constant([6, 7])
    assert f(a, tf.constant([2, 2])).numpy().tolist() == [9, 10]
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
        f(a, tf.constant([1, 0]))


def test_same_bits_with_one_thread_and_two():
    from gradtape.compiler.runtime import pool

    x = normal(200_000)
    f = tf.function(lambda x: (tf.reduce_sum(tf.exp(x)), tf.exp(x) * x))
    found = []
    for threads in (1, 2, 3):
        pool.set_threads(threads)
        found.append([np.asarray(y).tobytes() for y in f(x)])
    pool.set_threads(0)
    assert found[0] == found[1] == found[2]


def test_equal_loops_are_compiled_once():
    w = tf.constant(normal(16, 16))

    @tf.function
    def unrolled(x):
        for _ in range(6):
            x = tf.tanh(tf.matmul(x, w)) * 0.5 + x
        return x

    before = set(_KERNELS)
    unrolled(tf.constant(normal(16, 16)))
    assert 1 <= len(_KERNELS.keys() - before) <= 2


def test_a_failure_of_the_code_generator_leaves_numpys_kernels(monkeypatch, new_kernels):
    def broken(*arguments):
        raise RuntimeError("no code today")

    monkeypatch.setattr(LoopEmitter, "emit", broken)
    f = tf.function(lambda x: tf.exp(x) * 3.0 + tf.sin(x))
    x = normal(33)
    with pytest.warns(tf.errors.CompilerWarning, match="no code today"):
        y = f(x)
    np.testing.assert_allclose(y, np.exp(x) * 3 + np.sin(x), rtol=1e-5)


def by_hand_softmax(x):
    e = tf.exp(x - tf.reduce_max(x, -1, keepdims=True))
    return e / tf.reduce_sum(e, -1, keepdims=True)


def by_hand_normal(x):
    centered = x - tf.reduce_mean(x, -1, keepdims=True)
    return centered * tf.math.rsqrt(tf.reduce_mean(tf.square(centered), -1, keepdims=True) + 1e-3) * 2.0 + 1.0


def by_hand_logsumexp(x):
    top = tf.reduce_max(x, axis=-1)
    return tf.math.log(tf.reduce_sum(tf.exp(x - tf.expand_dims(top, -1)), -1)) + top


def by_hand_cross_entropy(x):
    labels = tf.one_hot(tf.range(x.shape[-2]) % x.shape[-1], x.shape[-1])
    return -tf.reduce_mean(tf.reduce_sum(labels * (x - tf.reduce_logsumexp(x, -1, keepdims=True)), -1))


@pytest.mark.parametrize("function", [by_hand_softmax, by_hand_normal, by_hand_logsumexp, by_hand_cross_entropy])
@pytest.mark.parametrize("shape", [(6, 10), (3, 4, 17), (1, 5), (300, 64)])
def test_what_users_write_along_rows(function, shape):
    def with_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            total = tf.reduce_sum(y * y)
        return y, tape.gradient(total, x)

    x = tf.constant(normal(*shape))
    for found, wanted in zip(tf.function(with_gradient)(x), with_gradient(x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("function", [by_hand_softmax, by_hand_normal])
def test_reductions_and_what_reads_them_become_one_loop_over_rows(function):
    f = tf.function(function)
    f(tf.constant(normal(6, 10)))
    assert len(kernels(f)) == 1


def test_a_layers_gradient_and_the_sum_over_its_rows_are_one_loop():
    f = tf.function(lambda g, y: (g * (1.0 - y * y), tf.reduce_sum(g * (1.0 - y * y), 0)))
    g, y = normal(700, 33), normal(700, 33)
    found = f(g, y)
    wanted = g.astype(np.float64) * (1 - y.astype(np.float64) ** 2)
    np.testing.assert_allclose(found[0], wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[1], wanted.sum(0), rtol=1e-4, atol=1e-3)
    assert len(kernels(f)) == 1


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (1, 2), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize(
    "name", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_logsumexp", "reduce_euclidean_norm"]
)
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_with_elementwise_neighbours(name, axis, keepdims):
    def g(x, y):
        return tf.tanh(getattr(tf.math, name)(x * y + 0.5, axis=axis, keepdims=keepdims)) * 3.0

    x, y = tf.constant(normal(5, 7, 9)), tf.constant(normal(7, 1))
    np.testing.assert_allclose(tf.function(g)(x, y), g(x, y), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_rows_of_other_floats(dtype):
    x = tf.cast(normal(5, 19), dtype)
    f = tf.function(lambda x: (tf.nn.softmax(x), tf.nn.log_softmax(x, axis=0), by_hand_normal(x), tf.reduce_mean(x, 0)))
    tolerance = {"float64": 1e-12, "float16": 4e-3, "bfloat16": 4e-2}[dtype]
    wide = tf.cast(x, tf.float64)
    for found, wanted in zip(f(x), tf.function(f.python_function)(wide), strict=True):
        np.testing.assert_allclose(np.asarray(found, np.float64), wanted, rtol=tolerance, atol=tolerance)


def test_labels_out_of_range_are_an_error_in_a_function_too():
    f = tf.function(tf.nn.sparse_softmax_cross_entropy_with_logits)
    logits = tf.constant(normal(4, 3))
    np.testing.assert_allclose(
        f(tf.constant([0, 1, 2, 0]), logits),
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2, 0], logits),
        rtol=1e-6,
    )
    for labels in ([0, 3, 2, 0], [0, -1, 2, 0]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"labels\[1\]"):
            f(tf.constant(labels), logits)


def test_all_that_updates_a_variable_is_one_loop():
    w, m, v = (tf.Variable(normal(40, 30)) for _ in range(3))
    v.assign(tf.abs(v))
    kept = [x.numpy() for x in (w, m, v)]

    @tf.function
    def adam(g):
        m.assign(0.9 * m + 0.1 * g)
        v.assign(0.99 * v + 0.01 * g * g)
        w.assign_sub(0.1 * m / (tf.sqrt(v) + 1e-6))

    g = normal(40, 30)
    adam(g)
    m_new, v_new = 0.9 * kept[1] + 0.1 * g, 0.99 * kept[2] + 0.01 * g * g
    np.testing.assert_allclose(w, kept[0] - 0.1 * m_new / (np.sqrt(v_new) + 1e-6), rtol=1e-4, atol=1e-5)
    assert [name for name in kernels(adam) if name != "assign"] == [
        "fused[multiply multiply add multiply multiply multiply add multiply sqrt add divide subtract]"
    ]


def test_an_update_is_not_drawn_to_what_is_needed_early():
    w = tf.Variable(normal(30, 30))

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.square(tf.tanh(x * w)))
        dw, dx = tape.gradient(y, [w, x])
        w.assign_sub(0.1 * dw)
        return tf.matmul(dx, dx)

    f(tf.constant(normal(30, 30)))
    names = [name for name in kernels(f) if name != "assign"]
    assert names[-1] == "fused[multiply multiply subtract]"


def test_loops_are_bounded():
    def g(*xs):
        total = xs[0]
        for x in xs[1:]:
            total = total + tf.sin(x)
        for _ in range(100):
            total = total * 1.01 + 0.1
        return total

    xs = [tf.constant(normal(300)) for _ in range(40)]
    f = tf.function(g)
    np.testing.assert_allclose(f(*xs), g(*xs), rtol=1e-4, atol=1e-4)
    assert 4 <= len(kernels(f)) <= 10


def test_scalars_and_what_is_the_same_along_rows():
    def g(x, a):
        scale = tf.sqrt(a * 2.0 + 1.0)
        mask = tf.cast(tf.range(6)[:, None] > 2, tf.float32) * scale
        return tf.exp(x) * mask * tf.reduce_sum(scale * a)

    x, a = tf.constant(normal(6, 9)), tf.constant(1.5)
    np.testing.assert_allclose(tf.function(g)(x, a), g(x, a), rtol=1e-5)


def test_groups_of_a_large_graph_are_found_in_linear_time():
    """Each step of an unrolled loop has the same loops, however many steps there are."""

    def steps(count):
        def g(x, w):
            with tf.GradientTape() as tape:
                tape.watch(w)
                for _ in range(count):
                    x = tf.tanh(tf.matmul(x, w)) * tf.sigmoid(x)
                y = tf.reduce_mean(x)
            return tape.gradient(y, w)

        f = tf.function(g)
        f(tf.constant(normal(4, 4)), tf.constant(normal(4, 4)))
        return kernels(f)

    few, many = steps(10), steps(40)
    assert len(set(many)) <= len(set(few)) + 2
    assert len(many) <= 4 * len(few) + 8


OPS = ["add", "subtract", "multiply", "maximum", "minimum"]
FUNCTIONS = ["tanh", "sin", "exp", "square", "sigmoid", "abs", "softplus", "negative", "relu"]
REDUCED = {
    "softmax": lambda x: tf.nn.softmax(x, axis=-1),
    "log_softmax": lambda x: tf.nn.log_softmax(x, axis=-1),
    "by hand": by_hand_softmax,
    "mean": lambda x: tf.reduce_mean(x, -1, keepdims=True),
    "max": lambda x: tf.reduce_max(x, 0),
    "sum": lambda x: tf.reduce_sum(x, 0, keepdims=True),
    "norm": lambda x: x / (1.0 + tf.reduce_sum(tf.abs(x), -1)[..., None]),
}


@st.composite
def programs(draw):
    """Random expressions over a few inputs that broadcast, as lists of steps."""
    shapes = draw(st.sampled_from([[(6, 10), (10,), ()], [(3, 1, 5), (4, 5), (1,)], [(33,), (33,), ()]]))
    steps = []
    for i in range(draw(st.integers(2, 12))):
        count = len(shapes) + i
        kind = draw(st.integers(0, 2))
        if kind == 0:
            steps.append((draw(st.sampled_from(sorted(REDUCED))), draw(st.integers(0, count - 1))))
        elif kind == 1:
            steps.append((draw(st.sampled_from(OPS)), draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))))
        else:
            steps.append((draw(st.sampled_from(FUNCTIONS)), draw(st.integers(0, count - 1))))
    return shapes, steps


@given(case=programs())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_random_programs_with_gradients(case):
    shapes, steps = case
    inputs = [
        tf.constant(0.3 * np.random.default_rng(i).normal(size=s).astype(np.float32)) for i, s in enumerate(shapes)
    ]

    def run(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            values = list(xs)
            for name, *operands in steps:
                given = [tf.clip_by_value(values[k], -3.0, 3.0) for k in operands]
                if name in REDUCED:
                    values.append(REDUCED[name](given[0]) if given[0].shape.rank else given[0])
                else:
                    values.append(REGISTRY[name](*given))
            y = tf.reduce_sum(tf.tanh(values[-1])) + tf.reduce_mean(tf.sin(values[len(values) // 2]))
        return [*values[len(xs) :], y, *tape.gradient(y, list(xs), unconnected_gradients="zero")]

    for found, wanted in zip(tf.function(run)(*inputs), run(*inputs), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)
