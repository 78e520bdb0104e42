"""Random numbers in functions of datasets: under a seed each iteration draws the same."""

from __future__ import annotations

from typing import Any

import pytest

import gradtape as tf
from gradtape.data import _vectorized_map as vectorized_map

Dataset = tf.data.Dataset


@pytest.fixture(autouse=True)
def _seedless() -> Any:
    yield
    tf.random.set_seed(None)


def draws(dataset: Any) -> list[Any]:
    return sorted(x.tolist() for x in dataset.as_numpy_iterator())


@pytest.mark.parametrize("calls", [None, 3])
@pytest.mark.parametrize("seed", [None, 4])
def test_iterations_under_a_seed(seed: Any, calls: Any) -> None:
    tf.random.set_seed(1)
    ds = Dataset.range(20).map(lambda x: tf.random.uniform([], seed=seed), num_parallel_calls=calls)
    assert draws(ds) == draws(ds)
    assert len(set(draws(ds))) == 20


def test_iterations_without_a_seed_differ() -> None:
    tf.random.set_seed(None)
    ds = Dataset.range(5).map(lambda x: tf.random.uniform([]))
    assert draws(ds) != draws(ds)


def test_vectorized_functions_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectorized_map, "PATIENCE", 0)
    tf.random.set_seed(1)
    ds = Dataset.range(64).map(lambda x: tf.cast(x, tf.float32) + tf.random.uniform([])).batch(8)
    assert draws(ds) == draws(ds)


def test_a_function_keeps_the_streams_of_the_program() -> None:
    noise = tf.function(lambda x: tf.random.uniform([]))
    list(Dataset.range(2).map(noise))
    tf.random.set_seed(1)
    first = float(noise(0))
    tf.random.set_seed(1)
    assert float(noise(0)) == first
