"""Rows by number: gathers, and scatters that combine rows."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from gradtape.core.dtypes import DType


class Places(NamedTuple):
    """Which rows indices name.

    An array of rows is `[batch, outer, rows, width]`, the indices are `[batch, number, depth]`: the same for all of `outer`.

    Attributes:
      batch: entries with indices of their own.
      outer: entries that share indices.
      dims: how many rows there are along each coordinate; an index has as many numbers.
      number: indices of one batch entry.
      width: elements of a row.
      indices: their dtype.
      skips: True if negative indices are left out; else they are an error, as too large ones always are.
    """

    batch: int
    outer: int
    dims: tuple[int, ...]
    number: int
    width: int
    indices: DType
    skips: bool = False

    @property
    def rows(self) -> int:
        """How many rows one entry has."""
        return math.prod(self.dims)

    @property
    def fits(self) -> bool:
        """True if there is something to do."""
        return 0 not in (self.batch, self.outer, self.rows, self.number, self.width) and self.indices.kind in "iu"


class Take(NamedTuple):
    """`out[b, o, i] = x[b, o, index[b, i]]`; zeros for skipped rows. Inputs: x, indices.

    Attributes:
      places: the sizes.
      size: bytes of an element.
    """

    places: Places
    size: int

    @property
    def inputs(self) -> int:
        """How many arrays are read."""
        return 2

    @property
    def matrices(self) -> tuple[int, int, int]:
        """How many matrices the result consists of, and their rows and columns."""
        return 1, self.places.batch * self.places.outer * self.places.number, self.places.width


class Put(NamedTuple):
    """`out[b, o, index[b, i]] = combine(out[b, o, index[b, i]], values[b, o, i])` for i in order.

    Attributes:
      places: the sizes.
      dtype: of the elements.
      how: "add", "multiply", "max", "min" or "replace".
      start: what rows hold at first, if no array is given for that.
      inputs: which inputs are the array to start from (None if `start` counts), the indices, the values (None for zeros).
    """

    places: Places
    dtype: DType
    how: str
    start: Any
    inputs: tuple[int | None, int, int | None]
