"""Pooling of NumPy arrays: extremes and means of windows over any axes, and the ways back.

Where each result needs all of its window at once, the loop runs over the taps of the window, and each tap is one
NumPy call on a strided view of all places; sums and maxima go axis by axis. Padding is never materialised: a tap that
would see it is left out for those places.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradtape.core import dtypes, memory
from gradtape.core.array_protocol import overridable
from gradtape.ops.summation import total, wide
from gradtape.ops.windows import Box, Pairs, Scan, Sizes, axis_taps, scan, taps
from gradtape.ops.workspace import room

_BLOCK = 1 << 17  # elements of a block: a few such blocks fit into the cache


def winner_dtype(window: Sizes) -> dtypes.DType:
    """The dtype in which taps are counted."""
    return dtypes.uint8 if math.prod(window) <= 256 else dtypes.int32


@overridable
def largest(x: Any, *, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes) -> Any:
    """The maximum of each window; nan if there is one."""
    way = scan(x.shape, window, strides, padding, dilations)
    y = room(way.out, x.dtype)
    in_blocks(lambda rows, part: _by_axes(x[rows], part, np.maximum, lowest(x.dtype), y[rows]), x, way)
    return y


@overridable
def mean(x: Any, *, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes) -> Any:
    """The mean of what each window sees of the input."""
    way = scan(x.shape, window, strides, padding, dilations)
    p = wide(x)
    y = room(way.out, p.dtype)
    count = _counts(x.shape, way, p.dtype)

    def block(rows: slice, part: Scan) -> None:
        _by_axes(p[rows], part, np.add, 0, y[rows])
        np.divide(y[rows], count, out=y[rows])

    in_blocks(block, x, way)
    return y if y.dtype == x.dtype else y.astype(x.dtype)


@overridable
def mean_back(g: Any, *, size: Sizes, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes) -> Any:
    """The transpose of `mean`: every position gets its share of the windows that saw it."""
    way = scan(size, window, strides, padding, dilations)
    p = wide(g)
    if not p.size:
        return np.zeros(size, g.dtype)
    x = room(size, p.dtype)
    count = _counts(size, way, p.dtype)
    in_blocks(lambda rows, part: _back_by_axes(p[rows] / count, part, x[rows]), x, way)
    return x if x.dtype == g.dtype else x.astype(g.dtype)


@overridable
def winners(x: Any, *, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes) -> Any:
    """The number of the first tap of each window that sees its maximum."""
    way = scan(x.shape, window, strides, padding, dilations)
    y = np.empty(way.out, winner_dtype(window).numpy)

    def block(rows: slice, part: Scan) -> None:
        contest(y[rows], ((tap.places, x[rows][tap.positions]) for tap in taps(x[rows].shape, part)), x.dtype)

    if y.size:
        first_taps(x.shape, way, y)
    in_blocks(block, x, way)
    return y


def contest(y: Any, seen: Iterator[tuple[Box, Any]], dtype: Any) -> None:
    """Put the number of the first tap with the largest value into y, which holds that of the first tap of all.

    Args:
      y: the numbers, for all places.
      seen: for each tap, the places where it sees the input, and the values there.
      dtype: that of the values.
    """
    best = np.full(y.shape, lowest(dtype), dtype)
    for number, (places, values) in enumerate(seen):
        here = best[places]
        better = np.greater(values, here)
        # Later taps have larger numbers; a masked copy would take ten times as long.
        np.maximum(y[places], better * y.dtype.type(number), out=y[places])
        np.maximum(values, here, out=here)


def first_taps(size: Sizes, way: Scan, y: Any) -> None:
    """Fill y with the number of the first tap that sees the input at each place."""
    y[...] = 0
    each = 1
    for axis in reversed(range(len(size))):
        out, window, start, stride, dilation = (field[axis] for field in way)
        # The first tap that is not before the input.
        k = np.clip(-((start + np.arange(out) * stride) // dilation), 0, window - 1)
        y += (k * each).astype(y.dtype).reshape((-1,) + (1,) * (len(size) - axis - 1))
        each *= window


@overridable
def positions(
    winner: Any, *, size: Sizes, first: int, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes
) -> Any:
    """Where the chosen tap of each window is, counted over the axes from `first` on."""
    way = scan(size, window, strides, padding, dilations)
    left = winner.astype(np.int64)
    found = np.zeros(way.out, np.int64)
    each = 1
    for axis in reversed(range(len(size))):
        left, k = np.divmod(left, window[axis])
        place = way.starts[axis] + np.arange(way.out[axis]) * strides[axis]
        if axis >= first:
            found += each * (place.reshape((-1,) + (1,) * (len(size) - axis - 1)) + k * dilations[axis])
            each *= size[axis]
    return found


@overridable
def pick(x: Any, winner: Any, *, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes) -> Any:
    """What the chosen tap of each window sees."""
    way = scan(x.shape, window, strides, padding, dilations)
    y = np.zeros(way.out, x.dtype)

    def block(rows: slice, part: Scan) -> None:
        target, source, chosen = y[rows], x[rows], winner[rows]
        for number, tap in enumerate(taps(source.shape, part)):
            # All but one of the terms are exact zeros.
            target[tap.places] += where(chosen[tap.places] == number, source[tap.positions])

    in_blocks(block, x, way)
    return y


@overridable
def place(g: Any, winner: Any, *, size: Sizes, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes) -> Any:
    """The transpose of `pick`: every position gets the sum of g over the windows whose chosen tap saw it."""
    way = scan(size, window, strides, padding, dilations)
    p = wide(g)
    if not p.size:
        return np.zeros(size, g.dtype)
    x = room(size, p.dtype)
    is_disjoint = all(d * (k - 1) < s for k, s, d in zip(window, strides, dilations, strict=True))

    def block(rows: slice, part: Scan) -> None:
        target, values, chosen = x[rows], p[rows], winner[rows]
        target.fill(0)
        for number, tap in enumerate(taps(target.shape, part)):
            part_of_it = where(chosen[tap.places] == number, values[tap.places])
            if is_disjoint:
                target[tap.positions] = part_of_it
            else:
                target[tap.positions] += part_of_it

    in_blocks(block, x, way)
    return x if x.dtype == g.dtype else x.astype(g.dtype)


def where(mask: Any, values: Any) -> Any:
    """The values where the mask holds, else 0, by their bits: `np.where` takes three times as long, and a product would
    make nan of inf and 0."""
    if values.itemsize > 8:
        return np.where(mask, values, values.dtype.type(0))
    integer = np.dtype(f"i{values.itemsize}")
    bits = np.negative(mask.view(np.int8), dtype=integer)
    np.bitwise_and(bits, values.view(integer), out=bits)
    return bits.view(values.dtype)


def in_blocks(block: Callable[[slice, Scan], None], x: Any, way: Scan) -> None:
    """Call `block(rows, scan)` for parts of the first axis, on several threads; for all of it if windows cross them."""
    n = x.shape[0]
    if not math.prod(way.out) or not x.size:
        return
    is_free = (way.window[0], way.strides[0], way.starts[0], way.out[0]) == (1, 1, 0, n)
    step = n if not is_free else max(1, _BLOCK * n // max(x.size, math.prod(way.out)))
    if step >= n:
        block(slice(None), way)
        return
    parts = {rows: way._replace(out=(rows, *way.out[1:])) for rows in {step, n % step or step}}
    memory.run(lambda i: block(slice(i, i + step), parts[min(step, n - i)]), range(0, n, step))


def _by_axes(x: Any, way: Scan, ufunc: Any, start: Any, y: Any) -> None:
    """Fill y with the windows of x, reduced by a ufunc, one axis after the other; first all that are one window."""
    axes = _moved(x.shape, way)
    covered = tuple([i for i in axes if way.out[i] == 1 and way.covered_whole(i, x.shape[i])])
    if covered:
        x = total(x, covered, True) if ufunc is np.add else ufunc.reduce(x, axis=covered, keepdims=True)
        axes = [i for i in axes if i not in covered]
    for axis in axes:
        shape = (*x.shape[:axis], way.out[axis], *x.shape[axis + 1 :])
        x = _along(x, way, axis, ufunc, start, y if axis == axes[-1] else room(shape, x.dtype))
    if not axes:
        y[...] = x


def _moved(size: Sizes, way: Scan) -> list[int]:
    """The axes along which something happens."""
    return [i for i, n in enumerate(size) if (way.window[i], way.strides[i], way.out[i]) != (1, 1, n)]


def _along(x: Any, way: Scan, axis: int, ufunc: Any, start: Any, y: Any) -> Any:
    """y filled with the windows along one axis, reduced."""
    before = (slice(None),) * axis
    whole = slice(0, way.out[axis])
    pairs = axis_taps(x.shape[axis], *[field[axis] for field in way])
    full = [p for o, p in pairs if o == whole]
    rest = [(o, p) for o, p in pairs if o != whole and o.stop > o.start]
    if len(full) > 1:
        ufunc(x[(*before, full[0])], x[(*before, full[1])], out=y)
    elif full:
        y[...] = x[(*before, full[0])]
    else:
        y.fill(start)
    for o, p in [*[(whole, p) for p in full[2:]], *rest]:
        here = y[(*before, o)]
        ufunc(here, x[(*before, p)], out=here)
    return y


def _back_by_axes(g: Any, way: Scan, x: Any) -> None:
    """Fill x with the sums of g over the windows that see each position, one axis after the other."""
    axes = _moved(x.shape, way)[::-1]
    for axis in axes:
        shape = (*g.shape[:axis], *x.shape[axis:])
        g = _back_along(g, way, axis, x if axis == axes[-1] else room(shape, g.dtype))
    if not axes:
        x[...] = g


def _back_along(g: Any, way: Scan, axis: int, x: Any) -> Any:
    n = x.shape[axis]
    before = (slice(None),) * axis
    if way.out[axis] == 1 and way.covered_whole(axis, n):
        x[...] = g
        return x
    pairs = axis_taps(n, *[field[axis] for field in way])
    is_disjoint = way.dilations[axis] * (way.window[axis] - 1) < way.strides[axis]
    if not is_disjoint or sum(o.stop - o.start for o, _ in pairs) < n:
        x.fill(0)
    for o, p in pairs:
        if is_disjoint:
            x[(*before, p)] = g[(*before, o)]
        else:
            x[(*before, p)] += g[(*before, o)]
    return x


@functools.lru_cache(maxsize=256)
def _counts(size: Sizes, way: Scan, dtype: Any) -> Any:
    """The number of positions that the window sees at each place; it broadcasts over the first axis."""
    counts: Any = np.ones((1,) * len(size), dtype)
    for axis, (n, out, *rest) in enumerate(zip(size, *way, strict=True)):
        seen = np.zeros(out, dtype)
        for o, _ in axis_taps(n, out, *rest):
            seen[o] += 1
        if out and np.all(seen == seen[0]):
            seen = seen[:1]
        counts = counts * seen.reshape((-1,) + (1,) * (len(size) - axis - 1))
    return counts


def lowest(dtype: Any) -> Any:
    """The value that every other is at least."""
    own = dtypes.from_numpy(dtype)
    return own.numpy.type(-np.inf) if own.is_floating else own.min
