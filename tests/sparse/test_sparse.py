"""`tf.sparse`: dense NumPy arrays are the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

A = np.array([[0.0, 1.5, 0.0], [2.0, 0.0, -3.0]])
B = np.array([[0.5, -1.5, 0.0], [0.0, 0.0, 4.0]])


def sp(array: Any) -> tf.SparseTensor:
    return tf.sparse.from_dense(tf.constant(array))


def dense(x: Any) -> Any:
    return tf.sparse.to_dense(x).numpy()


def filled(values: Any, like: Any = A) -> tf.SparseTensor:
    """A sparse tensor of other values at the places of an array's."""
    return tf.SparseTensor(np.argwhere(like), values, like.shape)


VALUES = tf.constant(A[A != 0])
OTHERS = tf.constant(B[B != 0])

UNCHANGED: dict[str, tuple[Any, Any]] = {
    "from_dense": (lambda x: x, A),
    "reorder": (lambda x: tf.sparse.reorder(tf.SparseTensor(x.indices[::-1], x.values[::-1], x.dense_shape)), A),
    "add": (lambda x: tf.sparse.add(x, sp(B)), A + B),
    "maximum": (lambda x: tf.sparse.maximum(x, sp(B)), np.maximum(A, B)),
    "minimum": (lambda x: tf.sparse.minimum(x, sp(B)), np.minimum(A, B)),
    "concat": (lambda x: tf.sparse.concat(0, [x, sp(B), x]), np.concatenate([A, B, A])),
    "concat columns": (lambda x: tf.sparse.concat(-1, [x, sp(B)]), np.concatenate([A, B], 1)),
    "slice": (lambda x: tf.sparse.slice(x, [0, 1], [2, 5]), A[:, 1:]),
    "split": (lambda x: tf.sparse.split(x, 2, 1)[1], A[:, 2:]),
    "reshape": (lambda x: tf.sparse.reshape(x, [3, -1]), A.reshape(3, 2)),
    "transpose": (tf.sparse.transpose, A.T),
    "expand_dims": (lambda x: tf.sparse.expand_dims(x, 1), A[:, None]),
    "expand_dims last": (tf.sparse.expand_dims, A[..., None]),
    "retain": (lambda x: tf.sparse.retain(x, x.values > 0), np.maximum(A, 0)),
    "map_values": (lambda x: tf.sparse.map_values(tf.multiply, x, x), A * A),
    "reduce_sum sparse": (lambda x: tf.sparse.reduce_sum(x, 1, True, output_is_sparse=True), A.sum(1, keepdims=True)),
    "multiply": (lambda x: x * np.array([1.0, 2.0, 3.0]), A * [1.0, 2.0, 3.0]),
    "divide": (lambda x: x / np.array([[2.0], [4.0]]), A / [[2.0], [4.0]]),
}
DENSE: dict[str, tuple[Any, Any]] = {
    "to_dense": (tf.sparse.to_dense, A),
    "to_dense default": (lambda x: tf.sparse.to_dense(x, 7.0), np.where(A == 0, 7.0, A)),
    "add dense": (lambda x: tf.sparse.add(x, tf.constant(B)), A + B),
    "reduce_sum": (tf.sparse.reduce_sum, A.sum()),
    "reduce_sum axis": (lambda x: tf.sparse.reduce_sum(x, 0), A.sum(0)),
    "reduce_sum keepdims": (lambda x: tf.sparse.reduce_sum(x, [-1], keepdims=True), A.sum(1, keepdims=True)),
    "reduce_max": (lambda x: tf.sparse.reduce_max(x, 0), np.array([2.0, 1.5, -3.0])),
    "matmul": (lambda x: tf.sparse.sparse_dense_matmul(x, B.T), A @ B.T),
    "matmul adjoint": (lambda x: tf.sparse.sparse_dense_matmul(x, B, adjoint_a=True), A.T @ B),
    "matmul adjoint b": (lambda x: tf.sparse.sparse_dense_matmul(x, B, adjoint_b=True), A @ B.T),
    "dense matmul": (lambda x: tf.sparse.sparse_dense_matmul(tf.constant(B), x, adjoint_b=True), B @ A.T),
    "dense matmul adjoint": (lambda x: tf.sparse.sparse_dense_matmul(tf.constant(B), x, adjoint_a=True), B.T @ A),
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_sparse_results(name: str) -> None:
    function, expected = UNCHANGED[name]
    np.testing.assert_allclose(dense(function(sp(A))), expected)
    np.testing.assert_allclose(dense(tf.function(function)(sp(A))), expected)


@pytest.mark.parametrize("name", DENSE)
def test_dense_results(name: str) -> None:
    function, expected = DENSE[name]
    np.testing.assert_allclose(function(sp(A)), expected)
    np.testing.assert_allclose(tf.function(function)(sp(A)), expected)


@pytest.mark.parametrize("name", UNCHANGED)
def test_gradients_of_sparse_results(name: str) -> None:
    function = UNCHANGED[name][0]
    check_grads(lambda v: function(filled(v)).values ** 2, [VALUES], order=2)


@pytest.mark.parametrize("name", DENSE)
def test_gradients_of_dense_results(name: str) -> None:
    function = DENSE[name][0]
    check_grads(lambda v: function(filled(v)) ** 2, [VALUES], order=2)


def test_gradients_in_functions() -> None:
    @tf.function
    def loss(x: Any, w: Any) -> Any:
        return tf.reduce_sum(tf.sparse.sparse_dense_matmul(x, w) ** 2)

    w = tf.Variable(B.T)
    values = tf.Variable(VALUES)
    with tf.GradientTape() as tape:
        y = loss(filled(values), w)
    grads = tape.gradient(y, [values, w])
    product = A @ B.T
    np.testing.assert_allclose(grads[0], (2 * product @ B)[A != 0])
    np.testing.assert_allclose(grads[1], A.T @ (2 * product))
    assert loss(sp(A * (A > 0)), w).numpy() == pytest.approx(((A * (A > 0)) @ B.T * ((A * (A > 0)) @ B.T)).sum())
    assert loss.experimental_get_tracing_count() == 1


def test_gradient_of_the_dense_operand() -> None:
    check_grads(lambda b: tf.sparse.sparse_dense_matmul(sp(A), b), [tf.constant(B.T)], order=2)
    check_grads(lambda b: tf.sparse.add(b, sp(A)) ** 2, [tf.constant(B)], order=2)


def test_softmax() -> None:
    x = filled(VALUES)
    rows = [np.exp(r[r != 0]) / np.exp(r[r != 0]).sum() for r in A]
    np.testing.assert_allclose(tf.sparse.softmax(x).values, np.concatenate(rows))
    check_grads(lambda v: tf.sparse.softmax(filled(v)).values ** 2, [VALUES], order=2)


def test_threshold_of_sums() -> None:
    total = tf.sparse.add(sp(A), sp(B), threshold=1.0)
    assert total.values.numpy().tolist() == [2.0, 1.0]


def test_fill_empty_rows() -> None:
    x = tf.SparseTensor([[1, 0], [1, 2], [3, 1]], [1.0, 2.0, 3.0], [5, 3])
    full, is_empty = tf.sparse.fill_empty_rows(x, -1.0)
    assert full.indices.numpy().tolist() == [[0, 0], [1, 0], [1, 2], [2, 0], [3, 1], [4, 0]]
    assert full.values.numpy().tolist() == [-1.0, 1.0, 2.0, -1.0, 3.0, -1.0]
    assert is_empty.numpy().tolist() == [True, False, True, False, True]
    again, _ = tf.function(tf.sparse.fill_empty_rows)(x, -1.0)
    assert again.values.numpy().tolist() == full.values.numpy().tolist()


def test_other_shapes() -> None:
    x = tf.SparseTensor([[0, 1], [1, 0]], [1, 2], [4, 4])
    assert tf.sparse.reset_shape(x).shape == [2, 2]
    assert tf.sparse.reset_shape(x, [4, 9]).shape == [4, 9]
    wide = tf.sparse.concat(0, [x, tf.SparseTensor([[0, 5]], [3], [1, 6])], expand_nonconcat_dims=True)
    assert wide.shape == [5, 6]
    assert wide.indices.numpy().tolist() == [[0, 1], [1, 0], [4, 5]]


def test_indicator_eye_and_mask() -> None:
    x = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 3, 0], [2, 2])
    assert tf.sparse.to_indicator(x, 4).numpy().tolist() == [[False, True, False, True], [True, False, False, False]]
    np.testing.assert_array_equal(dense(tf.sparse.eye(2, 3)), np.eye(2, 3))
    rows = tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([4, 7, 9]))
    assert tf.sparse.mask(rows, [7]).indices.numpy().tolist() == [4, 9]


