"""Products that write where their results are transposed, or joined with those of others."""

import numpy as np
import pytest

import gradtape as tf
from compiler.graphs import results
from compiler.test_store_through import fused, normal
from gradtape.compiler.bodies.kernel_op import PatternBody, body_of


def check(function, *arrays, movers=0, writers=None):
    """Results are those of NumPy's kernels; so many nodes are left that move elements, and so many products write parts."""
    graph = fused(function, *arrays)
    moving = [node for node in graph.nodes if node.op.name in ("concat", "stack", "transpose")]
    products = [node.op for node in graph.nodes if isinstance(body_of(node), PatternBody)]
    parts = [op for op in products if op.stores[0].is_part]
    assert len(moving) == movers
    assert writers is None or len(parts) == writers
    tensors = [tf.constant(a) for a in arrays]
    made = function(*tensors)
    wanted = [y.numpy() for y in (made if isinstance(made, tuple) else (made,))]
    compiled = tf.function(function)(*tensors)
    compiled = [y.numpy() for y in (compiled if isinstance(compiled, tuple) else (compiled,))]
    for found in (results(graph, arrays, use_kernels=False), results(graph, arrays, use_kernels=True), compiled):
        for one, expected in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-5)


def heads(x, count=3):
    """Stacks of matrices as rows again."""
    batch, _, rows, columns = x.shape
    return tf.reshape(tf.transpose(x, [0, 2, 1, 3]), [batch * rows, count * columns])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_stack_of_products_is_written_as_rows(dtype):
    def function(a, b, w):
        return tf.matmul(heads(tf.matmul(a, b)), w)

    a, b = normal(2, 3, 5, 7, dtype=dtype), normal(2, 3, 7, 32, dtype=dtype)
    check(function, a, b, normal(96, 4, dtype=dtype), writers=1)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_three_products_side_by_side(axis, dtype):
    def function(a, b, c, d):
        joined = tf.concat([heads(tf.matmul(x, b)) for x in (a, c, d)], axis)
        return tf.matmul(joined, joined, transpose_b=True)

    stacks = [normal(2, 3, 5, 7, dtype=dtype) for _ in range(3)]
    check(function, stacks[0], normal(2, 3, 7, 32, dtype=dtype), *stacks[1:], writers=3)


def test_with_an_ending():
    def function(a, b, bias, w):
        return tf.matmul(heads(tf.tanh(tf.matmul(a, b) + bias)), w)

    check(function, normal(2, 3, 5, 7), normal(2, 3, 7, 32), normal(32), normal(96, 4), writers=1)


def test_what_others_read_is_made_too():
    def function(a, b, w):
        product = tf.matmul(a, b)
        return tf.matmul(heads(product), w), tf.reduce_sum(product, 0)

    check(function, normal(2, 3, 5, 7), normal(2, 3, 7, 32), normal(96, 4), movers=1, writers=0)


def test_what_is_returned_has_an_array_of_its_own():
    check(lambda a, b: heads(tf.matmul(a, b)), normal(2, 3, 5, 7), normal(2, 3, 7, 32), movers=1, writers=0)


def test_short_rows_are_moved():
    def function(a, b, w):
        return tf.matmul(heads(tf.matmul(a, b)), w)

    check(function, normal(2, 3, 5, 7), normal(2, 3, 7, 4), normal(12, 4), movers=1, writers=0)


def test_columns_are_moved():
    def function(a, b, w):
        return tf.matmul(tf.transpose(tf.matmul(a, b)), w)

    a, b, w = normal(40, 7), normal(7, 32), normal(40, 4)
    found = tf.function(function)(tf.constant(a), tf.constant(b), tf.constant(w))
    np.testing.assert_allclose(found, (a @ b).T @ w, rtol=1e-4, atol=1e-5)


def test_the_same_product_twice():
    def function(a, b):
        rows = heads(tf.matmul(a, b))
        joined = tf.concat([rows, rows], 1)
        return tf.matmul(joined, joined, transpose_b=True)

    check(function, normal(2, 3, 5, 7), normal(2, 3, 7, 32), movers=1, writers=1)


def test_attention_with_gradients_in_a_loop():
    """The parts are written in the body of a loop as well."""

    def function(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = x
            for _ in tf.range(3):
                q, k, v = [
                    tf.transpose(tf.reshape(p, [2, 5, 3, 32]), [0, 2, 1, 3]) for p in tf.split(tf.matmul(y, w), 3, -1)
                ]
                scores = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 8.0)
                y = y + heads(tf.matmul(scores, v))
            loss = tf.reduce_mean(y * y)
        return tape.gradient(loss, [x, w])

    x, w = tf.constant(normal(10, 96)), tf.constant(normal(96, 288) / 30)
    for found, wanted in zip(tf.function(function)(x, w), function(x, w), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)
