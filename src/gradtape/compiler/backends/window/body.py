"""The computation on a window: one class for each kind of pooling.

An object stands for a group of vectors of one element of the result. Its values go through all taps: `start`, `visit` for
each tap, `finish`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.product.code import I64, Index
from gradtape.compiler.backends.product.epilogue import Finish, Spot
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.conversion import element
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.machine import computed
from gradtape.compiler.codegen.simd.value import VectorValue, integers_of
from gradtape.core import dtypes
from gradtape.core.dtypes import DType


@dataclass(frozen=True)
class Types:
    """What arrays hold.

    Attributes:
      values: the dtype of what is pooled.
      winner: that of the numbers of taps.
      result: that of the result.
    """

    values: DType
    winner: DType
    result: DType


@dataclass(frozen=True)
class VectorGroup:
    """Some vectors of one element of the result.

    Attributes:
      width: lanes of a vector.
      count: vectors.
      target: elements of the result before them.
      first: the number of the first tap that is visited.
      seen: how many positions the window sees.
      dropped: elements of axes that are not counted, before the element.
      spot: where they are in the result, a matrix of elements by what lies behind.
      finish: what is done with them there.
    """

    width: int
    count: int
    target: Index
    first: Index
    seen: Index
    dropped: Index
    spot: Spot
    finish: Finish


class WindowBody:
    """What all kinds have in common. The table has the inputs, and the result last.

    Attributes:
      operands: how many pointers the table has.
      sees_all: taps that see nothing are visited too.
      counts: `visit` wants to know how many positions the window of a visited place sees.
    """

    operands = 2
    sees_all = False
    counts = False

    def __init__(self, code: ConvolutionCode, types: Types, group: VectorGroup) -> None:
        self.code, self.types, self.group = code, types, group

    @property
    def cg(self) -> VectorEmitter:
        """A new emitter, for what is emitted now."""
        return VectorEmitter(self.code.module, self.code.builder, self.group.width)

    def load(self, slot: int, dtype: DType, offset: Index, vector: int) -> VectorValue:
        """A vector of an operand; narrow floats as float32."""
        cg, code = self.cg, self.code
        place = code.value(code.add(offset, vector * self.group.width))
        value = conversion.load(cg, element(code.builder, code.slot(slot), dtype, place), dtype)
        return cg.value(value.ir, computed(dtype))

    def save(self, vector: int, value: VectorValue) -> None:
        """What becomes of a vector of the result. Narrow floats are rounded before anything else is done with them."""
        group, dtype = self.group, self.types.result
        if group.finish.epilogue is not None:
            value = self.cg.cast(value, dtype)
        group.finish.apply(self.code, value.ir, replace(group.spot, along=vector * group.width), group.width)

    def splat(self, number: Index, dtype: DType) -> VectorValue:
        """A number in all lanes, of integers."""
        if isinstance(number, int):
            return self.cg.splat(number, dtype)
        wide = ir.IntType(8 * dtype.size)
        return self.cg.broadcast(number if wide == I64 else self.code.builder.trunc(number, wide), dtype)

    def winner(self, slot: int, offset: Index, vector: int) -> VectorValue:
        """Numbers of taps, as integers as wide as what is computed."""
        found = self.load(slot, self.types.winner, offset, vector)
        return self.cg.cast(found, _index(self.types.values))

    def all_of(self, value: VectorValue) -> list[Any]:
        """The same value for all vectors."""
        return [value.ir] * self.group.count

    def start(self) -> list[Any]:
        """The values before the first tap: zeros."""
        return self.all_of(self.cg.splat(0, computed(self.types.values)))

    def visit(self, offset: Index, tap: Index, seen: Index, state: list[Any]) -> list[Any]:
        """The values after a tap, which sees the element at an offset."""
        raise NotImplementedError

    def finish(self, state: list[Any]) -> None:
        """Write the result."""
        for v, value in enumerate(state):
            self.save(v, self.cg.value(value, computed(self.types.values)))


class Maximum(WindowBody):
    """The maximum of what the window sees; nan if that is among it."""

    def start(self) -> list[Any]:
        return self.all_of(_lowest(self.cg, self.types.values))

    def visit(self, offset: Index, tap: Index, seen: Index, state: list[Any]) -> list[Any]:
        found = []
        for v, best in enumerate(state):
            value = self.load(0, self.types.values, offset, v)
            found.append(self.cg.maximum(value, self.cg.value(best, value.dtype)).ir)
        return found


class Winner(WindowBody):
    """The number of the first tap that sees the maximum; what comes after a nan does not win."""

    def start(self) -> list[Any]:
        number = self.splat(self.group.first, _index(self.types.values))
        return [*self.all_of(_lowest(self.cg, self.types.values)), *self.all_of(number)]

    def visit(self, offset: Index, tap: Index, seen: Index, state: list[Any]) -> list[Any]:
        cg, index = self.cg, _index(self.types.values)
        number = self.splat(tap, index)
        bests, winners = [], []
        for v in range(self.group.count):
            value = self.load(0, self.types.values, offset, v)
            best, winner = cg.value(state[v], value.dtype), cg.value(state[self.group.count + v], index)
            winners.append(cg.select(cg.gt(value, best), number, winner).ir)
            bests.append(cg.maximum(value, best).ir)
        return [*bests, *winners]

    def finish(self, state: list[Any]) -> None:
        for v, winner in enumerate(state[self.group.count :]):
            value = self.cg.value(winner, _index(self.types.values))
            self.save(v, self.cg.cast(value, self.types.result))


class Mean(WindowBody):
    """The mean of what the window sees."""

    def visit(self, offset: Index, tap: Index, seen: Index, state: list[Any]) -> list[Any]:
        found = []
        for v, total in enumerate(state):
            value = self.load(0, self.types.values, offset, v)
            found.append(self.cg.add(self.cg.value(total, value.dtype), value).ir)
        return found

    def finish(self, state: list[Any]) -> None:
        dtype = computed(self.types.values)
        count = _float(self, self.group.seen, dtype)
        for v, total in enumerate(state):
            self.save(v, self.cg.div(self.cg.value(total, dtype), count))


class Pick(WindowBody):
    """What the winner sees."""

    operands = 3

    def start(self) -> list[Any]:
        self.winners = [self.winner(1, self.group.target, v) for v in range(self.group.count)]
        return super().start()

    def visit(self, offset: Index, tap: Index, seen: Index, state: list[Any]) -> list[Any]:
        number = self.splat(tap, _index(self.types.values))
        found = []
        for v, (total, winner) in enumerate(zip(state, self.winners, strict=True)):
            value = self.load(0, self.types.values, offset, v)
            found.append(self.cg.select(self.cg.eq(winner, number), value, self.cg.value(total, value.dtype)).ir)
        return found


class WinnerPlaces(WindowBody):
    """The sum of the cotangents of the windows whose winner saw the position."""

    operands = 3

    def visit(self, offset: Index, tap: Index, seen: Index, state: list[Any]) -> list[Any]:
        number = self.splat(tap, _index(self.types.values))
        found = []
        for v, total in enumerate(state):
            cg, value = self.cg, self.load(0, self.types.values, offset, v)
            is_it = cg.eq(self.winner(1, offset, v), number)
            more = cg.select(is_it, value, cg.splat(0, value.dtype))
            found.append(cg.add(cg.value(total, value.dtype), more).ir)
        return found


class Share(WindowBody):
    """The sum of the cotangents of the windows that saw the position, each divided by how many positions it saw."""

    counts = True

    def visit(self, offset: Index, tap: Index, seen: Index, state: list[Any]) -> list[Any]:
        count = _float(self, seen, computed(self.types.values))
        found = []
        for v, total in enumerate(state):
            value = self.load(0, self.types.values, offset, v)
            found.append(self.cg.add(self.cg.value(total, value.dtype), self.cg.div(value, count)).ir)
        return found


class Positions(WindowBody):
    """Where the winner is."""

    sees_all = True

    def start(self) -> list[Any]:
        self.winners = [self.cg.cast(self.load(0, self.types.winner, self.group.target, v), dtypes.int64)
                        for v in range(self.group.count)]  # fmt: skip
        return self.all_of(self.cg.splat(0, dtypes.int64))

    def visit(self, offset: Index, tap: Index, seen: Index, state: list[Any]) -> list[Any]:
        code, cg, width = self.code, self.cg, self.group.width
        number, here = self.splat(tap, dtypes.int64), code.sub(offset, self.group.dropped)
        lanes = ir.Constant(ir.VectorType(I64, width), list(range(width)))
        found = []
        for v, (total, winner) in enumerate(zip(state, self.winners, strict=True)):
            place = cg.add(self.splat(code.add(here, v * width), dtypes.int64), cg.value(lanes, dtypes.int64))
            found.append(cg.select(cg.eq(winner, number), place, cg.value(total, dtypes.int64)).ir)
        return found

    def finish(self, state: list[Any]) -> None:
        for v, value in enumerate(state):
            self.save(v, self.cg.cast(self.cg.value(value, dtypes.int64), self.types.result))


BODIES: dict[str, type[WindowBody]] = {
    "maximum": Maximum, "winner": Winner, "mean": Mean, "pick": Pick, "place": WinnerPlaces, "share": Share,
    "positions": Positions,
}  # fmt: skip


def _index(values: DType) -> DType:
    """Integers as wide as what is computed, for the numbers of taps."""
    size = max(4, computed(values).size)
    return dtypes.int32 if size == 4 else integers_of(dtypes.float64)


def _lowest(cg: VectorEmitter, dtype: DType) -> VectorValue:
    """What every other value is at least."""
    return cg.splat(float("-inf") if dtype.is_floating else dtype.min, computed(dtype))


def _float(body: WindowBody, count: Index, dtype: DType) -> VectorValue:
    """A small number as floats."""
    if isinstance(count, int):
        return body.cg.splat(count, dtype)
    return body.cg.cast(body.splat(count, dtypes.int32), dtype)
