"""Chains of launches: what belongs to one, that nothing else does, and that results are those of plain Python."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler.lowering import chains
from gradtape.compiler.runtime import pool


@pytest.fixture
def found(monkeypatch):
    """The chains that are made: groups and launches of each."""
    made, original = [], chains.chain

    def noted(parts, kept, updated):
        result = original(parts, kept, updated)
        made.extend([(p.lowered.grouped.groups, len(p.lowered.grouped.launches)) for p in result if p.lowered.grouped])
        return result

    monkeypatch.setattr(chains, "chain", noted)
    return made


def array(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(dtype) * 0.5


def check(f, *arrays, rtol=2e-5):
    """The compiled function is plain Python's, with the same bits on one thread and on two, whichever of them is first."""
    inputs = [tf.constant(x) for x in arrays]
    compiled = tf.function(f)
    results = []
    for threads in (1, 2, 2, 1):
        pool.set_threads(threads)
        results.append([np.asarray(y) for y in tf.nest.flatten(compiled(*inputs))])
    pool.set_threads(0)
    for got, want in zip(results[0], tf.nest.flatten(f(*inputs)), strict=True):
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)
    for other in results[1:]:
        assert [x.tobytes() for x in other] == [x.tobytes() for x in results[0]]


def layers(x, *weights):
    for w in weights:
        x = tf.tanh(tf.matmul(x, w))
    return x


