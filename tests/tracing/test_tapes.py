"""Tapes and functions: inside, outside, both; to any order; with custom gradients, sparse gradients and accumulators."""

import numpy as np
import pytest

import gradtape as tf


def close(found, wanted):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=1e-5, atol=1e-6)


def objective(x, w):
    return tf.reduce_sum(tf.tanh(x * w) ** 2 + x * w)


X, W = tf.constant([0.1, 0.5, -0.3]), tf.Variable([1.0, 2.0, 0.5])


def derivatives(function):
    """The first three derivatives along a fixed direction, by x and by w."""
    with tf.GradientTape() as third:
        third.watch(X)
        with tf.GradientTape() as second:
            second.watch(X)
            with tf.GradientTape() as first:
                first.watch(X)
                y = function(X, W)
            g = first.gradient(y, [X, W])
            s = tf.reduce_sum(g[0] * g[0]) + tf.reduce_sum(g[1] * g[1])
        h = second.gradient(s, [X, W])
        t = tf.reduce_sum(h[0] * h[0]) + tf.reduce_sum(h[1] * h[1])
    return [*g, *h, *third.gradient(t, [X, W])]


def test_tapes_outside_to_third_order():
    for found, wanted in zip(derivatives(tf.function(objective)), derivatives(objective), strict=True):
        close(found, wanted)


def test_tape_inside():
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = objective(x, W)
        return tape.gradient(y, [x, W])

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = objective(X, W)
    for found, wanted in zip(gradient(X), tape.gradient(y, [X, W]), strict=True):
        close(found, wanted)


def test_tape_inside_and_outside():
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3)
        return tape.gradient(y, x)

    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = slope(x)
    close(tape.gradient(y, x), [12.0, 18.0])


def test_nested_tapes_inside():
    @tf.function
    def curvature(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.sin(x))
            g = inner.gradient(y, x)
        return outer.gradient(g, x)

    close(curvature(X), -np.sin(X.numpy()))


def test_captured_variables_are_watched_and_listed():
    used, unused = tf.Variable(2.0), tf.Variable(3.0)
    f = tf.function(lambda x: (x * used, unused + 0.0)[0])
    with tf.GradientTape() as tape:
        y = f(tf.constant(4.0))
    assert float(tape.gradient(y, used)) == 4.0
    assert tape.watched_variables() == (used, unused)


def test_captured_constant_can_be_watched():
    c = tf.constant(3.0)
    f = tf.function(lambda x: x * c * c)
    f(tf.constant(1.0))
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(tf.constant(2.0))
    assert float(tape.gradient(y, c)) == 12.0


def test_connectivity_is_decided_for_the_whole_call():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    f = tf.function(lambda a, b: (2.0 * a, 3.0 * b))
    with tf.GradientTape() as tape:
        first, _ = f(a.read_value(), b.read_value())
    assert float(tape.gradient(first, b)) == 0.0


def test_argument_that_reaches_nothing_has_no_gradient():
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    f = tf.function(lambda x, y: (x * 2.0, tf.stop_gradient(y)))
    with tf.GradientTape() as tape:
        z, _ = f(x.read_value(), y.read_value())
    assert tape.gradient(z, y) is None


def test_custom_gradient_is_used_from_inside_and_outside():
    @tf.custom_gradient
    def clipped(x):
        return x * 1.0, lambda dy: dy * 100.0

    f = tf.function(lambda x: clipped(x) * 2.0)
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = f(x.read_value())
    assert float(tape.gradient(y, x)) == 200.0

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clipped(x)
        return tape.gradient(y, x)

    assert float(inside(tf.constant(1.0))) == 100.0


def test_rows_of_an_embedding_in_a_training_step():
    table = tf.Variable(np.ones((5, 2), np.float32))

    @tf.function
    def step(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids) ** 2)
        g = tape.gradient(loss, table)
        table.assign_sub(0.1 * tf.convert_to_tensor(g))
        return loss

    assert float(step(tf.constant([1, 1, 3]))) == 6.0
    close(table[:, 0], [1.0, 0.6, 1.0, 0.8, 1.0])


def test_gradient_of_a_function_that_calls_one():
    inner = tf.function(lambda x: x * x)
    outer = tf.function(lambda x: tf.reduce_sum(inner(x) * inner(x)))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = outer(X)
    close(tape.gradient(y, X), 4 * X.numpy() ** 3)


