"""Sparse lookups of embeddings, against loops. Numbers without a formula are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

TABLE = np.arange(12.0).reshape(6, 2) + 0.5
PLACES = [[0, 0], [0, 1], [2, 0], [2, 1]]
IDS = tf.SparseTensor(PLACES, [1, 3, 0, 0], [4, 2])
WEIGHTS = tf.SparseTensor(PLACES, [2.0, 0.5, 1.0, 3.0], [4, 2])


def by_row(table, ids, weights, combiner, rows):
    result = np.zeros((rows, *table.shape[1:]))
    for row in range(rows):
        mine = [k for k, (i, _) in enumerate(PLACES) if i == row]
        if mine:
            w = np.array([weights[k] for k in mine])
            size = {"sum": 1.0, "mean": w.sum(), "sqrtn": np.sqrt((w**2).sum())}[combiner]
            result[row] = sum(weights[k] * table[ids[k]] for k in mine) / size
    return result


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_lookup(combiner, weights):
    w = [1.0] * 4 if weights is None else weights.values.numpy()
    wanted = by_row(TABLE, IDS.values.numpy(), w, combiner, 4)
    for table in (tf.Variable(TABLE), [TABLE[:2], TABLE[2:]]):
        got = tf.nn.embedding_lookup_sparse(table, IDS, weights, combiner=combiner)
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_the_mean_is_the_default():
    a, b = (tf.nn.embedding_lookup_sparse(TABLE, IDS, None, combiner=c) for c in (None, "mean"))
    np.testing.assert_array_equal(a, b)


def test_a_largest_norm():
    short = TABLE / np.maximum(1.0, np.linalg.norm(TABLE, axis=1, keepdims=True))
    got = tf.nn.embedding_lookup_sparse(TABLE, IDS, WEIGHTS, combiner="sum", max_norm=1.0)
    np.testing.assert_allclose(got, by_row(short, IDS.values.numpy(), WEIGHTS.values.numpy(), "sum", 4), rtol=1e-6)


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_derivatives(combiner):
    def f(table, weights):
        return tf.nn.embedding_lookup_sparse(table, IDS, WEIGHTS.with_values(weights), combiner=combiner)

    check_grads(f, (TABLE, np.array([2.0, 0.5, 1.0, 3.0])))


def test_gradients_are_rows():
    table = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.embedding_lookup_sparse(table, IDS, None, combiner="sum") ** 2)
    gradient = tape.gradient(loss, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [1, 3, 0, 0]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.safe_embedding_lookup_sparse(table, IDS, default_id=5) ** 2)
    assert isinstance(tape.gradient(loss, table), tf.IndexedSlices)


@pytest.mark.parametrize(
    ("ids", "weights", "combiner", "error", "words"),
    [
        (IDS, None, "foo", ValueError, "combiner must be one of"),
        (tf.constant([1]), None, "sum", TypeError, "sp_ids must be SparseTensor"),
        (IDS, tf.constant([1.0]), "sum", TypeError, "sp_weights must be SparseTensor"),
        (IDS, tf.SparseTensor([[0, 0]], [2.0], [4, 2]), "sum", ValueError, "ids and weights differ: 4 vs 1"),
        (tf.SparseTensor([[0, 0]], [9], [1, 1]), None, "sum", tf.errors.InvalidArgumentError, "is not in [0, 6)"),
        (tf.SparseTensor([[0, 0]], [1.0], [1, 1]), None, "sum", tf.errors.InvalidArgumentError, "ids must be integers"),
    ],
)
def test_refusals(ids, weights, combiner, error, words):
    with pytest.raises(error) as caught:
        tf.nn.embedding_lookup_sparse(TABLE, ids, weights, combiner=combiner)
    assert words in str(caught.value)


DIRTY = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], [1, -1, -1, 2], [4, 2])
DIRTY_WEIGHTS = DIRTY.with_values([1.0, 1.0, 1.0, 0.0])


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
@pytest.mark.parametrize("default", [None, 5])
def test_safe_lookup(combiner, default):
    nothing = np.zeros(2) if default is None else TABLE[5]
    got = tf.nn.safe_embedding_lookup_sparse(TABLE, DIRTY, combiner=combiner, default_id=default)
    np.testing.assert_allclose(got, [TABLE[1], nothing, nothing, TABLE[2]])
    got = tf.nn.safe_embedding_lookup_sparse(TABLE, DIRTY, DIRTY_WEIGHTS, combiner=combiner, default_id=default)
    last = np.zeros(2) if combiner == "sum" else nothing
    np.testing.assert_allclose(got, [TABLE[1], nothing, nothing, last])


def test_safe_lookup_of_more_dimensions():
    ids = tf.SparseTensor([[0, 0, 0], [1, 1, 0], [1, 1, 1]], [1, 2, 4], [2, 2, 2])
    got = tf.nn.safe_embedding_lookup_sparse(TABLE, ids, combiner="sum")
    np.testing.assert_allclose(got, [[TABLE[1], np.zeros(2)], [np.zeros(2), TABLE[2] + TABLE[4]]])


def test_safe_lookup_derivatives():
    def f(table, weights):
        return tf.nn.safe_embedding_lookup_sparse(table, DIRTY, DIRTY.with_values(weights), default_id=3)

    check_grads(f, (TABLE, np.array([1.5, 1.0, 1.0, 0.5])))


def test_safe_lookup_needs_a_table():
    for table in (None, []):
        with pytest.raises(ValueError, match="Missing embedding_weights"):
            tf.nn.safe_embedding_lookup_sparse(table, DIRTY)
    with pytest.raises(ValueError, match=r"sparse_ids must have rank 2 or more, got shape \(2,\)"):
        tf.nn.safe_embedding_lookup_sparse(TABLE, tf.SparseTensor([[0]], [1], [2]))


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_ragged_ids(combiner):
    table = tf.constant(np.arange(8.0).reshape(4, 2))
    ids, weights = tf.ragged.constant([[1, 3], [], [2]]), tf.ragged.constant([[0.5, 2.0], [], [1.5]])
    for given in (None, weights):
        found = tf.nn.embedding_lookup_sparse(table, ids, given, combiner)
        sparse = None if given is None else given.to_sparse()
        np.testing.assert_allclose(found, tf.nn.embedding_lookup_sparse(table, ids.to_sparse(), sparse, combiner))


def test_safe_lookup_takes_ragged_ids():
    ids = tf.ragged.constant([[1, 2], [], [0]])
    table = tf.constant([[1.0], [2.0], [4.0]])
    assert tf.nn.safe_embedding_lookup_sparse(table, ids).numpy().tolist() == [[3.0], [0.0], [1.0]]
    weights = tf.ragged.constant([[1.0, 3.0], [], [2.0]])
    found = tf.nn.safe_embedding_lookup_sparse(table, ids, weights, combiner="sum", default_id=2)
    assert found.numpy().tolist() == [[14.0], [4.0], [2.0]]
