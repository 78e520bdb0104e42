"""Cosine transforms under TensorFlow's names."""

import numpy as np
import pytest
import scipy.fft

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(42)
X = random.normal(size=(2, 16))


@pytest.mark.parametrize("n", [None, 9, 20])
@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_against_scipy(kind, norm, n):
    if kind == 1 and norm:
        with pytest.raises(ValueError, match="type is 1, norm is 'ortho'"):
            tf.signal.dct(X, type=1, norm=norm)
        return
    np.testing.assert_allclose(tf.signal.dct(X, kind, n, norm=norm), scipy.fft.dct(X, kind, n, norm=norm), atol=1e-12)
    check_grads(lambda x: tf.signal.dct(x, kind, n, norm=norm) ** 2, (X[:, :5],))
    samples = n or 16
    # Without a norm TensorFlow leaves the division to the user.
    scale = 1.0 if norm else 2.0 * (samples - 1 if kind == 1 else samples)
    want = scipy.fft.idct(X, kind, n, norm=norm) * scale
    np.testing.assert_allclose(tf.signal.idct(X, kind, n, norm=norm), want, atol=1e-12)


def test_dct_refusals():
    with pytest.raises(ValueError, match="type is 5"):
        tf.signal.dct(X, type=5)
    with pytest.raises(ValueError, match="norm is 'orthogonal'"):
        tf.signal.idct(X, norm="orthogonal")
    with pytest.raises(ValueError, match="n must be positive, got 0"):
        tf.signal.dct(X, n=0)
    with pytest.raises(NotImplementedError, match="axis must be -1, got 0"):
        tf.signal.dct(X, axis=0)
    with pytest.raises(ValueError, match="a scalar"):
        tf.signal.dct(1.0)
    with pytest.raises(ValueError, match="must have 2 elements"):
        tf.signal.dct(X[:, :1], type=1)
    assert tf.signal.dct(X.astype(np.float32)).dtype is tf.float32


def mdct_by_definition(frame):
    """Princen, Johnson and Bradley's sum, for one frame, in the scale of an unnormalised cosine transform."""
    half = len(frame) // 2
    n, k = np.arange(2 * half), np.arange(half)[:, None]
    return 2.0 * np.cos(np.pi / half * (n + 0.5 + half / 2) * (k + 0.5)) @ frame


@pytest.mark.parametrize("window", [tf.signal.vorbis_window, tf.signal.kaiser_bessel_derived_window, None])
@pytest.mark.parametrize("norm", [None, "ortho"])
def test_mdct(norm, window):
    weights = np.full(8, np.sqrt(0.5)) if window is None else window(8, dtype=tf.float64).numpy()
    got = tf.signal.mdct(X, 8, window_fn=window, norm=norm)
    want = np.stack([[mdct_by_definition(weights * row[i : i + 8]) for i in range(0, 9, 4)] for row in X])
    np.testing.assert_allclose(got, want / np.sqrt(8.0) if norm else want, atol=1e-12)
    back = tf.signal.inverse_mdct(got, window_fn=window, norm=norm)
    np.testing.assert_allclose(back[:, 4:12], X[:, 4:12], atol=1e-6)
    check_grads(
        lambda x: tf.signal.inverse_mdct(tf.signal.mdct(x, 8, window, True, norm) ** 2, window, norm), (X[0, :9],)
    )


def test_mdct_refusals():
    with pytest.raises(ValueError, match="frame_length must be a multiple of 4, got 6"):
        tf.signal.mdct(X, 6)
    with pytest.raises(ValueError, match="even half"):
        tf.signal.inverse_mdct(X[:, :3])
    assert tf.signal.mdct(X, 8, pad_end=True).shape == (2, 4, 4)
