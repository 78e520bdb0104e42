"""Datasets of strategies."""

from __future__ import annotations

from typing import Any

import pytest

import gradtape as tf


def parts(element: Any) -> list[list[int]]:
    return [[int(v) for v in part] for part in element]


def test_batches_are_divided(two: Any) -> None:
    dataset = tf.data.Dataset.range(10).batch(4)
    distributed = two.experimental_distribute_dataset(dataset)
    assert [parts(e) for e in distributed] == [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8, 9], []]]
    assert len(distributed) == int(distributed.cardinality()) == 3
    assert distributed.element_spec[1].shape == [None]
    assert isinstance(distributed, tf.distribute.DistributedDataset)
    even = two.experimental_distribute_dataset(tf.data.Dataset.range(10).batch(4, drop_remainder=True))
    assert even.element_spec[0].shape == [2]


def test_structures(two: Any) -> None:
    dataset = tf.data.Dataset.from_tensor_slices(({"a": [1, 2]}, [3, 4])).batch(2)
    x, y = next(iter(two.experimental_distribute_dataset(dataset)))
    assert (parts(x["a"]), parts(y)) == ([[1], [2]], [[3], [4]])


def test_iterators(two: Any) -> None:
    iterator = iter(two.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2)))
    assert isinstance(iterator, tf.distribute.DistributedIterator)
    assert parts(iterator.get_next()) == [[0], [1]]
    assert parts(iterator.get_next_as_optional().get_value()) == [[2], [3]]
    assert not iterator.get_next_as_optional().has_value()
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()


def test_in_functions(two: Any) -> None:
    distributed = two.experimental_distribute_dataset(tf.data.Dataset.range(10).batch(4))

    def total(x: Any) -> Any:
        return two.reduce("SUM", two.run(lambda x: tf.reduce_sum(x), args=(x,)), axis=None)

    @tf.function
    def epoch(dataset: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += total(x)
        return found

    @tf.function
    def step(iterator: Any) -> Any:
        return total(next(iterator))

    assert int(epoch(distributed)) == int(epoch(distributed)) == 45
    iterator = iter(distributed)
    assert [int(step(iterator)) for _ in range(3)] == [6, 22, 17]


def test_from_a_function(two: Any) -> None:
    def make(context: Any) -> Any:
        size = context.get_per_replica_batch_size(4)
        assert (context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync) == (1, 0, 2)
        return tf.data.Dataset.range(5).batch(size)

    distributed = two.distribute_datasets_from_function(make)
    assert [parts(e) for e in distributed] == [[[0, 1], [2, 3]], [[4], []]]
    with pytest.raises(ValueError, match="not divisible"):
        tf.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(3)


def test_one_replica_gets_the_dataset() -> None:
    dataset = tf.data.Dataset.range(2)
    strategy = tf.distribute.MirroredStrategy()
    assert strategy.experimental_distribute_dataset(dataset) is dataset
    assert strategy.distribute_datasets_from_function(lambda context: dataset) is dataset


def test_elements_without_a_batch_axis_are_refused(two: Any) -> None:
    with pytest.raises(ValueError, match="no batch axis"):
        next(iter(two.experimental_distribute_dataset(tf.data.Dataset.range(2))))
