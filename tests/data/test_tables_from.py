"""Tables made of datasets, and datasets filled up."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

E = tf.data.experimental


def test_tables() -> None:
    keys = tf.data.Dataset.from_tensor_slices(["a", "b", "c"])
    table = E.index_table_from_dataset(keys.batch(2))
    np.testing.assert_array_equal(table.lookup(tf.constant(["c", "x"])), [2, -1])
    buckets = E.index_table_from_dataset(keys, num_oov_buckets=1)
    np.testing.assert_array_equal(buckets.lookup(tf.constant(["a", "x"])), [0, 3])
    pairs = tf.data.Dataset.zip((keys, tf.data.Dataset.from_tensor_slices(["x", "y", "z"])))
    assert E.table_from_dataset(pairs).lookup(tf.constant(["b", "?"])).numpy().tolist() == [b"y", b""]
    with pytest.raises(ValueError, match="pairs"):
        E.DatasetInitializer(keys)


def test_padding() -> None:
    dataset = tf.data.Dataset.from_tensor_slices({"x": [[1, 2], [3, 4]]})
    padded = list(dataset.apply(E.pad_to_cardinality(4)).as_numpy_iterator())
    assert [bool(e["valid"]) for e in padded] == [True, True, False, False]
    np.testing.assert_array_equal(padded[1]["x"], [3, 4])
    np.testing.assert_array_equal(padded[3]["x"], [0, 0])
    with pytest.raises(ValueError, match="less than the target cardinality"):
        dataset.apply(E.pad_to_cardinality(1))
    with pytest.raises(ValueError, match="dicts"):
        tf.data.Dataset.range(2).apply(E.pad_to_cardinality(3))


def test_older_names() -> None:
    rows = [[0], [0, 1], [0, 1, 2]]
    dataset = tf.data.Dataset.from_generator(lambda: rows, output_signature=tf.TensorSpec([None], tf.int64))
    (batch,) = list(dataset.apply(E.dense_to_ragged_batch(3)))
    assert batch.to_list() == [[0], [0, 1], [0, 1, 2]]
    (sparse,) = list(dataset.apply(E.dense_to_sparse_batch(3, [3])))
    assert sparse.dense_shape.numpy().tolist() == [3, 3]
    assert next(iter(dataset.apply(E.copy_to_device("/cpu:0")))).numpy().tolist() == [0]
