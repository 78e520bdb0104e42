"""Fused loops: what is put into one, and that they compute what NumPy's kernels compute."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape.compiler import fusion
from gradtape.compiler.loops import Fused
from gradtape.core.op import REGISTRY

RANDOM = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def fuse_everything(monkeypatch):
    """Small loops too, so that small arrays show what large ones do."""
    monkeypatch.setattr(fusion, "_LEAST", 1)


def kernels(function):
    """The names of the ops that the only trace of a function runs."""
    (concrete,) = function._traces.values()
    return [node.op.name for node in concrete._staged.program.program.graph.nodes]


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
    x = normal(70)
    np.testing.assert_allclose(f(x), 2 * x - 2 * x.astype(np.float64).sum(), rtol=1e-5, atol=1e-5)
    assert len(kernels(f)) >= 2


def test_a_way_through_another_op_is_not_fused_across():
    w = normal(8, 8)

    def g(x):
        y = tf.sin(x)
        return y + tf.exp(tf.matmul(y, w))

    f = tf.function(g)
    x = normal(8, 8)
    y = np.sin(x)
    np.testing.assert_allclose(f(x), y + np.exp(y @ w), rtol=1e-4, atol=1e-5)
    assert sorted(kernels(f)) == ["fused[exp add]", "fused[sin]", "matmul"] or kernels(f).count("matmul") == 1


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
    from gradtape.compiler import pool

    x = normal(200_000)
    f = tf.function(lambda x: (tf.reduce_sum(tf.exp(x)), tf.exp(x) * x))
    found = []
    for threads in (1, 2, 3):
        pool.set_threads(threads)
        found.append([np.asarray(y).tobytes() for y in f(x)])
    pool.set_threads(0)
    assert found[0] == found[1] == found[2]


def test_equal_loops_are_compiled_once():
    from gradtape.compiler.loops import compiled

    w = tf.constant(normal(16, 16))

    @tf.function
    def unrolled(x):
        for _ in range(6):
            x = tf.tanh(tf.matmul(x, w)) * 0.5 + x
        return x

    before = compiled.cache_info().misses
    unrolled(tf.constant(normal(16, 16)))
    assert compiled.cache_info().misses - before <= 2


def test_a_failure_of_the_code_generator_leaves_numpys_kernels(monkeypatch):
    def broken(*arguments):
        raise RuntimeError("no code today")

    monkeypatch.setattr(Fused, "__init__", broken)
    f = tf.function(lambda x: tf.exp(x) * 3.0 + tf.sin(x))
    x = normal(33)
    with pytest.warns(RuntimeWarning, match="no code today"):
        y = f(x)
    np.testing.assert_allclose(y, np.exp(x) * 3 + np.sin(x), rtol=1e-5)


OPS = ["add", "subtract", "multiply", "maximum", "minimum"]
FUNCTIONS = ["tanh", "sin", "exp", "square", "sigmoid", "abs", "softplus", "negative", "relu"]


@st.composite
def programs(draw):
    """Random expressions over a few inputs that broadcast, as lists of steps."""
    shapes = draw(st.sampled_from([[(6, 10), (10,), ()], [(3, 1, 5), (4, 5), (1,)], [(33,), (33,), ()]]))
    steps = []
    for i in range(draw(st.integers(2, 12))):
        count = len(shapes) + i
        if draw(st.booleans()):
            steps.append((draw(st.sampled_from(OPS)), draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))))
        else:
            steps.append((draw(st.sampled_from(FUNCTIONS)), draw(st.integers(0, count - 1))))
    return shapes, steps


@given(case=programs())
@settings(max_examples=30, deadline=None, derandomize=True)
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
                values.append(REGISTRY[name](*[tf.clip_by_value(values[k], -3.0, 3.0) for k in operands]))
            y = tf.reduce_sum(tf.tanh(values[-1]))
        return [values[-1], y, *tape.gradient(y, list(xs), unconnected_gradients="zero")]

    for found, wanted in zip(tf.function(run)(*inputs), run(*inputs), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)
