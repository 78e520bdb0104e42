"""Loops and branches as native launches."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler.runtime import pool


def native_parts(function) -> list[str]:
    """What runs natively in the only trace of a function; an error if anything else runs."""
    (trace,) = function.explain().traces
    assert trace.outside == ()
    return list(trace.native)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8])
def test_while(count, random):
    w = tf.constant(random.normal(size=(5, 5)).astype(np.float32) * 0.4)

    @tf.function
    def run(n, x):
        return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, tf.tanh(x @ w) + 0.1), (0, x))

    x = tf.constant(random.normal(size=(3, 5)).astype(np.float32))
    steps, y = run(tf.constant(count), x)
    assert native_parts(run) == ["loop"]
    for _ in range(count):
        x = tf.tanh(x @ w) + 0.1
    assert int(steps) == count
    np.testing.assert_allclose(y, x, rtol=1e-5, atol=1e-6)


def test_values_that_change_places():
    """Carried values that are passed on, exchanged, doubled, or constant."""

    @tf.function
    def run(n, a, b, c):
        return tf.while_loop(lambda i, *_: i < n, lambda i, a, b, c, d: (i + 1, b, a, a, tf.ones([2])), (0, a, b, c, c))

    a, b, c = (tf.constant([x, -x]) for x in (1.0, 2.0, 3.0))
    for n in range(4):
        x = [a.numpy(), b.numpy(), c.numpy(), c.numpy()]
        for _ in range(n):
            x = [x[1], x[0], x[0], np.ones(2)]
        for found, wanted in zip(run(tf.constant(n), a, b, c)[1:], x, strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert native_parts(run) == ["loop"]


def test_rows_and_gradient(random):
    w = tf.Variable(random.normal(size=(4, 4)).astype(np.float32) * 0.5)
    xs = tf.constant(random.normal(size=(6, 3, 4)).astype(np.float32))

    def loss_gradient(xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            loss = tf.reduce_sum(tf.scan(lambda a, x: tf.tanh(a @ w) + x, xs, tf.zeros([3, 4])) ** 2)
        return tape.gradient(loss, [xs, w])

    compiled = tf.function(loss_gradient)
    for found, wanted in zip(compiled(xs), loss_gradient(xs), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert native_parts(compiled).count("loop") == 2


def test_loops_in_loops(random):
    @tf.function
    def run(x):
        def outer(i, x):
            return i + 1, tf.while_loop(lambda j, x: j < i, lambda j, x: (j + 1, tf.sin(x) + 1.0), (0, x))[1]

        return tf.while_loop(lambda i, x: i < 4, outer, (0, x))[1]

    x = random.normal(size=7).astype(np.float32)
    wanted = x
    for i in range(4):
        for _ in range(i):
            wanted = np.sin(wanted) + 1.0
    np.testing.assert_allclose(run(tf.constant(x)), wanted, rtol=1e-5)
    assert native_parts(run) == ["loop"]


def test_branches(random):
    @tf.function
    def run(i, x):
        return tf.switch_case(i, [lambda: x + 1.0, lambda: tf.exp(x), lambda: x])

    x = tf.constant(random.normal(size=9).astype(np.float32))
    for i, wanted in [(0, x + 1.0), (1, tf.exp(x)), (2, x), (-1, x), (7, x)]:
        np.testing.assert_allclose(run(tf.constant(i), x), wanted, rtol=1e-6)
    assert "branch" in native_parts(run)


def test_a_condition(random):
    @tf.function
    def run(x):
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.tanh(x), lambda: -x)

    size = np.abs(random.normal(size=9).astype(np.float32))
    for x in (size, -size):
        np.testing.assert_allclose(run(tf.constant(x)), np.tanh(x) if x.sum() > 0 else -x, rtol=1e-6)
    assert "branch" in native_parts(run)


def test_an_error_in_a_step_is_raised_and_assigns_nothing():
    v = tf.Variable([0.0, 0.0])

    @tf.function
    def run(table, n):
        def body(i, x):
            return i + 1, x + tf.gather(table, i)

        total = tf.while_loop(lambda i, x: i < n, body, (0, tf.constant(0.0)))[1]
        v.assign_add([total, total])
        return total

    table = tf.constant([1.0, 2.0, 3.0])
    assert float(run(table, tf.constant(3))) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="gather"):
        run(table, tf.constant(4))
    assert v.numpy().tolist() == [6.0, 6.0]


def test_bits_do_not_depend_on_threads(random):
    @tf.function
    def run(x):
        return tf.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, tf.tanh(x) + tf.reduce_sum(x) * 1e-6), (0, x))[1]

    x = tf.constant(random.normal(size=300_000).astype(np.float32))
    results = []
    for threads in (1, 2, 4):
        pool.set_threads(threads)
        results.append(run(x).numpy())
    pool.set_threads(0)
    assert all(np.array_equal(results[0], r) for r in results[1:])


LONG = """
import gradtape as tf, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start programs in the background without
v = tf.Variable(0.0)
@tf.function
def run(n):
    i, x = tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, tf.sin(x) + 1.0), (0, tf.constant(0.0)))
    v.assign(x)
    return i
run(tf.constant(10))
before = v.numpy()
print("ready", flush=True)
try:
    run(tf.constant(2_000_000_000))
except KeyboardInterrupt:
    print("interrupted", v.numpy() == before, int(run(tf.constant(5))), flush=True)
"""


def test_ctrl_c_ends_a_long_loop_within_a_second():
    with subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        start = time.perf_counter()
        os.kill(process.pid, signal.SIGINT)
        answer = process.stdout.readline()
        assert time.perf_counter() - start < 1.0
        assert answer == "interrupted True 5\n"
        assert process.wait(30) == 0


def test_other_threads_run_during_a_long_loop():
    @tf.function
    def run(n):
        return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, tf.sin(x) + 1.0), (0, tf.constant(0.0)))

    run(tf.constant(1))
    worker = threading.Thread(target=run, args=(tf.constant(3_000_000),))
    worker.start()
    turns = 0
    while worker.is_alive():
        turns += 1
        time.sleep(0.001)
    assert turns > 5
