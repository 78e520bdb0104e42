"""Arrays that loops fill or add to row by row, natively and in place."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler.lowering import carried

ROWS = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


def outside(function) -> tuple[str, ...]:
    """The ops of a function's only trace that are not native."""
    (trace,) = function.explain().traces
    return tuple(found.op for found in trace.outside)


def eagerly(function, *args):
    tf.config.run_functions_eagerly(True)
    try:
        return function(*args)
    finally:
        tf.config.run_functions_eagerly(False)


def fill(s):
    h = tf.zeros(4)
    array = tf.TensorArray(tf.float32, 6)
    for t in tf.range(6):
        h = tf.tanh(h + s[t])
        array = array.write(5 - t, h)
    return array.stack()


def read_what_was_written(s):
    array = tf.TensorArray(tf.float32, 7, clear_after_read=False).write(0, s[0])
    for t in tf.range(6):
        array = array.write(t + 1, array.read(t) * 0.5 + s[t])
    return array.stack()


def read_after_the_write(s):
    array = tf.TensorArray(tf.float32, 6, clear_after_read=False)
    total = 0.0
    for t in tf.range(6):
        array = array.write(t, s[t])
        total += tf.reduce_sum(array.read(t)) + tf.reduce_sum(array.stack())
    return array.stack(), total


def exchanged(s):
    a, b = tf.TensorArray(tf.float32, 6), tf.TensorArray(tf.float32, 6)
    for t in tf.range(6):
        a, b = b.write(t, s[t]), a.write(t, s[t] * 2.0)
    return a.stack(), b.stack()


def growing(s):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for t in tf.range(tf.shape(s)[0]):
        array = array.write(t, s[t] * s[t])
    return array.stack()


def growing_behind_rows(s):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True).write(0, s[0]).write(1, s[1])
    i = tf.constant(0)
    while i < 5:
        array = array.write(i + 1, s[i] * 3.0)
        i += 1
    return array.stack()


FILLED = [fill, read_what_was_written, read_after_the_write, exchanged, growing, growing_behind_rows]


@pytest.mark.parametrize("function", FILLED, ids=lambda f: f.__name__)
def test_loops_that_write_rows_are_native(function):
    staged = tf.function(function)
    found, wanted = staged(tf.constant(ROWS)), eagerly(staged, tf.constant(ROWS))
    for x, y in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)
    assert outside(staged) == ()


@pytest.mark.parametrize("function", FILLED, ids=lambda f: f.__name__)
def test_gradients_of_loops_that_write_rows(function):
    @tf.function
    def gradient(s):
        with tf.GradientTape() as tape:
            tape.watch(s)
            y = tf.add_n([tf.reduce_sum(v * v) for v in tf.nest.flatten(function(s))])
        return tape.gradient(y, s)

    found, wanted = gradient(tf.constant(ROWS)), eagerly(gradient, tf.constant(ROWS))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert outside(gradient) == ()


def test_the_array_before_the_write_is_read_afterwards():
    @tf.function
    def f(s):
        array = tf.TensorArray(tf.float32, 6, element_shape=[4])
        total = 0.0
        for t in tf.range(6):
            new = array.write(t, s[t])
            total += tf.reduce_sum(new.stack() * 2.0 - array.stack())
            array = new
        return array.stack(), total

    found, total = f(tf.constant(ROWS))
    rows, wanted = np.zeros((6, 4), np.float32), 0.0
    for t in range(6):
        new = rows.copy()
        new[t] = ROWS[t]
        wanted += np.sum(new * 2 - rows)
        rows = new
    np.testing.assert_array_equal(found, rows)
    np.testing.assert_allclose(total, wanted, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["int64", "float64", "int8", "float32"])
def test_scalars_of_any_dtype(dtype):
    @tf.function
    def f():
        array = tf.TensorArray(dtype, 6)
        i = tf.constant(0)
        while i < 6:
            array = array.write(i, tf.cast(i * i, dtype))
            i += 1
        return array.stack()

    assert f().numpy().tolist() == [0, 1, 4, 9, 16, 25]
    assert outside(f) == ()


@pytest.mark.parametrize("first", [-1, 4])
def test_rows_that_are_not_there_are_refused(first):
    @tf.function
    def f(first):
        array = tf.TensorArray(tf.float32, 6)
        for t in tf.range(3):
            array = array.write(first + t, 1.0)
        return array.stack()

    with pytest.raises(tf.errors.OutOfRangeError, match="negative indices" if first < 0 else "write to index 6"):
        f(tf.constant(first))
    assert f(tf.constant(2)).numpy().tolist() == [0, 0, 1, 1, 1, 0]


def test_a_step_does_not_copy_the_array(monkeypatch):
    """Both rooms of the array are one, in the loop and in its derivative."""
    found = []

    def noted(segment, before, after):
        result = update_in_place(segment, before, after)
        found.append(len(result[1]))
        return result

    update_in_place = carried.update_in_place
    monkeypatch.setattr("gradtape.compiler.blocks.update_in_place", noted)

    @tf.function
    def gradient(s):
        with tf.GradientTape() as tape:
            tape.watch(s)
            y = tf.reduce_sum(fill(s) ** 2)
        return tape.gradient(y, s)

    gradient(tf.constant(ROWS))
    assert found == [1, 2]  # the array; its cotangent, and that of the rows that are read


def test_a_sum_of_several_rows_keeps_its_order():
    """Only one row at a time is added in place."""

    @tf.function
    def gradient(s):
        with tf.GradientTape() as tape:
            tape.watch(s)
            h = tf.zeros(4)
            for t in tf.range(5):
                h = tf.tanh(h + tf.reduce_sum(tf.gather(s, [t, t, t + 1]), 0))
            y = tf.reduce_sum(h)
        return tape.gradient(y, s)

    found, wanted = gradient(tf.constant(ROWS)), eagerly(gradient, tf.constant(ROWS))
    np.testing.assert_allclose(found, tf.convert_to_tensor(wanted), rtol=1e-4, atol=1e-6)
