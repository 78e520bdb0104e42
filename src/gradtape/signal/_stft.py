"""Short-time Fourier transforms: `tf.signal.stft`, `inverse_stft`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import integer, tensor
from gradtape.core import errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.division import DivideNoNan
from gradtape.ops.family import dims
from gradtape.ops.movement import Reshape, Tile
from gradtape.ops.reduction import ReduceSum
from gradtape.signal._fft import fitted, irfft, rfft
from gradtape.signal._frames import frame, overlap_and_add
from gradtape.signal._windows import hann_window

Window = Callable[..., Any]


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The Fourier transforms of overlapping frames of real signals: their spectra over time.

    Args:
      signals: real signals `[..., samples]`.
      frame_length: samples in a frame.
      frame_step: samples from the beginning of a frame to that of the next.
      fft_length: points of the transform; by default the first power of 2 that holds a frame.
      window_fn: a function of a length and a `dtype` that gives the weights of the samples in a frame; or None.
      pad_end: whether frames may begin anywhere in the signal, filled up with zeros at its end.

    Returns:
      A complex tensor `[..., frames, fft_length // 2 + 1]`.

    >>> tf.signal.stft(tf.ones([2, 100]), frame_length=30, frame_step=10).shape
    TensorShape([2, 8, 17])
    """
    x = tensor(signals)
    length = integer(frame_length, "stft", "frame_length")
    points = _points(length, fft_length, "stft")
    frames = frame(x, length, frame_step, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, [points])


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Real signals from the Fourier transforms of their frames.

    Args:
      stfts: complex `[..., frames, fft_length // 2 + 1]`, as from `tf.signal.stft`.
      frame_length: samples in a frame.
      frame_step: samples from the beginning of a frame to that of the next.
      fft_length: points of the transform; by default the first power of 2 that holds a frame.
      window_fn: a function of a length and a `dtype` that gives the weights of the samples in a frame; or None. That of
        `tf.signal.inverse_stft_window_fn` undoes the window of `stft`.

    Returns:
      A real tensor `[..., (frames - 1) * frame_step + frame_length]`.

    >>> spectra = tf.signal.stft(tf.ones([100]), 32, 8)
    >>> window = tf.signal.inverse_stft_window_fn(8)
    >>> tf.signal.inverse_stft(spectra, 32, 8, window_fn=window)[40:43].numpy().round(4)
    array([1., 1., 1.], dtype=float32)
    """
    x = tensor(stfts)
    if x.ndim < 2:
        raise errors.build(
            errors.ShapeError,
            f"inverse_stft: stfts is {spec_of(x)}, and needs rank 2 or more.",
            "give transforms of frames [..., frames, frequencies].",
        )
    length = integer(frame_length, "inverse_stft", "frame_length")
    frames = irfft(x, [_points(length, fft_length, "inverse_stft")])
    frames = fitted(frames, (frames.ndim - 1,), (length,))
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def _points(frame_length: int, fft_length: Any, what: str) -> int:
    """The points of the transform of a frame."""
    if frame_length < 1:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{what}: frame_length must be positive, got {frame_length}.",
            "use 1 or more.",
        )
    return 1 << (frame_length - 1).bit_length() if fft_length is None else integer(fft_length, what, "fft_length")


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Window = hann_window, name: str | None = None
) -> Callable[..., Tensor]:
    """The window with which `inverse_stft` reconstructs the input of `stft`.

    Args:
      frame_step: samples from the beginning of a frame to that of the next.
      forward_window_fn: the window of `stft`.

    Returns:
      A function of a length and a `dtype` that gives a vector of weights.

    >>> tf.signal.inverse_stft_window_fn(2)(4, dtype=tf.float32).numpy()
    array([0., 1., 1., 1.], dtype=float32)
    """
    step = integer(frame_step, "inverse_stft_window_fn", "frame_step")
    if step < 1:
        raise errors.build(
            errors.InvalidArgumentError,
            f"inverse_stft_window_fn: frame_step must be positive, got {step}.",
            "use 1 or more.",
        )

    def window(frame_length: Any, dtype: Any) -> Tensor:
        length = integer(frame_length, "inverse_stft_window_fn", "frame_length")
        forward = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        squares = Reshape(fitted(forward * forward, (0,), (overlaps * step,)), shape=(overlaps, step))
        total = Tile(ReduceSum(squares, axis=(0,), keepdims=False), multiples=(overlaps,))
        return DivideNoNan(forward, fitted(total, (0,), dims(forward)))

    return window
