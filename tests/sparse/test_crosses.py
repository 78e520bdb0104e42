"""Crosses of features; the hashes are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads


def inputs() -> tuple[Any, Any, Any]:
    letters = tf.sparse.from_dense([["a", "b"], ["c", ""]])
    return letters, tf.constant([["x"], ["y"]]), tf.constant([[1, 2], [3, 4]], tf.int64)


def test_sparse_cross() -> None:
    a, b, c = inputs()
    found = tf.sparse.cross([a, b, c])
    assert found.values.numpy().tolist() == [
        b"a_X_x_X_1", b"a_X_x_X_2", b"b_X_x_X_1", b"b_X_x_X_2", b"c_X_y_X_3", b"c_X_y_X_4",
    ]  # fmt: skip
    assert found.indices.numpy().tolist() == [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]]
    assert found.shape == [2, 4]
    assert tf.sparse.cross([a, b], separator="-").values.numpy().tolist() == [b"a-x", b"b-x", b"c-y"]


def test_hashes() -> None:
    a, b, c = inputs()
    whole = [1484974617627318892, 3552177129620670004, 6571367263544129360]
    assert tf.sparse.cross_hashed([a, b]).values.numpy().tolist() == whole
    assert tf.sparse.cross_hashed([a, c], 100).values.numpy().tolist() == [85, 87, 83, 57, 94, 22]
    assert tf.sparse.cross_hashed([a, c], 100, 7).values.numpy().tolist() == [77, 40, 52, 93, 12, 62]
    rows = tf.ragged.constant([["a", "b"], ["c"]])
    assert tf.ragged.cross_hashed([rows, b], 100).to_list() == [[92, 4], [60]]
    assert tf.function(lambda x, y: tf.ragged.cross_hashed([x, y], 100))(rows, b).to_list() == [[92, 4], [60]]


def test_ragged_cross() -> None:
    rows = tf.ragged.constant([["a", "b"], ["c"]])
    other = tf.ragged.constant([["x"], ["y", "z"]])
    assert tf.ragged.cross([rows, other]).to_list() == [[b"a_X_x", b"b_X_x"], [b"c_X_y", b"c_X_z"]]


def test_sampled_addmm() -> None:
    a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])

    def f(x: Any, y: Any, v: Any) -> Any:
        return tf.sparse.sampled_addmm([[0, 1], [1, 0]], v, [2, 2], x, y, 2.0, 0.5, tf.float64)[1]

    arguments = [tf.constant(a), tf.constant(b), tf.constant([1.0, 2.0], tf.float64)]
    np.testing.assert_allclose(f(*arguments), 0.5 * (a @ b)[[0, 1], [1, 0]] + [2.0, 4.0])
    check_grads(f, arguments, order=2)


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        (lambda: tf.ragged.cross(3), TypeError, "must be a list"),
        (lambda: tf.sparse.cross_hashed([], num_buckets=-1), tf.errors.InvalidArgumentError, "must not be negative"),
        (lambda: tf.ragged.cross([["a"]]), ValueError, "rank 1"),
    ],
)
def test_bad_arguments(wrong: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        wrong()


def test_no_features() -> None:
    assert tf.ragged.cross([]).to_list() == []
    assert tf.sparse.cross([]).dense_shape.numpy().tolist() == [0, 0]
    assert tf.sparse.cross_hashed([]).dtype == tf.int64
