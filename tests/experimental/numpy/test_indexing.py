"""NumPy's indexing of tensors: random keys give what NumPy gives, in eager code, in functions, and with gradients."""

import itertools
import random

import numpy as np
import pytest

import gradtape as tf
from gradtape.experimental.numpy import _indexing

SHAPE = (3, 4, 5)
ARRAY = np.arange(60.0).reshape(SHAPE)


def entry(rng, length):
    """A random index for an axis of some length; ints are left out, which NumPy counts among the arrays."""
    kinds = [
        lambda: slice(None),
        lambda: slice(rng.randrange(-length, length), None, rng.choice([1, 2])),
        lambda: slice(None, None, -1),
        lambda: [rng.randrange(-length, length) for _ in range(2)],
        lambda: np.array([[rng.randrange(length)], [rng.randrange(length)]]),
        lambda: tf.constant([rng.randrange(-length, length) for _ in range(2)]),
        lambda: tuple(i < 2 for i in range(length)),
        lambda: np.arange(length) < 2,
    ]
    return rng.choice(kinds)()


def random_key(seed):
    rng = random.Random(seed)
    key = [entry(rng, length) for length in SHAPE[: rng.randrange(1, 4)]]
    full = len(key) == len(SHAPE)
    if rng.random() < 0.3:
        key.insert(rng.randrange(len(key) + 1), None)
    if rng.random() < 0.3:
        key = [..., *key] if full and rng.random() < 0.5 else [*key, ...]
    return tuple(key)


def plain(key):
    return tuple(k.numpy() if isinstance(k, tf.Tensor) else list(k) if isinstance(k, tuple) else k for k in key)


@pytest.mark.parametrize("seed", range(150))
def test_random_keys_take_what_numpy_takes(seed):
    key = random_key(seed)
    expected = ARRAY[plain(key)]
    x = tf.constant(ARRAY)
    np.testing.assert_array_equal(_indexing.take(x, key), expected)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(_indexing.take(x, key) ** 2)
    marks = np.zeros(SHAPE)
    np.add.at(marks, plain(key), 1.0)
    np.testing.assert_allclose(tape.gradient(y, x), 2 * ARRAY * marks)


@pytest.mark.parametrize("key", [([0, 9],), ([0], [7]), ([-4],), (slice(None), [[4]])])
def test_places_out_of_range_are_refused(key):
    with pytest.raises(tf.errors.InvalidArgumentError):
        _indexing.take(tf.constant(ARRAY), key)


@pytest.mark.parametrize(
    ("key", "error"),
    [((1.5,), IndexError), (([],), IndexError), ("a", IndexError), (([0, 1], [0, 1, 2]), ValueError)],
)
def test_keys_that_are_no_indices_are_refused(key, error):
    with pytest.raises(error):
        _indexing.take(tf.constant(ARRAY), key)


def test_ints_are_taken_before_arrays():
    for key, shape in (((0, slice(None), [1, 3]), (4, 2)), (([0, 1], slice(None), 1), (2, 4))):
        assert _indexing.take(tf.constant(ARRAY), key).shape == shape


def test_all_pairs_of_arrays_broadcast():
    arrays = [[0, 1], np.array([[0], [2]]), np.array(1)[None]]
    for a, b in itertools.product(arrays, arrays):
        np.testing.assert_array_equal(_indexing.take(tf.constant(ARRAY), (a, b)), ARRAY[a, b])
