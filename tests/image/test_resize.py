"""Sizes of images. The rows of numbers are TensorFlow's; the weights themselves are checked in the samples of `resample`."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

ROW = np.array([0.0, 10.0, 20.0, 50.0, 30.0], np.float32).reshape(1, 5, 1)
# method, antialias: the row in three pixels, and in eight.
ROWS = {
    ("bilinear", False): ([3.3333, 20, 36.6667], [0, 4.375, 10.625, 16.875, 29.375, 48.125, 38.75, 30]),
    ("bilinear", True): ([4.2857, 24.4444, 38.5714], [0, 4.375, 10.625, 16.875, 29.375, 48.125, 38.75, 30]),
    ("nearest", False): ([0, 20, 30], [0, 0, 10, 20, 20, 50, 30, 30]),
    ("nearest", True): ([0, 20, 30], [0, 0, 10, 20, 20, 50, 30, 30]),
    ("bicubic", False): (
        [2.4108, 20, 36.5431],
        [-0.7196, 3.4445, 10.5884, 15.3979, 29.5764, 49.4617, 39.4063, 28.5609],
    ),
    ("bicubic", True): (
        [2.9231, 25.3023, 39.5385],
        [-0.7196, 3.4445, 10.5884, 15.3979, 29.5764, 49.4617, 39.4063, 28.5609],
    ),
    ("area", False): ([4, 24, 38], [0, 4, 10, 18, 26, 50, 38, 30]),
    ("area", True): ([4, 24, 38], [0, 4, 10, 18, 26, 50, 38, 30]),
    ("lanczos3", False): ([2.3179, 20, 37.4701], [-0.7096, 3.4232, 10.4801, 14.12, 30.6859, 49.8011, 40.1625, 27.0205]),
    ("lanczos3", True): (
        [1.6194, 26.2178, 40.2116],
        [-0.7096, 3.4232, 10.4801, 14.12, 30.6859, 49.8011, 40.1625, 27.0205],
    ),
    ("lanczos5", False): (
        [3.224, 20, 37.9252],
        [-1.4466, 4.3682, 10.4041, 14.1533, 30.2963, 49.6423, 40.6539, 26.4313],
    ),
    ("lanczos5", True): (
        [0.8566, 26.6202, 40.3211],
        [-1.4466, 4.3682, 10.4041, 14.1533, 30.2963, 49.6423, 40.6539, 26.4313],
    ),
    ("gaussian", False): (
        [3.3924, 22.1301, 36.7849],
        [0.6009, 4.3782, 10.5345, 17.6439, 29.1211, 44.2766, 38.7565, 31.2017],
    ),
    ("gaussian", True): (
        [5.5857, 24.3982, 37.3796],
        [0.6009, 4.3782, 10.5345, 17.6439, 29.1211, 44.2766, 38.7565, 31.2017],
    ),
    ("mitchellcubic", False): (
        [2.9084, 21.1111, 36.9124],
        [-0.1407, 3.8721, 10.6009, 16.2514, 29.7856, 46.7276, 39.2513, 29.7187],
    ),
    ("mitchellcubic", True): (
        [4.1134, 25.0287, 38.6537],
        [-0.1407, 3.8721, 10.6009, 16.2514, 29.7856, 46.7276, 39.2513, 29.7187],
    ),
}


@pytest.mark.parametrize(("method", "antialias"), ROWS)
def test_methods_as_in_tensorflow(method, antialias):
    # TensorFlow reads plain bicubic weights from a table of 1024 entries.
    tolerance = 0.02 if (method, antialias) == ("bicubic", False) else 2e-4
    for wanted in ROWS[method, antialias]:
        found = tf.image.resize(ROW, [1, len(wanted)], method, antialias=antialias).numpy()
        np.testing.assert_allclose(found[0, :, 0], wanted, atol=tolerance)
        turned = tf.image.resize(ROW.transpose(1, 0, 2), [len(wanted), 1], method, antialias=antialias).numpy()
        np.testing.assert_allclose(turned[:, 0, 0], found[0, :, 0], rtol=1e-6)


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "area"])
def test_axes_are_resized_one_after_the_other(method, random):
    x = random.normal(size=(2, 6, 9, 3)).astype(np.float32)
    for size in ((3, 20), (20, 3)):
        rows = tf.image.resize(x, [size[0], 9], method)
        np.testing.assert_allclose(
            tf.image.resize(x, size, method), tf.image.resize(rows, size, method), rtol=1e-5, atol=1e-6
        )


def test_result_is_float32_except_for_the_nearest():
    for dtype in ("uint8", "int32", "float16", "float64"):
        x = ROW.astype(dtype)
        assert tf.image.resize(x, [1, 5]).dtype == tf.float32
        assert tf.image.resize(x, [1, 3], "nearest").dtype == dtype
    assert tf.image.resize(tf.cast(ROW, tf.bfloat16), [1, 8]).dtype == tf.float32


def test_white_stays_white():
    white = np.full((37, 41, 3), 255, np.uint8)
    assert np.all(tf.image.resize(white, [23, 101]).numpy() == 255.0)


def test_many_channels_and_large_images(random):
    for shape in ((1, 40, 30, 20), (2, 90, 110, 3)):
        x = random.normal(size=shape).astype(np.float32)
        height, width = shape[1:3]
        for method in ("bilinear", "mitchellcubic"):
            found = tf.image.resize(x, [2 * height // 3, 2 * width], method).numpy()
            wide = tf.image.resize(x[..., :1], [2 * height // 3, 2 * width], method).numpy()
            np.testing.assert_allclose(found[..., :1], wide, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "lanczos3"])
def test_one_nan_stays_where_it_is_seen(method, random):
    x = random.normal(size=(1, 40, 1)).astype(np.float32)
    x[0, 20] = np.nan
    found = np.isnan(tf.image.resize(x, [1, 80], method).numpy()[0, :, 0])
    reach = {"bilinear": 2, "bicubic": 4, "lanczos3": 6}[method]
    assert found.any()
    assert np.all(np.abs(np.flatnonzero(found) + 0.5 - 41) <= reach)


@pytest.mark.parametrize("method", ["bilinear", "nearest", "area", "gaussian"])
def test_gradient_is_the_transposed_map(method, random):
    x = tf.constant(random.normal(size=(1, 4, 5, 2)).astype(np.float32))
    dy = tf.constant(random.normal(size=(1, 3, 7, 2)).astype(np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.resize(x, [3, 7], method)
    dx = tape.gradient(y, x, output_gradients=dy)
    other = random.normal(size=(1, 4, 5, 2)).astype(np.float32)
    np.testing.assert_allclose(
        np.sum(dx.numpy() * other), np.sum(dy.numpy() * tf.image.resize(other, [3, 7], method).numpy()), rtol=1e-4
    )


def test_nearest_has_derivatives_in_float64(random):
    check_grads(lambda x: tf.square(tf.image.resize(x, [3, 4], "nearest")), (random.normal(size=(2, 3, 1)),))


def test_preserve_aspect_ratio_of_unknown_sizes():
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, None, None, 3])])
    def resized(x):
        y = tf.image.resize(x, [7, 9], preserve_aspect_ratio=True)
        seen.append(y.shape)
        return y

    assert resized(tf.ones([1, 20, 10, 3])).shape == [1, 7, 4, 3]
    assert resized(tf.ones([2, 10, 20, 3])).shape == [2, 4, 9, 3]
    assert [shape.as_list() for shape in seen] == [[None, None, None, 3]]  # either side may be the one that fits


def test_preserve_aspect_ratio():
    x = tf.zeros([2, 7, 5, 3])
    for size, wanted in (([10, 10], [10, 7]), ([4, 4], [4, 3]), ([3, 100], [3, 2]), ([5, 7], [5, 4])):
        assert tf.image.resize(x, size, preserve_aspect_ratio=True).shape == [2, *wanted, 3]


def test_resize_with_pad(random):
    x = random.uniform(0.5, 1.0, size=(2, 6, 3, 1)).astype(np.float32)
    found = tf.image.resize_with_pad(x, 4, 8).numpy()
    np.testing.assert_allclose(found[:, :, 3:5], tf.image.resize(x, [4, 2]), rtol=1e-6)
    assert not found[:, :, :3].any()
    assert not found[:, :, 5:].any()
    assert tf.image.resize_with_pad(x[0], 9, 9, "nearest").shape == [9, 9, 1]


def test_shapes_that_are_refused():
    with pytest.raises(ValueError, match="must have either 3 or 4 dimensions"):
        tf.image.resize(tf.zeros([4, 4]), [2, 2])
    with pytest.raises(ValueError, match=r"inner 3 dims of 'images.shape' must be > 0"):
        tf.image.resize(tf.zeros([4, 0, 3]), [2, 2])
    with pytest.raises(ValueError, match="'size' must be a 1-D int32 Tensor"):
        tf.image.resize(ROW, [2.5, 2.5])
    with pytest.raises(ValueError, match="2 elements: new_height, new_width"):
        tf.image.resize(ROW, [2])
    with pytest.raises(ValueError, match="output dimensions must be positive"):
        tf.image.resize(ROW, [2, 0])
    with pytest.raises(ValueError, match="Resize method is not implemented: cubist"):
        tf.image.resize(ROW, [2, 2], "cubist")
    with pytest.raises(ValueError, match="target_width must be > 0"):
        tf.image.resize_with_pad(ROW, 2, 0)


def test_vectorised_over_examples(random):
    x = tf.constant(random.normal(size=(3, 4, 5, 2)).astype(np.float32))
    for method in ("bilinear", "nearest", "bicubic"):
        found = tf.vectorized_map(lambda image, method=method: tf.image.resize(image, [2, 7], method), x)
        np.testing.assert_allclose(found, tf.image.resize(x, [2, 7], method), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("method", ["bilinear", "nearest", "area"])
def test_no_ragged_images_have_the_new_size(traced, method):
    images = tf.RaggedTensor.from_tensor(tf.zeros([0, 3, 2, 1]), ragged_rank=2)
    resize = lambda x: tf.image.resize(x, [2, 3], method)  # noqa: E731
    found = (tf.function(resize) if traced else resize)(images)
    assert found.shape == (0, 2, 3, 1)
    assert found.dtype == tf.float32
