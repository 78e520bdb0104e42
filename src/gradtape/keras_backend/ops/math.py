"""`backend.math`: segments, Fourier transforms, error functions."""

from __future__ import annotations

import math
from typing import Any

import gradtape as tf
from gradtape.keras_backend.convert import as_float, cast, cast_tensor, convert_to_tensor, operands, widened


def _segments(function: Any, empty: Any = None) -> Any:
    def apply(data: Any, segment_ids: Any, num_segments: Any = None, sorted: Any = False) -> Any:
        data, segment_ids = convert_to_tensor(data), cast(segment_ids, "int32")
        if num_segments is None:
            num_segments = tf.maximum(tf.reduce_max(segment_ids), -1) + 1
        result = function(data, segment_ids, num_segments)
        if empty is None or data.dtype.kind not in "fV":
            return result
        count = tf.math.unsorted_segment_sum(tf.ones_like(segment_ids), segment_ids, num_segments)
        is_empty = tf.reshape(tf.equal(count, 0), (-1,) + (1,) * (result.ndim - 1))
        return tf.where(is_empty, convert_to_tensor(empty, result.dtype), result)

    apply.__name__ = apply.__qualname__ = function.__name__.removeprefix("unsorted_")
    return apply


segment_sum = _segments(tf.math.unsorted_segment_sum)
segment_max = _segments(tf.math.unsorted_segment_max, -math.inf)
segment_min = _segments(tf.math.unsorted_segment_min, math.inf)
segment_prod = _segments(tf.math.unsorted_segment_prod)


def top_k(x: Any, k: Any, sorted: Any = True) -> Any:
    """The k largest elements of the last axis, and their indices."""
    x = convert_to_tensor(x)
    if x.dtype.kind == "b":
        values, indices = tf.math.top_k(cast_tensor(x, "uint8"), k)
        return cast_tensor(values, "bool"), indices
    return tuple(tf.math.top_k(x, k, sorted=sorted))


def in_top_k(targets: Any, predictions: Any, k: Any) -> Any:
    """True where the target is among the k classes with the largest predictions."""
    targets, predictions = cast(targets, "int32"), as_float(predictions)
    if not targets.ndim:
        return tf.math.in_top_k(tf.reshape(targets, (1,)), tf.reshape(predictions, (1, -1)), k)[0]
    return tf.math.in_top_k(targets, widened(predictions)[0], k)


