"""Images mirrored and turned, against NumPy."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

IMAGE = np.arange(12.0).reshape(2, 3, 2)
BATCH = np.stack([IMAGE, -IMAGE])


def test_flips():
    assert np.array_equal(tf.image.flip_left_right(IMAGE), IMAGE[:, ::-1])
    assert np.array_equal(tf.image.flip_left_right(BATCH), BATCH[:, :, ::-1])
    assert np.array_equal(tf.image.flip_up_down(IMAGE), IMAGE[::-1])
    assert np.array_equal(tf.image.flip_up_down(BATCH), BATCH[:, ::-1])


@pytest.mark.parametrize("k", range(-2, 6))
def test_turns(k):
    assert np.array_equal(tf.image.rot90(IMAGE, k), np.rot90(IMAGE, k))
    assert np.array_equal(tf.image.rot90(BATCH, tf.constant(k)), np.rot90(BATCH, k, axes=(1, 2)))


def test_transpose():
    assert np.array_equal(tf.image.transpose(IMAGE), IMAGE.swapaxes(0, 1))
    assert np.array_equal(tf.image.transpose(BATCH), BATCH.swapaxes(1, 2))


def test_derivatives_and_dtypes():
    for turn in (tf.image.flip_left_right, tf.image.flip_up_down, tf.image.rot90, tf.image.transpose):
        check_grads(lambda x, turn=turn: turn(x) ** 2, (IMAGE,))
        assert turn(IMAGE.astype(np.uint8)).dtype == tf.uint8


def test_shapes_that_are_refused():
    for turn in (tf.image.flip_left_right, tf.image.flip_up_down, tf.image.rot90, tf.image.transpose):
        for shape in ((3,), (2, 3), (1, 2, 3, 4, 5)):
            with pytest.raises(ValueError, match="must have either 3 or 4 dimensions"):
                turn(np.zeros(shape))
        with pytest.raises(ValueError, match=r"inner 3 dims of 'image.shape' must be > 0"):
            turn(np.zeros((2, 0, 3)))
