"""Windows as rows of a matrix, block by block: what turns a convolution into products of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gradtape.core import large
from gradtape.ops.windows import Box, Scan


def room(shape: tuple[int, ...], dtype: Any) -> Any:
    """An uninitialised array, in recycled memory if it is large."""
    return large.empty(shape, dtype) if math.prod(shape) >= large.THRESHOLD else np.empty(shape, dtype)


class Patches:
    """Parts of `x` of shape `[n, *size, channels]` that the windows at a box of places cover, with zeros outside x.

    The memory is used again for the next box.
    """

    def __init__(self, x: Any, scan: Scan) -> None:
        self.x, self.scan = x, scan
        self.size = x.shape[1:-1]
        self.memory: Any = None

    def at(self, box: Box) -> Any:
        """The part for a box of examples and places; its channels are neighbours in memory."""
        x, covered = self.x, self.scan.covered(box[1:])
        inside = all(c.start >= 0 and c.stop <= n for c, n in zip(covered, self.size, strict=True))
        if inside and (x.strides[-1] == x.itemsize or x.shape[-1] == 1):
            return x[(box[0], *covered)]
        shape = (box[0].stop - box[0].start, *[c.stop - c.start for c in covered], x.shape[-1])
        if self.memory is None or self.memory.size < math.prod(shape):
            self.memory = room((math.prod(shape),), x.dtype)
        part = self.memory[: math.prod(shape)].reshape(shape)
        if not inside:
            part.fill(0)
        source, target = [], []
        for c, n in zip(covered, self.size, strict=True):
            low, high = max(c.start, 0), min(c.stop, n)
            if high <= low:
                return part
            source.append(slice(low, high))
            target.append(slice(low - c.start, high - c.start))
        part[(slice(None), *target)] = x[(box[0], *source)]
        return part


class Columns:
    """Rows of a matrix, one for each place, that hold what the window sees there: its taps, and their channels.

    Args:
      x: `[n, *size, channels]`.
      scan: the way of the window.
    """

    def __init__(self, x: Any, scan: Scan) -> None:
        self.patches, self.scan = Patches(x, scan), scan
        self.width = math.prod(scan.window) * x.shape[-1]

    def at(self, box: Box, memory: Any) -> Any:
        """The rows for a box of examples and places: `[rows, taps * channels]`, in flat memory that is large enough."""
        part = self.patches.at(box)
        places = tuple([s.stop - s.start for s in box])
        first, *steps, last = part.strides
        moves = [step * s for step, s in zip(steps, self.scan.strides, strict=True)]
        taps = [step * d for step, d in zip(steps, self.scan.dilations, strict=True)]
        shape = (*places, *self.scan.window, part.shape[-1])
        rows = math.prod(places)
        columns = memory[: rows * self.width]
        columns.reshape(shape)[...] = as_strided(part, shape, (first, *moves, *taps, last))
        return columns.reshape(rows, self.width)

    def alone(self, box: Box) -> Any:
        """The rows for a box without a copy, if the window is a point and x lies in memory as they do; else None."""
        if not self.scan.is_pointwise:
            return None
        part = self.patches.at(box)
        return part.reshape(-1, self.width) if part.flags.c_contiguous else None
