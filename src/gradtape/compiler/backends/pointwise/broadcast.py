"""Rhythms: where the vectors of a flat loop read inputs that repeat."""

from __future__ import annotations

from typing import Any

from gradtape.compiler.backends.pointwise.plan import Way
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import I64, least
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.conversion import element
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.value import VectorValue
from gradtape.core import dtypes
from gradtape.core.dtypes import DType


class Rhythm:
    """Where inputs that repeat are read, from vector to vector.

    For a wrapped input `phase` is the element at which a vector begins; for a repeated one it is how often the element
    `row` has been used.
    """

    def __init__(self, cg: VectorEmitter, way: Way, origin: Any, total: Any) -> None:
        self.cg, self.builder, self.lanes, self.way = cg, cg.builder, cg.width, way
        builder, self.is_wrapped = cg.builder, way.kind == "wrapped"
        self.modulus = way.period if self.is_wrapped else way.repeat
        self.start = [builder.urem(origin, I64(self.modulus))]
        if not self.is_wrapped:
            row = builder.udiv(origin, I64(way.repeat))
            self.count = I64(way.period) if way.period else builder.udiv(total, I64(way.repeat))
            self.start.append(builder.urem(row, self.count) if way.period else row)

    def begin(self, before: Any) -> None:
        """At the head of the loop."""
        self.now = [self.builder.phi(I64) for _ in self.start]
        for phi, start in zip(self.now, self.start, strict=True):
            phi.add_incoming(start, before)

    def _wrap(self, number: Any, count: Any) -> Any:
        """A number that is less than twice the count, without the count."""
        return self.builder.select(
            self.builder.icmp_signed("<", number, count), number, self.builder.sub(number, count)
        )

    def advance(self) -> None:
        """At the end of the loop's body."""
        builder, modulus = self.builder, I64(self.modulus)
        phase = builder.add(self.now[0], I64(self.lanes % self.modulus))
        following = [self._wrap(phase, modulus)]
        if not self.is_wrapped:
            carry = builder.zext(builder.icmp_signed(">=", phase, modulus), I64)
            row = builder.add(
                builder.add(self.now[1], carry), I64(self.lanes // self.modulus % (self.way.period or 1 << 62))
            )
            following.append(self._wrap(row, self.count) if self.way.period else row)
        for phi, after in zip(self.now, following, strict=True):
            phi.add_incoming(after, builder.block)

    def loaded(self, start: Any, dtype: DType) -> VectorValue:
        """A vector of an input that begins at a pointer."""
        builder, cg, lanes = self.builder, self.cg, self.lanes
        if self.is_wrapped:
            return conversion.load(cg, element(builder, start, dtype, self.now[0]), dtype)
        phase, row = self.now
        here = conversion.load_one(cg, element(builder, start, dtype, row), dtype)
        if self.way.repeat % lanes == 0:
            return here  # vectors begin where elements do
        if self.way.repeat < lanes:
            rows = [
                self._clamp(builder.add(row, builder.udiv(builder.add(phase, I64(k)), I64(self.way.repeat))))
                for k in range(lanes)
            ]
            return conversion.load_lanes(cg, [element(builder, start, dtype, r) for r in rows], dtype)
        # After the last element nothing is used, and the first is as good as any.
        following = self._wrap(builder.add(row, I64(1)), self.count)
        there = conversion.load_one(cg, element(builder, start, dtype, following), dtype)
        narrow = ir.IntType(32)
        left = cg.broadcast(builder.trunc(builder.sub(I64(self.way.repeat), phase), narrow), dtypes.int32)
        numbers = cg.value(ir.Constant(ir.VectorType(narrow, lanes), list(range(lanes))), dtypes.int32)
        return cg.select(numbers < left, here, there)

    def _clamp(self, row: Any) -> Any:
        """The element of a row; beyond the last one nothing is used."""
        if self.way.period:
            return self.builder.urem(row, self.count)
        return least(self.builder, row, self.builder.sub(self.count, I64(1)))
