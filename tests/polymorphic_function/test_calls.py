"""tf.function: what a call does, gives back, draws and makes."""

import numpy as np
import pytest

import gradtape as tf
from tracing.counting import counted


class TestCalls:
    def test_results_keep_their_structure(self):
        f = tf.function(lambda x: {"a": x, "b": [x + 1, None, 3], "c": (np.float32(2.0),)})
        found = f(tf.constant(1.0))
        assert float(found["a"]) == 1.0
        assert [None if y is None else float(y) for y in found["b"]] == [2.0, None, 3.0]
        assert isinstance(found["c"][0], tf.Tensor)

    def test_returned_input_is_a_new_object(self):
        x = tf.constant(1.0)
        assert tf.function(lambda x: x)(x) is not x

    def test_variable_is_returned_as_a_tensor(self):
        v = tf.Variable(2.0)
        assert isinstance(tf.function(lambda: v)(), tf.Tensor)

    def test_other_objects_cannot_be_returned(self):
        with pytest.raises(TypeError, match="found return value of type object"):
            tf.function(lambda: object())()

    def test_defaults_of_parameters_are_passed_at_each_call(self):
        weights, scale = tf.constant([1.0, 2.0]), tf.Variable(3.0)
        f = tf.function(lambda x, weights=weights, scale=scale: x * weights * scale)
        x = tf.constant([1.0, 1.0])
        assert [f(x).numpy().tolist() for _ in range(3)] == [[3.0, 6.0]] * 3
        scale.assign(4.0)
        assert f(x).numpy().tolist() == [4.0, 8.0]
        assert f(x, tf.constant([0.0, 1.0])).numpy().tolist() == [0.0, 4.0]
        assert f(x).numpy().tolist() == [4.0, 8.0]

    def test_side_effects_of_python_happen_once(self):
        seen = []
        f = tf.function(lambda x: seen.append(1) or x)
        f(tf.constant(1.0)), f(tf.constant(2.0))
        assert seen == [1]

    def test_assignments_are_in_program_order(self):
        v = tf.Variable(1.0)

        @tf.function
        def f():
            before = v + 0.0
            v.assign_add(1.0)
            middle = v * 10.0
            v.assign(v * 2.0)
            return before, middle, v.read_value()

        assert [float(y) for y in f()] == [1.0, 20.0, 4.0]
        assert [float(y) for y in f()] == [4.0, 50.0, 10.0]
        assert float(v) == 10.0

    def test_variable_argument_is_assigned(self):
        @tf.function
        def double(v):
            v.assign(v * 2.0)

        a, b = tf.Variable(1.0), tf.Variable([1.0])
        double(a), double(b), double(a)
        assert float(a) == 4.0
        assert b.numpy().tolist() == [2.0]

    def test_functions_in_functions(self):
        inner = tf.function(lambda x: x * x)
        outer, _ = counted(lambda x: inner(x) + inner(x + 1.0))
        assert float(outer(tf.constant(2.0))) == 13.0
        assert inner.experimental_get_tracing_count() == 1

    def test_inner_function_may_assign(self):
        v = tf.Variable(1.0)
        bump = tf.function(lambda: v.assign_add(1.0))

        @tf.function
        def outer():
            bump()
            bump()
            return v * 10.0

        assert float(outer()) == 30.0
        assert float(v) == 3.0

    def test_vectorized_map_inside_and_outside(self):
        f = tf.function(lambda x: tf.reduce_sum(x * x))
        xs = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        assert tf.vectorized_map(f, xs).numpy().tolist() == [5.0, 25.0]
        g = tf.function(lambda xs: tf.vectorized_map(lambda x: tf.reduce_sum(x * x), xs))
        assert g(xs).numpy().tolist() == [5.0, 25.0]

    def test_run_eagerly(self):
        f, traces = counted(lambda x: x)
        tf.config.run_functions_eagerly(True)
        assert tf.config.functions_run_eagerly()
        try:
            f(tf.constant(1.0)), f(tf.constant(1.0))
        finally:
            tf.config.run_functions_eagerly(False)
        assert len(traces) == 2

    def test_status_inside(self):
        seen = []
        tf.function(lambda: seen.append((tf.executing_eagerly(), tf.inside_function())))()
        assert seen == [(False, True)]
        assert (tf.executing_eagerly(), tf.inside_function()) == (True, False)

    def test_not_callable(self):
        with pytest.raises(TypeError, match="3 is not a callable object"):
            tf.function(3)


class TestRandomNumbers:
    def test_each_call_draws_the_eager_stream(self):
        draw = tf.function(lambda: (tf.random.normal([2]), tf.random.uniform([])))
        tf.random.set_seed(5)
        eager = [(tf.random.normal([2]), tf.random.uniform([])) for _ in range(3)]
        tf.random.set_seed(5)
        compiled = [draw() for _ in range(3)]
        for (a, b), (c, d) in zip(eager, compiled, strict=True):
            np.testing.assert_allclose(
                a, c, rtol=1e-6
            )  # the same bits, whose logarithms machine code rounds its own way
            assert float(b) == float(d)

    def test_generator(self):
        generator = tf.random.Generator.from_seed(3)
        draw = tf.function(lambda: generator.normal([2]))
        first, second = draw(), draw()
        assert not np.array_equal(first, second)
        generator.reset_from_seed(3)
        np.testing.assert_array_equal(generator.normal([2]), first)
        np.testing.assert_array_equal(generator.normal([2]), second)


class TestVariablesMadeInside:
    def test_on_the_first_call(self):
        class Layer:
            w = None

            @tf.function
            def __call__(self, x):
                if self.w is None:
                    self.w = tf.Variable(tf.reduce_sum(x) * tf.ones([2]))
                return x * self.w

        layer = Layer()
        assert layer(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 6.0]
        assert layer(tf.constant([1.0, 1.0])).numpy().tolist() == [3.0, 3.0]

    def test_on_every_call_is_refused(self):
        with pytest.raises(ValueError, match=r"only supports singleton tf.Variables created on the first call"):
            tf.function(lambda: tf.Variable(1.0) + 1.0)()
