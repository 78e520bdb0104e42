"""Windows as rows of a matrix, block by block, which turns a convolution into matrix products."""

from __future__ import annotations

import math
import operator
from typing import Any

from numpy.lib.stride_tricks import as_strided

from gradtape.ops.windows import Block, Scan
from gradtape.ops.workspace import Scratch


class Patches:
    """Parts of `x` of shape `[n, *size, channels]` that the windows of a block cover, with zeros outside x.

    The memory is used again for the next block.
    """

    def __init__(self, x: Any) -> None:
        self.x, self.scratch = x, Scratch(x.dtype)

    def at(self, block: Block) -> Any:
        """The part for a block; its channels are neighbours in memory."""
        x = self.x
        if block.inside and (x.strides[-1] == x.itemsize or x.shape[-1] == 1):
            return x[block.source]
        part = self.scratch.take((*block.shape, x.shape[-1]))
        if not block.inside:
            part.fill(0)
        if block.source is not None:
            part[block.target] = x[block.source]
        return part


class Columns:
    """Rows of a matrix, one for each place, that hold what the window sees there: its taps, and their channels.

    Args:
      x: `[n, *size, channels]`.
      scan: the way of the window.
    """

    def __init__(self, x: Any, scan: Scan) -> None:
        self.patches, self.scan, self.scratch = Patches(x), scan, Scratch(x.dtype)
        self.width = math.prod(scan.window) * x.shape[-1]

    def at(self, block: Block, memory: Any = None) -> Any:
        """The rows for a block: `[rows, taps * channels]`; in memory of that shape, or in a scratch."""
        if memory is None:
            memory = self.scratch.take((block.rows, self.width))
        part = self.patches.at(block)
        first, *steps, last = part.strides
        moves = map(operator.mul, steps, self.scan.strides)
        taps = map(operator.mul, steps, self.scan.dilations)
        shape = (*block.places, *self.scan.window, part.shape[-1])
        memory.reshape(shape)[...] = as_strided(part, shape, (first, *moves, *taps, last))
        return memory

    def alone(self, block: Block) -> Any:
        """The rows for a block without a copy, if the window is a point and x lies in memory as they do; else None."""
        if not self.scan.is_pointwise:
            return None
        part = self.patches.at(block)
        return part.reshape(-1, self.width) if part.flags.c_contiguous else None
