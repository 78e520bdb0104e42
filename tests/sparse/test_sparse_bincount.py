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


def test_weights_stand_where_the_values_do(ids):
    """They are checked, whether they are sparse, ragged or dense."""
    ragged = tf.ragged.constant([[1, 2], [4]])
    for count in (tf.math.bincount, tf.sparse.bincount):
        with pytest.raises(ValueError, match="must be a SparseTensor"):
            count(ids, weights=[1.0, 2.0], axis=-1)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same indices"):
            count(ids, weights=tf.sparse.from_dense([[1, 2], [3, 0], [3, 3]]), axis=-1)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same dense shape"):
            count(ids, weights=tf.SparseTensor(ids.indices, ids.values, [4, 2]), axis=0)
        with pytest.raises(ValueError, match="must be a RaggedTensor"):
            count(ragged, weights=[1.0, 2.0, 3.0], axis=-1)
        with pytest.raises(tf.errors.InvalidArgumentError, match="row"):
            count(ragged, weights=tf.ragged.constant([[1.0], [2.0, 3.0]]), axis=-1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same shape"):
        tf.sparse.bincount([[3, 2, 1]], weights=[[3], [2], [1]], axis=-1)


def test_what_cannot_be_counted():
    for values in ([1.0], [True], tf.constant([1], tf.int16)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="int32, int64"):
            tf.sparse.bincount(values)
    for wrong in ({"maxlength": -2}, {"minlength": -2}):
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least -1"):
            tf.sparse.bincount([1], **wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match="1 or 2 axes"):
        tf.sparse.bincount([[[1]]], axis=-1)


def test_no_numbers_leave_one_place():
    assert tf.sparse.bincount(tf.zeros([0], tf.int32)).dense_shape.numpy().tolist() == [1]
    assert tf.sparse.bincount(tf.zeros([2, 0], tf.int32), axis=-1).dense_shape.numpy().tolist() == [2, 1]
    assert tf.sparse.bincount(tf.zeros([0], tf.int32), maxlength=0).dense_shape.numpy().tolist() == [0]


def test_rows_of_more_axes():
    found = tf.sparse.bincount(tf.sparse.from_dense(tf.ones([2, 3, 2], tf.int32)), axis=-1)
    assert tf.sparse.to_dense(found).numpy().tolist() == [[0, 6], [0, 6]]


def test_functions_of_values_ask_for_one_shape(ids):
    with pytest.raises(tf.errors.InvalidArgumentError, match="same dense shape"):
        tf.sparse.map_values(tf.add, ids, tf.SparseTensor(ids.indices, ids.values, [25, 25]))
