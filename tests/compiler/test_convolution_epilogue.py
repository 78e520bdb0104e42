"""What follows a convolution is a part of its kernel: programs, their kernels, and their numbers."""

import numpy as np
import pytest

import gradtape as tf

# images, filter, strides, padding, dilations: Winograd, tiles with strides and remainders, 1x1, large windows, holes
CASES = {
    "3x3": ((2, 14, 14, 16), (3, 3, 16, 32), 1, "SAME", 1),
    "strided": ((2, 15, 13, 5), (3, 3, 5, 7), 2, "VALID", 1),
    "1x1": ((1, 8, 8, 3), (1, 1, 3, 64), 1, "SAME", 1),
    "5x5": ((2, 9, 9, 8), (5, 5, 8, 16), 1, "VALID", 1),
    "dilated": ((2, 12, 12, 8), (3, 3, 8, 24), 1, "SAME", 2),
}
ENDINGS = {
    "bias and relu": (lambda y, b, r: tf.nn.relu(y + b), "add relu"),
    "residual": (lambda y, b, r: tf.nn.relu(y + b + r), "add add relu"),
    "batch norm in inference": (lambda y, b, r: tf.nn.relu(y * b + b), "multiply add relu"),
    "tanh": (lambda y, b, r: tf.tanh(y) * 2.0, "tanh multiply"),
}


def problem(case, dtype=tf.float32):
    shape, window, strides, padding, dilations = CASES[case]
    random = np.random.default_rng(0)
    x, w = (tf.constant(random.normal(size=s), dtype) for s in (shape, window))
    b = tf.constant(random.normal(size=window[-1:]), dtype)

    def convolve(x, w):
        return tf.nn.conv2d(x, w, strides, padding, dilations=dilations)

    r = tf.constant(random.normal(size=convolve(x, w).shape), dtype)
    return convolve, x, w, b, r


def close(got, want):
    for a, e in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        np.testing.assert_allclose(a, e, rtol=0, atol=2e-5 * np.abs(e.numpy()).max())


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ENDINGS)
def test_forward(case, name):
    convolve, x, w, b, r = problem(case)
    ending, parts = ENDINGS[name]
    function = tf.function(lambda x: ending(convolve(x, w), b, r))
    close(function(x), ending(convolve(x, w), b, r))
    assert function.explain().traces[0].native == (f"convolution {parts}",)


def test_double_precision():
    convolve, x, w, b, _ = problem("3x3", tf.float64)
    function = tf.function(lambda x: tf.nn.relu(convolve(x, w) + b))
    np.testing.assert_allclose(function(x), tf.nn.relu(convolve(x, w) + b), rtol=1e-11, atol=1e-11)
    assert function.explain().traces[0].native == ("convolution add relu",)


def test_both_results_are_wanted():
    convolve, x, w, b, _ = problem("3x3")

    def both(x):
        y = convolve(x, w)
        return y, tf.nn.relu(y + b)

    function = tf.function(both)
    close(function(x), both(x))
    assert function.explain().traces[0].native == ("convolution add relu",)


def test_the_derivative_of_an_activation_is_a_part_of_the_input_gradient():
    convolve, x, w, b, _ = problem("3x3")

    def gradients(x):
        with tf.GradientTape() as tape:
            tape.watch([x, w, b])
            loss = tf.reduce_sum(tf.square(tf.nn.relu(convolve(tf.nn.relu(x), w) + b)))
        return tape.gradient(loss, [x, w, b])

    function = tf.function(gradients)
    close(function(x), gradients(x))
    native = function.explain().traces[0].native
    assert "convolution add relu" in native
    assert "convolution_input_gradient relu_grad" in native


def test_kernels_that_take_no_epilogue_stay_as_they_are():
    """Depthwise kernels, and those for few channels, are faster than one that could take the loop."""
    x, w = tf.ones([2, 12, 12, 16]), tf.ones([3, 3, 16, 1])
    function = tf.function(lambda x: tf.nn.relu(tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME") + 1.0))
    close(function(x), tf.nn.relu(tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME") + 1.0))
    assert len(function.explain().traces[0].native) == 2
