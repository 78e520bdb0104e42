"""recompute_grad: less memory, the same numbers."""

import tracemalloc

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([0.5, -0.25, 2.0])


def cube(x):
    return x * x * x


def gradient(f, *xs):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return tape.gradient(y, list(xs))


def held(tape):
    """Bytes of the arrays that a tape keeps for its gradient."""
    found = {}

    def look(value, depth=0):
        if isinstance(value, (list, tuple)):
            for item in value:
                look(item, depth)
        elif isinstance(value, tf.Tensor):
            look(value._array)
        elif isinstance(value, np.ndarray):
            found[id(value)] = value.nbytes
        elif callable(value) and depth < 4:
            for cell in getattr(value, "__closure__", None) or ():
                look(cell.cell_contents, depth + 1)
            look([*getattr(value, "args", ())], depth + 1)

    look(tape._recording.saved)
    return sum(found.values())


class TestCalls:
    def test_same_results_and_gradients(self):
        f = tf.recompute_grad(cube)
        np.testing.assert_array_equal(f(X).numpy(), cube(X).numpy())
        np.testing.assert_array_equal(gradient(f, X)[0].numpy(), gradient(cube, X)[0].numpy())

    def test_runs_once_forward_and_once_backward(self):
        calls = []
        f = tf.recompute_grad(lambda x: (calls.append(1), x * x)[1])
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = f(X)
        assert len(calls) == 1
        tape.gradient(y, X)
        assert len(calls) == 2

    def test_wrapped(self):
        f = tf.recompute_grad(cube)
        assert (f.__wrapped__, f.__name__) == (cube, "cube")

    def test_method(self):
        class Layer:
            def __init__(self):
                self.w = tf.Variable(3.0)

            @tf.recompute_grad
            def call(self, x):
                return x * self.w

        layer = Layer()
        with tf.GradientTape() as tape:
            y = layer.call(X)
        assert float(tape.gradient(y, layer.w)) == float(tf.reduce_sum(X))

    def test_keyword_arguments_and_values_that_are_no_tensors(self):
        f = tf.recompute_grad(lambda x, power, scale=1.0, mode=None: scale * x**power if mode is None else x)
        k = tf.constant(2.0)
        dx, dk = gradient(lambda x, k: f(x, 3, scale=k), X, k)
        np.testing.assert_allclose(dx.numpy(), 6.0 * X.numpy() ** 2, rtol=1e-6)
        np.testing.assert_allclose(float(dk), (X.numpy() ** 3).sum(), rtol=1e-6)
        np.testing.assert_array_equal(f(X, 3, mode="plain").numpy(), X.numpy())

    def test_nested_structures(self):
        f = tf.recompute_grad(lambda d: {"sum": d["a"] + d["b"][0], "product": [d["a"] * d["b"][0]]})
        a, b = tf.constant(2.0), tf.constant(5.0)
        result = f({"a": a, "b": [b]})
        assert (float(result["sum"]), float(result["product"][0])) == (7.0, 10.0)
        found = gradient(lambda a, b: f({"a": a, "b": [b]})["product"][0], a, b)
        assert [float(g) for g in found] == [5.0, 2.0]

    def test_unconnected_inputs_get_zeros(self):
        found = gradient(tf.recompute_grad(lambda x, unused: x * 2.0), X, tf.ones([2]))
        assert found[1].numpy().tolist() == [0.0, 0.0]

    def test_integers_among_inputs_and_results(self):
        f = tf.recompute_grad(lambda x, i: (tf.gather(x, i), i + 1))
        with tf.GradientTape() as tape:
            tape.watch(X)
            y, j = f(X, tf.constant([2, 0, 2]))
        assert j.numpy().tolist() == [3, 1, 3]
        assert tf.convert_to_tensor(tape.gradient(y, X)).numpy().tolist() == [1.0, 0.0, 2.0]

    def test_without_a_tape(self):
        assert tf.recompute_grad(lambda x: 3.0)(X).numpy() == 3.0

    def test_refuses_what_is_no_function(self):
        with pytest.raises(TypeError, match="must be a function"):
            tf.recompute_grad(3)

    def test_persistent_tape(self):
        f = tf.recompute_grad(cube)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(X)
            y = f(X)
        first, second = tape.gradient(y, X), tape.gradient(y, X)
        np.testing.assert_array_equal(first.numpy(), second.numpy())


