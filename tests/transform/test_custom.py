"""custom_gradient, stop_gradient and grad_pass_through."""

import gc
import weakref

import numpy as np
import pytest

import gradtape as tf


def gradient(f, *xs, **options):
    """The gradients of a function of tensors."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return tape.gradient(y, list(xs), **options)


@tf.custom_gradient
def sevenfold(x):
    """x, with seven times the gradient."""
    return tf.identity(x), lambda dy: 7.0 * dy


@tf.custom_gradient
def softplus(x):
    e = tf.exp(x)
    return tf.math.log(1.0 + e), lambda dy: dy * (1.0 - 1.0 / (1.0 + e))


X = tf.constant(3.0)


class TestForms:
    def test_replaces_the_gradient(self):
        assert float(gradient(lambda x: 2.0 * sevenfold(x) * x, X)[0]) == 2.0 * (7.0 * 3.0 + 3.0)

    def test_decorator_with_parentheses(self):
        @tf.custom_gradient()
        def f(x):
            return x * x, lambda dy: 10.0 * dy

        assert float(gradient(f, X)[0]) == 10.0

    def test_lambda(self):
        f = tf.custom_gradient(lambda x: (x * x, lambda dy: 11.0 * dy))
        assert float(gradient(f, X)[0]) == 11.0

    def test_method_binds_self_which_is_no_input(self):
        class Layer:
            factor = 5.0

            @tf.custom_gradient
            def call(self, x):
                return x * self.factor, lambda dy: dy * self.factor * 2.0

        layer = Layer()
        assert float(layer.call(X)) == 15.0
        assert float(gradient(layer.call, X)[0]) == 10.0
        assert Layer.call.__name__ == "call"

    def test_keeps_name_and_wrapped(self):
        def f(x):
            """The text."""
            return x, lambda dy: dy

        g = tf.custom_gradient(f)
        assert (g.__name__, g.__doc__, g.__wrapped__) == ("f", "The text.", f)

    def test_refuses_what_is_no_function(self):
        with pytest.raises(TypeError, match="must be a function"):
            tf.custom_gradient(3)


class TestResults:
    @pytest.mark.parametrize("returned", [None, X, tf.constant([1.0, 2.0])])
    def test_a_single_value_is_a_type_error(self, returned):
        with pytest.raises(TypeError, match="returned one value"):
            tf.custom_gradient(lambda x: returned)(X)

    def test_three_values_are_a_value_error(self):
        with pytest.raises(ValueError, match=r"must return a pair, .*, got 3 values"):
            tf.custom_gradient(lambda x: (x, x, x))(X)

    def test_gradient_that_cannot_be_called(self):
        with pytest.raises(TypeError, match="unsupported callable"):
            tf.custom_gradient(lambda x: (x, 3))(X)

    def test_result_is_a_new_tensor(self):
        y = tf.custom_gradient(lambda x: (x, lambda dy: 4.0 * dy))(X)
        assert y is not X
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(X)
            y = tf.custom_gradient(lambda x: (x, lambda dy: 4.0 * dy))(X)
        assert float(tape.gradient(y, X)) == 4.0
        assert float(tape.gradient(X, X)) == 1.0

    def test_numpy_and_python_results_become_tensors(self):
        f = tf.custom_gradient(lambda x: ((np.float64(2.0), 3), lambda a, b: tf.cast(a, tf.float32) * 5.0))
        a, b = f(X)
        assert (a.dtype, b.dtype) == (tf.float64, tf.int32)
        assert float(gradient(lambda x: f(x)[0], X)[0]) == 5.0

    def test_nested_results_keep_their_structure(self):
        f = tf.custom_gradient(
            lambda x: ({"b": x, "a": (2.0 * x, [3.0 * x])}, lambda a0, a1, b: a0 + 10.0 * a1 + 100.0 * b)
        )
        result = f(X)
        assert list(result) == ["b", "a"]
        assert isinstance(result["a"], tuple)
        assert isinstance(result["a"][1], list)
        assert float(gradient(lambda x: tf.add_n(tf.nest.flatten(f(x))), X)[0]) == 111.0

    def test_unused_results_get_zeros(self):
        seen = []
        f = tf.custom_gradient(lambda x: ((x, tf.stack([x, x])), lambda a, b: (seen.append(b), a)[1]))
        gradient(lambda x: f(x)[0], X)
        assert seen[0].numpy().tolist() == [0.0, 0.0]

    def test_none_among_results(self):
        with pytest.raises(ValueError, match="None"):
            tf.custom_gradient(lambda x: ((x, None), lambda a, b: a))(X)


class TestInputs:
    def test_nested_inputs_are_flattened(self):
        f = tf.custom_gradient(lambda d: (d["b"] * d["a"][0], lambda dy: (1.0, 2.0)))
        a, b = tf.constant(5.0), tf.constant(7.0)
        found = gradient(lambda a, b: f({"b": b, "a": [a]}), a, b)
        assert [float(g) for g in found] == [1.0, 2.0]

    @pytest.mark.parametrize("returned", [1, 3])
    def test_wrong_number_of_gradients(self, returned):
        f = tf.custom_gradient(lambda x, y: (x * y, lambda dy: [dy] * returned))
        with pytest.raises(ValueError, match=f"expected to return 2 gradients, but returned {returned} instead"):
            gradient(f, X, tf.constant(1.0))

    def test_values_that_are_no_tensors_count_as_inputs(self):
        f = tf.custom_gradient(lambda x, n, s: (x * n, lambda dy: (dy * n, None, None)))
        assert float(gradient(lambda x: f(x, 3.0, "text"), X)[0]) == 3.0
        short = tf.custom_gradient(lambda x, n: (x * n, lambda dy: dy * n))
        with pytest.raises(ValueError, match="expected to return 2 gradients"):
            gradient(lambda x: short(x, 3.0), X)

    def test_python_values_reach_the_function_unchanged(self):
        f = tf.custom_gradient(lambda x, flag: (x if flag is True else -x, lambda dy: (dy, None)))
        assert float(f(X, True)) == 3.0

    def test_inputs_that_are_no_values(self):
        with pytest.raises(ValueError, match="unsupported type"):
            tf.custom_gradient(lambda x, o: (x, lambda dy: (dy, None)))(X, object())

    def test_keyword_arguments_get_no_gradient(self):
        f = tf.custom_gradient(lambda x, k: (x * k, lambda dy: dy * k))
        k = tf.constant(5.0)
        assert [g if g is None else float(g) for g in gradient(lambda x, k: f(x, k=k), X, k)] == [5.0, None]

    def test_no_inputs_leave_the_natural_gradient(self):
        assert float(gradient(lambda x: tf.custom_gradient(lambda: (x * x, lambda dy: ()))(), X)[0]) == 6.0


class TestReturnedGradients:
    def test_none_for_one_input(self):
        f = tf.custom_gradient(lambda x, y: (x * y, lambda dy: (None, dy)))
        found = gradient(f, X, tf.constant(2.0))
        assert found[0] is None
        assert float(found[1]) == 1.0

    def test_shape_is_not_checked(self):
        f = tf.custom_gradient(lambda x: (x, lambda dy: tf.ones([2, 3])))
        assert gradient(f, X)[0].shape == (2, 3)

    @pytest.mark.parametrize("value", [5, 5.0, np.float32(5.0)])
    def test_numbers_become_tensors(self, value):
        f = tf.custom_gradient(lambda x: (x, lambda dy: value))
        found = gradient(f, X)[0]
        assert (float(found), found.dtype) == (5.0, tf.float32)

    @pytest.mark.parametrize("dense_shape", [None, [3, 1]])
    def test_rows(self, dense_shape):
        rows = tf.IndexedSlices(
            tf.constant([[2.0]]), tf.constant([1]), None if dense_shape is None else tf.constant(dense_shape)
        )
        f = tf.custom_gradient(lambda x: (x, lambda dy: rows))
        x = tf.ones([3, 1])
        assert isinstance(gradient(f, x)[0], tf.IndexedSlices)
        assert gradient(lambda x: f(x) + x, x)[0].numpy().ravel().tolist() == [1.0, 3.0, 1.0]

    @pytest.mark.parametrize("kind", [KeyError, ValueError, ZeroDivisionError])
    def test_exceptions_are_unchanged(self, kind):
        def grad(dy):
            raise kind("mine")

        f = tf.custom_gradient(lambda x: (x, grad))
        with pytest.raises(kind, match="mine"):
            gradient(f, X)


class TestVariables:
    def setup_method(self):
        self.v, self.w = tf.Variable(2.0), tf.Variable(5.0)

    def test_grad_fn_must_accept_them(self):
        f = tf.custom_gradient(lambda x: (x * self.v, lambda dy: dy))
        with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
            f(X)

    def test_they_are_passed_and_get_their_gradients(self):
        seen = []

        @tf.custom_gradient
        def f(x):
            def grad(dy, variables=None):
                seen.extend(variables)
                return 10.0 * dy, [dy * (i + 1.0) for i in range(len(variables))]

            return x * self.v * self.w, grad

        with tf.GradientTape() as tape:
            tape.watch(X)
            y = f(X)
        assert tape.watched_variables() == (self.v, self.w)
        dx, dv, dw = tape.gradient(y, [X, self.v, self.w])
        assert float(dx) == 10.0
        assert sorted([float(dv), float(dw)]) == [1.0, 2.0]
        assert {id(s) for s in seen} == {id(self.v), id(self.w)}

    def test_through_keywords(self):
        f = tf.custom_gradient(lambda x: (x * self.v, lambda dy, **kw: (dy, [3.0 * dy] * len(kw["variables"]))))
        with tf.GradientTape() as tape:
            y = f(X)
        assert float(tape.gradient(y, self.v)) == 3.0

    @pytest.mark.parametrize("count", [1, 3])
    def test_one_gradient_for_each(self, count):
        f = tf.custom_gradient(lambda x: (x * self.v * self.w, lambda dy, variables: (dy, [dy] * count)))
        with tf.GradientTape() as tape:
            y = f(X)
        with pytest.raises(ValueError, match="Must return gradient for each variable"):
            tape.gradient(y, self.v)

    def test_gradients_must_be_a_pair(self):
        f = tf.custom_gradient(lambda x: (x * self.v, lambda dy, variables: dy))
        with tf.GradientTape() as tape:
            y = f(X)
        with pytest.raises(TypeError, match="must return two things"):
            tape.gradient(y, self.v)

    def test_not_passed_if_none_was_used(self):
        seen = []
        f = tf.custom_gradient(lambda x: (x * x, lambda dy, **kw: (seen.append(kw), dy)[1]))
        assert float(gradient(f, X)[0]) == 1.0
        assert seen == [{}]

    def test_those_that_are_not_trainable_do_not_count(self):
        fixed = tf.Variable(2.0, trainable=False)
        f = tf.custom_gradient(lambda x: (x * fixed, lambda dy: 9.0 * dy))
        assert float(gradient(f, X)[0]) == 9.0

    def test_as_an_argument_it_is_an_ordinary_input(self):
        f = tf.custom_gradient(lambda v: (v * 2.0, lambda dy: dy * 9.0))
        with tf.GradientTape() as tape:
            y = f(self.v)
        assert tape.watched_variables() == (self.v,)
        assert float(tape.gradient(y, self.v)) == 9.0

    def test_as_a_keyword_argument_it_has_no_gradient(self):
        f = tf.custom_gradient(lambda x, v: (x * v, lambda dy: dy))
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = f(X, v=self.v)
        assert tape.gradient(y, self.v) is None


class TestHigherOrders:
    def test_grad_fn_is_differentiated_through_what_f_computed(self):
        x = tf.constant(0.3)
        with tf.GradientTape() as outer:
            outer.watch(x)
            (first,) = gradient(softplus, x)
        sigmoid = 1.0 / (1.0 + np.exp(-0.3))
        np.testing.assert_allclose(float(first), sigmoid, rtol=1e-6)
        np.testing.assert_allclose(float(outer.gradient(first, x)), sigmoid * (1.0 - sigmoid), rtol=1e-6)

    def test_persistent_tape_in_its_own_block(self):
        x = tf.constant(0.3)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            first = tape.gradient(softplus(x), x)
        sigmoid = 1.0 / (1.0 + np.exp(-0.3))
        np.testing.assert_allclose(float(tape.gradient(first, x)), sigmoid * (1.0 - sigmoid), rtol=1e-6)

    def test_constant_gradient_has_none(self):
        with tf.GradientTape() as outer:
            outer.watch(X)
            (first,) = gradient(sevenfold, X)
        assert outer.gradient(first, X) is None

    def test_second_order_of_its_own(self):
        @tf.custom_gradient
        def f(x):
            @tf.custom_gradient
            def first(x, dy):
                return dy * 3.0 * x * x, lambda ddy: (ddy * 100.0, None)

            return x * x * x, lambda dy: first(x, dy)

        with tf.GradientTape() as outer:
            outer.watch(X)
            (first,) = gradient(f, X)
        assert float(first) == 27.0
        assert float(outer.gradient(first, X)) == 100.0


class TestForwardMode:
    def jvp(self, f, x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = f(x)
        return acc.jvp(y)

    def test_ops_give_their_natural_derivative(self):
        assert float(self.jvp(sevenfold, X)) == 1.0

    def test_opaque_code_is_transposed(self):
        f = tf.custom_gradient(lambda x: (tf.constant(x.numpy() ** 2), lambda dy: dy * 2.0 * x))
        np.testing.assert_allclose(self.jvp(f, tf.constant([1.0, 2.0])).numpy(), [2.0, 4.0])

    def test_backward_over_forward(self):
        x = tf.constant(0.3)
        with tf.GradientTape() as tape:
            tape.watch(x)
            tangent = self.jvp(softplus, x)
        sigmoid = 1.0 / (1.0 + np.exp(-0.3))
        np.testing.assert_allclose(float(tape.gradient(tangent, x)), sigmoid * (1.0 - sigmoid), rtol=1e-5)

    def test_forward_over_backward_takes_the_custom_gradient(self):
        x = tf.constant(2.0)
        f = tf.custom_gradient(lambda x: (x * x, lambda dy: dy * x * x * x))
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            (first,) = gradient(f, x)
        assert float(first) == 8.0
        assert float(acc.jvp(first)) == 12.0


class TestBatches:
    xs = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def test_jacobian(self):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = sevenfold(x * x)
        assert tape.jacobian(y, x).numpy().tolist() == [[14.0, 0.0], [0.0, 28.0]]

    def test_tape_inside_a_map(self):
        found = tf.vectorized_map(lambda x: gradient(lambda x: sevenfold(x) * x, x)[0], self.xs)
        assert found.numpy().tolist() == (8.0 * self.xs.numpy()).tolist()

    def test_tape_around_a_map(self):
        w = tf.constant([2.0, 3.0])

        @tf.custom_gradient
        def scaled(x, w):
            return x * w, lambda dy: (dy * 10.0 * w, dy * 100.0 * x)

        def total(xs, w):
            return tf.vectorized_map(lambda x: tf.reduce_sum(scaled(x, w)), xs)

        dx, dw = gradient(total, self.xs, w)
        np.testing.assert_allclose(dx.numpy(), np.tile([20.0, 30.0], (3, 1)))
        np.testing.assert_allclose(dw.numpy(), 100.0 * self.xs.numpy().sum(0))

    def test_gradients_that_do_not_depend_on_the_example(self):
        w = tf.constant([2.0, 3.0])
        f = tf.custom_gradient(lambda x, w: (x * w, lambda dy: (tf.ones([2]), tf.ones([2]))))
        dx, dw = gradient(lambda xs, w: tf.vectorized_map(lambda x: f(x, w), xs), self.xs, w)
        assert dx.numpy().tolist() == np.ones([3, 2]).tolist()
        assert dw.numpy().tolist() == [3.0, 3.0]

    def test_nested_maps(self):
        ys = tf.constant([10.0, 20.0])
        f = tf.custom_gradient(lambda x, y: (x * y, lambda dy: (dy * 5.0 * y, dy * 7.0 * x)))

        def table(xs, ys):
            return tf.vectorized_map(lambda x: tf.vectorized_map(lambda y: f(x, y), ys), xs)

        xs = tf.constant([1.0, 2.0, 3.0])
        dx, dy = gradient(table, xs, ys)
        assert dx.numpy().tolist() == [150.0] * 3
        assert dy.numpy().tolist() == [42.0] * 2

    def test_second_order_around_a_map(self):
        xs = tf.constant([0.3, 0.5])
        with tf.GradientTape() as outer:
            outer.watch(xs)
            (first,) = gradient(lambda xs: tf.vectorized_map(softplus, xs), xs)
        sigmoid = 1.0 / (1.0 + np.exp(-xs.numpy()))
        np.testing.assert_allclose(first.numpy(), sigmoid, rtol=1e-6)
        np.testing.assert_allclose(outer.gradient(first, xs).numpy(), sigmoid * (1.0 - sigmoid), rtol=1e-5)

    def test_jacobian_around_a_map(self):
        xs = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = tf.vectorized_map(lambda x: sevenfold(x * x), xs)
        assert tape.jacobian(ys, xs).numpy().tolist() == [[14.0, 0.0], [0.0, 28.0]]


def test_nothing_is_kept_after_the_gradient():
    class Big:
        pass

    def cutting(held):
        return tf.custom_gradient(lambda x: (x, lambda dy: None if held else dy))

    big = Big()
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = cutting(big)(X)
    reference = weakref.ref(big)
    del big
    gc.collect()
    assert reference() is not None
    assert tape.gradient(y, X) is None
    gc.collect()
    assert reference() is None


def test_explain_names_a_custom_gradient_that_returns_none():
    @tf.custom_gradient
    def cut(x):
        return x * 2.0, lambda dy: None

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = cut(X)
    assert "cut" in str(tape.explain(y, X))


class TestStopGradient:
    def test_blocks(self):
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * tf.stop_gradient(x)
            z = tf.stop_gradient(x) * 2.0
        assert float(tape.gradient(y, x)) == 3.0
        assert tape.gradient(z, x) is None

    @pytest.mark.parametrize("value", [3, [1.0, 2.0], np.ones(2), tf.Variable(1.0), "text", [X, X]])
    def test_anything_that_converts(self, value):
        found = tf.stop_gradient(value)
        assert isinstance(found, tf.Tensor)
        assert found.dtype is tf.convert_to_tensor(value).dtype

    def test_new_tensor(self):
        assert tf.stop_gradient(X) is not X

    def test_none(self):
        with pytest.raises(ValueError, match="None"):
            tf.stop_gradient(None)

    def test_backward_functions_behind_it_never_run(self):
        calls = []
        f = tf.custom_gradient(lambda x: (x, lambda dy: calls.append(dy)))
        assert gradient(lambda x: tf.stop_gradient(f(x)), X) == [None]
        assert gradient(lambda x: f(tf.stop_gradient(x)), X) == [None]
        assert calls == []

    def test_explain_names_it(self):
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.stop_gradient(X) * 2.0
        assert "stop_gradient" in str(tape.explain(y, X))

    def test_blocks_tangents_and_batches(self):
        with tf.autodiff.ForwardAccumulator(X, tf.constant(1.0)) as acc:
            y = tf.stop_gradient(X)
        assert acc.jvp(y) is None
        assert tf.vectorized_map(tf.stop_gradient, tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]


class TestGradPassThrough:
    def test_identity_backward(self):
        (found,) = gradient(lambda x: 2.0 * tf.grad_pass_through(tf.round)(x), tf.constant(2.6))
        assert float(found) == 2.0

    def test_keyword_arguments(self):
        f = tf.grad_pass_through(lambda x, k: x * k)
        assert float(f(X, k=4.0)) == 12.0
        assert float(gradient(lambda x: f(x, k=4.0), X)[0]) == 1.0

    def test_several(self):
        f = tf.grad_pass_through(lambda a, b: (a * b, a))
        assert [float(g) for g in gradient(f, X, tf.constant(5.0))] == [1.0, 1.0]

    def test_as_many_results_as_arguments(self):
        with pytest.raises(ValueError, match="expected to return 2 gradients, but returned 1"):
            gradient(tf.grad_pass_through(lambda a, b: a * b), X, X)

    def test_variables_inside_get_none(self):
        v = tf.Variable(5.0)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.grad_pass_through(lambda x: x * v)(X)
        dx, dv = tape.gradient(y, [X, v])
        assert (float(dx), dv) == (1.0, None)

    def test_assignment(self):
        v = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.grad_pass_through(v.assign)(X * X)
        assert float(v) == 9.0
        assert float(tape.gradient(y, X)) == 6.0

    def test_refuses_what_is_no_function(self):
        with pytest.raises(TypeError, match="must be a function"):
            tf.grad_pass_through(3)


def test_arguments_of_unknown_rank():
    @tf.custom_gradient
    def doubled(x):
        return 2.0 * x, lambda dy: 100.0 * dy

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = doubled(x)
        return tape.gradient(y, x)

    assert f(tf.ones([2, 1])).numpy().tolist() == [[100.0], [100.0]]


def test_the_function_itself_can_be_found():
    def square(x):
        return x * x, lambda dy: dy * 2 * x

    decorated = tf.custom_gradient(square)
    assert decorated.__wrapped__ is square
    assert decorated.__original_wrapped__ is square
