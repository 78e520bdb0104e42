"""Counts, histograms, confusion matrices."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

IAE = tf.errors.InvalidArgumentError
NUMBERS = [[1, 1, 7], [0, 3, 1]]


def test_counts():
    assert tf.math.bincount([1, 1, 3]).numpy().tolist() == [0, 2, 0, 1]
    assert tf.math.bincount(NUMBERS).numpy().tolist() == [1, 3, 0, 1, 0, 0, 0, 1]
    assert tf.math.bincount(NUMBERS, axis=0).numpy().tolist() == [1, 3, 0, 1, 0, 0, 0, 1]
    rows = [[0, 2, 0, 0, 0, 0, 0, 1], [1, 1, 0, 1, 0, 0, 0, 0]]
    assert tf.math.bincount(NUMBERS, axis=-1).numpy().tolist() == rows
    assert tf.math.bincount(3).numpy().tolist() == [0, 0, 0, 1]
    assert tf.math.bincount([1, 2], dtype=tf.float32).dtype == tf.float32
    assert tf.math.bincount(np.zeros(0, int)).shape == (0,)


def test_lengths():
    assert tf.math.bincount([1, 1, 3], minlength=6).numpy().tolist() == [0, 2, 0, 1, 0, 0]
    assert tf.math.bincount([1, 1, 3], minlength=5, maxlength=3).numpy().tolist() == [0, 2, 0]
    assert tf.math.bincount(NUMBERS, axis=-1, maxlength=2).numpy().tolist() == [[0, 2], [1, 1]]
    assert tf.math.bincount([1], maxlength=0).shape == (0,)


def test_presence():
    assert tf.math.bincount([1, 1, 3], binary_output=True).numpy().tolist() == [0, 1, 0, 1]
    assert tf.math.bincount([[1, 1], [0, 1]], axis=-1, binary_output=True).numpy().tolist() == [[0, 1], [1, 1]]


def test_weights():
    weights = np.array([[0.5, 0.25, 2.0], [1.0, 3.0, 4.0]])
    for maxlength in (None, 4):
        for axis in (None, -1):
            y = tf.math.bincount(NUMBERS, weights, axis=axis, maxlength=maxlength)
            flat = [np.bincount(n, w, 8) for n, w in zip(NUMBERS, weights, strict=True)]
            wanted = np.array(flat) if axis == -1 else np.sum(flat, axis=0)
            np.testing.assert_allclose(y.numpy(), wanted[..., :maxlength])
    check_grads(lambda w: tf.math.bincount(NUMBERS, w, axis=-1, maxlength=4) ** 2, [weights], order=2)
    assert tf.math.bincount([1, 0], weights=tf.constant([5, 2])).numpy().tolist() == [2, 5]


def test_refused_counts():
    for options, text in (
        ({"axis": 1}, "axis must be None, 0 or -1, got 1"),
        ({"weights": [1.0] * 2, "binary_output": True}, "both"),
    ):
        with pytest.raises(ValueError, match=text):
            tf.math.bincount([1, 2], **options)
    with pytest.raises(IAE, match="arr holds -1"):
        tf.math.bincount([1, -1])
    with pytest.raises(IAE, match="weights is"):
        tf.math.bincount([1, 2], weights=[1.0])
    with pytest.raises(IAE, match="vectors and matrices"):
        tf.math.bincount([[[1]]], axis=-1)
    with pytest.raises(IAE, match="maxlength must not be negative, got -1"):
        tf.math.bincount([1], maxlength=-1)


def test_counts_in_a_map():
    y = tf.vectorized_map(
        lambda row: tf.math.bincount(row, minlength=4, maxlength=4),
        np.array(NUMBERS, np.int32),
        fallback_to_while_loop=False,
    )
    assert y.numpy().tolist() == [[0, 2, 0, 0], [1, 1, 0, 1]]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_histogram(dtype):
    values = np.array([[-1, 0, 1, 2], [5, 15, 4, 3]]).astype(dtype)
    assert tf.histogram_fixed_width_bins(values, [0, 5], 5).numpy().tolist() == [[0, 0, 1, 2], [4, 4, 4, 3]]
    assert tf.histogram_fixed_width(values, [0, 5], 5).numpy().tolist() == [2, 1, 1, 1, 3]
    assert tf.histogram_fixed_width(values, [0, 5], 5, dtype=tf.int64).dtype == tf.int64


def test_histogram_as_numpy():
    x = np.random.default_rng(2).normal(size=1000)
    wanted, _ = np.histogram(np.clip(x, -2, 2), 17, (-2, 2))
    np.testing.assert_array_equal(tf.histogram_fixed_width(x, [-2.0, 2.0], 17).numpy(), wanted)
    assert tf.histogram_fixed_width([np.inf, -np.inf], [0.0, 1.0], 2).numpy().tolist() == [1, 1]


@pytest.mark.parametrize("function", [tf.histogram_fixed_width, tf.histogram_fixed_width_bins])
def test_refused_histograms(function):
    for arguments, text in (
        (([1.0], [1.0, 1.0]), r"value_range must be a pair, the smaller limit first, got \[1\.0, 1\.0\]"),
        (([1.0], [0.0, 1.0, 2.0]), "give a pair"),
        (([1.0], [0.0, 1.0], 0), "nbins must be at least 1, got 0"),
        (([np.nan], [0.0, 1.0]), "nan"),
    ):
        with pytest.raises(IAE, match=text):
            function(*arguments)
    with pytest.raises(TypeError, match="dtype must be int32 or int64, got float32"):
        function([1.0], [0.0, 1.0], dtype=tf.float32)


def test_confusion_matrix():
    y = tf.math.confusion_matrix([1, 2, 4], [2, 2, 4]).numpy()
    wanted = np.zeros((5, 5), np.int32)
    wanted[1, 2] = wanted[2, 2] = wanted[4, 4] = 1
    np.testing.assert_array_equal(y, wanted)
    assert y.dtype == np.int32
    assert tf.math.confusion_matrix([1, 0], [[1], [1]], num_classes=3).numpy().tolist() == [
        [0, 1, 0],
        [0, 1, 0],
        [0] * 3,
    ]
    assert tf.math.confusion_matrix([1, 0], [1, 1], weights=[5, 2], dtype=tf.float32).numpy().tolist() == [
        [0, 2],
        [0, 5],
    ]
    assert tf.math.confusion_matrix([0], [0], weights=[1.5]).numpy().tolist() == [[1]]
    assert tf.math.confusion_matrix(np.zeros(0, int), np.zeros(0, int), 2).numpy().tolist() == [[0, 0], [0, 0]]
    matrix = lambda w: tf.math.confusion_matrix([1, 0, 1], [1, 1, 1], weights=w, dtype=tf.float64)  # noqa: E731
    check_grads(lambda w: matrix(w) ** 2, [np.array([0.5, 1.0, 2.0])], order=2)


def test_refused_classes():
    for arguments, text in (
        (([1, -1], [0, 0]), "labels.*negative"),
        (([0, 0], [0, 3], 3), "predictions.*out of bound"),
        (([0, 0], [0]), "one prediction for each label"),
        (([0], [0], None, [1.0, 2.0]), "weights is"),
    ):
        with pytest.raises(IAE, match=text):
            tf.math.confusion_matrix(*arguments)


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 3.0]])
def test_negative_numbers_are_refused_in_every_mode(weights):
    def count(x):
        return tf.math.bincount(x, weights=weights, minlength=3, maxlength=3)

    x = tf.constant([0, -1, 2])
    dtype = tf.int32 if weights is None else tf.float32
    ways = [
        lambda: count(x),
        lambda: tf.function(count)(x),
        lambda: tf.function(count, input_signature=[tf.TensorSpec([None], tf.int32)])(x),
        lambda: tf.function(lambda rows: tf.map_fn(count, rows, fn_output_signature=dtype))(tf.stack([x, x])),
        lambda: tf.vectorized_map(count, tf.stack([x, x])),
        lambda: list(tf.data.Dataset.from_tensors(x).map(count)),
    ]
    for way in ways:
        with pytest.raises(tf.errors.InvalidArgumentError):
            way()


def test_weights_of_numbers_beyond_the_last_are_left_out():
    x = tf.constant([[0, 7, 2], [3, 2, 0]])
    weights = tf.constant([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    wanted = [[1.0, 0.0, 4.0], [32.0, 0.0, 16.0]]
    for way in (tf.math.bincount, tf.function(tf.math.bincount)):
        assert way(x, weights, minlength=3, maxlength=3, axis=-1).numpy().tolist() == wanted
    with tf.GradientTape() as tape:
        tape.watch(weights)
        sums = tf.math.bincount(x, weights, minlength=3, maxlength=3)
    assert tape.gradient(sums, weights).numpy().tolist() == [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]


def test_limits_from_numbers_of_a_function():
    """Both limits are only known when the function runs: made-up ones must not be equal."""
    x = tf.constant([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0])
    limits = lambda x: [tf.reduce_min(x), tf.reduce_max(x)]  # noqa: E731
    assert tf.function(lambda x: tf.histogram_fixed_width(x, limits(x), 5))(x).numpy().tolist() == [4, 1, 0, 0, 1]
    assert tf.function(lambda x: tf.histogram_fixed_width_bins(x, limits(x), 5))(x).numpy().tolist() == [
        0,
        0,
        0,
        0,
        1,
        4,
    ]
    mapped = tf.function(
        lambda xs: tf.map_fn(lambda x: tf.histogram_fixed_width(x, limits(x), 5), xs, fn_output_signature=tf.int32)
    )
    assert mapped(tf.stack([x, 2 * x])).numpy().tolist() == [[4, 1, 0, 0, 1]] * 2
