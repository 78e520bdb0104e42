"""Convolutions of NumPy arrays by products of matrices.

Blocks of windows that fit into the cache become rows of a matrix, which meets the filter in a stack of small products
(see `ops/batched_products.py`); blocks go to whichever thread is free. Only filters so large that small products would not pay
are left to BLAS's own threads.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core.array_protocol import overridable
from gradtape.ops import blas, conv_transpose_small, depthwise
from gradtape.ops.batched_products import accumulate, multiply
from gradtape.ops.im2col import Columns
from gradtape.ops.summation import wide
from gradtape.ops.windows import Block, Box, Pairs, Scan, Sizes, TaskPlan, parts, plan, scan, transposed
from gradtape.ops.workspace import Scratch, ordered_sum, room, run

_BLOCK = 1 << 20  # bytes of a block of windows
_TASK = 1 << 22  # multiplications that are worth a task of their own
_TASKS = 16
_DEEP = 1 << 16  # elements of a filter from which on so small products would be too slow
_LARGE_BLOCK = 8 << 20  # bytes of a block of windows for these
_FILLS = 8  # parts of such a block


@overridable
def convolve(
    x: Any, w: Any, *, strides: Sizes, padding: Pairs, dilations: Sizes, groups: int
) -> Any:  # fmt: skip
    """The sums of products of `w` with the windows of `x`: `[n, *size, c]`, `[*window, c / groups, o] -> [n, *out, o]`."""
    way = scan(x.shape[1:-1], w.shape[:-2], strides, padding, dilations)
    dtype, p, q = result_dtype(x, w), wide(x), wide(w)
    y = room((x.shape[0], *way.out, w.shape[-1]), np.result_type(p, q))
    _correlate_groups(p, q, way, y, groups)
    return y if y.dtype == dtype else y.astype(dtype)


@overridable
def convolve_input(
    dy: Any, w: Any, *, size: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes, groups: int
) -> Any:
    """The transpose of `convolve` in x: `[n, *out, o]`, `[*window, c / groups, o] -> [n, *size, c]`."""
    way = scan(size, w.shape[:-2], strides, padding, dilations)
    dtype, p, q = result_dtype(dy, w), wide(dy), wide(w)
    dx = room((dy.shape[0], *size, w.shape[-2] * groups), np.result_type(p, q))
    if groups == 1 and w.shape[-2] <= conv_transpose_small.FEW and dy.size:
        conv_transpose_small.spread(p, q, way, dx)
        return dx if dx.dtype == dtype else dx.astype(dtype)
    for phase in transposed(size, way):
        part = dx[(slice(None), *phase.place)]
        if phase.scan is None:
            part[...] = 0
        else:
            _correlate_groups(p, _turned(q[phase.taps], groups), phase.scan, part, groups)
    return dx if dx.dtype == dtype else dx.astype(dtype)


@overridable
def convolve_filter(
    x: Any, dy: Any, *, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes, groups: int
) -> Any:
    """The transpose of `convolve` in w: `[n, *size, c]`, `[n, *out, o] -> [*window, c / groups, o]`."""
    way = scan(x.shape[1:-1], window, strides, padding, dilations)
    dtype, p, q = result_dtype(x, dy), wide(x), wide(dy)
    c, o = x.shape[-1] // groups, dy.shape[-1] // groups
    dw = np.empty((*window, c, o * groups), np.result_type(p, q))
    if c == 1 and groups > 1:
        for j in range(o):
            dw[..., 0, j::o] = depthwise.correlate_filter(p, q[..., j::o], way)
    else:
        for g in range(groups):
            dw[..., g * o : (g + 1) * o] = _correlate_filter(
                _part(p, g, c, groups), _part(q, g, o, groups), way
            )  # fmt: skip
    return dw if dw.dtype == dtype else dw.astype(dtype)


def result_dtype(a: Any, b: Any) -> Any:
    """The common dtype; of a narrow and a wide operand, as in an array-mode backward pass, the one computed in."""
    return a.dtype if a.dtype == b.dtype else np.result_type(wide(a), wide(b))


def _turned(w: Any, groups: int) -> Any:
    """The filter of the transposed convolution: in each group, inputs and outputs change places."""
    *window, c, o = w.shape
    split = w.reshape(*window, c, groups, o // groups)
    return np.moveaxis(split, (-1, -2, -3), (-3, -2, -1)).reshape(*window, o // groups, groups * c)


def _part(x: Any, g: int, width: int, groups: int) -> Any:
    """The channels of a group."""
    return x if groups == 1 else x[..., g * width : (g + 1) * width]


def _correlate_groups(x: Any, w: Any, way: Scan, y: Any, groups: int) -> None:
    """Fill `y[n, *out, o]` group by group."""
    c, o = w.shape[-2], w.shape[-1] // groups
    if c == 1 and groups > 1:
        for j in range(o):
            depthwise.correlate(x, w[..., 0, j::o], way, y[..., j::o])
    elif o == 1 and groups > 1:
        _sum_of_depthwise(x, w, way, y)
    else:
        for g in range(groups):
            _correlate(_part(x, g, c, groups), _part(w, g, o, groups), way, _part(y, g, o, groups))


def _sum_of_depthwise(x: Any, w: Any, way: Scan, y: Any) -> None:
    """Several channels to one in each group: the transpose of a depthwise convolution with a multiplier."""
    c = w.shape[-2]
    depthwise.correlate(x[..., 0::c], w[..., 0, :], way, y)
    more = room(y.shape, y.dtype)
    for i in range(1, c):
        depthwise.correlate(x[..., i::c], w[..., i, :], way, more)
        y += more


def _plan(x: Any, way: Scan, width: int, o: int) -> TaskPlan:
    """Blocks of windows that fit into the cache, in tasks for threads."""
    rows = x.shape[0] * math.prod(way.out)
    tasks = max(1, min(_TASKS, rows * width * o // _TASK))
    most = max(1, min(_BLOCK // (x.itemsize * width), -(-rows // tasks)))
    return plan(x.shape[0], x.shape[1:-1], way, most, tasks)


def _correlate(x: Any, w: Any, way: Scan, y: Any) -> None:
    """Fill `y[n, *out, o]` with the products of the windows of x and the filter."""
    o = w.shape[-1]
    if not w.size:
        y[...] = 0
        return
    matrix = w.reshape(-1, o)

    def use(rows: Any, box: Box, product: Any, scratch: Scratch) -> None:
        part = y[box]
        if part.flags.c_contiguous:
            product(rows, matrix, part.reshape(rows.shape[0], o))
        else:
            part[...] = product(rows, matrix, scratch.take((rows.shape[0], o))).reshape(part.shape)

    if matrix.size > _DEEP:
        scratch = Scratch(y.dtype)
        for rows, box in _large_blocks(x, way):
            use(rows, box, blas.matmul, scratch)
        return
    work = _plan(x, way, matrix.shape[0], o)

    def task(i: int) -> None:
        scratch = Scratch(y.dtype)
        for rows, box in _blocks(x, way, work, i):
            use(rows, box, multiply, scratch)

    run(task, len(work.tasks))


def _blocks(x: Any, way: Scan, work: TaskPlan, i: int) -> Iterator[tuple[Any, Box]]:
    """The rows of windows of each block of a task, one after the other in the same memory."""
    columns = Columns(x, way)
    for block in work.tasks[i]:
        rows = columns.alone(block)
        yield columns.at(block) if rows is None else rows, block.box


def _large_blocks(x: Any, way: Scan) -> Iterator[tuple[Any, Box]]:
    """Rows of windows for products that are worth BLAS's own threads; several of ours bring the windows together."""
    columns = Columns(x, way)
    most = max(1, _LARGE_BLOCK // (x.itemsize * columns.width))
    work = plan(x.shape[0], x.shape[1:-1], way, most, 1)
    for block in itertools.chain(*work.tasks):
        rows = columns.alone(block)
        if rows is None:
            rows = _gather(x, way, block, columns.scratch.take((block.rows, columns.width)))
        yield rows, block.box


def _gather(x: Any, way: Scan, block: Block, memory: Any) -> Any:
    """The rows of windows of a large block, filled in by several threads."""
    pieces = parts(block, _FILLS, x.shape[1:-1], way)
    ends = list(itertools.accumulate([piece.rows for piece in pieces], initial=0))

    def fill(i: int) -> None:
        Columns(x, way).at(pieces[i], memory[ends[i] : ends[i + 1]])

    run(fill, len(pieces))
    return memory


def _correlate_filter(x: Any, dy: Any, way: Scan) -> Any:
    """`[*window, c, o]`: the sums over all places of what the window sees there times `dy`."""
    c, o = x.shape[-1], dy.shape[-1]
    width, dtype = math.prod(way.window) * c, np.result_type(x, dy)
    if width * o > _DEEP:
        total = np.zeros((width, o), dtype)
        for rows, box in _large_blocks(x, way):
            total += blas.matmul(rows.T, dy[box].reshape(rows.shape[0], o))
        return total.reshape(*way.window, c, o)
    if not width or not o:
        return np.zeros((*way.window, c, o), dtype)
    work = _plan(x, way, width, o)
    sums: list[Any] = [None] * len(work.tasks)

    def task(i: int) -> None:
        sums[i], scratch = np.zeros((width, o), dtype), Scratch(dtype)
        for rows, box in _blocks(x, way, work, i):
            accumulate(rows, dy[box].reshape(rows.shape[0], o), sums[i], scratch)

    run(task, len(sums))
    return ordered_sum(sums, (width, o), dtype).reshape(*way.window, c, o)
