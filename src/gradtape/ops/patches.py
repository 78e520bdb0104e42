"""Patches of images: a movement, whose gradient sums overlapping patches at each pixel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape.core import errors
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.movement import Reshape
from gradtape.ops.slicing import blank
from gradtape.ops.summation import wide


class Windows(NamedTuple):
    """How patches lie on an image, each entry for (rows, columns): a hashable parameter of the ops.

    Attributes:
      sizes: how many pixels a patch has.
      strides: how far neighbouring patches are apart.
      rates: how far neighbouring pixels of a patch are apart.
      padding: "SAME" or "VALID".
    """

    sizes: tuple[int, int]
    strides: tuple[int, int]
    rates: tuple[int, int]
    padding: str

    def extents(self) -> tuple[int, int]:
        """The length of image that a patch spans."""
        rows, columns = ((k - 1) * r + 1 for k, r in zip(self.sizes, self.rates, strict=True))
        return rows, columns

    def counts(self, height: int, width: int) -> tuple[int, int]:
        """How many patches there are."""
        if self.padding == "SAME":
            return -(-height // self.strides[0]), -(-width // self.strides[1])
        rows, columns = self.extents()
        return max(0, (height - rows) // self.strides[0] + 1), max(0, (width - columns) // self.strides[1] + 1)

    def paddings(self, height: int, width: int) -> tuple[tuple[int, int], ...]:
        """The zeros before and after the image's axes, of which there are four; the odd one comes after."""
        if self.padding == "VALID":
            return ((0, 0),) * 4
        sides = []
        for n, count, stride, extent in zip(
            (height, width), self.counts(height, width), self.strides, self.extents(), strict=True
        ):
            total = max((count - 1) * stride + extent - n, 0)
            sides.append((total // 2, total - total // 2))
        return ((0, 0), *sides, (0, 0))


class Patching(Op):
    """An op between images `[batch, height, width, channels]` and patches `[batch, rows, columns, pixels * channels]`."""

    kinds = "fVciub"
    lower = NO_LOWERING

    def flattened(self, x: Any, **params: Any) -> Any:
        """The op on the examples of a batch of batches."""
        size, batch, *rest = dims(x)
        y = self(Reshape(x, shape=(size * batch, *rest)), **params)
        return Reshape(y, shape=(size, batch, *dims(y)[1:]))


@declare("extract_patches")
class ExtractPatches(Patching):
    """The patches of images."""

    def infer(self, x: Spec, *, windows: Windows) -> Spec:
        self.check_dtypes(x)
        if x.rank != 4:
            raise self.error(
                errors.ShapeError,
                f"images is {x}, and must have rank 4.",
                "give [batch, height, width, channels]; one image is images[tf.newaxis].",
            )
        rows, columns = windows.counts(*x.shape[1:3])
        return Spec((x.shape[0], rows, columns, windows.sizes[0] * windows.sizes[1] * x.shape[3]), x.dtype)

    def kernel(self, x: Any, *, windows: Windows) -> Any:
        batch, height, width, channels = x.shape
        rows, columns = windows.counts(height, width)
        shape = (batch, rows, columns, windows.sizes[0] * windows.sizes[1] * channels)
        if not rows * columns * x.size:
            return np.zeros_like(x, shape=shape)
        sides = windows.paddings(height, width)
        padded = np.pad(x, sides) if any(map(any, sides)) else x
        (sy, sx), (ry, rx) = windows.strides, windows.rates
        view = np.lib.stride_tricks.sliding_window_view(padded, windows.extents(), (1, 2))
        return np.reshape(np.transpose(view[:, ::sy, ::sx, :, ::ry, ::rx], (0, 1, 2, 4, 5, 3)), shape)

    def vjp(self, dy: Any, x_shape: Any, *, windows: Windows) -> Any:
        return (JoinPatches(dy, windows=windows, shape=tuple(x_shape[1:3])),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, windows: Windows) -> Any:
        return self.flattened(x, windows=windows)


@declare("join_patches")
class JoinPatches(Patching):
    """Images of a shape `(height, width)`, each pixel the sum over the patches that it is in."""

    kinds = "fVciu"
    validate = True

    def infer(self, patches: Spec, *, windows: Windows, shape: tuple[int, int]) -> Spec:
        self.check_dtypes(patches)
        pixels = windows.sizes[0] * windows.sizes[1]
        if patches.rank != 4 or patches.shape[1:3] != windows.counts(*shape) or patches.shape[3] % pixels:
            raise self.error(
                errors.ShapeError,
                f"patches is {patches}, but an image of {list(shape)} has {list(windows.counts(*shape))} patches of "
                f"{pixels} pixels.",
                "the cotangent of patches has the shape of the patches.",
            )
        return Spec((patches.shape[0], *shape, patches.shape[3] // pixels), patches.dtype)

    def kernel(self, patches: Any, *, windows: Windows, shape: tuple[int, int]) -> Any:
        batch, rows, columns, depth = patches.shape
        (ky, kx), (sy, sx), (ry, rx) = windows.sizes, windows.strides, windows.rates
        channels = depth // (ky * kx)
        pixels = np.reshape(wide(patches), (batch, rows, columns, ky, kx, channels))
        sides = windows.paddings(*shape)
        height, width = (sum(side) + n for side, n in zip(sides[1:3], shape, strict=True))
        result = blank(pixels, (batch, height, width, channels))
        for i in range(ky * bool(patches.size)):
            for j in range(kx):
                key = (
                    slice(None),
                    slice(i * ry, i * ry + (rows - 1) * sy + 1, sy),
                    slice(j * rx, j * rx + (columns - 1) * sx + 1, sx),
                )
                result[key] = result[key] + pixels[:, :, :, i, j]
        top, left = sides[1][0], sides[2][0]
        return result[:, top : top + shape[0], left : left + shape[1]].astype(patches.dtype, copy=False)

    def vjp(self, dy: Any, *, windows: Windows, shape: tuple[int, int]) -> Any:
        return (ExtractPatches(dy, windows=windows),)

    def batch(self, batched: tuple[bool, ...], patches: Any, *, windows: Windows, shape: tuple[int, int]) -> Any:
        return self.flattened(patches, windows=windows, shape=shape)
