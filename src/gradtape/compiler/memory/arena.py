"""The memory plan of a program: the place of each value between kernels, computed once.

Values that a run makes and uses up lie in an arena, at fixed places; a place is used again when the value in it is no longer needed. A
kernel may write its result over an input that dies there, if it says so (`Lowered.shares`). Reshapes are no values of their own.
"""

from __future__ import annotations

import bisect
import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from gradtape.compiler.graph import Node, Value
from gradtape.compiler.runtime.kernels import Lowered

ALIGNMENT = 64


class Part(NamedTuple):
    """A node that runs as machine code."""

    node: Node
    lowered: Lowered


class Home(NamedTuple):
    """Where a value lies: in the arena, from a byte on, or in an array that the run is given."""

    array: int | None
    offset: int


class PieceHome(NamedTuple):
    """Where a value lies that is a piece of another one: in that, from a byte on."""

    whole: Value
    offset: int


class Layout(NamedTuple):
    """The plan.

    Attributes:
      homes: of every value that a kernel reads or writes; constants have none.
      roots: for each value that is another one in another shape, that one.
      scratch: for each part, the places of its temporaries in the arena.
      size: bytes of the arena.
    """

    homes: dict[Value, Home]
    roots: dict[Value, Value]
    scratch: list[tuple[int, ...]]
    size: int


class _Interval:
    """A piece of memory and the time, in parts, during which it is needed."""

    __slots__ = ("array", "first", "last", "offset", "size")

    def __init__(self, size: int, first: int, array: int | None = None) -> None:
        self.size, self.first, self.last, self.array, self.offset = size, first, first, array, 0


def roots(parts: Iterable[Part]) -> dict[Value, Value]:
    """For each value that is another one in another shape, that one."""
    found: dict[Value, Value] = {}
    for node, lowered in parts:
        for output, i in lowered.views:
            source = node.inputs[i]
            found[node.outputs[output]] = found.get(source, source)
    return found


def lay_out(
    parts: Sequence[Part],
    arrays: dict[Value, int],
    updated: dict[Value, Value],
    pieces: Mapping[Value, PieceHome] = MappingProxyType({}),
) -> Layout:
    """The plan for some parts, in their order.

    Args:
      parts: what runs.
      arrays: values whose memory a run is given: inputs and outputs, by their numbers.
      updated: outputs that may be written over an input, each with that input; nothing else may share their memory.
      pieces: values that are computed in the place of others (`memory/concat_aliasing.py`).
    """
    same = roots(parts)
    last = _last_uses(parts, same, pieces)
    rooms: dict[Value, _Interval] = {}
    for value, number in arrays.items():
        rooms[value] = _Interval(size_of(value), -1, number)
        rooms[value].last = len(parts)
    scratch: list[list[_Interval]] = []
    for position, (node, lowered) in enumerate(parts):
        views = {output for output, _ in lowered.views}
        for number, value in enumerate(node.outputs):
            if number in views:
                continue
            if value in pieces:
                whole = pieces[value].whole
                rooms[value] = rooms.setdefault(whole, _Interval(size_of(whole), position))
                continue
            shared = (
                None if value in updated else _share(value, number, position, Part(node, lowered), same, last, rooms)
            )
            if shared is not None and value in rooms:
                shared.array = rooms[value].array  # the input's place is the output's from the beginning
                rooms[value] = shared
            elif shared is not None:
                rooms[value] = shared
            elif value not in rooms:
                rooms[value] = _Interval(size_of(value), position)
            rooms[value].last = max(rooms[value].last, last.get(value, position))
        scratch.append([_Interval(size, position) for size in lowered.scratch])
    every = {id(room): room for room in (*rooms.values(), *[room for few in scratch for room in few])}
    size = _place([room for room in every.values() if room.array is None])
    homes = {value: Home(room.array, room.offset) for value, room in rooms.items()}
    for value, piece in pieces.items():
        homes[value] = Home(homes[value].array, homes[value].offset + piece.offset)
    return Layout(homes, same, [tuple([room.offset for room in few]) for few in scratch], size)


def size_of(value: Value) -> int:
    """The bytes of a value."""
    return math.prod(value.spec.shape) * value.spec.dtype.size


def _last_uses(parts: Sequence[Part], same: dict[Value, Value], pieces: Mapping[Value, PieceHome]) -> dict[Value, int]:
    """For each value the last part that reads it, or a piece of it."""
    last: dict[Value, int] = {}
    for position, (node, _) in enumerate(parts):
        for value in node.inputs:
            value = same.get(value, value)
            last[value] = position
            if value in pieces:
                last[pieces[value].whole] = position
    return last


def _share(
    value: Value,
    number: int,
    position: int,
    part: Part,
    same: dict[Value, Value],
    last: dict[Value, int],
    rooms: dict[Value, _Interval],
) -> _Interval | None:
    """The room of an input that dies here and that the output may be written over."""
    node, lowered = part
    for output, i in lowered.shares:
        source = same.get(node.inputs[i], node.inputs[i])
        room = rooms.get(source)
        fits = room is not None and room.array is None and room.size == size_of(value) == size_of(source)
        if output != number or room is None or not fits:
            continue
        # Nobody else has taken the room over, and no other operand of the node lies in it.
        others = [same.get(v, v) for k, v in enumerate(node.inputs) if k != i]
        if last[source] == position == room.last and all(rooms.get(v) is not room for v in others):
            return room
    return None


def _place(rooms: list[_Interval]) -> int:
    """Give every room its place, in the order in which they are needed: the smallest gap that is large enough. The bytes of all."""
    gaps: list[list[int]] = []  # beginning and end, by their beginnings
    ending: list[tuple[int, int, int]] = []  # last use, beginning, end
    top = 0
    for room in sorted(rooms, key=lambda r: (r.first, -r.size)):
        while ending and ending[0][0] < room.first:
            _, begin, end = heapq.heappop(ending)
            _release(gaps, begin, end)
        size = -(-room.size // ALIGNMENT) * ALIGNMENT
        fitting = [g for g in gaps if g[1] - g[0] >= size]
        if fitting:
            gap = min(fitting, key=lambda g: g[1] - g[0])
        elif gaps and gaps[-1][1] == top:
            gap = gaps[-1]
            top = gap[1] = gap[0] + size
        else:
            gap = [top, top + size]
            bisect.insort(gaps, gap)
            top += size
        room.offset = gap[0]
        gap[0] += size
        if gap[0] == gap[1]:
            gaps.remove(gap)
        heapq.heappush(ending, (room.last, room.offset, room.offset + size))
    return top


def _release(gaps: list[list[int]], begin: int, end: int) -> None:
    """Make a place free, joined with the gaps beside it."""
    if begin == end:
        return
    at = bisect.bisect(gaps, [begin, end])
    if at < len(gaps) and gaps[at][0] == end:
        end = gaps.pop(at)[1]
    if at and gaps[at - 1][1] == begin:
        gaps[at - 1][1] = end
    else:
        gaps.insert(at, [begin, end])
