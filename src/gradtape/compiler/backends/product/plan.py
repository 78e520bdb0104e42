"""How a product is tiled: register tiles, panels that stay in cache, chunks for threads.

A tile is `rows` by `vectors` accumulators that stay in registers for a whole block of k. A sliver is a tile's columns of
b, over a block of k: it stays in the first cache while all tiles of a chunk use it. The cut depends on the sizes and the
machine's instruction set alone, never on the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass

from gradtape.compiler.backends.product.problem import Gemm
from gradtape.compiler.codegen.simd.machine import Machine

# Bytes of a sliver of b, which stays in the first cache of 32 KB or more, and the most rows of it.
_SLIVER_BYTES, _DEEPEST = 24 * 1024, 320
# Where registers have 64 bytes, caches are larger too. Long sums over the rows of a, which is copied, take deeper slivers then, so that fewer
# blocks have sums in between, and more of these, so that a block of a is copied for more columns.
_WIDE, _LONG, _LONG_SLIVER_BYTES, _LONG_SUMS_BYTES, _LONG_GROUP_BYTES = 64, 640, 40 * 1024, 192 * 1024, 80 * 1024
# A copied sliver that meets many rows of a may be deeper: it stays in the second cache, and is fetched some steps ahead.
_DEEP, _AHEAD, _DEEP_ROWS = 1024, 16, 128
# Bytes that come from the second cache in a cycle.
_CACHE_SPEED = 14
# Bytes of a chunk's block of a: it stays in the second cache, or beside deep slivers in the third.
_BLOCK_BYTES, _DEEP_BLOCK_BYTES = 288 * 1024, 1280 * 1024
# Bytes of a copy of such a block and of a chunk's sums. They are on the stack, of which a thread may have little.
_COPY_BYTES, _SUMS_BYTES = 160 * 1024, 96 * 1024
# A chunk below so many operations costs more to hand out than it is worth; more chunks than this serve nobody.
_CHUNK_OPERATIONS, _ROW_OPERATIONS = 250_000, 4
_MOST_CHUNKS = 64
# A copy of b is worth its time if so many rows and steps of k use it, and is repeated for chunks of so many rows.
_COPY_B_ROWS, _COPY_B_DEPTH, _REPEAT_B_ROWS = 48, 16, 256
# In a matrix of so many bytes, rows are far apart: fewer rows make a copy worth its time, and as many slivers are
# copied together, to read longer parts of rows.
_FAR_BYTES = 1024 * 1024
_COPY_FAR_B_ROWS, _GROUP, _GROUP_BYTES = 16, 4, 256 * 1024
# What holds for copies of b and rows, for copies of a and columns.
_COPY_A_COLUMNS, _COPY_A_DEPTH, _REPEAT_A_COLUMNS = 128, 128, 512
# Copies are repeated for half as many if there would be less chunks than the second number, for a quarter below the third.
_GOALS = (_MOST_CHUNKS, 16, 4)


@dataclass(frozen=True)
class Tile:
    """Accumulators in registers.

    Attributes:
      rows: rows of c.
      vectors: vectors of columns of c.
      lanes: elements of a vector.
    """

    rows: int
    vectors: int
    lanes: int

    @property
    def columns(self) -> int:
        """Columns of c."""
        return self.vectors * self.lanes


@dataclass(frozen=True)
class ProductPlan:
    """The cut of one product.

    Attributes:
      tile: the accumulators.
      depth: rows of b in a block of k.
      blocks: blocks of k.
      pack_a: copy a block of a into panels, one for each tile.
      pack_b: copy slivers of b.
      group: slivers that are copied together.
      tiles: rows of tiles in a chunk.
      slivers: slivers in a chunk.
      items: products of a batch in a chunk.
      grid: chunks by batch, by rows and by columns.
      ahead: how many steps of k ahead b is fetched into the first cache; 0 if it stays there.
    """

    tile: Tile
    depth: int
    blocks: int
    pack_a: bool
    pack_b: bool
    group: int
    tiles: int
    slivers: int
    items: int
    grid: tuple[int, int, int]
    ahead: int

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        groups, rows, columns = self.grid
        return groups * rows * columns


def plan(gemm: Gemm, machine: Machine) -> ProductPlan:
    """The cut of a product on a machine."""
    tile = _tile(gemm, machine)
    depth, blocks = _depth(gemm, tile)
    pack_b = _copies_b(gemm, tile)
    pack_a = gemm.transpose_a and (gemm.pairs or (gemm.n >= _COPY_A_COLUMNS and depth >= _COPY_A_DEPTH))
    group = 1
    if _is_far(gemm) and pack_b and not gemm.transpose_b:
        most = _GROUP_BYTES if not _is_long(gemm, tile) else _LONG_GROUP_BYTES
        group = max(1, min(_GROUP, most // (tile.columns * depth * gemm.dtype.size)))
    tiles, slivers, items = _chunk(gemm, tile, (depth, blocks), (pack_a, pack_b), group)
    grid = (
        -(-gemm.batch.count // items),
        -(-gemm.m // (tile.rows * tiles)),
        -(-gemm.n // (tile.columns * slivers)),
    )
    ahead = _AHEAD if pack_b and depth > _deepest(gemm, tile) else 0
    return ProductPlan(tile, depth, blocks, pack_a, pack_b, min(group, slivers), tiles, slivers, items, grid, ahead)


def _is_far(gemm: Gemm) -> bool:
    """True if the rows of b are far apart."""
    return gemm.k * gemm.ldb * gemm.dtype.size >= _FAR_BYTES


def _copies_b(gemm: Gemm, tile: Tile) -> bool:
    # Where b has less columns than a tile, whole vectors would read beyond its end.
    used = gemm.m >= (_COPY_FAR_B_ROWS if _is_far(gemm) else _COPY_B_ROWS) and gemm.k >= _COPY_B_DEPTH
    return gemm.pairs or gemm.transpose_b or (used and gemm.n >= tile.columns)


def _tile(gemm: Gemm, machine: Machine) -> Tile:
    """The tile that takes the least time."""
    return min(
        tiles_of(gemm.m, gemm.n, machine.lanes(gemm.dtype.size), machine),
        key=lambda tile: (_cycles(gemm, tile), -tile.rows),
    )


def tiles_of(rows: int, columns: int, lanes: int, machine: Machine) -> list[Tile]:
    """The tiles that fit the registers, with so many rows and columns at most."""
    many = machine.register_bytes == 64 or machine.triple.startswith(("aarch64", "arm64"))
    fused = many or "+fma" in machine.features.split(",")
    # Without fused instructions, one register is for products.
    registers = (32 if many else 16) - (not fused)
    return [
        Tile(r, v, lanes)
        for v in range(1, min(8, -(-columns // lanes)) + 1)
        for r in range(1, min(registers, rows) + 1)
        # Beside the accumulators, the shorter side is held in registers and the longer one passes through one.
        if r * v + min(r, v) + 1 <= registers
    ]


def cycles_of_step(tile: Tile) -> float:
    """About how many cycles a tile needs for a row of b: there are two fused instructions or loads in a cycle, and a bit more than four cycles
    until a result can be used."""
    loads, sums = tile.rows + tile.vectors, tile.rows * tile.vectors
    return max(4.4, sums / 2, loads / 2) + 0.03 * loads


def _cycles(gemm: Gemm, tile: Tile) -> float:
    """About how many cycles all tiles need for a row of b. Writing a tile, or keeping it for the next block of k, and starting the next one is
    counted too."""
    tiles = -(-gemm.m // tile.rows) * -(-gemm.n // tile.columns)
    depth, blocks = _depth(gemm, tile)
    step, sums = cycles_of_step(tile), tile.rows * tile.vectors
    if depth > _deepest(gemm, tile) and _copies_b(gemm, tile):
        step = max(step, tile.columns * gemm.dtype.size / _CACHE_SPEED)
    # Sums that are kept are written and read once more.
    moved = 3 * sums if blocks > 1 and _is_long(gemm, tile) else sums
    return tiles * (step + (moved + 10) / max(depth, 1))


def _depth(gemm: Gemm, tile: Tile) -> tuple[int, int]:
    """Rows of b in a block of k, and how many blocks there are."""
    # With one row of tiles every element of b is used once: where nothing is copied, nothing is gained by small slivers.
    once = gemm.m <= min(tile.rows, _COPY_FAR_B_ROWS - 1) and not (gemm.transpose_a or gemm.transpose_b)
    deepest = gemm.k if once else _deepest(gemm, tile)
    if not gemm.transpose_a and gemm.m >= _DEEP_ROWS and _copies_b(gemm, tile):
        deepest = _DEEP
    if gemm.k <= deepest:
        return gemm.k, 1
    depth = -(-gemm.k // -(-gemm.k // deepest))
    depth = -(-depth // 8) * 8
    return depth, -(-gemm.k // depth)


def _deepest(gemm: Gemm, tile: Tile) -> int:
    """The rows of a sliver that stays in the first cache."""
    size = _LONG_SLIVER_BYTES if _is_long(gemm, tile) else _SLIVER_BYTES
    return min(_DEEPEST, size // (tile.columns * gemm.dtype.size))


def _is_long(gemm: Gemm, tile: Tile) -> bool:
    """True for long sums over the rows of a copied matrix a, on a machine with wide registers."""
    copies = gemm.transpose_a and gemm.n >= _COPY_A_COLUMNS
    return copies and gemm.k >= _LONG and tile.lanes * gemm.dtype.size >= _WIDE


def _chunk(
    gemm: Gemm, tile: Tile, depths: tuple[int, int], packs: tuple[bool, bool], group: int
) -> tuple[int, int, int]:
    """Rows of tiles, slivers and products in a chunk."""
    size, count = gemm.dtype.size, gemm.batch.count
    rows, columns = -(-gemm.m // tile.rows), -(-gemm.n // tile.columns)
    depth, blocks = depths
    panel = max(depth, 1) * tile.rows * size
    block = _DEEP_BLOCK_BYTES if depth > _deepest(gemm, tile) else _BLOCK_BYTES
    tiles = even(rows, (_COPY_BYTES if packs[0] else block) // panel)
    slivers = columns
    if blocks > 1:
        most = (_LONG_SUMS_BYTES if _is_long(gemm, tile) else _SUMS_BYTES) // (tile.rows * tile.columns * size)
        tiles = even(rows, min(tiles, most))
        slivers = even(columns, most // tiles)
    # What is copied is not cut too small, since others repeat the copy.
    least_tiles = -(-_REPEAT_B_ROWS // tile.rows) if packs[1] else 1
    least_slivers = -(-_REPEAT_A_COLUMNS // tile.columns) if packs[0] else group
    wanted = useful_chunks(gemm)
    for goal in _GOALS:
        while count * -(-rows // tiles) * -(-columns // slivers) < min(goal, wanted):
            wider = slivers * tile.columns >= tiles * tile.rows if packs[0] == packs[1] else packs[1]
            if slivers > least_slivers and (wider or tiles <= least_tiles):
                slivers = even(columns, slivers - 1)
            elif tiles > least_tiles:
                tiles = even(rows, tiles - 1)
            else:
                break
        least_tiles, least_slivers = -(-least_tiles // 2), -(-least_slivers // 2)
    whole = tiles == rows and slivers == columns
    return tiles, slivers, max(1, count // wanted) if whole else 1


def useful_chunks(gemm: Gemm) -> int:
    """How many chunks a product is worth. A few are two or four, which two and four threads finish together."""
    # Each element of a matrix that meets one row is used once: reading it takes longer than the operations.
    operations = _ROW_OPERATIONS * gemm.operations if gemm.m == 1 else gemm.operations
    count = min(_MOST_CHUNKS, operations // _CHUNK_OPERATIONS)
    return count if count >= 8 else 4 if count >= 4 else 2 if count >= 2 else 1


def even(count: int, most: int) -> int:
    """The size of parts of at most so many, made as equal as can be."""
    parts = -(-count // max(most, 1))
    return -(-count // parts)
