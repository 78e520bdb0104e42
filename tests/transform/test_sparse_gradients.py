"""Gradients of lookups stay rows: through sums, scaling and clipping, until someone asks for the whole tensor."""

import time
import tracemalloc

import numpy as np
import pytest

import gradtape as tf
from gradtape.core import memory
from gradtape.core.op import REGISTRY

random = np.random.default_rng(9)
ROWS, WIDTH, LOOKUPS = 100_000, 64, 4_096


def small_table(dtype=tf.float32):
    return tf.Variable(tf.cast(tf.constant(np.arange(1.0, 11.0).reshape(5, 2)), dtype))


@pytest.fixture
def densified(monkeypatch):
    """The shapes of the tables that were filled in from rows."""
    op, made = REGISTRY["scatter_rows"], []

    def kernel(indices, values, *, rows, **params):
        made.append((rows, *values.shape[1:]))
        return type(op).kernel(op, indices, values, rows=rows, **params)

    monkeypatch.setattr(op, "kernel", kernel, raising=False)
    return made


def lookups(table, weights):
    """A loss with three lookups in one table, one of them through a copy."""
    a = tf.nn.embedding_lookup(table, [0, 3, 3])
    b = tf.gather(tf.identity(table), tf.constant([3], tf.int64))
    c = tf.gather_nd(table, [[1], [0]])
    return tf.reduce_sum(a @ weights) + tf.reduce_sum(b * b) + tf.reduce_sum(tf.sin(c))


def dense_gradient(table):
    """What the gradient of `lookups` is, written out."""
    x = table.numpy().astype(np.float64)
    g = np.zeros_like(x)
    g[0] += [3.0, 4.0]
    g[3] += [6.0, 8.0] + 2.0 * x[3]
    g[[1, 0]] += np.cos(x[[1, 0]])
    return g


@pytest.fixture
def weights():
    return tf.constant([[3.0], [4.0]])


def test_sums_of_gradients_stay_rows(densified, weights):
    table = small_table()
    with tf.GradientTape() as tape:
        loss = lookups(table, weights)
    g = tape.gradient(loss, table)
    assert isinstance(g, tf.IndexedSlices)
    assert sorted(g.indices.numpy().tolist()) == [0, 0, 1, 3, 3, 3]
    assert densified == []
    np.testing.assert_allclose(tf.convert_to_tensor(g).numpy(), dense_gradient(table), rtol=1e-6)
    assert densified == [(5, 2)]


def test_several_losses_in_one_call_stay_rows(densified):
    table = small_table()
    with tf.GradientTape(persistent=True) as tape:
        losses = [tf.gather(table, i) ** 2 for i in ([0, 1], [1], 2)]
    g = tape.gradient(losses, table)
    assert isinstance(g, tf.IndexedSlices)
    assert densified == []
    both = tape.gradient(losses, [table, table])
    assert all(isinstance(h, tf.IndexedSlices) for h in both)


def test_clipping_and_norms_stay_rows(densified, weights):
    table, w = small_table(), tf.Variable(weights)
    with tf.GradientTape() as tape:
        loss = lookups(table, w)
    grads = tape.gradient(loss, [table, w])
    rows = grads[0].values.numpy()
    length = np.sqrt(np.sum(rows**2) + np.sum(grads[1].numpy() ** 2))
    np.testing.assert_allclose(tf.linalg.global_norm(grads).numpy(), length, rtol=1e-6)
    clipped, norm = tf.clip_by_global_norm(grads, 0.5)
    assert isinstance(clipped[0], tf.IndexedSlices)
    np.testing.assert_allclose(norm.numpy(), length, rtol=1e-6)
    np.testing.assert_allclose(clipped[0].values.numpy(), rows * (0.5 / length), rtol=1e-5)
    alone = tf.clip_by_norm(grads[0], 0.25)
    assert isinstance(alone, tf.IndexedSlices)
    np.testing.assert_allclose(np.sqrt(np.sum(alone.values.numpy() ** 2)), 0.25, rtol=1e-6)
    by_value = tf.clip_by_value(grads[0], -1.0, 1.0)
    assert isinstance(by_value, tf.IndexedSlices)
    assert by_value.dense_shape.numpy().tolist() == [5, 2]
    assert isinstance(-grads[0], tf.IndexedSlices)
    assert densified == []


def test_a_clipped_gradient_updates_the_rows_that_were_used(densified):
    table = small_table()
    before = table.numpy()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [1, 1, 4]) ** 2)
    g = tf.clip_by_norm(tape.gradient(loss, table), 1.0)
    table.scatter_sub(tf.IndexedSlices(0.1 * g.values, g.indices))
    rows = 2.0 * before[[1, 1, 4]]
    rows /= np.sqrt(np.sum(rows**2))
    wanted = before.copy()
    np.subtract.at(wanted, [1, 1, 4], 0.1 * rows)
    np.testing.assert_allclose(table.numpy(), wanted, rtol=1e-6)
    assert densified == []


