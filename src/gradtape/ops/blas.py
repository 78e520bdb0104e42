"""Calls of BLAS and LAPACK: none runs while the process forks, and none delays Ctrl-C.

OpenBLAS ends its threads in a handler of fork, which never returns if one of them is at work. So a fork waits for the calls that may use
these threads, and lets no other begin. And NumPy cannot be interrupted in a call: long products are computed in parts of some
tenths of a second, and long decompositions on a thread of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import locks
from gradtape.ops.interruptible import apart, by_rows

# Multiplications from which on OpenBLAS may use threads: matrices times vectors come first.
THREADED = 1 << 13
# Multiplications that take some tenths of a second.
LONG = 1 << 32
# The same for decompositions, which take many times as long for each element times the smaller size.
_DECOMPOSED = 1 << 22
# And for one, from which on it is worth a thread.
_LONG_DECOMPOSITION = 1 << 26

_gate = locks.Gate("products")
run = _gate.run


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """The product of two matrices of at least THREADED multiplications."""
    (m, k), n = a.shape, b.shape[1]
    if m * k * n <= LONG:
        return run(a.dot, b, out)
    if out is None:
        out = np.empty((m, n), a.dtype)
    # Whole blocks of what BLAS packs: the bits are those of one product.
    step = max(64, LONG // (k * n) // 64 * 64)
    for i in range(0, m, step):
        run(a[i : i + step].dot, b, out[i : i + step])
    return out


def matmul(a: Any, b: Any, out: Any = None) -> Any:
    """`np.matmul` of arrays."""
    return run(np.matmul, a, b) if out is None else run(np.matmul, a, b, out=out)


def lapack(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `np.linalg` that is counted if its matrix is not small. Many matrices are given to it some at a time."""

    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        if x.size < THREADED:
            return function(x, *args, **kwargs)
        if args:  # solve, whose second argument may be of other sizes
            is_long = x.size * min(x.shape[-2:]) >= _LONG_DECOMPOSITION
            return apart(run, function, x, *args, **kwargs) if is_long else run(function, x, *args, **kwargs)
        smaller = max(1, min(x.shape[-2:]))
        return by_rows(
            lambda part: run(function, part, **kwargs), x, 2, _DECOMPOSED // smaller, _LONG_DECOMPOSITION // smaller
        )

    return call


svd, qr, inv, solve = lapack(np.linalg.svd), lapack(np.linalg.qr), lapack(np.linalg.inv), lapack(np.linalg.solve)
cholesky, eig, eigh = lapack(np.linalg.cholesky), lapack(np.linalg.eig), lapack(np.linalg.eigh)
eigvals, eigvalsh = lapack(np.linalg.eigvals), lapack(np.linalg.eigvalsh)
# NaNs are results, and no reason to warn. The functions above turn NumPy's warnings off themselves.
_quiet = np.errstate(all="ignore")
det, slogdet = _quiet(lapack(np.linalg.det)), _quiet(lapack(np.linalg.slogdet))
