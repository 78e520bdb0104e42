"""Numbers of ragged tensors that were recorded from TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf

ROWS = [[1.0, 2.0], [3.0]]


def test_the_variance_of_integers_is_a_float():
    x = tf.ragged.constant([[3, 1, 4], [], [1, 5]])
    np.testing.assert_allclose(tf.math.reduce_variance(x, axis=1).numpy(), [14 / 9, np.nan, 4.0])
    np.testing.assert_allclose(tf.math.reduce_std(x).numpy(), np.std([3, 1, 4, 1, 5]))


def test_the_variance_of_equal_numbers_is_zero():
    x = tf.ragged.constant([[0.1, 0.1, 0.1], [0.7]])
    assert tf.math.reduce_variance(x, axis=1).numpy().tolist() == [0.0, 0.0]


def test_complex_numbers_have_no_variance():
    with pytest.raises(ValueError, match="complex"):
        tf.math.reduce_variance(tf.ragged.constant([[1j]]))


@pytest.mark.parametrize("other", [[[10], [100]], np.array([[10], [100]]), [[10.0], [100.0]]])
def test_lists_and_arrays_take_the_dtype_of_the_ragged_side(other):
    x = tf.ragged.constant(ROWS)
    for product in (x * other, tf.multiply(other, x)):
        assert product.dtype is tf.float32
        assert product.to_list() == [[10.0, 20.0], [300.0]]


def test_numpy_of_no_rows_and_of_rows_of_rows():
    assert tf.ragged.constant([], ragged_rank=1, dtype=tf.int32).numpy().shape == (0, 0)
    assert tf.ragged.constant([[[1], []], [[2, 3], [4]]]).numpy().shape == (2, 2)


@pytest.mark.parametrize(("axis", "batch_dims"), [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2)])
@pytest.mark.parametrize(("ragged_params", "ragged_indices"), [(1, 0), (1, 1), (2, 0), (2, 1)])
def test_gather_is_that_of_dense_tensors(axis, batch_dims, ragged_params, ragged_indices):
    params = np.arange(3 * 4 * 5 * 2).reshape(3, 4, 5, 2)
    indices = np.random.default_rng(0).integers(0, 3, (3, 4, 2)[: max(batch_dims, 1) + 1])
    places = tf.RaggedTensor.from_tensor(indices) if ragged_indices else tf.constant(indices)
    found = tf.gather(
        tf.RaggedTensor.from_tensor(params, ragged_rank=ragged_params), places, axis=axis, batch_dims=batch_dims
    )
    expected = tf.gather(params, indices, axis=axis, batch_dims=batch_dims)
    assert (found if isinstance(found, tf.Tensor) else found.to_tensor()).numpy().tolist() == expected.numpy().tolist()


def test_gather_nd_of_whole_tensors_and_its_refusals():
    x = tf.ragged.constant(ROWS)
    assert tf.gather_nd(x, tf.zeros([2, 0], tf.int32)).to_list() == [ROWS, ROWS]
    with pytest.raises(ValueError, match="at least 1"):
        tf.gather_nd(x, 0)
    with pytest.raises(ValueError, match="innermost dimension"):
        tf.gather_nd(x, x.with_flat_values(tf.constant([0, 1, 0])))


def test_masks_with_dense_axes():
    mask = tf.ragged.constant([[[True, False], [False, False]], [[True, True]]], ragged_rank=1)
    data = [[[1, 2], [3, 4]], [[5, 6]]]
    assert tf.ragged.boolean_mask(tf.ragged.constant(data, ragged_rank=1), mask).to_list() == [[[1], []], [[5, 6]]]
    assert tf.where(mask).numpy().tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 1]]


def test_row_lengths_along_a_dense_axis():
    x = tf.RaggedTensor.from_row_splits(tf.zeros([3, 5, 2]), [0, 1, 3])
    assert x.row_lengths(axis=3).to_list() == [[[2] * 5], [[2] * 5, [2] * 5]]


def test_segment_ids_need_not_be_sorted():
    found = tf.ragged.segment_ids_to_row_splits([0, 4, 3, 2, 4, 4, 2, 0, 0])
    assert found.numpy().tolist() == [0, 3, 3, 5, 6, 9]


def test_parts_must_have_numbers_below_their_count():
    assert tf.ragged.stack_dynamic_partitions(tf.constant(7), 1, 3).to_list() == [[], [7], []]
    for parts, what in (([-1, 0], "non-negative"), ([0, 3], "less than num_partitions")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=what):
            tf.ragged.stack_dynamic_partitions([1, 2], parts, 3)
    with pytest.raises(ValueError, match="incompatible"):
        tf.ragged.stack_dynamic_partitions([1, 2, 3], [0, 1], 3)


def test_cotangents_of_ragged_targets_are_ragged():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.RaggedTensor.from_row_splits(x * x, [0, 2, 3])
    assert tape.gradient(y, x, output_gradients=tf.ragged.constant(ROWS)).numpy().tolist() == [2.0, 8.0, 18.0]


def test_rows_of_one_length_and_others_have_a_common_spec():
    pyval = [{"x": [1, 3]}, {"x": [2, 4]}]
    one = tf.expand_dims(tf.experimental.StructuredTensor.from_pyval(pyval), 1)
    other = tf.experimental.StructuredTensor.from_pyval([[row] for row in pyval])
    tf.nest.assert_same_structure(one, other, expand_composites=True)


def test_rows_are_written_as_lists(capsys):
    import sys

    x = tf.ragged.constant([list(range(9)), []])
    tf.print(x, tf.ragged.constant([["a'b"]]), tf.SparseTensor([[0, 0]], [1], [1, 1]), output_stream=sys.stdout)
    sparse = "'SparseTensor(indices=[[0 0]], values=[1], shape=[1 1])'"
    assert capsys.readouterr().out == f"[[0, 1, 2, ..., 6, 7, 8], []] [['a\\'b']] {sparse}\n"
    assert tf.strings.format("{} {}", [x, tf.constant([1])], summarize=1).numpy() == b"[[0, ..., 8], []] [1]"
