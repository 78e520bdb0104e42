"""Reductions and scans: many elements along some axes made one, or each joined with those before it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gradtape.core.dtypes import DType


class Reduce(NamedTuple):
    """Axes made one.

    Attributes:
      join: how two elements are joined: sum, prod, maximum, minimum, any, all; or mean, which is a sum that is divided.
      sizes: the shape, with neighbouring axes made one where all of them are reduced, or all kept; unit axes are left out.
      reduced: for each of them, whether it is reduced.
      dtype: of the elements.
    """

    join: str
    sizes: tuple[int, ...]
    reduced: tuple[bool, ...]
    dtype: DType


class Extreme(NamedTuple):
    """The position of the first extreme element along an axis; every number is more extreme than NaN.

    Attributes:
      join: maximum or minimum.
      sizes: of the axes before, of the axis, and of those after it.
      dtype: of the elements.
      output: of the positions.
    """

    join: str
    sizes: tuple[int, int, int]
    dtype: DType
    output: DType


class Scan(NamedTuple):
    """Each element along an axis joined with all before it.

    Attributes:
      join: sum or prod.
      sizes: of the axes before, of the axis, and of those after it.
      dtype: of the elements.
      exclusive: True if the element itself does not count.
      reverse: True if it begins at the end of the axis.
    """

    join: str
    sizes: tuple[int, int, int]
    dtype: DType
    exclusive: bool
    reverse: bool


def reduce(join: str, shape: Sequence[int], axis: Sequence[int], dtype: DType) -> Reduce | None:
    """The reduction of axes of a shape; None if there are no elements."""
    if not math.prod(shape):
        return None
    sizes: list[int] = []
    flags: list[bool] = []
    for i, n in enumerate(shape):
        if n == 1:
            continue
        if flags and flags[-1] == (i in axis):
            sizes[-1] *= n
        else:
            sizes.append(n)
            flags.append(i in axis)
    return Reduce(join, tuple(sizes), tuple(flags), dtype)


def around(shape: Sequence[int], axis: int) -> tuple[int, int, int]:
    """The sizes before, of and after an axis."""
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
