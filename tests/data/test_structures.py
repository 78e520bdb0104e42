"""Elements that are objects of parts; epochs without elements; caches that nobody asks for their end."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset


@dataclasses.dataclass
class Masked:
    """TensorFlow's protocol for dataclasses as structures: metadata, and the parts."""

    mask: bool
    value: Any

    def __tf_flatten__(self) -> Any:
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, parts: Any) -> Masked:
        return cls(metadata[0], parts[0])


def test_dataclasses_in_pipelines() -> None:
    ds = Dataset.range(3).map(lambda x: Masked(True, x * 2))
    assert [(e.mask, int(e.value)) for e in ds] == [(True, 0), (True, 2), (True, 4)]
    assert ds.element_spec == Masked(True, tf.TensorSpec([], tf.int64))
    assert [e.value.numpy().tolist() for e in ds.batch(2)] == [[0, 2], [4]]
    assert [int(x) for x in ds.map(lambda m: m.value + 1)] == [1, 3, 5]
    zipped = Dataset.zip(Masked(False, Dataset.range(2)))
    assert [int(e.value) for e in zipped] == [0, 1]
    assert [e.value.numpy().tolist() for e in Dataset.from_tensors(Masked(True, [1, 2]))] == [[1, 2]]
    assert [int(e.value) for e in Dataset.from_tensor_slices(Masked(True, [1, 2]))] == [1, 2]


def test_dataclasses_in_structures() -> None:
    value = {"a": Masked(True, (1, 2)), "b": 3}
    assert tf.nest.flatten(value) == [1, 2, 3]
    assert tf.nest.map_structure(lambda x: x + 1, value) == {"a": Masked(True, (2, 3)), "b": 4}
    with pytest.raises((TypeError, ValueError)):
        tf.nest.assert_same_structure(value, {"a": [1, 2], "b": 3})


def epochs(sizes: list[int], shuffle: bool, times: Any) -> list[int]:
    rest = iter(sizes)

    def generate() -> Any:
        yield from range(next(rest, 0))

    ds = Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int64))
    ds = ds.shuffle(10) if shuffle else ds
    iterator = iter(ds.repeat(times))
    return sorted(int(x) for _, x in zip(range(sum(sizes)), iterator, strict=False))


def test_epochs_without_elements() -> None:
    assert epochs([1, 0, 0, 2], shuffle=True, times=None) == [0, 0, 1]
    assert epochs([1, 0, 0, 2], shuffle=False, times=None) == [0]
    assert epochs([0, 2], shuffle=True, times=None) == []
    for shuffle in (False, True):
        assert epochs([0, 0, 2], shuffle, times=3) == [0, 1]


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_a_cache_is_complete_with_the_last_element(kind: str, tmp_path: Path) -> None:
    ds = Dataset.range(10).map(lambda x: x).shuffle(10).cache("" if kind == "memory" else str(tmp_path / "c"))
    iterator = iter(ds)
    found = [int(next(iterator)) for _ in range(10)]
    assert [int(x) for x in ds] == found


def test_prefetch_is_not_further_ahead_than_its_buffer() -> None:
    made: list[int] = []

    def note(x: Any) -> Any:
        made.append(int(x))
        return x

    iterator = iter(Dataset.range(20).map(note).prefetch(2))
    for i in range(10):
        next(iterator)
        assert max(made) <= i + 3


def test_none_is_a_part_in_every_stage() -> None:
    pairs = Dataset.range(4).map(lambda x: (x, None))
    assert [(int(x), y) for x, y in pairs.batch(2).unbatch()] == [(i, None) for i in range(4)]
    assert [(x.tolist(), y) for x, y in pairs.batch(2).rebatch(3).as_numpy_iterator()] == [
        ([0, 1, 2], None),
        ([3], None),
    ]
    assert [(int(x), y) for x, y in Dataset.from_tensor_slices((np.arange(2), None))] == [(0, None), (1, None)]
    rows = Dataset.range(3).map(lambda x: (tf.range(x), None)).ragged_batch(3)
    assert [(x.to_list(), y) for x, y in rows] == [([[], [0], [0, 1]], None)]
    parts = Dataset.from_tensors({"r": tf.ragged.constant([[1], [2, 3]]), "n": None}).unbatch()
    assert [(x["r"].numpy().tolist(), x["n"]) for x in parts] == [([1], None), ([2, 3], None)]


def test_elements_are_arrays_of_tensors() -> None:
    def rows(n: Any) -> Any:
        n = tf.cast(n, tf.int32)
        return tf.TensorArray(tf.int32, size=n, element_shape=()).unstack(tf.range(n))

    arrays = Dataset.range(3).map(rows)
    assert isinstance(arrays.element_spec, tf.TensorArraySpec)
    assert [x.stack().numpy().tolist() for x in arrays.shuffle(1).prefetch(1)] == [[], [0], [0, 1]]
    stacked = arrays.map(lambda a: a.identity()).map(lambda a: (a.stack(), a.size()))
    assert stacked.element_spec[0].shape.as_list() == [None]
    assert [(x.tolist(), int(n)) for x, n in stacked.as_numpy_iterator()] == [([], 0), ([0], 1), ([0, 1], 2)]
    with pytest.raises(TypeError, match="stack"):
        next(iter(arrays.batch(2)))
