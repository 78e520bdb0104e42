"""Adjustments of images and conversions of their dtypes. Rows of numbers are TensorFlow's."""

import colorsys

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

PIXELS = np.array([[[0.2, 0.4, 0.9], [0.6, 0.5, 0.1]]], np.float32)
BYTES = np.array([0, 1, 5, 100, 127, 254, 255], np.uint8)


def test_integers_and_floats():
    found = tf.image.convert_image_dtype(BYTES, tf.float32)
    np.testing.assert_allclose(found, BYTES / 255.0, rtol=1e-6)
    back = tf.image.convert_image_dtype(found, tf.uint8)
    assert back.numpy().tolist() == BYTES.tolist()
    floats = [-0.2, 0.0, 0.1, 0.5, 0.99, 1.0, 1.3]
    assert tf.image.convert_image_dtype(floats, tf.uint8, saturate=True).numpy().tolist() == [
        0,
        0,
        25,
        127,
        252,
        255,
        255,
    ]
    assert tf.image.convert_image_dtype(floats[1:6], tf.int16).numpy().tolist() == [0, 3276, 16383, 32439, 32767]


def test_integers_of_different_size():
    wide = tf.image.convert_image_dtype(BYTES, tf.int32)
    assert wide.numpy().tolist() == [int(b) << 23 for b in BYTES]
    assert tf.image.convert_image_dtype(wide, tf.uint8).numpy().tolist() == BYTES.tolist()
    assert tf.image.convert_image_dtype(BYTES, tf.int8).numpy().tolist() == (BYTES // 2).tolist()
    signed = np.array([-128, -1, 0, 3, 127], np.int8)
    assert tf.image.convert_image_dtype(signed, tf.uint8, saturate=True).numpy().tolist() == [0, 0, 0, 6, 254]


@pytest.mark.parametrize("dtype", ["uint16", "int32", "int64"])
def test_half_precision_has_room_for_wide_integers(dtype):
    largest = np.iinfo(dtype).max
    x = np.array([0, largest // 2, largest], dtype)
    found = tf.image.convert_image_dtype(x, tf.float16)
    np.testing.assert_allclose(found.numpy().astype(float), [0.0, 0.5, 1.0], atol=1e-3)
    back = tf.image.convert_image_dtype(found, dtype, saturate=True).numpy()
    np.testing.assert_allclose(back.astype(float) / largest, [0.0, 0.5, 1.0], rtol=1e-3)


def test_floats_stay_as_they_are():
    x = tf.constant([0.25, 300.0])
    assert tf.image.convert_image_dtype(x, tf.float64).numpy().tolist() == [0.25, 300.0]
    same = tf.image.convert_image_dtype(x, tf.float32)
    assert same is not x
    check_grads(lambda v: tf.image.convert_image_dtype(v, tf.float64) ** 2, (np.array([0.5, 2.0]),))


def test_dtypes_that_are_no_images():
    with pytest.raises(AttributeError, match="dtype must be either floating point or integer"):
        tf.image.convert_image_dtype([1.0], tf.complex64)
    with pytest.raises(AttributeError, match="image dtype must be"):
        tf.image.convert_image_dtype([True], tf.float32)


def test_brightness(random):
    x = random.uniform(size=(2, 3, 3))
    check_grads(tf.image.adjust_brightness, (x, 0.25))
    np.testing.assert_allclose(tf.image.adjust_brightness(x, 0.25), x + 0.25)
    brighter = [min(255, int((b / 255 + 0.5) * 255.5)) for b in BYTES.tolist()]
    assert tf.image.adjust_brightness(BYTES, 0.5).numpy().tolist() == brighter
    assert tf.image.adjust_brightness(BYTES, -1.0).numpy().tolist() == [0] * 7


def test_contrast(random):
    x = random.uniform(size=(2, 3, 4, 2))
    means = x.mean(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(tf.image.adjust_contrast(x, 1.5), (x - means) * 1.5 + means)
    np.testing.assert_allclose(tf.image.adjust_contrast(x[0], 1.5), tf.image.adjust_contrast(x, 1.5)[0])
    check_grads(tf.image.adjust_contrast, (x, 1.5))
    image = np.array([[[10], [200]], [[60], [130]]], np.uint8)
    assert tf.image.adjust_contrast(image, 2.0).numpy().ravel().tolist() == [0, 255, 20, 160]
    with pytest.raises(ValueError, match="at least three-dimensional"):
        tf.image.adjust_contrast([1.0, 2.0], 2.0)


def test_gamma(random):
    x = random.uniform(0.2, 1.0, size=(2, 2, 1))
    np.testing.assert_allclose(tf.image.adjust_gamma(x, 0.5, 2.0), 2.0 * np.sqrt(x))
    check_grads(tf.image.adjust_gamma, (x, 0.75, 1.5))
    assert tf.image.adjust_gamma(BYTES, 2.0).numpy().tolist() == [0, 0, 0, 39, 63, 253, 255]
    with pytest.raises(ValueError, match="Gamma should be a non-negative real number"):
        tf.image.adjust_gamma(x, -1.0)


def test_hue():
    np.testing.assert_allclose(
        tf.image.adjust_hue(PIXELS, 0.3).numpy().ravel(), [0.9, 0.2, 0.54, 0.1, 0.6, 0.4], rtol=1e-5
    )
    for delta in (0.1, -0.45, 1.0):
        for pixel in PIXELS[0].tolist():
            h, s, v = colorsys.rgb_to_hsv(*pixel)
            wanted = colorsys.hsv_to_rgb((h + delta) % 1.0, s, v)
            np.testing.assert_allclose(tf.image.adjust_hue([[pixel]], delta)[0, 0], wanted, rtol=1e-5, atol=1e-6)
    # Below zero and above one, the smallest and largest channel stay what they are.
    np.testing.assert_allclose(tf.image.adjust_hue([[[-0.5, 0.2, 0.1]]], 0.1)[0, 0], [-0.5, -0.12, 0.2], rtol=1e-5)
    assert tf.image.adjust_hue(np.array([[[255, 0, 0]]], np.uint8), 1 / 3).numpy().ravel().tolist() == [0, 255, 0]
    assert np.all(tf.image.adjust_hue(tf.fill([1, 1, 3], 0.5), 0.4).numpy() == 0.5)


def test_saturation():
    np.testing.assert_allclose(
        tf.image.adjust_saturation(PIXELS, 0.4).numpy().ravel(), [0.62, 0.7, 0.9, 0.6, 0.56, 0.4], rtol=1e-5
    )
    for pixel in PIXELS[0].tolist():
        h, s, v = colorsys.rgb_to_hsv(*pixel)
        wanted = colorsys.hsv_to_rgb(h, min(1.0, 1.2 * s), v)
        np.testing.assert_allclose(tf.image.adjust_saturation([[pixel]], 1.2)[0, 0], wanted, rtol=1e-5, atol=1e-6)
    grey = tf.image.adjust_saturation(np.array([[[200, 100, 50]]], np.uint8), 0.0)
    assert grey.numpy().ravel().tolist() == [200, 200, 200]


def test_hue_and_saturation_have_derivatives():
    x = np.array([[[0.9, 0.5, 0.2], [0.3, 0.8, 0.1]], [[0.1, 0.55, 0.9], [0.5, 0.3, 0.8]]])
    check_grads(tf.image.adjust_hue, (x, 0.07))
    check_grads(tf.image.adjust_saturation, (x, 0.8))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_adjustments_keep_the_dtype(dtype):
    x = tf.cast(PIXELS, dtype)
    rough = {"float16": 0.01, "bfloat16": 0.05}.get(dtype, 1e-5)
    for adjust, amount in (
        (tf.image.adjust_brightness, 0.1),
        (tf.image.adjust_contrast, 1.5),
        (tf.image.adjust_gamma, 2.0),
        (tf.image.adjust_hue, 0.1),
        (tf.image.adjust_saturation, 0.5),
    ):
        found = adjust(x, amount)
        assert found.dtype == dtype
        np.testing.assert_allclose(tf.cast(found, tf.float64), adjust(tf.cast(PIXELS, tf.float64), amount), atol=rough)
        # The amount may be a tensor of another dtype.
        assert adjust(x, tf.constant(amount)).dtype == dtype


def test_hue_is_limited():
    with pytest.raises(ValueError, match=r"delta must be in the interval \[-1, 1\]"):
        tf.image.adjust_hue(PIXELS, 1.5)
    with pytest.raises(ValueError, match="last dimension must be 3"):
        tf.image.adjust_hue(PIXELS[..., :2], 0.5)


def test_standardization(random):
    from gradtape.image._adjust import standardized

    x = random.uniform(size=(2, 3, 4, 2))
    found = tf.image.per_image_standardization(x).numpy()
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.mean(axis=(1, 2, 3)), 0.0, atol=1e-6)
    np.testing.assert_allclose(found.std(axis=(1, 2, 3)), 1.0, rtol=1e-5)
    check_grads(standardized, (x,))
    # A uniform image is divided by 1 / sqrt(size), and its gradient is finite.
    flat = tf.Variable(tf.fill([2, 2, 1], 3.0))
    with tf.GradientTape() as tape:
        y = tf.image.per_image_standardization(flat)
    assert not y.numpy().any()
    dy = tf.constant([1.0, 0.0, 0.0, 0.0], shape=[2, 2, 1])
    np.testing.assert_allclose(tf.reshape(tape.gradient(y, flat, output_gradients=dy), [-1]), [1.5, -0.5, -0.5, -0.5])


@pytest.mark.parametrize("adjust", [tf.image.adjust_contrast, tf.image.adjust_saturation])
def test_a_factor_is_one_number(adjust) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be scalar"):
        adjust(np.ones([1, 2, 2, 3], np.float32), [2.0])
