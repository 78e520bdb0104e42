"""tf.slice and tf.strided_slice."""

import numpy as np
import pytest

import gradtape as tf

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture
def x():
    return tf.constant(X)


def test_slice(x):
    np.testing.assert_array_equal(tf.slice(x, [0, 1, 0], [1, -1, 2]).numpy(), X[:1, 1:, :2])
    np.testing.assert_array_equal(tf.slice(x, tf.constant([1, 0, 0]), tf.constant([1, 3, 4])).numpy(), X[1:])
    assert tf.slice(x, [2, 0, 0], [0, 1, 1]).shape == [0, 1, 1]
    for begin, size, text in [
        ([0, 1, 0], [1, 5, 2], r"size\[1\] is 5"),
        ([-1, 1, 0], [1, 1, 2], r"begin\[0\] is -1"),
        ([0, 1], [1, 1], "one int per axis"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            tf.slice(x, begin, size)


@pytest.mark.parametrize(
    ("begin", "end", "strides", "masks", "key"),
    [
        ([0], [1], None, {}, np.s_[0:1]),
        ([0, 0], [2, 3], [1, 2], {}, np.s_[0:2, 0:3:2]),
        ([1], [2], None, {"shrink_axis_mask": 1}, np.s_[1]),
        ([1, -1], [2, 0], [1, -1], {"begin_mask": 2, "end_mask": 2}, np.s_[1:2, ::-1]),
        ([0, 0], [1, 2], None, {"ellipsis_mask": 1}, np.s_[..., 0:2]),
        ([0, 0], [1, 2], None, {"new_axis_mask": 1}, np.s_[None, 0:2]),
    ],
)
def test_strided_slice(x, begin, end, strides, masks, key):
    np.testing.assert_array_equal(tf.strided_slice(x, begin, end, strides, **masks).numpy(), X[key])


def test_strided_slice_of_a_variable_can_be_assigned():
    v = tf.Variable([1.0, 2.0, 3.0])
    tf.strided_slice(v, [0], [2], var=v).assign([7.0, 8.0])
    np.testing.assert_array_equal(v.numpy(), [7, 8, 3])


def test_strided_slice_refuses(x):
    with pytest.raises(tf.errors.InvalidArgumentError, match="begin has 2 entries, end 1"):
        tf.strided_slice(x, [0, 0], [1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="the step of axis 0 must not be 0"):
        tf.strided_slice(x, [0], [1], [0])


def test_gradient():
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.slice(v, [1], [2]) * tf.strided_slice(v, [3], [1], [-1])  # v1 * v3, v2 * v2
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [0, 4, 6, 2])
