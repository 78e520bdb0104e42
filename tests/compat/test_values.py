"""The arrays of sparse and ragged tensors of version 1, and functions of version 1 on them."""

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_constant_values_have_the_dtypes_of_numpy():
    value = v1.ragged.constant_value([[1, 2], [3]])
    assert repr(value) == "tf.RaggedTensorValue(values=array([1, 2, 3]), row_splits=array([0, 2, 3]))"
    assert (value.shape, value.ragged_rank, value.to_list()) == ((2, None), 1, [[1, 2], [3]])
    assert v1.ragged.constant_value([["a", "bc"]]).dtype == "<U2"
    assert v1.ragged.constant_value([1, 2]).dtype == np.int64
    assert v1.ragged.constant_value([[-1]], dtype=tf.uint8).values.tolist() == [255]
    with pytest.raises(TypeError, match="may not be"):
        v1.ragged.constant_value(value)


def test_functions_take_the_arrays():
    ragged = v1.ragged.constant_value([[1, 2], [3]], dtype=np.int32)
    assert tf.add(ragged, 1).to_list() == [[2, 3], [4]]
    assert tf.concat([ragged, ragged], 0).to_list() == [[1, 2], [3], [1, 2], [3]]
    sparse = v1.SparseTensorValue([[0, 0], [1, 2]], [1, 2], [2, 3])
    assert tf.sparse.to_dense(sparse).numpy().tolist() == [[1, 0, 0], [0, 0, 2]]
    assert tf.ragged.cross([sparse, tf.constant([[1], [2]])]).to_list() == [[b"1_X_1"], [b"2_X_2"]]
    with pytest.raises(ValueError, match="unsupported type"):
        tf.convert_to_tensor(ragged)


def test_a_vector_chooses_ragged_rows():
    x, y = tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4, 5], [6]])
    assert v1.where([True, False], x, y).to_list() == [[1], [6]]
    assert v1.where(tf.ragged.constant([[True], [True, False]]), x, x * 10).to_list() == [[1], [2, 30]]


def test_batch_gather_of_rows():
    x = tf.ragged.constant([["a", "b", "c"], ["d"]])
    assert v1.batch_gather(x, tf.ragged.constant([[2, 0], [0]])).to_list() == [[b"c", b"a"], [b"d"]]


def test_strings_are_split_into_a_sparse_tensor():
    for found in (v1.string_split(["a b  c", ""]), v1.strings.split(["a b  c", ""])):
        assert found.values.numpy().tolist() == [b"a", b"b", b"c"]
        assert found.dense_shape.numpy().tolist() == [2, 3]
    assert v1.string_split(["a,b;c"], ",;", result_type="RaggedTensor").to_list() == [[b"a", b"b", b"c"]]
    with pytest.raises(ValueError, match="result_type"):
        v1.strings.split(["a"], result_type="list")


def test_indices_of_dense_tensors_must_rise():
    for indices in ([[1], [1]], [[2], [1]]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            v1.sparse_to_dense(indices, [5], [1, 2])
    assert v1.sparse_to_dense([[2], [1]], [5], [1, 2], validate_indices=False).numpy().tolist() == [0, 2, 1, 0, 0]


def test_numbers_beside_a_tensor_take_its_dtype_in_where() -> None:
    x = tf.constant([0.5, 2.0], tf.float64)
    assert v1.where([True, False], x, 1.0).dtype == v1.where([True, False], 1, x).dtype == tf.float64
