"""Fourier transforms under TensorFlow's names."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(41)
X = random.normal(size=(2, 4, 5, 6))
C = X + 1j * random.normal(size=X.shape)
SUFFIXES = {1: "", 2: "2d", 3: "3d"}


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_complex_transforms(rank):
    axes = tuple(range(-rank, 0))
    np.testing.assert_allclose(getattr(tf.signal, "fft" + SUFFIXES[rank])(C), np.fft.fftn(C, axes=axes), atol=1e-12)
    np.testing.assert_allclose(getattr(tf.signal, "ifft" + SUFFIXES[rank])(C), np.fft.ifftn(C, axes=axes), atol=1e-12)
    assert getattr(tf.signal, "fft" + SUFFIXES[rank])(C.astype(np.complex64)).dtype is tf.complex64


@pytest.mark.parametrize("lengths", [None, (4, 5, 6), (3, 4, 5), (5, 7, 9)])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_real_transforms(rank, lengths):
    lengths = lengths and lengths[-rank:]
    axes = tuple(range(-rank, 0))
    forward, back = (getattr(tf.signal, name + SUFFIXES[rank]) for name in ("rfft", "irfft"))
    np.testing.assert_allclose(forward(X, lengths), np.fft.rfftn(X, lengths, axes), atol=1e-12)
    np.testing.assert_allclose(back(C, lengths), np.fft.irfftn(C, lengths, axes), atol=1e-12)
    assert forward(X.astype(np.float32), lengths).dtype is tf.complex64
    assert back(C.astype(np.complex64), lengths).dtype is tf.float32


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize(("lengths", "axes"), [(None, None), (None, [0, 2]), ([3, 8], [-1, 1])])
def test_any_axes(lengths, axes, norm):
    for name, x in (("fft", C), ("ifft", C), ("rfft", X), ("irfft", C)):
        s = lengths or [x.shape[a] for a in (axes or range(x.ndim))]
        if name == "irfft" and lengths is None:
            s = [*s[:-1], 2 * (s[-1] - 1)]
        want = getattr(np.fft, name + "n")(x, s, axes or range(x.ndim), norm)
        np.testing.assert_allclose(getattr(tf.signal, name + "nd")(x, lengths, axes, norm), want, atol=1e-12)


def test_shifts():
    for axes in (None, 1, [0, 3], -1):
        np.testing.assert_array_equal(tf.signal.fftshift(X, axes), np.fft.fftshift(X, axes))
        np.testing.assert_array_equal(tf.signal.ifftshift(tf.signal.fftshift(X, axes), axes), X)


def test_gradients():
    x, c = X[0, 0], C[0, 0]
    check_grads(lambda z: tf.signal.fft2d(z) * tf.signal.ifft(z), (c,))
    for lengths in (None, [4], [9]):
        check_grads(lambda x: tf.abs(tf.signal.rfft(x, lengths)) ** 2, (x,))  # noqa: B023
        check_grads(lambda z: tf.signal.irfft(z, lengths) ** 2, (c,))  # noqa: B023
    check_grads(lambda x: tf.signal.irfft2d(tf.signal.rfft2d(x) ** 2, [5, 7]), (x,))
    check_grads(lambda z: tf.signal.irfftnd(z, axes=[1, 0], norm="ortho") ** 2, (c,))


def test_parts_that_irfft_ignores_have_no_gradient():
    z = tf.constant(C[0, 0, 0, :4])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = tf.signal.irfft(z)
    gradient = tape.gradient(y, z, output_gradients=tf.constant(random.normal(size=6)))
    assert gradient.numpy()[[0, 3]].imag.tolist() == [0.0, 0.0]
    assert np.all(gradient.numpy()[1:3].imag != 0.0)


def test_python_numbers_and_short_inputs():
    assert tf.signal.rfft([1, 2, 3, 4]).dtype is tf.complex64
    assert tf.signal.fft([1, 2]).numpy().tolist() == [3, -1]
    assert tf.signal.irfft(tf.ones([2, 1], tf.complex64)).shape == (2, 0)
    assert tf.signal.rfft(tf.zeros([0, 4])).shape == (0, 3)
    assert tf.signal.rfft(X[0, 0], fft_length=tf.constant([8])).shape == (5, 5)


def test_refusals():
    with pytest.raises(ValueError, match="must be float32 or float64"):
        tf.signal.rfft(tf.constant([1, 2]))
    with pytest.raises(ValueError, match="must be complex"):
        tf.signal.irfft2d(X)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"x is f64\[2,4,5,6\], and must be complex"):
        tf.signal.fft(X)
    with pytest.raises(tf.errors.InvalidArgumentError, match="needs rank 3"):
        tf.signal.fft3d(C[0, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"fft_length must have 1 entries, got \[4, 4\]"):
        tf.signal.rfft(X, [4, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="got 'unitary'"):
        tf.signal.fftnd(C, norm="unitary")
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis is 7"):
        tf.signal.fftshift(X, 7)


def test_vectorized_map_and_jacobian():
    np.testing.assert_allclose(tf.vectorized_map(tf.signal.fft2d, tf.constant(C[0])), np.fft.fft2(C[0]), atol=1e-12)
    x = tf.constant(X[0, 0, 0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.real(tf.signal.rfft(x))
    want = np.cos(2 * np.pi * np.outer(np.arange(4), np.arange(6)) / 6)
    np.testing.assert_allclose(tape.jacobian(y, x), want, atol=1e-14)
