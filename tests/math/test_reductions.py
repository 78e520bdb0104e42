"""The reduce functions: how axes may be given, what is refused."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

X = np.arange(1, 25, dtype=np.float64).reshape(2, 3, 4) / 10
IAE = tf.errors.InvalidArgumentError
FUNCTIONS = {
    tf.reduce_sum: np.sum, tf.reduce_mean: np.mean, tf.reduce_max: np.max, tf.reduce_min: np.min,
    tf.reduce_prod: np.prod, tf.math.reduce_std: np.std, tf.math.reduce_variance: np.var,
    tf.reduce_logsumexp: lambda x, **more: np.log(np.sum(np.exp(x), **more)),
    tf.math.reduce_euclidean_norm: lambda x, **more: np.sqrt(np.sum(x * x, **more)),
}  # fmt: skip
PAIRS = pytest.mark.parametrize(("ours", "theirs"), FUNCTIONS.items(), ids=lambda f: f.__name__)


@PAIRS
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (0, 1, 2)])
def test_same_as_numpy(ours, theirs, axis, keepdims):
    np.testing.assert_allclose(ours(X, axis, keepdims).numpy(), theirs(X, axis=axis, keepdims=keepdims), rtol=1e-12)


@PAIRS
def test_ways_to_give_axes(ours, theirs):
    wanted = theirs(X, axis=(0, 2))
    for axis in ([0, 2], [2, 0], [-3, -1], np.array([0, 2]), tf.constant([0, 2]), range(0, 3, 2)):
        np.testing.assert_allclose(ours(X, axis=axis).numpy(), wanted, rtol=1e-12)
    for axis in (1, -2, np.int64(1), tf.constant(1), tf.constant(1, tf.int64), [1]):
        np.testing.assert_allclose(ours(X, axis=axis).numpy(), theirs(X, axis=1), rtol=1e-12)


@PAIRS
def test_wrong_axes(ours, theirs):
    for axis, text in [(3, "axis is 3, but the input has rank 3"), (-4, "axis is -4"), ([0, -3], "twice")]:
        with pytest.raises(IAE, match=text):
            ours(X, axis=axis)
    for axis in (1.0, "a", [0.5]):
        with pytest.raises(TypeError, match="axis must be an integer"):
            ours(X, axis=axis)
    with pytest.raises(IAE, match="a scalar has no axes"):
        ours(1.0, axis=0)


@PAIRS
def test_gradients(ours, theirs):
    del theirs
    check_grads(lambda x: ours(x, axis=[0, 2]), [np.sin(X * 3) + 1.5], order=2)


@PAIRS
def test_refused_dtypes(ours, theirs):
    del theirs
    for value in ([True, False], ["a"]):
        with pytest.raises(TypeError, match=r"bool|str"):
            ours(value)


def test_statistics_of_integers_are_refused():
    for function in (tf.math.reduce_std, tf.math.reduce_variance):
        with pytest.raises(
            TypeError, match=f"{function.__name__}: input_tensor must be either real or complex, got dtype int32"
        ):
            function([1, 2])


def test_variance_of_complex_numbers():
    y = tf.math.reduce_variance([1 + 1j, 2])
    assert y.dtype == tf.float64
    assert y.numpy() == 0.5


def test_no_axes():
    np.testing.assert_array_equal(tf.reduce_sum(X, axis=[]).numpy(), X)
    assert tf.reduce_sum(5.0).numpy() == 5.0
    assert tf.reduce_sum([1, 2.5]).numpy() == 3.5


def test_truth():
    mask = [[True, False], [True, True]]
    assert tf.reduce_any(mask, axis=1).numpy().tolist() == [True, True]
    assert tf.reduce_all(mask, axis=1, keepdims=True).numpy().tolist() == [[False], [True]]
    for function in (tf.reduce_any, tf.reduce_all):
        with pytest.raises(TypeError, match="bool"):
            function([1, 0])
        with pytest.raises(IAE, match="bool"):
            function(tf.constant([1, 0]))


def test_count_nonzero():
    assert tf.math.count_nonzero([[0, 1], [2, 0]]).dtype == tf.int64
    assert tf.math.count_nonzero([[0, 1], [2, 3]], axis=0, keepdims=True, dtype=tf.int32).numpy().tolist() == [[1, 2]]
    assert tf.math.count_nonzero(["", "a"]).numpy() == 1
    assert tf.math.count_nonzero([True, False]).numpy() == 1
    assert tf.math.zero_fraction([0.0, 1.0, 0.0, 2.0]).numpy() == 0.5


def test_variables_are_read():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_mean(v * v)
        tf.reduce_max(v)
    assert tape.watched_variables() == (v,)
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [1.0, 2.0])


def test_same_names_in_math():
    for name in ("sum", "mean", "max", "min", "prod", "logsumexp", "any", "all"):
        assert getattr(tf, f"reduce_{name}") is getattr(tf.math, f"reduce_{name}")


@pytest.mark.parametrize("reduce", [tf.reduce_all, tf.reduce_any])
def test_arrays_of_numpy_give_tensors(reduce) -> None:
    for value in (np.ones([2], bool), np.ones([2], np.float32), np.bool_(True)):
        assert isinstance(reduce(value), tf.Tensor)
        assert reduce(value).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError):
        reduce(tf.ones([2]))
