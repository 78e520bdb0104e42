"""Datasets from tensors, numbers and generators; structures, specs, cardinality, iterators."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset
Point = namedtuple("Point", "x y")


def values(dataset: Any) -> list[Any]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


def test_slices_keep_structures() -> None:
    data = {"b": np.arange(6).reshape(3, 2), "a": (np.arange(3.0), Point(["u", "v", "w"], [True, False, True]))}
    found = list(Dataset.from_tensor_slices(data))
    assert list(found[1]) == ["b", "a"]
    assert found[1]["b"].numpy().tolist() == [2, 3]
    assert isinstance(found[1]["a"][1], Point)
    assert found[1]["a"][1].x.numpy() == b"v"
    assert found[1]["a"][1].x.shape == []
    assert found[1]["a"][0].dtype is tf.float64


@pytest.mark.parametrize("bad", [1.0, (np.zeros(2), np.zeros(3)), ()])
def test_slices_need_rows(bad: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="from_tensor_slices"):
        Dataset.from_tensor_slices(bad)


def test_slices_are_not_changed_by_the_array() -> None:
    array = np.zeros(3)
    dataset = Dataset.from_tensor_slices(array)
    array[:] = 1
    assert values(dataset.batch(3)) == [[0, 0, 0]]


def test_empty() -> None:
    empty = Dataset.from_tensor_slices(np.zeros([0, 2], np.float32))
    for dataset in (empty, empty.batch(2), empty.shuffle(3), empty.repeat(), empty.map(lambda x: x), empty.prefetch(1)):
        assert list(dataset) == []
    assert len(empty.shuffle(3).batch(2)) == 0
    assert empty.map(lambda x: x + 1).batch(2).element_spec == tf.TensorSpec([None, 2], tf.float32)


def test_class_is_not_called() -> None:
    with pytest.raises(TypeError, match="from_tensor_slices"):
        Dataset([1, 2])


def test_generator_signatures() -> None:
    def pairs() -> Iterator[Any]:
        yield 1, [1.0, 2.0]
        yield 2, [3.0]

    signature = (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32))
    dataset = Dataset.from_generator(pairs, output_signature=signature)
    assert dataset.element_spec == signature
    assert dataset.cardinality().numpy() == tf.data.UNKNOWN_CARDINALITY
    assert [len(v) for _, v in dataset] == [len(v) for _, v in dataset] == [2, 1]
    old = Dataset.from_generator(pairs, (tf.int32, tf.float32), ([], [None]))
    assert old.element_spec == signature


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        (tf.TensorSpec([], tf.int32), "i32|int32|convert"),
        (tf.TensorSpec([3], tf.float32), r"f32\[2\]"),
        ((tf.TensorSpec([], tf.float32),) * 3, "structure"),
    ],
)
def test_generator_that_gives_something_else(signature: Any, text: str) -> None:
    dataset = Dataset.from_generator(lambda: iter([[1.0, 2.0]]), output_signature=signature)
    with pytest.raises(TypeError, match=text):
        list(dataset)


def test_generator_is_a_function() -> None:
    with pytest.raises(TypeError, match="`generator` must be a Python callable"):
        Dataset.from_generator(iter([1]), output_signature=tf.TensorSpec([], tf.int32))
    with pytest.raises(TypeError, match="output_signature"):
        Dataset.from_generator(lambda: iter([1]))


def test_generator_error_keeps_its_class_and_line() -> None:
    def broken() -> Iterator[Any]:
        yield 1
        raise KeyError("lost")

    iterator = iter(Dataset.from_generator(broken, tf.int32))
    next(iterator)
    with pytest.raises(KeyError, match="lost") as caught:
        next(iterator)
    assert 'raise KeyError("lost")' in "".join(caught.value.__notes__)


def test_range() -> None:
    assert values(Dataset.range(5, 1, -2)) == [5, 3]
    assert Dataset.range(3, output_type=tf.float32).element_spec == tf.TensorSpec([], tf.float32)


def test_iterator() -> None:
    iterator = iter(Dataset.range(2))
    assert iterator.element_spec == tf.TensorSpec([], tf.int64)
    assert int(iterator.get_next()) == 0
    optional = iterator.get_next_as_optional()
    assert optional.has_value()
    assert int(optional.get_value()) == 1
    assert not iterator.get_next_as_optional().has_value()
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()
    with pytest.raises(StopIteration):
        next(iterator)


def test_single_element() -> None:
    assert Dataset.from_tensors({"a": [1, 2]}).get_single_element()["a"].numpy().tolist() == [1, 2]
    for dataset in (Dataset.range(2), Dataset.range(0)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="get_single_element"):
            dataset.get_single_element()


def test_length() -> None:
    assert len(Dataset.range(10).batch(3, drop_remainder=True).repeat(2)) == 6
    with pytest.raises(TypeError, match="infinite"):
        len(Dataset.range(1).repeat())
    with pytest.raises(TypeError, match="unknown"):
        len(Dataset.range(1).filter(lambda x: True))


def test_cardinality() -> None:
    many, none = Dataset.range(10), Dataset.range(0)
    cases = [
        (many.skip(3).take(4), 4),
        (many.take(-1), 10),
        (many.skip(-1), 0),
        (many.repeat().take(3), 3),
        (none.repeat(), 0),
        (many.shard(3, 0), 4),
        (many.concatenate(none), 10),
        (Dataset.zip(many, many.repeat()), 10),
        (many.window(3, shift=2), 5),
        (many.window(3, shift=2, drop_remainder=True), 4),
        (many.map(lambda x: x).cache().prefetch(1).shuffle(2).enumerate(), 10),
        (many.flat_map(lambda x: many), tf.data.UNKNOWN_CARDINALITY),
    ]
    for dataset, expected in cases:
        assert dataset.cardinality().numpy() == expected
        if expected >= 0:
            assert len(list(dataset)) == expected


def test_element_spec_of_functions() -> None:
    numbers = Dataset.range(3)
    traced = numbers.map(lambda i: {"a": tf.cast(i, tf.float32), "b": tf.zeros([2])})
    assert traced.element_spec == {"a": tf.TensorSpec([], tf.float32), "b": tf.TensorSpec([2], tf.float32)}
    ran = numbers.map(lambda i: np.ones(int(i.numpy()) + 1))
    assert ran.element_spec == tf.TensorSpec([1], tf.float64)
    windows = numbers.window(2)
    assert windows.element_spec.element_spec == tf.TensorSpec([], tf.int64)
    assert windows.flat_map(lambda w: w.batch(2)).element_spec == tf.TensorSpec([None], tf.int64)


def test_options_are_kept() -> None:
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    found = Dataset.range(1).with_options(options).options()
    assert found.experimental_distribute.auto_shard_policy is tf.data.experimental.AutoShardPolicy.OFF


def test_generators_of_ragged_tensors() -> None:
    spec = tf.RaggedTensorSpec([2, None], tf.int32)
    rows = tf.ragged.constant([[1], [2, 3]])
    (found,) = Dataset.from_generator(lambda: iter([rows]), output_signature=spec)
    assert found.to_list() == [[1], [2, 3]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="is expected"):
        list(Dataset.from_generator(lambda: iter([[1, 2]]), output_signature=spec))


def test_generators_that_break_their_signature() -> None:
    for value, spec in (("a", tf.TensorSpec((), tf.int32)), ([1, 2], tf.TensorSpec((3,), tf.int32))):
        with pytest.raises(tf.errors.InvalidArgumentError, match="the generator yielded"):
            list(Dataset.from_generator(lambda value=value: iter([value]), output_signature=spec))


def test_cardinality_of_what_takes_from_endless_datasets() -> None:
    endless, three = Dataset.range(3).repeat(), Dataset.range(3)
    known = {
        endless.interleave(lambda x: Dataset.range(x), 2, num_parallel_calls=2): -1,
        endless.interleave(lambda x: Dataset.range(x), 2): -2,
        endless.group_by_window(lambda x: x, lambda key, window: window.batch(2), 2): -1,
        endless.batch(2).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2]): -1,
        endless.rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5]): -1,
        endless.ignore_errors(): -2,
        endless.batch(2).rebatch(3): -2,
        Dataset.choose_from_datasets([three, endless], Dataset.range(2)): -1,
        Dataset.choose_from_datasets([three, three], Dataset.range(2).repeat()): -2,
        Dataset.sample_from_datasets([three, endless], stop_on_empty_dataset=True): -1,
    }
    assert [int(dataset.cardinality()) for dataset in known] == list(known.values())


def test_arrays_of_elements_are_read_only() -> None:
    """They may be those that the dataset gives again."""
    given = np.arange(6).reshape(3, 2)
    for dataset in (Dataset.from_tensor_slices(given), Dataset.from_tensors([1, 2]).cache(), Dataset.range(4).batch(2)):
        (array, *_) = dataset.as_numpy_iterator()
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    assert given.flags.writeable
    sparse = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 3])
    rows = [row.tolist() for row in Dataset.from_tensor_slices(sparse).as_numpy_iterator()]
    assert rows == [[1, 0, 0], [0, 2, 0]]


def test_lists_do_not_describe_elements() -> None:
    """An element that is a list is one tensor."""

    def rows() -> Iterator[Any]:
        yield [20]

    for wrong in ([tf.int64], {"a": [tf.int64]}):
        with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
            Dataset.from_generator(rows, output_types=wrong)
    with pytest.raises(TypeError, match="must contain objects that are subclass"):
        Dataset.from_generator(rows, output_signature=[tf.TensorSpec([], tf.int64)])
    (pair,) = Dataset.from_generator(rows, output_types=(tf.int64,))
    assert [int(x) for x in pair] == [20]


def test_arrays_of_sparse_and_ragged_tensors() -> None:
    sparse = tf.compat.v1.SparseTensorValue(np.array([[0, 0]]), np.array([1]), np.array([2, 3]))
    ragged = tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 1, 3]))
    assert Dataset.from_tensor_slices(sparse).element_spec == tf.SparseTensorSpec([3], tf.int64)
    assert [row.numpy().tolist() for row in Dataset.from_tensor_slices(ragged)] == [[1], [2, 3]]
    ((row, number), _) = Dataset.from_tensor_slices((sparse, [5, 6]))
    assert (tf.sparse.to_dense(row).numpy().tolist(), int(number)) == ([1, 0, 0], 5)
    assert Dataset.from_tensors(ragged).element_spec == tf.RaggedTensorSpec([2, None], tf.int64)
