"""Values: vectors of lanes with a gradtape dtype, and arithmetic on them by operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradtape.compiler.codegen import ir
from gradtape.core import dtypes
from gradtape.core.dtypes import DType

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

_LANES: dict[str, ir.Type] = {
    "float16": ir.FloatType(), "bfloat16": ir.FloatType(), "float32": ir.FloatType(), "float64": ir.DoubleType(),
    "bool": ir.IntType(1),
}  # fmt: skip
_MEMORY: dict[str, ir.Type] = {"float16": ir.HalfType(), "bfloat16": ir.IntType(16), "bool": ir.IntType(8)}
_SIGNED = {1: dtypes.int8, 2: dtypes.int16, 4: dtypes.int32, 8: dtypes.int64}


def lane_type(dtype: DType) -> ir.Type:
    """The LLVM type of one lane: float for the narrow floats, i1 for bool."""
    return _LANES.get(dtype.name) or ir.IntType(8 * dtype.size)


def memory_type(dtype: DType) -> ir.Type:
    """The LLVM type of one element in memory."""
    return _MEMORY.get(dtype.name) or lane_type(dtype)


def integers_of(dtype: DType) -> DType:
    """The signed integers that are as wide as a dtype."""
    return _SIGNED[dtype.size]


class VectorValue:
    """A vector in registers.

    Operators emit the emitter's instructions; a Python number beside a value becomes a constant of its dtype.

    Attributes:
      cg: the emitter that made it.
      ir: the LLVM value, a vector with one lane for each element.
      dtype: what the lanes mean.
    """

    __slots__ = ("cg", "dtype", "ir")

    def __init__(self, cg: VectorEmitter, value: Any, dtype: DType) -> None:
        self.cg, self.ir, self.dtype = cg, value, dtype

    def __repr__(self) -> str:
        return f"<value {self.dtype.name} x {self.cg.width}>"

    def _other(self, other: Any) -> VectorValue:
        return other if isinstance(other, VectorValue) else self.cg.constant(other, self)

    def __add__(self, other: Any) -> VectorValue:
        return self.cg.add(self, self._other(other))

    def __radd__(self, other: Any) -> VectorValue:
        return self.cg.add(self._other(other), self)

    def __sub__(self, other: Any) -> VectorValue:
        return self.cg.sub(self, self._other(other))

    def __rsub__(self, other: Any) -> VectorValue:
        return self.cg.sub(self._other(other), self)

    def __mul__(self, other: Any) -> VectorValue:
        return self.cg.mul(self, self._other(other))

    def __rmul__(self, other: Any) -> VectorValue:
        return self.cg.mul(self._other(other), self)

    def __truediv__(self, other: Any) -> VectorValue:
        return self.cg.div(self, self._other(other))

    def __rtruediv__(self, other: Any) -> VectorValue:
        return self.cg.div(self._other(other), self)

    def __neg__(self) -> VectorValue:
        return self.cg.neg(self)

    def __abs__(self) -> VectorValue:
        return self.cg.abs(self)

    def __and__(self, other: Any) -> VectorValue:
        return self.cg.bit_and(self, self._other(other))

    def __or__(self, other: Any) -> VectorValue:
        return self.cg.bit_or(self, self._other(other))

    def __xor__(self, other: Any) -> VectorValue:
        return self.cg.bit_xor(self, self._other(other))

    def __invert__(self) -> VectorValue:
        return self.cg.bit_not(self)

    def __lt__(self, other: Any) -> VectorValue:
        return self.cg.lt(self, self._other(other))

    def __le__(self, other: Any) -> VectorValue:
        return self.cg.le(self, self._other(other))

    def __gt__(self, other: Any) -> VectorValue:
        return self.cg.gt(self, self._other(other))

    def __ge__(self, other: Any) -> VectorValue:
        return self.cg.ge(self, self._other(other))

    def equals(self, other: Any) -> VectorValue:
        """A mask of the lanes that are equal; `==` is kept for the identity of values."""
        return self.cg.eq(self, self._other(other))
