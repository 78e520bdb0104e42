"""A dense tensor times a sparse one, counts of all numbers, and sizes that cannot be told."""

import numpy as np
import pytest

import gradtape as tf


def test_products_commute():
    sparse, dense = tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert (dense * sparse).values.numpy().tolist() == (sparse * dense).values.numpy().tolist() == [1.0, 8.0]
    with pytest.raises(TypeError):
        np.ones([2, 2], np.float32) * sparse


def test_no_axis_counts_all_numbers():
    for x in (tf.ragged.constant([[1, 1, 2], [3]]), tf.constant([[1, 1], [2, 3]])):
        assert tf.sparse.to_dense(tf.sparse.bincount(x, axis=None)).numpy().tolist() == [0, 2, 1, 1]


def test_a_size_beside_0_cannot_be_told():
    empty = tf.SparseTensor(np.zeros([0, 2], np.int64), np.zeros(0), [0, 3])
    assert tf.sparse.reshape(empty, [2, -1]).dense_shape.numpy().tolist() == [2, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot infer"):
        tf.sparse.reshape(empty, [0, -1])
