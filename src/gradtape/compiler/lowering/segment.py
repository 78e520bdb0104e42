"""Segment: the launches of one native program, and what passes over launches have decided about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from gradtape.compiler.graph import Value
from gradtape.compiler.memory.arena import Layout, Part, PieceHome


class Segment(NamedTuple):
    """Launches that run as one native program.

    Attributes:
      parts: nodes with their launches, in order.
      arrays: values whose memory a run is given, inputs and outputs, by their numbers.
      kept: values that are read afterwards.
      updated: outputs that may be written over an input, each with that input.
      constants: arrays that are known.
      pieces: values that are computed in the place of others, from `alias` on.
      layout: where values lie, from `lay_out` on.
    """

    parts: Sequence[Part]
    arrays: dict[Value, int]
    kept: set[Value]
    updated: dict[Value, Value]
    constants: Mapping[Value, Any]
    pieces: Mapping[Value, PieceHome] = MappingProxyType({})
    layout: Layout | None = None

    @property
    def planned(self) -> Layout:
        """The layout, once there is one."""
        assert self.layout is not None, "lay_out comes before this"
        return self.layout
