"""Pooling as sizes."""

from __future__ import annotations

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
