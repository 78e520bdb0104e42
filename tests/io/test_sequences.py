"""`tf.io.parse_sequence_example`: expected values are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

io = tf.io


def record(count: int, words: list[bytes], numbers: list[list[int]] | None) -> bytes:
    """A record with a context, one list of words and perhaps one of numbers."""
    made = tf.train.SequenceExample()
    made.context.feature["n"].int64_list.value.append(count)
    for word in words:
        made.feature_lists.feature_list["w"].feature.add().bytes_list.value.append(word)
    for step in numbers or []:
        made.feature_lists.feature_list["v"].feature.add().int64_list.value.extend(step)
    return made.SerializeToString()


A, B = record(2, [b"a", b"b"], [[1, 2], [3]]), record(1, [b"c"], None)
CONTEXT = {"n": io.FixedLenFeature([], tf.int64)}
WORDS = {"w": io.FixedLenSequenceFeature([], tf.string)}


def test_one_record() -> None:
    context, found = io.parse_single_sequence_example(A, CONTEXT, {**WORDS, "v": io.VarLenFeature(tf.int64)})
    assert int(context["n"]) == 2
    assert found["w"].numpy().tolist() == [b"a", b"b"]
    np.testing.assert_array_equal(found["v"].indices, [[0, 0], [0, 1], [1, 0]])
    np.testing.assert_array_equal(found["v"].values, [1, 2, 3])
    np.testing.assert_array_equal(found["v"].dense_shape, [2, 2])


def test_several_records() -> None:
    context, found, lengths = io.parse_sequence_example([A, B], CONTEXT, {**WORDS, "v": io.VarLenFeature(tf.int64)})
    np.testing.assert_array_equal(context["n"], [2, 1])
    assert found["w"].numpy().tolist() == [[b"a", b"b"], [b"c", b""]]
    np.testing.assert_array_equal(found["v"].indices, [[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    np.testing.assert_array_equal(found["v"].dense_shape, [2, 2, 2])
    assert list(lengths) == ["w"]
    np.testing.assert_array_equal(lengths["w"], [2, 1])


def test_shapes_of_steps() -> None:
    data = record(1, [], [[1, 2], [3, 4], [5, 6]])
    feature = {"v": io.FixedLenSequenceFeature([2, 1], tf.int64)}
    _, found = io.parse_single_sequence_example(data, sequence_features=feature)
    np.testing.assert_array_equal(found["v"], [[[1], [2]], [[3], [4]], [[5], [6]]])


def test_missing_lists() -> None:
    missing = {"v": io.FixedLenSequenceFeature([], tf.int64)}
    with pytest.raises(tf.errors.InvalidArgumentError, match="Feature list 'v' is required but could not be found"):
        io.parse_single_sequence_example(B, None, missing)
    allowed = {"v": io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}
    assert io.parse_single_sequence_example(B, None, allowed)[1]["v"].shape == (0,)
    sparse = io.parse_single_sequence_example(B, None, {"v": io.VarLenFeature(tf.int64)})[1]["v"]
    np.testing.assert_array_equal(sparse.dense_shape, [0, 0])


def test_ragged_steps() -> None:
    feature = {"v": io.RaggedFeature(tf.int64)}
    assert io.parse_single_sequence_example(A, None, feature)[1]["v"].to_list() == [[1, 2], [3]]
    assert io.parse_sequence_example([A, B], None, feature)[1]["v"].to_list() == [[[1, 2], [3]], []]


def test_partitions_of_steps() -> None:
    made = tf.train.SequenceExample()
    for values, lengths in (([1, 2, 3], [1, 2]), ([4], [0, 1])):
        made.feature_lists.feature_list["v"].feature.add().int64_list.value.extend(values)
        made.feature_lists.feature_list["p"].feature.add().int64_list.value.extend(lengths)
    feature = {"r": io.RaggedFeature(tf.int64, "v", [io.RaggedFeature.RowLengths("p")])}
    data = made.SerializeToString()
    assert io.parse_single_sequence_example(data, None, feature)[1]["r"].to_list() == [[[1], [2, 3]], [[], [4]]]
    assert io.parse_sequence_example([data], None, feature)[1]["r"].to_list() == [[[[1], [2, 3]], [[], [4]]]]


def test_in_a_function() -> None:
    @tf.function
    def parse(data: tf.Tensor) -> Any:
        context, found = io.parse_single_sequence_example(data, CONTEXT, WORDS)
        return context["n"] + 1, found["w"]

    number, words = parse(tf.constant(A))
    assert (int(number), words.numpy().tolist()) == (3, [b"a", b"b"])


def test_refuses() -> None:
    with pytest.raises(ValueError, match="Both context_features and sequence_features are None"):
        io.parse_single_sequence_example(A)
    with pytest.raises(ValueError, match="must be a vector"):
        io.parse_sequence_example(A, CONTEXT)
    with pytest.raises(ValueError, match="must be a scalar"):
        io.parse_single_sequence_example([A], CONTEXT)
    with pytest.raises(ValueError, match="Unsupported FixedLenFeature"):
        io.parse_single_sequence_example(A, None, {"w": io.FixedLenFeature([], tf.string)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected type: int64, but it is string"):
        io.parse_single_sequence_example(A, None, {"w": io.VarLenFeature(tf.int64)})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Key: v, Index: 1(.|\n)*values size: 1"):
        io.parse_single_sequence_example(A, None, {"v": io.FixedLenSequenceFeature([2], tf.int64)})
