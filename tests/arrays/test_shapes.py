"""Shapes as tensors, and checks of shapes."""

import numpy as np
import pytest

import gradtape as tf

X = np.zeros((2, 3, 4), np.float32)


def test_shape_size_rank():
    x = tf.constant(X)
    assert tf.shape(x).dtype == tf.int32
    assert tf.shape(x).numpy().tolist() == [2, 3, 4]
    assert tf.shape(x, out_type=tf.int64).dtype == tf.int64
    assert tf.shape(5.0).shape == [0]
    assert tf.size(x).numpy() == 24
    assert tf.size(x, tf.int64).dtype == tf.int64
    assert tf.rank([[1]]).numpy() == 2
    assert [s.numpy().tolist() for s in tf.shape_n([x, 1.0])] == [[2, 3, 4], []]


def test_shape_of_a_variable_is_that_of_its_value():
    v = tf.Variable([1.0, 2.0], shape=[None])
    v.assign([1.0, 2.0, 3.0])
    assert tf.shape(v).numpy().tolist() == [3]
    assert tf.size(v).numpy() == 3


def test_no_gradient_through_shapes():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.size(x), tf.float32) * 2.0
    assert tape.gradient(y, x) is None


def test_ensure_shape():
    assert tf.ensure_shape(X, [2, None, 4]).shape == [2, 3, 4]
    assert tf.ensure_shape(X, None).shape == [2, 3, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"x must have shape \[2, None\], got \[2, 3, 4\]"):
        tf.ensure_shape(X, [2, None])


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ([1, 2], [3, 1], [3, 2]),
        ([None, 2], [3, 1], [3, 2]),
        ([2], [4, 3, 1], [4, 3, 2]),
        ([None], [1], [None]),
        ([], [2], [2]),
    ],
)
def test_broadcast_static_shape(a, b, wanted):
    assert tf.broadcast_static_shape(tf.TensorShape(a), tf.TensorShape(b)) == tf.TensorShape(wanted)
    assert tf.broadcast_static_shape(tf.TensorShape(b), tf.TensorShape(a)) == tf.TensorShape(wanted)


def test_broadcast_shapes_that_do_not_fit():
    assert tf.broadcast_static_shape(tf.TensorShape(None), tf.TensorShape([2])) == tf.TensorShape(None)
    with pytest.raises(ValueError, match="do not broadcast together"):
        tf.broadcast_static_shape(tf.TensorShape([3, 2]), tf.TensorShape([3, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not broadcast together"):
        tf.broadcast_dynamic_shape([3, 2], [3, 3])


def test_broadcast_dynamic_shape():
    assert tf.broadcast_dynamic_shape([1, 2], [3, 1]).numpy().tolist() == [3, 2]
    assert tf.broadcast_dynamic_shape(tf.constant([2], tf.int64), [3, 1]).dtype == tf.int64
