"""Instructions beneath the emitter: constants, intrinsics, bits, and branches for rare lanes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import computed
from gradtape.compiler.codegen.simd.value import VectorValue, integers_of, lane_type
from gradtape.core import dtypes
from gradtape.core.dtypes import DType

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

_LONG = 5  # coefficients
_SUFFIX = {"float32": "f32", "float64": "f64"}


class Instructions:
    """A builder that knows vectors of `width` lanes.

    Instructions go to where `builder` stands. Some functions branch, after which it stands in another block, one that
    comes after the first on all ways.

    Attributes:
      module: where declarations and rarely used functions go.
      builder: the llvmlite builder.
      width: the number of lanes of every value.
      memo: results that several functions of one value share, as sin and cos their reduced angle.
    """

    def __init__(self, module: ir.Module, builder: ir.IRBuilder, width: int) -> None:
        self.module, self.builder, self.width = module, builder, width
        self.memo: dict[Hashable, Any] = {}
        self._splats: dict[tuple[str, str], ir.Constant] = {}

    def vector_type(self, dtype: DType) -> ir.VectorType:
        """The LLVM type of values of a dtype."""
        return ir.VectorType(lane_type(dtype), self.width)

    def value(self, instruction: Any, dtype: DType) -> VectorValue:
        """An LLVM value as lanes of a dtype."""
        return VectorValue(cast("VectorEmitter", self), instruction, dtype)

    def splat(self, number: Any, dtype: DType) -> VectorValue:
        """A number in all lanes, rounded to the dtype."""
        text = _literal(number, dtype)
        found = self._splats.get((dtype.name, text))
        if found is None:
            one = ir.FormattedConstant(lane_type(dtype), text)
            found = self._splats[dtype.name, text] = ir.Constant(self.vector_type(dtype), [one] * self.width)
        return self.value(found, dtype)

    def spread(self, lane: Any) -> Any:
        """One LLVM value in all lanes of an LLVM vector."""
        nothing = ir.Constant(ir.VectorType(lane.type, self.width), ir.Undefined)
        first = self.builder.insert_element(nothing, lane, ir.IntType(32)(0))
        order = ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width)
        return self.builder.shuffle_vector(first, nothing, order)

    def broadcast(self, lane: Any, dtype: DType) -> VectorValue:
        """One LLVM value, a lane of the dtype, in all lanes."""
        return self.value(self.spread(lane), dtype)

    def intrinsic(self, name: str, *values: VectorValue) -> VectorValue:
        """LLVM's intrinsic of that name on vectors of floats."""
        dtype = values[0].dtype
        vector = self.vector_type(dtype)
        full = f"llvm.{name}.v{self.width}{_SUFFIX[computed(dtype).name]}"
        function = self.module.globals.get(full)
        if function is None:
            function = ir.Function(self.module, ir.FunctionType(vector, [vector] * len(values)), full)
        return self.value(self.builder.call(function, [v.ir for v in values]), dtype)

    def fma(self, a: Any, b: Any, c: Any) -> VectorValue:
        """a * b + c with one rounding, on every machine; one of the arguments at least is a value."""
        like = next(v for v in (a, b, c) if isinstance(v, VectorValue))
        return self.intrinsic(
            "fma", *[v if isinstance(v, VectorValue) else self.splat(v, like.dtype) for v in (a, b, c)]
        )

    def polynomial(self, x: VectorValue, coefficients: Sequence[float]) -> VectorValue:
        """The sum of coefficients times rising powers of x; fused where the machine can.

        Even and odd powers of a long one are two chains, since what takes time is that each step waits for the one before.
        """
        if len(coefficients) >= _LONG:
            z = x * x
            odd, even = self.polynomial(z, coefficients[1::2]), self.polynomial(z, coefficients[::2])
            return self.intrinsic("fmuladd", x, odd, even)
        total = self.splat(coefficients[-1], x.dtype)
        for coefficient in coefficients[-2::-1]:
            total = self.intrinsic("fmuladd", total, x, self.splat(coefficient, x.dtype))
        return total

    def bits(self, x: VectorValue) -> VectorValue:
        """The bits of floats, as signed integers."""
        dtype = integers_of(x.dtype)
        return self.value(self.builder.bitcast(x.ir, self.vector_type(dtype)), dtype)

    def floats(self, bits: VectorValue) -> VectorValue:
        """Floats that have these bits."""
        dtype = {4: dtypes.float32, 8: dtypes.float64}[bits.dtype.size]
        return self.value(self.builder.bitcast(bits.ir, self.vector_type(dtype)), dtype)

    def shift_up(self, bits: VectorValue, places: int) -> VectorValue:
        """Bits moved up by a known number of places."""
        return self.value(self.builder.shl(bits.ir, self.splat(places, bits.dtype).ir), bits.dtype)

    def shift_down(self, bits: VectorValue, places: int) -> VectorValue:
        """Bits moved down by a known number of places; zeros come in."""
        return self.value(self.builder.lshr(bits.ir, self.splat(places, bits.dtype).ir), bits.dtype)

    def any(self, mask: VectorValue) -> Any:
        """An LLVM i1: whether the mask has a true lane."""
        number = ir.IntType(self.width)
        return self.builder.icmp_unsigned("!=", self.builder.bitcast(mask.ir, number), number(0))

    def rarely(
        self, mask: VectorValue, usual: Sequence[VectorValue], rare: Callable[[], Sequence[VectorValue]]
    ) -> list[VectorValue]:
        """`usual` where the mask is false, what `rare` computes where it is true, which is skipped if no lane asks."""
        builder = self.builder
        condition, before = self.any(mask), builder.block
        with builder.if_then(condition, likely=False):
            found = [builder.select(mask.ir, b.ir, a.ir) for a, b in zip(usual, rare(), strict=True)]
            after = builder.block
        results = []
        for a, b in zip(usual, found, strict=True):
            phi = builder.phi(a.ir.type)
            phi.add_incoming(a.ir, before)
            phi.add_incoming(b, after)
            results.append(self.value(phi, a.dtype))
        return results

    def repeat(
        self,
        state: Sequence[VectorValue],
        going: Callable[..., VectorValue],
        step: Callable[..., Sequence[VectorValue]],
    ) -> list[VectorValue]:
        """The state after as many steps as it takes until `going(*state)` is false in all lanes.

        A step is given the state and must leave lanes that have arrived as they are.
        """
        builder = self.builder
        before = builder.block
        head, body, done = (builder.append_basic_block(name) for name in ("head", "body", "done"))
        builder.branch(head)
        builder.position_at_end(head)
        phis = [builder.phi(v.ir.type) for v in state]
        current = [self.value(phi, v.dtype) for phi, v in zip(phis, state, strict=True)]
        builder.cbranch(self.any(going(*current)), body, done)
        builder.position_at_end(body)
        after = step(*current)
        for phi, first, next_ in zip(phis, state, after, strict=True):
            phi.add_incoming(first.ir, before)
            phi.add_incoming(next_.ir, builder.block)
        builder.branch(head)
        builder.position_at_end(done)
        return current


def _literal(number: Any, dtype: DType) -> str:
    """LLVM's text of a number in a dtype."""
    with np.errstate(all="ignore"):
        rounded = np.asarray(number).astype(dtype.numpy)[()]
    if dtype.is_floating:
        return f"0x{struct.pack('>d', float(rounded)).hex().upper()}"
    if dtype.is_bool:
        return "true" if rounded else "false"
    return str(int(rounded.astype(integers_of(dtype).numpy)))
