"""Depthwise convolutions of NumPy arrays: every channel has a separate filter, so there is no matrix product.

A window that moves in steps of one sees, by each of its taps, the same memory at another offset. So a tap is one
multiplication of flat arrays, with the weights of the channels repeated. Places where the window would hang over the
end of a row are computed too, and left out of the result.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gradtape.ops.im2col import Patches
from gradtape.ops.windows import Block, Scan, TaskPlan, plan
from gradtape.ops.workspace import Scratch, ordered_sum, run

_BLOCK = 1 << 19  # bytes of a block of results
_TASK = 1 << 17  # multiplications that are worth a task of their own
_TASKS = 16


def correlate(x: Any, w: Any, way: Scan, y: Any) -> None:
    """Fill `y[n, *out, c]` with the sums over the taps of `x[n, ..., c] * w[*window, c]`."""
    work = _plan(x, way)
    if not work.tasks:
        return
    # The first block is the largest.
    weights = _weights(w, way, work.tasks[0][0])

    def task(i: int) -> None:
        patches, scratch = Patches(x), Scratch(y.dtype)
        for block in work.tasks[i]:
            view = _view(way, patches.at(block), block)
            total, product = scratch.take((2, *view.shape))
            for k, seen in enumerate(view.taps):
                np.multiply(seen, weights[k][: view.length], out=product if k else total)
                if k:
                    np.add(total, product, out=total)
            y[block.box] = view.places(total)

    run(task, len(work.tasks))


def correlate_filter(x: Any, dy: Any, way: Scan) -> Any:
    """`[*window, c]`: the sums over all places of what each tap sees there times `dy`, channel by channel."""
    work = _plan(x, way)
    taps, c, dtype = math.prod(way.window), dy.shape[-1], np.result_type(x, dy)
    sums: list[Any] = [None] * len(work.tasks)
    axes = tuple(range(dy.ndim - 2))

    def task(i: int) -> None:
        patches, scratch = Patches(x), Scratch(dtype)
        sums[i] = np.zeros((taps, dy.shape[-2], c), dtype)
        for block in work.tasks[i]:
            view = _view(way, patches.at(block), block)
            product, other = scratch.take((2, *view.shape))
            # What lies between the places is not used, but nan and the like would be slow to multiply.
            other.fill(0)
            view.places(other)[...] = dy[block.box]
            products, width = view.places(product), block.places[-1]
            for k, seen in enumerate(view.taps):
                np.multiply(seen, other, out=product)
                sums[i][k, :width] += np.add.reduce(products, axis=axes)
        sums[i] = np.add.reduce(sums[i], axis=1)

    run(task, len(sums))
    return ordered_sum(sums, (taps, c), dtype).reshape(*way.window, c)


class _Flat:
    """Steps of one: the taps see flat arrays."""

    def __init__(self, way: Scan, part: Any, block: Block) -> None:
        part = np.ascontiguousarray(part)
        # In elements, and by the shape: what NumPy says of an axis of length 1 may be anything.
        self.steps = tuple([math.prod(part.shape[axis + 1 :]) for axis in range(part.ndim)])
        self.block, self.channels = block, part.shape[-1]
        self.length = _length(block, part.shape[-1])
        self.shape = (self.length,)
        flat = part.reshape(-1)
        offsets = [sum(map(math.prod, zip(tap, way.dilations, self.steps[1:-1], strict=True))) for tap in _taps(way)]
        self.taps = [flat[o : o + self.length] for o in offsets]

    def places(self, values: Any) -> Any:
        """`[n, *places, c]`: what belongs to a place of an array of this view's shape."""
        strides = [step * values.itemsize for step in self.steps]
        return as_strided(values, (*self.block.places, self.channels), strides)


class _Stepping:
    """Strides above 1: the taps skip elements."""

    def __init__(self, way: Scan, part: Any, block: Block) -> None:
        self.shape = (*block.places, part.shape[-1])
        self.length = part.shape[-1]
        self.taps = []
        for tap in _taps(way):
            axes = zip(tap, way.dilations, way.strides, block.places[1:], strict=True)
            self.taps.append(part[(slice(None), *[slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, s, n in axes])])

    def places(self, values: Any) -> Any:
        """The array: each element belongs to a place."""
        return values


def _view(way: Scan, part: Any, block: Block) -> _Flat | _Stepping:
    return _Flat(way, part, block) if max(way.strides) == 1 else _Stepping(way, part, block)


def _taps(way: Scan) -> list[tuple[int, ...]]:
    return list(itertools.product(*map(range, way.window)))


def _length(block: Block, c: int) -> int:
    """The elements of the part that a block covers from the first place to the end of the last."""
    length = step = c
    for size, count in zip(block.shape[::-1], block.places[::-1], strict=True):
        length += (count - 1) * step
        step *= size
    return length


def _weights(w: Any, way: Scan, block: Block) -> list[Any]:
    """The weights of each tap as `_view` needs them for a block."""
    c = w.shape[-1]
    rows = list(w.reshape(-1, c))
    if max(way.strides) > 1:
        return rows
    return [np.tile(row, _length(block, c) // max(1, c)) for row in rows]


def _plan(x: Any, way: Scan) -> TaskPlan:
    rows, c = x.shape[0] * math.prod(way.out), x.shape[-1]
    tasks = max(1, min(_TASKS, rows * c * math.prod(way.window) // _TASK))
    most = max(1, min(_BLOCK // (x.itemsize * max(1, c)), -(-rows // tasks)))
    return plan(x.shape[0], x.shape[1:-1], way, most, tasks)
