"""Coordinates of colours."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

RED = np.array([[1.0, 0.0, 0.0]])


def test_grey_is_the_luma(random):
    x = random.uniform(size=(2, 3, 3))
    np.testing.assert_allclose(tf.image.rgb_to_grayscale(x)[..., 0], x @ [0.2989, 0.587, 0.114])
    assert tf.image.rgb_to_grayscale(np.array([[10, 200, 30]], np.uint8)).numpy().tolist() == [[124]]
    assert tf.image.rgb_to_grayscale([1.0, 0.0, 0.0]).shape == [1]
    check_grads(tf.image.rgb_to_grayscale, (x,))
    with pytest.raises(ValueError, match="last dimension is 3"):
        tf.image.rgb_to_grayscale(tf.zeros([2, 2, 4]))


def test_grey_has_three_equal_channels():
    assert tf.image.grayscale_to_rgb([[[1], [2]]]).numpy().tolist() == [[[1, 1, 1], [2, 2, 2]]]
    check_grads(lambda x: tf.image.grayscale_to_rgb(x) ** 2, (np.array([[[0.5], [0.25]]]),))
    with pytest.raises(ValueError, match="Last dimension of a grayscale image should be size 1"):
        tf.image.grayscale_to_rgb(tf.zeros([2, 2, 3]))
    with pytest.raises(ValueError, match="must be at least two-dimensional"):
        tf.image.grayscale_to_rgb([1.0])


def test_hsv_and_back(random):
    x = random.uniform(size=(4, 3)).astype(np.float32)
    np.testing.assert_allclose(tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(x)), x, rtol=1e-5, atol=1e-6)
    check_grads(lambda v: tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(v)), (random.uniform(size=(4, 3)),), order=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="convert it first"):
        tf.image.rgb_to_hsv([[1, 2, 3]])


def test_gradients_of_hsv_where_channels_tie():
    # As in TensorFlow: the first of the largest, the last of the smallest; a grey has no hue to change.
    x = tf.constant([[0.5, 0.5, 0.5], [0.4, 0.2, 0.2], [0.3, 0.3, 0.6]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        hue, saturation, value = tf.unstack(tf.image.rgb_to_hsv(x), axis=-1)
    np.testing.assert_allclose(tape.gradient(hue, x)[0], [0, 0, 0])
    np.testing.assert_allclose(tape.gradient(hue, x)[1], [0, 0.8333, -0.8333], rtol=1e-4)
    wanted = [[2, 0, -2], [1.25, 0, -2.5], [0, -1.6667, 0.8333]]
    np.testing.assert_allclose(tape.gradient(saturation, x), wanted, rtol=1e-4)
    assert tape.gradient(value, x).numpy().tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("names", [("rgb_to_yiq", "yiq_to_rgb"), ("rgb_to_yuv", "yuv_to_rgb")])
def test_luma_and_chrominance_and_back(names, random):
    there, back = (getattr(tf.image, name) for name in names)
    x = random.uniform(size=(2, 2, 3))
    np.testing.assert_allclose(there(x)[..., 0], x @ [0.299, 0.587, 0.114])
    np.testing.assert_allclose(back(there(x)), x, atol=1e-4)
    np.testing.assert_allclose(there(np.ones((1, 3))), [[1, 0, 0]], atol=1e-4)
    check_grads(there, (x,))
    check_grads(back, (x,))
    assert there(tf.cast(x, tf.float16)).dtype == tf.float16
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be floats"):
        there([[1, 2, 3]])


def test_numbers_of_the_standards():
    np.testing.assert_allclose(tf.image.rgb_to_yiq(RED), [[0.299, 0.59590059, 0.2115]])
    np.testing.assert_allclose(tf.image.rgb_to_yuv(RED), [[0.299, -0.14714119, 0.61497538]])
