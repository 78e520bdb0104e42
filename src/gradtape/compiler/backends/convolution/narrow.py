"""Convolutions to few channels, such as images: vectors along the channels of the source, summed at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.convolution.copying import Copier, CopySource
from gradtape.compiler.backends.convolution.output import ListedRows
from gradtape.compiler.backends.convolution.place import PlaceBox, find
from gradtape.compiler.backends.convolution.plan import Boxes, Region, motion_of, useful_chunks
from gradtape.compiler.backends.convolution.problem import Correlation
from gradtape.compiler.backends.product.code import I32, I64, KERNEL, Index
from gradtape.compiler.backends.product.epilogue import EmitEpilogue
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.plan import Tile
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Machine

SOURCE, FILTER = 0, 1
# Channels of the target that are few, and sums that are in registers at once.
_FEW, _SUMS = 4, 12


@dataclass(frozen=True)
class NarrowPlan:
    """The cut of a convolution to few channels.

    Attributes:
      lanes: of a vector.
      together: places that are computed at once.
      boxes: of places.
      region: what a box sees; its channels are whole vectors.
    """

    lanes: int
    together: int
    boxes: Boxes
    region: Region


def plan_narrow(problem: Correlation, machine: Machine) -> NarrowPlan | None:
    """The cut of a convolution; None if it has not few channels."""
    lanes = machine.lanes(problem.dtype.size)
    if problem.groups != 1 or problem.width > min(_FEW, lanes // 2) or problem.depth < lanes:
        return None
    channels = -(-problem.depth // lanes) * lanes
    motion = motion_of(problem, channels)
    places = max(32, -(-problem.positions // useful_chunks(2 * problem.operations)))
    boxes, region = motion.boxes(places, channels)
    together = min(8, _SUMS // problem.width)
    return NarrowPlan(lanes, together, boxes, region) if motion.fits(boxes, channels) else None


def filter_bytes(problem: Correlation, cut: NarrowPlan) -> int:
    """Bytes of the filter as the kernel reads it: `[phases, columns, taps, channels]`."""
    taps = max(len(phase.taps) for phase in problem.phases)
    return len(problem.phases) * problem.width * taps * cut.region.channels * problem.dtype.size


def emit_filter(module: ir.Module, problem: Correlation, cut: NarrowPlan) -> tuple[ir.Function, int]:
    """A function of the table (filter, the same as the kernel reads it), and its number of chunks."""
    function = ir.Function(module, KERNEL, "narrow_filter")
    code, channels = ConvolutionCode(function), cut.region.channels
    vectors = Vectors(code, problem.dtype, cut.lanes)
    copier = Copier(vectors)
    taps = max(len(phase.taps) for phase in problem.phases)
    numbers = [n for phase in problem.phases for n in [*phase.taps, *[0] * (taps - len(phase.taps))]]
    table = code.constants("numbers", numbers or [0])
    along, across = (1, problem.depth) if problem.turned else (problem.width, 1)

    def tap(number: Index) -> None:
        phase, column, index = code.split(number, (len(problem.phases), problem.width, taps))
        which = code.entry(table, code.add(code.mul(phase, taps), index))
        offset = code.add(code.mul(which, problem.depth * problem.width), code.mul(column, across))
        source = vectors.at(code.slot(0), offset)
        into = vectors.at(code.slot(1), code.mul(number, channels))

        def channel(c: Index) -> None:
            found = code.builder.load(
                vectors.at(source, code.mul(c, along)), align=problem.dtype.size, typ=vectors.element
            )
            code.builder.store(found, vectors.at(into, c), align=problem.dtype.size)

        if along == 1:
            copier.copy(into, source, problem.depth)
        else:
            code.repeat(problem.depth, channel)
        copier.clear(vectors.at(into, problem.depth), channels - problem.depth)

    code.repeat(len(problem.phases) * problem.width * taps, tap)
    code.builder.ret_void()
    return function, 1


def emit(
    module: ir.Module, problem: Correlation, cut: NarrowPlan, epilogue: EmitEpilogue | None
) -> tuple[ir.Function, int]:
    """A function of the table (source, filter as the kernel reads it, target, ...), and its number of chunks."""
    kernel = _NarrowKernel(ir.Function(module, KERNEL, "narrow"), problem, cut, epilogue)
    kernel.emit()
    return kernel.code.function, len(problem.phases) * cut.boxes.count


class _NarrowKernel:
    """A kernel under construction."""

    def __init__(
        self, function: ir.Function, problem: Correlation, cut: NarrowPlan, epilogue: EmitEpilogue | None
    ) -> None:
        self.code, self.problem, self.cut = ConvolutionCode(function), problem, cut
        self.vectors = Vectors(self.code, problem.dtype, cut.lanes)
        self.copier = Copier(self.vectors)
        self.region = self.vectors.room(cut.region.size)
        self.places = self.code.stack(I64, cut.boxes.places + cut.together)
        self.targets = self.code.stack(I64, cut.boxes.places + cut.together)
        self.taps = max(len(phase.taps) for phase in problem.phases)
        self.output = ListedRows(self.vectors, problem, Tile(cut.together, 1, cut.lanes), self.targets, epilogue)

    def emit(self) -> None:
        """Emit the whole function."""
        code, problem, cut = self.code, self.problem, self.cut
        phase, box = code.split(code.function.args[1], (len(problem.phases), cut.boxes.count))
        place = find(code, problem, cut.boxes, phase, box)
        with code.builder.if_then(code.builder.icmp_signed(">", code.value(place.total), I64(0))):
            code.fill(self.places, place.counts, cut.region.moves(problem.strides), 0, cut.together)
            code.fill(self.targets, place.counts, *place.targets(code, problem, self.output.unit), cut.together)
            source = CopySource(code.slot(SOURCE), problem.size, problem.depth, problem.depth)
            self.copier.fill(self.region, cut.region, source, place)
            offset = code.mul(phase, problem.width * self.taps * cut.region.channels)
            weights = self.vectors.at(code.slot(FILTER), offset)
            tiles = code.div(code.add(place.total, cut.together - 1), cut.together)
            code.repeat(tiles, lambda index: self._tile(place, weights, code.mul(index, cut.together)))
        code.builder.ret_void()

    def _tile(self, place: PlaceBox, weights: Any, first: Index) -> None:
        """Some places, all columns."""
        code, problem, cut = self.code, self.problem, self.cut
        lanes, channels = cut.lanes, cut.region.channels
        offsets = [code.entry(self.places, code.add(first, i)) for i in range(cut.together)]

        def load(pointer: Any, offset: Index) -> Any:
            return self.vectors.load(pointer, offset)

        def step(_: Index, state: Sequence[Any]) -> list[Any]:
            at_a, at_b, *sums = state
            columns = [load(at_b, n * self.taps * channels) for n in range(problem.width)]
            found = []
            for i, offset in enumerate(offsets):
                seen = load(at_a, offset)
                for n, column in enumerate(columns):
                    found.append(self.vectors.fma(seen, column, sums[i * problem.width + n]))
            return [self.vectors.at(at_a, lanes), self.vectors.at(at_b, lanes), *found]

        def along(axis: int, at_a: Any, state: Sequence[Any]) -> list[Any]:
            if axis == len(axes):
                return list(code.fold(run, [at_a, *state], step)[1:])
            count, apart = axes[axis]
            return list(
                code.fold(count, state, lambda k, s: along(axis + 1, self.vectors.at(at_a, code.mul(k, apart)), s))
            )

        axes = [(k, n * d) for k, n, d in zip(place.window, cut.region.steps[1:], problem.dilations, strict=True)]
        run: Index = channels // lanes
        if problem.dilations[-1] == 1:
            run = code.mul(axes.pop()[0], run)
        sums = along(0, self.region, [weights, *[self.vectors.zero] * (cut.together * problem.width)])[1:]
        totals = [self._across(vector) for vector in sums]
        rows = [totals[i * problem.width : (i + 1) * problem.width] for i in range(cut.together)]
        self.output.write([self._vector(row) for row in rows], first, 0, problem.width)

    def _vector(self, numbers: list[Any]) -> Any:
        """Numbers as the first lanes of a vector; the others are 0."""
        vector: Any = self.vectors.zero
        for lane, number in enumerate(numbers):
            vector = self.code.builder.insert_element(vector, number, I32(lane))
        return vector

    def _across(self, vector: Any) -> Any:
        """The sum of the lanes: halves are added until one lane is left."""
        builder, nothing = self.code.builder, ir.Constant(vector.type, ir.Undefined)
        count = vector.type.count
        while count > 1:
            count //= 2
            low, high = (
                builder.shuffle_vector(
                    vector, nothing, ir.Constant(ir.VectorType(I32, count), list(range(start, start + count)))
                )
                for start in (0, count)
            )
            vector, nothing = builder.fadd(low, high), ir.Constant(low.type, ir.Undefined)
        return builder.extract_element(vector, I32(0))
