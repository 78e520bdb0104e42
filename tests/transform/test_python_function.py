"""py_function and numpy_function."""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant(3.0)


def gradient(f, *xs):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return tape.gradient(y, list(xs))


class TestPyFunction:
    def test_differentiable_with_respect_to_its_inputs(self):
        dx, dy = gradient(lambda x, y: tf.py_function(lambda a, b: a * a * b, [x, y], tf.float32), X, tf.constant(5.0))
        assert (float(dx), float(dy)) == (30.0, 9.0)

    def test_inside_a_longer_computation(self):
        (found,) = gradient(lambda x: 2.0 * tf.py_function(lambda a: a * a, [x * x], tf.float32), X)
        assert float(found) == 2.0 * 4.0 * 27.0

    def test_second_order_is_none(self):
        with tf.GradientTape() as outer:
            outer.watch(X)
            (first,) = gradient(lambda x: tf.py_function(lambda a: a * a * a, [x], tf.float32), X)
        assert float(first) == 27.0
        assert outer.gradient(first, X) is None

    def test_numpy_results_have_a_gradient_of_zero(self):
        (found,) = gradient(lambda x: tf.py_function(lambda a: a.numpy() * 2.0, [x], tf.float32), X)
        assert float(found) == 0.0

    def test_integer_results_have_a_gradient_of_zero(self):
        (found,) = gradient(lambda x: tf.py_function(lambda a: tf.cast(a, tf.int32), [x], tf.int32), X)
        assert float(found) == 0.0

    def test_variables_inside_are_watched_and_get_none(self):
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.py_function(lambda a: a * v, [X], tf.float32)
        assert tape.watched_variables() == (v,)
        dx, dv = tape.gradient(y, [X, v])
        assert (float(dx), dv) == (2.0, None)

    def test_a_variable_as_input(self):
        v = tf.Variable(2.0)
        kinds = []
        with tf.GradientTape() as tape:
            y = tf.py_function(lambda a: (kinds.append(type(a)), a * a)[1], [v], tf.float32)
        assert float(tape.gradient(y, v)) == 4.0
        assert kinds == [tf.Tensor]

    def test_persistent_tape(self):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(X)
            y = tf.py_function(lambda a: a * a, [X], tf.float32)
        assert [float(tape.gradient(y, X)) for _ in range(2)] == [6.0, 6.0]

    def test_several_results(self):
        y = tf.py_function(lambda a: (a, 2 * a), [X], [tf.float32, tf.float32])
        assert isinstance(y, list)
        assert [float(t) for t in y] == [3.0, 6.0]

    def test_forms_of_tout(self):
        assert isinstance(tf.py_function(lambda a: a, [X], tf.float32), tf.Tensor)
        assert isinstance(tf.py_function(lambda a: a, [X], [tf.float32]), list)
        assert float(tf.py_function(lambda a: (a,), [X], tf.float32)) == 3.0
        assert tf.py_function(lambda a: None, [X], []) == []

    def test_results_are_converted(self):
        assert tf.py_function(lambda a: np.float64(2.0), [X], tf.float32).dtype is tf.float32
        assert tf.py_function(lambda a: 2.5, [X], tf.float32).dtype is tf.float32
        assert tf.py_function(lambda: "text", [], tf.string).numpy() == b"text"

    def test_wrong_dtype(self):
        with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
            tf.py_function(lambda a: tf.cast(a, tf.float64), [X], tf.float32)

    @pytest.mark.parametrize(
        ("returned", "tout"), [((1.0,), [tf.float32] * 2), (None, tf.float32)], ids=["fewer", "none"]
    )
    def test_wrong_number_of_results(self, returned, tout):
        with pytest.raises(tf.errors.InvalidArgumentError, match="returned"):
            tf.py_function(lambda a: returned, [X], tout)

    def test_more_results_than_dtypes(self):
        assert tf.py_function(lambda a: (1.0,), [X], []) == []
        with pytest.raises(tf.errors.UnknownError, match="names none"):
            tf.py_function(lambda a: 1.0, [X], [])

    @pytest.mark.parametrize(
        ("raised", "wanted"),
        [
            (ValueError, "InvalidArgumentError"),
            (TypeError, "InvalidArgumentError"),
            (ZeroDivisionError, "UnknownError"),
            (StopIteration, "OutOfRangeError"),
            (MemoryError, "ResourceExhaustedError"),
            (NotImplementedError, "UnimplementedError"),
            (KeyError, "UnknownError"),
            (RuntimeError, "UnknownError"),
            (tf.errors.NotFoundError, "UnknownError"),
        ],
    )
    def test_exceptions(self, raised, wanted):
        def fail(a):
            raise raised("mine")

        with pytest.raises(getattr(tf.errors, wanted), match=f"fail raised {raised.__name__}: .?mine") as caught:
            tf.py_function(fail, [X], tf.float32)
        assert type(caught.value) is getattr(tf.errors, wanted)
        assert isinstance(caught.value.__cause__, raised)

    def test_decorator(self):
        @tf.py_function(Tout=tf.float32)
        def double(x):
            return x * 2.0

        assert float(double(X)) == 6.0
        assert double.__name__ == "double"
        assert float(gradient(double, X)[0]) == 2.0

    def test_refuses_what_is_no_function(self):
        with pytest.raises(ValueError, match="to be callable"):
            tf.py_function(3, [X], tf.float32)

    def test_jacobian(self):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a * a, [x], tf.float32)
        assert tape.jacobian(y, x).numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]

    def test_forward_mode(self):
        with tf.autodiff.ForwardAccumulator(X, tf.constant(1.0)) as acc:
            y = tf.py_function(lambda a: a * a, [X], tf.float32)
        assert float(acc.jvp(y)) == 6.0

    def test_map(self):
        xs = tf.constant([1.0, 2.0])
        (found,) = gradient(
            lambda xs: tf.vectorized_map(lambda x: tf.py_function(lambda a: a * a, [x], tf.float32), xs), xs
        )
        assert found.numpy().tolist() == [2.0, 4.0]

    def test_map_that_needs_values_runs_one_by_one(self):
        def f(x):
            return tf.py_function(lambda a: 2.0 * float(a), [x], tf.float32)

        with pytest.warns(UserWarning, match="one by one"):
            found = tf.vectorized_map(f, tf.constant([1.0, 2.0]))
        assert found.numpy().tolist() == [2.0, 4.0]

    def test_explain_names_it(self):
        v = tf.Variable(2.0)

        def inside(a):
            return a * v

        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.py_function(inside, [X], tf.float32)
        assert "py_function" in str(tape.explain(y, v))