def test_jacobian_through_a_function():
    f = tf.function(lambda x: tf.sin(x) * tf.reduce_sum(x))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    x = X.numpy()
    close(tape.jacobian(y, X), np.diag(np.cos(x)) * x.sum() + np.sin(x)[:, None])


def test_jacobian_inside_a_function():
    @tf.function
    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * tf.reduce_sum(x)
        return tape.jacobian(y, x)

    x = X.numpy()
    close(jacobian(X), np.diag(np.cos(x)) * x.sum() + np.sin(x)[:, None])


def test_forward_accumulator_outside_and_inside():
    f = tf.function(lambda x: tf.reduce_sum(tf.sin(x)))
    with tf.autodiff.ForwardAccumulator(X, tf.ones(3)) as accumulator:
        y = f(X)
    close(accumulator.jvp(y), np.cos(X.numpy()).sum())

    @tf.function
    def tangent(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones(3)) as accumulator:
            y = tf.reduce_sum(tf.sin(x))
        return accumulator.jvp(y)

    close(tangent(X), np.cos(X.numpy()).sum())


def test_persistent_tape_over_a_function():
    f = tf.function(lambda x: (x * x, x * 3.0))
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        a, b = f(x.read_value())
    assert (float(tape.gradient(a, x)), float(tape.gradient(b, x))) == (4.0, 3.0)


def test_tape_that_leaks_out_is_an_error():
    tapes = []

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tapes.append((tape, y, x))
        return y

    f(tf.constant(1.0))
    tape, y, x = tapes[0]
    with pytest.raises(TypeError, match="out of scope"):
        tape.gradient(y, x)


def test_recompute_grad_inside():
    dense = tf.recompute_grad(lambda x: tf.tanh(x * W))
    f = tf.function(lambda x: tf.reduce_sum(dense(x)))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    found = tape.gradient(y, [X, W])
    t = np.tanh(X.numpy() * W.numpy())
    close(found[0], (1 - t * t) * W.numpy())
    close(found[1], (1 - t * t) * X.numpy())


def traced(function):
    return tf.function(function, autograph=False)


