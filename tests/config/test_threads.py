"""`tf.config.threading`."""

import threading

import numpy as np
import pytest

import gradtape as tf


@pytest.fixture(autouse=True)
def usual_threads():
    yield
    tf.config.threading.set_intra_op_parallelism_threads(0)
    tf.config.threading.set_inter_op_parallelism_threads(0)


def test_results_do_not_depend_on_the_number_of_threads(random):
    x = tf.constant(random.normal(size=1_000_000).astype(np.float32))
    compiled = tf.function(lambda x: (tf.tanh(x), tf.reduce_sum(tf.exp(-x * x))))
    results = []
    for count in (1, 2, 4, 0):
        tf.config.threading.set_intra_op_parallelism_threads(count)
        assert tf.config.threading.get_intra_op_parallelism_threads() == count
        results.append([tf.tanh(x).numpy(), tf.reduce_sum(tf.exp(x)).numpy(), *[t.numpy() for t in compiled(x)]])
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert np.array_equal(a, b)


def test_threads_that_are_no_longer_wanted_end():
    tf.config.threading.set_intra_op_parallelism_threads(4)
    tf.tanh(tf.zeros([1_000_000]))
    before = {t for t in threading.enumerate() if t.name.startswith("gradtape-")}
    tf.config.threading.set_intra_op_parallelism_threads(1)
    for thread in before:
        thread.join(5)
    assert not any(t.is_alive() for t in before)


@pytest.mark.parametrize("count", [-1, 1.5, "two"])
def test_a_bad_number_is_refused(count):
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_threads"):
        tf.config.threading.set_intra_op_parallelism_threads(count)


def test_threads_between_ops_are_remembered():
    tf.config.threading.set_inter_op_parallelism_threads(3)
    assert tf.config.threading.get_inter_op_parallelism_threads() == 3
