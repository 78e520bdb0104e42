"""Random numbers from a state of three words."""

from __future__ import annotations

from typing import NamedTuple

from gradtape.core.dtypes import DType


class Draw(NamedTuple):
    """Numbers of one stream.

    Attributes:
      what: "bits", "uniform", "normal" or "integers". Of integers, inputs 1 and 2 are the bounds.
      size: how many.
      dtype: of the numbers.
      digits: random bits of a uniform number.
    """

    what: str
    size: int
    dtype: DType
    digits: int = 0


class Skip(NamedTuple):
    """The state a number of blocks later."""

    blocks: int


class Scramble(NamedTuple):
    """The state of a seed of two integers of a dtype."""

    seed: DType