def test_segments() -> None:
    data, indices, ids = tf.constant(np.arange(8.0).reshape(4, 2)), [0, 1, 3], [0, 0, 2]
    rows = data.numpy()
    total = np.stack([rows[0] + rows[1], [0, 0], rows[3], [0, 0]])
    np.testing.assert_allclose(tf.sparse.segment_sum(data, indices, ids, 4), total)
    np.testing.assert_allclose(tf.sparse.segment_mean(data, indices, ids), total[:3] / [[2], [1], [1]])
    np.testing.assert_allclose(tf.sparse.segment_sqrt_n(data, indices, ids), total[:3] / np.sqrt([[2], [1], [1]]))
    check_grads(lambda d: tf.sparse.segment_mean(d, indices, ids) ** 2, [data], order=2)


def test_bincount() -> None:
    assert dense(tf.sparse.bincount([[1, 1], [3, 0]], axis=-1)).tolist() == [[0, 2, 0, 0], [1, 0, 0, 1]]
    assert dense(tf.sparse.bincount([1, 1, 3], minlength=6)).tolist() == [0, 2, 0, 1, 0, 0]
    assert dense(tf.sparse.bincount([1, 1, 3], maxlength=3, binary_output=True)).tolist() == [0, 1, 0]
    assert dense(tf.sparse.bincount([1, 1, 3], weights=[0.5, 0.25, 2.0])).tolist() == [0.0, 0.75, 0.0, 2.0]
    x = tf.SparseTensor([[0, 0], [1, 1]], [2, 2], [2, 2])
    assert dense(tf.sparse.bincount(x, axis=-1)).tolist() == [[0, 0, 1], [0, 0, 1]]


