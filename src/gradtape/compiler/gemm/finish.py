"""What is done with a product before it is written: the epilogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from gradtape.compiler.gemm import memory
from gradtape.compiler.gemm.code import I8, I64, POINTER, VOID, Code, Index
from gradtape.compiler.gemm.problem import Gemm
from gradtape.compiler.simd import conversion
from gradtape.compiler.simd.emitter import VectorEmitter
from gradtape.compiler.simd.value import Value
from gradtape.core.dtypes import DType, as_dtype

# epilogue(cg, value, at): what is written instead of a vector of the product.
Epilogue = Callable[[VectorEmitter, Value, "Place"], Value]

_LAYOUTS = ("full", "row", "column", "scalar")


@dataclass(frozen=True)
class Frame:
    """What all places of a result have in common.

    Attributes:
      gemm: the product.
      table: the table of pointers.
      flipped: the product was transposed, so that rows are columns to the epilogue.
      overwritten: a slot that does not hold any more what it did before.
    """

    gemm: Gemm
    table: Any
    flipped: bool = False
    overwritten: int | None = None


class Place:
    """Where in the result a vector lies, to find what other operands have there.

    Attributes:
      valid: how many of the lanes lie in the result; what the others hold is of no account.
    """

    def __init__(
        self, code: Code, cg: VectorEmitter, frame: Frame, where: tuple[Index, Index, Index], valid: int
    ) -> None:
        self._code, self._cg, self._frame = code, cg, frame
        self._item, self._row, self._column = where
        self.valid = valid

    def load(self, slot: int, dtype: Any, layout: str = "full", leading: int = 0, stride: int | None = None) -> Value:
        """The elements of another operand that belong to this place.

        Args:
          slot: where the table of pointers has it.
          dtype: its dtype, which need not be that of the product.
          layout: "full" for the shape of the result, "row" for one number for each column, as a bias, "column" for one
            for each row, "scalar" for one number.
          leading: of "full", elements from one row to the next; 0 for what c has if it is c, else for the columns.
          stride: elements from one product of a batch to the next; None for what c has if it is c, for a whole matrix if
            it is another "full" one, and for 0 of the others.
        """
        if layout not in _LAYOUTS:
            raise ValueError(f"gemm: layout {layout!r} is none of {', '.join(_LAYOUTS)}.")
        if slot == self._frame.overwritten:
            raise ValueError(
                f"gemm: the epilogue loads slot {slot}, where the product was put; give a slot for scratch."
            )
        self._check_leading(leading)
        dtype = as_dtype(dtype)
        pointer = self._address(slot, dtype, layout, leading, stride)
        if layout == "scalar" or layout == ("row" if self._frame.flipped else "column"):
            return conversion.load_one(self._cg, pointer, dtype)
        if self.valid < self._cg.width:
            stage = self._stage()
            memory.copy(self._code, pointer, stage, self.valid * dtype.size)
            pointer = stage
        return conversion.load(self._cg, pointer, dtype)

    def store(self, slot: int, value: Value, leading: int = 0, stride: int | None = None) -> None:
        """Write a vector to this place of a matrix of the shape of the result; arguments as of `load`."""
        self._check_leading(leading)
        pointer = self._address(slot, value.dtype, "full", leading, stride)
        if self.valid == self._cg.width:
            conversion.store(self._cg, value, pointer)
            return
        stage = self._stage()
        conversion.store(self._cg, value, stage)
        memory.copy(self._code, stage, pointer, self.valid * value.dtype.size)

    def _check_leading(self, leading: int) -> None:
        if self._frame.flipped and leading > 1:
            raise ValueError(f"gemm: the elements of a column must lie side by side, not {leading} apart.")

    def _stage(self) -> Any:
        """Memory for one vector."""
        return self._code.stack(I8, 8 * self._cg.width)

    def _address(self, slot: int, dtype: DType, layout: str, leading: int, stride: int | None) -> Any:
        code, gemm, flipped = self._code, self._frame.gemm, self._frame.flipped
        own = slot == gemm.slots[2]
        whole = 0
        if layout == "full":
            leading = leading or (gemm.ldc if own else gemm.n)
            whole = gemm.batch.stride_c if own else gemm.m * gemm.n
            # A flipped result is one row here; its elements lie side by side.
            offset = code.add(code.mul(self._row, leading), self._column)
        elif layout == "scalar":
            offset = 0
        else:
            offset = self._column if (layout == "row") is not flipped else self._row
        offset = code.add(code.mul(self._item, whole if stride is None else stride), offset)
        return code.at(code.slot(self._frame.table, slot), code.mul(offset, dtype.size), I8)


FINISH = ir.FunctionType(VOID, [I64, POINTER, I64, I64, I64, I64, I64])


def emit(
    module: ir.Module,
    name: str,
    gemm: Gemm,
    epilogue: Epilogue | None,
    lanes: int,
    step: int,
    flipped: bool = False,
    overwritten: int | None = None,
) -> ir.Function:
    """A function that applies the epilogue to a part of a product and writes it to c.

    It is called with the kernel's argument, the address of the part's first element, the number of the product in the
    batch, the place of that element in c, and the numbers of rows and columns. Columns are a multiple of the lanes, or
    the part ends where the rows of c end.

    Args:
      module: where it goes.
      name: its name.
      gemm: the product.
      epilogue: what to apply; None to write the product as it is.
      lanes: lanes of the vectors.
      step: elements from one row of the part to the next.
      flipped: the product is the transpose of what the epilogue knows.
      overwritten: a slot that the epilogue cannot load any more.
    """
    function = ir.Function(module, FINISH, name)
    function.linkage = "internal"
    code = Code(function)
    argument, source, item, row, column, rows, columns = function.args
    frame = Frame(gemm, code.builder.inttoptr(argument, POINTER), flipped, overwritten)
    element = memory.element_type(gemm.dtype)
    whole = code.div(columns, lanes)

    def vector(i: Index, j: Index, valid: int) -> None:
        cg = VectorEmitter(module, code.builder, lanes)
        here = code.at(source, code.add(code.mul(i, step), j), element)
        value = cg.value(memory.load(code, here, gemm.dtype, lanes, valid), gemm.dtype)
        at = Place(code, cg, frame, (item, code.add(row, i), code.add(column, j)), valid)
        if gemm.accumulate:
            value = value + at.load(gemm.slots[2], gemm.dtype)
        at.store(gemm.slots[2], value if epilogue is None else epilogue(cg, value, at))

    def line(i: Index) -> None:
        code.repeat(whole, lambda index: vector(i, code.mul(index, lanes), lanes))
        if gemm.n % lanes:
            left = code.builder.icmp_unsigned("!=", code.rem(columns, lanes), I64(0))
            code.when(left, lambda: vector(i, code.mul(whole, lanes), gemm.n % lanes))

    code.repeat(rows, line)
    code.builder.ret_void()
    return function
