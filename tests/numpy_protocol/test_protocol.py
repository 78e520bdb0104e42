"""NumPy functions on tensors are recorded ops."""

import numpy as np
import pytest

import gradtape as tf

X = np.array([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], "f")

CASES = [
    np.sin, np.exp, np.tanh, np.square, np.abs, np.negative, lambda x: np.add(x, 1.0), lambda x: np.multiply(2.0, x),
    lambda x: np.maximum(x, 0.0), lambda x: np.sum(x), lambda x: np.sum(x, axis=0, keepdims=True),
    lambda x: np.mean(x, axis=0), lambda x: np.mean(x, axis=(0, 1)), lambda x: np.max(x, axis=-1), lambda x: np.prod(x),
    lambda x: np.var(x, axis=1), lambda x: np.std(x), lambda x: np.concatenate([x, x], axis=1), lambda x: np.stack([x, x]),
    lambda x: np.reshape(x, (3, 2)), lambda x: np.transpose(x), lambda x: np.swapaxes(x, 0, 1),
    lambda x: np.moveaxis(x, 0, -1), lambda x: np.expand_dims(x, 0), lambda x: np.squeeze(np.expand_dims(x, (0, 2))),
    lambda x: np.broadcast_to(x, (2, 2, 3)), lambda x: np.where(X > 0, x, 0.0), lambda x: np.clip(x, -1.0, 1.0),
    lambda x: np.dot(x, np.ones((3, 2))), lambda x: np.matmul(x, np.ones((3, 2), "f")), lambda x: np.outer(x, x),
    lambda x: np.tensordot(x, x, 2), lambda x: np.take(x, [0, 2], axis=1), lambda x: np.flip(x, 0),
    lambda x: np.linalg.norm(x), lambda x: np.linalg.norm(x, axis=1), lambda x: np.ravel(x), lambda x: np.tile(x, (2, 1)),
    lambda x: np.roll(x, 1, axis=1), lambda x: np.add.reduce(x, axis=1), lambda x: np.copy(x), lambda x: np.power(np.abs(x), 1.5),
    lambda x: np.arctan2(x, 2.0), lambda x: np.log1p(np.abs(x)), lambda x: x @ np.ones((3, 1)), lambda x: np.ones((1, 2)) @ x,
    lambda x: np.inner(x, x), lambda x: np.vdot(x, x), lambda x: np.kron(x[0], x), lambda x: np.rot90(x, 3),
    lambda x: np.tile(x, (2, 1, 3)), lambda x: np.tile(x, 2), lambda x: np.roll(x, 2), lambda x: np.diagonal(x, 1),
    lambda x: np.tril(x, -1), lambda x: np.triu(x, 1), lambda x: np.expand_dims(x, (0, -1)),
]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_value_is_numpys_and_the_tape_sees_it(f):
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert isinstance(y, tf.Tensor)
    assert y.dtype == tf.float32
    np.testing.assert_allclose(y.numpy(), f(X.astype(np.float64)), rtol=2e-6)
    assert tape.gradient(y, x) is not None


SQUARE = np.array([[2.0, 0.5], [0.25, 1.0]])
LIBRARY = [
    lambda x: np.cumsum(x), lambda x: np.cumprod(x, axis=0), lambda x: np.sort(x, axis=0), lambda x: np.median(x, axis=1),
    lambda x: np.percentile(x, 30), lambda x: np.quantile(x, 0.5, axis=0), lambda x: np.einsum("ij,jk->ik", x, x),
    lambda x: np.sinc(x), lambda x: np.linalg.inv(x), lambda x: np.linalg.solve(x, x[0]), lambda x: np.linalg.pinv(x),
    lambda x: np.linalg.matrix_power(x, 3), lambda x: np.linalg.cholesky(x @ np.transpose(x)), lambda x: np.linalg.det(x),
    lambda x: np.linalg.slogdet(x)[1], lambda x: np.linalg.eigvalsh(x + np.transpose(x)),
    lambda x: np.linalg.svd(x, compute_uv=False), lambda x: np.abs(np.linalg.qr(x)[1]), lambda x: np.linalg.norm(x, ord=1),
    lambda x: np.linalg.norm(x, ord=2), lambda x: np.trace(x), lambda x: np.diag(x), lambda x: np.tril(x),
    lambda x: np.triu(x), lambda x: np.kron(x, x), lambda x: np.cross(np.ones(3), np.concatenate([x[0], x[0, :1]])),
    lambda x: np.logaddexp(x, 0.5), lambda x: np.polyval([1.0, 2.0], x), lambda x: np.i0(x),
    lambda x: np.abs(np.fft.rfft(x)), lambda x: np.fft.irfft2(np.fft.rfft2(x)),
    lambda x: np.abs(np.fft.rfftn(x)), lambda x: np.fft.fftshift(x),
]  # fmt: skip


@pytest.mark.parametrize("f", LIBRARY)
def test_functions_of_families_that_are_loaded_later(f):
    x = tf.constant(SQUARE)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert isinstance(y, tf.Tensor)
    np.testing.assert_allclose(y.numpy(), f(SQUARE), rtol=1e-9, atol=1e-15)
    assert tape.gradient(y, x) is not None


def test_variables_too():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = np.sum(np.square(v))
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0]


def test_what_has_no_op_runs_in_numpy():
    x = tf.constant(X)
    assert isinstance(np.ptp(x), (np.floating, np.ndarray))
    assert isinstance(np.mean(x, dtype=np.float64), np.floating)
    out = np.empty_like(X)
    np.sin(x, out=out)
    np.testing.assert_array_equal(out, np.sin(X))
    assert np.sin(tf.constant([1, 2])).dtype == np.float64
    assert np.allclose(x, X)
    assert np.array_equal(np.argmax(x, axis=1), np.argmax(X, axis=1))


def test_switch():
    x = tf.constant(X)
    tf.config.record_numpy_functions(False)
    try:
        assert isinstance(np.sin(x), np.ndarray)
        assert isinstance(np.mean(x, axis=0), np.ndarray)
        assert isinstance(np.ones(3) + x, tf.Tensor)
    finally:
        tf.config.record_numpy_functions(True)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, np.complex64])
def test_any_and_all_take_numbers(dtype):
    rows = np.array([[0, 1], [0, 0], [1, 1]], dtype)
    for function in (np.any, np.all):
        for axis in (None, 0, (0, 1)):
            np.testing.assert_array_equal(function(tf.constant(rows), axis=axis), function(rows, axis=axis))
