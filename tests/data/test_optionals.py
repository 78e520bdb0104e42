"""Optionals in functions: in loops and branches, as results, and as arguments."""

from __future__ import annotations

from typing import Any

import pytest

import gradtape as tf
from gradtape.random._functions import streams

Dataset, Optional = tf.data.Dataset, tf.experimental.Optional


def test_a_loop_goes_on_until_there_is_no_value() -> None:
    @tf.function
    def total(iterator: Any) -> Any:
        result = tf.constant(0, tf.int64)
        found = iterator.get_next_as_optional()
        while found.has_value():
            result += tf.reduce_sum(found.get_value())
            found = iterator.get_next_as_optional()
        return result

    assert int(total(iter(Dataset.range(5)))) == 10
    assert int(total(iter(Dataset.range(5).batch(2)))) == 10


def test_a_loop_over_elements_with_parts() -> None:
    @tf.function
    def total() -> Any:
        iterator = iter(Dataset.range(4).map(lambda x: {"n": x, "row": tf.fill([x], x)}))
        result, found = tf.constant(0, tf.int64), iterator.get_next_as_optional()
        while found.has_value():
            value = found.get_value()
            result += value["n"] + tf.reduce_sum(value["row"])
            found = iterator.get_next_as_optional()
        return result

    assert [int(total()), int(total())] == [20, 20]


def test_a_while_loop_carries_an_optional() -> None:
    @tf.function
    def total(iterator: Any) -> Any:
        start = [iterator.get_next_as_optional(), tf.constant(0, tf.int64)]
        step = lambda found, n: (iterator.get_next_as_optional(), n + found.get_value())  # noqa: E731
        return tf.while_loop(lambda found, n: found.has_value(), step, start)[1]

    assert int(total(iter(Dataset.range(5)))) == 10


def test_functions_return_optionals() -> None:
    @tf.function
    def following(iterator: Any) -> Any:
        return iterator.get_next_as_optional()

    iterator = iter(Dataset.range(1))
    first, second = following(iterator), following(iterator)
    assert int(first.get_value()) == 0
    assert not second.has_value()
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        second.get_value()


def test_branches_give_optionals() -> None:
    @tf.function
    def positive(x: Any) -> Any:
        return tf.cond(x > 0, lambda: Optional.from_value(x), lambda: Optional.empty(tf.TensorSpec([], tf.int32)))

    @tf.function
    def value(found: Any) -> Any:
        return found.get_value() if found.has_value() else tf.constant(-1)

    assert [int(value(positive(tf.constant(n)))) for n in (3, -3)] == [3, -1]


def test_functions_take_optionals_of_their_own() -> None:
    @tf.function
    def inner(found: Any) -> Any:
        return tf.cond(found.has_value(), lambda: found.get_value() * 2, lambda: -1)

    @tf.function
    def outer(x: Any) -> Any:
        return inner(Optional.from_value(x)), inner(Optional.empty(tf.TensorSpec([], tf.int32)))

    assert [int(x) for x in outer(tf.constant(4))] == [8, -1]


def test_gradients_flow_through_optionals() -> None:
    x = tf.Variable(3.0)

    @tf.function
    def derivative() -> Any:
        with tf.GradientTape() as tape:
            y = Optional.from_value(x * x).get_value()
        return tape.gradient(y, x)

    assert float(derivative()) == 6.0


def test_specs_of_optionals() -> None:
    spec = tf.OptionalSpec(tf.TensorSpec([], tf.float32))
    assert tf.OptionalSpec.from_value(Optional.from_value(1.0)) == spec
    assert isinstance(Optional.from_value(1.0), spec.value_type)
    assert Dataset.range(2).map(lambda x: Optional.from_value(tf.cast(x, tf.float32))).element_spec == spec


@pytest.mark.parametrize("seed", [None, 5])
def test_a_dataset_that_a_function_makes_begins_anew_with_each_run(seed: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(streams, "seed", None)  # of the whole program, which another test may have set

    @tf.function
    def order() -> Any:
        ds = Dataset.range(20).shuffle(20, seed=seed)
        rows = tf.TensorArray(tf.int64, 40)
        i = 0
        for _ in range(2):
            for x in ds:
                rows = rows.write(i, x)
                i += 1
        return rows.stack()

    first, second = order().numpy().tolist(), order().numpy().tolist()
    assert first[:20] != first[20:]
    assert (first == second) is (seed is not None)
