"""What follows pooling, a gather or a reduction is a part of its kernel: programs, their kernels, and their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf

RANDOM = np.random.default_rng(0)


def normal(*shape: int, dtype: Any = tf.float32) -> Any:
    return tf.constant(RANDOM.normal(size=shape), dtype)


def check(function: Callable[..., Any], inputs: Any, kernels: tuple[str, ...], rtol: float = 1e-5) -> None:
    """Compare a compiled function with the eager one, and its kernels with those that are expected."""
    compiled = tf.function(function)
    got, want = compiled(*inputs), function(*inputs)
    for a, e in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        assert a.dtype is e.dtype
        a, e = (np.asarray(tf.cast(x, tf.float64)) for x in (a, e))
        np.testing.assert_allclose(a, e, rtol=rtol, atol=rtol * max(1.0, np.abs(e).max()))
    assert compiled.explain().traces[0].native == kernels


POOLING = {
    "disjoint": ((2, 8, 6, 32), 2, 2, "VALID"),
    "overlapping": ((2, 9, 7, 32), 3, 2, "SAME"),
    "steps of one": ((1, 5, 5, 16), 3, 1, "SAME"),
    "parts of vectors": ((2, 6, 6, 21), 2, 2, "SAME"),
    "many rows": ((16, 20, 20, 64), 2, 2, "SAME"),
}


class TestPooling:
    @pytest.mark.parametrize("case", POOLING)
    def test_maximum(self, case):
        shape, window, stride, padding = POOLING[case]
        check(
            lambda x, b: tf.nn.relu(tf.nn.max_pool2d(x, window, stride, padding) * 2.0 + b),
            [normal(*shape), normal(shape[-1])],
            ("max_pool multiply add relu",),
        )

    @pytest.mark.parametrize("case", POOLING)
    def test_mean(self, case):
        shape, window, stride, padding = POOLING[case]
        check(
            lambda x, b: tf.abs(tf.nn.avg_pool2d(x, window, stride, padding) - b),
            [normal(*shape), normal(shape[-1])],
            ("avg_pool subtract abs",),
        )

    def test_double_precision(self):
        x = normal(2, 6, 6, 32, dtype=tf.float64)
        check(lambda x: tf.nn.avg_pool2d(x, 3, 1, "SAME") * 3.0, [x], ("avg_pool multiply",), rtol=1e-14)

    @pytest.mark.parametrize("dtype", [tf.bfloat16, tf.float16], ids=lambda d: d.name)
    def test_narrow_floats(self, dtype):
        """Narrow floats are rounded between pooling and the next step, as in eager execution."""
        x = normal(2, 6, 6, 32, dtype=dtype)
        function = tf.function(lambda x: tf.nn.avg_pool2d(x, 3, 1, "SAME") * 3.0)
        np.testing.assert_array_equal(function(x), tf.nn.avg_pool2d(x, 3, 1, "SAME") * 3.0)
        assert function.explain().traces[0].native == ("avg_pool multiply",)

    def test_an_operand_that_is_repeated_for_each_image(self):
        x, r = normal(3, 6, 8, 16), normal(3, 4, 16)
        check(lambda x, r: tf.nn.max_pool2d(x, 2, 2, "SAME") + r, [x, r], ("max_pool add",))

    def test_a_residual_and_the_pooled_values_themselves(self):
        x, r = normal(2, 6, 8, 16), normal(2, 3, 4, 16)

        def function(x, r):
            pooled = tf.nn.max_pool2d(x, 2, 2, "SAME")
            return pooled, tf.nn.relu(pooled + r)

        check(function, [x, r], ("max_pool add relu",))

    def test_the_derivative_of_an_activation_after_that_of_pooling(self):
        def gradient(pool):
            def function(x, g):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = tf.reduce_sum(pool(tf.nn.relu(x), 2, 2, "SAME") * g)
                return tape.gradient(y, x)

            return function

        x, g = normal(2, 6, 6, 32), normal(2, 3, 3, 32)
        check(gradient(tf.nn.max_pool2d), [x, g], ("relu", "pool_winner", "pool_place relu_grad"))
        check(gradient(tf.nn.avg_pool2d), [x, g], ("avg_pool_gradient relu relu_grad",))

    def test_single_elements_are_left_to_a_loop_of_vectors(self):
        x = normal(2, 16, 8, 8)
        check(lambda x: tf.nn.relu(tf.nn.max_pool2d(x, 2, 2, "SAME", data_format="NCHW")), [x], ("max_pool", "relu"))


class TestGathers:
    def test_rows(self):
        x, i = normal(50, 40), tf.constant(RANDOM.integers(0, 50, 7), tf.int32)
        check(lambda x, i: tf.tanh(tf.gather(x, i)) * 2.0, [x, i], ("gather tanh multiply",))

    def test_an_embedding_and_its_positions(self):
        x, i = normal(50, 32), tf.constant(RANDOM.integers(0, 50, (4, 7)), tf.int64)
        check(lambda x, i, p: tf.gather(x, i) * 8.0 + p, [x, i, normal(7, 32)], ("gather multiply add",))

    def test_rows_of_each_entry(self):
        x, i = normal(3, 10, 16), tf.constant(RANDOM.integers(0, 10, (3, 4)), tf.int32)
        check(lambda x, i: tf.gather(x, i, batch_dims=1) - 1.0, [x, i], ("gather subtract",))
        check(lambda x, b: tf.gather(x, [1, 0, 5], axis=1) * b, [x, normal(16)], ("gather multiply",))

    def test_several_coordinates(self):
        x, i = normal(5, 6, 24), tf.constant(RANDOM.integers(0, 5, (9, 2)), tf.int32)
        check(lambda x, i: tf.nn.relu(tf.gather_nd(x, i)), [x, i], ("gather_nd relu",))

    @pytest.mark.parametrize("dtype", [tf.float64, tf.bfloat16, tf.int32, tf.int8], ids=lambda d: d.name)
    def test_dtypes(self, dtype):
        x, i = tf.cast(normal(20, 70) * 10.0, dtype), tf.constant(RANDOM.integers(0, 20, 11), tf.int32)
        check(lambda x, i: tf.gather(x, i) * 2 + 1, [x, i], ("gather multiply add",))

    def test_short_rows_are_left_to_a_loop_of_vectors(self):
        x, i = normal(50, 2), tf.constant([3, 1, 4])
        check(lambda x, i: tf.gather(x, i) + 1.0, [x, i], ("gather", "add"))

    def test_an_index_out_of_range_is_an_error(self):
        function = tf.function(lambda x, i: tf.gather(x, i) * 2.0)
        x = normal(5, 32)
        np.testing.assert_array_equal(function(x, tf.constant([4, 0])), tf.gather(x, [4, 0]) * 2.0)
        assert function.explain().traces[0].native == ("gather multiply",)
        with pytest.raises(tf.errors.InvalidArgumentError, match="gather"):
            function(x, tf.constant([4, 5]))


class TestReductions:
    @pytest.mark.parametrize("shape", [(9, 20), (64, 200), (3, 5, 70)])
    def test_rows(self, shape):
        check(
            lambda x, b: tf.nn.relu(tf.reduce_sum(x, -1)) + b,
            [normal(*shape), normal(*shape[:-1])],
            ("reduce_sum relu add",),
        )

    def test_rows_and_an_operand_that_is_repeated(self):
        x = normal(6, 5, 4, 70)
        for b in (normal(4), normal(5, 4), normal(6, 1, 1), normal(6, 1, 4)):
            check(lambda x, b: tf.abs(tf.reduce_max(x, -1) * b), [x, b], ("reduce_max multiply abs",))

    def test_functions_of_few_rows(self):
        check(lambda x: tf.tanh(tf.reduce_mean(x, 1, keepdims=True)), [normal(8, 40)], ("reduce_sum divide tanh",))

    def test_functions_of_many_short_rows_are_left_to_a_loop_of_vectors(self):
        check(lambda x: tf.tanh(tf.reduce_sum(x, 1)), [normal(1000, 40)], ("reduce_sum", "tanh"))

    # One block of rows, several, and columns beyond whole vectors.
    @pytest.mark.parametrize("shape", [(9, 32), (5000, 64), (3000, 37), (7, 3)])
    def test_columns(self, shape):
        check(
            lambda x, b: tf.nn.relu(tf.reduce_sum(x, 0)) * b,
            [normal(*shape), normal(shape[-1])],
            ("reduce_sum relu multiply",),
            rtol=1e-4,
        )

    def test_columns_of_several_matrices(self):
        x = normal(6, 7, 8, 24)
        for b in (normal(24), normal(6, 24), normal(6, 1)):
            check(lambda x, b: tf.tanh(tf.reduce_mean(x, [1, 2])) + b, [x, b], ("reduce_sum divide tanh add",))

    def test_the_sum_itself_is_kept_too(self):
        def function(x, b, axis):
            total = tf.reduce_sum(x, axis)
            return total, total * b

        x = normal(40, 80)
        check(lambda x, b: function(x, b, 0), [x, normal(80)], ("reduce_sum multiply",))
        check(lambda x, b: function(x, b, 1), [x, normal(40)], ("reduce_sum multiply",))

    def test_other_results_of_the_same_loop(self):
        def function(x, b):
            y = tf.exp(x)
            return y, tf.reduce_sum(y, 0) * b

        check(function, [normal(40, 32), normal(32)], ("exp reduce_sum multiply",))

    @pytest.mark.parametrize("dtype", [tf.float64, tf.bfloat16, tf.int32], ids=lambda d: d.name)
    def test_dtypes(self, dtype):
        x = tf.cast(normal(20, 80) * 10.0, dtype)
        for axis in (0, 1):
            check(lambda x, axis=axis: tf.reduce_max(x, axis) * 2 + 1, [x], ("reduce_max multiply add",))

    def test_a_variable_is_updated_where_its_gradient_is_summed(self):
        """The new value is written over the old one, element by element."""
        b = tf.Variable(tf.zeros([32]))

        @tf.function
        def step(x):
            b.assign_sub(0.5 * tf.reduce_sum(x, 0))

        x = normal(300, 32)
        for _ in range(3):
            step(x)
        np.testing.assert_allclose(b, -1.5 * tf.reduce_sum(x, 0), rtol=1e-5, atol=1e-4)
        assert step.explain().traces[0].native == ("reduce_sum multiply subtract",)


def test_a_reshape_of_a_result_that_nobody_else_reads_goes() -> None:
    """The loop runs where the reduction was, since something else reads its other result before; the reshape before the loop has nothing to read
    any more. In tests a verifier looks at the graph."""

    def function(x: Any, w: Any) -> Any:
        first, second = tf.reduce_sum(x, 0), tf.reduce_sum(x * x, 0)
        seen = tf.reshape(first, [1, 1, 16])
        return tf.matmul(tf.reshape(second, [1, 16]), w), tf.exp(seen) * 2.0

    check(function, [normal(32, 16), normal(16, 3)], ("reduce_sum multiply reduce_sum exp multiply", "matmul"))
