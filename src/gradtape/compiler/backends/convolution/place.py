"""The position of a box of places while the kernel runs: a constant, or read from a table of phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.plan import Boxes
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product.code import Index


@dataclass(frozen=True)
class PlaceBox:
    """A box of places.

    Attributes:
      starts: the first example, and the first place along each axis.
      counts: how many.
      total: how many there are in all; 0 or less if there is none.
      origin: positions in the source where the first window begins, per axis.
      window: taps per axis.
      first: positions in the target of the phase's first place, per axis.
    """

    starts: Sequence[Index]
    counts: Sequence[Index]
    total: Index
    origin: Sequence[Index]
    window: Sequence[Index]
    first: Sequence[Index]

    def row(self, code: ConvolutionCode, problem: Correlation) -> Index:
        """The first place as a row of the target, if places that follow each other are neighbours there."""
        row = self.starts[0]
        for start, length in zip(self.starts[1:], problem.target, strict=True):
            row = code.add(code.mul(row, length), start)
        return row

    def targets(self, code: ConvolutionCode, problem: Correlation, step: int) -> tuple[list[int], Index]:
        """Elements of the target from one place to the next along each axis, and those before the first place, if a row of the target has
        `step` elements; rows if it is 1."""
        moves, start = [], 0
        axes = list(zip(problem.target, problem.spread, self.first, self.starts[1:], strict=True))
        for length, spread, first, place in reversed(axes):
            moves.append(step * spread)
            start = code.add(start, code.mul(code.add(first, code.mul(place, spread)), step))
            step *= length
        start = code.add(start, code.mul(self.starts[0], step))
        return [step, *moves[::-1]], start


def find(code: ConvolutionCode, problem: Correlation, boxes: Boxes, phase: Index, box: Index) -> PlaceBox:
    """The place of a box of a phase."""
    places, window, begins, first = _phase(code, problem, phase)
    *indices, part = code.split(box, (*boxes.lengths[: boxes.axis], boxes.parts))
    lengths = (problem.examples, *places)
    cut = code.mul(part, boxes.step)
    starts = [*indices, cut, *[0] * (len(lengths) - boxes.axis - 1)]
    counts: list[Index] = []
    for axis, length in enumerate(lengths):
        if axis < boxes.axis:
            # Of a phase with fewer places, none is left perhaps.
            counts.append(1 if isinstance(length, int) else code.least(1, code.most(code.sub(length, starts[axis]), 0)))
        elif axis == boxes.axis:
            least = code.least(boxes.step, code.sub(length, cut))
            counts.append(least if isinstance(length, int) else code.most(least, 0))
        else:
            counts.append(length)
    total: Index = 1
    for count in counts:
        total = code.mul(total, count)
    along = zip(starts[1:], problem.strides, begins, strict=True)
    origin = [code.add(code.mul(p, s), begin) for p, s, begin in along]
    return PlaceBox(starts, counts, total, origin, window, first)


def _phase(code: ConvolutionCode, problem: Correlation, phase: Index) -> list[Sequence[Index]]:
    """Places, taps, beginnings in the source and in the target, per axis."""
    records = [(p.places, p.window, p.starts, p.first) for p in problem.phases]
    if len(records) == 1:
        return list(records[0])
    axes = len(problem.size)
    table = code.constants("phases", [n for record in records for field in record for n in field])
    base = code.mul(phase, 4 * axes)
    return [[code.entry(table, code.add(base, field * axes + axis)) for axis in range(axes)] for field in range(4)]
