"""Patches and glimpses."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

IMAGES = np.arange(60.0).reshape(2, 6, 5, 1)
ONE = [1, 1, 1, 1]


def test_patches(random):
    x = random.normal(size=(2, 4, 5, 3))
    found = tf.image.extract_patches(x, [1, 2, 3, 1], [1, 2, 1, 1], ONE, "VALID").numpy()
    assert found.shape == (2, 2, 3, 18)
    assert np.array_equal(found[1, 1, 2].reshape(2, 3, 3), x[1, 2:4, 2:5])
    check_grads(lambda v: tf.image.extract_patches(v, [1, 2, 2, 1], ONE, [1, 2, 2, 1], "SAME") ** 2, (x[:1],))
    assert tf.image.extract_patches(x.astype(np.uint8), ONE, ONE, ONE, "SAME").dtype == tf.uint8


def test_a_patch_that_is_not_one():
    with pytest.raises(ValueError, match=r"sizes is \[2, 2\], and must be \[1, rows, columns, 1\]"):
        tf.image.extract_patches(IMAGES, [2, 2], ONE, ONE, "SAME")
    with pytest.raises(ValueError, match="strides is"):
        tf.image.extract_patches(IMAGES, ONE, [1, 0, 1, 1], ONE, "SAME")
    with pytest.raises(ValueError, match="rates is"):
        tf.image.extract_patches(IMAGES, ONE, ONE, [2, 1, 1, 1], "SAME")
    with pytest.raises(ValueError, match="padding is 'FULL'"):
        tf.image.extract_patches(IMAGES, ONE, ONE, ONE, "FULL")
    with pytest.raises(ValueError, match="must have 4 dimensions"):
        tf.image.extract_patches(IMAGES[0], ONE, ONE, ONE, "SAME")


# (centered, normalized): for each offset, where TensorFlow's window of 3 x 2 begins on an image of 6 x 5.
STARTS = {
    (True, True): [((0.0, 0.0), (1, 1)), ((0.5, -0.5), (3, 0)), ((0.3, 0.7), (2, 3))],
    (True, False): [((0.0, 0.0), (3, 2)), ((0.5, -0.5), (3, 2)), ((-2.0, 1.0), (1, 3))],
    (False, True): [((0.0, 0.0), (0, 0)), ((0.3, 0.7), (1, 3)), ((0.5, -0.5), (3, -2))],
    (False, False): [((2.0, 3.0), (2, 3)), ((0.5, -0.5), (0, 0)), ((-2.0, 1.0), (-2, 1))],
}


@pytest.mark.parametrize(("centered", "normalized"), STARTS)
def test_where_glimpses_are(centered, normalized):
    padded = np.pad(IMAGES, ((0, 0), (3, 3), (3, 3), (0, 0)))
    for offset, (y, x) in STARTS[centered, normalized]:
        offsets = np.array([offset, (0.0, 0.0)], np.float32)
        found = tf.image.extract_glimpse(IMAGES, [3, 2], offsets, centered, normalized, "zero")
        assert np.array_equal(found[0], padded[0, y + 3 : y + 6, x + 3 : x + 5])


def test_noise_looks_like_the_image():
    offsets = np.zeros((2, 2), np.float32)
    tf.random.set_seed(1)
    for noise in ("uniform", "gaussian"):
        found = tf.image.extract_glimpse(IMAGES, [40, 40], offsets, noise=noise).numpy()
        assert np.array_equal(found[0, 17:23, 17:22], IMAGES[0])
        for k in range(2):
            np.testing.assert_allclose(found[k].mean(), IMAGES[k].mean(), atol=1.0)
            np.testing.assert_allclose(found[k].std(), IMAGES[k].std(), atol=0.7)
        if noise == "uniform":
            assert found[1].min() >= IMAGES[1].min()
            assert found[1].max() <= IMAGES[1].max()


def test_gradients_of_glimpses(random):
    x = random.normal(size=(2, 4, 5, 1))
    offsets = tf.constant([[0.1, 0.2], [0.9, -0.9]])
    check_grads(lambda v: tf.image.extract_glimpse(v, [3, 3], offsets, noise="zero") ** 2, (x,))
    image = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(image)
        y = tf.image.extract_glimpse(image, [9, 9], offsets)
    assert np.all(tape.gradient(y, image).numpy() <= 1.0)


def test_glimpses_that_are_refused():
    with pytest.raises(ValueError, match=r"offsets is f32\[1,2\]"):
        tf.image.extract_glimpse(IMAGES, [3, 3], [[0.0, 0.0]])
    with pytest.raises(ValueError, match="noise is 'pink'"):
        tf.image.extract_glimpse(IMAGES, [3, 3], np.zeros((2, 2), np.float32), noise="pink")
    with pytest.raises(ValueError, match="give two positive ints"):
        tf.image.extract_glimpse(IMAGES, [3, 0], np.zeros((2, 2), np.float32))


def test_glimpses_of_no_images():
    found = tf.image.extract_glimpse(np.zeros((0, 4, 3, 0)), [1, 2], np.zeros((0, 2)))
    assert found.shape == [0, 1, 2, 0]
