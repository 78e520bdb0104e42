"""Ragged tensors of random rows, against plain Python on nested lists."""

import itertools

import numpy as np
import pytest

import gradtape as tf

SEEDS = range(12)


def rows(random, depth):
    """Nested lists of random lengths, at least one at the outermost level."""
    if not depth:
        return float(random.integers(1, 9))
    return [rows(random, depth - 1) for _ in range(random.integers(depth == 3, 4))]


def tensor(x, ragged_rank):
    return tf.ragged.constant(x, tf.float64, ragged_rank=ragged_rank, inner_shape=())


def padded(x, shape, value):
    """The rows as a dense array, filled up with a value."""
    found = np.full(shape, value)
    for place in itertools.product(*map(range, shape)):
        at = x
        try:
            for k in place:
                at = at[k]
        except IndexError:
            continue
        found[place] = at
    return found


def flattened(x):
    return np.concatenate([flattened(v) for v in x] or [[]]) if isinstance(x, list) else [x]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (1, 2), (0, 2)])
def test_sums_and_means_along_every_axis(seed, axis):
    x = rows(np.random.default_rng(seed), 3)
    ragged = tensor(x, 2)
    shape = tuple(ragged.bounding_shape().numpy())
    values, counts = padded(x, shape, 0.0), padded([[[1.0] * len(r) for r in m] for m in x], shape, 0.0)
    total, mean = tf.reduce_sum(ragged, axis), tf.reduce_mean(ragged, axis)
    kept = counts.sum(axis)

    def dense(t):
        return t.to_tensor(shape=kept.shape).numpy() if isinstance(t, tf.RaggedTensor) else t.numpy()

    np.testing.assert_allclose(dense(total), values.sum(axis))
    found = np.nan_to_num(dense(mean))
    np.testing.assert_allclose(found[kept > 0], (values.sum(axis) / np.maximum(kept, 1))[kept > 0])
    traced = tf.function(lambda r: tf.reduce_sum(r, axis))(ragged)
    np.testing.assert_allclose(dense(traced), dense(total))


@pytest.mark.parametrize("seed", SEEDS)
def test_elements_at_random_places(seed):
    random = np.random.default_rng(seed)
    x = rows(random, 3)
    ragged = tensor(x, 2)
    places = [(i, j, k) for i, m in enumerate(x) for j, r in enumerate(m) for k in range(len(r))]
    if places:
        chosen = [places[n] for n in random.integers(0, len(places), 5)]
        assert tf.gather_nd(ragged, chosen).numpy().tolist() == [x[i][j][k] for i, j, k in chosen]
        assert tf.gather_nd(ragged, [c[:2] for c in chosen]).to_list() == [x[i][j] for i, j, _ in chosen]
    order = random.integers(0, len(x), 4)
    assert tf.gather(ragged, order).to_list() == [x[i] for i in order]
    nested = tf.ragged.constant([[int(order[0])], [], [int(i) for i in order[1:]]], tf.int32)
    assert tf.gather(ragged, nested).to_list() == [[x[order[0]]], [], [x[i] for i in order[1:]]]


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_mapped_in_a_function_of_unknown_size(seed):
    random = np.random.default_rng(seed)
    x = rows(random, 2) or [[]]
    signature = tf.RaggedTensorSpec([None], tf.float64)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float64)])
    def doubled(r):
        return tf.map_fn(lambda row: tf.concat([row, row], 0), r, fn_output_signature=signature)

    ragged = tensor(x, 1)
    assert doubled(ragged).to_list() == [row + row for row in x]
    with tf.GradientTape() as tape:
        tape.watch(ragged)
        y = tf.reduce_sum(doubled(ragged) ** 2)
    np.testing.assert_allclose(tape.gradient(y, ragged).flat_values.numpy(), 4 * np.array(flattened(x)))


@pytest.mark.parametrize("seed", SEEDS)
def test_custom_gradients_and_python_functions_take_rows(seed):
    x = rows(np.random.default_rng(seed), 2)

    @tf.custom_gradient
    def halved(r):
        return r * 0.5, lambda dy: dy * 3.0

    def program(r):
        kept = tf.py_function(lambda r: r + 1.0, [r], tf.RaggedTensorSpec([None, None], tf.float64))
        with tf.GradientTape() as tape:
            tape.watch(r.flat_values)
            y = tf.reduce_sum(halved(r))
        return kept, tape.gradient(y, r.flat_values)

    ragged = tensor(x, 1)
    for run in (program, tf.function(program)):
        kept, gradient = run(ragged)
        assert kept.to_list() == [[v + 1.0 for v in row] for row in x]
        assert gradient.numpy().tolist() == [3.0] * len(flattened(x))