def test_strings() -> None:
    x = tf.sparse.from_dense([["a", ""], ["", "b"]])
    assert x.values.numpy().tolist() == [b"a", b"b"]
    assert tf.sparse.to_dense(x, "-").numpy().tolist() == [[b"a", b"-"], [b"-", b"b"]]


def test_in_functions() -> None:
    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float64)])
    def f(x: Any) -> Any:
        return {"sum": tf.sparse.reduce_sum(x, 1), "twice": tf.sparse.concat(0, [x, x])}

    for array in (A, np.zeros((1, 3)), np.ones((4, 3))):
        found = f(sp(array))
        np.testing.assert_allclose(found["sum"], array.sum(1))
        np.testing.assert_allclose(dense(found["twice"]), np.concatenate([array, array]))
    with pytest.raises(TypeError, match="Can not cast"):
        f(sp(A.T))
    assert f.experimental_get_tracing_count() == 1


def test_control_flow_and_nest() -> None:
    @tf.function
    def f(x: Any, flag: Any) -> Any:
        return tf.cond(flag, lambda: x.with_values(x.values * 2), lambda: x)

    np.testing.assert_allclose(dense(f(sp(A), tf.constant(True))), 2 * A)
    parts = tf.nest.flatten(sp(A), expand_composites=True)
    again = tf.nest.pack_sequence_as(sp(A), parts, expand_composites=True)
    np.testing.assert_allclose(dense(again), A)


