"""Vectors from memory and to it, also where a row ends within one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradtape.compiler.backends.product.code import I8, I32, I64, POINTER, Index, ProductCode
from gradtape.compiler.codegen import ir
from gradtape.core.dtypes import DType


def element_type(dtype: DType) -> ir.Type:
    """The LLVM type of elements."""
    return ir.FloatType() if dtype.size == 4 else ir.DoubleType()


def splat(code: ProductCode, pointer: Any, element: ir.Type, lanes: int, stored: ir.Type | None = None) -> Any:
    """The element at an address, in all lanes; it may be several stored ones."""
    align = stored.width // 8 if isinstance(stored, ir.IntType) else None
    one = code.builder.load(pointer, typ=element, align=align)
    nothing = ir.Constant(ir.VectorType(element, lanes), ir.Undefined)
    first = code.builder.insert_element(nothing, one, I32(0))
    return code.builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(I32, lanes), [0] * lanes))


def load(code: ProductCode, pointer: Any, dtype: DType, lanes: int, valid: int) -> Any:
    """A vector whose first `valid` lanes are read; the others are 0."""
    vector = ir.VectorType(element_type(dtype), lanes)
    if valid == lanes:
        return code.builder.load(pointer, align=dtype.size, typ=vector)
    mask = ir.VectorType(ir.IntType(1), lanes)
    name = f"llvm.masked.load.v{lanes}f{8 * dtype.size}.p0"
    function = code.module.globals.get(name)
    if function is None:
        # With the alignment as a parameter, which newer LLVM takes as an attribute: it reads the older form too.
        kind = ir.FunctionType(vector, [POINTER, I32, mask, vector])
        function = ir.Function(code.module, kind, name)
    inside = ir.Constant(mask, [index < valid for index in range(lanes)])
    zero = ir.Constant(vector, [0.0] * lanes)
    return code.builder.call(function, [pointer, I32(dtype.size), inside, zero])


def store(code: ProductCode, value: Any, pointer: Any, dtype: DType, valid: int) -> None:
    """Write the first `valid` lanes of a vector.

    In parts, since masked writes are slow on some processors, and since the parts are known here.
    """
    if valid == value.type.count:
        code.builder.store(value, pointer, align=dtype.size)
        return
    for start, width in parts(valid):
        order = ir.Constant(ir.VectorType(I32, width), list(range(start, start + width)))
        part = code.builder.shuffle_vector(value, ir.Constant(value.type, ir.Undefined), order)
        code.builder.store(part, code.at(pointer, start, element_type(dtype)), align=dtype.size)


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


def resume_sums(code: ProductCode, sums: Any, zeros: list[Any], block: Index) -> list[Any]:
    """What a tile starts with, of sums that lie in memory between the blocks of k: zeros in the first block of k, else what was kept after the one before."""
    vector = zeros[0].type
    align = vector.count * (4 if str(vector.element) == "float" else 8)
    fresh = code.builder.block
    with code.builder.if_then(code.builder.icmp_signed(">", code.value(block), I64(0))):
        kept = [
            code.builder.load(code.at(sums, i * vector.count, vector.element), align=align, typ=vector)
            for i in range(len(zeros))
        ]
        later = code.builder.block
    start = []
    for zero, value in zip(zeros, kept, strict=True):
        phi = code.builder.phi(vector)
        phi.add_incoming(zero, fresh)
        phi.add_incoming(value, later)
        start.append(phi)
    return start
