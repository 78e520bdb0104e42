"""Maps that run on whole batches."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.data import _vectorized_map as vectorized_map
from gradtape.data._purity import Reading

Dataset = tf.data.Dataset
SCALE, NUMBERS = 2.0, [1, 2]
variable = tf.Variable(1.0)
constant = tf.constant([1.0, 2.0])


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectorized_map, "PATIENCE", 8)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of batches that were computed at once."""
    sizes: list[int] = []
    whole = vectorized_map.Vectorized._at_once

    def counted(self: Any, group: Any, size: int) -> Any:
        made = whole(self, group, size)
        sizes.extend([size] if made is not None else [])
        return made

    monkeypatch.setattr(vectorized_map.Vectorized, "_at_once", counted)
    return sizes


def scaled(x: Any) -> Any:
    return tf.reduce_sum(x * SCALE) + math.sqrt(4.0)


def outer(x: Any) -> Any:
    return scaled(x) if len(x.shape) else x


def reassigned(x: Any) -> Any:
    global SCALE
    SCALE = 3.0
    return x


PURE = [
    lambda x: x,
    lambda x, y: (tf.image.flip_left_right(x), tf.one_hot(y, 3)),
    lambda d: {"a": d["a"] * np.float32(2), "b": tf.cast(d["b"], tf.float32)},
    scaled,
    outer,
    lambda x: [tf.cast(x, t) for t in (tf.float32, tf.int32)],
    lambda x: tf.random.uniform([]) + x + constant[0],
    lambda x, n=3: x + n,
    tf.function(lambda x: x * 2),
    tf.sin,
]
IMPURE = [
    lambda x: NUMBERS.append(1) or x,
    lambda x: x + np.random.rand(),
    lambda x: x + random.random(),
    lambda x: x * variable,
    lambda x: print(x) or x,
    reassigned,
    lambda x: np.sum(x),
    NUMBERS.append,
    lambda x: (lambda module: module.random.rand())(np),
]


@pytest.mark.parametrize("function", PURE)
def test_functions_that_only_compute(function: Any) -> None:
    assert Reading(function).is_pure


@pytest.mark.parametrize("function", IMPURE)
def test_functions_that_do_more(function: Any) -> None:
    assert not Reading(function).is_pure


def test_names_from_outside_are_followed() -> None:
    factor = 2.0
    reading = Reading(lambda x: x * factor)
    assert reading.is_current()
    factor = 3.0
    assert not reading.is_current()


def test_batches_are_computed_at_once(compiled: list[int]) -> None:
    x, y = np.arange(60.0, dtype=np.float32).reshape(20, 3), np.arange(20)
    dataset = (
        Dataset.from_tensor_slices((x, y)).map(lambda x, y: (x * x, y + 1)).map(lambda x, y: {"s": scaled(x), "y": y})
    )
    batches = list(dataset.batch(4))
    assert [b["y"].numpy().tolist() for b in batches] == (np.arange(20).reshape(5, 4) + 1).tolist()
    np.testing.assert_allclose(np.concatenate([b["s"] for b in batches]), 2 * (x * x).sum(axis=1) + 2, rtol=1e-6)
    assert compiled == [4, 4, 4]


FACTOR = 1


def test_last_batch_and_changed_names(compiled: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = Dataset.range(14).map(lambda x: x * FACTOR).batch(4)
    assert sum(int(x) for b in dataset for x in b) == 91
    assert compiled == [4]
    monkeypatch.setitem(globals(), "FACTOR", 10)
    assert sum(int(x) for b in dataset for x in b) == 910
    assert list(dataset.map(tf.shape).as_numpy_iterator())[-1].tolist() == [2]


def test_elements_of_other_stages_are_stacked_first(compiled: list[int]) -> None:
    source = Dataset.from_generator(lambda: iter(range(20)), output_signature=tf.TensorSpec((), tf.int64))
    found = [x.tolist() for x in source.map(lambda x: x + 1).batch(5, drop_remainder=True).as_numpy_iterator()]
    assert found == (np.arange(20).reshape(4, 5) + 1).tolist()
    assert compiled == [5, 5]


def test_elements_of_different_shapes_stay_alone(compiled: list[int]) -> None:
    source = Dataset.range(1, 21).map(lambda n: tf.range(n))
    found = [int(x) for b in source.map(tf.reduce_sum).batch(4) for x in b]
    assert found == [n * (n - 1) // 2 for n in range(1, 21)]
    assert not compiled


def test_what_cannot_be_traced_runs_in_python(compiled: list[int]) -> None:
    dataset = Dataset.range(20).map(lambda x: tf.constant(x.numpy())).batch(4)
    assert [int(x) for b in dataset for x in b] == list(range(20))
    assert not compiled


def test_python_functions_run_for_each_element(compiled: list[int]) -> None:
    dataset = Dataset.range(20).map(lambda x: tf.numpy_function(lambda v: v * 2, [x], tf.int64)).batch(4)
    assert [int(x) for b in dataset for x in b] == list(range(0, 40, 2))
    assert not compiled


def test_error_of_an_element_is_that_of_python() -> None:
    dataset = Dataset.range(20).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(15 - x, tf.float32), "found"))
    batches = iter(dataset.batch(4))
    assert [next(batches).shape[0] for _ in range(3)] == [4, 4, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match="found"):
        next(batches)


def test_random_numbers_differ_and_are_repeated(compiled: list[int]) -> None:
    def drawn() -> list[float]:
        tf.random.set_seed(3)
        return [float(x) for b in Dataset.range(40).map(lambda x: tf.random.uniform([])).batch(4) for x in b]

    first = drawn()
    assert len(set(first)) == 40
    assert drawn() == first
    assert compiled
    tf.random.set_seed(None)


def test_tapes_do_not_see_them(compiled: list[int]) -> None:
    with tf.GradientTape() as tape:
        tape.watch(constant)
        total = sum(tf.reduce_sum(b) for b in Dataset.range(20).map(lambda x: constant * 2.0).batch(4))
    assert compiled
    assert tape.gradient(total, constant) is None


def test_eager_functions_are_not_compiled(compiled: list[int]) -> None:
    tf.config.run_functions_eagerly(True)
    try:
        assert len(list(Dataset.range(20).map(lambda x: x).batch(4))) == 5
    finally:
        tf.config.run_functions_eagerly(False)
    assert not compiled
