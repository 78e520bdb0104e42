"""Small programs whose graphs are kept after each pass, in golden/."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradtape as tf

Program = tuple[Callable[..., Any], list[tf.TensorSpec]]


def spec(*shape: int, dtype: Any = tf.float32) -> tf.TensorSpec:
    """The spec of an argument."""
    return tf.TensorSpec(shape, dtype)


def variable(*shape: int) -> tf.Variable:
    """A variable of zeros."""
    return tf.Variable(np.zeros(shape, np.float32))


def neutral_elements() -> Program:
    """Numbers that change nothing, and the zeros that do: -0 + 0 is 0, inf * 0 is NaN."""

    def function(x: Any) -> Any:
        kept = x * 0.0 + (x + 0.0)
        return tf.identity(1.0 * x), (x - 0.0) / 1.0, x + -0.0, tf.exp(x) + 0.0, kept

    return function, [spec(3)]


def signs() -> Program:
    """Negations that meet others."""

    def function(a: Any, b: Any) -> Any:
        return tf.negative(-a), a + -b, -a + b, a - -b, -a * -b, tf.square(-a), tf.abs(-b)

    return function, [spec(3), spec(3)]


def powers_and_quotients() -> Program:
    """Known exponents and divisors."""

    def function(x: Any) -> Any:
        powers = [tf.pow(x, tf.constant(p)) for p in (0.0, 1.0, 2.0, -1.0, 0.5)]
        return *powers, x / 4.0, x / 3.0, x**2

    return function, [spec(3)]


def integers() -> Program:
    """What holds for integers alone."""

    def function(x: Any) -> Any:
        return x * 0, x + 0, (x + 3) + 4, (x * 3) * 4, 5 * (2 * x)

    return function, [spec(3, dtype=tf.int32)]


def conversions() -> Program:
    """Casts that lose nothing, and some that do."""

    def function(x: Any, n: Any, big: Any) -> Any:
        wide = tf.cast(x, tf.float64)
        return (
            tf.cast(x, tf.float32),
            tf.cast(wide, tf.float32),
            tf.cast(wide, tf.float16),
            tf.cast(tf.cast(x, tf.float16), tf.float32),
            tf.cast(tf.cast(n, tf.float64), tf.int32),
            tf.cast(tf.cast(big, tf.float64), tf.int64),
        )

    return function, [spec(3), spec(3, dtype=tf.int32), spec(3, dtype=tf.int64)]


def movements() -> Program:
    """Reshapes, transpositions, slices and joints that cancel."""

    def function(x: Any) -> Any:
        a, b = tf.split(x, 2, axis=1)
        return (
            tf.reshape(tf.reshape(x, [12]), [3, 4]),
            tf.transpose(tf.transpose(x)),
            tf.transpose(tf.reshape(x, [3, 1, 4]), [1, 0, 2]),
            tf.concat([a, b], 1),
            tf.concat([x, 2.0 * x], 0)[3:],
            x[:, :],
            tf.tile(x, [1, 1]),
            tf.reshape(tf.reduce_sum(x, 1), [3, 1]),
        )

    return function, [spec(3, 4)]


def repetition() -> Program:
    """What is the same along an axis is computed once."""

    def function(x: Any) -> Any:
        rows = tf.broadcast_to(x, [4, 3])
        ones = tf.ones([4, 3])
        return (
            tf.exp(rows),
            tf.reduce_sum(rows, 0),
            tf.reduce_max(rows, 0),
            tf.reduce_mean(tf.reshape(x, [3, 1]), 1),
            rows * ones,
            tf.zeros_like(rows) + rows,
        )

    return function, [spec(3)]


def selections() -> Program:
    """Conditions that are known."""

    def function(x: Any, c: Any) -> Any:
        yes, no = tf.constant([True] * 3), tf.constant(False)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.where(yes, x * x, tf.sin(x)) + tf.where(no, tf.exp(x), x) + tf.where(c, x, x)
        return y, tape.gradient(y, x)

    return function, [spec(3), spec(3, dtype=tf.bool)]


def products() -> Program:
    """Transpositions before matrix products."""

    def function(a: Any, b: Any, q: Any, k: Any) -> Any:
        return tf.transpose(a) @ b, tf.transpose(b) @ a, tf.matmul(q, tf.transpose(k, [0, 2, 1]), transpose_b=True)

    return function, [spec(4, 3), spec(4, 5), spec(2, 3, 4), spec(2, 4, 5)]


def assignments() -> Program:
    """A variable that is assigned three times, with another one in between, and a print, which sees all."""
    v, w = variable(3), variable(3)

    def function(x: Any) -> Any:
        v.assign(tf.sin(x))
        w.assign(v + 1.0)
        v.assign(tf.cos(x))
        tf.print(x)
        v.assign(x)
        return v + w

    return function, [spec(3)]


def constants() -> Program:
    """What is computed from what the function closes over."""
    table = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4))

    def function(x: Any) -> Any:
        weights = tf.nn.softmax(tf.reduce_sum(table, 0))
        return x * weights + tf.reduce_sum(table) * tf.ones([2, 4]), tf.range(3)

    return function, [spec(2, 4)]


def training_step() -> Program:
    """Two dense layers, cross-entropy and SGD."""
    w1, b1, w2 = variable(6, 5), variable(5), variable(5, 3)

    def function(x: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        for p, g in zip((w1, b1, w2), tape.gradient(loss, (w1, b1, w2)), strict=True):
            p.assign_sub(0.125 * g)
        return loss

    return function, [spec(4, 6), spec(4, dtype=tf.int32)]


def layer_normalization() -> Program:
    """Moments and what their gradients spread."""

    def function(x: Any, gain: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, gain])
            mean, variance = tf.nn.moments(x, [-1], keepdims=True)
            y = tf.nn.batch_normalization(x, mean, variance, None, gain, 1e-5)
            loss = tf.reduce_mean(tf.square(y))
        return tape.gradient(loss, [x, gain])

    return function, [spec(4, 8), spec(8)]


def second_derivative() -> Program:
    """Nested tapes over a small network."""
    w1, w2 = variable(1, 4), variable(4, 1)

    def function(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                u = tf.matmul(tf.tanh(tf.matmul(x, w1)), w2)
            slope = inner.gradient(u, x)
        return outer.gradient(slope, x)

    return function, [spec(5, 1)]


PROGRAMS = (
    neutral_elements,
    signs,
    powers_and_quotients,
    integers,
    conversions,
    movements,
    repetition,
    selections,
    products,
    assignments,
    constants,
    training_step,
    layer_normalization,
    second_derivative,
)
