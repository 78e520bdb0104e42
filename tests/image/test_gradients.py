"""Differences between pixels, against NumPy and SciPy."""

import numpy as np
import pytest
import scipy.ndimage

import gradtape as tf
from gradtape.testing import check_grads


def test_image_gradients(random):
    x = random.normal(size=(2, 3, 4, 2))
    down, right = tf.image.image_gradients(x)
    assert np.array_equal(down, np.diff(x, axis=1, append=x[:, -1:]))
    assert np.array_equal(right, np.diff(x, axis=2, append=x[:, :, -1:]))
    check_grads(lambda v: [d * d for d in tf.image.image_gradients(v)], (x,))
    with pytest.raises(ValueError, match="must have 4 dimensions"):
        tf.image.image_gradients(x[0])


def test_total_variation(random):
    x = random.normal(size=(2, 3, 4, 2))
    wanted = [np.abs(np.diff(v, axis=0)).sum() + np.abs(np.diff(v, axis=1)).sum() for v in x]
    np.testing.assert_allclose(tf.image.total_variation(x), wanted)
    np.testing.assert_allclose(tf.image.total_variation(x[1]), wanted[1])
    check_grads(lambda v: tf.image.total_variation(v) ** 2, (x,))
    assert tf.image.total_variation(np.ones((2, 2, 1), np.float16)).dtype == tf.float16
    with pytest.raises(ValueError, match="must have either 3 or 4 dimensions"):
        tf.image.total_variation(x[0, 0])


def test_sobel_edges(random):
    x = random.normal(size=(2, 4, 5, 2))
    found = tf.image.sobel_edges(x).numpy()
    for image, edges in zip(x, found, strict=True):
        for c in range(2):
            for k in range(2):
                wanted = scipy.ndimage.sobel(image[..., c], axis=k, mode="mirror")
                np.testing.assert_allclose(edges[..., c, k], wanted, rtol=1e-12, atol=1e-12)
    check_grads(lambda v: tf.image.sobel_edges(v) ** 2, (x,))
    with pytest.raises(ValueError, match="must have 4 dimensions"):
        tf.image.sobel_edges(x[0])
