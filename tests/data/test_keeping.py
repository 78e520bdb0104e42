"""cache, prefetch, save and load; threads end."""

from __future__ import annotations

import gc
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.core import threads

Dataset = tf.data.Dataset


class Counted:
    """A function that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return x * 2


def data_threads() -> set[threading.Thread]:
    return {t for t in threading.enumerate() if t.name.startswith("data-")}


def ended(before: set[threading.Thread]) -> bool:
    """Whether all threads but these end within five seconds."""
    limit = time.monotonic() + 5
    while data_threads() - before and time.monotonic() < limit:
        time.sleep(0.01)
    return not data_threads() - before


def numbers(dataset: Any) -> list[int]:
    return [int(x) for x in dataset]


def test_cache_in_memory() -> None:
    function = Counted()
    dataset = Dataset.range(4).map(function).cache()
    next(iter(dataset))
    assert function.calls == 1
    assert numbers(dataset) == numbers(dataset) == [0, 2, 4, 6]
    assert function.calls == 5


def test_cache_in_a_file(tmp_path: Path) -> None:
    path = str(tmp_path / "folder" / "cache")
    function = Counted()
    dataset = Dataset.range(4).map(function).cache(path)
    next(iter(dataset))
    assert not list((tmp_path / "folder").iterdir())
    assert numbers(dataset) == numbers(dataset) == [0, 2, 4, 6]
    assert function.calls == 5
    other = Counted()
    assert numbers(Dataset.range(4).map(other).cache(path)) == [0, 2, 4, 6]
    assert other.calls == 0


def test_save_and_load(tmp_path: Path) -> None:
    path = str(tmp_path / "saved")
    data = {"b": (["x", ""], np.arange(6, dtype=np.float32).reshape(2, 3)), "a": tf.constant([1.5, 2.5], tf.bfloat16)}
    Dataset.from_tensor_slices(data).save(path)
    loaded = Dataset.load(path)
    found = list(loaded)
    assert list(found[0]) == ["b", "a"]
    assert found[0]["b"][0].numpy() == b"x"
    assert found[1]["b"][1].numpy().tolist() == [3, 4, 5]
    assert loaded.element_spec["a"] == tf.TensorSpec([], tf.bfloat16)
    with pytest.raises(tf.errors.NotFoundError):
        Dataset.load(str(tmp_path / "nothing"))


def test_prefetch_works_ahead() -> None:
    started = threading.Event()
    release = threading.Event()

    def wait(x: Any) -> Any:
        if x == 1:
            started.set()
            assert release.wait(10)
        return x

    iterator = iter(Dataset.range(3).map(wait).prefetch(1))
    assert int(next(iterator)) == 0
    assert started.wait(10)
    release.set()
    assert numbers(iterator) == [1, 2]


def test_prefetch_is_bounded() -> None:
    function = Counted()
    iterator = iter(Dataset.range(1000).map(function).prefetch(2))
    next(iterator)
    time.sleep(0.1)
    assert function.calls <= 5


@pytest.mark.parametrize(
    "make",
    [
        lambda d: d.prefetch(2),
        lambda d: d.map(lambda x: x, num_parallel_calls=3),
        lambda d: d.map(lambda x: x, num_parallel_calls=2, deterministic=False).batch(2).prefetch(1).prefetch(1),
        lambda d: d.interleave(lambda x: Dataset.range(10), cycle_length=2, num_parallel_calls=2),
    ],
)
def test_threads_end_when_the_iterator_is_dropped(make: Any) -> None:
    before = data_threads()
    iterator = iter(make(Dataset.range(3).repeat()))
    next(iterator)
    assert data_threads() - before
    del iterator
    gc.collect()
    assert ended(before)


def test_threads_end_after_an_error_and_at_the_end() -> None:
    before = data_threads()
    assert len(list(Dataset.range(5).map(lambda x: x, num_parallel_calls=2).prefetch(2))) == 5
    assert ended(before)
    with pytest.raises(ZeroDivisionError):
        list(Dataset.range(5).map(lambda x: 1 // 0, num_parallel_calls=2).prefetch(2))
    gc.collect()
    assert ended(before)


def test_break_ends_threads() -> None:
    before = data_threads()
    for _ in Dataset.range(5).repeat().prefetch(2):
        break
    gc.collect()
    assert ended(before)


def test_threads_without_functions_let_variables_be_updated_in_place() -> None:
    source, seen = Dataset.range(3).repeat(), []
    computes, notes = source.map(lambda x: x + 1), source.map(lambda x: seen.append(x) or x)
    for dataset, is_quiet in ((source.prefetch(1), True), (computes.prefetch(1), True), (notes.prefetch(1), False)):
        before = data_threads()
        iterator = iter(dataset)
        next(iterator)
        (own,) = data_threads() - before
        assert (own.ident in threads.companions) == is_quiet
        del iterator
        assert ended(before)
        assert own.ident not in threads.companions


def test_iterators_in_checkpoints(tmp_path: Any) -> None:
    def pipeline() -> Any:
        return Dataset.range(20).shuffle(20).batch(3).repeat(2)

    iterator = iter(pipeline())
    checkpoint = tf.train.Checkpoint(iterator=iterator, step=tf.Variable(3))
    for _ in range(8):
        next(iterator)
    path = checkpoint.save(str(tmp_path / "ckpt"))
    rest = [x.numpy().tolist() for x in iterator]
    checkpoint.restore(path).assert_consumed()
    assert [x.numpy().tolist() for x in iterator] == rest
    other = iter(pipeline())
    tf.train.Checkpoint(iterator=other, step=tf.Variable(0)).restore(path).assert_consumed()
    assert [x.numpy().tolist() for x in other] == rest
    with pytest.raises(ValueError, match="iterator"):
        tf.train.Checkpoint(iterator=iter(Dataset.range(3))).restore(path)


def test_options_refuse_names_that_are_none() -> None:
    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    assert options.experimental_threading.private_threadpool_size == 2
    assert options.deterministic is None
    with pytest.raises(AttributeError, match="nosuch"):
        options.nosuch = 1


@pytest.mark.parametrize("pipeline", [lambda d: d, lambda d: d.batch(5), lambda d: d.batch(4), lambda d: d.batch(3)])
def test_a_cache_is_full_when_all_elements_have_been_read(pipeline: Any) -> None:
    """Nobody needs to ask for the end; and before the last element, there is no cache."""
    dataset = pipeline(Dataset.range(10).shuffle(10, seed=1, reshuffle_each_iteration=True).cache())
    rows = lambda n: [x.numpy().tolist() for x in dataset.take(n)]  # noqa: E731
    count = len(dataset)
    before = rows(count - 1)
    assert rows(count - 1) != before
    found = rows(count)
    assert rows(count) == found
    assert sorted(np.hstack(found)) == list(range(10))


def test_random_access_to_caches_without_a_known_end() -> None:
    at, even = tf.data.experimental.at, Dataset.range(6).filter(lambda x: x % 2 == 0)
    endless = even.repeat().cache()
    assert [int(at(endless, i)) for i in (4, 0, 3, 4)] == [2, 0, 0, 2]
    with pytest.raises(tf.errors.OutOfRangeError):
        at(even.cache(), 3)
    with pytest.raises(tf.errors.FailedPreconditionError):
        at(even.repeat(), 0)


def test_the_function_that_saves_takes_the_options_of_the_method(tmp_path: Path) -> None:
    tf.data.experimental.save(
        Dataset.range(2), str(tmp_path / "d"), checkpoint_args={"directory": str(tmp_path / "c"), "max_to_keep": 3}
    )
    assert tf.train.latest_checkpoint(tmp_path / "c")
