"""TensorArrays whose elements have different shapes, in functions. What is expected was computed by TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf


def written(use, start=(1.0, 2.0, 3.0, 4.0, 5.0), **options):
    """The result of `use` on an array whose i-th element are the first i + 1 numbers times i + 1, and the gradient of twice its sum."""
    x = tf.Variable(start)

    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, infer_shape=False, **options)
        for i in tf.range(n):
            array = array.write(i, x[: i + 1] * tf.cast(i + 1, tf.float32))
        return use(array)

    with tf.GradientTape() as tape:
        y = f(tf.constant(3))
        loss = tf.reduce_sum(y * 2.0)
    return y.numpy().tolist(), tape.gradient(loss, x).numpy().tolist()


GROWING = {"size": 0, "dynamic_size": True}


@pytest.mark.parametrize("options", [GROWING, {"size": 3}, {**GROWING, "element_shape": [None]}])
def test_concat(options):
    assert written(lambda array: array.concat(), **options) == (
        [1.0, 2.0, 4.0, 3.0, 6.0, 9.0],
        [12.0, 10.0, 6.0, 0.0, 0.0],
    )


def test_read_and_gather():
    assert written(lambda a: a.read(2) * 3.0, **GROWING) == ([9.0, 18.0, 27.0], [18.0, 18.0, 18.0, 0.0, 0.0])
    both = written(lambda a: tf.reduce_sum(a.read(0)) + tf.reduce_sum(a.read(1) ** 2), **GROWING)
    assert both == (21.0, [18.0, 32.0, 0.0, 0.0, 0.0])
    assert written(lambda a: a.gather([1]), **GROWING) == ([[2.0, 4.0]], [4.0, 4.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("use", [lambda a: a.stack(), lambda a: a.gather([1, 2])])
def test_what_cannot_be_stacked_is_refused(use):
    with pytest.raises(tf.errors.InvalidArgumentError, match="the elements must not have different shapes"):
        written(use, **GROWING)


def test_read_in_another_loop_and_concat():
    x = tf.Variable([1.0, 2.0, 3.0, 4.0, 5.0])

    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, infer_shape=False, **GROWING)
        for i in tf.range(n):
            array = array.write(i, x[: i + 1])
        total = 0.0
        for i in tf.range(n):
            total += tf.reduce_sum(array.read(i) ** 2)
        return total, array.concat(), array.size()

    with tf.GradientTape() as tape:
        total, joined, size = f(tf.constant(4))
        loss = total + tf.reduce_sum(joined)
    assert float(total) == 50.0
    assert int(size) == 4
    assert joined.numpy().tolist() == [1.0, 1.0, 2.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 4.0]
    assert tape.gradient(loss, x).numpy().tolist() == [12.0, 15.0, 14.0, 9.0, 0.0]


def test_matrices():
    x = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))

    @tf.function
    def f(n):
        array = tf.TensorArray(
            tf.float32, infer_shape=False, element_shape=[None, 2], clear_after_read=False, **GROWING
        )
        i = tf.constant(0)
        while i < n:
            array = array.write(i, x[i:] * 2.0)
            i += 1
        total = tf.constant(0.0)
        for j in tf.range(n):
            total += tf.reduce_sum(array.read(j) ** 2)
        return total + tf.reduce_sum(array.concat()) + tf.reduce_sum(array.read(0))

    with tf.GradientTape() as tape:
        y = f(tf.constant(3))
    assert float(y) == 706.0
    assert tape.gradient(y, x).numpy().tolist() == [[4.0, 12.0], [38.0, 54.0], [104.0, 128.0]]


def test_second_derivatives():
    x = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, infer_shape=False, **GROWING)
        for i in tf.range(n):
            array = array.write(i, x[: i + 1] ** 3)
        return tf.reduce_sum(array.concat())

    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(tf.constant(3))
        first = inner.gradient(y, x)
    assert first.numpy().tolist() == [9.0, 24.0, 27.0]
    assert outer.gradient(first, x).numpy().tolist() == [18.0, 24.0, 18.0]


def test_a_tape_in_the_function():
    x = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def f(n):
        with tf.GradientTape() as tape:
            array = tf.TensorArray(tf.float32, infer_shape=False, **GROWING)
            for i in tf.range(n):
                array = array.write(i, x[: i + 1] ** 3)
            y = tf.reduce_sum(array.concat() ** 2)
        return tape.gradient(y, x)

    assert f(tf.constant(3)).numpy().tolist() == [18.0, 384.0, 1458.0]


def test_branches_in_the_loop():
    x = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, infer_shape=False, **GROWING)
        for i in tf.range(n):
            if i % 2 == 0:
                array = array.write(i, x)
            else:
                array = array.write(i, x[:i])
        return array.concat()

    with tf.GradientTape() as tape:
        y = f(tf.constant(4))
    assert y.numpy().tolist() == [1.0, 2.0, 3.0, 1.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0]
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 3.0, 3.0]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("lengths", "parts", "gradient"),
    [
        ([1, 2, 3], [[1.0], [4.0, 6.0], [12.0, 15.0, 18.0]], [4.0, 18.0, 26.0, 74.0, 92.0, 110.0]),
        ([0, 4, 2], [[], [2.0, 4.0, 6.0, 8.0], [15.0, 18.0]], [10.0, 18.0, 26.0, 34.0, 92.0, 110.0]),
        ([2, 2, 2], [[1.0, 2.0], [6.0, 8.0], [15.0, 18.0]], [4.0, 6.0, 26.0, 34.0, 92.0, 110.0]),
    ],
)
def test_split(lengths, parts, gradient, known):
    x = tf.Variable([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    signature = None if known else [tf.TensorSpec([None]), tf.TensorSpec([None], tf.int32)]

    @tf.function(input_signature=signature)
    def f(value, sizes):
        array = tf.TensorArray(tf.float32, size=3, infer_shape=False).split(value, sizes)
        return [array.read(i) * float(i + 1) for i in range(3)], array.concat() * 2

    with tf.GradientTape() as tape:
        found, joined = f(x * 1.0, tf.constant(lengths))
        loss = sum(tf.reduce_sum(p * p) for p in found) + tf.reduce_sum(joined)
    assert [p.numpy().tolist() for p in found] == parts
    assert joined.numpy().tolist() == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    assert tape.gradient(loss, x).numpy().tolist() == gradient


def test_split_by_lengths_that_do_not_fit():
    @tf.function
    def f(value, sizes):
        return tf.TensorArray(tf.float32, size=3, infer_shape=False).split(value, sizes).concat()

    with pytest.raises(tf.errors.InvalidArgumentError, match="sum of lengths is 5"):
        f(tf.ones([6]), tf.constant([1, 2, 2]))


def test_elements_are_converted_when_they_are_written():
    @tf.function
    def f():
        array = tf.TensorArray(tf.float32, size=2, infer_shape=False)
        return array.write(0, [1, 2]).write(1, [3.5]).concat()

    assert f().numpy().tolist() == [1.0, 2.0, 3.5]


def test_strings_and_integers():
    @tf.function
    def f(n):
        words = tf.TensorArray(tf.string, infer_shape=False, **GROWING)
        numbers = tf.TensorArray(tf.int32, infer_shape=False, **GROWING)
        for i in tf.range(n):
            words = words.write(i, tf.repeat("a", i))
            numbers = numbers.write(i, tf.range(i))
        return words.concat(), numbers.concat()

    words, numbers = f(tf.constant(3))
    assert words.numpy().tolist() == [b"a"] * 3
    assert numbers.numpy().tolist() == [0, 0, 1]


def test_the_gradient_of_a_split_meets_the_rules_of_other_ops():
    """The value that was split has known sizes, which its cotangent has, too."""
    x = tf.Variable(np.arange(6.0))

    @tf.function
    def f(use, make):
        return use(tf.TensorArray(tf.float64, 3, infer_shape=False).split(make(x), tf.constant([1, 2, 3])))

    for make, factor in ((lambda x: x * 2.0, 4.0), (lambda x: x[:, None] * np.ones((1, 2)), 2.0)):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(f(lambda array: array.concat(), make) ** 2)
        np.testing.assert_allclose(tape.gradient(loss, x), 2 * factor * np.arange(6.0))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(f(lambda array: array.read(1), make) ** 2)
        np.testing.assert_allclose(tape.gradient(loss, x), 2 * factor * np.array([0, 1, 2, 0, 0, 0]))
