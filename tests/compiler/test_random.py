"""Native random numbers: the stream of the eager ones."""

import numpy as np
import pytest

import gradtape as tf
from compiler.test_indexing import native
from gradtape.core.op import REGISTRY

STATES = [np.array(s, np.int64) for s in ([0, 0, 0], [-3, 5, 77], [-1, -1, -1], [2**62, 1, -(2**63)])]


@pytest.mark.parametrize("state", STATES, ids=str)
@pytest.mark.parametrize("size", [1, 3, 4, 31, 32, 33, 10_000])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_bits(state, size, dtype):
    params = {"shape": (size,), "dtype": tf.as_dtype(dtype)}
    assert np.array_equal(native("random_bits", (state,), **params), REGISTRY["random_bits"].kernel(state, **params))


@pytest.mark.parametrize("state", STATES, ids=str)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_uniform(state, dtype):
    params = {"shape": (37, 5), "dtype": tf.as_dtype(dtype)}
    found = native("random_uniform", (state,), **params)
    assert np.array_equal(found, REGISTRY["random_uniform"].kernel(state, **params))


@pytest.mark.parametrize(
    ("dtype", "close"), [("float32", 1e-6), ("float64", 1e-14), ("float16", 1e-3), ("bfloat16", 1e-2)]
)
def test_normal(dtype, close):
    params = {"shape": (1001,), "dtype": tf.as_dtype(dtype)}
    found = native("random_normal", (STATES[1],), **params).astype(np.float64)
    wanted = REGISTRY["random_normal"].kernel(STATES[1], **params).astype(np.float64)
    np.testing.assert_allclose(found, wanted, rtol=close, atol=close)


@pytest.mark.parametrize(("low", "high"), [(0, 10), (-5, 6), (-(2**31), 2**31 - 1), (7, 8)])
def test_integers(low, high):
    arrays = (STATES[1], np.array(low, np.int32), np.array(high, np.int32))
    found = native("random_integers", arrays, shape=(101,))
    assert np.array_equal(found, REGISTRY["random_integers"].kernel(*arrays, shape=(101,)))


@pytest.mark.parametrize("state", STATES, ids=str)
@pytest.mark.parametrize("count", [0, 1, 10**6, 2**63, 2**64 - 1])
def test_skip(state, count):
    assert np.array_equal(
        native("random_skip", (state,), count=count), REGISTRY["random_skip"].kernel(state, count=count)
    )


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_states_of_seeds(dtype):
    for seed in ([0, 0], [1, -2], [2**31 - 1, -(2**31)]):
        array = np.array(seed, dtype)
        assert np.array_equal(native("random_state", (array,)), REGISTRY["random_state"].kernel(array))


def test_a_function_draws_the_stream_that_eager_code_draws():
    def draws():
        return [tf.random.uniform([5]), tf.random.normal([3]), tf.random.uniform([4], maxval=9, dtype=tf.int32)]

    tf.random.set_seed(3)
    eager = [[t.numpy() for t in draws()] for _ in range(3)]
    tf.random.set_seed(3)
    compiled = tf.function(draws)
    for wanted in eager:
        for a, b in zip(wanted, compiled(), strict=True):
            np.testing.assert_allclose(a, b.numpy(), rtol=1e-6)
