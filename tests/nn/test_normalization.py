"""Normalisations, against NumPy's moments."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.ops.normalization import LayerNormalization, LayerNormalizationGrad
from gradtape.testing import check_grads

random = np.random.default_rng(21)


def normalized(x, axis, epsilon):
    mean, variance = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon)


@pytest.mark.parametrize("axis", [-1, 0, 1, (1, 2), [0, 1, 2], (-1, 0)])
def test_layer_normalization(axis):
    x = random.normal(size=(2, 3, 4))
    over = tuple(sorted(a % 3 for a in np.atleast_1d(axis)))
    scale, offset = (random.normal(size=[x.shape[a] for a in over]) for _ in range(2))
    beside = [n if a in over else 1 for a, n in enumerate(x.shape)]
    wanted = normalized(x, over, 0.1) * scale.reshape(beside) + offset.reshape(beside)
    np.testing.assert_allclose(tf.nn.layer_normalization(x, scale, offset, axis=axis, epsilon=0.1), wanted, rtol=1e-12)
    check_grads(lambda *v: tf.nn.layer_normalization(*v, axis=axis, epsilon=0.1), (x, scale, offset))


def test_layer_normalization_without_scale_or_offset():
    x, scale = random.normal(size=(2, 3)), random.normal(size=3)
    plain = normalized(x, -1, 1e-5)
    np.testing.assert_allclose(tf.nn.layer_normalization(x), plain)
    np.testing.assert_allclose(tf.nn.layer_normalization(x, scale), plain * scale)
    np.testing.assert_allclose(tf.nn.layer_normalization(x, offset=tf.Variable(scale)), plain + scale)


def test_layer_normalization_with_a_scale_that_broadcasts():
    x, scale = random.normal(size=(2, 3, 4)), random.normal(size=(3, 1))
    got = tf.nn.layer_normalization(x, scale, 2.0, axis=(1, 2))
    np.testing.assert_allclose(got, normalized(x, (1, 2), 1e-5) * scale + 2.0)
    check_grads(lambda x, s: tf.nn.layer_normalization(x, s, axis=(1, 2)), (x, scale))


def test_layer_normalization_in_narrow_dtypes_computes_in_float32():
    x = (random.normal(size=(2, 300)) + 8.0).astype(np.float16)
    wanted = normalized(x.astype(np.float64), -1, 1e-5)
    got = tf.nn.layer_normalization(x)
    assert got.dtype is tf.float16
    np.testing.assert_allclose(got, wanted, atol=2e-3)


def test_layer_normalization_refuses_integers():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be floating point"):
        tf.nn.layer_normalization([[1, 2]])


@pytest.mark.parametrize("shape", [(700, 300), (4, 100, 700), (1, 70000), (9, 9000)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_arrays_by_blocks(shape, dtype):
    x, g = (random.normal(size=shape).astype(dtype) for _ in range(2))
    scale, offset = (random.normal(size=shape[-1]).astype(dtype) for _ in range(2))
    eps = np.finfo(dtype).eps
    y, h, factor = LayerNormalization(x, scale, offset, epsilon=1e-3)
    exact = normalized(x.astype(np.float64), -1, 1e-3)
    np.testing.assert_allclose(h, exact, atol=30 * eps)
    np.testing.assert_allclose(y, exact * scale + offset, atol=100 * eps)
    # Fortran order takes the other way through the kernel.
    slow = LayerNormalizationGrad(*[np.asfortranarray(v.astype(np.float64)) for v in (g, h, factor, scale)])
    rows = np.sqrt(x.size / shape[-1])
    for got, want, size in zip(LayerNormalizationGrad(g, h, factor, scale), slow, (10, rows, rows), strict=True):
        np.testing.assert_allclose(got, want, atol=30 * size * eps)


@pytest.mark.parametrize(("groups", "axis"), [(1, -1), (2, -1), (4, 3), (2, 1)])
def test_group_normalization(groups, axis):
    x = random.normal(size=(2, 4, 3, 4))
    scale, offset = random.normal(size=4), random.normal(size=4)
    moved = np.moveaxis(x, axis, -1)
    grouped = moved.reshape(2, -1, groups, 4 // groups)
    wanted = normalized(grouped, (1, 3), 0.1).reshape(moved.shape) * scale + offset
    got = tf.nn.group_normalization(x, groups, scale, offset, axis=axis, epsilon=0.1)
    np.testing.assert_allclose(got, np.moveaxis(wanted, -1, axis), rtol=1e-12)
    check_grads(lambda *v: tf.nn.group_normalization(v[0], groups, *v[1:], axis=axis, epsilon=0.1), (x, scale, offset))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"groups": 3}, "groups must divide"),
        ({"groups": 2, "axis": 0}, "comes after that of the examples"),
        ({"groups": 2, "scale": [1.0, 2.0]}, "scale has shape [2], but there are 4 channels"),
    ],
)
def test_group_normalization_refusals(options, words):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.nn.group_normalization(tf.ones([2, 4]), **options)
    assert words in str(caught.value)


def test_local_response_normalization():
    x = random.normal(size=(1, 2, 2, 5))
    wanted = np.zeros_like(x)
    for i in range(5):
        near = x[..., max(0, i - 1) : i + 2]
        wanted[..., i] = x[..., i] / (0.5 + 2.0 * (near**2).sum(axis=-1)) ** 0.75
    options = {"depth_radius": 1, "bias": 0.5, "alpha": 2.0, "beta": 0.75}
    np.testing.assert_allclose(tf.nn.local_response_normalization(x, **options), wanted)
    np.testing.assert_allclose(tf.nn.lrn(x, **options), wanted)
    check_grads(lambda x: tf.nn.lrn(x, **options), (x,))


def test_local_response_normalization_like_tensorflow():
    got = tf.nn.lrn(tf.reshape(tf.range(8.0), [1, 1, 2, 4]), depth_radius=1, alpha=0.5, beta=0.75)
    wanted = [0.0, 0.39079496, 0.4204482, 0.6619502, 0.40061864, 0.31733808, 0.29309627, 0.4132673]
    np.testing.assert_allclose(tf.reshape(got, [-1]), wanted, rtol=1e-6)
    for x, radius in ((tf.ones([2, 3]), 5), (tf.ones([1, 1, 1, 3]), -1)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be 4-dimensional"):
            tf.nn.lrn(x, depth_radius=radius)


def test_batch_norm_with_global_normalization():
    x = random.normal(size=(2, 2, 2, 3))
    mean, variance, beta, gamma = (random.uniform(0.5, 1.0, size=3) for _ in range(4))
    plain = (x - mean) / np.sqrt(variance + 0.1)
    f = tf.nn.batch_norm_with_global_normalization
    np.testing.assert_allclose(f(x, mean, variance, beta, gamma, 0.1, True), plain * gamma + beta)
    np.testing.assert_allclose(f(x, mean, variance, beta, gamma, 0.1, False), plain + beta)


def test_moments_with_more_digits_than_the_values() -> None:
    x, rest = tf.constant([[1.0, 2.0]], tf.float16), tf.constant([0.3, 0.4])
    y = tf.nn.batch_normalization(x, rest, rest, rest, rest, 1e-3)
    assert y.dtype is tf.float16
    np.testing.assert_array_equal(y.numpy(), np.array([[0.6826, 1.411]], np.float16))  # TensorFlow's
