"""Snapshots, and datasets that are saved in several files."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.data._fingerprint import fingerprint

Dataset = tf.data.Dataset


def numbers(dataset: Any) -> list[Any]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


def runs(folder: Path) -> list[list[str]]:
    """The names of the shards in each run of each pipeline."""
    return [sorted(p.name for p in run.iterdir()) for run in sorted(folder.glob("*/*")) if run.is_dir()]


def test_pipelines_share_a_folder(tmp_path: Path) -> None:
    path = str(tmp_path)
    add = lambda ds, n: ds.map(lambda x: x + n)  # noqa: E731
    made = [Dataset.range(5), Dataset.range(7), add(Dataset.range(7), 1), add(Dataset.range(7), 2)]
    assert [numbers(ds.snapshot(path)) for ds in made] == [numbers(ds) for ds in made]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_snapshot_is_read_by_the_same_pipeline(tmp_path: Path) -> None:
    make = lambda: Dataset.range(50).shuffle(50).map(lambda x: (x, {"half": x / 2})).snapshot(str(tmp_path))  # noqa: E731
    first = list(make().as_numpy_iterator())
    assert list(make().as_numpy_iterator()) == first
    assert [len(shards) for shards in runs(tmp_path)] == [os.cpu_count()]


def test_an_iteration_that_is_not_complete_leaves_nothing(tmp_path: Path) -> None:
    ds = Dataset.range(10).filter(lambda x: x >= 0).snapshot(str(tmp_path))
    iterator = iter(ds)
    next(iterator)
    del iterator
    assert runs(tmp_path) == []
    assert numbers(ds) == list(range(10))


def test_two_writers_write_two_runs(tmp_path: Path) -> None:
    ds = Dataset.range(6).snapshot(str(tmp_path))
    assert [(int(a), int(b)) for a, b in Dataset.zip(ds, ds)] == [(i, i) for i in range(6)]
    assert len(runs(tmp_path)) == 2
    assert numbers(ds) == list(range(6))


def test_functions_choose_the_files_and_read_them(tmp_path: Path) -> None:
    ds = Dataset.range(9).snapshot(
        str(tmp_path), shard_func=lambda x: x % 3, reader_func=lambda files: files.flat_map(lambda x: x)
    )
    assert numbers(ds) == list(range(9))
    assert numbers(ds) == [0, 3, 6, 1, 4, 7, 2, 5, 8]
    assert runs(tmp_path) == [[f"{i:08d}.shard" for i in range(3)]]


def test_functions_of_files_are_checked(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="`shard_func` must return"):
        Dataset.range(3).snapshot(str(tmp_path), shard_func=lambda x: "a")
    with pytest.raises(TypeError, match="`reader_func` must return"):
        Dataset.range(3).snapshot(str(tmp_path), reader_func=lambda x: 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="`shard_func` must return"):
        Dataset.range(3).save(str(tmp_path), shard_func=lambda x: x / 2)


def test_a_damaged_snapshot_is_reported(tmp_path: Path) -> None:
    ds = Dataset.range(3).snapshot(str(tmp_path))
    numbers(ds)
    (found,) = tmp_path.glob("*/snapshot.metadata")
    found.write_text("{}")
    with pytest.raises(tf.errors.DataLossError, match="is damaged"):
        numbers(ds)


def test_fingerprints_follow_what_functions_read() -> None:
    table = {"a": np.arange(3)}

    def pipeline(n: Any) -> Any:
        return Dataset.range(4).map(lambda x: tf.gather(table["a"], x % 3) + n).batch(2)

    first = fingerprint(pipeline(1)._stage)
    assert fingerprint(pipeline(1)._stage) == first
    assert fingerprint(pipeline(2)._stage) != first
    assert fingerprint(pipeline(tf.constant(1))._stage) != first
    table["a"] = np.arange(3) + 1
    assert fingerprint(pipeline(1)._stage) != first


class Scale:
    """An object whose attributes functions read, directly and through a method."""

    unit = 1
    choices = frozenset([1, 2])

    def __init__(self, factor: int) -> None:
        self.factor, self.unread = factor, 0

    @property
    def doubled(self) -> int:
        return 2 * self.factor

    def __call__(self, x: Any) -> Any:
        return x * self.doubled * self.unit

    def apply(self, x: Any) -> Any:
        return x * self.doubled if self.unit in self.choices else x


def through_attribute(scale: Scale) -> Any:
    return lambda x: x * scale.factor


def through_module(scale: Scale) -> Any:
    module: Any = ModuleType("settings")
    module.scale = scale
    return lambda x: x * module.scale.factor


@pytest.mark.parametrize(
    "make",
    [through_attribute, through_module, lambda scale: scale, lambda scale: scale.apply, lambda s: partial(s.apply)],
)
def test_fingerprints_follow_the_attributes_that_functions_read(make: Any, tmp_path: Path) -> None:
    scale = Scale(2)

    def read() -> Any:
        return numbers(Dataset.range(3).map(make(scale)).snapshot(str(tmp_path)))

    first = read()
    scale.unread = 1
    assert read() == first
    assert len(list(tmp_path.iterdir())) == 1
    scale.factor = 5
    assert read() == [x * 5 // 2 for x in first]
    assert len(list(tmp_path.iterdir())) == 2


def test_fingerprints_of_long_chains_of_objects() -> None:
    chain = None
    for _ in range(3000):
        chain = SimpleNamespace(next=chain)
    assert fingerprint(Dataset.range(4).filter(lambda x: chain.next is not None)._stage)


def test_fingerprints_do_not_depend_on_what_was_loaded() -> None:
    ds = Dataset.range(4).map(lambda x: tf.bitwise.invert(x))
    vars(tf).pop("bitwise", None)
    first = fingerprint(ds._stage)
    assert tf.bitwise.invert(0) == -1
    assert fingerprint(ds._stage) == first


def test_fingerprints_follow_sets_in_code() -> None:
    def name(chosen: Any) -> str:
        return fingerprint(Dataset.range(4).filter(lambda x: int(x) in chosen)._stage)

    assert name({1, 2}) == name({2, 1}) != name({1, 3})
    first, second = (
        Dataset.range(4).filter(lambda x: int(x) in {1, 2}),
        Dataset.range(4).filter(lambda x: int(x) in {1, 3}),
    )
    assert fingerprint(first._stage) != fingerprint(second._stage)


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, [0, 2, 1, 3]), ({"reader_func": lambda files: files.flat_map(lambda x: x)}, [0, 1, 2, 3])],
)
def test_a_dataset_is_saved_in_several_files(tmp_path: Path, options: Any, expected: Any) -> None:
    if not options and (os.cpu_count() or 1) < 2:
        pytest.skip("one file at a time is read here")
    path = str(tmp_path / "saved")
    Dataset.range(4).save(path, shard_func=lambda x: x // 2)
    assert len(list((tmp_path / "saved").glob("elements-*"))) == 2
    loaded = Dataset.load(path, **options)
    assert len(loaded) == 4
    assert numbers(loaded) == expected
    Dataset.range(3).save(path)
    assert numbers(Dataset.load(path)) == [0, 1, 2]
    assert len(list((tmp_path / "saved").glob("elements-*"))) == 1


def test_shards_may_have_negative_numbers(tmp_path: Path) -> None:
    path = str(tmp_path / "saved")
    Dataset.range(4).save(path, shard_func=lambda x: x - 2)
    assert sorted(numbers(Dataset.load(path))) == [0, 1, 2, 3]


def test_a_function_saves_each_time_it_runs(tmp_path: Path) -> None:
    path = str(tmp_path / "saved")

    @tf.function
    def save(n: Any) -> None:
        Dataset.range(n).save(path)

    save(tf.constant(3, tf.int64))
    assert numbers(Dataset.load(path)) == [0, 1, 2]
    save(tf.constant(5, tf.int64))
    assert numbers(Dataset.load(path)) == [0, 1, 2, 3, 4]


def test_checkpoints_are_saved_while_a_dataset_is(tmp_path: Path) -> None:
    counter, checkpoints = tf.Variable(0, trainable=False), tmp_path / "checkpoints"
    options = {"directory": str(checkpoints), "max_to_keep": 10, "checkpoint_interval": 5, "step_counter": counter}
    for _ in range(2):  # the second writing finds the checkpoints of the first
        Dataset.range(20).save(str(tmp_path / "saved"), checkpoint_args=options)
        assert numbers(Dataset.load(str(tmp_path / "saved"))) == list(range(20))
    assert int(counter) == 40
    with pytest.raises(TypeError):
        Dataset.range(2).save(str(tmp_path / "saved"), checkpoint_args={"directory": str(checkpoints), "wrong": 1})
    with pytest.raises(ValueError, match="checkpoint"):
        Dataset.range(2).save(str(tmp_path / "saved"), checkpoint_args={"checkpoint": None})
