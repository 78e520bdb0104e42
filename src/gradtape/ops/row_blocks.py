"""Kernels that work row by row on large arrays: blocks of rows that stay in cache, shared among threads.

The blocks depend on the shape alone, so the bits of a result do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import memory

_ndarray = np.ndarray
# Elements per block: it should stay in cache, but take so long that threads seldom meet at the interpreter lock.
_BLOCK = 1 << 18
# Up to this many elements handing out blocks takes longer than it saves.
_SINGLE = 1 << 17
_FEWEST = 4
# Shorter rows cost NumPy more in loop starts than blocks save.
_SHORT = 32
# BLAS adds with a fixed number of partial sums; longer rows are cut, so that each of them meets few elements.
_DOT = 4096
_BUFFER = 1024


def suits(*arrays: Any) -> bool:
    """True for large NumPy arrays of one float dtype, in C order, with rows along the last axis that are not short."""
    first = arrays[0]
    return (
        type(first) is _ndarray
        and first.size >= memory.THRESHOLD
        and first.dtype.char in "fd"
        and first.shape[-1] >= _SHORT
        and all(type(a) is _ndarray and a.dtype == first.dtype and a.flags.c_contiguous for a in arrays)
    )


def matrix(x: Any) -> Any:
    """A view with all axes but the last made one."""
    return x.reshape(-1, x.shape[-1])


def starts(rows: int, width: int) -> range:
    """The first rows of the blocks; the range's step is how many rows a block has."""
    if rows * width <= _SINGLE:
        return range(0, rows, rows)
    return range(0, rows, max(1, min(_BLOCK // width, -(-rows // _FEWEST))))


def by_blocks(compute: Callable[[slice], None], rows: int, width: int) -> None:
    """Call `compute` with the rows of each block, on this thread and the workers."""
    blocks = starts(rows, width)

    def work(start: int) -> None:
        # With NumPy's usual buffer a column or row beside a block takes up to twice as long, though nothing is buffered.
        # `large.run` works under `np.errstate`, at whose end the size is what it was.
        np.setbufsize(_BUFFER)
        compute(slice(start, start + blocks.step))

    memory.run(work, blocks)


def dots(a: Any, b: Any) -> Any:
    """A column with the inner product of each row of `a` with that of `b`, or with the vector `b`."""
    width = a.shape[-1]
    if width <= _DOT:
        return np.vecdot(a, b)[..., None]
    parts = [np.vecdot(a[..., i : i + _DOT], b[..., i : i + _DOT]) for i in range(0, width, _DOT)]
    return np.add.reduce(np.stack(parts, axis=-1), axis=-1, keepdims=True)
