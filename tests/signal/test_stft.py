"""Frames, windows, short-time transforms and the mel scale."""

import numpy as np
import pytest
import scipy.signal

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(43)
X = random.normal(size=(2, 40))


@pytest.mark.parametrize("n", [1, 2, 7, 8, 64])
def test_windows_against_scipy(n):
    windows = scipy.signal.windows
    for name, theirs in (("hann_window", windows.hann), ("hamming_window", windows.hamming)):
        ours = getattr(tf.signal, name)
        np.testing.assert_allclose(ours(n, periodic=False, dtype=tf.float64), theirs(n), atol=1e-15)
        # Odd lengths are symmetric in TensorFlow, whatever is asked for.
        np.testing.assert_allclose(ours(n, dtype=tf.float64), theirs(n, sym=bool(n % 2)), atol=1e-15)
    np.testing.assert_allclose(tf.signal.kaiser_window(n, 5.0, tf.float64), windows.kaiser(n, 5.0), atol=1e-15)
    if n % 2 == 0:
        ours = tf.signal.kaiser_bessel_derived_window(n, 5.0, tf.float64)
        np.testing.assert_allclose(ours, windows.kaiser_bessel_derived(n, 5.0), atol=1e-15)
        squares = tf.signal.vorbis_window(n, tf.float64).numpy() ** 2
        np.testing.assert_allclose(squares[: n // 2] + squares[n // 2 :], 1.0)


def test_window_arguments():
    assert tf.signal.hann_window(tf.constant(4)).dtype is tf.float32
    assert tf.signal.vorbis_window(4, dtype=tf.bfloat16).dtype is tf.bfloat16
    assert tf.signal.hann_window(0).shape == (0,)
    with pytest.raises(ValueError, match=r"dtype must be floating point, got tf\.int32"):
        tf.signal.hann_window(4, dtype=tf.int32)
    with pytest.raises(ValueError, match="window_length must not be negative, got -1"):
        tf.signal.kaiser_window(-1)


def frames_by_loop(x, length, step, pad_end, value):
    starts = range(0, len(x), step) if pad_end else range(0, len(x) - length + 1, step)
    longer = np.concatenate([x, np.full(length, value)])
    return np.array([longer[i : i + length] for i in starts]).reshape(-1, length)


@pytest.mark.parametrize("pad_end", [False, True])
@pytest.mark.parametrize(("length", "step"), [(8, 4), (7, 3), (3, 5), (40, 1), (50, 7)])
def test_frame(length, step, pad_end):
    want = np.stack([frames_by_loop(x, length, step, pad_end, 2.5) for x in X])
    got = tf.signal.frame(X, length, step, pad_end, 2.5)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(tf.signal.frame(X.T, length, step, pad_end, 2.5, axis=0), np.moveaxis(want, 0, 2))
    check_grads(lambda x: tf.signal.frame(x, length, step, pad_end) ** 2, (X[0],))


def test_frame_in_the_middle():
    x = random.normal(size=(2, 10, 3, 2))
    got = tf.signal.frame(x, 4, 2, axis=1)
    assert got.shape == (2, 4, 4, 3, 2)
    for i in range(4):
        np.testing.assert_array_equal(got[:, i], x[:, 2 * i : 2 * i + 4])
    with pytest.raises(ValueError, match="a scalar"):
        tf.signal.frame(1.0, 1, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="step must be positive, got 0"):
        tf.signal.frame(X, 4, 0)


@pytest.mark.parametrize("step", [1, 3, 5, 7])
def test_overlap_and_add(step):
    frames = random.normal(size=(2, 4, 5))
    want = np.zeros((2, 3 * step + 5))
    for i in range(4):
        want[:, i * step : i * step + 5] += frames[:, i]
    np.testing.assert_allclose(tf.signal.overlap_and_add(frames, step), want)
    with pytest.raises(ValueError, match="needs rank 2"):
        tf.signal.overlap_and_add(X[0], step)


def test_stft_against_scipy():
    got = tf.signal.stft(X, frame_length=16, frame_step=4)
    transform = scipy.signal.ShortTimeFFT(scipy.signal.windows.hann(16, sym=False), hop=4, fs=1.0)
    # SciPy counts frames by their middles: the first whole one is number 2. Phases are counted from elsewhere.
    want = transform.stft(X, p0=2, p1=2 + got.shape[1])
    np.testing.assert_allclose(np.abs(got), np.abs(np.swapaxes(want, 1, 2)), atol=1e-12)


def test_stft_by_frames():
    window = tf.signal.hamming_window(10, dtype=tf.float64).numpy()
    got = tf.signal.stft(X, 10, 5, window_fn=tf.signal.hamming_window)
    assert got.shape == (2, 7, 9)
    for i in range(7):
        np.testing.assert_allclose(got[:, i], np.fft.rfft(X[:, 5 * i : 5 * i + 10] * window, 16), atol=1e-12)
    plain = tf.signal.stft(X, 10, 5, fft_length=8, window_fn=None, pad_end=True)
    np.testing.assert_allclose(plain[:, 0], np.fft.rfft(X[:, :8]), atol=1e-12)
    assert plain.shape == (2, 8, 5)


@pytest.mark.parametrize(("length", "step"), [(16, 4), (10, 5), (12, 5)])
def test_inverse_stft_gives_the_signal_back(length, step):
    for window in (tf.signal.hann_window, tf.signal.hamming_window):
        spectra = tf.signal.stft(X, length, step, window_fn=window)
        back = tf.signal.inverse_stft(
            spectra, length, step, window_fn=tf.signal.inverse_stft_window_fn(step, forward_window_fn=window)
        )
        inside = slice(length, back.shape[-1] - length)
        np.testing.assert_allclose(back[:, inside], X[:, inside], atol=1e-12)


def test_gradients():
    check_grads(lambda x: tf.abs(tf.signal.stft(x, 8, 4)) ** 2, (X[0, :17],))
    z = random.normal(size=(3, 5)) + 1j * random.normal(size=(3, 5))
    check_grads(lambda z: tf.signal.inverse_stft(z, 6, 3, fft_length=8) ** 2, (z,))
    check_grads(tf.signal.mfccs_from_log_mel_spectrograms, (X[:, :5],))


def test_stft_refusals():
    with pytest.raises(ValueError, match="needs rank 2"):
        tf.signal.inverse_stft(tf.ones([3], tf.complex64), 4, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="frame_length must be positive, got 0"):
        tf.signal.stft(X, 0, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="frame_step must be positive, got 0"):
        tf.signal.inverse_stft_window_fn(0)


def test_mel_matrix():
    got = tf.signal.linear_to_mel_weight_matrix(6, 33, 16000, 100.0, 6000.0, tf.float64).numpy()
    edges = 700.0 * (10 ** (np.linspace(2595 * np.log10(1 + 1 / 7), 2595 * np.log10(1 + 60 / 7), 8) / 2595) - 1)
    hertz = np.linspace(0.0, 8000.0, 33)
    assert got.shape == (33, 6)
    for band in range(6):
        inside = (hertz > edges[band] * 1.001) & (hertz < edges[band + 2] * 0.999)
        assert np.array_equal(got[:, band] > 0, inside)
    mel = 2595 * np.log10(1 + hertz / 700.0)
    low, peak, high = [2595 * np.log10(1 + e / 700.0) for e in edges[2:5]]
    want = np.interp(mel, [low, peak, high], [0.0, 1.0, 0.0])
    np.testing.assert_allclose(got[:, 2], want, atol=1e-3)


def test_mel_refusals():
    for options, text in (
        ({"num_mel_bins": 0}, "0 bands"),
        ({"lower_edge_hertz": -1.0}, "bands from -1.0"),
        ({"lower_edge_hertz": 4000.0}, "bands from 4000.0"),
        ({"upper_edge_hertz": 5000.0}, "bands up to 5000.0 hertz"),
        ({"dtype": tf.int32}, "dtype tf.int32"),
    ):
        with pytest.raises(ValueError, match=text):
            tf.signal.linear_to_mel_weight_matrix(**options)
    with pytest.raises(ValueError, match="one band at least"):
        tf.signal.mfccs_from_log_mel_spectrograms(1.0)


def test_vectorized_map():
    np.testing.assert_allclose(
        tf.vectorized_map(lambda x: tf.signal.stft(x, 8, 4), tf.constant(X)), tf.signal.stft(X, 8, 4), atol=1e-12
    )


def test_frames_are_filled_up_with_one_number():
    with pytest.raises(ValueError, match=r"pad_value is .*, and must be a scalar"):
        tf.signal.frame([1], 1, 1, pad_end=True, pad_value=[1])
    assert tf.signal.frame([1, 2, 3], 2, 2, pad_end=True, pad_value=7).numpy().tolist() == [[1, 2], [3, 7]]
