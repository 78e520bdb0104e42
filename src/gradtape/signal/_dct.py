"""Cosine transforms: `tf.signal.dct`, `idct`, `mdct`, `inverse_mdct`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import integer, tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.dct import Dct
from gradtape.ops.family import dims
from gradtape.ops.joining import Concat
from gradtape.ops.slicing import Reverse, StridedSlice, whole
from gradtape.signal._fft import fitted
from gradtape.signal._frames import frame, overlap_and_add
from gradtape.signal._windows import vorbis_window

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def dct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The cosine transform of the last axis, as SciPy defines it.

    Args:
      input: a float32 or float64 tensor `[..., samples]`.
      type: the kind of the transform, 1 to 4.
      n: the number of samples to cut the axis to, or to fill it up to with zeros.
      axis: -1.
      norm: None, or "ortho" for an orthogonal transform, which kind 1 does not have.

    Returns:
      A tensor `[..., n]`.

    >>> tf.signal.dct([1.0, 1.0, 1.0, 1.0]).numpy()
    array([8., 0., 0., 0.], dtype=float32)
    """
    return _transformed(input, type, n, axis, norm, "dct")


def idct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse cosine transform of the last axis, up to a factor: without "ortho" the inverse of `dct` is
    `idct(y) / (2 n)`, and `idct(y) / (2 (n - 1))` for kind 1.

    Args:
      input: a float32 or float64 tensor `[..., samples]`.
      type: the kind of the transform to undo, 1 to 4.
      n: the number of samples to cut the axis to, or to fill it up to with zeros.
      axis: -1.
      norm: None, or "ortho" for an orthogonal transform, which kind 1 does not have.

    Returns:
      A tensor `[..., n]`.

    >>> tf.signal.idct([8.0, 0.0, 0.0, 0.0]).numpy()
    array([8., 8., 8., 8.], dtype=float32)
    """
    return _transformed(input, _INVERSE.get(type, type), n, axis, norm, "idct")


def _transformed(value: Any, kind: int, n: Any, axis: int, norm: str | None, what: str) -> Tensor:
    if axis != -1:
        raise errors.build(
            NotImplementedError,
            f"{what}: axis must be -1, got {axis}.",
            "only the last axis can be transformed; use tf.transpose.",
        )
    if kind not in _INVERSE or norm not in (None, "ortho") or (kind == 1 and norm):
        raise errors.build(
            errors.ConversionError,
            f"{what}: type is {kind!r}, norm is {norm!r}: these do not match.",
            'use a type from 1 to 4; norm is None or, for the types 2 to 4, "ortho".',
        )
    x = convert.convert_to_tensor(value, dtype_hint=None if hasattr(value, "dtype") else dtypes.float32)
    if not x.ndim:
        raise errors.build(
            errors.ShapeError, f"{what}: input is {spec_of(x)}, and must not be a scalar.", "give [..., samples]."
        )
    if n is not None:
        samples = integer(n, what, "n")
        if samples < 1:
            raise errors.build(errors.ConversionError, f"{what}: n must be positive, got {samples}.", "use 1 or more.")
        x = fitted(x, (x.ndim - 1,), (samples,))
    return Dct(x, kind=kind, ortho=norm == "ortho", transposed=False)


def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified cosine transform: of frames that overlap by half, with half as many coefficients as samples.

    Args:
      signals: real signals `[..., samples]`.
      frame_length: samples in a frame, a multiple of 4.
      window_fn: a function of a length and a `dtype` that gives the weights of the samples in a frame; None stands for
        the constant weight 1 / sqrt(2).
      pad_end: whether frames may begin anywhere in the signal, filled up with zeros at its end.
      norm: None, or "ortho" for an orthogonal transform.

    Returns:
      A tensor `[..., frames, frame_length // 2]`.

    >>> tf.signal.mdct(tf.ones([40]), frame_length=8).shape
    TensorShape([9, 4])
    """
    x = tensor(signals)
    length = integer(frame_length, "mdct", "frame_length")
    if length < 4 or length % 4:
        raise errors.build(
            errors.ConversionError,
            f"mdct: frame_length must be a multiple of 4, got {length}.",
            "round the length up.",
        )
    frames = _weighted(frame(x, length, length // 2, pad_end=pad_end), window_fn, length)
    a, b, c, d = _parts(frames, 4)
    folded = Concat(-_mirrored(c) - d, a - _mirrored(b), axis=a.ndim - 1)
    return dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `mdct`: signals from coefficients, without the first and the last half frame.

    Args:
      mdcts: coefficients `[..., frames, frame_length // 2]`.
      window_fn: the window of `mdct`. The signal comes back exactly if the squares of weights that lie half a frame
        apart add up to 1.
      norm: the norm of `mdct`.

    Returns:
      A tensor `[..., (frames + 1) * frame_length // 2]`.

    >>> tf.signal.inverse_mdct(tf.signal.mdct(tf.ones([16]), 8))[4:8].numpy().round(4)
    array([1., 1., 1., 1.], dtype=float32)
    """
    x = tensor(mdcts)
    if x.ndim < 2 or dims(x)[-1] % 2:
        raise errors.build(
            errors.ShapeError,
            f"inverse_mdct: mdcts is {spec_of(x)}, and must be [..., frames, half] with an even half.",
            "give what tf.signal.mdct returns.",
        )
    half = dims(x)[-1]
    y = dct(x, type=4, norm=norm)
    if norm is None:
        y = y * (0.5 / half)
    a, b = _parts(y, 2)
    frames = Concat(b, -_mirrored(b), -_mirrored(a), -a, axis=x.ndim - 1)
    return overlap_and_add(_weighted(frames, window_fn, 2 * half), half)


def _weighted(frames: Any, window_fn: Callable[..., Any] | None, length: int) -> Any:
    return frames * (math.sqrt(0.5) if window_fn is None else window_fn(length, dtype=frames.dtype))


def _parts(x: Any, count: int) -> list[Any]:
    """The last axis in equal parts."""
    *lead, n = dims(x)
    size = n // count
    return [StridedSlice(x, index=(*whole(tuple(lead)), (i * size, (i + 1) * size, 1))) for i in range(count)]


def _mirrored(x: Any) -> Any:
    return Reverse(x, axis=(x.ndim - 1,))