def test_spec() -> None:
    spec = tf.SparseTensorSpec([None, 3], tf.float64)
    assert spec == tf.SparseTensorSpec([None, 3], tf.float64)
    assert spec != tf.SparseTensorSpec([2, 3])
    assert spec.is_compatible_with(sp(A))
    assert not spec.is_compatible_with(sp(A.T))
    assert tf.SparseTensorSpec.from_value(sp(A)).shape == [2, 3]


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        (lambda: tf.sparse.to_dense(A), TypeError, "must be a SparseTensor"),
        (lambda: dense(tf.SparseTensor([[1], [0]], [1, 2], [2])), tf.errors.InvalidArgumentError, "out of order"),
        (lambda: dense(tf.SparseTensor([[1], [1]], [1, 2], [2])), tf.errors.InvalidArgumentError, "repeated"),
        (lambda: dense(tf.SparseTensor([[2]], [1], [2])), tf.errors.InvalidArgumentError, "out of bounds"),
        (lambda: tf.sparse.add(A, B), TypeError, "At least one input"),
        (lambda: tf.sparse.add(sp(A), sp(A.T)), ValueError, "shapes"),
        (lambda: tf.sparse.concat(0, [sp(A), sp(A.T)]), ValueError, "differ outside of axis 0"),
        (lambda: tf.sparse.reshape(sp(A), [4]), ValueError, "do not fit"),
        (lambda: tf.sparse.transpose(sp(A), [0, 0]), tf.errors.InvalidArgumentError, "every axis once"),
        (lambda: tf.sparse.sparse_dense_matmul(sp(A), B), ValueError, "inner dimensions"),
        (lambda: tf.sparse.split(sp(A), 5, 1), tf.errors.InvalidArgumentError, "num_split is 5"),
        (lambda: tf.sparse.reset_shape(sp(A), [1, 3]), ValueError, "smaller"),
        (lambda: tf.sparse.softmax(sp(A[0])), ValueError, "rank 2"),
        (lambda: tf.sparse.map_values(tf.add, sp(A), sp(B)), tf.errors.InvalidArgumentError, "differ"),
        (lambda: tf.sparse.bincount([1], axis=1), ValueError, "axis is 1"),
        (lambda: tf.SparseTensor([[0]], [1, 2], [3]), ValueError, "a row for each value"),
    ],
)
def test_bad_arguments(wrong: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        wrong()


def test_functions_of_elements() -> None:
    for function in (tf.abs, tf.square, tf.math.tanh, tf.negative, tf.nn.relu):
        np.testing.assert_allclose(dense(function(sp(A))), function(tf.constant(A)))
    assert tf.cast(sp(A), tf.float32).dtype == tf.float32
    np.testing.assert_allclose(dense(tf.function(lambda x: tf.sqrt(tf.square(x)))(sp(A))), np.abs(A))
    with pytest.raises(ValueError, match=r"tf\.sparse\.to_dense"):
        tf.exp(sp(A))


def test_bincount_of_ragged_rows():
    rows = tf.ragged.constant([[1, 2, 1], [], [3]])
    counts = tf.sparse.to_dense(tf.sparse.bincount(rows, axis=-1))
    assert counts.numpy().tolist() == [[0, 2, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    weights = tf.ragged.constant([[0.5, 1.0, 2.0], [], [4.0]])
    sums = tf.sparse.to_dense(tf.sparse.bincount(rows, weights, axis=-1))
    assert sums.numpy().tolist() == [[0.0, 2.5, 1.0, 0.0], [0.0] * 4, [0.0, 0.0, 0.0, 4.0]]


@pytest.mark.parametrize("place", [-1, 5])
def test_edit_distance_of_elements_outside(place: int) -> None:
    inside, outside = (tf.SparseTensor([[i, 0]], [1], [2, 1]) for i in (0, place))
    for pair in ((inside, outside), (outside, inside)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="dense_shape"):
            tf.edit_distance(*pair)


@pytest.mark.parametrize("place", [[0, 3], [-1, 0]])
def test_sums_check_where_elements_are(place: list[int]) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="invalid index"):
        tf.sparse.add(tf.SparseTensor([place], [1.0], [2, 3]), tf.zeros([2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes differ"):
        tf.sparse.add(tf.SparseTensor([[0, 0]], [1.0], [2, 3]), tf.zeros([2, 1]))


def test_dense_tensors_have_room_for_all_elements() -> None:
    outside = tf.SparseTensor([[9]], [1.0], [5])
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        tf.sparse.to_dense(outside, validate_indices=False)


def test_one_tensor_is_concatenated_along_any_axis() -> None:
    assert dense(tf.sparse.concat(2000, [sp(A)])).tolist() == A.tolist()


def test_an_axis_of_a_sum_may_be_named_twice() -> None:
    assert tf.sparse.reduce_sum(sp(A), [0, 0]).numpy().tolist() == A.sum(0).tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid reduction dimension -3"):
        tf.sparse.reduce_sum(sp(A), -3)
