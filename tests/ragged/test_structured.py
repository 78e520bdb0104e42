"""Structured tensors: what the recorded behaviours do not ask."""

from typing import Any

import numpy as np
import pytest

import gradtape as tf

St = tf.experimental.StructuredTensor


def _random(rng: np.random.Generator, depth: int) -> Any:
    """Dicts with two fields, in nested lists of random lengths."""
    if depth:
        return [_random(rng, depth - 1) for _ in range(rng.integers(1, 4))]
    return {"n": int(rng.integers(9)), "rows": rng.integers(0, 9, rng.integers(1, 4)).tolist(), "in": {"x": 0.5}}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_python_values_come_back(seed: int, depth: int) -> None:
    value = _random(np.random.default_rng(seed), depth)
    made = St.from_pyval(value)
    assert made.rank == depth
    assert made.to_pyval() == value
    leaves = tf.nest.flatten(made, expand_composites=True)
    assert tf.nest.pack_sequence_as(made, leaves, expand_composites=True).to_pyval() == value
    if depth > 1:
        assert made.merge_dims(0, 1).to_pyval() == [row for rows in value for row in rows]
    if depth:
        assert tf.concat([made, made], 0).to_pyval() == value + value
        assert [row.to_pyval() for row in tf.data.Dataset.from_tensor_slices(made)] == value
        order = list(reversed(range(len(value))))
        assert tf.gather(made, order).to_pyval() == value[::-1]


def test_fields_whose_rows_differ_are_refused() -> None:
    a, b = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1], [2, 3]])
    with pytest.raises(ValueError, match="incompatible row_splits"):
        St.from_fields({"a": a, "b": b}, [2, None])


def test_sizes_that_are_unknown_while_tracing() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.RaggedTensorSpec([None, None], tf.int32)])
    def f(x: Any, y: Any) -> Any:
        made = St.from_fields({"x": x, "y": y}, [None])
        return made.nrows(), tf.concat([made, made[:1]], 0)

    n, made = f([1, 2], tf.ragged.constant([[1], [2, 3]]))
    assert n == 2
    assert made.to_pyval() == [{"x": 1, "y": [1]}, {"x": 2, "y": [2, 3]}, {"x": 1, "y": [1]}]


@pytest.mark.parametrize(
    "make",
    [
        lambda: St.from_fields({}, None),
        lambda: St.from_fields({"": 1}),
        lambda: St.from_fields({"x": object()}),
        lambda: St.from_pyval([{}, [{}]]),
        lambda: St.from_pyval({"a": 1}).partition_outer_dimension(3),  # type: ignore[arg-type]
        lambda: St.from_pyval({"a": 1}).with_updates({"b": None}),
        lambda: St.from_pyval([{"a": 1}])[None],
    ],
)
def test_refusals_have_a_fix(make: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="\n  fix: "):
        make()


def test_gradients_flow_through_fields() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        rows = St.from_fields({"x": x}, [3]).partition_outer_dimension(
            tf.experimental.RowPartition.from_row_lengths([2, 1])
        )
        y = tf.reduce_sum(rows[0].field_value("x") ** 2)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0, 0.0]
