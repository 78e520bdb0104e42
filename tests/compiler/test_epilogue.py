"""Loops that become parts of matrix products."""

import numpy as np
import pytest

import gradtape as tf
from compiler.graphs import results
from gradtape.compiler import passes, pipeline
from gradtape.compiler.bodies.epilogue import distances_of
from gradtape.compiler.bodies.kernel_op import PatternBody, body_of
from gradtape.compiler.fusion import epilogue
from gradtape.compiler.lowering.nodes import lower_kernel

RANDOM = np.random.default_rng(11)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


class Absorbed:
    """A function's graph after fusion, with its loops in its products."""

    def __init__(self, function, *arrays):
        self.function, self.arrays = function, arrays
        traced = tf.function(function).get_concrete_function(*[tf.TensorSpec(a.shape, a.dtype) for a in arrays])
        graph = traced._staged.program.program.graph
        until = pipeline.FUSION.index(epilogue.fuse_epilogues) + 1
        self.graph = passes.run(pipeline.FUSION[:until], graph.plain or graph, check=True)
        self.names = [node.op.name for node in self.graph.nodes]
        bodies = [(node.op, body_of(node)) for node in self.graph.nodes]
        self.products = [op for op, body in bodies if isinstance(body, PatternBody) and body.epilogue is not None]

    def check(self, rtol=1e-5, atol=1e-5):
        """Its results are those of the function itself."""
        made = results(self.graph, self.arrays, use_kernels=True)
        expected = self.function(*[tf.constant(a) for a in self.arrays])
        expected = expected if isinstance(expected, tuple) else (expected,)
        for value, wanted in zip(made, expected, strict=True):
            assert value.shape == wanted.shape
            np.testing.assert_allclose(value, wanted, rtol=rtol, atol=atol)
        return self


