"""Pipelines that are interrupted, dropped in the middle, shared by threads, or run for long."""

from __future__ import annotations

import gc
import threading
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

import gradtape as tf
from hostile import interrupts

Dataset = tf.data.Dataset


def slow(x: Any) -> Any:
    time.sleep(0.01)
    return x


ENDLESS: dict[str, Callable[[], Any]] = {
    "map": lambda: Dataset.counter().map(lambda x: x + 1).filter(lambda x: x < 0),
    "parallel map": lambda: Dataset.counter().map(slow, num_parallel_calls=3).filter(lambda x: x < 0),
    "one slow element": lambda: Dataset.range(1).map(lambda x: (time.sleep(3), x)[1], num_parallel_calls=2).prefetch(1),
    "prefetch": lambda: Dataset.counter().map(slow).filter(lambda x: x < 0).prefetch(2),
    "shuffle": lambda: Dataset.counter().map(lambda x: x).shuffle(1 << 40),
    "batch": lambda: Dataset.counter().batch(1 << 40),
    "interleave": lambda: Dataset.counter().interleave(lambda x: Dataset.range(0), 3, num_parallel_calls=2),
    "flat_map": lambda: Dataset.counter().flat_map(lambda x: Dataset.range(0)),
    "group_by_window": lambda: Dataset.counter().group_by_window(lambda x: x, lambda k, w: w, 2),
    "ignore_errors": lambda: Dataset.counter().map(lambda x: 1 // (x * 0)).ignore_errors(),
    "skip": lambda: Dataset.counter().skip(1 << 40),
    "scan": lambda: (
        Dataset.counter().scan(0, lambda s, x: (s, x)).unique().take_while(lambda x: True).filter(lambda x: False)
    ),
    "generator": lambda: Dataset.from_generator(lambda: iter(int, 1), output_types=tf.int32).unique().skip(1),
}


@pytest.mark.skipif(not interrupts.POSSIBLE, reason="signals")
def test_an_interrupt_ends_the_iteration_at_once(rounds: Any) -> None:
    names = list(ENDLESS)
    for name in names[:: max(1, len(names) // rounds(6, len(names)))]:
        iterator = iter(ENDLESS[name]())
        assert interrupts.seconds_to_end(lambda iterator=iterator: next(iterator)) < 1.0, name
        del iterator
    assert len(list(Dataset.range(3).map(slow, num_parallel_calls=2))) == 3


def data_threads() -> int:
    return sum(t.name.startswith("data-") for t in threading.enumerate())


def test_dropped_iterators_leave_no_threads(rounds: Any) -> None:
    before = data_threads()
    for _ in range(rounds(20, 500)):
        ds = Dataset.counter().map(lambda x: x, num_parallel_calls=2).prefetch(2)
        ds = ds.interleave(lambda x: Dataset.range(x), 2, num_parallel_calls=2).prefetch(1)
        next(iter(ds))
    gc.collect()
    limit = time.monotonic() + 10
    while data_threads() > before and time.monotonic() < limit:
        time.sleep(0.01)
    assert data_threads() <= before


def test_long_pipelines_keep_their_memory(rounds: Any) -> None:
    ds = Dataset.counter().map(lambda x: tf.fill([1000], x)).shuffle(20).batch(5).map(tf.reduce_sum).prefetch(2)
    iterator = iter(ds.repeat())
    for _ in range(50):
        next(iterator)
    gc.collect()
    tracemalloc.start()
    for _ in range(rounds(150, 5000)):
        next(iterator)
    gc.collect()
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 2_000_000


def test_stateful_functions_on_several_threads(rounds: Any) -> None:
    for _ in range(rounds(3, 30)):
        total = tf.Variable(0, dtype=tf.int64)
        seen = list(Dataset.range(200).map(lambda x: total.assign_add(x), num_parallel_calls=8, deterministic=False))  # noqa: B023
        assert int(total) == sum(range(200))
        assert len(seen) == 200


def test_one_iterator_for_several_threads(rounds: Any) -> None:
    for _ in range(rounds(3, 30)):
        iterator = iter(Dataset.range(400).map(lambda x: x).prefetch(4).filter(lambda x: x >= 0))
        found: list[int] = []

        def take(iterator: Any = iterator, found: Any = found) -> None:
            for value in iterator:
                found.append(int(value))

        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == list(range(400))
