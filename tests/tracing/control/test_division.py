"""Loops divided: what all steps can do at once is done outside, and the numbers stay the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler.graph import Graph

random = np.random.default_rng(3)


def numbers(*shape: int) -> Any:
    return tf.constant(random.normal(size=shape).astype(np.float32))


W, U, B = (tf.Variable(numbers(*s) * 0.4) for s in ((5, 6), (6, 6), (6,)))


def optimized(f: Any, *args: Any) -> Graph:
    """The graph that a function runs by NumPy's kernels: after all passes, before fusion."""
    f(*args)
    (trace,) = f._traces.values()
    graph = trace._staged.program.program.graph
    return graph.plain or graph


def ops(graph: Graph) -> list[str]:
    return [node.op.name for node in graph.nodes]


def recurrent(xs: Any, reverse: bool = False) -> Any:
    return tf.scan(lambda h, x: tf.tanh(x @ W + h @ U + B), xs, tf.zeros((4, 6)), reverse=reverse)


def gradients(f: Any) -> Any:
    def run(xs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = tf.reduce_sum(f(xs) ** 2)
        return [y, *tape.gradient(y, [xs, W, U, B], unconnected_gradients="zero")]

    return run


def check(f: Any, *args: Any) -> None:
    for got, want in zip(tf.nest.flatten(tf.function(f)(*args)), tf.nest.flatten(f(*args)), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


def products(graph: Graph) -> list[tuple[Any, ...]]:
    return [node.inputs[0].spec.shape for node in graph.nodes if node.op.name == "matmul"]


@pytest.mark.parametrize("reverse", [False, True])
def test_recurrent_layer(reverse: bool) -> None:
    check(gradients(lambda xs: recurrent(xs, reverse)), numbers(7, 4, 5))


def test_products_of_inputs_are_one_before_the_loop() -> None:
    graph = optimized(tf.function(recurrent), numbers(7, 4, 5))
    assert ops(graph).index("matmul") < ops(graph).index("loop")
    body = next(node for node in graph.nodes if node.op.name == "loop").params["body"]
    assert [n.op.name for n in body.nodes].count("matmul") == 1  # that of the state


def test_gradients_of_weights_are_products_after_the_loop() -> None:
    graph = optimized(tf.function(gradients(recurrent)), numbers(7, 4, 5))
    assert (28, 5) in products(graph)
    assert (28, 6) in products(graph)
    loops = [node for node in graph.nodes if node.op.name == "loop"]
    assert len(loops) == 2
    assert loops[1].params["carried"] == 1  # the cotangent of the state; sums are not carried


def test_second_derivatives() -> None:
    def f(xs: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(xs)
            norm = tf.add_n([tf.reduce_sum(g**2) for g in gradients(recurrent)(xs)[1:]])
        return outer.gradient(norm, [xs, U])

    check(f, numbers(3, 4, 5))


def row(x: Any) -> Any:
    return tf.reduce_sum(tf.nn.softmax(tf.linalg.matvec(U, x[1:])) * tf.tanh(x[0]) + B)


def test_map_fn_needs_no_loop() -> None:
    def f(xs: Any) -> Any:
        return tf.map_fn(row, xs)

    check(gradients(f), numbers(9, 7))
    graph = optimized(tf.function(gradients(f)), numbers(9, 7))
    assert "loop" not in ops(graph)


def test_map_fn_of_several_results_and_constant_ones() -> None:
    def f(xs: Any) -> Any:
        return tf.map_fn(
            lambda x: (x[::-1], tf.reduce_max(x), tf.constant(2.0), U),
            xs,
            fn_output_signature=(tf.float32, tf.float32, tf.float32, tf.float32),
        )

    check(f, numbers(9, 7))


def test_sums_that_are_read_in_between_stay() -> None:
    def f(xs: Any) -> Any:
        total = tf.zeros((5, 5))
        for x in xs:
            total = total + tf.linalg.matmul(x, x, transpose_a=True) * tf.reduce_mean(total + 1.0)
        return total

    check(f, numbers(6, 4, 5) * 0.2)


@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True), (True, True)])
def test_sums_of_products(flags: tuple[bool, bool]) -> None:
    def f(xs: Any) -> Any:
        total = tf.ones((5, 5))
        state = tf.zeros((5, 5))
        for x in xs:
            state = tf.tanh(state + x)
            total = total + tf.linalg.matmul(state, x, transpose_a=flags[0], transpose_b=flags[1])
        return total, state

    check(f, numbers(6, 5, 5))
    graph = optimized(tf.function(f), numbers(6, 5, 5))
    assert (30, 5) in products(graph)


def test_sums_of_sums() -> None:
    def f(xs: Any) -> Any:
        total, other = tf.zeros((5,)), tf.zeros((4,))
        state = tf.zeros((4, 5))
        for x in xs:
            state = tf.sin(state + x)
            total += tf.reduce_sum(state, axis=0)
            other += tf.reduce_sum(state * x, axis=1)
        return total, other, state

    check(f, numbers(6, 4, 5))


def test_assignments_and_random_numbers_stay_in_their_steps() -> None:
    v = tf.Variable(0.0)

    @tf.function
    def f(xs: Any) -> Any:
        return tf.map_fn(lambda x: v.assign_add(tf.reduce_sum(x)), xs)

    xs = numbers(4, 3)
    np.testing.assert_allclose(f(xs), np.cumsum(np.sum(xs.numpy(), 1)), rtol=1e-5)
    draws = tf.function(lambda: tf.map_fn(lambda i: tf.random.normal(()), tf.zeros(64)))().numpy()
    assert len(set(draws.tolist())) == 64


def test_a_condition_ends_a_loop_early() -> None:
    def f(xs: Any) -> Any:
        total, i = tf.zeros((5, 5)), tf.constant(0)
        while i < 6 and tf.reduce_sum(total) < 3.0:
            x = xs[i]
            total += tf.linalg.matmul(x, x, transpose_a=True)
            i += 1
        return total, i

    xs = tf.abs(numbers(6, 4, 5)) * 0.2
    got, want = tf.function(f)(xs), f(xs)
    assert got[1] == want[1]
    np.testing.assert_allclose(got[0], want[0], rtol=1e-5)


def test_what_would_be_large_stays_in_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradtape.tracing.control.loop_fission._MOST", 100)
    graph = optimized(tf.function(recurrent), numbers(7, 4, 5))
    assert "matmul" not in ops(graph)
    check(recurrent, numbers(7, 4, 5))
