"""Loops and branches that were traced for unknown sizes are specialised for those of a call, and give the same numbers."""

import sys

import numpy as np
import pytest

import gradtape as tf

W = tf.Variable(np.linspace(-0.4, 0.5, 16, dtype=np.float32).reshape(4, 4))
X = np.linspace(-1.0, 1.0, 2 * 6 * 4, dtype=np.float32).reshape(2, 6, 4)
SHAPES = [[None, 6, 4], [2, None, 4], [None, None, 4], [None, None, None]]


def recurrent(x):
    """A loss of a recurrent network, and its gradients."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        h = tf.zeros([tf.shape(x)[0], 4])
        for t in tf.range(tf.shape(x)[1]):
            h = tf.tanh(x[:, t] + h @ W)
        loss = tf.reduce_mean(h**2)
    return loss, tape.gradient(loss, [W, x])


def second(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss, (dw, dx) = recurrent(x)
        total = loss + tf.reduce_sum(dw**2) + tf.reduce_sum(dx**3)
    return tape.gradient(total, [W, x])


def nested(x):
    total = tf.zeros([tf.shape(x)[0]])
    for t in tf.range(tf.shape(x)[1]):
        for k in tf.range(t):
            total += tf.reduce_sum(x[:, t] * x[:, k], -1)
    return total


def growing(x):
    """A carried tensor that is longer after each step."""
    rows = x[:, 0]
    for t in tf.range(tf.shape(x)[1]):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(rows, tf.TensorShape([None, None]))])
        rows = tf.concat([rows, x[:, t]], 0)
    return tf.cumsum(rows)


def branching(x):
    """A branch that is refused for sizes with which it is not taken."""
    if tf.shape(x)[1] > 6:
        y = tf.reshape(x, [tf.shape(x)[0], 7, 4])[:, 6]
    else:
        y = x[:, 0] * 2
    return y


def early(x):
    """A condition on values: the number of steps is not known for any size."""
    total, t = tf.reduce_sum(x, -1), 0
    while tf.reduce_sum(total) < 100.0 and t < tf.shape(x)[1]:
        total = total + tf.reduce_max(x) * tf.ones_like(total) * tf.cast(t, tf.float32)
        t += 1
    return total


def with_arrays(x):
    array = tf.TensorArray(tf.float32, tf.shape(x)[1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        for t in tf.range(tf.shape(x)[1]):
            array = array.write(t, tf.nn.softmax(x[:, t]))
        y = array.stack()
        loss = tf.reduce_sum(y**2)
    return y, tape.gradient(loss, x)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("function", [recurrent, second, nested, growing, branching, early, with_arrays])
def test_equals_eager(function, shape):
    staged = tf.function(function, input_signature=[tf.TensorSpec(shape)])
    inputs = [X] + [X[:1]] * (shape[0] is None) + [X[:, :1]] * (shape[1] is None)
    for x in (*inputs, X, X, X, X):
        found, wanted = staged(x), function(tf.constant(x))
        tf.nest.map_structure(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5), found, wanted)


def calls(f, x):
    """How many Python functions a call runs."""
    count = 0

    def see(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(see)
    try:
        f(x)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("shape", SHAPES[1:3], ids=str)
def test_steps_do_not_return_to_python(shape):
    f = tf.function(recurrent, input_signature=[tf.TensorSpec(shape)])
    for _ in range(5):
        f(X)
    longer = np.tile(X, [1, 5, 1])
    for _ in range(5):
        f(longer)
    assert calls(f, longer) == calls(f, X)
