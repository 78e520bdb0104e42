"""Errors of elements: an iteration goes on after them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gradtape as tf

Dataset = tf.data.Dataset
BAD = (1, 4, 5)


def fragile(x: Any) -> Any:
    if int(x) in BAD:
        raise ValueError(f"no {int(x)}")
    return x


def outcome(dataset: Any) -> list[Any]:
    """The elements, with None for an error."""
    iterator, found = iter(dataset), []
    while True:
        try:
            value = next(iterator)
        except StopIteration:
            return found
        except (ValueError, tf.errors.OpError):
            found.append(None)
        else:
            found.append(value.numpy().tolist())


EXPECTED = [None if i in BAD else i for i in range(8)]
STAGES: dict[str, Callable[[Any], Any]] = {
    "prefetch": lambda ds: ds.prefetch(2),
    "long prefetch": lambda ds: ds.prefetch(tf.data.AUTOTUNE).prefetch(1),
    "map": lambda ds: ds.map(lambda x: x),
    "impure map": lambda ds: ds.map(lambda x: tf.constant(int(x), tf.int64), num_parallel_calls=3),
    "filter": lambda ds: ds.filter(lambda x: x >= 0),
    "take": lambda ds: ds.take(5),
    "skip": lambda ds: ds.skip(0),
    "shard": lambda ds: ds.shard(1, 0),
    "repeat": lambda ds: ds.repeat(1),
    "cache": lambda ds: ds.cache(),
    "concatenate": lambda ds: ds.concatenate(Dataset.range(0)),
    "enumerate": lambda ds: ds.enumerate().map(lambda i, x: x),
    "zip": lambda ds: Dataset.zip(ds, ds).map(lambda x, y: y),
    "flat_map": lambda ds: ds.flat_map(Dataset.from_tensors),
    "interleave": lambda ds: ds.interleave(Dataset.from_tensors, cycle_length=1),
    "parallel interleave": lambda ds: ds.interleave(Dataset.from_tensors, cycle_length=1, num_parallel_calls=1),
    "scan": lambda ds: ds.scan(0, lambda s, x: (s, x)),
    "take_while": lambda ds: ds.take_while(lambda x: x < 99),
    "unique": lambda ds: ds.unique(),
    "window": lambda ds: ds.window(1).flat_map(lambda w: w),
    "group_by_window": lambda ds: ds.group_by_window(lambda x: 0, lambda key, group: group, 1),
    "batch": lambda ds: ds.batch(1).unbatch(),
    "padded_batch": lambda ds: ds.padded_batch(1).unbatch(),
    "options": lambda ds: ds.with_options(tf.data.Options()),
    "choose": lambda ds: Dataset.choose_from_datasets([ds], Dataset.from_tensors(tf.constant(0, tf.int64)).repeat()),
    "sample": lambda ds: Dataset.sample_from_datasets([ds], seed=1),
}


@pytest.mark.parametrize("calls", [None, 1, 3, tf.data.AUTOTUNE])
@pytest.mark.parametrize("stage", STAGES)
def test_stages_go_on(stage: str, calls: Any) -> None:
    assert outcome(STAGES[stage](Dataset.range(8).map(fragile, num_parallel_calls=calls))) == EXPECTED


def test_the_error_of_a_vectorized_map_costs_its_batch() -> None:
    # Beyond the number of elements after which functions run on whole batches.
    ds = Dataset.range(4096).map(lambda x: 7 // (x - 3000)).batch(8)
    found = outcome(ds)
    assert [i for i, batch in enumerate(found) if batch is None] == [375]
    assert len(found) == 512


def test_errors_name_the_function() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Error in user-defined function passed to MapDataset"
    ) as e:
        list(Dataset.range(1).map(lambda x: 1 // x))
    assert "Raised" in e.value.__notes__[0]


@pytest.mark.parametrize("kind", [ValueError, KeyError, OSError, NotImplementedError, UnicodeDecodeError])
def test_errors_of_generators_have_both_classes(kind: type[Exception]) -> None:
    def generate() -> Any:
        yield 1
        raise kind("no") if kind is not UnicodeDecodeError else UnicodeDecodeError("utf-8", b"", 0, 1, "no")

    iterator = iter(Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32)))
    next(iterator)
    with pytest.raises(tf.errors.OpError, match="no") as raised:
        next(iterator)
    assert isinstance(raised.value.__cause__, kind)
    assert next(iterator, None) is None


def test_stop_iteration_of_a_function_is_an_error() -> None:
    def stop(x: Any) -> Any:
        raise StopIteration

    with pytest.raises(tf.errors.InvalidArgumentError, match="StopIteration"):
        next(iter(Dataset.range(2).map(stop)))


@pytest.mark.parametrize("parallel", [None, 2])
def test_a_line_without_end_is_out_of_memory(parallel, monkeypatch, tmp_path):
    """Readers of files have no room either; it is an error that programs catch."""

    def lines(compression):
        def read(path):
            yield b"first"
            raise MemoryError

        return read

    monkeypatch.setattr("gradtape.data._file_stages.lines", lines)
    path = tmp_path / "file"
    path.write_text("")
    rows = iter(tf.data.TextLineDataset([str(path)] * 2, num_parallel_reads=parallel))
    assert next(rows).numpy() == b"first"
    found = [b"first"]
    for _ in range(3):
        try:
            found.append(next(rows).numpy())
        except tf.errors.ResourceExhaustedError as problem:
            assert "dataset: out of memory." in str(problem)  # noqa: PT017
            found.append(None)
    assert sorted(found, key=str) == [None, None, b"first", b"first"]