class TestClosures:
    def test_variables(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.recompute_grad(lambda x: x * v * v)(X)
        assert tape.watched_variables() == (v,)
        dx, dv = tape.gradient(y, [X, v])
        np.testing.assert_allclose(dx.numpy(), 9.0)
        np.testing.assert_allclose(float(dv), 6.0 * X.numpy().sum(), rtol=1e-6)

    def test_watched_variables_that_are_not_trainable(self):
        v = tf.Variable(3.0, trainable=False)
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = tf.recompute_grad(lambda x: x * v)(X)
        np.testing.assert_allclose(float(tape.gradient(y, v)), X.numpy().sum())

    def test_tensors(self):
        k = tf.constant(3.0)
        dx, dk = gradient(lambda x, k: tf.recompute_grad(lambda x: x * k * k)(x), X, k)
        np.testing.assert_allclose(dx.numpy(), 9.0)
        np.testing.assert_allclose(float(dk), 6.0 * X.numpy().sum(), rtol=1e-6)

    def test_tensors_computed_before(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            square = v * v
            y = tf.recompute_grad(lambda: square * square)()
        np.testing.assert_allclose(float(tape.gradient(y, v)), 4.0 * 27.0)


class TestExactness:
    def test_variables_are_as_they_were(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.recompute_grad(lambda x: x * v)(X)
        v.assign(100.0)
        np.testing.assert_allclose(tape.gradient(y, X).numpy(), 3.0)
        assert float(v) == 100.0

    def test_what_the_second_run_assigns_is_undone(self):
        count = tf.Variable(0.0, trainable=False)

        def f(x):
            count.assign_add(1.0)
            return x * count

        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.recompute_grad(f)(X)
        count.assign_add(10.0)
        np.testing.assert_allclose(tape.gradient(y, X).numpy(), 1.0)
        assert float(count) == 11.0

    def test_second_run_fails(self):
        v = tf.Variable(3.0)
        runs = []

        def f(x):
            runs.append(1)
            if len(runs) == 2:
                v.assign(7.0)
                raise KeyError("second")
            return x * v

        with tf.GradientTape() as tape:
            y = tf.recompute_grad(f)(X)
        with pytest.raises(KeyError, match="second"):
            tape.gradient(y, v)
        assert float(v) == 3.0

    @pytest.mark.parametrize("draw", ["global", "seeded", "generator"])
    def test_random_numbers_are_drawn_again(self, draw):
        generator = tf.random.Generator.from_seed(1)
        drawn = []

        def f(x):
            noise = {
                "global": lambda: tf.random.normal([3]),
                "seeded": lambda: tf.random.normal([3], seed=4),
                "generator": lambda: generator.normal([3]),
            }[draw]()
            drawn.append(noise.numpy())
            return x * noise

        tf.random.set_seed(3)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.recompute_grad(f)(X)
        between = tf.random.normal([3])
        dx = tape.gradient(y, X)
        np.testing.assert_array_equal(drawn[0], drawn[1])
        np.testing.assert_array_equal(dx.numpy(), drawn[0])
        tf.random.set_seed(3)
        if draw == "global":
            tf.random.normal([3])
        np.testing.assert_array_equal(tf.random.normal([3]).numpy(), between.numpy())

    def test_stream_goes_on_after_the_second_run(self):
        def draws(wrap):
            tf.random.set_seed(3)
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = wrap(lambda x: x * tf.random.normal([3]))(X)
            tape.gradient(y, X)
            return tf.random.normal([3]).numpy()

        np.testing.assert_array_equal(draws(tf.recompute_grad), draws(lambda f: f))


class TestHigherOrders:
    @pytest.mark.parametrize("order", [1, 2, 3])
    def test_pure_function(self, order):
        f = tf.recompute_grad(lambda x: x * x * x * x)

        def derivative(x, n):
            if not n:
                return f(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = derivative(x, n - 1)
            return tape.gradient(y, x)

        wanted = {1: 4.0 * 8.0, 2: 12.0 * 4.0, 3: 24.0 * 2.0}[order]
        np.testing.assert_allclose(float(derivative(tf.constant(2.0), order)), wanted)

    def test_closed_over_variables(self):
        v, x = tf.Variable(3.0), tf.constant(2.0)
        f = tf.recompute_grad(lambda x: x * x * v * v)
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            dx, dv = inner.gradient(y, [x, v])
        assert [float(outer.gradient(dx, s)) for s in (x, v)] == [18.0, 24.0]
        assert [float(outer.gradient(dv, s)) for s in (x, v)] == [24.0, 8.0]

    def test_closed_over_tensors(self):
        k, x = tf.constant(3.0), tf.constant(2.0)
        with tf.GradientTape() as outer:
            outer.watch(k)
            (dx,) = gradient(tf.recompute_grad(lambda x: x * k * k), x)
        assert float(outer.gradient(dx, k)) == 6.0

    def test_nested(self):
        inner = tf.recompute_grad(lambda x: x * x)
        outer = tf.recompute_grad(lambda x: inner(x) * inner(x))
        np.testing.assert_allclose(gradient(outer, X)[0].numpy(), 4.0 * X.numpy() ** 3, rtol=1e-6)

    def test_nested_with_assignments(self):
        count = tf.Variable(0.0, trainable=False)

        def step(x):
            count.assign_add(1.0)
            return x * count

        inner = tf.recompute_grad(step)
        outer = tf.recompute_grad(lambda x: inner(inner(x)))
        np.testing.assert_allclose(gradient(outer, X)[0].numpy(), 2.0)
        assert float(count) == 2.0

    def test_forward_mode(self):
        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            y = tf.recompute_grad(cube)(x)
        assert float(acc.jvp(y)) == 12.0

    def test_backward_over_forward(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
                y = tf.recompute_grad(lambda x: tf.exp(cube(x)))(x)
            tangent = acc.jvp(y)
        wanted = (12.0 + 12.0**2) * np.exp(8.0)
        np.testing.assert_allclose(float(tape.gradient(tangent, x)), wanted, rtol=1e-5)

    def test_forward_over_backward(self):
        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            (first,) = gradient(tf.recompute_grad(cube), x)
        assert float(acc.jvp(first)) == 12.0


class TestBatches:
    def test_jacobian(self):
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.recompute_grad(cube)(X)
        np.testing.assert_allclose(tape.jacobian(y, X).numpy(), np.diag(3.0 * X.numpy() ** 2), rtol=1e-6)

    def test_tape_inside_a_map(self):
        found = tf.vectorized_map(lambda x: gradient(tf.recompute_grad(cube), x)[0], X)
        np.testing.assert_allclose(found.numpy(), 3.0 * X.numpy() ** 2, rtol=1e-6)

    def test_tape_around_a_map(self):
        k = tf.constant(5.0)

        def f(xs, k):
            return tf.vectorized_map(tf.recompute_grad(lambda x: x * x * k), xs)

        dx, dk = gradient(f, X, k)
        np.testing.assert_allclose(dx.numpy(), 10.0 * X.numpy(), rtol=1e-6)
        np.testing.assert_allclose(float(dk), (X.numpy() ** 2).sum(), rtol=1e-6)

    def test_closed_over_examples(self):
        def f(xs):
            def each(x):
                y = x * x
                return tf.recompute_grad(lambda z: z * y)(x)

            return tf.vectorized_map(each, xs)

        np.testing.assert_allclose(gradient(f, X)[0].numpy(), 3.0 * X.numpy() ** 2, rtol=1e-6)


class TestMemory:
    def deep(self, x):
        for _ in range(10):
            x = tf.sin(x) * 1.01
        return x

    def test_a_tape_holds_the_arguments_only(self):
        x = tf.random.normal([1000])

        def holds(f):
            with tf.GradientTape() as tape:
                tape.watch(x)
                f(x)
            return held(tape)

        assert holds(tf.recompute_grad(self.deep)) == x.numpy().nbytes
        assert holds(self.deep) >= 10 * x.numpy().nbytes

    def test_the_peak_is_lower(self):
        x = tf.random.normal([30_000])

        def peak(block):
            tracemalloc.start()
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in range(8):
                    y = block(y)
            tape.gradient(y, x)
            found = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return found

        assert peak(tf.recompute_grad(self.deep)) < 0.4 * peak(self.deep)
