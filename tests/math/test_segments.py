"""Reductions over segments: values, empty segments, gradients, what is refused."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

IAE = tf.errors.InvalidArgumentError
X = np.sin(np.arange(10.0) * 3).reshape(5, 2)
SORTED = [0, 0, 1, 3, 3]
UNSORTED = [[2, 0], [-1, 2], [0, 2]]
MEANINGS = {"sum": np.sum, "mean": np.mean, "prod": np.prod, "max": np.max, "min": np.min}
EMPTY = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": 0.0, "min": 0.0}
FLOATS = np.finfo(np.float64)
EMPTY_UNSORTED = {**EMPTY, "max": FLOATS.min, "min": FLOATS.max}
KINDS = pytest.mark.parametrize("kind", MEANINGS)


@KINDS
def test_sorted(kind):
    y = getattr(tf.math, f"segment_{kind}")(X, SORTED).numpy()
    parts = [MEANINGS[kind](X[rows], axis=0) for rows in (slice(0, 2), slice(2, 3), slice(3, 5))]
    np.testing.assert_allclose(y, [parts[0], parts[1], [EMPTY[kind]] * 2, parts[2]], rtol=1e-12)


@KINDS
def test_unsorted(kind):
    data = np.cos(np.arange(12.0)).reshape(3, 2, 2)
    y = getattr(tf.math, f"unsorted_segment_{kind}")(data, UNSORTED, 4).numpy()
    members = [[data[0, 1], data[2, 0]], None, [data[0, 0], data[1, 1], data[2, 1]], None]
    wanted = [[EMPTY_UNSORTED[kind]] * 2 if m is None else MEANINGS[kind](m, axis=0) for m in members]
    np.testing.assert_allclose(y, wanted, rtol=1e-12)


def test_sum_over_root_of_count():
    y = tf.math.unsorted_segment_sqrt_n([1.0, 2.0, 3.0, 4.0], [0, 0, 0, 2], 3).numpy()
    np.testing.assert_allclose(y, [6 / np.sqrt(3), 0, 4], rtol=1e-6)


@KINDS
def test_gradients(kind):
    check_grads(lambda x: getattr(tf.math, f"segment_{kind}")(x, SORTED), [X], order=2)
    check_grads(lambda x: getattr(tf.math, f"unsorted_segment_{kind}")(x, [1, -1, 3, 1, 1], 4), [X], order=2)


def test_gradient_of_sum_over_root():
    check_grads(lambda x: tf.math.unsorted_segment_sqrt_n(x, [1, -1, 3, 1, 1], 4), [X], order=2)


def test_products_with_zeros():
    x = np.array([0.0, 2.0, 0.0, 3.0, 4.0, 0.0])
    check_grads(lambda x: tf.math.unsorted_segment_prod(x, [0, 1, 0, 0, 1, 1], 2), [x], order=3)


def test_ties_share_the_gradient():
    x = tf.Variable([3.0, 1.0, 3.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        top = tf.math.unsorted_segment_max(x, [0, 0, 0, 1], 2)
        sorted_top = tf.math.segment_max(x, [0, 0, 0, 1])
    for y in (top, sorted_top):
        assert tape.gradient(y, x).numpy().tolist() == [0.5, 0.0, 0.5, 1.0]


def test_integers():
    assert tf.math.segment_mean([1, 2, -5, -2], [0, 0, 1, 1]).numpy().tolist() == [1, -3]
    mean = tf.math.unsorted_segment_mean([1, 2], [0, 0], 2)
    assert (mean.dtype, mean.numpy().tolist()) == (tf.float64, [1.5, 0.0])
    assert tf.math.unsorted_segment_max([1, 2], [0, 0], 2).numpy().tolist() == [2, -(2**31)]
    with pytest.raises(TypeError, match="sqrt_n: data must hold floating numbers, it is i32"):
        tf.math.unsorted_segment_sqrt_n([1, 2], [0, 0], 1)


def test_narrow_floats():
    half = tf.constant([60000.0, 60000.0, -np.inf], tf.float16)
    assert tf.math.segment_mean(half, [0, 0, 1]).numpy().tolist() == [60000, -np.inf]
    assert tf.math.unsorted_segment_max(half, [0, 0, 1], 3).numpy().tolist() == [60000, -np.inf, -65504]


def test_complex():
    z = np.array([1 + 2j, 2 - 1j, 3j])
    check_grads(lambda z: tf.math.unsorted_segment_prod(z, [0, 0, 0], 1), [z], order=2)
    np.testing.assert_allclose(tf.math.unsorted_segment_mean(z, [0, 0, 1], 2).numpy(), [1.5 + 0.5j, 3j])


def test_no_data():
    assert tf.math.segment_sum(np.zeros((0, 2)), np.zeros(0, int)).shape == (0, 2)
    assert tf.math.unsorted_segment_prod(np.zeros(0), np.zeros(0, int), 2).numpy().tolist() == [1, 1]
    assert tf.math.unsorted_segment_sum([1.0], [-1], 0).shape == (0,)


@KINDS
def test_refused(kind):
    ordered = getattr(tf.math, f"segment_{kind}")
    with pytest.raises(IAE, match=r"not increasing: segment_ids\[1\] = 2 is followed by 1"):
        ordered([1.0, 2.0, 3.0], [0, 2, 1])
    with pytest.raises(
        IAE, match=r"Segment id -1 out of range \[0, 1\), possibly because 'segment_ids' input is not sorted"
    ):
        ordered([1.0, 2.0], [-1, 0])
    for data, ids in (([1.0, 2.0], [0]), (1.0, 0), ([[1.0]], [[0]])):
        with pytest.raises(ValueError, match="give a vector of integers"):
            ordered(data, ids)
    with pytest.raises(TypeError, match="segment_ids is f32"):
        ordered([1.0], [0.0])
    free = getattr(tf.math, f"unsorted_segment_{kind}")
    with pytest.raises(IndexError, match=r"segment_ids\[1\] = 5 is out of range \[0, 3\)"):
        free([1.0, 2.0], [0, 5], 3)
    with pytest.raises(ValueError, match="must start with that of segment_ids"):
        free([1.0, 2.0], [0], 3)
    with pytest.raises(IAE, match="num_segments must not be negative, got -1"):
        free([1.0], [0], -1)


def test_mapped_over_data_and_ids():
    data, ids = np.arange(6.0).reshape(2, 3), np.array([[0, 1, 0], [1, 1, -1]])
    y = tf.vectorized_map(lambda pair: tf.math.unsorted_segment_mean(pair[0], pair[1], 2), (data, ids))
    np.testing.assert_allclose(y.numpy(), [[1.0, 1.0], [0.0, 3.5]])
    y = tf.vectorized_map(lambda row: tf.math.segment_sum(row, [0, 0, 1]), data)
    assert y.numpy().tolist() == [[1, 2], [7, 5]]
