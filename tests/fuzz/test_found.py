"""What random programs have found: each a small program that went wrong, against plain Python."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.core.op import REGISTRY
from gradtape.testing.fuzz.modes import eagerly


def gradients(f):
    """The gradients of a function as a function."""

    def g(*args):
        with tf.GradientTape() as tape:
            tape.watch(args)
            y = f(*args)
        return tape.gradient(y, args, unconnected_gradients="zero")

    return g


def numbers(*shape, dtype=tf.float32, seed=0):
    return tf.constant(np.random.default_rng(seed).uniform(-2.0, 2.0, shape), dtype)


def agree(got, want, tolerance=1e-5):
    for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        np.testing.assert_allclose(np.asarray(a, np.float64), np.asarray(b, np.float64), rtol=tolerance, atol=tolerance)


def check(f, *args, tolerance=1e-5):
    """A compiled function gives what the function gives."""
    with eagerly():
        want = f(*args)
    agree(tf.function(f)(*args), want, tolerance)


def test_split_with_an_empty_part_alone():
    """The empty part was asked of a node whose other part was the input itself."""
    check(lambda x: tf.split(x * 2.0, [3, 0], axis=1)[1], tf.ones([2, 3]))


def test_equation_that_sums_two_axes_in_another_order():
    """Axes that are merged were taken for two that are exchanged."""
    weights = numbers(4, 17, seed=1)

    def g(x, e):
        with tf.GradientTape() as tape:
            tape.watch(e)
            y = tf.einsum("abcd,e->da", x, e)
        return tape.gradient(y, e, output_gradients=weights)

    check(g, numbers(17, 3, 2, 4), tf.ones([7]), tolerance=1e-4)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_minimum_of_numbers_that_are_rounded_when_stored(dtype):
    """In a fused loop no element was equal to the minimum, and the gradient was 0 / 0."""
    x = tf.constant([[1.0, 2.0, 2.0], [3.0, 3.0, 3.0]], dtype)
    check(gradients(lambda x: tf.reduce_min(x + 0.001, axis=1)), x, tolerance=1e-2)


def test_targets_that_no_tape_knows():
    """Their cotangents, of different shapes, were added up."""
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient([y, tf.ones([2, 3]), tf.ones([7])], x)) == 4.0


def test_loop_that_reads_a_product_in_two_ways():
    """Along rows of one element the largest one is the row itself; the product went into the loop, and was still read."""
    check(lambda x, w: tf.nn.softmax(x @ w, axis=-1), numbers(5, 8, 4), numbers(4, 1, seed=1))


@pytest.mark.parametrize("wrapper", [None, numbers.__code__])
def test_op_that_was_called_through_more_functions_before(monkeypatch, wrapper):
    """The place of the call was looked for at the depth where it was last, below the bottom of the stack."""
    monkeypatch.setattr(REGISTRY["sinh"], "path", (5_000, wrapper))
    assert float(gradients(tf.sinh)(tf.constant(0.0))[0]) == 1.0


class TestFunctions:
    def test_gradient_through_a_function_that_closes_over_arguments(self):
        def f(x, w):
            return tf.function(lambda p: tf.matmul(x, w) * p)(w)

        x, w = numbers(3, 3), numbers(3, 3, seed=1)
        with eagerly():
            want = gradients(f)(x, w)
        agree(gradients(tf.function(f))(x, w), want)

    def test_recomputed_loop_closes_over_arguments(self):
        def f(x, y):
            def inner(p):
                loop = tf.while_loop(
                    lambda i, z: i < 3, lambda i, z: (i + 1, z + tf.reduce_mean(x)), [tf.constant(0), y]
                )
                return p * loop[1]

            return tf.recompute_grad(inner)(y)

        x, y = numbers(2), numbers(2, seed=1)
        with eagerly():
            want = gradients(f)(x, y)
        agree(gradients(tf.function(f))(x, y), want)

    def test_recomputed_function_reads_a_variable_that_is_assigned_after_it(self):
        """It was computed again with the new value."""
        w = tf.Variable([0.5])

        def g(x):
            w.assign([0.5])
            with tf.GradientTape() as tape:
                y = tf.recompute_grad(lambda p: tf.tanh(w) * p)(x)
                w.assign_sub([1.5])
            return tape.gradient(y, w)

        check(g, tf.constant([1.0]))

    def test_gradient_of_a_variable_that_is_read_after_an_assignment_only(self):
        w = tf.Variable([1.0, 2.0])

        def f(x):
            w.assign(x)
            return w * 3.0

        with tf.GradientTape() as tape:
            y = tf.function(f)(tf.constant([4.0, 5.0]))
        assert tape.gradient(y, w).numpy().tolist() == [3.0, 3.0]

    def test_forward_mode_beside_results_that_are_whole_numbers(self):
        @tf.function
        def f(x):
            values, indices = tf.math.top_k(x, k=2)
            return tf.reduce_max(indices), values

        x = tf.constant([1.0, 3.0, 2.0])
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0, 3.0])) as accumulator:
            index, values = f(x)
        assert accumulator.jvp(index) is None
        assert accumulator.jvp(values).numpy().tolist() == [2.0, 3.0]

    def test_cotangent_for_a_target_of_unknown_size(self):
        """The target had one size when it was computed and another one when it was differentiated."""
        ids = tf.constant(np.repeat(np.arange(5), 26))
        cotangent = numbers(5, 8, seed=1)

        def g(x, ids):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.math.segment_min(x, ids)
            return tape.gradient(y, x, output_gradients=cotangent)

        check(g, numbers(130, 8), ids)

    def test_forward_mode_over_unknown_sizes(self):
        @tf.function
        def f(x, ids):
            v = tf.math.segment_sum(x, ids)
            return tf.reduce_mean(tf.square(v - tf.reduce_mean(v)))

        x = tf.constant([1.0, 3.0, 2.0, 4.0, 5.0])
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = f(x, tf.constant([0, 0, 0, 0, 1]))
        assert float(accumulator.jvp(y)) == 7.5

    def test_forward_mode_inside_over_unknown_sizes(self):
        """The tangent of what has no size yet was asked for its size."""

        def f(x, along, ids):
            with tf.autodiff.ForwardAccumulator(x, along) as accumulator:
                y = tf.tanh(tf.math.segment_sum(x, tf.sort(ids)))
                mean = tf.reduce_mean(tf.square(y - tf.reduce_mean(y, axis=0)))
            return accumulator.jvp([y, mean])

        check(f, numbers(3, 5), numbers(3, 5, seed=1), tf.constant([4, 0, 2]))

    def test_one_direction_for_a_value_of_unknown_size(self):
        def f(x, ids):
            y = tf.math.segment_sum(x, ids)
            with tf.autodiff.ForwardAccumulator(y, tf.constant(1.0)) as accumulator:
                z = y * y
            return accumulator.jvp(z)

        check(f, numbers(4), tf.constant([0, 0, 1, 1]))

    def test_forward_mode_at_a_singular_matrix(self):
        """A cotangent that nobody wanted, the third derivative of the determinant, was computed and needs an inverse."""
        x, along = tf.constant([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 1.0]]), numbers(3, 3)

        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.linalg.det(x)
            return tape.gradient(y, x)

        found = []
        for function in (f, tf.function(f)):
            with tf.autodiff.ForwardAccumulator(x, along) as accumulator:
                y = function(x)
            found.append(accumulator.jvp(y))
        agree(found[1], found[0])


class TestLoops:
    def test_condition_on_a_constant(self):
        """`while i < 4` compared an output with () while it looked at the comparison."""

        def f(x):
            i, y = tf.constant(0), x
            while i < 4:
                i, y = i + 1, tf.maximum(y, 0.1)
            return i, y

        check(f, tf.constant([1.0, 2.0]))

    def test_gradient_through_a_loop_without_one(self):
        check(gradients(lambda x: tf.scan(lambda a, b: a, tf.floor(x), initializer=tf.floor(x))), numbers(3))

    @pytest.mark.parametrize("size", [20, 40, 64, 130])
    def test_carried_value_that_is_written_in_parts(self, size):
        """A part is written some bytes after the beginning of the value; it went elsewhere in every second step."""

        def f(x, y):
            def body(i, p, t):
                v = tf.tanh(tf.pad(y, [[1, 2], [1, 1]]))
                return i + 1, tf.tanh(p + 0.01 * tf.reduce_sum(v)), v

            return tf.while_loop(lambda i, p, t: i < 7, body, [tf.constant(0), x, tf.zeros([6, size + 2])])[1:]

        check(f, numbers(7, 5), numbers(3, size, seed=1))
