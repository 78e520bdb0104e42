"""Ragged tensors that broadcast to each other, and what is said of axes that they do not have."""

from typing import Any

import numpy as np
import pytest

import gradtape as tf

R = tf.ragged.constant


def test_rows_of_length_one_are_repeated() -> None:
    one = tf.RaggedTensor.from_uniform_row_length([10.0, 20.0], 1)
    assert (one + R([[1.0, 2.0, 3.0], [4.0]])).to_list() == [[11.0, 12.0, 13.0], [24.0]]
    assert (R([[1.0, 2.0]]) * R([[1.0, 2.0], [3.0, 4.0]])).to_list() == [[1.0, 4.0], [3.0, 8.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="different row lengths"):
        R([[1.0, 2.0], [3.0]]) + R([[1.0], [2.0, 3.0]])


def test_gradients_of_repeated_rows_are_added_up() -> None:
    flat = tf.constant([10.0, 20.0])
    with tf.GradientTape() as tape:
        tape.watch(flat)
        y = tf.RaggedTensor.from_uniform_row_length(flat, 1) * R([[1.0, 2.0, 3.0], [4.0]])
    np.testing.assert_array_equal(tf.convert_to_tensor(tape.gradient(y.flat_values, flat)), [6.0, 4.0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.reduce_sum(x, axis=5),
        lambda x: tf.concat([x, x], 5),
        lambda x: tf.expand_dims(x, 5),
        lambda x: x.row_lengths(5),
    ],
)
def test_an_axis_that_is_not_there(function: Any) -> None:
    with pytest.raises(ValueError, match=r"axis=5 out of bounds: expected -\d<=axis<\d"):
        function(R([[1], [2, 3]]))


def test_dense_indices_in_each_row_give_a_dense_result() -> None:
    found = tf.gather(R([[1.0, 2.0], [4.0], [3.0]]), [[0, 1], [0, 0], [0, 0]], batch_dims=1)
    np.testing.assert_array_equal(found, [[1.0, 2.0], [4.0, 4.0], [3.0, 3.0]])
    assert tf.ragged.stack([tf.constant([1, 2])]).to_list() == [[1, 2]]


def test_lengths_of_shapes_are_checked() -> None:
    from_lengths = tf.experimental.DynamicRaggedShape.from_lengths
    assert from_lengths([2, 3, 4], num_row_partitions=-1).static_lengths() == [2, 3, 4]
    with pytest.raises(ValueError, match="must be >= 0"):
        from_lengths([2, -2])
    with pytest.raises(ValueError, match="num_row_partitions must count the ragged axes"):
        from_lengths([2, (2, 1)], num_row_partitions=0)
