"""Vectors from memory and to it, also where a row ends within one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradtape.compiler.backends.product.code import I8, I16, I32, I64, POINTER, Index, ProductCode
from gradtape.compiler.codegen import ir
from gradtape.core import dtypes
from gradtape.core.dtypes import DType


class Vectors:
    """Vectors of one dtype in a function under construction. Places are an address, and elements from there.

    Attributes:
      code: the function.
      dtype: of the elements.
      element: their LLVM type.
      lanes: of a vector.
      type: the LLVM type of a vector.
      zero: a vector of zeros.
      unit: stored elements in a lane.
    """

    unit = 1

    def __init__(self, code: ProductCode, dtype: DType, lanes: int) -> None:
        self.code, self.dtype, self.lanes = code, dtype, lanes
        self.element = ir.FloatType() if dtype.size == 4 else ir.DoubleType()
        self.type = ir.VectorType(self.element, lanes)
        self.zero = ir.Constant(self.type, None)

    def at(self, pointer: Any, offset: Index) -> Any:
        """The address of an element."""
        return self.code.at(pointer, offset, self.element)

    def room(self, count: int) -> Any:
        """The address of memory for some elements, which lives as long as the call."""
        return self.code.stack(self.element, count)

    def splat(self, pointer: Any, offset: Index = 0) -> Any:
        """An element in all lanes."""
        return self.spread(self.code.builder.load(self.at(pointer, offset), typ=self.element))

    def spread(self, one: Any) -> Any:
        """A number in all lanes."""
        nothing = ir.Constant(self.type, ir.Undefined)
        first = self.code.builder.insert_element(nothing, one, I32(0))
        order = ir.Constant(ir.VectorType(I32, self.lanes), [0] * self.lanes)
        return self.code.builder.shuffle_vector(first, nothing, order)

    def load(self, pointer: Any, offset: Index = 0, valid: int | None = None) -> Any:
        """A vector whose first `valid` lanes are read; the others are 0."""
        code, lanes = self.code, self.lanes
        place = self.at(pointer, offset)
        if valid is None or valid == lanes:
            return code.builder.load(place, align=self.dtype.size, typ=self.type)
        mask = ir.VectorType(ir.IntType(1), lanes)
        name = f"llvm.masked.load.v{lanes}f{8 * self.dtype.size}.p0"
        function = code.module.globals.get(name)
        if function is None:
            # With the alignment as a parameter, which newer LLVM takes as an attribute: it reads the older form too.
            kind = ir.FunctionType(self.type, [POINTER, I32, mask, self.type])
            function = ir.Function(code.module, kind, name)
        inside = ir.Constant(mask, [index < valid for index in range(lanes)])
        zero = ir.Constant(self.type, [0.0] * lanes)
        return code.builder.call(function, [place, I32(self.dtype.size), inside, zero])

    def store(self, value: Any, pointer: Any, offset: Index = 0, valid: int | None = None) -> None:
        """Write the first `valid` lanes of a vector.

        In parts, since masked writes are slow on some processors, and since the parts are known here.
        """
        builder, place = self.code.builder, self.at(pointer, offset)
        if valid is None or valid == value.type.count:
            builder.store(value, place, align=self.dtype.size)
            return
        for start, width in parts(valid):
            order = ir.Constant(ir.VectorType(I32, width), list(range(start, start + width)))
            part = builder.shuffle_vector(value, ir.Constant(value.type, ir.Undefined), order)
            builder.store(part, self.at(place, start), align=self.dtype.size)

    def along(self, count: int, body: Callable[[Index, int], None]) -> None:
        """Emit `body(number of the vector, valid lanes)` for a row of elements."""
        self.code.repeat(count // self.lanes, lambda number: body(number, self.lanes))
        if count % self.lanes:
            body(count // self.lanes, count % self.lanes)

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        """x * y + z, with one rounding where the machine has an instruction for that, else with two."""
        module = self.code.module
        name = f"llvm.fmuladd.v{self.lanes}f{8 * self.dtype.size}"
        function = module.globals.get(name) or ir.Function(module, ir.FunctionType(self.type, [self.type] * 3), name)
        return self.code.builder.call(function, [x, y, z])

    def copy(self, source: Any, target: Any, count: int) -> None:
        """Copy a known number of elements at once."""
        kind, size = ir.VectorType(self.element, count), self.dtype.size
        self.code.builder.store(self.code.builder.load(source, align=size, typ=kind), target, align=size)

    def keep(self, values: Sequence[Any], target: Any) -> None:
        """Write whole vectors to memory of our own, one after the other."""
        for i, value in enumerate(values):
            self.code.builder.store(value, self.at(target, i * self.lanes), align=self.dtype.size * self.lanes)

    def resume(self, kept: Any, zeros: Sequence[Any], block: Index) -> list[Any]:
        """What sums start with that lie in memory between the blocks of a long sum: zeros in the first block."""
        builder, align = self.code.builder, self.dtype.size * self.lanes
        fresh = builder.block
        with builder.if_then(builder.icmp_signed(">", self.code.value(block), I64(0))):
            before = [
                builder.load(self.at(kept, i * self.lanes), align=align, typ=self.type) for i in range(len(zeros))
            ]
            later = builder.block
        start = []
        for value in before:
            phi = builder.phi(self.type)
            phi.add_incoming(self.zero, fresh)
            phi.add_incoming(value, later)
            start.append(phi)
        return start


class PairVectors(Vectors):
    """Vectors whose lanes are pairs of stored bfloat16, which one instruction multiplies and adds to float32. Offsets count what is stored."""

    unit = 2

    def __init__(self, code: ProductCode, lanes: int) -> None:
        super().__init__(code, dtypes.float32, lanes)
        self.pairs = ir.VectorType(ir.BFloatType(), 2 * lanes)

    def at(self, pointer: Any, offset: Index) -> Any:
        """The address of a stored element."""
        return self.code.at(pointer, offset, I16)

    def splat(self, pointer: Any, offset: Index = 0) -> Any:
        """A pair in all lanes."""
        return self.spread(self.code.builder.load(self.at(pointer, offset), typ=self.element, align=I16.width // 8))

    def interleave(self, source: Any, line: int, target: Any, count: int) -> None:
        """Copy a known number of elements of a stored row, and of the next one, in turns: those of a column become a pair."""
        builder = self.code.builder
        for start, width in parts(count, 32):
            rows = [
                builder.load(self.at(source, start + k * line), align=I16.width // 8, typ=ir.VectorType(I16, width))
                for k in (0, 1)
            ]
            order = ir.Constant(ir.VectorType(I32, 2 * width), [j + k * width for j in range(width) for k in (0, 1)])
            mixed = builder.shuffle_vector(rows[0], rows[1], order)
            builder.store(mixed, self.at(target, self.unit * start), align=I16.width // 8)

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        """x[0] * y[0] + x[1] * y[1] + z in each lane."""
        module, builder = self.code.module, self.code.builder
        name = f"llvm.x86.avx512bf16.dpbf16ps.{32 * self.lanes}"
        kind = ir.FunctionType(self.type, [self.type, self.pairs, self.pairs])
        function = module.globals.get(name) or ir.Function(module, kind, name)
        return builder.call(function, [z, builder.bitcast(x, self.pairs), builder.bitcast(y, self.pairs)])


def prefetch(code: ProductCode, pointer: Any) -> None:
    """Fetch a line into the first cache; any address will do."""
    name = "llvm.prefetch.p0"
    function = code.module.globals.get(name)
    if function is None:
        function = ir.Function(code.module, ir.FunctionType(ir.VoidType(), [POINTER, I32, I32, I32]), name)
    code.builder.call(function, [pointer, I32(0), I32(3), I32(1)])


def copy(code: ProductCode, source: Any, target: Any, size: int) -> None:
    """Copy a few bytes."""
    for start, width in parts(size, 16):
        bits = ir.IntType(8 * width)
        loaded = code.builder.load(code.at(source, start, I8), align=1, typ=bits)
        code.builder.store(loaded, code.at(target, start, I8), align=1)


_GROUP = 4  # vectors that are computed at once


def pieces(count: int, lanes: int) -> list[tuple[int, int, int, int]]:
    """A row of elements as vectors: where they begin, their width, how many at once, and how often."""
    whole = count // lanes
    found = []
    if whole >= _GROUP:
        found.append((0, lanes, _GROUP, whole // _GROUP))
    if whole % _GROUP:
        found.append((whole // _GROUP * _GROUP * lanes, lanes, whole % _GROUP, 1))
    found += [(whole * lanes + start, width, 1, 1) for start, width in parts(count % lanes)]
    return found


def parts(count: int, largest: int = 64) -> Iterator[tuple[int, int]]:
    """Starts and sizes of powers of two that add up to a number, the largest first."""
    start, width = 0, largest
    while count > start:
        while count - start < width:
            width //= 2
        yield start, width
        start += width
