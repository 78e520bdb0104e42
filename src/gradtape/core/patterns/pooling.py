"""Pooling as sizes."""

from __future__ import annotations

import math
from typing import NamedTuple

from gradtape.core.dtypes import DType

Sizes = tuple[int, ...]


class Pool(NamedTuple):
    """Windows over x, with a size along every axis; places outside x are not seen.

    Tap `k` of the window at place `p` meets the position `start + p * stride + k * dilation` of x. Taps are numbered in the
    order of an array of the shape of the window.

    Attributes:
      kind: what is computed. At each place, from x: its "maximum"; the "winner", the number of the first tap that sees the
        maximum; the "mean"; from x and the winners, what they "pick". At each position of x: from a cotangent and the
        winners, what they "place" there; from a cotangent, the shares of means, "share".
      dtype: of x, or of its cotangent.
      winner: the dtype of winners; None if there are none.
      size: of x.
      out: places.
      window: taps.
      starts: the position of the first tap at the first place.
      strides: per axis.
      dilations: per axis.
    """

    kind: str
    dtype: DType
    winner: DType | None
    size: Sizes
    out: Sizes
    window: Sizes
    starts: Sizes
    strides: Sizes
    dilations: Sizes

    @property
    def inputs(self) -> int:
        """How many arrays are read: x or a cotangent, and perhaps the winners."""
        return 2 if self.kind in ("pick", "place") else 1

    @property
    def is_backward(self) -> bool:
        """True if there is a result for each position of x, False if for each place."""
        return self.kind in ("place", "share")

    @property
    def moving(self) -> tuple[int, int]:
        """The axes that windows move over, and those between: the first, and one after the last. None of them: (0, 0)."""
        sizes = zip(self.window, self.strides, self.size, self.out, self.starts, strict=True)
        found = [i for i, (k, s, n, out, start) in enumerate(sizes) if (k, s, n, start) != (1, 1, out, 0)]
        return (found[0], found[-1] + 1) if found else (0, 0)

    @property
    def matrices(self) -> tuple[int, int, int]:
        """How many matrices the result consists of, and their rows and columns; the columns are the axes after those that windows move over."""
        shape, (_, end) = self.size if self.is_backward else self.out, self.moving
        return 1, math.prod(shape[:end]), math.prod(shape[end:])


class WinnerPositions(NamedTuple):
    """Where the winners are: positions, counted from the axis `first` on as if they were one axis.

    Attributes:
      pool: the windows; its kind is of no account.
      first: the first axis that counts.
      dtype: of the positions.
    """

    pool: Pool
    first: int
    dtype: DType
