"""concat, stack, split, unstack."""

import numpy as np
import pytest

import gradtape as tf

IAE = tf.errors.InvalidArgumentError
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture
def x():
    return tf.constant(X)


def test_concat(x):
    np.testing.assert_array_equal(tf.concat([x, x[:, :1]], 1).numpy(), np.concatenate([X, X[:, :1]], 1))
    np.testing.assert_array_equal(tf.concat((x, X), axis=-1).numpy(), np.concatenate([X, X], 2))
    np.testing.assert_array_equal(tf.concat([x, x], tf.constant(0)).numpy(), np.concatenate([X, X]))
    np.testing.assert_array_equal(tf.concat([[1, 2], [3]], 0).numpy(), [1, 2, 3])


def test_concat_takes_the_dtype_of_the_tensor(x):
    assert tf.concat([[1, 2], tf.constant([1.0]), np.array([2.0])], 0).dtype == tf.float32
    assert tf.concat([tf.Variable([1.0]), [2]], 0).dtype == tf.float32
    assert tf.concat([np.array([1.0]), [2]], 0).dtype == tf.float64


def test_concat_of_one_is_a_new_tensor(x):
    joined = tf.concat([x], 0)
    assert joined is not x
    np.testing.assert_array_equal(joined.numpy(), X)
    np.testing.assert_array_equal(tf.concat(x, 0).numpy(), X)


def test_concat_refuses(x):
    for call, text in [
        (lambda: tf.concat([], 0), "empty"),
        (lambda: tf.concat([x, x[0]], 0), r"ranks differ: values\[0\] is f32\[2,3,4\], values\[1\] is f32\[3,4\]"),
        (lambda: tf.concat([x, x, x[:, :2]], 0), r"values\[2\] is f32\[2,2,4\]"),
        (lambda: tf.concat([x, x], 3), "axis is 3"),
        (lambda: tf.concat([tf.constant(1.0), tf.constant(2.0)], 0), "tf.stack"),
        (lambda: tf.concat([x, tf.constant([1])], 0), r"values\[1\] is i32\[1\]"),
    ]:
        with pytest.raises(IAE, match=text):
            call()


def test_gradient_of_concat_goes_to_each_value():
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
    with tf.GradientTape() as tape:
        y = tf.concat([a, b, a], 0) * [1.0, 2.0, 3.0, 4.0, 5.0]
    da, db = tape.gradient(y, [a, b])
    np.testing.assert_array_equal(da.numpy(), [5, 7])
    np.testing.assert_array_equal(db.numpy(), [3])


def test_stack(x):
    np.testing.assert_array_equal(tf.stack([x, x], -1).numpy(), np.stack([X, X], -1))
    np.testing.assert_array_equal(tf.stack([1, 2.5]).numpy(), [1, 2.5])
    np.testing.assert_array_equal(tf.stack([1, tf.constant(2.0)]).numpy(), [1, 2])
    np.testing.assert_array_equal(tf.stack(x).numpy(), X)
    np.testing.assert_array_equal(tf.stack(x, axis=1).numpy(), X.swapaxes(0, 1))
    assert tf.stack([]).shape == [0]


def test_stack_refuses(x):
    with pytest.raises(ValueError, match="`axis` = 4 not in range"):
        tf.stack([x, x], 4)
    with pytest.raises(IAE, match=r"values\[1\] is f32\[3,4\]"):
        tf.stack([x, x[0]])
    with pytest.raises(IAE, match="dtypes differ"):
        tf.stack([tf.constant(1.0), tf.constant(1)])
    with pytest.raises(TypeError, match="scalar"):
        tf.stack(tf.constant(1.0))


def test_gradient_of_stack():
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_prod(tf.stack([a, b, a * b]))
    da, db = tape.gradient(y, [a, b])
    assert (da.numpy(), db.numpy()) == (2 * 2 * 9, 2 * 4 * 3)


def test_nested_lists_with_tensors_are_stacked():
    a = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.convert_to_tensor([[a, 1.0], [3.0, a * a]]))
    assert tape.gradient(y, a).numpy() == 5.0


def test_split(x):
    parts = tf.split(x, 2, axis=-1)
    assert isinstance(parts, list)
    np.testing.assert_array_equal(parts[1].numpy(), X[..., 2:])
    for sizes in ([1, 2], [1, -1], tf.constant([1, 2]), np.array([-1, 2])):
        first, second = tf.split(x, sizes, axis=1, num=2)
        np.testing.assert_array_equal(first.numpy(), X[:, :1])
        np.testing.assert_array_equal(second.numpy(), X[:, 1:])


def test_split_refuses(x):
    for call, text in [
        (lambda: tf.split(x, 2, axis=1), "length 3, which 2 pieces"),
        (lambda: tf.split(x, 0), "0 pieces"),
        (lambda: tf.split(x, [1, 1], axis=1), "do not make up axis 1"),
        (lambda: tf.split(x, [-1, -1]), "only one size may be -1"),
        (lambda: tf.split(x, [5, -1]), "sum to 2"),
        (lambda: tf.split(x, 2, axis=3), "axis is 3"),
        (lambda: tf.split(1.0, 1), "scalar"),
        (lambda: tf.split(x, [1, 1], num=3), "num is 3"),
    ]:
        with pytest.raises(IAE, match=text):
            call()
    with pytest.raises(ValueError, match="scalar tensor"):
        tf.split(x, tf.constant(2))


def test_gradient_of_split_fills_unused_parts_with_zeros():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        _, last = tf.split(v, [2, 1])
        y = last * last
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [0, 0, 6])


def test_unstack(x):
    np.testing.assert_array_equal(tf.unstack(x)[1].numpy(), X[1])
    np.testing.assert_array_equal(tf.unstack(x, axis=-1)[3].numpy(), X[..., 3])
    assert len(tf.unstack(x, num=2)) == 2
    assert tf.unstack(tf.zeros([0, 2])) == []
    with pytest.raises(IAE, match="num is 3"):
        tf.unstack(x, num=3)
    with pytest.raises(ValueError, match="not in range"):
        tf.unstack(x, axis=3)
    with pytest.raises(ValueError, match="a scalar has no axes"):
        tf.unstack(1.0)


def test_gradient_of_unstack():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        a, _, c = tf.unstack(v)
        y = a * c
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [3, 0, 1])
