"""Sorting, the largest few, distinct elements, permutations."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

IAE = tf.errors.InvalidArgumentError
random = np.random.default_rng(5)
X = random.normal(size=(4, 5, 3))


@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
def test_same_as_numpy(axis):
    np.testing.assert_array_equal(tf.sort(X, axis).numpy(), np.sort(X, axis))
    np.testing.assert_array_equal(tf.argsort(X, axis).numpy(), np.argsort(X, axis))
    falling = np.flip(np.sort(X, axis), axis)
    np.testing.assert_array_equal(tf.sort(X, axis, direction="DESCENDING").numpy(), falling)
    check_grads(lambda x: tf.sort(x, axis) ** 3, [X], order=2)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "uint32", "int64"])
@pytest.mark.parametrize("shape", [(2000,), (40, 50)])
def test_large_orders_are_stable(dtype, shape):
    x = random.integers(-9, 9, shape).astype(dtype)
    np.testing.assert_array_equal(tf.argsort(x).numpy(), np.argsort(x, kind="stable"))
    fall = np.argsort(-x.astype(float) if np.dtype(dtype).kind != "u" else -x.astype(np.int64), kind="stable")
    np.testing.assert_array_equal(tf.argsort(x, direction="DESCENDING").numpy(), fall)


def test_unordered_and_signed_zeros():
    x = np.tile(np.float32([1.0, np.nan, -np.inf, 0.0, -0.0, np.inf, -np.nan, -1.0]), 100)
    order = tf.argsort(x).numpy()
    np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(tf.sort(x).numpy(), np.sort(x))
    top = tf.math.top_k(x, 201)
    assert np.isnan(top.values.numpy()[:200]).all()
    assert top.values.numpy()[200] == np.inf
    assert top.indices.numpy()[:2].tolist() == [1, 6]


def test_sort_refuses():
    with pytest.raises(ValueError, match="direction must be 'ASCENDING' or 'DESCENDING', got 'UP'"):
        tf.sort([1.0], direction="UP")
    with pytest.raises(IAE, match="a scalar has no axes"):
        tf.sort(1.0)
    for value in ([True], ["a"], [1j]):
        with pytest.raises(TypeError, match="x is"):
            tf.sort(value)


@pytest.mark.parametrize("shape", [(7,), (3, 600), (2, 1, 9000)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bfloat16"])
@pytest.mark.parametrize("k", [0, 1, 3, 7])
def test_top_k(shape, dtype, k):
    x = tf.cast(random.normal(size=shape) * 1000, dtype)
    wide = tf.cast(x, tf.float64).numpy()
    order = np.argsort(-wide, axis=-1, kind="stable")[..., :k]
    values, indices = tf.math.top_k(x, k)
    np.testing.assert_array_equal(indices.numpy(), order)
    np.testing.assert_array_equal(tf.cast(values, tf.float64).numpy(), np.take_along_axis(wide, order, -1))


@pytest.mark.parametrize("hole", [3, 4999])
def test_top_k_of_many_rows_and_ties(hole):
    x = random.integers(0, 40, (120, 5000)).astype(np.float32)
    x[5] = 1.0
    x[6, hole] = np.nan
    order = np.argsort(np.where(np.isnan(x), -np.inf, -x), axis=-1, kind="stable")[:, :10]
    np.testing.assert_array_equal(tf.math.top_k(x, 10).indices.numpy(), order)


def test_top_k_result_and_gradient():
    result = tf.math.top_k([1.0, 3.0, 3.0], k=2, index_type=tf.int64)
    assert (result.indices.dtype, result.indices.numpy().tolist()) == (tf.int64, [1, 2])
    assert tf.nn.top_k is tf.math.top_k
    check_grads(lambda x: tf.math.top_k(x, 2).values ** 2, [X], order=2)
    for k, text in ((4, "k is 4"), (-1, "k is -1")):
        with pytest.raises(IAE, match=text):
            tf.math.top_k([1.0, 2.0, 3.0], k)
    with pytest.raises(IAE, match="a scalar"):
        tf.math.top_k(1.0)
    with pytest.raises(TypeError, match="index_type must be int16, int32 or int64, got float32"):
        tf.math.top_k([1.0], index_type=tf.float32)


def test_approximate_ones_are_exact():
    x = X[0]
    smallest = tf.math.approx_min_k(x, 2, reduction_dimension=0)
    np.testing.assert_array_equal(smallest.values.numpy(), np.sort(x, 0)[:2])
    np.testing.assert_array_equal(smallest.indices.numpy(), np.argsort(x, 0)[:2])
    np.testing.assert_array_equal(tf.math.approx_max_k(x, 1).values.numpy(), x.max(1, keepdims=True))
    assert tf.approx_top_k(x, 1, is_max_k=False).indices.numpy().ravel().tolist() == x.argmin(1).tolist()
    with pytest.raises(TypeError, match="approx_max_k: the input must be floating point, got int32"):
        tf.math.approx_max_k([1, 2], 1)


def test_unique():
    y, idx = tf.unique([3, 1, 3, 2])
    assert (y.numpy().tolist(), idx.numpy().tolist(), idx.dtype) == ([3, 1, 2], [0, 1, 0, 2], tf.int32)
    y, idx, count = tf.unique_with_counts(tf.constant(["b", "a", "b"]), out_idx=tf.int64)
    assert (y.numpy().tolist(), count.numpy().tolist(), count.dtype) == ([b"b", b"a"], [2, 1], tf.int64)
    assert tf.unique([1.0, np.nan, np.nan, -0.0, 0.0]).idx.numpy().tolist() == [0, 1, 2, 3, 3]
    with pytest.raises(IAE, match="must be a vector"):
        tf.unique([[1]])
    with pytest.raises(TypeError, match="out_idx must be int32 or int64, got float32"):
        tf.unique([1], out_idx=tf.float32)


def test_unique_of_many():
    x = random.integers(0, 500, 3000)
    y, idx, count = (v.numpy() for v in tf.unique_with_counts(x))
    assert y.tolist() == list(dict.fromkeys(x.tolist()))
    np.testing.assert_array_equal(y[idx], x)
    np.testing.assert_array_equal(count, [np.sum(x == v) for v in y])


def test_gradient_of_distinct_elements():
    x = tf.Variable([2.0, 5.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.unique(x).y ** 2
    assert tape.gradient(y, x).numpy().tolist() == [4, 10, 0]


def test_invert_permutation():
    order = random.permutation(50)
    np.testing.assert_array_equal(tf.math.invert_permutation(order).numpy(), np.argsort(order))
    assert tf.math.invert_permutation(tf.constant([1, 0], tf.int64)).dtype == tf.int64
    with pytest.raises(IAE, match="0 occurs twice"):
        tf.math.invert_permutation([2, 0, 0])
    with pytest.raises(IndexError, match="3 is not in"):
        tf.math.invert_permutation([3, 0, 1])
    with pytest.raises(TypeError, match="float32"):
        tf.math.invert_permutation([1.0, 0.0])
    with pytest.raises(IAE, match="must be a vector"):
        tf.math.invert_permutation([[1, 0]])


def test_monotonic():
    rises, strictly = tf.math.is_non_decreasing, tf.math.is_strictly_increasing
    assert [bool(rises(v)) for v in ([1, 1, 2], [2, 1], [], 5, [[1, 2], [2, 1]])] == [True, False, True, True, False]
    assert [bool(strictly(v)) for v in ([1, 1, 2], [1, 2], [1.0, np.nan])] == [False, True, False]


def test_isotonic_regression():
    y, blocks = tf.nn.isotonic_regression([[3.0, 1.0, 2.0], [0.5, 4.0, 4.0]], decreasing=False)
    np.testing.assert_allclose(y.numpy(), [[2, 2, 2], [0.5, 4, 4]], rtol=1e-6)
    assert blocks.numpy().tolist() == [[0, 0, 1], [0, 1, 2]]
    assert tf.nn.isotonic_regression([3, 1, 2])[0].dtype == tf.float64
    assert tf.nn.isotonic_regression(2.0)[0].numpy() == 2.0
    for axis in (0, 1, -1):
        check_grads(lambda x, axis=axis: tf.nn.isotonic_regression(x, axis=axis)[0] ** 2, [X], order=2)


def test_mapped():
    rows = X[0]
    np.testing.assert_array_equal(tf.vectorized_map(tf.sort, rows).numpy(), np.sort(rows))
    best = tf.vectorized_map(lambda row: tf.math.top_k(row, 1).values, rows)
    np.testing.assert_array_equal(best.numpy(), rows.max(1, keepdims=True))


def test_axes_and_counts_that_do_not_fit():
    for axis in (-4, 4):
        with pytest.raises(IAE, match=r"slice index .* out of bounds"):
            tf.argsort([1, 2, 3], axis=axis)
    with pytest.raises(IAE, match="at least k columns"):
        tf.math.top_k([1.0, 2.0], k=3)
    with pytest.raises(IAE, match="k must be scalar"):
        tf.math.top_k([1.0, 2.0], k=[1])


@pytest.mark.parametrize("numbers", [[0, 0, 1], [2, 1, 1], [0, 5, 1], [0, -1, 1]])
def test_no_permutation_in_every_mode(numbers):
    x = tf.constant(numbers)

    def looped(x):
        y = x
        for _ in tf.range(2):
            y = tf.math.invert_permutation(x)
        return y

    for call in (
        lambda: tf.math.invert_permutation(x),
        lambda: tf.function(tf.math.invert_permutation)(x),
        lambda: tf.function(looped)(x),
        lambda: tf.map_fn(tf.math.invert_permutation, x[None]),
        lambda: tf.vectorized_map(tf.math.invert_permutation, x[None]),
        lambda: tf.function(lambda x: tf.vectorized_map(tf.math.invert_permutation, x[None]))(x),
        lambda: next(iter(tf.data.Dataset.from_tensors(x).map(tf.math.invert_permutation))),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call()