@pytest.mark.parametrize("rows", [32, 64, 128, 256, 96])
def test_layers(found, rows):
    check(layers, array(rows, 64), array(64, 128), array(128, 64, seed=1), array(64, 64, seed=2))
    groups = {32: 2, 64: 4, 128: 8, 256: 8, 96: 4}[rows]
    assert found == [(groups, 3)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradient_of_layers(found, dtype):
    def f(x, *weights):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            y = tf.reduce_sum(layers(x, *weights) ** 2)
        return tape.gradient(y, weights)

    check(f, *[array(*s, dtype=dtype) for s in ((64, 32), (32, 96), (96, 40), (40, 64))], rtol=1e-4)
    assert found == [(4, 5)]  # forward and back


@pytest.mark.parametrize(("rows", "count"), [(30, 0), (33, 0), (16, 0), (31, 0)])
def test_rows_that_cannot_be_cut(found, rows, count):
    check(layers, array(rows, 64), array(64, 256), array(256, 64, seed=1))
    assert len(found) == count


def test_large_products_stay_as_they_are(found):
    check(layers, array(64, 512), array(512, 512) * 0.1, array(512, 512, seed=1) * 0.1, rtol=1e-4)
    assert not found


def test_what_mixes_rows_is_no_part_of_a_chain(found):
    """A product with all rows on its right side waits for all groups, as do sums over the rows."""

    def f(x, w, v):
        h = tf.tanh(tf.matmul(x, w))
        scores = tf.matmul(h, h, transpose_b=True)
        mean = tf.reduce_mean(h, axis=0)
        return tf.matmul(tf.tanh(scores), h) - mean, tf.matmul(tf.sin(h), v)

    check(f, array(64, 64), array(64, 64, seed=1), array(64, 64, seed=2), rtol=1e-4)
    assert sum(count for _, count in found) < 5


def test_transposed_rows(found):
    def f(x, w, v):
        h = tf.tanh(tf.matmul(x, w))
        turned = tf.sin(tf.transpose(h)) + h
        return tf.matmul(turned, v), tf.reverse(h, [0]) * 2.0 + h

    check(f, array(64, 64), array(64, 64, seed=1), array(64, 64, seed=2), rtol=1e-4)


def test_reshapes_in_between(found):
    def f(x, w, v):
        h = tf.tanh(tf.matmul(x, w))
        h = tf.reshape(tf.sin(tf.reshape(h, [64, 8, 16])) + 1.0, [64, 128])
        folded = tf.reshape(h, [128, 64])
        return tf.matmul(h, v), tf.matmul(folded, w[:, :64])

    check(f, array(64, 64), array(64, 128, seed=1), array(128, 64, seed=2), rtol=1e-4)
    assert found


def test_rows_and_columns_that_are_added(found):
    def f(x, w, v, bias, rows):
        h = tf.nn.relu(tf.matmul(x, w) + bias) * rows
        parts = tf.split(h, 4, axis=1)
        gates = tf.sigmoid(parts[0]) * tf.tanh(parts[1]) + parts[2] * parts[3]
        return tf.matmul(gates, v) + rows, gates, h[:, 3:17] * 2.0

    check(f, array(32, 64), array(64, 128), array(32, 64, seed=3), array(128), array(32, 1))
    assert found


def test_recurrent_network(found):
    def f(x, w, u, b):
        with tf.GradientTape() as tape:
            tape.watch((w, u, b))
            h = c = tf.zeros([32, 32])
            for t in range(6):
                z = tf.matmul(x[:, t], w) + tf.matmul(h, u) + b
                i, o, g, k = tf.split(z, 4, axis=1)
                c = tf.sigmoid(k) * c + tf.sigmoid(i) * tf.tanh(g)
                h = tf.sigmoid(o) * tf.tanh(c)
            y = tf.reduce_sum(h * h)
        return y, *tape.gradient(y, (w, u, b))

    check(f, array(32, 6, 48), array(48, 128), array(32, 128, seed=1), array(128), rtol=2e-4)
    assert len(found) == 2
    assert all(count >= 5 for _, count in found)


def test_loop_over_time(found):
    def f(x, w, u):
        with tf.GradientTape() as tape:
            tape.watch((w, u))
            h = tf.zeros([32, 128])
            for t in tf.range(5):
                h = tf.tanh(tf.matmul(h, u) + tf.sin(tf.matmul(x[t], w))) * 0.9
            y = tf.reduce_sum(h * h)
        return y, *tape.gradient(y, (w, u))

    compiled = tf.function(f)
    inputs = [tf.constant(0.3 * array(*s)) for s in ((5, 32, 48), (48, 128), (128, 128))]
    for got, want in zip(compiled(*inputs), f(*inputs), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-4)
    assert found


def test_variables_are_updated_after_all_that_reads_them(found):
    """The new weights are written over the old ones, which the chain of the forward pass and that of the gradient read."""
    start = [array(48, 64), array(64, 64, seed=1), array(64, 32, seed=2)]

    def steps(wrap):
        weights = [tf.Variable(w) for w in start]

        def step(x):
            with tf.GradientTape() as tape:
                y = tf.reduce_mean(layers(x, *weights) ** 2)
            for w, g in zip(weights, tape.gradient(y, weights), strict=True):
                w.assign_sub(0.5 * g)
            return y

        step = wrap(step)
        losses = [float(step(tf.constant(array(128, 48, seed=k)))) for k in range(5)]
        return losses, [w.numpy() for w in weights]

    losses, weights = steps(tf.function)
    wanted_losses, wanted = steps(lambda f: f)
    np.testing.assert_allclose(losses, wanted_losses, rtol=1e-5)
    for got, want in zip(weights, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    assert len(found) == 2


def test_wrong_input_is_still_found():
    """A gather that is moved behind a chain, or before it, refuses an index as before."""

    def f(x, w, rows):
        h = layers(x, w, w)
        return tf.gather(h, rows) + 1.0, layers(h, w, w)

    compiled = tf.function(f)
    x, w = tf.constant(array(32, 64)), tf.constant(array(64, 64))
    good = compiled(x, w, tf.constant([1, 31]))
    np.testing.assert_allclose(good[0], f(x, w, tf.constant([1, 31]))[0], rtol=1e-4, atol=1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError):
        compiled(x, w, tf.constant([1, 32]))


def test_many_parts_take_little_time():
    """Where chains end again and again, as at sums over rows."""

    def f(x, w):
        for _ in range(60):
            x = layers(x, w, w)
            x = x - tf.reduce_mean(x, axis=0)
        return x

    check(f, array(32, 32), 0.2 * array(32, 32), rtol=1e-3)
