"""Copies of operands in the order in which tiles read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradtape.compiler.backends.product.code import I32, Index, ProductCode
from gradtape.compiler.codegen import ir


@dataclass(frozen=True)
class Shape:
    """How many columns are copied.

    Attributes:
      columns: how many there are. The last one stands in the place of those that are not; the results are never written.
      width: how many a row of the copy has, a multiple of the lanes.
      lanes: of a vector.
    """

    columns: int
    width: int
    lanes: int


def pack_columns(
    code: ProductCode, source: Any, step: int, target: Any, shape: Shape, count: Index, element: ir.Type
) -> None:
    """Copy columns as rows.

    Args:
      code: the function under construction.
      source: the first column's first element; those of a column lie side by side.
      step: elements from one column to the next.
      target: where the first row goes; the others follow without gaps.
      shape: how many columns.
      count: elements of a column.
      element: the type of elements.
    """
    lanes, size = shape.lanes, _size(element)

    def address(index: Index, column: Index) -> Any:
        if shape.columns < shape.width:
            column = code.least(column, shape.columns - 1)
        return code.at(source, code.add(index, code.mul(column, step)), element)

    def square(first: Index, group: Index) -> None:
        vector = ir.VectorType(element, lanes)
        columns = [code.add(group, j) for j in range(lanes)]
        rows = [code.builder.load(address(first, column), align=size, typ=vector) for column in columns]
        corner = code.at(target, code.add(code.mul(first, shape.width), group), element)
        for index, row in enumerate(transposed(code.builder, rows, 16 // size)):
            code.builder.store(row, code.at(corner, index * shape.width, element), align=size)

    def block(first: Index) -> None:
        code.repeat(shape.width // lanes, lambda group: square(first, code.mul(group, lanes)))

    def single(index: Index) -> None:
        def one(column: Index) -> None:
            found = code.builder.load(address(index, column), align=size, typ=element)
            there = code.add(code.mul(index, shape.width), column)
            code.builder.store(found, code.at(target, there, element), align=size)

        code.repeat(shape.width, one)

    if isinstance(count, int) and count >= lanes:
        # The last square begins earlier, so that it ends with the columns: a part is copied twice.
        squares = -(-count // lanes)
        code.repeat(squares, lambda index: block(code.least(code.mul(index, lanes), count - lanes)))
        return
    squares = code.div(count, lanes)
    code.repeat(squares, lambda index: block(code.mul(index, lanes)))
    code.repeat(code.rem(count, lanes), lambda index: single(code.add(code.mul(squares, lanes), index)))


def transposed(builder: ir.IRBuilder, rows: list[Any], part: int) -> list[Any]:
    """The columns of a square of vectors.

    First within parts of 128 bits, in which processors interleave with one instruction, then by exchange of parts.
    """
    lanes = len(rows)
    part = min(part, lanes)
    span = 1
    while span < part:
        rows = [
            _interleave(builder, rows[base + offset], rows[base + offset + span], span, half, part)
            for base in range(0, lanes, 2 * span)
            for offset in range(span)
            for half in (0, 1)
        ]
        span *= 2
    while span < lanes:
        result = list(rows)
        for low in range(lanes):
            if not low & span:
                result[low] = _exchange(builder, rows[low], rows[low + span], span, 0)
                result[low + span] = _exchange(builder, rows[low], rows[low + span], span, 1)
        rows = result
        span *= 2
    return rows


def _interleave(builder: ir.IRBuilder, a: Any, b: Any, span: int, half: int, part: int) -> Any:
    """In each part, groups of `span` elements of a and b in turns, from the lower or the upper half."""
    lanes = a.type.count
    order = []
    for base in range(0, lanes, part):
        for group in range(base + half * part // 2, base + (half + 1) * part // 2, span):
            order += [*range(group, group + span), *range(lanes + group, lanes + group + span)]
    return _shuffle(builder, a, b, order)


def _exchange(builder: ir.IRBuilder, a: Any, b: Any, span: int, half: int) -> Any:
    """Every second group of `span` elements of a, and those of b in place of the others."""
    lanes = a.type.count
    order = []
    for base in range(half * span, lanes, 2 * span):
        order += [*range(base, base + span), *range(lanes + base, lanes + base + span)]
    return _shuffle(builder, a, b, order)


def _shuffle(builder: ir.IRBuilder, a: Any, b: Any, order: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(I32, len(order)), order))


def _size(element: ir.Type) -> int:
    return 4 if isinstance(element, ir.FloatType) else 8
