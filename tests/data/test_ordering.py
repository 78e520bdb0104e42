"""Which elements come, in which order: the paths over rows and over elements agree."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset
X = np.arange(23)


def values(dataset: Any) -> list[Any]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


STEPS: dict[str, Callable[[Any], Any]] = {
    "take": lambda d: d.take(9),
    "skip": lambda d: d.skip(5),
    "shard": lambda d: d.shard(3, 1),
    "repeat": lambda d: d.repeat(2),
    "shuffle": lambda d: d.shuffle(4, seed=3),
    "shuffle all": lambda d: d.shuffle(100, seed=3),
    "cache": lambda d: d.cache(),
    "prefetch": lambda d: d.prefetch(2),
}


@pytest.mark.parametrize("names", list(itertools.permutations(STEPS, 2)))
def test_rows_and_elements_agree(names: tuple[str, str]) -> None:
    def applied(dataset: Any) -> Any:
        for name in names:
            dataset = STEPS[name](dataset)
        return dataset

    rows, elements = Dataset.from_tensor_slices(X), Dataset.from_tensor_slices(X).map(lambda x: x)
    assert values(applied(rows)) == values(applied(elements))
    assert values(applied(rows).batch(4)) == values(applied(elements).batch(4))
    assert len(applied(rows)) == len(list(applied(rows)))


def test_shuffle_is_reproducible() -> None:
    first, second = (Dataset.range(20).shuffle(20, seed=5) for _ in range(2))
    orders = [values(first) for _ in range(3)]
    assert orders == [values(second) for _ in range(3)]
    assert len({tuple(o) for o in orders}) == 3
    assert all(sorted(o) == list(range(20)) for o in orders)
    assert values(Dataset.range(20).shuffle(20, seed=6)) != orders[0]


def test_shuffle_under_a_global_seed() -> None:
    found = []
    for _ in range(2):
        tf.random.set_seed(7)
        found.append([values(Dataset.range(20).shuffle(20)), values(Dataset.range(20).shuffle(20))])
    tf.random.set_seed(None)
    assert found[0] == found[1]
    assert found[0][0] != found[0][1]


def test_same_order_each_time() -> None:
    dataset = Dataset.range(20).shuffle(20, reshuffle_each_iteration=False)
    assert values(dataset) == values(dataset)
    twice = values(dataset.repeat(2))
    assert twice[:20] == twice[20:]
    again = values(Dataset.range(20).shuffle(20, seed=1).repeat(2))
    assert again[:20] != again[20:]


def test_buffer_bounds_the_way_forward() -> None:
    order = values(Dataset.from_tensor_slices(np.arange(200)).shuffle(10, seed=0))
    assert sorted(order) == list(range(200))
    assert all(value < place + 10 for place, value in enumerate(order))
    assert order != sorted(order)


def test_every_order_is_equally_likely() -> None:
    dataset = Dataset.range(3).shuffle(3, seed=0)
    counts: dict[Any, int] = {}
    for _ in range(1200):
        order = tuple(values(dataset))
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert min(counts.values()) > 140


def test_infinite() -> None:
    endless = Dataset.from_tensor_slices(X).shuffle(30, seed=0).repeat().batch(10)
    found = list(itertools.islice(iter(endless), 12))
    assert all(len(b) == 10 for b in found)
    flat = np.concatenate([b.numpy() for b in found])
    assert sorted(flat[:23]) == sorted(flat[23:46]) == list(X)


@pytest.mark.parametrize("bad", [lambda d: d.shuffle(0), lambda d: d.batch(0), lambda d: d.shard(2, 2)])
def test_bad_numbers(bad: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        bad(Dataset.range(3))


def test_numbers_are_integers() -> None:
    with pytest.raises(TypeError, match="batch_size must be an integer"):
        Dataset.range(3).batch(2.5)
    assert values(Dataset.range(3).batch(tf.constant(2))) == [[0, 1], [2]]


def test_concatenate_and_enumerate() -> None:
    both = Dataset.range(2).concatenate(Dataset.range(5, 7)).enumerate(10)
    assert [(int(i), int(x)) for i, x in both] == [(10, 0), (11, 1), (12, 5), (13, 6)]


def test_zip() -> None:
    a, b = Dataset.from_tensor_slices(X), Dataset.from_tensor_slices({"s": ["a", "b", "c"]})
    zipped = Dataset.zip({"a": a, "b": (b, a)})
    found = list(zipped)
    assert len(found) == len(zipped) == 3
    assert found[1]["b"][0]["s"].numpy() == b"b"
    (batch,) = zipped.shuffle(3, seed=0).batch(3)
    letters, numbers = batch["b"][0]["s"].numpy(), batch["b"][1].numpy()
    assert [b"abc"[n : n + 1] for n in numbers] == letters.tolist()
    mixed = Dataset.zip((Dataset.range(9), b.map(lambda e: e["s"])))
    assert [(int(i), s.numpy()) for i, s in mixed] == [(0, b"a"), (1, b"b"), (2, b"c")]


def test_choose_and_sample() -> None:
    sources = [Dataset.from_tensors(i).repeat(2) for i in range(3)]
    choice = Dataset.from_tensor_slices(np.array([0, 1, 0, 0, 2, 1]))
    assert values(Dataset.choose_from_datasets(sources, choice)) == [0, 1, 0]
    assert values(Dataset.choose_from_datasets(sources, choice, stop_on_empty_dataset=False)) == [0, 1, 0, 2, 1]
    endless = [Dataset.from_tensors(i).repeat() for i in range(2)]
    drawn = values(Dataset.sample_from_datasets(endless, [0.25, 0.75], seed=1).take(2000))
    assert 0.7 < np.mean(drawn) < 0.8
    with pytest.raises(ValueError, match="weights"):
        Dataset.sample_from_datasets(endless, [1.0])


def test_random_and_unique() -> None:
    numbers = values(Dataset.random(seed=1).take(100))
    assert len(set(numbers)) > 95
    assert [x.numpy() for x in Dataset.from_tensor_slices(["b", "a", "b"]).unique()] == [b"b", b"a"]


def test_concatenate_refuses_elements_of_another_kind() -> None:
    with pytest.raises(TypeError, match="concatenate: Incompatible dataset elements"):
        list(Dataset.range(2).concatenate(Dataset.from_tensor_slices(["a"])))
    with pytest.raises(TypeError, match="concatenate: Incompatible dataset elements"):
        list(Dataset.range(2).concatenate(Dataset.range(2).enumerate()))


@pytest.mark.parametrize("stop", [True, False])
def test_datasets_of_weight_zero_are_never_read(stop: bool) -> None:
    def never() -> Any:
        raise AssertionError
        yield 0

    other = Dataset.from_generator(never, output_signature=tf.TensorSpec([], tf.int64))
    for weights, expected in [([0.0, 1.0], [0, 1, 2]), ([0.0, 0.0], [])]:
        ds = Dataset.sample_from_datasets([other, Dataset.range(3)], weights=weights, stop_on_empty_dataset=stop)
        assert len(ds) == len(expected)
        assert [int(x) for x in ds] == expected
