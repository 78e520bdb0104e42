"""The table of elementwise functions: one row serves `tf.experimental.numpy` and Keras, with the dtypes of each."""

import pickle

import numpy as np
import pytest

import gradtape as tf
from gradtape.experimental.numpy import _elementwise
from gradtape.numpy_functions.elementwise import ROWS

tnp = tf.experimental.numpy
SHOWN = sorted(name for name in ROWS if name in tnp.__all__)


@pytest.mark.parametrize("name", SHOWN)
def test_a_row_is_the_function_of_its_name(name):
    function = getattr(_elementwise, name)
    assert function.__name__ == function.__qualname__ == name
    assert pickle.loads(pickle.dumps(function)) is function


def test_no_row_is_without_a_client():
    keras_alone = (
        "i0 trunc fmod divide_no_nan bitwise_invert left_shift right_shift bitwise_left_shift bitwise_right_shift"
    )
    assert set(ROWS) - set(SHOWN) == set(keras_alone.split())


@pytest.mark.parametrize("name", ["floor_divide", "mod", "power", "less"])
def test_bools_count_as_numbers(name):
    a, b = np.array([True, False]), np.array([True, True])
    expected = getattr(np, name)(a.astype(np.int8), b.astype(np.int8))
    np.testing.assert_array_equal(getattr(tnp, name)(a, b).numpy(), expected)


def test_cube_roots_of_zero_and_infinity():
    x = np.array([0.0, np.inf, -np.inf, 27.0, -1e-300])
    np.testing.assert_allclose(tnp.cbrt(x).numpy(), np.cbrt(x), rtol=1e-15)


def test_the_hypotenuse_of_equal_legs_has_the_right_gradient():
    a, b = tf.constant(2.0), tf.constant(-2.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tnp.hypot(a, b)
    np.testing.assert_allclose(tape.gradient(y, [a, b]), [0.5**0.5, -(0.5**0.5)], rtol=1e-6)
    assert float(tnp.hypot(np.inf, 1.0)) == np.inf


def test_logarithms_of_float16_are_rounded_once():
    x = np.array([3.0, 7.0, 1000.0], np.float16)
    for name in ("log2", "log10"):
        exact = getattr(np, name)(x.astype(np.float64)).astype(np.float16)
        np.testing.assert_array_equal(getattr(tnp, name)(x).numpy(), exact)
