"""Datasets in functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def pairs() -> Any:
    return Dataset.from_tensor_slices((np.arange(5, dtype=np.float32), np.arange(5))).batch(2)


def test_for_over_a_dataset() -> None:
    count = tf.Variable(0)

    @tf.function
    def total(dataset: Any) -> Any:
        found = tf.constant(0.0)
        for x, _ in dataset:
            found += tf.reduce_sum(x)
            count.assign_add(1)
        return found

    dataset = pairs()
    assert [float(total(dataset)), float(total(dataset))] == [10.0, 10.0]
    assert int(count) == 6


def test_each_run_shuffles_anew() -> None:
    dataset = Dataset.range(10).shuffle(10, seed=1)

    @tf.function
    def first() -> Any:
        found = tf.constant(-1, tf.int64)
        for x in dataset:
            found = x
            break
        return found

    assert len({int(first()) for _ in range(12)}) > 2


def test_break_out_of_an_infinite_dataset() -> None:
    @tf.function
    def below(limit: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for x in Dataset.range(3).repeat():
            if found >= limit:
                break
            found += x
        return found

    assert [int(below(tf.constant(n, tf.int64))) for n in (4, 9)] == [4, 9]


def test_gradient_through_a_loop() -> None:
    w = tf.Variable(2.0)
    dataset = pairs()

    @tf.function
    def gradient() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.constant(0.0)
            for x, _ in dataset:
                loss += tf.reduce_sum(x) * w
        return tape.gradient(loss, w)

    assert float(gradient()) == 10.0


def test_next_in_a_function() -> None:
    iterator = iter(pairs())

    @tf.function
    def step(iterator: Any) -> Any:
        x, y = next(iterator)
        assert x.shape.as_list() == [None]
        return tf.reduce_sum(x), y

    assert [float(step(iterator)[0]) for _ in range(3)] == [1.0, 5.0, 4.0]
    with pytest.raises(tf.errors.OutOfRangeError):
        step(iterator)


def test_python_iteration_in_a_trace_says_what_to_do() -> None:
    dataset = pairs()

    @tf.function(autograph=False)
    def total() -> Any:
        return sum(tf.reduce_sum(x) for x, _ in dataset)

    with pytest.raises(ValueError, match=r"next\(iterator\)"):
        total()


def test_datasets_of_arguments() -> None:
    @tf.function
    def total(x: Any, y: Any) -> Any:
        found = tf.zeros([2])
        for row, weight in Dataset.from_tensor_slices((x, y)).batch(2):
            found += tf.reduce_sum(row * weight[:, None], axis=0)
        return found

    x, y = np.arange(10.0, dtype=np.float32).reshape(5, 2), np.arange(5.0, dtype=np.float32)
    for n in (5, 3):
        np.testing.assert_allclose(total(x[:n], y[:n]), (x * y[:, None])[:n].sum(axis=0))
    some = tf.function(total.python_function, input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None])])
    np.testing.assert_allclose(some(x, y), (x * y[:, None]).sum(axis=0))
    assert some.experimental_get_tracing_count() == 1


def test_ranges_of_arguments() -> None:
    @tf.function
    def numbers(n: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for i in Dataset.range(1, n).map(lambda i: i * 2):
            found = found * 10 + i
        return found

    assert [int(numbers(tf.constant(n, tf.int64))) for n in (4, 1, 3)] == [246, 0, 24]


def test_datasets_of_arguments_are_reduced_when_the_function_runs() -> None:
    reduced = tf.function(lambda x: Dataset.from_tensor_slices(x).reduce(0.0, tf.add))
    assert [float(reduced(tf.constant(x))) for x in ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])] == [6.0, 15.0]


def test_datasets_of_arguments_have_no_array_while_the_function_is_traced() -> None:
    with pytest.raises(NotImplementedError, match="can only be iterated"):
        tf.function(lambda x: list(Dataset.from_tensor_slices(x)._stage.values()))(tf.ones([3]))


def test_functions_of_python_on_datasets() -> None:
    """`enumerate`, `zip`, `map` and `filter` of datasets are datasets, over which loops of the graph go."""

    def total(a: Any, b: Any) -> Any:
        found = tf.constant(0, tf.int64) + 0
        for i, x in enumerate(a):
            found += i * x
        for i, x in enumerate(b, start=2):
            found += i * x
        for i, (x, y) in enumerate(zip(a, b)):  # noqa: B905 - as users write it
            found += i * x * y
        for x in map(lambda v, w: v * w, a, b):
            found += x
        for x in filter(lambda v: v > 2, a):
            if x > 3:
                break
            found += x
        return found

    @tf.function
    def traced() -> Any:
        return total(tf.data.Dataset.range(5), tf.data.Dataset.range(10, 15))

    assert int(traced()) == int(total(range(5), range(10, 15)))
    assert traced.experimental_get_tracing_count() == 1
