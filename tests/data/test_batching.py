"""batch, padded_batch, unbatch, window."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def values(dataset: Any) -> list[Any]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


def test_batches_of_rows_are_gathered() -> None:
    x, y = np.random.default_rng(0).normal(size=(300, 500)), np.arange(300)
    seen = []
    for a, b in Dataset.from_tensor_slices((x, y)).shuffle(300, seed=0).batch(128):
        np.testing.assert_array_equal(a.numpy(), x[b.numpy()])
        seen.extend(b.numpy())
    assert sorted(seen) == list(y)


def test_strings_are_batched() -> None:
    letters = Dataset.from_tensor_slices(list("abc"))
    assert [b.numpy().tolist() for b in letters.batch(2)] == [[b"a", b"b"], [b"c"]]
    assert [b.numpy().tolist() for b in letters.map(lambda s: s).batch(2)] == [[b"a", b"b"], [b"c"]]


def test_remainder() -> None:
    assert values(Dataset.range(5).batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert Dataset.range(5).batch(2, drop_remainder=True).element_spec.shape == [2]
    assert Dataset.range(5).batch(2).element_spec.shape.as_list() == [None]


def test_different_shapes_are_refused() -> None:
    dataset = Dataset.range(1, 4).map(lambda n: tf.ones([n])).batch(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"element 1 had shape \[2\]"):
        list(dataset)


def test_unbatch() -> None:
    pairs = Dataset.from_tensor_slices((np.arange(5), np.arange(10).reshape(5, 2))).batch(2).unbatch()
    assert [(int(a), b.numpy().tolist()) for a, b in pairs][4] == (4, [8, 9])
    with pytest.raises(tf.errors.InvalidArgumentError, match="unbatch"):
        list(Dataset.range(2).unbatch())


def test_padded_batch() -> None:
    rows = Dataset.range(1, 4).map(lambda n: (tf.fill([n], n), n))
    (a, b) = next(iter(rows.padded_batch(3)))
    assert a.numpy().tolist() == [[1, 0, 0], [2, 2, 0], [3, 3, 3]]
    assert b.numpy().tolist() == [1, 2, 3]
    wide = next(iter(rows.padded_batch(2, ([4], []), (np.int64(-1), np.int64(0)))))
    assert wide[0].numpy().tolist() == [[1, -1, -1, -1], [2, 2, -1, -1]]
    named = rows.map(lambda a, b: {"a": a, "b": b}).padded_batch(2, {"a": [None], "b": []})
    assert next(iter(named))["a"].shape == [2, 2]
    assert rows.padded_batch(2, ([4], [])).element_spec[0].shape.as_list() == [None, 4]
    pairs = Dataset.from_generator(
        lambda: iter([np.ones([2, 3])]), output_signature=tf.TensorSpec([None, 3], tf.float64)
    )
    assert pairs.padded_batch(2).element_spec.shape.as_list() == [None, None, 3]
    with pytest.raises(tf.errors.DataLossError, match="does not fit"):
        list(rows.padded_batch(3, ([2], [])))
    words = Dataset.range(1, 3).map(lambda n: tf.fill([n], "w")).padded_batch(2)
    assert next(iter(words)).numpy().tolist() == [[b"w", b""], [b"w", b"w"]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"size": 3}, [[0, 1, 2], [3, 4, 5], [6]]),
        ({"size": 3, "drop_remainder": True}, [[0, 1, 2], [3, 4, 5]]),
        ({"size": 3, "shift": 2, "drop_remainder": True}, [[0, 1, 2], [2, 3, 4], [4, 5, 6]]),
        ({"size": 2, "shift": 1, "stride": 3, "drop_remainder": True}, [[0, 3], [1, 4], [2, 5], [3, 6]]),
        ({"size": 2, "shift": 3}, [[0, 1], [3, 4], [6]]),
    ],
)
def test_window(options: Any, expected: Any) -> None:
    windows = Dataset.range(7).window(**options)
    assert [values(w) for w in windows] == expected
    assert len(windows) == len(expected)


def test_windows_of_structures() -> None:
    pairs = Dataset.from_tensor_slices({"a": np.arange(4), "b": np.arange(4.0)}).window(2)
    joined = pairs.flat_map(lambda w: Dataset.zip((w["a"].batch(2), w["b"].batch(2))))
    assert [(a.numpy().tolist(), b.numpy().tolist()) for a, b in joined] == [([0, 1], [0, 1]), ([2, 3], [2, 3])]


def test_rebatch_with_sizes_in_turn() -> None:
    dataset = Dataset.range(9).batch(4).rebatch([2, 1, 1])
    assert [x.tolist() for x in dataset.as_numpy_iterator()] == [[0, 1], [2], [3], [4, 5], [6], [7], [8]]
    assert [len(x) for x in Dataset.range(9).batch(4).rebatch([2, 3], drop_remainder=True)] == [2, 3, 2]
    assert dataset.element_spec.shape.as_list() == [None]
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch_size must be at least 1, got 0"):
        Dataset.range(4).batch(2).rebatch([1, 0])


@pytest.mark.parametrize(("size", "static"), [(2, 2), (4, 4), (3, None), ([2, 2], 2), ([2, 1], None)])
def test_sizes_that_divide_the_batches_before_are_static(size: Any, static: Any) -> None:
    ds = Dataset.range(8).batch(4, drop_remainder=True).rebatch(size)
    assert ds.element_spec.shape.as_list() == [static]
    assert [int(x) for batch in ds for x in batch] == list(range(8))


def test_sizes_of_batches_are_a_scalar_or_a_vector() -> None:
    with pytest.raises(ValueError, match="scalar or a vector"):
        Dataset.range(8).batch(4).rebatch([[2]])


@pytest.mark.parametrize(
    ("shape", "kind", "message"),
    [
        ([-5], ValueError, "Dimension -5"),
        (tf.constant([-5], tf.int64), ValueError, "Dimension -5"),
        ([[5, 6]], ValueError, r"vector tensor, but its shape was \(1, 2\)"),
        (np.array([[5, 6]]), ValueError, r"vector tensor, but its shape was \(1, 2\)"),
        ([5.5], TypeError, "list of integers"),
    ],
)
def test_padded_shapes_that_are_no_shapes(shape: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        Dataset.from_tensors([1, 2]).padded_batch(2, padded_shapes=shape)


def test_only_tensors_are_padded() -> None:
    with pytest.raises(TypeError, match="not supported for datasets of datasets"):
        Dataset.range(4).window(2).padded_batch(2)
