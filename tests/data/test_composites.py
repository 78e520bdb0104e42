"""Datasets of sparse and ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset
ROWS = [[1, 2], [], [3, 4, 5]]


def test_slices_of_ragged_tensors() -> None:
    made = Dataset.from_tensor_slices((tf.ragged.constant(ROWS), tf.constant([7, 8, 9])))
    assert [(x.numpy().tolist(), int(y)) for x, y in made] == [([1, 2], 7), ([], 8), ([3, 4, 5], 9)]
    assert made.element_spec == (tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32))
    assert int(made.cardinality()) == 3
    deep = Dataset.from_tensor_slices(tf.ragged.constant([ROWS, ROWS[:1]]))
    assert [x.to_list() for x in deep] == [ROWS, ROWS[:1]]
    assert [x.to_list() for x in deep.batch(2)] == [[ROWS, ROWS[:1]]]


def test_slices_of_sparse_tensors() -> None:
    table = np.array([[0, 1, 0], [2, 0, 3]])
    made = Dataset.from_tensor_slices(tf.sparse.from_dense(table))
    assert [tf.sparse.to_dense(x).numpy().tolist() for x in made] == table.tolist()
    (whole,) = made.batch(2)
    assert tf.sparse.to_dense(whole).numpy().tolist() == table.tolist()
    assert made.element_spec == tf.SparseTensorSpec([3], tf.int64)


def test_ragged_batches() -> None:
    made = Dataset.range(1, 6).map(lambda n: {"row": tf.range(n), "n": n}).ragged_batch(2)
    found = list(made)
    assert [x["row"].to_list() for x in found] == [[[0], [0, 1]], [[0, 1, 2], [0, 1, 2, 3]], [[0, 1, 2, 3, 4]]]
    assert found[0]["n"].numpy().tolist() == [1, 2]
    assert made.element_spec["row"] == tf.RaggedTensorSpec([None, None], tf.int64)


def test_sparse_batches() -> None:
    (found,) = Dataset.range(1, 3).map(tf.range).sparse_batch(2, [None])
    assert tf.sparse.to_dense(found).numpy().tolist() == [[0, 0], [0, 1]]
    with pytest.raises(tf.errors.DataLossError, match="row_shape"):
        list(Dataset.range(1, 5).map(tf.range).sparse_batch(4, [2]))


def test_maps_of_strings() -> None:
    made = Dataset.from_tensor_slices(["a b", "c"]).batch(2).map(tf.strings.split)
    (found,) = made
    assert found.to_list() == [[b"a", b"b"], [b"c"]]
    assert made.element_spec == tf.RaggedTensorSpec([None, None], tf.string)


def test_in_functions() -> None:
    made = Dataset.from_tensor_slices(tf.ragged.constant([ROWS, ROWS[:1]])).map(lambda x: x * 2)

    @tf.function
    def total(dataset: Any) -> Any:
        found = tf.constant(0)
        for x in dataset:
            found += tf.reduce_sum(x)
        return found

    assert int(total(made)) == 36


def test_rows_must_agree() -> None:
    with pytest.raises(ValueError, match="first dimensions differ"):
        Dataset.from_tensor_slices((tf.ragged.constant(ROWS), tf.constant([1, 2])))


FLOATS = [[1.0, 2.0], [3.0], [4.0, 5.0, 6.0]]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda ds: ds.batch(2), [FLOATS[:2], FLOATS[2:]]),
        (lambda ds: ds.batch(2, drop_remainder=True), [FLOATS[:2]]),
        (lambda ds: ds.skip(1).repeat(2).batch(3), [[*FLOATS[1:], FLOATS[1]], [FLOATS[2]]]),
        (lambda ds: ds.filter(lambda row: tf.size(row) > 1).batch(3), [[FLOATS[0], FLOATS[2]]]),
        (lambda ds: ds.cache().prefetch(1).batch(3), [FLOATS]),
        (lambda ds: ds.concatenate(ds).batch(6), [FLOATS + FLOATS]),
        (lambda ds: ds.batch(2).unbatch().batch(3), [FLOATS]),
        (lambda ds: ds.window(2).flat_map(lambda w: w.batch(2)), [FLOATS[:2], FLOATS[2:]]),
        (lambda ds: ds.take(1).batch(1), [FLOATS[:1]]),
    ],
)
def test_rows_of_ragged_tensors_are_ragged_in_batches(change: Any, expected: Any) -> None:
    dataset = change(Dataset.from_tensor_slices(tf.ragged.constant(FLOATS)))
    found = list(dataset)
    assert all(isinstance(x, tf.RaggedTensor) for x in found)
    assert [x.to_list() for x in found] == expected


def test_specs_of_rows_of_ragged_tensors() -> None:
    dataset = Dataset.from_tensor_slices((tf.ragged.constant(FLOATS), [1, 2, 3]))
    assert repr(dataset.element_spec[0]) == "RaggedTensorSpec(TensorShape([None]), tf.float32, 0, tf.int64)"
    assert dataset.batch(2).element_spec[0] == tf.RaggedTensorSpec([None, None], tf.float32, 1)
    ((rows, labels),) = dataset.shuffle(3, seed=1).batch(3)
    assert sorted(rows.to_list()) == FLOATS
    assert labels.shape == [3]

    @tf.function
    def total() -> Any:
        found = 0.0
        for row, _ in dataset:
            found += tf.reduce_sum(row)
        return found

    assert float(total()) == 21.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="different shapes"):
        list(dataset.map(lambda row, _: row * 2.0).batch(3))


def test_extension_types_without_rows_are_not_batched() -> None:
    class Point(tf.experimental.ExtensionType):
        x: tf.Tensor

    with pytest.raises(TypeError, match="batch: elements must not be of Point, which has no rows"):
        list(tf.data.Dataset.from_tensors(Point(1.0)).batch(1))
