"""Datasets as elements, and the specs that functions give without being run."""

from __future__ import annotations

from typing import Any

import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def numbers(dataset: Any) -> list[Any]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


def test_slices_of_datasets() -> None:
    several = Dataset.from_tensor_slices([Dataset.range(2), Dataset.range(5, 8)])
    assert numbers(several.flat_map(lambda d: d)) == [0, 1, 5, 6, 7]
    assert several.element_spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))


def test_batches_of_datasets() -> None:
    inner = Dataset.range(6).map(Dataset.from_tensors)
    batches = inner.batch(2).map(lambda d: d)
    assert batches.element_spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64), [None])
    assert numbers(batches.unbatch().flat_map(lambda d: d)) == list(range(6))
    twice = inner.batch(2).batch(3).unbatch().unbatch().flat_map(lambda d: d)
    assert numbers(twice) == list(range(6))


def test_datasets_beside_tensors() -> None:
    pairs = Dataset.from_tensor_slices(([1, 2], [Dataset.range(2), Dataset.range(3)]))
    assert [(int(n), len(list(d))) for n, d in pairs] == [(1, 2), (2, 3)]


def test_optionals_as_elements() -> None:
    (found,) = Dataset.from_tensors(tf.experimental.Optional.from_value(3))
    assert int(found.get_value()) == 3


@pytest.mark.parametrize("count", [0, 3])
def test_specs_without_elements(count: int) -> None:
    ds = Dataset.range(count)
    assert ds.window(2).flat_map(lambda w: w.batch(2)).element_spec == tf.TensorSpec([None], tf.int64)
    grouped = ds.group_by_window(lambda x: x % 2, lambda key, group: group.batch(4), 2)
    assert grouped.element_spec == tf.TensorSpec([None], tf.int64)
    assert ds.flat_map(lambda x: Dataset.range(x)).element_spec == tf.TensorSpec([], tf.int64)
    assert ds.map(lambda x: Dataset.range(x)).element_spec.element_spec == tf.TensorSpec([], tf.int64)


def test_the_shape_of_sparse_elements() -> None:
    sparse = Dataset.range(2).map(lambda x: tf.SparseTensor([[0, 0]], [x], [3, 2]))
    assert sparse.map(lambda s: s).element_spec == tf.SparseTensorSpec([3, 2], tf.int64)


def test_weights_from_a_dataset() -> None:
    words = [Dataset.from_tensors(i).repeat(3) for i in range(2)]
    weights = Dataset.from_tensor_slices([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert numbers(Dataset.sample_from_datasets(words, weights)) == [0, 1, 1]


def test_random_access_to_a_shuffle_is_consistent() -> None:
    ds = Dataset.range(20).shuffle(20)
    first = [int(tf.data.experimental.at(ds, i)) for i in range(20)]
    assert first == [int(tf.data.experimental.at(ds, i)) for i in range(20)]
    assert sorted(first) == list(range(20))


def test_the_narrowest_spec_of_datasets() -> None:
    spec = lambda shape, several: tf.data.DatasetSpec(tf.TensorSpec(shape, tf.int32), several)  # noqa: E731
    found = spec([1, None], [5, None, 2]).most_specific_common_supertype([spec([None, 2], [None, 1, None])])
    assert found == spec([None, None], [None, None, None])
    assert spec([1, 2], [5, 3, 2]).most_specific_common_supertype([spec([1, None], [5])]).shape.rank is None
    nothing = tf.data.DatasetSpec({"b": None}, [])
    assert nothing.is_subtype_of(nothing)
    assert nothing.most_specific_common_supertype([nothing]) == nothing
    assert nothing.most_specific_common_supertype([tf.data.DatasetSpec({"b": tf.TensorSpec([])}, [])]) is None