class TestNumpyFunction:
    def test_gets_arrays_that_it_may_change(self):
        seen = []

        def f(a, b):
            seen.append((type(a), a.shape, b.dtype))
            b += 1
            return b * a

        b = tf.constant([1, 2])
        assert tf.numpy_function(f, [2, b], tf.int32).numpy().tolist() == [4, 6]
        assert seen == [(np.ndarray, (), np.dtype("int32"))]
        assert b.numpy().tolist() == [1, 2]

    def test_gradient_is_none(self):
        assert gradient(lambda x: tf.numpy_function(lambda a: a * a, [x], tf.float32), X) == [None]

    def test_dtype_is_not_checked(self):
        assert tf.numpy_function(lambda a: a.astype(np.float64), [X], tf.float32).dtype is tf.float64

    def test_forms_of_results(self):
        assert [float(y) for y in tf.numpy_function(lambda a: (a, [a + 1, a + 2]), [X], [tf.float32] * 3)] == [3, 4, 5]
        assert isinstance(tf.numpy_function(lambda a: a, [X], [tf.float32]), tf.Tensor)
        assert tf.numpy_function(lambda a: None, [X], []) is None
        assert float(tf.numpy_function(lambda: 2.5, [], tf.float32)) == 2.5

    @pytest.mark.parametrize(
        "raised", [ValueError, TypeError, KeyError, RuntimeWarning, StopIteration, FloatingPointError]
    )
    def test_exceptions_are_unchanged(self, raised):
        calls = []

        def fail(a):
            calls.append(a)
            raise raised("mine")

        with pytest.raises(raised, match="mine"):
            tf.numpy_function(fail, [X], tf.float32)
        assert len(calls) == 1

    def test_decorator(self):
        @tf.numpy_function(Tout=tf.float32)
        def double(x):
            return x * 2

        assert float(double(X)) == 6.0

    def test_refuses_what_is_no_function(self):
        with pytest.raises(ValueError, match="to be callable"):
            tf.numpy_function(3, [X], tf.float32)

    def test_map_calls_it_for_each_example(self):
        calls = []

        def f(a):
            calls.append(a.shape)
            return a.sum()

        found = tf.vectorized_map(
            lambda x: tf.numpy_function(f, [x], tf.float32), tf.constant([[1.0, 2.0], [3.0, 4.0]])
        )
        assert found.numpy().tolist() == [3.0, 7.0]
        assert calls == [(2,), (2,)]

    def test_explain_names_it(self):
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.numpy_function(np.sin, [X], tf.float32) * 2.0
        assert "numpy_function" in str(tape.explain(y, X))


def test_numpy_function_as_a_decorator_needs_dtypes_and_no_arguments():
    with pytest.raises(TypeError, match="Missing required argument: 'Tout'"):
        tf.numpy_function()
    with pytest.raises(TypeError, match="`inp` argument without a function"):
        tf.numpy_function(inp=[1.0], Tout=tf.float32)
    assert tf.numpy_function(Tout=tf.float32)(lambda x: x + 1)(1.0).numpy() == 2.0


def test_numpy_functions_get_pythons_values_as_numpy_has_them():
    """Ints of 64 bits; tensors keep their dtype."""
    kinds = []
    tf.numpy_function(lambda *xs: kinds.extend(x.dtype.name for x in xs), [3, [1.5], tf.constant(1)], [])
    assert kinds == ["int64", "float64", "int32"]
    assert tf.numpy_function(lambda x: x, [3], tf.int64).dtype == tf.int64
