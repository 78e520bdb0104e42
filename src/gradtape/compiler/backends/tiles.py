"""Transposition by square tiles in registers.

Tiles are collected to blocks that are as wide and as high as a line of the cache, so that what a line holds is read and
written at once, and blocks to panels, so that only some pages of the memory are in use at a time. At the ends of an
axis tiles overlap.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import I64, close, counted, least, moved

_MOST = {1: 8, 2: 8, 4: 8, 8: 4}  # elements along the side of a tile, by their bytes
_LINE = 64  # bytes of a line of the cache
_PANEL = 512  # bytes along the side of a panel


class _Side(NamedTuple):
    """How an axis is cut.

    Attributes:
      length: its elements.
      block: elements of a block.
      panel: blocks of a panel.
    """

    length: int
    block: int
    panel: int

    @property
    def blocks(self) -> int:
        return -(-self.length // self.block)

    @property
    def panels(self) -> int:
        return -(-self.blocks // self.panel)


class Turn(NamedTuple):
    """A matrix to be transposed.

    Attributes:
      size: bytes of an element.
      width: elements along which the target is contiguous.
      read: the step in bytes by which the source is read along them.
      height: elements along which the source is contiguous.
      write: the step in bytes by which the target is written along them.
    """

    size: int
    width: int
    read: int
    height: int
    write: int


def count_panels(turn: Turn) -> int:
    """The number of panels of a matrix."""
    _, along, across = _sides(turn)
    return along.panels * across.panels


def panel_bytes(turn: Turn) -> int:
    """The bytes of a panel, about."""
    return turn.width * turn.height * turn.size // count_panels(turn)


def emit_panel(builder: ir.IRBuilder, turn: Turn, source: Any, target: Any, number: Any) -> None:
    """The panel of a number, from a source to a target."""
    size = turn.size
    tile, along, across = _sides(turn)
    row, column = builder.udiv(number, I64(along.panels)), builder.urem(number, I64(along.panels))
    rows, top = _blocks(builder, across, row)
    columns, left = _blocks(builder, along, column)
    source = moved(builder, source, builder.add(builder.mul(top, I64(size)), builder.mul(left, I64(turn.read))))
    target = moved(builder, target, builder.add(builder.mul(top, I64(turn.write)), builder.mul(left, I64(size))))
    # The tiles of a block, one code for all.
    down = counted(builder, I64(0), "down")
    right = counted(builder, I64(0), "right")
    begin = builder.add(builder.mul(down[0], I64(size)), builder.mul(right[0], I64(turn.read)))
    end = builder.add(builder.mul(down[0], I64(turn.write)), builder.mul(right[0], I64(size)))
    _tile(builder, turn, tile, moved(builder, source, begin), moved(builder, target, end))
    close(builder, right, I64(along.block), tile)
    close(builder, down, I64(across.block), tile)
    close(builder, columns[0], columns[1], 1)
    close(builder, rows[0], rows[1], 1)


def _sides(turn: Turn) -> tuple[int, _Side, _Side]:
    """Elements along the side of a tile, and how both axes are cut."""
    tile = _MOST[turn.size]
    while tile > min(turn.width, turn.height):
        tile //= 2
    return tile, _cut(turn.width, tile, turn.size), _cut(turn.height, tile, turn.size)


def _cut(length: int, tile: int, size: int) -> _Side:
    block = tile * max(1, min(_LINE // (tile * size), length // tile))
    return _Side(length, block, max(1, _PANEL // (block * size)))


def _blocks(builder: ir.IRBuilder, side: _Side, panel: Any) -> tuple[tuple[Any, Any], Any]:
    """The head of a loop over the blocks of a panel with its end, and where the block begins."""
    first = builder.mul(panel, I64(side.panel))
    last = least(builder, builder.add(first, I64(side.panel)), I64(side.blocks))
    loop = counted(builder, first, "blocks")
    begin = least(builder, builder.mul(loop[0], I64(side.block)), I64(side.length - side.block))
    return (loop, last), begin


def _tile(builder: ir.IRBuilder, turn: Turn, side: int, source: Any, target: Any) -> None:
    """One tile: rows are loaded, exchanged by halves until they are columns, and stored."""
    kind = ir.VectorType(ir.IntType(8 * turn.size), side)
    lines = [builder.load(moved(builder, source, k * turn.read), align=turn.size, typ=kind) for k in range(side)]
    half = side // 2
    while half:
        low = _order([i if not i & half else side + i - half for i in range(side)])
        high = _order([i + half if not i & half else side + i for i in range(side)])
        for k in range(side):
            if not k & half:
                a, b = lines[k], lines[k + half]
                lines[k] = builder.shuffle_vector(a, b, low)
                lines[k + half] = builder.shuffle_vector(a, b, high)
        half //= 2
    for k, line in enumerate(lines):
        builder.store(line, moved(builder, target, k * turn.write), align=turn.size)


def _order(lanes: list[int]) -> ir.Constant:
    return ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes)