SIZES = [(70, 40, 50), (13, 7, 21), (300, 260, 256)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_bias_and_activation(size):
    m, n, k = size
    found = Absorbed(lambda x, w, b: tf.tanh(x @ w + b), normal(m, k), normal(k, n) / 10, normal(n))
    assert found.names == ["fused[matmul add tanh]"]
    found.check()


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_derivative_of_an_activation(size):
    m, n, k = size
    h = np.maximum(normal(m, n), 0)
    found = Absorbed(
        lambda dy, w, h: (dy @ tf.transpose(w)) * tf.cast(h > 0, tf.float32), normal(m, k), normal(n, k), h
    )
    assert len(found.products) == 1
    found.check(atol=1e-4)
    (product,) = found.products
    # The mask's operand has the shape of the result, and may make room for it.
    assert (0, 2) in lower_kernel(product).shares


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_an_update_may_be_written_over_the_weights(size):
    m, n, k = size
    found = Absorbed(
        lambda x, dy, w: w - 0.1 * tf.matmul(x, dy, transpose_a=True), normal(k, m), normal(k, n), normal(m, n)
    )
    assert len(found.names) == 1
    found.check(atol=1e-4)
    assert lower_kernel(found.products[0]).shares == ((0, 2),)


def test_an_operand_of_the_product_is_not_written_over():
    found = Absorbed(lambda x, w: x + x @ w, normal(64, 64), normal(64, 64)).check(atol=1e-4)
    assert len(found.products) == 1
    assert lower_kernel(found.products[0]).shares == ()


def test_a_product_that_others_read_is_stored_too():
    found = Absorbed(
        lambda x, w: (tf.exp(x @ w), tf.linalg.matrix_transpose(x @ w)), normal(60, 50) / 9, normal(50, 70)
    )
    assert len(found.products) == 1
    assert len(found.products[0].specs) == 2
    found.check(atol=1e-4)


def test_two_products_that_are_added():
    found = Absorbed(
        lambda x, w, h, u, b: tf.sigmoid(x @ w + h @ u + b),
        *[normal(33, 20), normal(20, 64), normal(33, 64), normal(64, 64), normal(64)],
    )
    assert found.names[0] == "matmul"
    assert len(found.products) == 1
    found.check()


def test_stacks_and_what_broadcasts_to_them():
    x, w = normal(3, 20, 30), normal(3, 30, 41)
    for shape in [(3, 20, 41), (20, 41), (41,), (20, 1), (3, 1, 41), (3, 1, 1), (1, 20, 1), ()]:
        found = Absorbed(lambda x, w, b: tf.exp(0.1 * (x @ w)) * b, x, w, normal(*shape)).check(rtol=1e-4)
        assert len(found.products) == 1


def test_rows_of_a_stack_are_rows_of_one_product():
    x, w, b = normal(4, 30, 20), normal(20, 50), normal(50)
    found = Absorbed(lambda x, w, b, r: tf.nn.relu(x @ w + b) + r, x, w, b, normal(4, 30, 50)).check(atol=1e-4)
    assert len(found.names) == 1
    # One number for each matrix of the stack and each column lies at no fixed distances from row to row.
    other = Absorbed(lambda x, w, b: tf.exp(x @ w - b), x / 9, w, normal(4, 1, 50)).check(rtol=1e-4)
    assert other.names[0] == "matmul"


def test_a_reshape_between():
    found = Absorbed(
        lambda x, w, b: tf.nn.relu(tf.reshape(x @ w, [4, 30, 50]) + b), normal(120, 20), normal(20, 50), normal(50)
    )
    assert len(found.names) == 1
    found.check(atol=1e-4)


def test_columns_and_rows():
    for a, b in [((50, 60), (60, 1)), ((1, 60), (60, 50))]:
        found = Absorbed(lambda a, b, c: tf.tanh(a @ b) + c, normal(*a) / 8, normal(*b), normal(a[0], b[1])).check()
        assert len(found.products) == 1


def test_float64_and_other_dtypes_beside_it():
    found = Absorbed(
        lambda a, b, c: tf.where(c, tf.cast(a @ b, tf.float32), 0.5),
        *[RANDOM.standard_normal((40, 30)), RANDOM.standard_normal((30, 50)), normal(40, 50) > 0],
    )
    found.check()
    assert len(found.products) == 1


def test_what_the_loop_reads_must_be_there_before_the_product():
    def function(x, w, u):
        y = x @ w
        return tf.exp(0.1 * y) + tf.linalg.matrix_transpose(y) @ u

    found = Absorbed(function, normal(30, 30) / 9, normal(30, 30), normal(30, 30)).check(rtol=1e-4, atol=1e-4)
    # The loop became a part of the second product, which reads the first.
    assert found.names[0] == "matmul"
    assert len(found.products) == 1


def test_sums_stay_loops():
    found = Absorbed(lambda x, w: tf.reduce_sum(tf.square(x @ w)), normal(40, 50), normal(50, 60))
    assert found.products == []
    found.check(rtol=1e-4)


def test_distances():
    assert distances_of((60,), (1,), (1, 3, 20)) == (0, 20, 1)
    assert distances_of((3, 20), (0, 1), (1, 3, 20)) == (0, 0, 1)
    assert distances_of((2, 3, 20), (60, 20, 1), (1, 6, 20)) == (0, 20, 1)
    assert distances_of((2, 3, 20), (20, 0, 1), (1, 6, 20)) is None
    assert distances_of((2, 3, 20), (20, 0, 1), (2, 3, 20)) == (20, 0, 1)
    assert distances_of((3, 20), (1, 3), (1, 3, 20)) is None
    assert distances_of((15, 4), (4, 1), (1, 6, 10)) is None
    assert distances_of((7,), (1,), (1, 7, 1)) == (0, 1, 0)


def heads(x, count):
    n, length, width = x.shape
    return tf.transpose(tf.reshape(x, [n, length, count, width // count]), [0, 2, 1, 3])


def test_products_read_heads_where_they_are():
    q, k = normal(3, 20, 48), normal(3, 30, 48)
    found = Absorbed(lambda q, k: tf.matmul(heads(q, 4), heads(k, 4), transpose_b=True) * 0.25, q, k)
    assert "transpose" not in found.names
    found.check()
    (product,) = found.products
    assert product.body.pattern.axes == ((3, 20 * 48, 30 * 48), (4, 12, 12))
    assert (product.body.pattern.lda, product.body.pattern.ldb) == (48, 48)


def test_products_read_parts_of_arrays():
    x, w = normal(40, 60), normal(90, 50)
    found = Absorbed(lambda x, w: x[:, 10:40] @ w[30:60], x, w).check(atol=1e-4)
    assert found.names == ["matmul"]
    assert [load.offset for load in found.graph.nodes[0].op.loads] == [10, 30 * 50]
    # Elements that are not side by side, neither along rows nor along columns, are copied.
    other = Absorbed(lambda x, w: x[:, ::2] @ w[:30], x, w).check(atol=1e-4)
    assert len(other.names) == 2
    backward = Absorbed(lambda x, w: x[::-1, :30] @ w[:30], x, w).check(atol=1e-4)
    assert len(backward.names) == 2


def test_a_transposed_operand_that_a_loop_wants_as_well():
    def function(x, y):
        turned = tf.transpose(x, [0, 2, 1, 3])
        return turned @ y, tf.cumsum(turned, axis=1)

    Absorbed(function, normal(2, 5, 3, 4), normal(2, 3, 4, 6)).check()


def test_large_products_of_stacks_in_groups():
    q, k = normal(2, 400, 256), normal(2, 400, 256)
    found = Absorbed(lambda q, k, b: tf.matmul(heads(q, 2), heads(k, 2), transpose_b=True) + b, q, k, normal(400))
    assert len(found.products) == 1
    found.check(atol=1e-3)


def test_heads_that_are_put_together_again_are_copied():
    x, dy = normal(2, 4, 8, 16), normal(16, 64)

    def function(x, dy):
        rows = tf.reshape(tf.transpose(x, [0, 2, 1, 3]), [16, 64])
        return tf.matmul(rows, dy, transpose_a=True)

    found = Absorbed(function, x, dy).check(atol=1e-4)
    assert "transpose" in found.names


def test_the_slope_of_gelu_is_kept_in_place_of_its_argument():
    def function(x, w, b, dy):
        with tf.GradientTape() as tape:
            tape.watch([w, b])
            y = tf.nn.gelu(tf.matmul(x, w) + b)
        return (y, *tape.gradient(y, [w, b], dy))

    found = Absorbed(function, normal(30, 20), normal(20, 32), normal(32), normal(30, 32)).check(rtol=1e-4, atol=1e-4)
    first = next(p for p in found.products if "gelu" in p.parts)
    assert "gelu_slope" in first.parts
    assert len(first.body.epilogue.results) == 2
    assert sum("gelu_slope" in name for name in found.names) == 1


def test_a_slope_whose_argument_is_wanted_is_computed_where_it_is_needed():
    def function(x, w, dy):
        with tf.GradientTape() as tape:
            tape.watch(w)
            z = tf.matmul(x, w)
            y = tf.nn.gelu(z)
        return y, z, tape.gradient(y, w, dy)

    Absorbed(function, normal(30, 20), normal(20, 32), normal(30, 32)).check(rtol=1e-4, atol=1e-4)


def test_products_of_unknown_size_are_left_alone(recwarn):
    """A branch may be prepared before its sizes are known."""

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([3, 3])])
    def f(x, w):
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.tanh(x @ w + 1.0), lambda: x)

    assert f(tf.ones([2, 3]), tf.eye(3)).shape == (2, 3)
    assert not [w for w in recwarn if "could not compile" in str(w.message)]
