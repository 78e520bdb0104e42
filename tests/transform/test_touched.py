"""Tangents of results that do not depend on the primal: zeros where a loop, branch or function connects them, None elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gradtape as tf


def loop(x: Any) -> Any:
    start = (tf.constant(0), tf.constant(1.0), tf.constant(5.0))
    return tf.while_loop(lambda i, y, z: i < 3, lambda i, y, z: (i + 1, y * x, z + 1.0), start)


def python_loop(x: Any) -> Any:
    y, z = tf.constant(1.0), tf.constant(5.0)
    for _ in tf.range(3):
        y, z = y * x, z + 1.0
    return y, z


def branch(x: Any) -> Any:
    return tf.cond(
        x > 0, lambda: (x * 2.0, tf.constant(3.0), tf.constant(1.0)), lambda: (x * 3.0, x * 4.0, tf.constant(2.0))
    )


def loops_in_branches(x: Any) -> Any:
    return tf.cond(x > 0, lambda: loop(x), lambda: loop(x * 2.0))


def function_in_loop(x: Any) -> Any:
    double = tf.function(lambda t: t * 2.0)
    start = (tf.constant(0), tf.constant(1.0), tf.constant(5.0))
    return tf.while_loop(lambda i, y, z: i < 2, lambda i, y, z: (i + 1, double(y) * x, double(z)), start)


def scan(x: Any) -> Any:
    return tf.scan(lambda c, e: (c[0] * x, c[1] + e), tf.constant([1.0, 2.0]), (tf.constant(1.0), tf.constant(0.0)))


def rows(x: Any) -> Any:
    return tf.map_fn(lambda e: (e * x, e * 2.0), tf.constant([1.0, 2.0]), fn_output_signature=(tf.float32, tf.float32))


def computed_from_zero(x: Any) -> Any:
    _, y, z = loop(x)
    return y, z * 2.0, tf.floor(z)


def straight(x: Any) -> Any:
    return x * 2.0, tf.stop_gradient(x), tf.floor(x), tf.constant(3.0), x > 0


def tangents(function: Callable[..., Any]) -> list[Any]:
    """The tangents of what a function of one number returns, at 2 in the direction 1."""
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        results = function(x)
    found = [accumulator.jvp(y) for y in tf.nest.flatten(results)]
    return [None if d is None else d.numpy().tolist() for d in found]


# What TensorFlow 2.21 returns: the function, its tangents through tf.function, and those of the same ops run one by one.
CASES: list[tuple[Any, list[Any], list[Any]]] = [
    (loop, [None, 12.0, 0.0], [None, 12.0, None]),
    (python_loop, [12.0, 0.0], [12.0, None]),
    (branch, [2.0, 0.0, None], [2.0, None, None]),
    (loops_in_branches, [None, 12.0, 0.0], [None, 12.0, None]),
    (function_in_loop, [None, 16.0, 0.0], [None, 16.0, None]),
    (scan, [[1.0, 4.0], [0.0, 0.0]], [[1.0, 4.0], None]),
    (rows, [[1.0, 2.0], [0.0, 0.0]], [[1.0, 2.0], None]),
    (computed_from_zero, [12.0, 0.0, None], [12.0, None, None]),
    (straight, [2.0, None, None, None, None], [2.0, None, None, None, None]),
]


@pytest.mark.parametrize(("function", "traced", "eager"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_tangents_of_the_unconnected(function: Any, traced: list[Any], eager: list[Any]) -> None:
    assert tangents(tf.function(function)) == traced
    assert tangents(tf.function(lambda x: tf.function(function)(x))) == traced
    assert tangents(function) == eager


@pytest.mark.parametrize("function", [loop, branch, loops_in_branches])
def test_in_a_function_with_its_own_accumulator(function: Any) -> None:
    @tf.function
    def inside(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            results = function(x)
        return [accumulator.jvp(y) for y in tf.nest.flatten(results)]

    traced = next(traced for known, traced, _ in CASES if known is function)
    assert [None if d is None else d.numpy() for d in inside(tf.constant(2.0))] == traced


def test_no_tangent_enters() -> None:
    other = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(other, tf.constant(1.0)) as accumulator:
        _, y, z = tf.function(loop)(tf.constant(2.0))
    assert accumulator.jvp([y, z]) == [None, None]