class TestBoundaries:
    def test_variables_that_are_not_trainable_must_be_watched(self):
        v = tf.Variable(2.0, trainable=False)
        f = traced(lambda x: x * v)
        with tf.GradientTape() as tape:
            y = f(tf.constant(3.0))
        assert tape.gradient(y, v) is None
        assert tape.watched_variables() == ()
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = f(tf.constant(3.0))
        assert float(tape.gradient(y, v)) == 3.0

    def test_function_that_stops_everything_has_no_gradient(self):
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = traced(lambda x: tf.stop_gradient(x * 2.0))(x)
        assert tape.gradient(y, x) is None

    def test_integer_output_beside_a_float_has_a_gradient_of_zero(self):
        x = tf.Variable(1.0)
        f = traced(lambda x: (x * 2.0, tf.cast(x, tf.int32)))
        with tf.GradientTape() as tape:
            _, y = f(x)
        assert float(tape.gradient(y, x)) == 0.0

    def test_argument_that_reaches_no_float_has_no_gradient(self):
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = traced(lambda x: tf.cast(x, tf.int32))(x)
        assert tape.gradient(y, x) is None

    def test_tensor_computed_under_the_tape_is_captured(self):
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            h = x * x
            y = traced(lambda: h * h)()
        assert float(tape.gradient(y, x)) == 4 * 27.0

    def test_second_order_through_a_captured_tensor(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                h = x * x
                y = traced(lambda: tf.sin(h) * h)()
            g = inner.gradient(y, x)
        found = outer.gradient(g, x)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.sin(x * x) * (x * x)
            g = inner.gradient(y, x)
        close(found, outer.gradient(g, x))


class TestTapesThatCrossTheBoundary:
    def test_tape_as_an_argument(self):
        @traced
        def f(tape, x):
            with tape:
                tape.watch(x)
                y = x * x
            return tape.gradient(y, x)

        assert float(f(tf.GradientTape(), tf.constant(3.0))) == 6.0

    def test_watching_an_argument_with_a_tape_outside_has_no_effect(self):
        @traced
        def f(tape, x):
            tape.watch(x)
            return x * x

        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            y = f(tape, x)
        assert tape.gradient(y, x) is None

    def test_gradient_of_a_tape_outside_is_captured(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = v * v
        f = traced(lambda x: x * tape.gradient(y, v))
        assert float(f(tf.constant(2.0))) == 12.0

    def test_body_is_not_traced_again_under_tapes(self):
        f = traced(lambda x: x * x)
        x = tf.constant(2.0)
        f(x)
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            inner.watch(x)
            outer.watch(x)
            y = f(x)
        inner.gradient(y, x), outer.gradient(y, x)
        assert f.experimental_get_tracing_count() == 1


class TestOtherTransformations:
    def test_custom_gradient_under_vectorized_map(self):
        @tf.custom_gradient
        def clipped(x):
            return x * 1.0, lambda dy: dy * 100.0

        f = traced(lambda x: clipped(x) * 2.0)
        g = traced(lambda x: f(x) + 0.0)
        xs = tf.constant([1.0, 2.0])

        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = g(x)
            return tape.gradient(y, x)

        close(tf.vectorized_map(slope, xs), [200.0, 200.0])
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = tf.vectorized_map(g, xs)
        close(tape.gradient(y, xs), [200.0, 200.0])

    def test_forward_and_reverse_mixed(self):
        f = traced(lambda x: tf.reduce_sum(tf.sin(x) * x**2))
        x, ones = X.numpy(), tf.ones(3)
        second = -np.sin(x) * x**2 + 4 * x * np.cos(x) + 2 * np.sin(x)
        with tf.autodiff.ForwardAccumulator(X, ones) as accumulator:
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = f(X)
            g = tape.gradient(y, X)
        close(accumulator.jvp(g), second)
        with tf.GradientTape() as tape:
            tape.watch(X)
            with tf.autodiff.ForwardAccumulator(X, ones) as accumulator:
                y = f(X)
            tangent = accumulator.jvp(y)
        close(tape.gradient(tangent, X), second)

    def test_batch_jacobian(self):
        f = traced(lambda x: x * x * tf.reduce_sum(x, 1, keepdims=True))
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        close(tape.batch_jacobian(y, x), [[[7.0, 1.0], [4.0, 16.0]], [[51.0, 9.0], [16.0, 72.0]]])

    def test_batch_jacobian_of_a_batch_of_any_size(self):
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x[:, :, None] * x[:, None, :]
            return tape.batch_jacobian(y, x)

        concrete = traced(f).get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
        x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        close(concrete(x), f(x))
        assert concrete.structured_outputs.shape.as_list() == [None, 2, 2, 2]

    def test_jacobian_of_any_size(self):
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.sin(x)
            return tape.jacobian(y, x)

        concrete = traced(f).get_concrete_function(tf.TensorSpec([None], tf.float32))
        close(concrete(tf.constant([0.0, 1.0])), [[1.0, 0.0], [0.0, np.cos(1.0)]])

    def test_vectorized_map_inside_of_any_size(self):
        f = traced(lambda xs: tf.vectorized_map(lambda x: tf.reduce_sum(x * x), xs))
        concrete = f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
        close(concrete(tf.constant([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])), [5.0, 25.0, 1.0])

    def test_maps_and_jacobians_of_functions_of_any_size(self):
        f = traced(lambda x: tf.expand_dims(x, 0) * tf.reduce_sum(x))
        concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
        xs = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        close(tf.vectorized_map(concrete, xs), [[[3.0, 6.0]], [[21.0, 28.0]]])
        x = xs[0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = concrete(x)
        close(tape.jacobian(y, x), [[[4.0, 1.0], [2.0, 5.0]]])


def test_third_order_of_a_function_of_any_size():
    general = traced(lambda x, w: objective(tf.reshape(x, [-1]), w))
    concrete = general.get_concrete_function(tf.TensorSpec([None], tf.float32), W)
    for found, wanted in zip(derivatives(lambda x, w: concrete(x, w)), derivatives(objective), strict=True):
        close(found, wanted)


def test_training_step_with_batches_of_any_size():
    w, b = tf.Variable(tf.zeros([3, 2])), tf.Variable(tf.zeros([2]))

    def step(x, labels):
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, w) + b
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(losses) + 0.1 * tf.nn.l2_loss(w)
        for v, g in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            v.assign_sub(0.5 * g)
        return loss

    signature = [tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None], tf.int32)]
    compiled = tf.function(step, input_signature=signature, autograph=False)
    rng = np.random.default_rng(0)
    batches = [(rng.normal(size=(n, 3)).astype(np.float32), rng.integers(0, 2, n).astype(np.int32)) for n in (4, 1, 7)]
    results = []
    for run in (step, compiled):
        w.assign(tf.zeros([3, 2])), b.assign(tf.zeros([2]))
        results.append([float(run(tf.constant(x), tf.constant(y))) for x, y in batches])
    np.testing.assert_allclose(*results, rtol=1e-5)
    assert compiled.experimental_get_tracing_count() == 1


