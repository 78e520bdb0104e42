"""Sums of many products as one product."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

random = np.random.default_rng(5)


def numbers(*shape: int) -> Any:
    return tf.constant(random.normal(size=shape).astype(np.float32))


def ops(f: Any, *args: Any) -> list[str]:
    """Names of the ops that a function runs, before they are fused."""
    f(*args)
    (trace,) = f._traces.values()
    graph = trace._staged.program.program.graph
    return [node.op.name for node in (graph.plain or graph).nodes]


def check(f: Any, *args: Any) -> list[str]:
    compiled = tf.function(f)
    for got, want in zip(tf.nest.flatten(compiled(*args)), tf.nest.flatten(f(*args)), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)
    return ops(compiled, *args)


def test_gradient_of_shared_weights() -> None:
    w, b = tf.Variable(numbers(6, 6) * 0.3), tf.Variable(numbers(6))

    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            for _ in range(8):
                x = tf.tanh(x @ w + b)
            y = tf.reduce_sum(x**2)
        return tape.gradient(y, [w, b])

    found = check(f, numbers(4, 6))
    assert found.count("matmul") == 8 + 7 + 1  # forward, back to the states, and the weights once
    assert found.count("reduce_sum") == 1


def test_other_terms_stay() -> None:
    def f(xs: Any, more: Any) -> Any:
        total = more
        for x in tf.unstack(xs):
            total = tf.linalg.matmul(x, x, transpose_a=True) + total
        return total + 2.0 * more

    assert check(f, numbers(5, 4, 3), numbers(3, 3)).count("matmul") == 1


@pytest.mark.parametrize("rows", [300, 3])
def test_few_or_long_terms_stay(rows: int) -> None:
    count = 5 if rows > 256 else 3

    def f(xs: Any) -> Any:
        return tf.add_n([tf.linalg.matmul(x, x, transpose_a=True) for x in tf.unstack(xs)])

    assert check(f, numbers(count, rows, 3)).count("matmul") == count


def test_terms_that_are_read_elsewhere() -> None:
    def f(xs: Any) -> Any:
        terms = [tf.linalg.matmul(x, x, transpose_a=True) for x in tf.unstack(xs)]
        return terms[0] + terms[1] + terms[2] + terms[3], terms[2]

    check(f, numbers(4, 2, 3))


def test_partial_sums_that_are_read_elsewhere() -> None:
    def f(xs: Any) -> Any:
        sums = [tf.zeros((3, 3))]
        for x in tf.unstack(xs):
            sums.append(sums[-1] + tf.linalg.matmul(x, x, transpose_a=True))
        return sums[-1], sums[3]

    check(f, numbers(7, 2, 3))
