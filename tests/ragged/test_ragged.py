"""Ragged tensors: Python's nested lists are the reference."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

ROWS: list[list[float]] = [[1.0, -2.0], [], [3.0, 0.5, 4.0]]
OTHER: list[list[float]] = [[5.0], [6.0, 7.0], []]
DEEP = [[[1, 2], []], [], [[3], [4, 5, 6]]]
FLAT = tf.constant([1.0, -2.0, 3.0, 0.5, 4.0], tf.float64)
SPLITS = [0, 2, 2, 5]


def ragged(rows: Any, dtype: Any = None) -> Any:
    return tf.ragged.constant(rows, dtype)


def listed(x: Any) -> Any:
    return x.to_list() if isinstance(x, tf.RaggedTensor) else x.numpy().tolist()


MAKERS: dict[str, Any] = {
    "row_splits": lambda v: tf.RaggedTensor.from_row_splits(v, SPLITS),
    "row_lengths": lambda v: tf.RaggedTensor.from_row_lengths(v, [2, 0, 3]),
    "row_starts": lambda v: tf.RaggedTensor.from_row_starts(v, [0, 2, 2]),
    "row_limits": lambda v: tf.RaggedTensor.from_row_limits(v, [2, 2, 5]),
    "value_rowids": lambda v: tf.RaggedTensor.from_value_rowids(v, [0, 0, 2, 2, 2]),
    "nested": lambda v: tf.RaggedTensor.from_nested_row_splits(v, [SPLITS]),
    "nested lengths": lambda v: tf.RaggedTensor.from_nested_row_lengths(v, [[2, 0, 3]]),
    "nested rowids": lambda v: tf.RaggedTensor.from_nested_value_rowids(v, [[0, 0, 2, 2, 2]], [3]),
}


@pytest.mark.parametrize("name", MAKERS)
def test_makers(name: str) -> None:
    x = MAKERS[name](FLAT)
    assert listed(x) == ROWS
    assert x.shape.as_list() == [3, None]
    assert x.dtype == tf.float64
    assert x.ragged_rank == 1
    assert listed(tf.function(MAKERS[name])(FLAT)) == ROWS


def test_uniform_rows() -> None:
    x = tf.RaggedTensor.from_uniform_row_length(ragged([[1], [2, 3], [], [4]]), 2)
    assert listed(x) == [[[1], [2, 3]], [[], [4]]]
    assert x.shape.as_list() == [2, 2, None]
    assert x.uniform_row_length == 2
    assert listed(tf.RaggedTensor.from_uniform_row_length(tf.zeros([0]), 0, nrows=2)) == [[], []]


def test_dense_and_back() -> None:
    table = [[1, 2, 0], [0, 0, 0], [3, 0, 0]]
    assert listed(tf.RaggedTensor.from_tensor(table)) == table
    assert listed(tf.RaggedTensor.from_tensor(table, padding=0)) == [[1, 2], [], [3]]
    assert listed(tf.RaggedTensor.from_tensor(table, lengths=[1, 0, 3])) == [[1], [], [3, 0, 0]]
    cube = np.arange(12).reshape(2, 3, 2)
    assert listed(tf.RaggedTensor.from_tensor(cube, ragged_rank=2)) == cube.tolist()
    assert listed(tf.RaggedTensor.from_tensor(cube, lengths=[[1, 2], [2, 1, 0]])) == [[[0, 1]], [[6], []]]
    assert ragged(DEEP).to_tensor().numpy().tolist() == [
        [[1, 2, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]], [[3, 0, 0], [4, 5, 6]],
    ]  # fmt: skip
    assert ragged(ROWS).to_tensor(9.0, shape=[None, 2]).numpy().tolist() == [[1.0, -2.0], [9.0, 9.0], [3.0, 0.5]]
    assert ragged([["a"], ["b", "c"]]).to_tensor("?").numpy().tolist() == [[b"a", b"?"], [b"b", b"c"]]


def test_sparse_and_back() -> None:
    x = ragged(ROWS)
    assert x.to_sparse().indices.numpy().tolist() == [[0, 0], [0, 1], [2, 0], [2, 1], [2, 2]]
    assert listed(tf.RaggedTensor.from_sparse(x.to_sparse())) == ROWS
    pairs = tf.RaggedTensor.from_row_lengths([[1, 2], [3, 4]], [1, 1])
    np.testing.assert_array_equal(tf.sparse.to_dense(pairs.to_sparse()), [[[1, 2]], [[3, 4]]])


def test_constants() -> None:
    assert ragged(DEEP).ragged_rank == 2
    assert ragged([[[1, 2], [3, 4]], [[5, 6]]]).ragged_rank == 2
    inner = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    assert inner.flat_values.shape == [3, 2]
    assert listed(inner) == [[[1, 2], [3, 4]], [[5, 6]]]
    assert tf.ragged.constant([[], []], tf.int32).dtype == tf.int32
    assert tf.ragged.constant([1, 2]).numpy().tolist() == [1, 2]
    assert tf.ragged.constant([[1]], row_splits_dtype=tf.int32).row_splits.dtype == tf.int32


def test_partitions() -> None:
    x = ragged(DEEP)
    assert x.row_splits.numpy().tolist() == [0, 2, 2, 4]
    assert x.row_starts().numpy().tolist() == [0, 2, 2]
    assert x.row_limits().numpy().tolist() == [2, 2, 4]
    assert x.value_rowids().numpy().tolist() == [0, 0, 2, 2]
    assert listed(x.row_lengths(axis=2)) == [[2, 0], [], [1, 3]]
    assert [s.numpy().tolist() for s in x.nested_row_lengths()] == [[2, 0, 2], [2, 0, 1, 3]]
    assert x.bounding_shape().numpy().tolist() == [3, 2, 3]
    assert int(x.bounding_shape(axis=2)) == 3
    assert int(x.nrows()) == len(x) == 3
    assert x.ndim == 3
    assert x.with_row_splits_dtype(tf.int32).row_splits.dtype == tf.int32
    assert [listed(row) for row in x] == DEEP


KEYS: dict[str, tuple[Any, Any]] = {
    "row": (np.s_[2], [[3], [4, 5, 6]]), "last": (np.s_[-1, 1], [4, 5, 6]), "element": (np.s_[2, 1, 0], 4),
    "rows": (np.s_[1:], DEEP[1:]), "back": (np.s_[::-1], DEEP[::-1]), "parts": (np.s_[:, :1], [[[1, 2]], [], [[3]]]),
    "inner": (np.s_[:, :, -1:], [[[2], []], [], [[3], [6]]]), "column": (np.s_[::2, 1], [[], [4, 5, 6]]),
    "ellipsis": (np.s_[..., :1], [[[1], []], [], [[3], [4]]]), "new": (np.s_[None], [DEEP]),
    "inner column": (np.s_[2:, :, 0], [[3, 4]]),
}  # fmt: skip


@pytest.mark.parametrize("name", KEYS)
def test_indexing(name: str) -> None:
    key, expected = KEYS[name]
    assert listed(ragged(DEEP)[key]) == expected
    assert listed(tf.function(lambda x: x[key])(ragged(DEEP))) == expected


def test_merge_dims() -> None:
    x = ragged(DEEP)
    assert listed(x.merge_dims(0, 1)) == [[1, 2], [], [3], [4, 5, 6]]
    assert listed(x.merge_dims(1, 2)) == [[1, 2], [], [3, 4, 5, 6]]
    assert listed(x.merge_dims(0, 2)) == [1, 2, 3, 4, 5, 6]
    pairs = tf.RaggedTensor.from_row_lengths([[1, 2], [3, 4]], [1, 1])
    assert listed(pairs.merge_dims(1, 2)) == [[1, 2], [3, 4]]


FUNCTIONS: dict[str, tuple[Any, Any]] = {
    "add": (lambda x, y: x + x, [[2.0, -4.0], [], [6.0, 1.0, 8.0]]),
    "number": (lambda x, y: 1.0 - x, [[0.0, 3.0], [], [-2.0, 0.5, -3.0]]),
    "dense": (lambda x, y: x * tf.constant([[1.0], [2.0], [3.0]]), [[1.0, -2.0], [], [9.0, 1.5, 12.0]]),
    "tf.multiply": (lambda x, y: tf.multiply(x, 2.0), [[2.0, -4.0], [], [6.0, 1.0, 8.0]]),
    "compare": (lambda x, y: x > 0.75, [[True, False], [], [True, False, True]]),
    "abs": (lambda x, y: tf.abs(x), [[1.0, 2.0], [], [3.0, 0.5, 4.0]]),
    "relu": (lambda x, y: tf.nn.relu(x), [[1.0, 0.0], [], [3.0, 0.5, 4.0]]),
    "cast": (lambda x, y: tf.cast(x, tf.int32), [[1, -2], [], [3, 0, 4]]),
    "where": (lambda x, y: tf.where(x > 0.0, x, 0.0), [[1.0, 0.0], [], [3.0, 0.5, 4.0]]),
    "concat rows": (lambda x, y: tf.concat([x, y], 0), ROWS + OTHER),
    "concat columns": (lambda x, y: tf.concat([x, y], 1), [a + b for a, b in zip(ROWS, OTHER, strict=True)]),
    "concat dense": (lambda x, y: tf.concat([x, tf.zeros([3, 1])], -1), [r + [0.0] for r in ROWS]),
    "stack": (lambda x, y: tf.stack([x, y]), [ROWS, OTHER]),
    "stack columns": (lambda x, y: tf.stack([x, y], 1), [[a, b] for a, b in zip(ROWS, OTHER, strict=True)]),
    "expand_dims": (lambda x, y: tf.expand_dims(x, -1), [[[v] for v in r] for r in ROWS]),
    "gather": (lambda x, y: tf.gather(x, [2, 0, 2]), [ROWS[2], ROWS[0], ROWS[2]]),
    "reverse": (lambda x, y: tf.reverse(x, [1]), [r[::-1] for r in ROWS]),
    "sum": (lambda x, y: tf.reduce_sum(x), 6.5),
    "sum rows": (lambda x, y: tf.reduce_sum(x, 1), [-1.0, 0.0, 7.5]),
    "sum columns": (lambda x, y: tf.reduce_sum(x, 0), [4.0, -1.5, 4.0]),
    "sum keepdims": (lambda x, y: tf.reduce_sum(x, 1, keepdims=True), [[-1.0], [0.0], [7.5]]),
    "max": (lambda x, y: tf.reduce_max(x[::2], axis=-1), [1.0, 4.0]),
    "mean": (lambda x, y: tf.reduce_mean(x[::2], 1), [-0.5, 2.5]),
    "any": (lambda x, y: tf.reduce_any(x > 2.0, 1), [False, False, True]),
    "all": (lambda x, y: tf.reduce_all(x > 2.0, 1), [False, True, False]),
    "variance": (lambda x, y: tf.math.reduce_variance(x[:1], 1), [2.25]),
    "zeros_like": (lambda x, y: tf.zeros_like(x), [[0.0, 0.0], [], [0.0, 0.0, 0.0]]),
    "mask": (lambda x, y: tf.ragged.boolean_mask(x, x > 0.75), [[1.0], [], [3.0, 4.0]]),
    "map_flat_values": (lambda x, y: tf.ragged.map_flat_values(tf.maximum, x, 0.0), [[1.0, 0.0], [], [3.0, 0.5, 4.0]]),
    "size": (lambda x, y: tf.size(x), 5),
    "one_hot": (lambda x, y: tf.one_hot(tf.cast(y, tf.int32) - 5, 3), [[[1, 0, 0]], [[0, 1, 0], [0, 0, 1]], []]),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    function, expected = FUNCTIONS[name]
    assert listed(function(ragged(ROWS), ragged(OTHER))) == expected
    assert listed(tf.function(function)(ragged(ROWS), ragged(OTHER))) == expected


@pytest.mark.parametrize(
    "name", ["add", "dense", "concat columns", "stack", "gather", "sum rows", "sum columns", "mean", "expand_dims"]
)
def test_gradients(name: str) -> None:
    function = FUNCTIONS[name][0]

    def f(v: Any, scale: Any) -> Any:
        x = tf.RaggedTensor.from_row_splits(v, SPLITS)
        y = tf.RaggedTensor.from_row_splits(v[:3] * scale, [0, 1, 3, 3])
        found = function(x, y) if name != "dense" else x * scale
        return (found.flat_values if isinstance(found, tf.RaggedTensor) else found) ** 2

    scale = tf.constant([1.5, 2.5, 3.5], tf.float64)
    check_grads(f, [FLAT, scale[:, None] if name == "dense" else scale], order=2)


def test_gradient_of_to_tensor_in_a_function() -> None:
    @tf.function
    def loss(x: Any) -> Any:
        return tf.reduce_sum(x.to_tensor() ** 2) + tf.reduce_sum(tf.reduce_mean(x[::2], 1))

    values = tf.Variable(FLAT)
    with tf.GradientTape() as tape:
        y = loss(tf.RaggedTensor.from_row_splits(values, SPLITS))
    expected = 2 * FLAT.numpy() + [0.5, 0.5, 1 / 3, 1 / 3, 1 / 3]
    np.testing.assert_allclose(tape.gradient(y, values), expected)


def test_traces_serve_all_lengths() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.reduce_sum(x * 2.0, 1), tf.concat([x, x], 1)

    for rows in (ROWS, OTHER, [[], [], []]):
        total, twice = f(ragged(rows, tf.float32))
        assert listed(total) == [2.0 * sum(r) for r in rows]
        assert listed(twice) == [r + r for r in rows]
    assert f.experimental_get_tracing_count() == 1


def test_specs() -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.float32)
    assert spec.is_compatible_with(ragged(ROWS))
    assert not spec.is_compatible_with(ragged(DEEP))
    assert tf.RaggedTensorSpec.from_value(ragged(DEEP)) == tf.RaggedTensorSpec([3, None, None], tf.int32)

    @tf.function(input_signature=[spec])
    def f(x: Any) -> Any:
        return {"lengths": x.row_lengths(), "same": x}

    assert listed(f(ragged(ROWS))["lengths"]) == [2, 0, 3]
    assert listed(f(ragged(OTHER))["same"]) == OTHER
    assert f(ragged([[1.0]]))["lengths"].numpy().tolist() == [1]
    with pytest.raises(TypeError, match="Can not cast"):
        f(ragged(DEEP))


def test_control_flow_nest_and_pickle() -> None:
    @tf.function
    def f(x: Any, flag: Any) -> Any:
        return tf.cond(flag, lambda: x * 2.0, lambda: x)

    assert listed(f(ragged(ROWS), tf.constant(False))) == ROWS
    assert len(tf.nest.flatten(ragged(DEEP), expand_composites=True)) == 3
    assert listed(pickle.loads(pickle.dumps(ragged(DEEP)))) == DEEP


def test_numpy() -> None:
    assert ragged([[1, 2], [3, 4]]).numpy().tolist() == [[1, 2], [3, 4]]
    assert [row.tolist() for row in ragged(ROWS).numpy()] == ROWS


def test_other_functions() -> None:
    assert listed(tf.ragged.range([0, 5, 8], [3, 3, 12], [1, -1, 2])) == [[0, 1, 2], [5, 4], [8, 10]]
    assert listed(tf.ragged.range([0.5, 2.0], [2.0, 2.0])) == [[0.5, 1.5], []]
    assert listed(tf.ragged.stack([ragged([[1], []]), [[2, 3]]])) == [[[1], []], [[2, 3]]]
    assert listed(tf.ragged.stack([[1, 2], [3]])) == [[1, 2], [3]]
    assert listed(tf.ragged.row_splits_to_segment_ids(SPLITS)) == [0, 0, 2, 2, 2]
    assert listed(tf.ragged.segment_ids_to_row_splits([0, 0, 2], 4)) == [0, 2, 2, 3, 3]
    assert listed(tf.ragged.stack_dynamic_partitions([1, 2, 3, 4], [2, 0, 2, 0], 3)) == [[2, 4], [], [1, 3]]
    assert listed(tf.ragged.boolean_mask(ragged(DEEP), [True, False, True])) == [DEEP[0], DEEP[2]]
    assert listed(tf.gather(tf.constant([10, 20, 30]), ragged([[2], [0, 1]]))) == [[30], [10, 20]]
    assert listed(tf.gather(ragged(ROWS), [[1], [0], [2]], batch_dims=1)[::2]) == [[-2.0], [4.0]]
    vectors = tf.nn.embedding_lookup(tf.constant([[1.0], [2.0]]), ragged([[1], [0, 1]]))
    assert listed(vectors) == [[[2.0]], [[1.0], [2.0]]]


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        (
            lambda: tf.RaggedTensor.from_row_splits([1, 2], [0, 3]),
            tf.errors.InvalidArgumentError,
            "end with the number",
        ),
        (lambda: tf.RaggedTensor.from_row_lengths([1, 2], [-1, 3]), tf.errors.InvalidArgumentError, "never fall"),
        (lambda: tf.RaggedTensor.from_value_rowids([1, 2], [1, 0]), tf.errors.InvalidArgumentError, "must rise"),
        (lambda: tf.RaggedTensor.from_row_splits([1], [0.0, 1.0]), ValueError, "int32 or int64"),
        (lambda: tf.RaggedTensor.from_row_splits(1, [0, 1]), ValueError, "scalar"),
        (lambda: ragged(ROWS) + ragged(OTHER), tf.errors.InvalidArgumentError, "different row lengths"),
        (lambda: ragged(ROWS) + tf.zeros([3, 2]), ValueError, "does not broadcast"),
        (lambda: tf.matmul(ragged(ROWS), ragged(ROWS)), ValueError, "to_tensor"),
        (lambda: ragged(ROWS)[5], IndexError, "row 5 of 3"),
        (lambda: ragged(ROWS)[:, 1], IndexError, "column 1 is not there"),
        (lambda: ragged(ROWS)[tf.constant([0, 1])], TypeError, "tf.gather"),
        (lambda: bool(ragged(ROWS)), TypeError, "boolean"),
        (lambda: ragged([[1], 2]), ValueError, "nesting depth"),
        (lambda: tf.concat([ragged(ROWS), ragged(DEEP)], 0), ValueError, "ranks"),
        (
            lambda: tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[0, 1]])),
            tf.errors.InvalidArgumentError,
            "right-ragged",
        ),
        (lambda: tf.RaggedTensorSpec([2, 3], ragged_rank=2), ValueError, "must be less"),
        (lambda: tf.ragged.boolean_mask([1], True), ValueError, "scalar"),
    ],
)
def test_bad_arguments(wrong: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        wrong()


def test_maps_over_rows() -> None:
    x = ragged(ROWS)
    lengths = tf.map_fn(lambda row: tf.size(row), x, fn_output_signature=tf.int32)
    assert listed(lengths) == [2, 0, 3]
    assert listed(tf.map_fn(lambda row: row * 2.0, x)) == [[2.0 * v for v in r] for r in ROWS]
    spec = tf.RaggedTensorSpec([None, None], tf.float32)
    assert listed(tf.map_fn(lambda row: row[:1], x, fn_output_signature=spec)) == [r[:1] for r in ROWS]
    found = tf.function(lambda x: tf.map_fn(tf.reduce_sum, x, fn_output_signature=tf.float32))(x)
    assert listed(found) == [sum(r) for r in ROWS]


def test_softmax_squeeze_and_tile() -> None:
    x = ragged(ROWS, tf.float64)
    for row, expected in zip(tf.nn.softmax(x), ROWS, strict=True):
        powers = np.exp(expected)
        np.testing.assert_allclose(row, powers / powers.sum())
    check_grads(lambda v: tf.nn.softmax(tf.RaggedTensor.from_row_splits(v, SPLITS)).flat_values ** 2, [FLAT], order=2)
    assert listed(tf.squeeze(ragged([[[1], [2, 3]]]), 0)) == [[1], [2, 3]]
    assert listed(tf.squeeze(tf.expand_dims(ragged(ROWS), 1), 1)) == ROWS
    assert listed(tf.tile(ragged(ROWS), [2, 1])) == ROWS + ROWS
    assert listed(tf.tile(ragged(ROWS), [1, 2])) == [r + r for r in ROWS]


def test_watched_ragged_and_sparse_tensors() -> None:
    x, y = ragged(ROWS), tf.sparse.from_dense([[0.0, 2.0], [3.0, 0.0]])
    assert tf.is_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch([x.flat_values, y.values])
        z = tf.reduce_sum(x * x) + tf.reduce_sum(y.values**3)
    by_x, by_y = tape.gradient(z, [x, y])
    assert listed(by_x) == [[2.0 * v for v in r] for r in ROWS]
    assert by_y.values.numpy().tolist() == [12.0, 27.0]
    with tf.GradientTape() as tape:
        tape.watch(x.flat_values)
        z = tf.reduce_max(x[:1])
    assert listed(tape.gradient(z, x)) == [[1.0, 0.0], [], [0.0, 0.0, 0.0]]


def test_bincount() -> None:
    x = tf.ragged.constant([[1, 1], [], [0, 2, 1]])
    assert tf.math.bincount(x).numpy().tolist() == [1, 3, 1]
    assert tf.math.bincount(x, axis=-1).numpy().tolist() == [[0, 2, 0], [0, 0, 0], [1, 1, 1]]
    assert tf.math.bincount(x, axis=-1, maxlength=2, binary_output=True).numpy().tolist() == [[0, 1], [0, 0], [1, 1]]
    weights = tf.ragged.constant([[0.5, 1.0], [], [1.0, 2.0, 3.0]])
    assert tf.math.bincount(x, weights, axis=-1).numpy().tolist() == [[0.0, 1.5, 0.0], [0.0] * 3, [1.0, 3.0, 2.0]]


def test_map_of_tensors_to_rows_of_any_length():
    counts = tf.constant([1, 3, 0, 2])
    spec = tf.RaggedTensorSpec([None], tf.int32)
    assert (spec.ragged_rank, repr(spec)) == (0, "RaggedTensorSpec(TensorShape([None]), tf.int32, 0, tf.int64)")

    def f(counts):
        return tf.map_fn(tf.range, counts, fn_output_signature=spec)

    for run in (f, tf.function(f)):
        assert listed(run(counts)) == [[0], [0, 1, 2], [], [0, 1]]
    assert listed(f(counts.numpy())) == [[0], [0, 1, 2], [], [0, 1]]
    rows, largest = tf.map_fn(
        lambda pair: (pair[0] * pair[1], tf.reduce_max(pair[1])),
        (tf.constant([1.0, 2.0]), tf.ragged.constant([[1.0, 2.0], [5.0]])),
        fn_output_signature=(tf.RaggedTensorSpec([None]), tf.float32),
    )
    assert (listed(rows), largest.numpy().tolist()) == ([[1.0, 2.0], [10.0]], [2.0, 5.0])
    deep = tf.RaggedTensorSpec([None, None], tf.int32)
    found = tf.map_fn(lambda n: n * tf.ragged.constant([[1, 2], [3]]), tf.constant([1, 3]), fn_output_signature=deep)
    assert listed(found) == [[[1, 2], [3]], [[3, 6], [9]]]
    with pytest.raises(ValueError, match="must be less than rank"):
        tf.RaggedTensorSpec([None], tf.int32, ragged_rank=1)


def test_logsumexp_of_rows() -> None:
    x = tf.ragged.constant([[1.0, 2.0], [], [3.0, 4.0, 1000.0]])
    np.testing.assert_allclose(tf.reduce_logsumexp(x, axis=1).numpy(), [2.3132617, -np.inf, 1000.0])
    assert tf.reduce_logsumexp(x).numpy() == 1000.0
    np.testing.assert_allclose(tf.reduce_logsumexp(x, axis=0).numpy(), [3.126928, 4.126928, 1000.0])
    check_grads(lambda v: tf.reduce_logsumexp(tf.RaggedTensor.from_row_lengths(v, [2, 0, 1]), axis=1)[::2], np.ones(3))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "int64", "uint64"])
def test_moments_of_integers_are_those_of_quotients(dtype: str) -> None:
    """As a division of integers: float32 for the small ones. What is expected was computed by TensorFlow 2.21."""
    x = tf.RaggedTensor.from_row_lengths(tf.cast([1, 2, 4, 7], dtype), [1, 2, 0, 1])
    wide = tf.float32 if tf.as_dtype(dtype).size < 4 else tf.float64
    mean, variance, std = (f(x, axis=1) for f in (tf.reduce_mean, tf.math.reduce_variance, tf.math.reduce_std))
    assert mean.dtype == variance.dtype == std.dtype == wide
    np.testing.assert_array_equal(mean, [1, 3, np.nan, 7])
    np.testing.assert_array_equal(variance, [0, 1, np.nan, 0])
    np.testing.assert_array_equal(std, [0, 1, np.nan, 0])
    assert tf.reduce_mean(x).numpy() == 3.5
    largest = tf.RaggedTensor.from_row_lengths(np.full(3, tf.as_dtype(dtype).max, dtype), [2, 1])
    np.testing.assert_array_equal(
        tf.reduce_mean(largest, 1), np.asarray([tf.as_dtype(dtype).max] * 2, wide.as_numpy_dtype)
    )


def test_partitions_from_lists_of_symbols() -> None:
    n = tf.constant(2)
    values = tf.constant([1, 2, 3])
    makers = {
        "from_row_lengths": lambda n: [n, 1],
        "from_row_splits": lambda n: [0, n, 3],
        "from_value_rowids": lambda n: [n - 2, 0, n - 1],
        "from_row_starts": lambda n: [0, n],
        "from_row_limits": lambda n: [n, 3],
    }
    for name, parts in makers.items():
        make = getattr(tf.RaggedTensor, name)
        assert tf.function(lambda n, make=make, parts=parts: make(values, parts(n)))(n).to_list() == [[1, 2], [3]], name