def test_jacobian_of_a_function_in_a_function_that_takes_a_tensor_twice():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.function(lambda a, b: a)(x, x)
        return tape.jacobian(y, x)

    assert float(tf.function(f)(tf.constant(1.0))) == 1.0


def test_nothing_is_derived_for_tapes_that_watch_no_input():
    @tf.custom_gradient
    def guarded(x):
        def grad(_):
            raise AssertionError("derived")

        return x, grad

    function, x = tf.function(lambda x: guarded(x)), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(tf.stop_gradient(x))
    assert tape.gradient(y, x) is None
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as forward:
        y = function(tf.constant(2.0))
    assert forward.jvp(y) is None
    with tf.GradientTape() as tape, pytest.raises(AssertionError, match="derived"):
        tape.gradient(function(tf.Variable(1.0)), x)


def test_a_function_inside_another_one_is_derived_only_where_its_gradient_is_asked_for():
    asked = []

    @tf.custom_gradient
    def cube(x):
        def grad(dy):
            asked.append(dy)
            return dy * 3.0 * x * x

        return x * x * x, grad

    inner = tf.function(lambda x, w: tf.reduce_sum(cube(tf.tanh(x * w)) * x))
    middle = tf.function(lambda x, w: inner(x, w) + 1.0)
    outer = tf.function(lambda x, w: middle(x, w) * 2.0)

    def plain(x, w):
        return 2.0 * tf.reduce_sum(tf.tanh(x * w) ** 3.0 * x) + 2.0

    x, w = tf.constant([0.5, -0.7]), tf.constant([1.1, 0.3])
    close(outer(x, w), plain(x, w))
    assert asked == []

    def derived(f):
        with tf.GradientTape() as second:
            second.watch([x, w])
            with tf.GradientTape() as first:
                first.watch(x)
                y = f(x, w)
            dx = first.gradient(y, x)
        return [dx, *second.gradient(dx, [x, w])]

    wanted = derived(plain)
    for found in (derived(outer), tf.function(lambda: derived(outer))()):
        for a, b in zip(found, wanted, strict=True):
            close(a, b)
    assert asked


def test_a_gradient_that_fails_does_not_keep_a_function_from_being_called_in_another_one():
    @tf.custom_gradient
    def one_way(x):
        def grad(dy):
            raise ValueError("one way only")

        return 2.0 * x, grad

    inner = tf.function(lambda x: one_way(x))
    outer = tf.function(lambda x: inner(x) + 1.0)
    x = tf.constant(1.0)
    assert outer(x).numpy() == 3.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(ValueError, match="one way only"):
            outer(x)


def test_random_numbers_of_a_function_inside_another_one_are_drawn_once():
    generator = tf.random.Generator.from_seed(3)

    @tf.custom_gradient
    def cube(x):
        return x * x * x, lambda dy: dy * 3.0 * x * x

    @tf.function
    def inner(x):
        r = generator.normal([2])
        return tf.reduce_sum(cube(r * x)), r

    @tf.function
    def outer(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, r = inner(x)
        return tape.gradient(y, x), r

    x = tf.constant([2.0, 3.0])
    found, r = outer(x)
    close(found, 3.0 * r**3 * x**2)


@pytest.mark.parametrize("kind", ["branch", "loop"])
def test_custom_gradients_in_branches_and_loops_run_where_the_gradient_is_asked_for(kind):
    """In a function inside another one, too."""
    runs = []

    @tf.custom_gradient
    def square(x):
        y = tf.sin(x)

        def gradient(dy):
            runs.append(1)
            return dy * 3.0 * y

        return x * x, gradient

    @tf.function
    def inner(x):
        if kind == "branch":
            return tf.cond(x > 0.0, lambda: square(x), lambda: x)
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, square(y)), [0, x])[1]

    @tf.function
    def outer(x):
        return 2.0 * inner(x)

    x = tf.constant(0.5)
    outer(x)
    assert not runs
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x)
    slope = 3.0 * np.sin(0.5)
    close(tape.gradient(y, x), 2.0 * slope if kind == "branch" else 2.0 * slope * 3.0 * np.sin(0.25))
