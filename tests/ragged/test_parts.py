"""Ragged tensors: parts, running sums, what constructors keep and what specs have in common."""

import pytest

import gradtape as tf

ROWS = tf.ragged.constant([[1, 2], [3], [], [4, 5, 6]])


def test_split():
    first, second = tf.split(ROWS, 2)
    assert (first.to_list(), second.to_list()) == ([[1, 2], [3]], [[], [4, 5, 6]])
    assert [part.to_list() for part in tf.split(ROWS, [1, 3])] == [[[1, 2]], [[3], [], [4, 5, 6]]]
    traced = tf.function(lambda x: tf.split(x, 2))(ROWS)
    assert [part.to_list() for part in traced] == [first.to_list(), second.to_list()]


@pytest.mark.parametrize(
    ("parts", "axis", "text"),
    [(3, 0, "Cannot exactly split"), ([1, -1], 0, "must be non-negative"), (2, 1, "Cannot split a ragged dimension")],
)
def test_split_is_refused(parts, axis, text):
    with pytest.raises(ValueError, match=text):
        tf.split(ROWS, parts, axis)


def test_cumsum():
    assert tf.cumsum(ROWS, 1).to_list() == [[1, 3], [3], [], [4, 9, 15]]
    assert tf.cumsum(ROWS, 1, exclusive=True, reverse=True).to_list() == [[2, 0], [0], [], [11, 6, 0]]
    assert tf.cumsum(ROWS).to_list() == [[1, 2], [4], [], [8, 7, 6]]
    with tf.GradientTape() as tape:
        x = tf.constant([1.0, 2.0, 3.0])
        tape.watch(x)
        y = tf.cumsum(tf.RaggedTensor.from_row_splits(x, [0, 2, 3]), 1).flat_values
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 1.0, 1.0]


def test_mean_of_integers():
    mean = tf.reduce_mean(ROWS[:2], 1)
    assert (mean.dtype, mean.numpy().tolist()) == (tf.float64, [1.5, 3.0])


def test_uniform_rows_of_unknown_length():
    made = tf.function(lambda v, n: tf.RaggedTensor.from_uniform_row_length(v, n))
    found = made.get_concrete_function(tf.TensorSpec([None]), tf.TensorSpec([], tf.int32))
    assert found.structured_outputs.shape.as_list() == [None, None]
    assert made(tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(2)).to_list() == [[1.0, 2.0], [3.0, 4.0]]
    assert tf.RaggedTensor.from_uniform_row_length([], 0).shape.as_list() == [0, 0]


def test_a_partition_is_kept():
    values, ids, count = tf.constant(["a", "b"]), tf.constant([0, 1], tf.int64), tf.constant(4, tf.int64)
    made = tf.RaggedTensor.from_value_rowids(values, ids, count)
    assert made.value_rowids() is ids
    assert made.nrows() is count
    lengths = tf.constant([1, 1])
    assert tf.RaggedTensor.from_row_lengths(values, lengths).row_lengths() is lengths


def test_common_supertype():
    specs = [tf.RaggedTensorSpec([n, None, 4], tf.float32, 1) for n in (32, 3)]
    assert specs[0].most_specific_compatible_type(specs[1]) == tf.RaggedTensorSpec([None, None, 4], tf.float32, 1)
    assert not specs[0].is_subtype_of(specs[1])
    assert specs[0].is_subtype_of(tf.RaggedTensorSpec([None, None, 4], tf.float32, 1))
    assert specs[0].most_specific_common_supertype([tf.RaggedTensorSpec([3, None, 4], tf.int32, 1)]) is None
    sparse = tf.SparseTensorSpec([2, 3]).most_specific_compatible_type(tf.SparseTensorSpec([2, 4]))
    assert sparse == tf.SparseTensorSpec([2, None])


PARTITION = tf.experimental.RowPartition.from_row_lengths([2, 1])


@pytest.mark.parametrize(
    ("call", "fix"),
    [
        (lambda: tf.experimental.DynamicRaggedShape.from_lengths(3), r"from_lengths\(\[2, \(2, 1\), 2\]\)"),
        (lambda: tf.experimental.DynamicRaggedShape.from_lengths([2, (2, 1, 3)]), "a tuple of 2 ints"),
        (lambda: tf.experimental.DynamicRaggedShape.from_lengths([2, (2, 1)])[1], r"x.row_lengths\(\)"),
        (lambda: tf.experimental.RowPartition.from_row_splits([]), r"begin with 0 .*\[0\] for no rows"),
        (lambda: tf.experimental.RowPartition.from_row_lengths([1.5]), "tf.cast"),
        (lambda: type(tf.type_spec_from_value(PARTITION))(nvals=3, uniform_row_length=2), "leave nvals out"),
        (lambda: bool(tf.ragged.constant([[1], [2, 3]])), "tf.reduce_any"),
    ],
)
def test_errors_of_partitions_and_shapes_say_what_to_write(call, fix):
    with pytest.raises((ValueError, TypeError), match=rf"\.\n  at:  .*\n  fix: .*{fix}"):
        call()
