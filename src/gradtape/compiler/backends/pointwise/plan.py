"""How a loop runs: by which vectors, in which chunks, and how each input is read.

A **flat** loop counts elements. Its inputs have one element for each, one for all, or some that repeat in a simple
rhythm, as a bias that is added to short rows: element i of the loop reads element `i // repeat % period` of the input.
Rows of any length then fill whole vectors. Other loops go **by rows** along the last axis, with any strides.

The outermost length is no part of a plan, so that loops which differ in nothing else share their machine code.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gradtape.compiler.bodies.costs import FUNCTIONS, methods_of
from gradtape.compiler.bodies.loop import Loop, Strides
from gradtape.compiler.codegen.emission import CHUNK
from gradtape.compiler.codegen.simd.machine import default_width
from gradtape.core.patterns.movement import packed

ANY = 0  # stands for the outermost length
# Rows of so many vectors and more run as rows: what is left over at their ends, if there is something, costs little.
_LONG, _LONG_WITH_REST = 8, 32
# Shorter ones do where so many inputs repeat: a row takes up each of them once, where a flat loop counts for every vector.
_MANY, _LONG_WITH_MANY = 4, 4
# Elements of inputs that repeat which are laid out on the stack, so that vectors go over their end.
_MOST_WRAPPED = 1 << 12

_FINEST = 4  # chunks of loops with many functions are so many times halved


class Way(NamedTuple):
    """How an input is read.

    Attributes:
      kind: "one" element for all; "whole", as many as the loop has; "wrapped", `period` elements again and again;
        "repeated", each element `repeat` times, and from the beginning after `period` of them; or, by rows, "row", with
        the stride along them.
      repeat, period, stride: as the kind needs them; a period of 0 means that the input does not begin again.
    """

    kind: str
    repeat: int = 1
    period: int = 0
    stride: int = 0


class LoopPlan(NamedTuple):
    """Everything that the machine code of a loop depends on.

    Attributes:
      loop: what is computed; the outermost length is `ANY`.
      lanes: elements of a vector.
      is_flat: whether it counts elements, else rows.
      ways: how each input is read.
      per_chunk: how many elements or rows a chunk has.
    """

    loop: Loop
    lanes: int
    is_flat: bool
    ways: tuple[Way, ...]
    per_chunk: int


def plan(loop: Loop) -> tuple[LoopPlan, int]:
    """The plan of a loop, and the number of the elements or rows that it counts."""
    shape, total = loop.shape, math.prod(loop.shape)
    functions = functions_of(loop)
    chunk = CHUNK >> min(_FINEST, (3 * functions).bit_length())  # a function takes as long as some steps of arithmetic
    lanes = default_width(loop.types()) << (functions > 0)
    while lanes >= 2 * total and lanes > 1:
        lanes //= 2
    if not shape:
        loop = loop._replace(shape=(1,), inputs=tuple([(dtype, (0,)) for dtype, _ in loop.inputs]))
        shape = (1,)
    ways = [_way(shape, strides) for _, strides in loop.inputs]
    flat = [way for way in ways if way is not None and way.period <= _MOST_WRAPPED]
    is_even = shape[-1] % lanes == 0 or any(way.kind == "repeated" for way in flat)
    repeating = sum([way.kind in ("repeated", "wrapped") for way in flat])
    least = _LONG if repeating < _MANY else _LONG_WITH_MANY
    is_short = len(shape) == 1 or shape[-1] < (least if is_even else _LONG_WITH_REST) * lanes
    generic = loop._replace(shape=(ANY, *shape[1:]))
    if is_short and len(flat) == len(ways) and not loop.targets:
        return LoopPlan(generic, lanes, True, tuple(flat), max(1, chunk // lanes) * lanes), total
    if functions and shape[-1] % lanes and shape[-1] < _LONG * lanes and lanes > 1:
        lanes //= 2  # less is left over at the ends of rows
    by_row = [Way("row", stride=s[-1]) if any(s) else Way("one") for _, s in loop.inputs]
    kept = generic if len(shape) > 1 else loop
    return LoopPlan(kept, lanes, False, tuple(by_row), max(1, chunk // max(1, shape[-1]))), math.prod(shape[:-1])


def functions_of(loop: Loop) -> int:
    """How many exponentials and the like a loop computes.

    They are chains in which each instruction waits for the one before. Vectors of two registers are two chains at once.
    """
    methods = methods_of(tuple([dtype for dtype, _ in loop.inputs]), loop.steps)
    return sum(method in FUNCTIONS for method in methods)


def _way(shape: tuple[int, ...], strides: Strides) -> Way | None:
    """How a flat loop reads an input; None if it cannot."""
    moving = [axis for axis, stride in enumerate(strides) if stride]
    if not moving:
        return Way("one")
    first, last = moving[0], moving[-1] + 1
    if strides[first:last] != packed(shape[first:last]):
        return None
    repeat = math.prod(shape[last:])
    period = math.prod(shape[first:last]) if first else 0
    if repeat == 1:
        return Way("wrapped", period=period) if period else Way("whole")
    return Way("repeated", repeat, period)
