"""Signals cut into frames that may overlap, and frames added to signals; each is the transpose of the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import Op, declare
from gradtape.core.patterns.movement import Copy, View, packed, seen
from gradtape.core.shape import Spec
from gradtape.ops.family import NO_LOWERING
from gradtape.ops.reduction import wide


class Framing(Op):
    """Frames that begin every `step` elements along the last axis."""

    kinds = "fVciu"
    validate = True
    lower: Any = NO_LOWERING

    def check_positive(self, **values: int) -> None:
        """Raises unless lengths are positive."""
        for name, value in values.items():
            if value < 1:
                raise self.error(
                    errors.InvalidArgumentError, f"{name} must be positive, got {value}.", "use 1 or more."
                )


@declare("frame")
class Frame(Framing):
    """All whole frames of x [..., samples], as [..., frames, length]."""

    def infer(self, x: Spec, *, length: int, step: int) -> Spec:
        dtype = self.check_dtypes(x)
        self.check_positive(length=length, step=step)
        if not x.rank:
            raise self.error(errors.ShapeError, f"x is {x}, and must not be a scalar.", "give signals [..., samples].")
        return Spec((*x.shape[:-1], count(x.shape[-1], length, step), length), dtype)

    def kernel(self, x: Any, *, length: int, step: int) -> Any:
        if x.shape[-1] < length:
            return np.zeros_like(x, shape=(*x.shape[:-1], 0, length))
        return np.lib.stride_tricks.sliding_window_view(x, length, -1)[..., ::step, :]

    def vjp(self, dy: Any, x_shape: Any, *, length: int, step: int) -> Any:
        return (OverlapAndAdd(dy, step=step, samples=x_shape[-1]),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, length: int, step: int) -> Any:
        return self(x, length=length, step=step)

    def lower(self, x: Spec, *, length: int, step: int) -> Copy:
        shape = (*x.shape[:-1], count(x.shape[-1], length, step), length)
        return seen(View(shape, (*packed(x.shape)[:-1], step, 1)))


@declare("overlap_and_add")
class OverlapAndAdd(Framing):
    """The sum of frames [..., frames, length], each moved to its place in [..., samples]."""

    def infer(self, x: Spec, *, step: int, samples: int) -> Spec:
        dtype = self.check_dtypes(x)
        self.check_positive(step=step)
        if x.rank < 2:
            raise self.error(errors.ShapeError, f"x is {x}, and needs rank 2 or more.", "give frames [..., n, length].")
        frames, length = x.shape[-2:]
        if frames != count(samples, length, step):
            raise self.error(
                errors.ShapeError,
                f"x is {x}, but {samples} samples have {count(samples, length, step)} frames of length {length} "
                f"with step {step}.",
                "give as many frames.",
            )
        return Spec((*x.shape[:-2], samples), dtype)

    def kernel(self, x: Any, *, step: int, samples: int) -> Any:
        own, x = x.dtype, wide(x)
        *lead, frames, length = x.shape
        pieces = -(-length // step)
        y = np.zeros_like(x, shape=(*lead, max(frames + pieces - 1, 0), step))
        for i in range(pieces if frames else 0):
            # Piece i of all frames at once: one addition per overlap instead of one per frame.
            piece = x[..., i * step : (i + 1) * step]
            y[..., i : i + frames, : piece.shape[-1]] += piece
        y = np.reshape(y, (*lead, y.shape[-2] * step))
        if y.shape[-1] < samples:
            rest = np.zeros_like(y, shape=(*lead, samples - y.shape[-1]))
            y = np.concatenate([y, rest], -1)
        y = y[..., :samples]
        return y if y.dtype == own else y.astype(own)

    def vjp(self, dy: Any, x_shape: Any, *, step: int, samples: int) -> Any:
        return (Frame(dy, length=x_shape[-1], step=step),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, step: int, samples: int) -> Any:
        return self(x, step=step, samples=samples)


def count(samples: int, length: int, step: int) -> int:
    """The number of whole frames."""
    return max(0, 1 + (samples - length) // step)
