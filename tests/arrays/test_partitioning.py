"""Rows sent to several tensors and put together again."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads
from refusing import refused


@pytest.mark.parametrize("shape", [(5,), (5, 2), (2, 3), (2, 3, 2)])
def test_partition(shape):
    rng = np.random.default_rng(5)
    which = rng.integers(0, 3, shape[:1] if shape[0] == 5 else shape[:2])
    x = rng.normal(size=shape)
    found = tf.dynamic_partition(x, which, 3)
    assert isinstance(found, list)
    for i, part in enumerate(found):
        np.testing.assert_array_equal(part.numpy(), x[which == i])


def test_partition_of_a_scalar_place_and_of_nothing():
    first, second = tf.dynamic_partition([1.0, 2.0], 1, 2)
    assert (first.shape, second.numpy().tolist()) == ([0, 2], [[1.0, 2.0]])
    assert [p.shape for p in tf.dynamic_partition(tf.zeros([0, 3]), tf.zeros([0], tf.int32), 2)] == [[0, 3]] * 2
    assert tf.dynamic_partition(["a", "b"], [1, 0], 2)[1].numpy().tolist() == [b"a"]


def test_partition_differentiates():
    check_grads(lambda x: tf.dynamic_partition(x, [1, 0, 1], 3), [np.arange(6.0).reshape(3, 2)])
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        _, second = tf.dynamic_partition(x, [1, 0, 1], 2)
        y = second * second
    gradient = tape.gradient(y, x)
    assert isinstance(gradient, tf.Tensor)
    assert gradient.numpy().tolist() == [2.0, 0.0, 6.0]


def test_partition_is_checked():
    x = tf.ones([3])
    refused(lambda: tf.dynamic_partition(x, [0, 2, 0], 2), r"partitions\[1\] = 2 is not in \[0, 2\)")
    refused(lambda: tf.dynamic_partition(x, [0, -1, 0], 2), r"partitions\[1\] = -1 is not in \[0, 2\)")
    refused(lambda: tf.dynamic_partition(x, [0, 1], 2), "must start with that of partitions")
    refused(lambda: tf.dynamic_partition(x, [0, 0, 0], 0), "num_partitions must be at least 1, got 0")
    refused(lambda: tf.dynamic_partition(x, [0.0, 1.0, 0.0], 2), "must be integers")


def test_stitch():
    assert tf.dynamic_stitch([[0, 2], [1]], [[1.0, 3.0], [2.0]]).numpy().tolist() == [1.0, 2.0, 3.0]
    assert tf.dynamic_stitch([0, [2, 1]], [[1, 1], [[2, 2], [3, 3]]]).numpy().tolist() == [[1, 1], [3, 3], [2, 2]]
    assert tf.dynamic_stitch([[0, 0], [0]], [[1.0, 3.0], [2.0]]).numpy().tolist() == [2.0]
    assert tf.dynamic_stitch([[0], [3]], [[1.0], [2.0]]).numpy().tolist() == [1.0, 0.0, 0.0, 2.0]
    assert tf.dynamic_stitch([[1], [0]], [["a"], ["b"]]).numpy().tolist() == [b"b", b"a"]
    assert tf.dynamic_stitch([tf.zeros([0], tf.int32)], [tf.zeros([0, 3])]).shape == [0, 3]
    assert tf.dynamic_stitch([[[1, 0], [2, 3]]], [np.arange(4.0).reshape(2, 2)]).numpy().tolist() == [1, 0, 2, 3]


def test_stitch_undoes_partition():
    x, which = tf.random.normal([6, 2]), [2, 0, 1, 0, 2, 2]
    places = tf.dynamic_partition(tf.range(6), which, 3)
    parts = tf.dynamic_partition(x, which, 3)
    np.testing.assert_array_equal(tf.dynamic_stitch(places, parts).numpy(), x.numpy())


def test_of_several_rows_for_one_place_the_last_gets_the_gradient():
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
    with tf.GradientTape() as tape:
        y = tf.dynamic_stitch([[0, 1], [0]], [a, b]) * tf.constant([5.0, 7.0])
    found = tape.gradient(y, [a, b])
    assert [g.numpy().tolist() for g in found] == [[0.0, 7.0], [5.0]]
    check_grads(lambda p, q: tf.dynamic_stitch([[0, 1], [0]], [p, q]), [np.ones((2, 2)), np.ones((1, 2))])


def test_stitch_in_a_map():
    data = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    found = tf.vectorized_map(lambda row: tf.dynamic_stitch([[1, 0]], [row]), data)
    assert found.numpy().tolist() == [[2.0, 1.0], [4.0, 3.0]]


def test_stitch_is_checked():
    refused(lambda: tf.dynamic_stitch([[-1]], [[1.0]]), "= -1 is out of range")
    refused(
        lambda: tf.dynamic_stitch([[0], [1]], [[1.0]]), "data, of length 1, must match indices, of length 2", ValueError
    )
    refused(lambda: tf.dynamic_stitch([[0], [1]], [[[1.0]], [1.0]]), r"data\[1\] has shape")
    refused(lambda: tf.dynamic_stitch([[0, 1]], [[1.0]]), r"data\[0\] has shape")
    refused(lambda: tf.dynamic_stitch([], []), "indices is empty")
    refused(lambda: tf.dynamic_stitch([[0.5]], [[1.0]]), "must be integers")
