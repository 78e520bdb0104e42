"""Signals as overlapping frames: `tf.signal.frame`, `overlap_and_add`."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import integer, tensor
from gradtape.core import convert, errors
from gradtape.core.shape import normalize_axis, spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.family import dims
from gradtape.ops.framing import Frame, OverlapAndAdd
from gradtape.ops.joining import Concat
from gradtape.ops.movement import BroadcastTo, Transpose


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Signals cut into frames, which may overlap.

    Args:
      signal: a tensor of rank 1 or more.
      frame_length: samples in a frame.
      frame_step: samples from the beginning of a frame to that of the next.
      pad_end: whether frames may begin anywhere in the signal, filled up at its end; otherwise only whole frames are
        taken.
      pad_value: what they are filled up with.
      axis: the axis of the samples.

    Returns:
      A tensor with the axis replaced by two, `[frames, frame_length]`.

    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy()
    array([[1, 2, 3],
           [3, 4, 5]], dtype=int32)
    """
    x = tensor(signal)
    if not x.ndim:
        raise errors.build(
            errors.ShapeError, f"frame: signal is {spec_of(x)}, and must not be a scalar.", "give one sample at least."
        )
    length, step = integer(frame_length, "frame", "frame_length"), integer(frame_step, "frame", "frame_step")
    place = normalize_axis(integer(axis, "frame", "axis"), x.ndim, "frame")
    fill = convert.like(pad_value, x.dtype) if pad_end else None
    if fill is not None and fill.ndim:
        raise errors.build(
            errors.ShapeError, f"frame: pad_value is {spec_of(fill)}, and must be a scalar.", "give one number."
        )
    rank = x.ndim
    if place != rank - 1:
        x = Transpose(x, perm=(*[i for i in range(rank) if i != place], place))
    if pad_end and step > 0:
        x = _extended(x, length, step, fill)
    y = Frame(x, length=length, step=step)
    if place != rank - 1:
        rest = list(range(rank - 1))
        y = Transpose(y, perm=(*rest[:place], rank - 1, rank, *rest[place:]))
    return y


def _extended(x: Any, length: int, step: int, value: Any) -> Any:
    """Signals with as many samples more as the last frame needs."""
    *lead, samples = dims(x)
    missing = length + step * (-(-samples // step) - 1) - samples
    if missing <= 0 or not samples:
        return x
    fill = BroadcastTo(value, shape=(*lead, missing))
    return Concat(x, fill, axis=len(lead))


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Signals from overlapping frames, which are added at their positions.

    Args:
      signal: frames `[..., frames, frame_length]`.
      frame_step: samples from the beginning of a frame to that of the next.

    Returns:
      A tensor `[..., (frames - 1) * frame_step + frame_length]`.

    >>> tf.signal.overlap_and_add([[1, 1, 1], [1, 1, 1]], 2).numpy()
    array([1, 1, 2, 1, 1], dtype=int32)
    """
    x = tensor(signal)
    step = integer(frame_step, "overlap_and_add", "frame_step")
    frames, length = dims(x)[-2:] if x.ndim >= 2 else (0, 0)
    samples = (frames - 1) * step + length if frames else 0
    return OverlapAndAdd(x, step=step, samples=samples)
