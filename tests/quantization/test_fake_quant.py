"""Quantization with gradients, against TensorFlow's values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

Q = tf.quantization
X = np.array([-7.0, -1.26, -0.3, 0.0, 0.1, 0.37, 0.9, 1.0, 2.0, 6.3], np.float32)
INSIDE = [0, 0, 1, 1, 1, 1, 1, 1, 0, 0]


def results(function: Any, *arguments: Any) -> Any:
    given = [tf.constant(v, tf.float32) for v in arguments]
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = function(*given)
    return y, tape.gradient(y, given)


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("staged", [False, True])
def test_fixed_range(staged: bool) -> None:
    function = tf.function(Q.fake_quant_with_min_max_args) if staged else Q.fake_quant_with_min_max_args
    y, (dx,) = results(function, X)
    close(
        y, [-6.0235295, -1.2705883, -0.28235295, 0, 0.09411765, 0.3764706, 0.89411765, 0.9882353, 2.0235295, 5.9764705]
    )
    close(dx, [0, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    close(Q.fake_quant_with_min_max_args_gradient(np.ones_like(X), X), dx)


def test_range_of_tensors() -> None:
    y, (dx, low, high) = results(lambda v, a, b: Q.fake_quant_with_min_max_vars(v, a, b, num_bits=4), X, -1.1, 1.3)
    close(y, [-1.12, -1.12, -0.32, 0, 0.16, 0.32, 0.96, 0.96, 1.28, 1.28])
    close(dx, INSIDE)
    assert (float(low), float(high)) == (2.0, 2.0)
    narrow, (_, low, high) = results(
        lambda v, a, b: Q.fake_quant_with_min_max_vars(v, a, b, num_bits=3, narrow_range=True), X, 0.2, 1.3
    )
    close(narrow, [0, 0, 0, 0, 0.18333332, 0.36666664, 0.9166666, 0.9166666, 1.1, 1.1])
    assert (float(low), float(high)) == (3.0, 2.0)
    empty, (dx, low, high) = results(Q.fake_quant_with_min_max_vars, X, 0.0, 0.0)
    close(empty, np.zeros(10))
    close(dx, np.ones(10))
    assert (float(low), float(high)) == (0.0, 0.0)


def test_channels() -> None:
    function = lambda v, a, b: Q.fake_quant_with_min_max_vars_per_channel(v, a, b, num_bits=3)  # noqa: E731
    y, (dx, low, high) = results(function, X.reshape(5, 2), [-1.0, -2.0], [1.0, 3.0])
    close(y[0], [-0.8571429, -1.4285715])
    close(y[-1], [1.1428572, 2.857143])
    close(dx, [[0, 1], [1, 1], [1, 1], [1, 1], [0, 0]])
    close(low, [1, 0])
    close(high, [1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="each element of the last axis"):
        Q.fake_quant_with_min_max_vars_per_channel([[1.0, 2.0]], [0.0], [1.0])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [-1.4857143, -1.3, -0.37142858, 0, 0.1857143, 0.37142858, 0.9285714, 0.9285714, 1.3, 1.3]),
        ({"signed_input": False}, [0, 0, 0, 0, 0.08666667, 0.34666666, 0.8666667, 1.04, 1.3, 1.3]),
        ({"narrow_range": True}, [-1.3, -1.3, -0.37142858, 0, 0.1857143, 0.37142858, 0.9285714, 0.9285714, 1.3, 1.3]),
        (
            {"round_mode": "HALF_UP"},
            [-1.4857143, -1.3, -0.37142858, 0, 0.1857143, 0.37142858, 0.9285714, 0.9285714, 1.3, 1.3],
        ),
    ],
)
def test_there_and_back(options: Any, expected: Any) -> None:
    y, (dx,) = results(lambda v: Q.quantize_and_dequantize_v2(v, -1.1, 1.3, num_bits=4, range_given=True, **options), X)
    close(y, expected)
    close(dx, INSIDE)


def test_range_of_the_values() -> None:
    y, (dx,) = results(lambda v: Q.quantize_and_dequantize(v, 0.0, 0.0, num_bits=4), X)
    close(y, [-7.2, -0.9, 0, 0, 0, 0, 0.9, 0.9, 1.8, 6.3])
    close(dx, np.ones(10))
    unsigned = Q.quantize_and_dequantize_v2(X, 0.0, 0.0, signed_input=False, num_bits=4)
    close(unsigned, [-7.14, -1.26, -0.42, 0, 0, 0.42, 0.84, 0.84, 2.1, 6.3])
    rows = Q.quantize_and_dequantize_v2(X.reshape(5, 2), [-1.0, -2.0], [1.0, 3.0], num_bits=4, range_given=True, axis=1)
    close(rows[:, 0], Q.quantize_and_dequantize_v2(X[::2], -1.0, 1.0, num_bits=4, range_given=True))
    close(Q.quantize_and_dequantize_v2(np.zeros(2, np.float32), 0.0, 0.0), np.zeros(2))


def test_bad_input() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="between 2 and 16"):
        Q.fake_quant_with_min_max_args([1.0], num_bits=1)
    with pytest.raises(ValueError, match="round_mode"):
        Q.quantize_and_dequantize_v2([1.0], 0.0, 1.0, round_mode="UP")


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "function"])
def test_ranges_that_end_before_they_begin(run):
    quantize = run(lambda low, high: tf.quantization.quantize_and_dequantize_v2([0.5], low, high, range_given=True))
    assert quantize(tf.constant(0.0), tf.constant(1.0)).shape == (1,)
    with pytest.raises(tf.errors.InvalidArgumentError, match="input_min"):
        quantize(tf.constant(2.0), tf.constant(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="smaller than max"):
        tf.quantization.fake_quant_with_min_max_args([1.0], min=5, max=1)


def test_ties_of_fake_quant() -> None:
    x = [0.1, 0.25, 0.5, 0.75]
    # The kernel of constants multiplies by the density of levels, that of tensors divides by their distance.
    close(Q.fake_quant_with_min_max_args(x, 0.0, 1.0, 4) * 15, [2, 4, 8, 11])
    close(Q.fake_quant_with_min_max_vars(x, 0.0, 1.0, 4) * 15, [2, 4, 7, 11])
    close(Q.fake_quant_with_min_max_args(x, 0.0, 1.0, 4, True) * 14, [1, 4, 7, 11])
    close(Q.fake_quant_with_min_max_args(x, 0.0, 1.0, 8) * 255, [26, 64, 128, 191])
    close(Q.fake_quant_with_min_max_vars(x, 0.0, 1.0, 8) * 255, [25, 64, 127, 191])


def test_ranges_of_fake_quant_that_are_no_intervals() -> None:
    x = np.array([[-0.6, -0.1, 0.2, 0.7]], np.float32)
    close(Q.fake_quant_with_min_max_vars(x[0], 1.0, -1.0), [0.99607849] * 4)
    assert np.isnan(Q.fake_quant_with_min_max_vars(x[0], 1.0, 1.0).numpy()).all()
    close(Q.fake_quant_with_min_max_vars(x[0], 0.0, 0.0), [0.0] * 4)
    y = Q.fake_quant_with_min_max_vars_per_channel(x, [1.0, -1.0, 1.0, 0.0], [-1.0, 1.0, 1.0, 0.0])
    close(y, [[0.99607849, -0.10196079, np.nan, 0.0]])
    close(Q.fake_quant_with_min_max_vars_gradient(x, x, 1.0, -1.0)[0], np.zeros([1, 4]))
    close(Q.fake_quant_with_min_max_vars_gradient(x, x, 0.0, 0.0)[0], x)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([1.0], [1.0], [0.0], 1.0), "`min` must be rank 0"),
        (([1.0], [1.0], 0.0, [1.0]), "`max` must be rank 0"),
        (([1.0], [1.0, 2.0], 0.0, 1.0), "gradient and input must be the same size"),
        (([1.0], [1.0], 0.0, 1.0, 17), "between 2 and 16"),
    ],
)
def test_gradients_of_fake_quant_check_their_arguments(arguments: Any, text: str) -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=text):
        Q.fake_quant_with_min_max_vars_gradient(*arguments)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ([0.0], [1.0, 1.0], "min must .* incorrect size, expected 2 was 1"),
        ([0.0, 0.0], [1.0] * 3, "max must .* incorrect size, expected 2 was 3"),
        ([0.0, 0.0], [[1.0, 1.0]], "`max` must be rank 1 but is rank 2"),
        (0.0, [1.0, 1.0], "`min` must be rank 1 but is rank 0"),
    ],
)
def test_channels_of_fake_quant_have_ranges(low: Any, high: Any, text: str) -> None:
    x = [[1.0, 2.0]]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=text):
        Q.fake_quant_with_min_max_vars_per_channel(x, low, high)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=text):
        Q.fake_quant_with_min_max_vars_per_channel_gradient(x, x, low, high)
