"""Loops and products that write their results into the array that joins them."""

import numpy as np
import pytest

import gradtape as tf
from compiler.graphs import results
from gradtape.compiler import backend
from gradtape.compiler.fusion import store_through
from gradtape.compiler.graph import Graph
from gradtape.core.shape import spec_of
from gradtape.tracing.trace import Trace

RANDOM = np.random.default_rng(5)


def normal(*shape, dtype=np.float32):
    return RANDOM.normal(size=shape).astype(dtype)


def fused(function, *arrays):
    """The graph of a function as it is lowered."""
    with Trace("test") as trace:
        made = function(*[trace.parameter(spec_of(a)) for a in arrays])
        trace.graph.outputs = [trace.value_of(y) for y in (made if isinstance(made, tuple) else (made,))]
    graph: Graph = backend.fused(trace.graph)
    graph.verify()
    return graph


def check(function, *arrays, joins=0):
    """Results by launches and by kernels are those of NumPy's kernels; so many nodes are left that join others."""
    graph = fused(function, *arrays)
    assert sum(node.op.name in ("concat", "stack") for node in graph.nodes) == joins
    made = function(*[tf.constant(a) for a in arrays])
    wanted = [y.numpy() for y in (made if isinstance(made, tuple) else (made,))]
    for use_kernels in (False, True):
        for found, expected in zip(results(graph, arrays, use_kernels), wanted, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 if use_kernels else 1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_results_of_a_loop_side_by_side(axis, dtype):
    def function(x, y):
        return tf.concat([x * y, x + y, tf.exp(x)], axis)

    check(function, normal(3, 4, 32, dtype=dtype), normal(3, 4, 32, dtype=dtype))


def test_stacked_along_a_new_axis():
    check(lambda x, y: tf.stack([x * y, tf.sin(x * y)], 1), normal(5, 32), normal(5, 32))


def test_inner_axis_of_a_stack_is_no_row():
    check(lambda x, y: tf.stack([x * y, tf.sin(x * y)], -1), normal(5, 32), normal(5, 32), joins=1)


def test_result_that_others_read_is_written_twice():
    def function(x, w):
        a = tf.sin(x)
        return tf.concat([a, a * x], 1), tf.matmul(a, w)

    check(function, normal(6, 32), normal(32, 4))


def test_two_arrays_of_the_same_results():
    def function(x, y, z):
        a = x * z
        b, c = a * y, a - y
        return tf.concat([a, b], 1), tf.concat([a, c], 1)

    check(function, normal(6, 32), normal(6, 32), normal(6, 32))


def test_sums_beside_them():
    def function(x, y):
        a, b = x * y, x - y
        return tf.concat([a, b], 1), tf.reduce_sum(a * b)

    check(function, normal(6, 32), normal(6, 32))


def test_inputs_that_repeat_and_views():
    def function(x, y, b):
        a = tf.transpose(x) + b
        return tf.concat([a * y, a - y], 1)

    check(function, normal(32, 6), normal(6, 32), normal(32))


@pytest.mark.parametrize("width", [1, 3, 8, 15, 20])
def test_short_and_odd_rows_are_copied(width):
    check(lambda x, y: tf.concat([x * y, x + y], 1), normal(6, width), normal(6, width), joins=1)


def test_results_of_two_loops_are_joined_by_a_copy():
    def function(x, y, w):
        return tf.concat([tf.sin(x), tf.exp(tf.matmul(y, w))], 1)

    check(function, normal(6, 32), normal(6, 8), normal(8, 32), joins=1)


@pytest.mark.parametrize("axis", [0, 1])
def test_results_of_a_product(axis):
    def function(x, w, y):
        p = tf.matmul(x, w)
        return tf.concat([p * y, tf.tanh(p), p - y], axis)

    check(function, normal(12, 20), normal(20, 48), normal(12, 48))


def test_results_of_a_stack_of_products():
    def function(x, w, y):
        p = tf.matmul(x, w)
        return tf.concat([p * y, p - y], 2), p + 1.0

    check(function, normal(3, 12, 20), normal(3, 20, 48), normal(3, 12, 48))


@pytest.mark.parametrize("rows", [1, 7, 8, 16, 40, 64, 100])
def test_long_ending_of_a_product_with_a_vector(rows):
    def function(a, x, y):
        return tf.tanh(tf.sin(tf.linalg.matvec(a, x)) * y)

    check(function, normal(rows, 24), normal(24), normal(rows))
    check(function, normal(rows, 24, dtype=np.float64), normal(24, dtype=np.float64), normal(rows, dtype=np.float64))


def test_gradients_of_gates():
    """A recurrent cell and its gradient: compiled equals eager."""
    x, u, h, c = (
        normal(8, 128),
        tf.Variable(normal(32, 128) / 8),
        tf.constant(normal(8, 32)),
        tf.constant(normal(8, 32)),
    )

    def gradient(x, h, c):
        with tf.GradientTape() as tape:
            for _ in range(3):
                i, f, g, o = tf.split(x + tf.matmul(h, u), 4, axis=1)
                c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
                h = tf.sigmoid(o) * tf.tanh(c)
            loss = tf.reduce_sum(tf.square(h))
        return tape.gradient(loss, u)

    np.testing.assert_allclose(tf.function(gradient)(x, h, c), gradient(tf.constant(x), h, c), rtol=1e-4, atol=1e-5)


def apart(function, *arrays):
    """The results of a block whose outputs are told apart, and its graph."""
    graph = store_through.separate_outputs(fused(function, *arrays))
    graph.verify()
    wanted = [y.numpy() for y in function(*[tf.constant(a) for a in arrays])]
    for found, expected in zip(results(graph, arrays, use_kernels=False), wanted, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    return graph


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_value_that_is_given_twice_is_written_twice(dtype):
    def function(x, y):
        a = tf.sin(x) * y
        return a, a + 1, a, a

    graph = apart(function, normal(5, 33, dtype=dtype), normal(5, 33, dtype=dtype))
    assert len(graph.nodes) == 1
    assert len(set(graph.outputs)) == 4


def test_a_parameter_is_written_by_the_loop_that_reads_it():
    graph = apart(lambda x, y: (tf.sin(x) * y, x), normal(5, 33), normal(5, 33))
    assert len(graph.nodes[0].inputs) == 2
    assert not set(graph.outputs) & set(graph.parameters)


def test_a_parameter_is_read_to_be_written():
    def function(x, y, z):
        a = tf.sin(x) * y
        return a, z, y, tf.reduce_sum(a)

    graph = apart(function, normal(5, 33), normal(33), normal(5, 33))
    assert [v in graph.parameters for v in graph.outputs] == [False, False, True, False]


def test_no_loop_like_a_value():
    graph = apart(lambda x, w: (tf.matmul(x, w), w, w), normal(5, 7), normal(7, 3))
    assert [v in graph.parameters for v in graph.outputs] == [False, True, True]


def test_states_of_a_loop_are_kept_for_its_gradient():
    def function(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            h = c = tf.zeros([4, 16])
            for t in tf.range(5):
                z = tf.matmul(h, w) + x[t]
                c = tf.sigmoid(z) * c + tf.tanh(z)
                h = tf.tanh(c) * tf.sigmoid(z)
            y = tf.reduce_sum(h * h)
        return tape.gradient(y, [x, w])

    x, w = tf.constant(normal(5, 4, 16)), tf.constant(normal(16, 16))
    for found, wanted in zip(tf.function(function)(x, w), function(x, w), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