def test_clipping_is_differentiable():
    table = small_table(tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.gather(table, [0, 2]) ** 3
        clipped, norm = tf.clip_by_global_norm([inner.gradient(y, table)], 1.0)
        target = tf.reduce_sum(clipped[0].values * [[1.0, 2.0], [3.0, 4.0]]) + norm
    second = tf.convert_to_tensor(outer.gradient(target, table)).numpy()

    def value(x):
        g = 3.0 * x[[0, 2]] ** 2
        n = np.sqrt(np.sum(g**2))
        return np.sum(g / n * [[1.0, 2.0], [3.0, 4.0]]) + n

    x, eps = table.numpy(), 1e-6
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = eps
        np.testing.assert_allclose(second[place], (value(x + step) - value(x - step)) / (2 * eps), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_norms_of_narrow_numbers_do_not_overflow(dtype):
    g = tf.IndexedSlices(tf.constant([[300.0], [400.0]], dtype), tf.constant([1, 1]), tf.constant([5, 1]))
    clipped, norm = tf.clip_by_global_norm([g, None], 5.0)
    assert (norm.dtype, clipped[0].dtype) == (dtype, dtype)
    np.testing.assert_allclose(tf.cast(norm, tf.float32).numpy(), 500.0, rtol=4e-3)
    for found in (clipped[0], tf.clip_by_norm(g, 5.0)):
        np.testing.assert_allclose(tf.cast(found.values, tf.float32).numpy(), [[3.0], [4.0]], rtol=8e-3)


def test_a_dense_path_makes_the_sum_dense_once(densified):
    table = small_table()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [0, 1])) + tf.reduce_sum(tf.gather(table, [1])) + tf.reduce_sum(table)
    g = tape.gradient(loss, table)
    assert isinstance(g, tf.Tensor)
    assert g.numpy().tolist() == [[2.0, 2.0], [3.0, 3.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    assert len(densified) <= 2


def test_rows_become_dense_where_they_are_used_as_a_tensor(densified):
    table = small_table()
    with tf.GradientTape() as tape:
        y = tf.gather(table, [1, 1]) * 2.0
    g = tape.gradient(y, table)
    for use in (lambda: tf.reduce_sum(g), lambda: np.asarray(tf.convert_to_tensor(g)), lambda: tf.add_n([g, g])):
        densified.clear()
        use()
        assert densified, "the whole table was not made"
    assert (tf.reduce_sum(g)).numpy() == 8.0
    table.assign_sub(0.5 * tf.convert_to_tensor(g))
    assert table.numpy()[1].tolist() == [1.0, 2.0]


def embedding_step(table, ids, w):
    with tf.GradientTape() as tape:
        e = tf.nn.embedding_lookup(table, ids)
        loss = tf.reduce_sum(e * w)
    g = tape.gradient(loss, table)
    clipped, _ = tf.clip_by_global_norm([g], 1.0)
    return tf.clip_by_norm(clipped[0], 0.5)


@pytest.fixture(scope="module")
def embedding():
    table = tf.Variable(random.normal(size=(ROWS, WIDTH)).astype(np.float32))
    ids = tf.constant(random.integers(0, ROWS, LOOKUPS))
    return table, ids, tf.constant(random.normal(size=(LOOKUPS, WIDTH)).astype(np.float32))


def test_the_gradient_of_an_embedding_makes_no_table(densified, embedding):
    whole, rows = ROWS * WIDTH * 4, LOOKUPS * WIDTH * 4
    memory.release()
    tracemalloc.start()
    try:
        g = embedding_step(*embedding)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(g, tf.IndexedSlices)
    assert densified == []
    assert peak < 12 * rows < whole, f"{peak} bytes at once, where the rows are {rows} and the table {whole}."


def test_the_gradient_of_an_embedding_takes_no_longer_for_a_larger_table(embedding):
    table, ids, w = embedding
    few = tf.Variable(table[:LOOKUPS])
    local = ids % LOOKUPS

    def quickest(*arguments):
        times = []
        for _ in range(9):
            start = time.perf_counter()
            embedding_step(*arguments)
            times.append(time.perf_counter() - start)
        return min(times)

    # The table is 25 times as large; only finding its rows in memory may take longer.
    assert quickest(table, ids, w) < 4.0 * quickest(few, local, w) + 2e-3


def test_rows_of_bfloat16_stay_bfloat16():
    table = tf.Variable(tf.cast([[1.0, 2.0], [3.0, 4.0]], tf.bfloat16))

    def gradient():
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.gather(table, [0, 1, 0]))
        return tape.gradient(y, table)

    for found in (gradient(), tf.function(gradient)()):
        assert found.dtype is tf.bfloat16
    np.testing.assert_allclose(
        tf.convert_to_tensor(gradient()).numpy().astype("f"), [[1 / 3] * 2, [1 / 6] * 2], rtol=1e-2
    )
