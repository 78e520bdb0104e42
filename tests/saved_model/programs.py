"""Programs whose functions are saved, loaded and compared."""

from __future__ import annotations

from typing import Any

import gradtape as tf


def normal(shape: list[int], seed: int) -> Any:
    """Numbers that are the same in every run."""
    return tf.random.stateless_normal(shape, [seed, 1])


class Network(tf.Module):
    """Two layers, a step of training, and the number of steps."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = [
            tf.Variable(normal([3, 8], 1), name="first"),
            tf.Variable(normal([8, 2], 2), name="second"),
        ]
        self.bias = {"hidden": tf.Variable(tf.zeros([8]), name="bias")}
        self.steps = tf.Variable(0, trainable=False, name="steps")

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="features")])
    def __call__(self, x: Any) -> Any:
        hidden = tf.nn.relu(x @ self.weights[0] + self.bias["hidden"])
        return tf.nn.softmax(hidden @ self.weights[1])

    @tf.function
    def train(self, x: Any, y: Any) -> Any:
        """One step of gradient descent."""
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        for variable, gradient in zip(self.trainable_variables, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
        self.steps.assign_add(1)
        return loss


def dense(x: Any) -> Any:
    """Products, reductions and elementwise functions."""
    return tf.reduce_sum(tf.tanh(x @ tf.transpose(x)) * tf.exp(-tf.abs(x[:, :1])), axis=1)


def convolution(x: Any) -> Any:
    """A convolution, pooling and normalisation of an image made of x."""
    image = tf.reshape(tf.tile(x, [1, 16]), [1, 8, 8, -1])
    filters = tf.ones([3, 3, 1, 2]) * 0.1
    y = tf.nn.conv2d(image[..., :1], filters, 1, "SAME")
    y = tf.nn.max_pool2d(tf.nn.relu(y), 2, 2, "VALID")
    mean, variance = tf.nn.moments(y, [0, 1, 2])
    return tf.nn.batch_normalization(y, mean, variance, None, None, 1e-3)


def recurrence(x: Any) -> Any:
    """An LSTM, as a loop of the graph."""
    weights = normal([4, 16], 5)
    state = tf.zeros([x.shape[0], 4])
    cell = tf.zeros([x.shape[0], 4])
    for t in tf.range(3):
        gates = (x + tf.cast(t, tf.float32)) @ weights + state @ weights
        i, f, g, o = tf.split(gates, 4, axis=1)
        cell = tf.sigmoid(f) * cell + tf.sigmoid(i) * tf.tanh(g)
        state = tf.sigmoid(o) * tf.tanh(cell)
    return state


def branches(x: Any) -> Any:
    """A while loop with an if in it."""
    i = tf.constant(0)
    while i < 4:
        if tf.reduce_sum(x) > 1.0:
            x = tf.sin(x) * 0.5
        else:
            x = x * x + 1.0
        i += 1
    return x


def indexing(x: Any) -> Any:
    """Gathers, scatters, sorting and segments."""
    rows = tf.gather(x, [1, 0, 1])
    sums = tf.math.segment_sum(rows, [0, 0, 1])
    spread = tf.scatter_nd([[1], [3]], sums, [4, x.shape[1]])
    return tf.sort(tf.concat([spread, rows], 0), axis=0) + tf.cumsum(tf.pad(x, [[0, 5], [0, 0]]))


def linear_algebra(x: Any) -> Any:
    """Decompositions and solutions."""
    square = tf.matmul(x, x, transpose_a=True) + tf.eye(4) * 3.0
    return tf.linalg.solve(square, tf.transpose(x)) + tf.linalg.logdet(square) + tf.linalg.cholesky(square)[:, :2]


def narrow(x: Any) -> Any:
    """Other dtypes, and constants among them."""
    half = tf.cast(x, tf.bfloat16) * tf.constant(1.5, tf.bfloat16)
    complex_ = tf.complex(x, 2.0 * x)
    whole = tf.cast(tf.round(x * 10.0), tf.int64)
    return tf.cast(half, tf.float32) + tf.math.real(complex_ * complex_) + tf.cast(whole % 3, tf.float32)


@tf.custom_gradient
def _doubled(x: Any) -> Any:
    def gradient(dy: Any) -> Any:
        return tf.clip_by_value(dy, -0.5, 0.5) * tf.sin(x)

    return x * 2.0, gradient


@tf.function
def _inner(x: Any) -> Any:
    return tf.sin(x) * 3.0 + _doubled(x)


def custom(x: Any) -> Any:
    """Custom gradients, functions in functions, and what stops a gradient."""
    return _doubled(x) ** 2 + _inner(x) + tf.stop_gradient(x) * x + tf.recompute_grad(tf.tanh)(x)


def mapped(x: Any) -> Any:
    """Maps over rows, and a Jacobian in the function."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x) * x
    each = tf.vectorized_map(lambda row: tf.reduce_sum(row * row) * row, x)
    return tape.batch_jacobian(y, x)[:, 0] + each + tf.map_fn(lambda row: row * 2.0, x) + tf.scan(tf.add, x)


PROGRAMS = {
    f.__name__: f for f in (dense, convolution, recurrence, branches, indexing, linear_algebra, narrow, custom, mapped)
}
