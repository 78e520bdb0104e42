"""Movement: elements of arrays that get other places, and constants beside them.

A **View** says where the elements of a shape are in a contiguous array: strides and an offset, in elements. A **Move**
copies from one view to another, a **Copy** is what an op does: some moves, one after the other.

    transposed(contiguous((2, 3)), (1, 0))     View(shape=(3, 2), strides=(1, 3), offset=0)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.core.dtypes import DType

# An entry of an index: an int, which takes one place and removes the axis, or (start, stop, step) as `slice.indices`
# gives them.
Index = Sequence[int | tuple[int, int, int]]
# Elements from which on a constant is written only beside what is copied, not everywhere before.
_LARGE = 1 << 15


class View(NamedTuple):
    """Where elements are."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0


class Move(NamedTuple):
    """Elements, or one constant many times, to new places.

    Attributes:
      source: the number of the op's input; None for a constant.
      read: where the elements are in it.
      write: where they go, a view of the same shape.
      output: the number of the op's output.
      fill: the bytes of the constant.
    """

    source: int | None
    read: View
    write: View
    output: int = 0
    fill: bytes = b""


class Copy(NamedTuple):
    """Moves, in their order. Elements are as large as those of the outputs, unless `size` says how many bytes they
    have."""

    moves: tuple[Move, ...]
    size: int | None = None


class Strip(NamedTuple):
    """Matrices in which only a strip along the main diagonal stays, with so many diagonals below and above; the rest is
    zero."""

    rows: int
    columns: int
    below: int
    above: int


class Marks(NamedTuple):
    """Zeros `[outer, depth, inner]` with a one at each place that the integers `[outer, inner]` name along the middle
    axis, if there is such a place.

    Attributes:
      one: the bytes of the one.
    """

    outer: int
    depth: int
    inner: int
    one: bytes


