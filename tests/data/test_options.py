"""Options of datasets: what can be set, and where they are found again."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import gradtape as tf

Dataset, experimental = tf.data.Dataset, tf.data.experimental


def test_options_inside_of_options_of_a_dataset_cannot_be_changed() -> None:
    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    ds = Dataset.range(3).with_options(options)
    with pytest.raises(ValueError, match="Mutating"):
        ds.options().autotune.enabled = True
    merged = options.merge(ds.options())
    merged.autotune.enabled = True  # options that are merged from them are new ones
    assert (merged.threading.private_threadpool_size, ds.options().autotune.enabled) == (2, None)
    assert options == ds.options()


def test_options_of_a_dataset_cannot_be_changed() -> None:
    options = tf.data.Options()
    ds = Dataset.range(3).with_options(options).map(lambda x: x)
    options.deterministic = True  # the program's own
    with pytest.raises(ValueError, match="Mutating"):
        ds.options().deterministic = False
    assert ds.options() == options


def test_options_that_a_function_sets_come_with_the_dataset() -> None:
    @tf.function
    def slack(ds: Any) -> Any:
        options = tf.data.Options()
        options.experimental_slack = True
        return ds.with_options(options).map(lambda x: 10 * x)

    made = slack(Dataset.range(3))
    assert made.options().experimental_slack is True
    assert [int(x) for x in made] == [0, 10, 20]


def test_defaults_and_refusals() -> None:
    options = tf.data.Options()
    assert options.experimental_distribute.auto_shard_policy is experimental.AutoShardPolicy.AUTO
    assert {"deterministic", "threading", "experimental_slack"} <= set(dir(options))
    with pytest.raises(TypeError, match='Property "enabled" must be of type'):
        options.autotune.enabled = 1
    with pytest.raises(AttributeError, match="Cannot set the property"):
        options.something = 1


def test_a_thousand_datasets_follow_one_another() -> None:
    one = Dataset.from_tensors(0)
    ds = one
    for _ in range(999):
        ds = ds.concatenate(one)
    assert len(ds) == 1000
    assert sum(1 for _ in ds) == 1000
    assert ds.element_spec == one.element_spec
    assert ds.options() == tf.data.Options()


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        (Dataset.from_tensors({"a": 1}).repeat(), "known cardinalty, but has cardinality -1"),
        (Dataset.from_tensors({"a": 1}).filter(lambda x: True), "known cardinalty, but has cardinality -2"),
        (Dataset.from_tensors({"a": 1}).repeat(5), "less than the target cardinality"),
        (Dataset.from_tensors(1), "requires its input dataset to be a dictionary"),
    ],
)
def test_padding_to_a_cardinality_is_refused(dataset: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataset.apply(experimental.pad_to_cardinality(3))


@pytest.mark.parametrize("stage", ["map", "interleave"])
def test_the_option_decides_on_the_order(stage: str) -> None:
    begun = threading.Event()

    def late(x: Any) -> Any:
        """The first element is made after another one was."""
        if int(x) == 0:
            begun.wait(5.0)
        else:
            begun.set()
        return x

    def one(x: Any) -> Any:
        return tf.numpy_function(late, [x], tf.int64)

    ds = (
        Dataset.range(6).map(one, num_parallel_calls=2)
        if stage == "map"
        else Dataset.range(6).interleave(lambda x: Dataset.from_tensors(x).map(one), 2, num_parallel_calls=2)
    )
    options = tf.data.Options()
    options.deterministic = False
    for made in (ds.with_options(options), ds.with_options(options).map(lambda x: x)):
        begun.clear()
        found = [int(x) for x in made]
        assert sorted(found) == list(range(6))
        assert found[0] != 0
    begun.clear()
    assert [int(x) for x in ds] == list(range(6))


def test_a_cache_is_kept_where_the_order_is_not() -> None:
    calls = []
    ds = Dataset.range(3).map(lambda x: calls.append(1) or x).cache()
    options = tf.data.Options()
    options.deterministic = False
    ds = ds.with_options(options)
    assert [sorted(int(x) for x in ds) for _ in range(2)] == [[0, 1, 2]] * 2
    assert len(calls) == 3
