"""Loops and branches. Their blocks are graphs, the only description of the computation."""

from __future__ import annotations

from typing import Any, NamedTuple


class Repeat(NamedTuple):
    """A loop. Inputs: the limit, carried values, sliced ones, others. Outputs: the number of steps, the last carried values, stacked ones.

    Attributes:
      body: a graph of (carried, a row of each sliced value, others) that gives (carried, a row of each stacked value).
      cond: a graph of (some carried, others) that says whether there is another step; None if the limit alone counts.
      carried: how many values are carried.
      sliced: how many are sliced.
      rows: how many rows sliced and stacked values have; None if there are none.
      reverse: rows are taken from the last to the first.
    """

    body: Any
    cond: Any
    carried: int
    sliced: int
    rows: int | None
    reverse: bool


class Choose(NamedTuple):
    """A branch. Inputs: the number of the block that runs, and its parameters. Outputs: its outputs.

    Attributes:
      blocks: graphs with equal parameters and outputs; a number outside of them means the last.
    """

    blocks: tuple[Any, ...]
