"""Measures of similarity, against SciPy's filters and numbers of TensorFlow."""

import numpy as np
import pytest
import scipy.ndimage

import gradtape as tf
from gradtape.image._psnr_ssim import Window, decibels, multiscale_similarity, similarity
from gradtape.testing import check_grads


def pictures(shape, seed=3):
    random = np.random.default_rng(seed)
    a = random.uniform(size=shape)
    return a, np.clip(a + random.normal(scale=0.1, size=shape), 0, 1)


def similarity_map(a, b, peak, size=11, sigma=1.5, k1=0.01, k2=0.03):
    """Around each pixel of one channel, by the definition, with SciPy's bell."""
    radius = (size - 1) // 2

    def mean(x):
        smooth = scipy.ndimage.gaussian_filter(x, sigma, radius=radius)
        return smooth[radius:-radius, radius:-radius]

    c1, c2 = (k1 * peak) ** 2, (k2 * peak) ** 2
    mu, nu = mean(a), mean(b)
    variances = mean(a**2) - mu**2 + mean(b**2) - nu**2
    covariance = mean(a * b) - mu * nu
    luminance = (2 * mu * nu + c1) / (mu**2 + nu**2 + c1)
    contrast = (2 * covariance + c2) / (variances + c2)
    return luminance, contrast


def test_psnr():
    a, b = pictures((2, 3, 4, 5, 3))
    wanted = 10 * np.log10(1.0 / np.mean((a - b) ** 2, axis=(2, 3, 4)))
    np.testing.assert_allclose(tf.image.psnr(a, b, 1.0), wanted, rtol=1e-5)
    np.testing.assert_allclose(tf.image.psnr(a, b[:1], 1.0)[0], wanted[0], rtol=1e-5)
    assert tf.image.psnr(a, a, 1.0).numpy().tolist() == [[np.inf] * 3] * 2
    check_grads(lambda x, y, p: decibels(x, y, p), (a[0, 0], b[0, 0], 2.0))
    whole = [np.rint(255 * x).astype(np.uint8) for x in (a, b)]
    np.testing.assert_allclose(tf.image.psnr(*whole, 255), wanted, rtol=1e-2)


def test_ssim():
    a, b = pictures((2, 14, 15, 3))
    maps = np.array(
        [[np.multiply(*similarity_map(x[..., c], y[..., c], 1.0)) for c in range(3)] for x, y in zip(a, b, strict=True)]
    )
    np.testing.assert_allclose(tf.image.ssim(a, b, 1.0), maps.mean(axis=(1, 2, 3)), rtol=1e-4)
    found = tf.image.ssim(a, b, 1.0, return_index_map=True)
    np.testing.assert_allclose(found, maps.mean(axis=1), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(tf.image.ssim(a[0], b[0], 1.0), maps[0].mean(), rtol=1e-4)
    whole = [np.rint(255 * x).astype(np.uint8) for x in (a, b)]
    np.testing.assert_allclose(tf.image.ssim(*whole, 255), maps.mean(axis=(1, 2, 3)), rtol=1e-2)
    assert tf.image.ssim(tf.cast(a, tf.float16), tf.cast(b, tf.float16), 1.0).dtype == tf.float32


def test_ssim_with_other_windows():
    a, b = pictures((9, 8, 1))
    wanted = np.multiply(*similarity_map(a[..., 0], b[..., 0], 2.0, 5, 0.8, 0.02, 0.05)).mean()
    found = tf.image.ssim(a, b, 2.0, filter_size=5, filter_sigma=0.8, k1=0.02, k2=0.05)
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


def test_ssim_multiscale():
    a, b = pictures((26, 29, 1))
    powers = (0.3, 0.7)
    _, contrast = similarity_map(a[..., 0], b[..., 0], 1.0)
    # An odd last column is repeated before four pixels become one.
    halves = [np.pad(x[..., 0], ((0, 0), (0, 1)), mode="edge").reshape(13, 2, 15, 2).mean(axis=(1, 3)) for x in (a, b)]
    wanted = contrast.mean() ** 0.3 * np.multiply(*similarity_map(*halves, 1.0)).mean() ** 0.7
    np.testing.assert_allclose(tf.image.ssim_multiscale(a, b, 1.0, powers), wanted, rtol=1e-4)
    batch = tf.image.ssim_multiscale(np.stack([a, b]), np.stack([b, a]), 1.0, powers)
    np.testing.assert_allclose(batch, [wanted, wanted], rtol=1e-4)


def test_derivatives_to_the_second_order():
    a, b = pictures((1, 6, 5, 2))
    window = Window(3, 1.0)
    check_grads(lambda x, y, p: similarity(x, y, p, window), (a, b, 1.0))
    a, b = pictures((8, 7, 1))
    powers = np.array([0.4, 0.6])
    check_grads(lambda x, y, p: multiscale_similarity(x, y, tf.constant(1.0, tf.float64), p, window), (a, b, powers))


def test_images_that_cannot_be_compared():
    a, b = pictures((1, 14, 15, 3))
    for measure in (tf.image.psnr, tf.image.ssim, tf.image.ssim_multiscale):
        with pytest.raises(ValueError, match=r"not compatible: .* is f64\[1,14,15,3\], .* is f64\[1,14,14,3\]"):
            measure(a, b[:, :, :14], 1.0)
        with pytest.raises(ValueError, match="at least three-dimensional"):
            measure(a[0, 0], b[0, 0], 1.0)
    with pytest.raises(ValueError, match="smaller than the filter, whose size is 11"):
        tf.image.ssim(a[:, :9], b[:, :9], 1.0)
    with pytest.raises(ValueError, match="ssim_multiscale at scale 1"):
        tf.image.ssim_multiscale(a, b, 1.0)
