"""SparseTensor: its parts, its refusals, and gradients through its values."""

import pickle
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads


def matrix(values=(1.0, 2.0)):
    return tf.SparseTensor([[0, 1], [2, 0]], values, [3, 4])


def test_parts():
    sp = matrix()
    assert sp.shape == (3, 4)
    assert sp.get_shape() == (3, 4)
    assert sp.dtype is tf.float32
    assert sp.indices.dtype is tf.int64
    assert sp.dense_shape.numpy().tolist() == [3, 4]
    assert sp.values.numpy().tolist() == [1.0, 2.0]
    assert sp.consumers() == []


def test_indices_of_another_width():
    sp = tf.SparseTensor(np.array([[0, 1]], np.int32), tf.constant([1]), tf.TensorShape([2, 2]))
    assert sp.indices.dtype is tf.int64
    assert sp.dtype is tf.int32
    with pytest.raises(ValueError, match="conversion requested dtype int64 for Tensor with dtype int32"):
        tf.SparseTensor(tf.constant([[0, 1]]), [1], [2, 2])
    with pytest.raises(ValueError, match="dense_shape must be int64"):
        tf.SparseTensor([[0, 1]], [1], tf.constant([2, 2]))


def test_a_shape_of_which_one_size_is_known() -> None:
    @tf.function
    def shapes(places: Any, values: Any, columns: Any) -> Any:
        sp = tf.SparseTensor(places, values, [5, columns])
        found = [sp, tf.sparse.reorder(sp), tf.sparse.to_dense(sp), tf.sparse.fill_empty_rows(sp, 1.0)[0]]
        assert [x.shape.as_list() for x in found] == [[5, None]] * 4
        return tf.sparse.sparse_dense_matmul(sp, tf.ones([6, 3]))

    product = shapes(tf.constant([[0, 0]], tf.int64), tf.constant([1.0]), tf.constant(6, tf.int64))
    assert product.shape == [5, 3]


def test_a_dense_factor_of_unknown_sizes_is_repeated() -> None:
    sp = tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [1.0, 2.0, 3.0], [3, 4])
    scale = tf.function(
        lambda x, y: x * y, input_signature=[tf.SparseTensorSpec([None, None]), tf.TensorSpec([None, None])]
    )
    for factor in ([[2.0], [3.0], [4.0]], [[2.0, 3.0, 4.0, 5.0]], [[2.0]]):
        np.testing.assert_array_equal(scale(sp, tf.constant(factor)).values, (sp * tf.constant(factor)).values)


def test_repr_is_tensorflows():
    text = repr(tf.SparseTensor([[1]], [2.0], [3]))
    assert text == (
        "SparseTensor(indices=tf.Tensor([[1]], shape=(1, 1), dtype=int64), values=tf.Tensor([2.], shape=(1,), "
        "dtype=float32), dense_shape=tf.Tensor([3], shape=(1,), dtype=int64))"
    )


@pytest.mark.parametrize(
    "parts",
    [
        ([0, 1], [1.0], [3]),
        ([[0, 1]], [1.0, 2.0], [3, 4]),
        ([[0, 1]], [1.0], [3]),
        ([[0, 1]], [[1.0]], [3, 4]),
    ],
)
def test_shapes_that_do_not_fit(parts):
    with pytest.raises(ValueError, match="indices needs a row for each value"):
        tf.SparseTensor(*parts)


def test_indices_must_be_integers():
    with pytest.raises(TypeError, match="int64"):
        tf.SparseTensor([[0.5, 1.0]], [1.0], [3, 4])


def test_it_is_no_tensor():
    sp = matrix()
    for use in (tf.convert_to_tensor, tf.reduce_sum):
        with pytest.raises(ValueError, match="unsupported type"):
            use(sp)
    with pytest.raises(ValueError, match="need a dense tensor"):
        sp * sp
    for use in (
        len,
        list,
        lambda x: -x,
        lambda x: x + x,
        lambda x: x[0],
        lambda x: tf.ones([3, 4]) + x,
    ):
        with pytest.raises(TypeError):
            use(sp)
    for name in ("op", "graph", "numpy", "name"):
        with pytest.raises(AttributeError):
            getattr(sp, name)
    assert sp == sp
    assert sp != matrix()
    assert sp in {sp: 1}


def test_a_product_with_something_dense():
    sp = matrix()
    assert (sp * 2.0).values.numpy().tolist() == [2.0, 4.0]
    assert (sp / tf.Variable(2.0)).values.numpy().tolist() == [0.5, 1.0]
    assert (sp * np.arange(12.0).reshape(3, 4)).values.numpy().tolist() == [1.0, 16.0]
    assert (sp * [0.0, 10.0, 20.0, 30.0]).values.numpy().tolist() == [10.0, 0.0]
    check_grads(lambda v, x: (tf.SparseTensor([[0, 1], [2, 0]], v, [3, 4]) * x).values, ([1.0, 2.0], np.ones((3, 1))))


def test_gradients_flow_through_values():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(matrix(v).values ** 2)
    assert tape.gradient(loss, v).numpy().tolist() == [2.0, 4.0]


def test_nest_takes_it_for_a_leaf_or_for_its_parts():
    sp = matrix()
    assert tf.nest.flatten([sp, 1]) == [sp, 1]
    parts = tf.nest.flatten({"a": sp}, expand_composites=True)
    assert [p is q for p, q in zip(parts, (sp.indices, sp.values, sp.dense_shape), strict=True)] == [True] * 3
    packed = tf.nest.pack_sequence_as({"a": sp}, [parts[0], parts[1] * 2.0, parts[2]], expand_composites=True)
    assert packed["a"].values.numpy().tolist() == [2.0, 4.0]
    assert tf.nest.map_structure(lambda x: x.shape[0], (sp,)) == (3,)


def test_copies():
    sp = matrix()
    assert sp.with_values([5, 6]).dtype is tf.int32
    assert tf.SparseTensor.from_value(sp).values is sp.values
    assert pickle.loads(pickle.dumps(sp)).values.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="must be a SparseTensor"):
        tf.SparseTensor.from_value([1])
