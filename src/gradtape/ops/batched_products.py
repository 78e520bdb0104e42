"""Products of matrices in stacks of small ones.

Each is just too small for BLAS to use threads of its own. They are cheap to call, since `np.matmul` runs through a stack
of them, reach nine tenths of a core's peak, and leave the threads to us: nobody waits at a barrier in the middle of a
product, and no bit depends on the number of threads.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.ops import blas
from gradtape.ops.workspace import Scratch

# Products of fewer multiplications than this run on one thread in OpenBLAS.
_SMALL = (1 << 19) - 1


def _pieces(n: int, most: int) -> list[slice]:
    """`n` split evenly into pieces of limited size."""
    size = -(-n // -(-n // most))
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]


def _together(area: int) -> int:
    """How many rows a product of that area may have; BLAS likes multiples of 4."""
    return max(4, _SMALL // max(1, area) // 4 * 4)


def multiply(a: Any, b: Any, out: Any) -> Any:
    """`a @ b` in `out`, as a stack of products of some rows each: `[rows, k]`, `[k, n]`."""
    rows, (k, n) = a.shape[0], b.shape
    each = _together(k * n)
    many = rows // each
    if rows <= each:
        return blas.matmul(a, b, out=out)
    whole = many * each
    blas.matmul(a[:whole].reshape(many, each, k), b, out=out[:whole].reshape(many, each, n))
    if whole < rows:
        blas.matmul(a[whole:], b, out=out[whole:])
    return out


def accumulate(a: Any, b: Any, total: Any, scratch: Scratch) -> None:
    """Add `a.T @ b` to `total`, by small products: `[rows, k]`, `[rows, n]`."""
    # Products as deep as they are wide: then few sums of them remain to be added.
    for inner in _pieces(a.shape[1], max(16, math.isqrt(_SMALL // b.shape[1]))):
        _accumulate_stacked(a[:, inner], b, total[inner], scratch)


def _accumulate_stacked(a: Any, b: Any, total: Any, scratch: Scratch) -> None:
    (rows, k), n = a.shape, b.shape[1]
    each = _together(k * n)
    many = rows // each
    whole = many * each
    if many:
        left = a[:whole].reshape(many, each, k).transpose(0, 2, 1)
        products = blas.matmul(left, b[:whole].reshape(many, each, n), out=scratch.take((many, k, n)))
        total += products[0] if many == 1 else np.add.reduce(products, 0)
    if whole < rows:
        total += blas.matmul(a[whole:].T, b[whole:])


def multiply_turned(a: Any, b: Any, out: Any) -> Any:
    """`a @ b.T` in `out`, by small products: `[m, k]`, `[rows, k] -> [m, rows]`."""
    (m, k), rows = a.shape, b.shape[0]
    each = _together(m * k)
    many = rows // each
    whole = many * each
    if many:
        right = b[:whole].reshape(many, each, k).transpose(0, 2, 1)
        blas.matmul(a, right, out=out[:, :whole].reshape(m, many, each).transpose(1, 0, 2))
    if whole < rows:
        blas.matmul(a, b[whole:].T, out=out[:, whole:])
    return out
