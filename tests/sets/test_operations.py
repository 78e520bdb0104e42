"""Sets along the last dimension."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

A = [[1, 2, 2], [5, 6, 7]]
B = [[2, 3], [5, 5]]


def rows(result: Any) -> list[list[Any]]:
    found: dict[tuple[int, ...], list[Any]] = {(0,): [], (1,): []}
    for place, value in zip(result.indices.numpy().tolist(), result.values.numpy().tolist(), strict=True):
        found[tuple(place[:-1])].append(value)
    return [found[key] for key in sorted(found)]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("union", {}, [[1, 2, 3], [5, 6, 7]]),
        ("intersection", {}, [[2], [5]]),
        ("difference", {}, [[1], [6, 7]]),
        ("difference", {"aminusb": False}, [[3], []]),
    ],
)
def test_dense(staged: bool, name: str, options: Any, expected: Any) -> None:
    def combine(a: Any, b: Any) -> Any:
        return getattr(tf.sets, name)(a, b, **options)

    result = (tf.function(combine) if staged else combine)(tf.constant(A), tf.constant(B))
    assert rows(result) == expected
    assert result.dtype is tf.int32
    widest = max(len(r) for r in expected)
    assert result.dense_shape.numpy().tolist() == [2, widest]


def test_sparse_and_strings() -> None:
    a = tf.SparseTensor([[0, 0], [1, 1]], ["x", "y"], [2, 2])
    result = tf.sets.union(a, tf.constant([["x", "z"], ["y", "y"]]))
    assert rows(result) == [[b"x", b"z"], [b"y"]]
    np.testing.assert_array_equal(tf.sets.size(a), [1, 1])
    np.testing.assert_array_equal(tf.function(tf.sets.size)(a), [1, 1])


def test_bad_input() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype"):
        tf.sets.union([[1]], tf.constant([[1]], tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="strings or integers"):
        tf.sets.union([[1.0]], [[1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="row-major order"):
        tf.sets.size(tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="inside the shape"):
        tf.sets.size(tf.SparseTensor([[5, 0]], [1], [2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="last dimension only"):
        tf.sets.union([[1]], [[1], [2]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank must be 2 or more"):
        tf.sets.union(1, 1)
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.sets.size([[1]])


def test_repeated_indices_are_refused():
    twice = tf.SparseTensor([[0, 0], [0, 0]], [1, 2], [3, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = \[0, 0\] must not be repeated"):
        tf.sets.size(twice)
    assert tf.sets.size(twice, validate_indices=False).numpy().tolist() == [2, 0, 0]