def logsumexp(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """log(sum(exp(x))) along axes."""
    return tf.reduce_logsumexp(as_float(x), axis=axis, keepdims=keepdims)


def rsqrt(x: Any) -> Any:
    """1 / sqrt(x)."""
    return tf.math.rsqrt(as_float(x))


def erf(x: Any) -> Any:
    """The error function."""
    return tf.math.erf(as_float(x))


def erfc(x: Any) -> Any:
    """1 - erf(x)."""
    return tf.math.erfc(as_float(x))


def erfinv(x: Any) -> Any:
    """The inverse of the error function."""
    return tf.math.erfinv(as_float(x))


def logdet(x: Any) -> Any:
    """The logarithm of the absolute value of the determinant."""
    return tf.linalg.slogdet(convert_to_tensor(x))[1]


def cdist(x: Any, y: Any) -> Any:
    """Distances of all pairs of rows."""
    x, y = operands(as_float(x), as_float(y))
    squares = tf.reduce_sum(tf.square(tf.expand_dims(x, -2) - tf.expand_dims(y, -3)), axis=-1)
    # The square root has no derivative at 0; the distance of equal rows has the gradient 0.
    apart = tf.greater(squares, 0.0)
    return tf.where(apart, tf.sqrt(tf.where(apart, squares, tf.ones_like(squares))), tf.zeros_like(squares))


def extract_sequences(x: Any, sequence_length: Any, sequence_stride: Any) -> Any:
    """Parts of the last axis of a length, at distances of a stride."""
    return tf.signal.frame(convert_to_tensor(x), sequence_length, sequence_stride)


def _get_complex_tensor_from_tuple(x: Any) -> Any:
    """A complex tensor of its two parts."""
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise ValueError(f"Input `x` should be a tuple of two tensors - real and imaginary. Received: x={x}")
    real, imaginary = operands(convert_to_tensor(x[0]), convert_to_tensor(x[1]))
    if tuple(real.shape) != tuple(imaginary.shape):
        raise ValueError(
            "Input `x` should be a tuple of two tensors - real and imaginary. Both the real and imaginary parts should "
            f"have the same shape. Received: x[0].shape = {tuple(real.shape)}, x[1].shape = {tuple(imaginary.shape)}"
        )
    if real.dtype.kind not in "fV":
        raise ValueError(
            "At least one tensor in input `x` is not of type float. Received: "
            f"x=[dtype {real.dtype.name}, dtype {imaginary.dtype.name}]."
        )
    return tf.complex(widened(real)[0], widened(imaginary)[0])


def _parts(x: Any) -> Any:
    return tf.math.real(x), tf.math.imag(x)


def fft(x: Any) -> Any:
    """The Fourier transform along the last axis of a pair of real and imaginary parts."""
    return _parts(tf.signal.fft(_get_complex_tensor_from_tuple(x)))


def fft2(x: Any) -> Any:
    """The Fourier transform along the last two axes."""
    return _parts(tf.signal.fft2d(_get_complex_tensor_from_tuple(x)))


def ifft2(x: Any) -> Any:
    """The inverse Fourier transform along the last two axes."""
    return _parts(tf.signal.ifft2d(_get_complex_tensor_from_tuple(x)))


def rfft(x: Any, fft_length: Any = None) -> Any:
    """The Fourier transform of real numbers along the last axis."""
    x = widened(as_float(x))[0]
    return _parts(tf.signal.rfft(x, None if fft_length is None else [fft_length]))


def irfft(x: Any, fft_length: Any = None) -> Any:
    """The real numbers whose Fourier transform was given."""
    x = _get_complex_tensor_from_tuple(x)
    return tf.signal.irfft(x, None if fft_length is None else [fft_length])


def stft(
    x: Any, sequence_length: Any, sequence_stride: Any, fft_length: Any, window: Any = "hann", center: Any = True
) -> Any:
    """The Fourier transforms of windows of a signal."""
    x = convert_to_tensor(x)
    if x.dtype.name not in ("float32", "float64"):
        raise TypeError(f"Invalid input type. Expected `float32` or `float64`. Received: input type={x.dtype.name}")
    _check_lengths(sequence_length, fft_length)
    if center:
        half = fft_length // 2
        x = tf.pad(x, [[0, 0]] * (x.ndim - 1) + [[half, half]], "REFLECT")
    frames = tf.signal.frame(x, fft_length, sequence_stride)
    weights = _window(window, sequence_length, fft_length, x.dtype)
    return rfft(frames if weights is None else frames * weights, fft_length)


def _check_lengths(sequence_length: Any, fft_length: Any) -> Any:
    if fft_length < sequence_length:
        raise ValueError(
            "`fft_length` must equal or larger than `sequence_length`. Received: "
            f"sequence_length={sequence_length}, fft_length={fft_length}"
        )


def _window(window: Any, sequence_length: Any, fft_length: Any, dtype: Any) -> Any:
    """The weights of a window, with zeros around it up to the length of the transform."""
    if window is None:
        weights = tf.ones((sequence_length,), dtype)
    elif isinstance(window, str):
        if window not in ("hann", "hamming"):
            raise ValueError(
                "If a string is passed to `window`, it must be one of `'hann'`, `'hamming'`. Received: window={window}"
            )
        make = tf.signal.hann_window if window == "hann" else tf.signal.hamming_window
        weights = make(sequence_length, periodic=True, dtype=dtype)
    else:
        weights = convert_to_tensor(window, dtype)
    if weights.ndim != 1 or weights.shape[-1] != sequence_length:
        raise ValueError(
            f"The shape of `window` must be equal to [sequence_length]. Received: window shape={tuple(weights.shape)}"
        )
    left = (fft_length - sequence_length) // 2
    return tf.pad(weights, [[left, fft_length - sequence_length - left]])


def _overlapping(weights: Any, stride: Any) -> Any:
    """At each position of a window, the sum over all overlapping windows, in the middle of a long signal."""
    size = weights.shape[0]
    count = -(-size // stride)
    rows = tf.reshape(tf.pad(weights, [[0, count * stride - size]]), (count, stride))
    return tf.tile(tf.reduce_sum(rows, 0), [count])[:size]


def istft(
    x: Any,
    sequence_length: Any,
    sequence_stride: Any,
    fft_length: Any,
    length: Any = None,
    window: Any = "hann",
    center: Any = True,
) -> Any:
    """The signal whose transformed windows were given."""
    frames = irfft(x, fft_length)
    weights = _window(window, sequence_length, fft_length, frames.dtype)
    count = frames.shape[-2]
    if window is not None:
        frames = frames * tf.math.divide_no_nan(weights, _overlapping(tf.square(weights), sequence_stride))
    signal = tf.signal.overlap_and_add(frames, sequence_stride)
    whole = fft_length + sequence_stride * (count - 1)
    start = fft_length // 2 if center else 0
    if length is not None:
        end = start + length
    else:
        end = whole - fft_length // 2 if center else whole
    return signal[..., start:end]
