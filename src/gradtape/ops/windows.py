"""The arithmetic of windows that move over an axis: how many places they have, what they cover, how work is divided."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

from gradtape.core.size_cache import cache_by_sizes

Sizes = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]
Box = tuple[slice, ...]


class Scan(NamedTuple):
    """A window on its way over some axes: tap `k` at place `o` meets the position `start + o * stride + k * dilation`.

    Positions outside the input hold padding.
    """

    out: Sizes
    window: Sizes
    starts: Sizes
    strides: Sizes
    dilations: Sizes

    def covered(self, box: Box) -> Box:
        """The positions that the windows at a box of places cover, some of them perhaps outside the input."""
        parts = zip(box, self.window, self.starts, self.strides, self.dilations, strict=True)
        return tuple(
            [slice(a + o.start * s, a + (o.stop - 1) * s + (k - 1) * d + 1) for o, k, a, s, d in parts]
        )  # fmt: skip

    def covered_whole(self, axis: int, n: int) -> bool:
        """True if the window at the first place is an axis of length n, neither more nor less."""
        return (self.window[axis], self.starts[axis]) == (n, 0) and (self.dilations[axis] == 1 or n == 1)

    @property
    def is_pointwise(self) -> bool:
        """True if each place sees one position, its neighbour the next."""
        return all(k == 1 for k in self.window) and all(s == 1 for s in self.strides)


def extent(window: int, dilation: int) -> int:
    """The positions from the first tap to the last."""
    return (window - 1) * dilation + 1


@cache_by_sizes(maxsize=4096)
def same_padding(size: Sizes, window: Sizes, strides: Sizes, dilations: Sizes) -> Pairs:
    """The padding with which a window has `ceil(size / stride)` places; an odd element goes to the end."""
    pairs = []
    for n, k, s, d in zip(size, window, strides, dilations, strict=True):
        total = max(0, (-(-n // s) - 1) * s + extent(k, d) - n)
        pairs.append((total // 2, total - total // 2))
    return tuple(pairs)


@cache_by_sizes(maxsize=4096)
def scan(size: Sizes, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes) -> Scan:
    """The way of a window over axes of a size with padding. A negative number of places means that it does not fit."""
    parts = zip(size, window, strides, padding, dilations, strict=True)
    out = tuple([(n + low + high - extent(k, d)) // s + 1 for n, k, s, (low, high), d in parts])
    return Scan(out, window, tuple([-low for low, _ in padding]), strides, dilations)


class Phase(NamedTuple):
    """The part of a transposed scan that fills every stride-th position.

    Attributes:
      place: which positions of the input are filled.
      taps: which taps of the window do so, the last first.
      scan: the way of these taps over the output; None if there are none, and the positions get zeros.
    """

    place: Box
    taps: Box
    scan: Scan | None


@cache_by_sizes(maxsize=1024)
def transposed(size: Sizes, forward: Scan) -> tuple[Phase, ...]:
    """A scan seen from the input of that size: one ordinary scan over the output for each remainder by the strides.

    Position `i` receives from place `o` by tap `k` if `i = start + o * stride + k * dilation`. For a fixed remainder
    of `i` the taps that fit are an arithmetic progression, and their places move by one as `i` moves by a stride.
    """
    found = []
    axes = zip(size, *forward, strict=True)
    for parts in itertools.product(*[list(_axis_phases(*axis)) for axis in axes]):
        place, taps = tuple([p[0] for p in parts]), tuple([p[1] for p in parts])
        ways = [p[2] for p in parts]
        whole = None
        if all(w is not None for w in ways):
            out, window, starts, dilations = (tuple(column) for column in zip(*ways, strict=True))
            whole = Scan(out, window, starts, (1,) * len(size), dilations)
        found.append(Phase(place, taps, whole))
    return tuple(found)


def _axis_phases(
    n: int, out: int, window: int, start: int, stride: int, dilation: int
) -> Iterator[tuple[slice, slice, tuple[int, int, int, int] | None]]:
    """For each remainder: the positions, the taps, and (places, taps, start, dilation) of the scan over the output."""
    step, apart = stride // math.gcd(stride, dilation), dilation // math.gcd(stride, dilation)
    for remainder in range(min(stride, n)):
        place = slice(remainder, n, stride)
        first = next((k for k in range(min(step, window)) if (remainder - start - k * dilation) % stride == 0), None)
        if first is None or not out:
            yield place, slice(0, 0), None
            continue
        count = -(-(window - first) // step)
        nearest = (remainder - start - first * dilation) // stride
        # The last tap reaches furthest back. A slice that counts down past 0 ends with None.
        taps = slice(first + (count - 1) * step, first - step if first >= step else None, -step)
        yield place, taps, (-(-(n - remainder) // stride), count, nearest - (count - 1) * apart, apart)


class Tap(NamedTuple):
    """One tap of a window: the places where it sees the input, and the positions that it sees there."""

    places: Box
    positions: Box


@cache_by_sizes(maxsize=4096)
def axis_taps(n: int, out: int, window: int, start: int, stride: int, dilation: int) -> tuple[tuple[slice, slice], ...]:
    """For each tap of an axis: the places where it sees the input, and the positions that it sees there."""
    found = []
    for k in range(window):
        offset = start + k * dilation
        low = max(0, -(offset // stride))
        high = max(low, min(out, (n - 1 - offset) // stride + 1))
        first = offset + low * stride
        found.append((slice(low, high), slice(first, first + (high - low - 1) * stride + 1, stride)))
    return tuple([(o, p if o.stop > o.start else slice(0, 0)) for o, p in found])


@cache_by_sizes(maxsize=1024)
def taps(size: Sizes, way: Scan) -> tuple[Tap, ...]:
    """The taps of a window in their order."""
    axes = [axis_taps(*axis) for axis in zip(size, *way, strict=True)]
    return tuple([Tap(tuple([a for a, _ in tap]), tuple([b for _, b in tap])) for tap in itertools.product(*axes)])


class Block(NamedTuple):
    """Some examples and places, and what the windows there cover of the input.

    Attributes:
      box: the examples and places, neighbours in the order of the result.
      places: how many there are along each axis.
      rows: how many there are.
      shape: of the part that the windows cover, without channels.
      inside: whether this part is inside the input.
      source: where the part is in the input, as far as it is inside; None if it is outside altogether.
      target: where that is in the part.
    """

    box: Box
    places: Sizes
    rows: int
    shape: Sizes
    inside: bool
    source: Box | None
    target: Box


def block(box: Box, size: Sizes, way: Scan) -> Block:
    """A box of examples and places of a scan over an input of that size."""
    places = tuple([s.stop - s.start for s in box])
    covered = way.covered(box[1:])
    shape = (places[0], *[c.stop - c.start for c in covered])
    source: list[slice] = [box[0]]
    target = [slice(None)]
    for c, n in zip(covered, size, strict=True):
        low, high = max(c.start, 0), min(c.stop, n)
        source.append(slice(low, high))
        target.append(slice(low - c.start, high - c.start))
    inside = all(c.start >= 0 and c.stop <= n for c, n in zip(covered, size, strict=True))
    is_seen = all(s.stop > s.start for s in source[1:])
    return Block(box, places, math.prod(places), shape, inside, tuple(source) if is_seen else None, tuple(target))


class TaskPlan(NamedTuple):
    """Work on all places of a scan, cut into blocks, and these into tasks; and the rows of the largest block, the first."""

    tasks: tuple[tuple[Block, ...], ...]
    largest: int


@functools.lru_cache(maxsize=256)
def plan(examples: int, size: Sizes, way: Scan, rows: int, tasks: int) -> TaskPlan:
    """Blocks of at most so many rows (more if the last axis alone has more), in at most so many tasks.

    The cut depends on nothing but these numbers, so sums over blocks have the same bits whatever the number of threads.
    """
    found = [block(box, size, way) for box in _boxes((examples, *way.out), rows)]
    each = max(1, -(-len(found) // tasks))
    return TaskPlan(
        tuple([tuple(found[i : i + each]) for i in range(0, len(found), each)]), found[0].rows if found else 0
    )  # fmt: skip


def _boxes(lengths: Sizes, rows: int) -> list[Box]:
    """An array cut into boxes of neighbouring rows, in order."""
    if not math.prod(lengths):
        return []
    axis, inner = 0, math.prod(lengths[1:])
    while inner > rows and axis < len(lengths) - 1:
        axis += 1
        inner //= lengths[axis]
    step = max(1, min(lengths[axis], rows // inner))
    outer = [[slice(i, i + 1) for i in range(n)] for n in lengths[:axis]]
    middle = [slice(i, min(i + step, lengths[axis])) for i in range(0, lengths[axis], step)]
    return list(itertools.product(*outer, middle, *[[slice(0, n)] for n in lengths[axis + 1 :]]))


def parts(whole: Block, count: int, size: Sizes, way: Scan) -> list[Block]:
    """A block divided into about n blocks, in order, along the first axis that can be divided."""
    axis = next((i for i, n in enumerate(whole.places) if n > 1), len(whole.places) - 1)
    start, stop = whole.box[axis].start, whole.box[axis].stop
    step = -(-(stop - start) // count)
    pieces = [slice(i, min(i + step, stop)) for i in range(start, stop, step)]
    return [block((*whole.box[:axis], piece, *whole.box[axis + 1 :]), size, way) for piece in pieces]
