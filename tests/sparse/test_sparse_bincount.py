"""`tf.math.bincount` of sparse tensors: zeros that are not there are not counted."""

import pytest

import gradtape as tf


@pytest.fixture
def ids():
    return tf.sparse.from_dense([[1, 2], [0, 1], [3, 3]])


def test_counts_of_all_and_of_rows(ids):
    assert tf.math.bincount(ids).numpy().tolist() == [0, 2, 1, 2]
    assert tf.math.bincount(ids, axis=-1).numpy().tolist() == [[0, 1, 1, 0], [0, 1, 0, 0], [0, 0, 0, 2]]
    assert tf.math.bincount(ids, axis=-1, binary_output=True).numpy().tolist()[2] == [0, 0, 0, 1]
    assert tf.math.bincount(ids, axis=-1, maxlength=2).numpy().tolist() == [[0, 1], [0, 1], [0, 0]]


def test_weights(ids):
    weights = tf.sparse.from_dense([[1.0, 2.0], [0.0, 1.0], [3.0, 3.0]])
    assert tf.math.bincount(ids, weights, axis=-1).numpy().tolist()[2] == [0.0, 0.0, 0.0, 6.0]


def test_in_a_function(ids):
    counts = tf.function(lambda x: tf.math.bincount(x, axis=-1, minlength=5, maxlength=5))(ids)
    assert counts.numpy().tolist() == [[0, 1, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 2, 0]]


def test_no_axis_means_all_axes() -> None:
    for axis in (None, 0):
        found = tf.sparse.bincount(tf.constant([[1, 1], [3, 1]]), axis=axis)
        assert tf.sparse.to_dense(found).numpy().tolist() == [0, 3, 0, 1]
