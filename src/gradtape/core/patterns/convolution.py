"""Convolutions as sizes."""

from __future__ import annotations

import math
from typing import NamedTuple

from gradtape.core.dtypes import DType

Sizes = tuple[int, ...]


class Convolve(NamedTuple):
    """A convolution or one of its transposes: x `[n, *size, c]`, w `[*window, c / groups, o]`, y `[n, *out, o]`.

    Tap `k` of the window at place `p` meets the position `start + p * stride + k * dilation` of x; outside x are zeros.

    Attributes:
      kind: what is computed: "forward" y of x and w, "input" x's cotangent of y's and w, "filter" w's of x and y's.
      dtype: of all arrays.
      examples: n.
      channels: c, of all groups.
      filters: o, of all groups.
      groups: of channels.
      size: of x, per axis.
      out: places of the window, per axis.
      window: taps, per axis.
      starts: the position of the first tap at the first place, per axis.
      strides: per axis.
      dilations: per axis.
    """

    kind: str
    dtype: DType
    examples: int
    channels: int
    filters: int
    groups: int
    size: Sizes
    out: Sizes
    window: Sizes
    starts: Sizes
    strides: Sizes
    dilations: Sizes

    @property
    def inputs(self) -> int:
        """How many arrays are read."""
        return 2

    @property
    def matrices(self) -> tuple[int, int, int]:
        """How many matrices the result consists of, and their rows and columns: places by channels."""
        if self.kind == "forward":
            return 1, self.examples * math.prod(self.out), self.filters
        return 1, self.examples * math.prod(self.size), self.channels
