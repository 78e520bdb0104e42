"""Derivatives where functions have corners, poles and jumps, and far from 0."""

import numpy as np
import pytest

import gradtape as tf

INF, NAN = np.inf, np.nan


def gradients(function, *points, weights=None):
    """The derivatives of a function with respect to each argument."""
    xs = [tf.constant(p) for p in points]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = function(*xs)
    found = tape.gradient(y, xs, output_gradients=weights)
    return [None if d is None else np.asarray(d).tolist() for d in found]


def derivatives(function, points, dtype="float32"):
    """The value, the first and the second derivative of an elementwise function, by tapes, as float64."""
    x = tf.constant(points, dtype)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    return [np.asarray(t).astype(np.float64) for t in (y, first, second)]


@pytest.mark.parametrize(
    ("function", "point", "slope"),
    [
        (tf.nn.relu, [0.0, -0.0], [0.0, 0.0]),
        (tf.nn.relu6, [0.0, 6.0, 3.0], [0.0, 0.0, 1.0]),
        (tf.nn.leaky_relu, [0.0], [pytest.approx(0.2)]),
        (lambda x: tf.nn.leaky_relu(x, alpha=3.0), [0.0, -1.0, 1.0], [3.0, 3.0, 1.0]),
        (tf.nn.elu, [0.0], [1.0]),
        (tf.nn.selu, [0.0], [pytest.approx(1.0507, rel=1e-4)]),
        (tf.nn.softsign, [0.0], [1.0]),
        (tf.abs, [0.0, -2.0], [0.0, -1.0]),
        (tf.abs, [0j, 3 + 4j], [0j, pytest.approx(0.6 + 0.8j)]),
        (tf.sign, [0.0, 2.0], [0.0, 0.0]),
        (tf.sqrt, [0.0], [INF]),
        (tf.math.rsqrt, [0.0], [-INF]),
        (tf.math.log, [0.0], [INF]),
        (tf.math.log1p, [-1.0], [INF]),
        (tf.math.reciprocal, [0.0], [-INF]),
        (tf.acos, [1.0], [-INF]),
        (tf.asin, [1.0], [INF]),
        (tf.acosh, [1.0], [INF]),
        (tf.atanh, [1.0], [INF]),
        (lambda x: x**2, [0.0], [0.0]),
        (lambda x: x**0.5, [0.0], [INF]),
        (lambda x: x**0, [0.0, 2.0], [NAN, 0.0]),
        (lambda x: x**1, [0.0], [1.0]),
    ],
)
def test_derivative_at_an_edge(function, point, slope):
    (found,) = gradients(function, point)
    assert found == [s if s == s else pytest.approx(NAN, nan_ok=True) for s in slope]


@pytest.mark.parametrize(
    ("function", "points", "slopes"),
    [
        (tf.maximum, (1.0, 1.0), (1.0, 0.0)),
        (tf.minimum, (1.0, 1.0), (1.0, 0.0)),
        (tf.maximum, (NAN, 1.0), (0.0, 1.0)),
        (tf.pow, (0.0, 2.0), (0.0, 0.0)),
        (tf.pow, (0.0, 0.5), (INF, 0.0)),
        (tf.pow, (0.0, 0.0), (NAN, 0.0)),
        (tf.pow, (-2.0, 3.0), (12.0, 0.0)),
        (tf.divide, (0.0, 0.0), (INF, NAN)),
        (tf.divide, (1.0, 0.0), (INF, -INF)),
        (tf.math.divide_no_nan, (0.0, 0.0), (0.0, 0.0)),
        (tf.math.divide_no_nan, (1.0, 0.0), (0.0, 0.0)),
        (tf.math.multiply_no_nan, (NAN, 0.0), (0.0, NAN)),
        (tf.atan2, (0.0, 0.0), (NAN, NAN)),
        (tf.math.floormod, (7.0, 2.0), (1.0, -3.0)),
        (tf.math.floormod, (-7.0, 2.0), (1.0, 4.0)),
        (tf.truncatemod, (-7.0, 2.0), (1.0, 3.0)),
        (tf.math.floordiv, (7.0, 2.0), (None, None)),
        (tf.truncatediv, (7.0, 2.0), (None, None)),
    ],
)
def test_derivatives_of_two_arguments(function, points, slopes):
    found = gradients(function, *points)
    assert found == [s if s is None or s == s else pytest.approx(NAN, nan_ok=True) for s in slopes]


@pytest.mark.parametrize("function", [tf.floor, tf.math.ceil, tf.round, tf.math.rint])
def test_rounding_has_no_derivative(function):
    assert gradients(function, [1.5]) == [None]


@pytest.mark.parametrize("function", [tf.sqrt, tf.math.rsqrt, tf.math.reciprocal])
def test_a_cotangent_of_zero_stays_zero_at_a_pole(function):
    assert gradients(function, [0.0], weights=tf.constant([0.0])) == [[0.0]]


