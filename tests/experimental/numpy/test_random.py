"""tf.experimental.numpy.random."""

import numpy as np
import pytest

import gradtape as tf

R = tf.experimental.numpy.random


@pytest.mark.parametrize(
    ("draw", "shape", "dtype"),
    [
        (lambda: R.rand(2, 3), (2, 3), tf.float64),
        (lambda: R.randn(), (), tf.float64),
        (lambda: R.standard_normal(2), (2,), tf.float64),
        (lambda: R.uniform(0, [1, 2]), (2,), tf.float64),
        (lambda: R.random((1, 2)), (1, 2), tf.float64),
        (lambda: R.poisson([1.0, 2.0], 3), (3, 2), tf.int64),
        (lambda: R.randint(5, size=4), (4,), tf.int64),
        (lambda: R.randint(5, dtype=np.int32), (), tf.int32),
    ],
)
def test_shape_and_dtype(draw, shape, dtype):
    drawn = draw()
    assert (tuple(drawn.shape), drawn.dtype) == (shape, dtype)


def test_a_seed_repeats_the_numbers():
    R.seed(3)
    first = R.rand(4).numpy()
    assert not np.array_equal(first, R.rand(4).numpy())
    R.seed(3)
    np.testing.assert_array_equal(first, R.rand(4).numpy())


def test_bounds():
    assert set(R.randint(3, 6, 200).numpy().tolist()) == {3, 4, 5}
    assert set(R.randint(2, size=100).numpy().tolist()) == {0, 1}
    drawn = R.uniform(2.0, 3.0, 100).numpy()
    assert drawn.min() >= 2
    assert drawn.max() < 3


def test_other_integers_are_refused():
    with pytest.raises(ValueError, match="only int32 and int64"):
        R.randint(5, dtype=np.int16)
