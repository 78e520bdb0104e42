"""Values that are joined are computed where they lie in the joined array."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler.memory import concat_aliasing


@pytest.fixture
def placed(monkeypatch):
    """For each native program, how many values are pieces of others, and how many launches are left of its concatenations."""
    seen, original = [], concat_aliasing.alias_concatenations

    def joined(parts, arrays, updated):
        result, pieces = original(parts, arrays, updated)
        wholes = {piece.whole for piece in pieces.values()}
        left = sum(len(part.lowered.launches) for part in result if wholes.intersection(part.node.outputs))
        seen.append((len(pieces), left))
        return result, pieces

    monkeypatch.setattr(concat_aliasing, "alias_concatenations", joined)
    return seen


def array(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def check(f, *arrays):
    """Compare two compiled runs with an eager one."""
    compiled = tf.function(f)
    wanted = tf.nest.flatten(f(*[tf.constant(x) for x in arrays]))
    for _ in range(2):
        for got, want in zip(tf.nest.flatten(compiled(*[tf.constant(x) for x in arrays])), wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32], ids=lambda d: d.__name__)
@pytest.mark.parametrize("rows", [1, 3, 64])
def test_rows_of_any_size(placed, rows, dtype):
    """Pieces begin at any element, not only at multiples of a vector."""

    def f(x, w):
        parts = [tf.reduce_max(x * float(k + 1) if dtype != np.int32 else x * (k + 1), axis=1) for k in range(4)]
        return tf.concat(parts, axis=0) + w

    x = np.abs(array(rows, 5) * 10).astype(dtype)
    check(f, x, np.arange(4 * rows).astype(dtype))


def test_nothing_is_copied(placed):
    def f(x, w):
        states = [x]
        for _ in range(3):
            states.append(tf.tanh(tf.matmul(states[-1], w)))
        return tf.reduce_sum(tf.matmul(tf.concat(states[1:], axis=0), w) ** 2)

    check(f, array(8, 16), array(16, 16, seed=1))
    assert (3, 0) in placed


def test_what_comes_from_outside_is_copied(placed):
    """An input, and a value that is given back too, keep places of their own."""

    def f(x, w):
        first, second = tf.tanh(tf.matmul(x, w)), tf.exp(tf.matmul(x, w + 1.0))
        return first, tf.matmul(tf.concat([x, first, second], axis=0), w)

    check(f, array(8, 16), array(16, 16, seed=1))
    assert (1, 2) in placed


def test_a_joined_value_that_is_given_back(placed):
    check(lambda x, w: tf.concat([tf.matmul(x, w), tf.matmul(w, x)], axis=0), array(16, 16), array(16, 16, seed=1))
    assert (2, 0) in placed


def test_pieces_are_read_before_and_after_they_are_joined(placed):
    def f(x, w):
        a, b = tf.matmul(x, w), tf.matmul(w, x)
        joined = tf.concat([a, b], axis=0)
        total = tf.matmul(joined, tf.exp(-tf.abs(a)))  # the last use of the joined value and of a piece is one product
        return total, tf.matmul(b, total[:16])

    check(f, array(16, 16), array(16, 16, seed=1))
    assert (2, 0) in placed


def test_one_value_in_two_places(placed):
    """The second place gets a copy."""

    def f(x, w):
        a, b = tf.matmul(x, w), tf.matmul(w, x)
        return tf.matmul(tf.concat([a, b, a], axis=0), x), tf.matmul(tf.concat([b, a], axis=0), w)

    check(f, array(16, 16), array(16, 16, seed=1))


def test_concatenations_of_concatenations(placed):
    def f(x, w):
        a, b = tf.matmul(x, w), tf.matmul(w, x)
        ab = tf.concat([a, b], axis=0)
        return tf.matmul(tf.concat([ab, tf.matmul(a, b)], axis=0), x)

    check(f, array(16, 16), array(16, 16, seed=1))


def test_stacks_and_reshapes(placed):
    def f(x, w):
        parts = [tf.reshape(tf.matmul(x, w * float(k)), [2, 8, 16]) for k in range(3)]
        return tf.reduce_sum(tf.stack(parts) * tf.stack(parts), axis=[0, 2])

    check(f, array(16, 16), array(16, 16, seed=1))


def test_joined_columns_are_copied(placed):
    """Their pieces have gaps."""
    check(
        lambda x, w: tf.matmul(tf.concat([tf.matmul(x, w), tf.matmul(w, x)], axis=1), tf.concat([x, w], axis=0)),
        array(16, 16),
        array(16, 16, seed=1),
    )
    assert all(count == 0 for count, _ in placed)


def test_a_variable_becomes_a_joined_value(placed):
    start = array(16, 16)

    def losses(wrap):
        v = tf.Variable(start)

        def step(x):
            top, bottom = tf.matmul(v[:8], x), tf.tanh(tf.matmul(v[8:], x))
            v.assign(tf.concat([bottom, top], axis=0))
            return tf.reduce_sum(v)

        step = wrap(step)
        return [float(step(tf.constant(array(16, 16, seed=k) / 4))) for k in range(4)], v.numpy()

    got, wanted = losses(tf.function), losses(lambda f: f)
    np.testing.assert_allclose(got[0], wanted[0], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(got[1], wanted[1], rtol=1e-4, atol=1e-5)