class TestClipping:
    def test_the_gradient_passes_on_both_limits(self):
        x, low, high = gradients(tf.clip_by_value, [1.0, 2.0, 0.0, 3.0], 1.0, 2.0)
        assert (x, low, high) == ([1.0, 1.0, 0.0, 0.0], 1.0, 1.0)

    def test_crossed_limits_give_all_to_the_lower(self):
        assert gradients(tf.clip_by_value, 3.0, 5.0, 1.0) == [0.0, 1.0, 0.0]

    def test_nan_gives_all_to_the_lower_limit(self):
        assert gradients(tf.clip_by_value, NAN, 0.0, 1.0) == [0.0, 1.0, 0.0]


class TestWhere:
    def test_an_infinite_cotangent_does_not_leak_to_the_other_branch(self):
        weights = tf.constant([INF, NAN, 1.0])
        condition = [True, False, True]
        a, b = gradients(lambda a, b: tf.where(condition, a, b), [1.0] * 3, [2.0] * 3, weights=weights)
        assert (a, b[0], b[2]) == ([INF, 0.0, 1.0], 0.0, 0.0)

    def test_a_pole_in_the_branch_that_was_not_taken_leaks(self):
        (found,) = gradients(lambda x: tf.where(x > 0.0, tf.math.log(x), 0.0), [0.0])
        assert np.isnan(found).all()

    def test_the_condition_has_no_gradient(self):
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.where(x > 0.0, 2.0, 3.0)
        assert tape.gradient(y, x) is None


def test_second_derivative_of_relu_is_zero_and_not_absent():
    _, first, second = derivatives(tf.nn.relu, [-1.0, 0.0, 2.0])
    assert first.tolist() == [0.0, 0.0, 1.0]
    assert second.tolist() == [0.0, 0.0, 0.0]


def test_derivatives_of_whole_powers_are_finite_at_zero():
    x = tf.constant(0.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**3
        orders = [y]
        for _ in range(3):
            orders.append(tape.gradient(orders[-1], x))
    assert [float(d) for d in orders] == [0.0, 0.0, 0.0, 6.0]


def test_complex_derivatives_are_conjugated():
    z = 1.0 + 2.0j
    assert gradients(lambda z: z * z, z) == [2 - 4j]
    assert gradients(tf.exp, z) == [pytest.approx(np.conj(np.exp(z)))]
    assert gradients(tf.abs, z) == [pytest.approx(z / abs(z))]
    assert gradients(tf.math.real, z) == [1 + 0j]
    assert gradients(tf.math.imag, z) == [1j]
    assert gradients(tf.math.angle, z) == [pytest.approx(-0.4 + 0.2j)]
    assert gradients(lambda z: z * tf.math.conj(z), z) == [2 * z]
    assert gradients(tf.sign, 3.0 + 4.0j) == [pytest.approx(0.128 - 0.096j)]


FAR = [-1e4, -200.0, -30.0, 30.0, 200.0, 1e4]


class TestFarFromZero:
    """Values and derivatives of float32 and float16 where a formula could overflow or cancel."""

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
    @pytest.mark.parametrize(
        ("function", "value", "slope"),
        [
            (tf.nn.softplus, lambda x: np.maximum(x, 0), lambda x: x > 0),
            (tf.math.log_sigmoid, lambda x: np.minimum(x, 0), lambda x: x < 0),
            (tf.sigmoid, lambda x: x > 0, lambda x: 0 * x),
            (tf.tanh, np.sign, lambda x: 0 * x),
            (tf.nn.silu, lambda x: np.maximum(x, 0), lambda x: x > 0),
            (tf.nn.gelu, lambda x: np.maximum(x, 0), lambda x: x > 0),
            (lambda x: tf.nn.gelu(x, approximate=True), lambda x: np.maximum(x, 0), lambda x: x > 0),
            (tf.nn.elu, lambda x: np.maximum(x, -1), lambda x: x > 0),
            (tf.nn.softsign, lambda x: x / (1 + np.abs(x)), lambda x: (1 + np.abs(x)) ** -2),
        ],
    )
    def test_function_is_close_to_its_limits(self, function, value, slope, dtype):
        x = np.asarray(tf.constant(FAR, dtype)).astype(np.float64)
        y, first, second = derivatives(function, FAR, dtype)
        np.testing.assert_allclose(y, value(x), rtol=1e-2, atol=1e-6)
        np.testing.assert_allclose(first, slope(x), rtol=1e-2, atol=1e-5)
        np.testing.assert_allclose(second, 0.0, atol=1e-3)

    def test_small_tails_keep_their_digits(self):
        x = [-30.0, -60.0]
        tail = np.exp(x)
        for function in (tf.nn.softplus, tf.sigmoid, lambda t: -tf.math.log_sigmoid(-t)):
            y, first, second = derivatives(function, x)
            for found in (y, first, second):
                np.testing.assert_allclose(found, tail, rtol=1e-5)

    def test_near_zero_digits_are_kept(self):
        x = np.float32([1e-6, -3e-7])
        for function in (tf.math.expm1, tf.math.log1p, tf.tanh, tf.asinh, tf.nn.elu):
            np.testing.assert_allclose(derivatives(function, x)[0], x, rtol=1e-5)
            np.testing.assert_allclose(derivatives(function, x)[1], 1.0, rtol=1e-5)

    def test_expm1_far_below_zero(self):
        _, first, second = derivatives(tf.math.expm1, [-30.0])
        np.testing.assert_allclose([first[0], second[0]], np.exp(-30.0), rtol=1e-5)
