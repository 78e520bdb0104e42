"""A loop that fails leaves variables with what its steps had assigned, as in TensorFlow: a long training keeps its progress."""

import contextlib

import pytest

import gradtape as tf


def check(i, limit):
    tf.debugging.assert_less(i, limit)


def run(fn, *args, taped=False):
    """Call a function that must fail, under a tape or not."""
    with tf.GradientTape() if taped else contextlib.nullcontext(), pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(fn)(*args)


@pytest.mark.parametrize("taped", [False, True])
def test_steps_before_an_error_count(taped):
    v, scale = tf.Variable(0.0), tf.Variable(2.0)

    def f(n):
        y = scale * 1.0
        for i in tf.range(n):
            v.assign_add(1.0)
            check(i, 5)
            y *= scale
        return y

    run(f, tf.constant(10), taped=taped)
    assert v.numpy() == 6.0


def test_what_a_step_computed_before_a_refusal_counts():
    v, w = tf.Variable(0.0), tf.Variable([1, 2, 3])

    def f(n):
        i = tf.constant(0)
        while i < n:
            v.assign_add(1.0)
            w.assign(w // (5 - i))
            i += 1

    run(f, tf.constant(10))
    assert v.numpy() == 6.0
    assert w.numpy().tolist() == [0, 0, 0]


def test_loops_in_loops_and_branches():
    v = tf.Variable(0.0)

    def f(n):
        for i in tf.range(n):
            for j in tf.range(3):
                if j == 1:
                    v.assign_add(10.0)
                    check(i * 10 + j, 21)
                else:
                    v.assign_add(1.0)

    run(f, tf.constant(10))
    assert v.numpy() == 2 * 12.0 + 11.0


def test_scatter_updates():
    table = tf.Variable(tf.zeros([4]))

    def f(n):
        for i in tf.range(n):
            table.scatter_update(tf.IndexedSlices(tf.constant([1.0]), [i]))

    run(f, tf.constant(10))
    assert table.numpy().tolist() == [1.0, 1.0, 1.0, 1.0]


def test_scans_and_while_loops():
    v = tf.Variable(0.0)

    def step(total, x):
        v.assign_add(1.0)
        return total + 10 // x

    run(lambda xs: tf.scan(step, xs, 0), tf.constant([1, 2, 5, 0, 1]))
    assert v.numpy() == 4.0

    def body(i):
        v.assign_add(tf.cast(10 // (4 - i), tf.float32))
        return i + 1

    v.assign(0.0)
    run(lambda n: tf.while_loop(lambda i: i < n, body, [tf.constant(0)]), tf.constant(10))
    assert v.numpy() == 2.0 + 3.0 + 5.0 + 10.0


def test_a_function_called_in_a_loop():
    v = tf.Variable(0.0)

    @tf.function
    def step(i):
        v.assign_add(1.0)
        check(i, 3)

    def f(n):
        for i in tf.range(n):
            step(i)

    run(f, tf.constant(10))
    assert v.numpy() == 4.0
    run(f, tf.constant(10))
    assert v.numpy() == 8.0


def test_errors_under_a_tape_name_every_node():
    """As without one."""

    @tf.function
    def f(n):
        for i in tf.range(n):
            check(i, 3)

    with pytest.raises(tf.errors.InvalidArgumentError, match="detected at node 'loop' of f"), tf.GradientTape():
        f(tf.constant(5))
