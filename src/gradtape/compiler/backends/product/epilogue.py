"""The epilogue: computation on a product before it is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import I8, I64, POINTER, VOID, Index, ProductCode
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.problem import Gemm
from gradtape.compiler.bodies.epilogue import Epilogue, Groups
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.value import VectorValue
from gradtape.core.dtypes import DType, as_dtype

# emit(cg, value, at): writes what becomes of a vector of the product, which has its place in the result.
EmitEpilogue = Callable[[VectorEmitter, VectorValue, "VectorPlace"], None]
# Elements from one product of a batch to the next, from one row to the next, and from one column to the next.
Steps = tuple[Index | Groups, Index | Groups, Index]


def emit_of(epilogue: Epilogue | None, first: int) -> EmitEpilogue | None:
    """What a kernel calls for an epilogue whose first result has a slot of the table; None for none."""
    return None if epilogue is None else lambda cg, value, at: epilogue.emit(cg, value, at, first)


FINISH = ir.FunctionType(VOID, [I64, POINTER, I64, I64, I64, I64, I64])
FINISH_LISTED = ir.FunctionType(VOID, [I64, POINTER, I64, POINTER, I64, I64, I64])
# Instructions of a short epilogue, those for addresses counted too.
_SHORT = 24


@dataclass(frozen=True)
class Frame:
    """What all places of a result have in common.

    Attributes:
      dtype: of the product.
      slot: where the table of pointers has c.
      sizes: rows and columns of c.
      steps: elements from one product of a batch to the next, and from one row of c to the next.
      tail: how many elements a row has beyond whole vectors.
      flipped: the product was transposed, so that rows are columns to the epilogue.
    """

    dtype: DType
    slot: int
    sizes: tuple[Index, Index]
    steps: tuple[Index, Index]
    tail: int
    flipped: bool = False

    @staticmethod
    def of(gemm: Gemm, lanes: int, flipped: bool = False) -> Frame:
        """The frame of a product of known sizes."""
        steps = (gemm.batch.stride_c, gemm.ldc)
        return Frame(gemm.dtype, gemm.slots[2], (gemm.m, gemm.n), steps, gemm.n % lanes, flipped)


@dataclass(frozen=True)
class Spot:
    """A place in a result.

    Attributes:
      item: the number of the product in the batch.
      row: a row of c.
      column: a column of c.
      down: rows from there, known when the code is emitted.
      along: columns from there.
      starts: addresses that belong to row and column, for all spots that are reached from there.
    """

    item: Index
    row: Index
    column: Index
    down: int = 0
    along: int = 0
    starts: dict[Any, Any] = field(default_factory=dict)


class VectorPlace:
    """Where in the result a vector lies, to find what other operands have there.

    Attributes:
      valid: how many of the lanes lie in the result; what the others hold is of no account.
    """

    def __init__(self, code: ProductCode, cg: VectorEmitter, frame: Frame, spot: Spot, valid: int) -> None:
        self._code, self._cg, self._frame, self._spot = code, cg, frame, spot
        self._vectors = Vectors(code, frame.dtype, cg.width)
        self.valid = valid

    def store(self, slot: int, value: VectorValue) -> None:
        """Write a vector to this place of an array that the result fills."""
        self.write(slot, value, self._steps(slot))

    def read(self, slot: int, dtype: Any, steps: Steps) -> VectorValue:
        """The elements of another operand that belong to this place, by how far apart they are."""
        dtype = as_dtype(dtype)
        pointer = self._address(slot, dtype, steps)
        along = self._own(steps)[2]
        if isinstance(along, int) and along == 0:
            return conversion.load_one(self._cg, pointer, dtype)
        if self.valid == self._cg.width:
            return conversion.load(self._cg, pointer, dtype)
        if dtype is self._frame.dtype:
            return self._cg.value(self._vectors.load(pointer, 0, self.valid), dtype)
        stage = self._stage()
        memory.copy(self._code, pointer, stage, self.valid * dtype.size)
        return conversion.load(self._cg, stage, dtype)

    def write(self, slot: int, value: VectorValue, steps: Steps) -> None:
        """Write a vector to this place, by how far apart elements are."""
        pointer = self._address(slot, value.dtype, steps)
        if self.valid == self._cg.width:
            conversion.store(self._cg, value, pointer)
        elif value.dtype is self._frame.dtype:
            self._vectors.store(value.ir, pointer, 0, self.valid)
        else:
            stage = self._stage()
            conversion.store(self._cg, value, stage)
            memory.copy(self._code, stage, pointer, self.valid * value.dtype.size)

    def _steps(self, slot: int) -> Steps:
        """Those of a matrix of the shape of the result."""
        frame = self._frame
        rows, columns = frame.sizes
        item, row = frame.steps if slot == frame.slot else (self._code.mul(rows, columns), columns)
        return (item, 1, 1) if frame.flipped else (item, row, 1)

    def _own(self, steps: Steps) -> Steps:
        """Steps as the code has rows and columns."""
        return (steps[0], steps[2], steps[1]) if self._frame.flipped else steps

    def _stage(self) -> Any:
        """Memory for one vector."""
        return self._code.stack(I8, 8 * self._cg.width)

    def _address(self, slot: int, dtype: DType, steps: Steps) -> Any:
        code, spot = self._code, self._spot
        item, down, along = self._own(steps)
        if not isinstance(along, int) or along not in (0, 1):
            raise ValueError("gemm: the epilogue reads and writes elements that lie side by side.")
        key = slot, dtype.size, item, down, along
        start = spot.starts.get(key)
        if start is None:
            offset = code.add(_start(code, spot.row, down), code.mul(spot.column, along))
            offset = code.add(_start(code, spot.item, item), offset)
            start = spot.starts[key] = code.at(code.slot(slot), code.mul(offset, dtype.size), I8)
        line = start if isinstance(down, Groups) else spot.starts.get((key, spot.down))
        if line is None:
            line = spot.starts[key, spot.down] = code.at(start, code.mul(down, spot.down * dtype.size), I8)
        return code.at(line, spot.along * along * dtype.size, I8)


def _start(code: ProductCode, number: Index, distance: Index | Groups) -> Index:
    """Where a product or row begins."""
    return distance.place(code, number) if isinstance(distance, Groups) else code.mul(number, distance)


@dataclass(frozen=True)
class Finish:
    """What becomes of vectors of a product.

    Attributes:
      frame: the result.
      epilogue: what to apply; None to write the product as it is.
      lanes: lanes of the vectors.
    """

    frame: Frame
    epilogue: EmitEpilogue | None
    lanes: int

    def apply(self, code: ProductCode, vector: Any, spot: Spot, valid: int) -> None:
        """Emit what becomes of one vector.

        Args:
          code: the function under construction.
          vector: a vector of the product.
          spot: where it lies.
          valid: how many of the lanes lie in c.
        """
        frame = self.frame
        cg = VectorEmitter(code.module, code.builder, self.lanes)
        at = VectorPlace(code, cg, frame, spot, valid)
        value = cg.value(vector, frame.dtype)
        if self.epilogue is None:
            at.store(frame.slot, value)
        else:
            self.epilogue(cg, value, at)

    def is_short(self) -> bool:
        """True if the epilogue is a few instructions, which may be repeated for every vector of a tile."""
        code = ProductCode(ir.Function(ir.Module(), FINISH, "trial"))
        vector = ir.Constant(Vectors(code, self.frame.dtype, self.lanes).type, ir.Undefined)
        before = code.builder.block
        _, _, item, row, column, *_ = code.function.args
        self.apply(code, vector, Spot(item, row, column), self.lanes)
        return code.builder.block is before and len(before.instructions) <= _SHORT

    def emit(self, module: ir.Module, name: str, step: int, *, listed: bool = False) -> ir.Function:
        """A function that does this to a part of a product.

        It is called with the kernel's argument, the address of the part's first element, the number of the product in the
        batch, the place of that element in c, and the numbers of rows and columns. Columns are a multiple of the lanes,
        or the part ends where the rows of c end.

        Args:
          module: where it goes.
          name: its name.
          step: elements from one row of the part to the next.
          listed: the rows of c are listed in a table, whose address is passed in place of the first row.
        """
        function = ir.Function(module, FINISH_LISTED if listed else FINISH, name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        code, frame, lanes = ProductCode(function), self.frame, self.lanes
        _, source, item, row, column, rows, columns = function.args
        vectors = Vectors(code, frame.dtype, lanes)
        whole = code.div(columns, lanes)

        def number(i: Index) -> Index:
            return code.builder.load(code.at(row, i, I64), typ=I64) if listed else code.add(row, i)

        def vector(i: Index, j: Index, valid: int) -> None:
            here = vectors.at(source, code.add(code.mul(i, step), j))
            loaded = vectors.load(here, 0, valid)
            self.apply(code, loaded, Spot(item, number(i), code.add(column, j)), valid)

        def line(i: Index) -> None:
            code.repeat(whole, lambda index: vector(i, code.mul(index, lanes), lanes))
            if frame.tail:
                with code.builder.if_then(code.builder.icmp_unsigned("!=", code.rem(columns, lanes), I64(0))):
                    vector(i, code.mul(whole, lanes), frame.tail)

        code.repeat(rows, line)
        code.builder.ret_void()
        return function
