"""tf.nn's dilation and erosion against SciPy, and their derivatives."""

import numpy as np
import pytest
import scipy.ndimage

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(13)
ONES = [1, 1, 1, 1]


def distinct(*shape):
    return random.permutation(np.arange(np.prod(shape)) / 8).reshape(shape)


def test_against_scipy():
    """SciPy mirrors the structure, and so does the erosion; its border is made never to win."""
    x, w = distinct(2, 6, 5, 3), distinct(3, 3, 3) / 8
    dilated = tf.nn.dilation2d(x, w, ONES, "SAME", "NHWC", ONES).numpy()
    eroded = tf.nn.erosion2d(x, w, ONES, "SAME", "NHWC", ONES).numpy()
    for n, c in np.ndindex(2, 3):
        structure = w[::-1, ::-1, c]
        wanted = scipy.ndimage.grey_dilation(x[n, ..., c], structure=structure, mode="constant", cval=-1e9)
        np.testing.assert_allclose(dilated[n, ..., c], wanted, atol=1e-12)
        wanted = scipy.ndimage.grey_erosion(x[n, ..., c], structure=structure, mode="constant", cval=1e9)
        np.testing.assert_allclose(eroded[n, ..., c], wanted, atol=1e-12)


def test_a_filter_of_zeros_is_max_pooling():
    x = distinct(1, 7, 6, 2)
    y = tf.nn.dilation2d(x, np.zeros((3, 2, 2)), [1, 2, 3, 1], "SAME", "NHWC", ONES)
    np.testing.assert_allclose(y, tf.nn.max_pool2d(x, [3, 2], [2, 3], "SAME"))
    y = tf.nn.dilation2d(x, np.zeros((3, 2, 2)), 1, "VALID", "NHWC", [1, 2, 3, 1])
    np.testing.assert_allclose(y, tf.nn.pool(x, [3, 2], "MAX", dilations=[2, 3]))


def test_ties_go_to_the_first():
    x, w = tf.zeros([1, 2, 2, 1]), tf.zeros([2, 2, 1])
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.dilation2d(x, w, ONES, "VALID", "NHWC", ONES)
    for d in tape.gradient(y, [x, w]):
        assert d.numpy().ravel().tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("function", [tf.nn.dilation2d, tf.nn.erosion2d])
def test_derivatives(function):
    check_grads(
        lambda x, w: function(x, w, [1, 1, 2, 1], "SAME", "NHWC", [1, 2, 1, 1]) ** 2,
        (distinct(1, 4, 4, 2), distinct(2, 3, 2) / 16),
        order=2,
    )


def test_vectorized_map():
    x, w = distinct(3, 1, 4, 3, 2), distinct(3, 2, 2, 2) / 16
    found = tf.vectorized_map(
        lambda pair: tf.nn.dilation2d(*pair, ONES, "SAME", "NHWC", ONES),
        (tf.constant(x), tf.constant(w)),
        fallback_to_while_loop=False,
    )
    for i in range(3):
        np.testing.assert_allclose(found[i], tf.nn.dilation2d(x[i], w[i], ONES, "SAME", "NHWC", ONES))


X, W = tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 2])
WRONG = [
    (lambda: tf.nn.dilation2d(X, W, ONES, "SAME", "NCHW", ONES), ValueError, "data_format must be NHWC, got 'NCHW'"),
    (lambda: tf.nn.dilation2d(X, W[..., :1], ONES, "SAME", "NHWC", ONES), ValueError, "must have the same depth"),
    (lambda: tf.nn.dilation2d(X[0], W, ONES, "SAME", "NHWC", ONES), ValueError, r"input is f32\[4,4,2\]"),
    (lambda: tf.nn.erosion2d(X, W[0], ONES, "SAME", "NHWC", ONES), ValueError, r"filters is f32\[2,2\]"),
    (lambda: tf.nn.dilation2d(X, W, [2, 1, 1, 1], "SAME", "NHWC", ONES), tf.errors.UnimplementedError, "strides"),
    (lambda: tf.nn.dilation2d(X, W, ONES, "FULL", "NHWC", ONES), ValueError, "padding must be .* got 'FULL"),
    (lambda: tf.nn.dilation2d(X, tf.cast(W, tf.float64), ONES, "SAME", "NHWC", ONES), TypeError, "dtypes differ"),
]


@pytest.mark.parametrize(("call", "error", "text"), WRONG)
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()