def packed(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a contiguous array."""
    strides, step = [0] * len(shape), 1
    for axis in range(len(shape) - 1, -1, -1):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def contiguous(shape: Sequence[int]) -> View:
    """A whole contiguous array."""
    return View(tuple(shape), packed(shape))


def is_contiguous(view: View) -> bool:
    """True if a view has the elements of an array from its beginning on, in their order."""
    return not view.offset and all(
        n == 1 or s == own for n, s, own in zip(view.shape, view.strides, packed(view.shape), strict=True)
    )


def transposed(view: View, perm: Sequence[int]) -> View:
    """Axis i is axis `perm[i]` of the view."""
    return View(tuple([view.shape[p] for p in perm]), tuple([view.strides[p] for p in perm]), view.offset)


def broadcast(view: View, shape: Sequence[int]) -> View:
    """The view repeated along new and unit axes."""
    extra = len(shape) - len(view.shape)
    own = [0 if n == 1 else s for n, s in zip(view.shape, view.strides, strict=True)]
    return View(tuple(shape), (0,) * extra + tuple(own), view.offset)


def reversed_along(view: View, axes: Sequence[int]) -> View:
    """The view from the last element to the first along axes."""
    offset = view.offset
    strides = list(view.strides)
    for axis in axes:
        offset += strides[axis] * (view.shape[axis] - 1)
        strides[axis] = -strides[axis]
    return View(view.shape, tuple(strides), offset)


def sliced(view: View, index: Index) -> View:
    """The part of the view that an index names, entry by entry from the first axis."""
    shape, strides, offset = [], [], view.offset
    for axis, entry in enumerate(index):
        if isinstance(entry, int):
            offset += view.strides[axis] * entry
            continue
        start, _, step = entry
        shape.append(len(range(*entry)))
        strides.append(view.strides[axis] * step)
        offset += view.strides[axis] * start
    return View((*shape, *view.shape[len(index) :]), (*strides, *view.strides[len(index) :]), offset)


def part(shape: Sequence[int], starts: Sequence[int], sizes: Sequence[int]) -> View:
    """A box in a contiguous array."""
    return sliced(contiguous(shape), [(a, a + n, 1) for a, n in zip(starts, sizes, strict=True)])


def seen(view: View) -> Copy:
    """An op whose only result is a view of its only input."""
    return Copy((Move(0, view, contiguous(view.shape)),))


def same(shape: Sequence[int]) -> Copy:
    """An op whose result has the elements of its input in their order."""
    return seen(contiguous(shape))


def filled(shape: Sequence[int], number: Any, dtype: DType) -> Copy:
    """A constant everywhere."""
    return Copy((fill(contiguous(shape), number, dtype),))


def fill(view: View, number: Any, dtype: DType) -> Move:
    """A constant at all places of a view."""
    with np.errstate(all="ignore"):
        bits = np.asarray(number).astype(dtype.numpy).tobytes()
    return Move(None, View(view.shape, (0,) * len(view.shape)), view, fill=bits)


def placed(shape: Sequence[int], index: Index, number: Any, dtype: DType) -> Copy:
    """A constant everywhere but in the part that an index names, which is the input."""
    target = sliced(contiguous(shape), index)
    inside = Move(0, contiguous(target.shape), target)
    boxes = _boxes(shape, index) if math.prod(shape) >= _LARGE else None
    beside = [contiguous(shape)] if boxes is None else boxes
    if math.prod(target.shape) == math.prod(shape):
        beside = []
    return Copy((*[fill(view, number, dtype) for view in beside], inside))


def _boxes(shape: Sequence[int], index: Index) -> list[View] | None:
    """What is not in the part that an index names, as boxes; None if the part has gaps."""
    ranges = [(e, e + 1, 1) if isinstance(e, int) else e for e in index]
    if any(step not in (1, -1) for _, _, step in ranges):
        return None
    starts, sizes = [0] * len(shape), list(shape)
    found = []
    for axis, entry in enumerate(ranges):
        places = range(*entry)
        low, high = (min(places), max(places) + 1) if places else (0, 0)
        for a, b in ((0, low), (high, shape[axis])):
            if a < b:
                found.append(
                    part(shape, [*starts[:axis], a, *starts[axis + 1 :]], [*sizes[:axis], b - a, *sizes[axis + 1 :]])
                )
        starts[axis], sizes[axis] = low, high - low
    return found


def joined(shapes: Sequence[Sequence[int]], axis: int) -> Copy:
    """Inputs one after the other along an axis."""
    length = sum([s[axis] for s in shapes])
    whole = (*shapes[0][:axis], length, *shapes[0][axis + 1 :])
    moves, start = [], 0
    for i, shape in enumerate(shapes):
        starts = [0] * len(shape)
        starts[axis] = start
        moves.append(Move(i, contiguous(shape), part(whole, starts, shape)))
        start += shape[axis]
    return Copy(tuple(moves))


def cut(shape: Sequence[int], sizes: Sequence[int], axis: int) -> Copy:
    """Pieces of an input along an axis, each an output."""
    moves, start = [], 0
    for i, size in enumerate(sizes):
        starts = [0] * len(shape)
        starts[axis] = start
        own = (*shape[:axis], size, *shape[axis + 1 :])
        moves.append(Move(0, part(shape, starts, own), contiguous(own), i))
        start += size
    return Copy(tuple(moves))


class Piece(NamedTuple):
    """A range along an axis: where it begins in the input and in the output, its length, and whether it is mirrored."""

    read: int
    write: int
    size: int
    mirrored: bool = False


def pieced(own: Sequence[int], shape: Sequence[int], axes: Sequence[Sequence[Piece]]) -> Copy:
    """An output of a shape, put together from boxes of the input: along each axis from some pieces."""
    moves = []
    for pieces in itertools.product(*axes):
        sizes = [p.size for p in pieces]
        if 0 in sizes:
            continue
        read = part(own, [p.read for p in pieces], sizes)
        read = reversed_along(read, [axis for axis, p in enumerate(pieces) if p.mirrored])
        moves.append(Move(0, read, part(shape, [p.write for p in pieces], sizes)))
    return Copy(tuple(moves))


def only_view(copy: Any, shape: Sequence[int], output: int = 0) -> View | None:
    """The view of input 0 that a result of a pattern is, of that shape, in order; None if it is something else."""
    if not isinstance(copy, Copy) or copy.size is not None:
        return None
    moves = [move for move in copy.moves if move.output == output]
    if len(moves) != 1:
        return None
    move = moves[0]
    is_whole = is_contiguous(move.write) and math.prod(shape) == math.prod(move.read.shape)
    return move.read if move.source == 0 and is_whole else None
