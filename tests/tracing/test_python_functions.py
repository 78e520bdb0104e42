"""tf.py_function and tf.numpy_function in functions: results, gradients, order, errors."""

import sys

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([0.5, 0.3])
INVALID = tf.errors.InvalidArgumentError


def traced(function):
    return tf.function(function, autograph=False)


def test_result_and_its_unknown_shape():
    shapes = []

    @traced
    def f(x):
        y = tf.py_function(lambda a: a * 2.0, [x], tf.float32)
        shapes.append(y.shape.rank)
        return y + 1.0

    np.testing.assert_allclose(f(X), 2 * X.numpy() + 1)
    assert shapes == [None]


def test_called_each_time_with_values():
    seen = []
    f = traced(lambda x: tf.py_function(lambda a: seen.append(float(a)) or a, [x], tf.float32))
    f(tf.constant(1.0)), f(tf.constant(2.0))
    assert seen == [1.0, 2.0]


def test_called_even_if_nobody_needs_the_result():
    seen = []
    f = traced(lambda x: (tf.py_function(lambda a: seen.append(1), [x], []), x)[1])
    f(X), f(X)
    assert seen == [1, 1]


def test_order_among_assignments():
    v, seen = tf.Variable(0), []

    @traced
    def f():
        v.assign_add(1)
        tf.py_function(lambda a: seen.append(int(a)), [v], [])
        v.assign_add(10)
        tf.numpy_function(lambda a: seen.append(int(a)), [v], [])

    f(), f()
    assert seen == [1, 11, 12, 22]


@pytest.mark.parametrize("shaped", [True, False])
def test_gradient_inside(shaped):
    @traced
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a**3, [x], tf.float32)
            if shaped:
                y.set_shape([2])
            z = tf.reduce_sum(tf.tanh(y) * x)
        return tape.gradient(z, x)

    x = X.numpy()
    wanted = np.tanh(x**3) + x * (1 - np.tanh(x**3) ** 2) * 3 * x**2
    np.testing.assert_allclose(f(X), wanted, rtol=1e-5)


def test_gradient_outside_calls_the_function_once():
    seen = []
    f = traced(lambda x: tf.reduce_sum(tf.py_function(lambda a: seen.append(1) or a * a, [x], tf.float32)))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    np.testing.assert_allclose(tape.gradient(y, X), 2 * X.numpy())
    assert seen == [1]


def test_several_results():
    f = traced(lambda x: tf.py_function(lambda a: (a * 2.0, a * a), [x], [tf.float32, tf.float32]))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        a, b = f(X)
    np.testing.assert_allclose(tape.gradient(a, X), [2.0, 2.0])
    np.testing.assert_allclose(tape.gradient(b, X), 2 * X.numpy())


def test_wrong_shape_is_found_when_it_runs():
    @traced
    def f(x):
        y = tf.py_function(lambda a: a, [x], tf.float32)
        y.set_shape([3])
        return y

    with pytest.raises(INVALID, match=r"x must have shape \(3,\), got \(2,\)(.|\n)*Graph execution error"):
        f(X)


def test_exceptions_name_the_line():
    def bad(a):
        raise ValueError("unlucky")

    with pytest.raises(
        INVALID, match=r"ValueError: unlucky(.|\n)*test_python_functions.py(.|\n)*Graph execution error"
    ):
        traced(lambda x: tf.py_function(bad, [x], tf.float32))(X)


def test_numpy_function():
    f = traced(lambda x: tf.numpy_function(np.cumsum, [x], tf.float32) * 2.0)
    np.testing.assert_allclose(f(X), 2 * np.cumsum(X.numpy()))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    assert tape.gradient(y, X) is None


def test_what_a_numpy_function_calls_is_not_rewritten():
    def halved(a):
        while a.sum() > 1.0:
            a = a / 2.0
        names.append(sys._getframe().f_code is halved.__code__)
        return a

    names = []

    @tf.function
    def f(x):
        def step(a):
            return halved(a)

        if x[0] > 0.0:
            x = tf.numpy_function(step, [x], tf.float32)
        return x

    np.testing.assert_allclose(f(tf.constant([1.0, 3.0])), [0.25, 0.75])
    assert names == [True]


def test_numpy_function_must_keep_its_promise():
    with pytest.raises(INVALID, match="is float64, but expects float32"):
        traced(lambda x: tf.numpy_function(lambda a: np.float64(2), [x], tf.float32))(X)
    with pytest.raises(INVALID, match="returned 1 values, but Tout names 2"):
        traced(lambda x: tf.numpy_function(lambda a: a, [x], [tf.float32, tf.float32]))(X)


def test_numpy_function_without_state_may_be_shared():
    seen = []
    f = traced(lambda x: tf.numpy_function(lambda a: seen.append(1) or a, [x], tf.float32, stateful=False) * 0.0)
    f(X)
    assert seen == [1]


def test_vectorized_map_over_a_function_with_python_in_it():
    f = traced(lambda x: tf.py_function(lambda a: a * float(a), [x], tf.float32))
    with pytest.warns(UserWarning, match="run one by one"):
        np.testing.assert_allclose(tf.vectorized_map(f, X), X.numpy() ** 2)


def test_in_a_nested_function():
    inner = traced(lambda x: tf.py_function(lambda a: a * a, [x], tf.float32))
    outer = traced(lambda x: tf.reduce_sum(inner(x) * inner(x + 1.0)))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = outer(X)
    x = X.numpy()
    np.testing.assert_allclose(tape.gradient(y, X), 2 * x * (x + 1) ** 2 + x**2 * 2 * (x + 1), rtol=1e-6)


def test_in_a_map_inside_a_function(capsys):
    import sys

    @traced
    def f(xs):
        def one(x):
            tf.print(x, output_stream=sys.stdout)
            tf.debugging.assert_positive(x)
            return x * 2.0

        return tf.vectorized_map(one, xs)

    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
    assert capsys.readouterr().out == "[1 2]\n"
    with pytest.raises(INVALID, match="did not hold"):
        f(tf.constant([1.0, -2.0]))


def test_python_in_a_map_inside_a_function():
    @traced
    def f(xs):
        return tf.vectorized_map(lambda x: tf.ensure_shape(tf.py_function(lambda a: a * a, [x], tf.float32), []), xs)

    with pytest.warns(UserWarning, match="run one by one"):
        found = f(X)
    np.testing.assert_allclose(found, X.numpy() ** 2)
