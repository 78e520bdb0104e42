"""tf.while_loop in functions: values, derivatives of any order, variables, random numbers, nesting, errors in words."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

A, B = np.array([0.1, 0.2]), np.array([0.5, 0.25])


def steps(x, a):
    return tf.while_loop(lambda i, z: i < 5, lambda i, z: (i + 1, tf.sin(z) * a + z * x), [0, x])[1]


def until(x, a):
    return tf.while_loop(lambda z: tf.reduce_sum(z) < 10.0, lambda z: (z * 1.3 + a,), [x])[0]


def by_hand(function, *arguments):
    return function(*[tf.constant(a) for a in arguments])


class TestValues:
    @pytest.mark.parametrize("function", [steps, until])
    def test_same_as_outside(self, function):
        np.testing.assert_allclose(tf.function(function)(A, B), by_hand(function, A, B))

    def test_number_of_steps_depends_on_values(self):
        f = tf.function(lambda n: tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [0, 0])[1])
        assert [int(f(tf.constant(n))) for n in (0, 1, 10)] == [0, 0, 45]
        assert f.experimental_get_tracing_count() == 1

    def test_maximum_iterations(self):
        for most in (3, tf.constant(3)):
            f = tf.function(
                lambda most=most: tf.while_loop(lambda i: True, lambda i: i + 1, [0], maximum_iterations=most)
            )
            assert int(f()[0]) == 3

    def test_structures(self):
        f = tf.function(
            lambda x: tf.while_loop(
                lambda i, d: i < 3,
                lambda i, d: (i + 1, {"a": d["a"] * 2.0, "b": (d["b"][0] + d["a"],)}),
                (0, {"a": x, "b": (x,)}),
            )
        )
        _, found = f(tf.constant(1.0))
        assert (float(found["a"]), float(found["b"][0])) == (8.0, 8.0)

    def test_shape_invariants(self):
        def grow(x):
            return tf.while_loop(
                lambda i, y: i < 3,
                lambda i, y: (i + 1, tf.concat([y, y[:1] * 2.0], 0)),
                [0, x],
                shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
            )[1]

        np.testing.assert_allclose(tf.function(grow)(tf.constant([1.0])), [1.0, 2.0, 2.0, 2.0])

    def test_condition_that_draws_and_assigns(self):
        v = tf.Variable(0)

        @tf.function
        def f():
            def cond(i):
                v.assign_add(1)
                return v < 5

            return tf.while_loop(cond, lambda i: i + 1, [0])[0]

        assert (int(f()), int(v)) == (4, 5)

    def test_options_are_accepted(self):
        f = tf.function(
            lambda: tf.while_loop(
                lambda i: i < 3, lambda i: i + 1, [0], parallel_iterations=4, swap_memory=True, back_prop=True
            )
        )
        assert int(f()[0]) == 3

    def test_back_prop_off(self):
        x = tf.constant(2.0)
        f = tf.function(lambda x: tf.while_loop(lambda z: z < 10.0, lambda z: z * x, [x], back_prop=False)[0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert tape.gradient(y, x) is None

    def test_printed_with_its_blocks(self):
        graph = tf.function(steps).get_concrete_function(tf.constant(A), tf.constant(B)).graph
        text = str(graph)
        assert "    while_loop body = graph()" in text
        assert "loop(" in text


class TestDerivatives:
    @pytest.mark.parametrize("function", [steps, until])
    def test_orders(self, function):
        check_grads(tf.function(function), (A, B), order=2)

    def test_third_order(self):
        check_grads(tf.function(steps), (A, B), order=3, modes=("rev",))

    def test_tape_inside_runs_the_loop_once(self):
        @tf.function
        def f(x, a):
            with tf.GradientTape() as tape:
                tape.watch([x, a])
                y = until(x, a)
            return tape.gradient(y, [x, a])

        x, a = tf.constant(A), tf.constant(B)
        with tf.GradientTape() as tape:
            tape.watch([x, a])
            y = until(x, a)
        for found, wanted in zip(f(x, a), tape.gradient(y, [x, a]), strict=True):
            np.testing.assert_allclose(found, wanted)
        graph = f.get_concrete_function(x, a)._staged.program.program.graph
        plain = graph.plain or graph
        assert sum(node.op.name == "loop" for node in plain.nodes) == 2

    def test_tapes_inside_and_around_the_body(self):
        @tf.function
        def f(x):
            def body(i, z):
                with tf.GradientTape() as tape:
                    tape.watch(z)
                    y = tf.sin(z) * x
                return i + 1, z + tape.gradient(y, z)

            return tf.while_loop(lambda i, z: i < 3, body, [0, x])[1]

        check_grads(f, (0.7,), order=2)

    def test_nested_loops_and_branches(self):
        def f(x, a):
            def body(i, z):
                def inner():
                    return tf.while_loop(lambda j, w: j < i, lambda j, w: (j + 1, tf.sin(w) + a * z), [0, z])[1]

                return i + 1, tf.cond(tf.reduce_sum(z) > 1.0, lambda: z * a, inner)

            return tf.while_loop(lambda i, z: i < 4, body, [0, x])[1]

        x, a = np.array([0.3, 0.4]), np.array([0.5, 0.7])
        np.testing.assert_allclose(tf.function(f)(x, a), by_hand(f, x, a))
        check_grads(tf.function(f), (x, a), order=2)

    def test_varying_shapes(self):
        def f(x):
            y = tf.while_loop(
                lambda i, y: i < 3,
                lambda i, y: (i + 1, tf.concat([y * y, x], 0)),
                [0, x],
                shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
            )[1]
            return tf.reduce_sum(y)

        check_grads(tf.function(f), (np.array([0.5, 1.5]),), order=1, modes=("rev",))

    def test_no_step_at_all(self):
        f = tf.function(lambda x: tf.while_loop(lambda z: z < 0.0, lambda z: z * x, [x])[0])
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(tape.gradient(y, x)) == 1.0

    def test_custom_gradient_in_the_body(self):
        @tf.custom_gradient
        def doubled(x):
            return x * 1.0, lambda dy: 2.0 * dy

        f = tf.function(lambda x: tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, doubled(z)), [0, x])[1])
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(tape.gradient(y, x)) == 8.0

    def test_keeps_only_what_the_derivative_reads(self):
        @tf.function
        def f(x, w):
            with tf.GradientTape() as tape:
                tape.watch(x)
                z = tf.while_loop(lambda i, z: i < 9, lambda i, z: (i + 1, z + tf.matmul(x, tf.exp(w))), [0, x])[1]
            return tape.gradient(z, x)

        x, w = tf.ones([2, 2]), tf.ones([2, 2])
        graph = f.get_concrete_function(x, w)._staged
        f(x, w)
        plain = graph.program.program.graph.plain or graph.program.program.graph
        stacked = [
            v.spec.shape for n in plain.nodes if n.op.name == "loop" for v in n.outputs if len(v.spec.shape) == 3
        ]
        assert stacked == []  # exp(w) is the same in all steps, and nothing else is read

    def test_loop_connects_its_values_as_a_whole(self):
        f = tf.function(
            lambda x, y: tf.while_loop(lambda i, a, b: i < 2, lambda i, a, b: (i + 1, a * 2.0, b * 3.0), [0, x, y])
        )
        x, y = tf.constant(1.0), tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            _, a, _ = f(x, y)
        assert [float(d) for d in tape.gradient(a, [x, y])] == [4.0, 0.0]


class TestState:
    def test_variables_are_carried(self):
        v = tf.Variable(2.0, dtype=tf.float64)

        def f(x):
            def body(i, a):
                v.assign_add(1.0)
                return i + 1, a * v

            return tf.while_loop(lambda i, a: i < 3, body, [0, x])[1]

        found = []
        for g in (f, tf.function(f)):
            v.assign(2.0)
            x = tf.constant(1.5, tf.float64)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = g(x)
            found.append([float(t) for t in (y, v, *tape.gradient(y, [x, v]))])
        assert found[0] == found[1]

    def test_variables_change_places(self):
        v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])

        @tf.function
        def f(n):
            for _ in tf.range(n):
                before = v.read_value()
                v.assign(w)
                w.assign(before)
            return v.read_value()

        assert f(tf.constant(3)).numpy().tolist() == [3.0, 4.0]
        assert w.numpy().tolist() == [1.0, 2.0]

    def test_variables_that_are_only_read(self):
        v = tf.Variable([0.3, 0.4], dtype=tf.float64)
        f = tf.function(lambda x: tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, tf.sin(z) * v), [0, x])[1])
        x = tf.constant(A)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(f(x))
        assert [w is v for w in tape.watched_variables()] == [True]
        np.testing.assert_allclose(tape.gradient(y, v), _gradient_of(x, v))

    def test_random_numbers_differ_from_step_to_step(self):
        def f():
            return tf.map_fn(lambda i: tf.random.normal([]), tf.zeros([4]))

        tf.random.set_seed(5)
        inside = tf.function(f)()
        tf.random.set_seed(5)
        np.testing.assert_allclose(inside, f(), rtol=1e-6)
        assert len(set(inside.numpy().tolist())) == 4

    def test_argument_variables(self):
        @tf.function
        def f(v):
            tf.while_loop(lambda i: i < 3, lambda i: (v.assign_add(1.0), i + 1)[1], [0])
            return v + 0.0

        a, b = tf.Variable(1.0), tf.Variable(10.0)
        assert (float(f(a)), float(f(b)), float(a), float(b)) == (4.0, 13.0, 4.0, 13.0)


def _gradient_of(x, v):
    with tf.GradientTape() as tape:
        z = x
        for _ in range(3):
            z = tf.sin(z) * v
        y = tf.reduce_sum(z)
    return tape.gradient(y, v)


class TestErrors:
    def test_shape_changes(self):
        with pytest.raises(
            ValueError, match=r"enters the loop with shape \(1,\), but has shape \(2,\) after one iteration"
        ):
            tf.function(lambda x: tf.while_loop(lambda x: True, lambda x: tf.concat([x, x], 0), [x]))(
                tf.constant([1.0])
            )

    def test_dtype_changes(self):
        with pytest.raises(TypeError, match="dtype int32, but has dtype float32 after one iteration"):
            tf.function(lambda: tf.while_loop(lambda i: True, lambda i: tf.cast(i, tf.float32), [0]))()

    def test_structure_changes(self):
        with pytest.raises((TypeError, ValueError), match=r"number of elements|structure"):
            tf.function(lambda: tf.while_loop(lambda i, j: True, lambda i, j: (i, j, 1), [0, 0]))()

    def test_invariant_does_not_fit(self):
        with pytest.raises(ValueError, match="not compatible with the initial shape"):
            tf.function(
                lambda x: tf.while_loop(lambda x: True, lambda x: x, [x], shape_invariants=[tf.TensorShape([3])])
            )(tf.constant([1.0]))

    def test_line_of_an_error_in_the_body(self):
        @tf.function
        def f(x, i):
            return tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, tf.gather(x, i + j)), [0, x[0]])[1]

        with pytest.raises(tf.errors.InvalidArgumentError, match=r"test_loops\.py"):
            f(tf.constant([1.0, 2.0]), tf.constant(5))


def test_a_function_that_waits_for_values_in_a_loop_of_known_length():
    """It has no rule for batches, which loop fission asks for."""

    @tf.function
    def f(x, n):
        total = tf.zeros([])
        for i in tf.range(3):
            total += tf.reduce_sum(tf.roll(x, n, 0) * tf.cast(tf.range(3) + i, tf.float32))
        return total

    rolled = np.roll([1.0, 2.0, 3.0], 7)
    expected = sum(np.sum(rolled * (np.arange(3) + i)) for i in range(3))
    assert f(tf.constant([1.0, 2.0, 3.0]), tf.constant(7)).numpy() == expected
