"""Sums of arrays, exact to a few units in the last place and quick in every direction.

NumPy sums pairwise only along the axis that is innermost in memory; along any other it adds row by row, and 10^6
float32 rows lose three digits. Short rows, on the other hand, cost it a loop start each. Here an outer axis is folded
sixteenfold, again and again, so that each element meets few others and every pass runs over long rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.ops.accumulation_dtype import is_narrow

_ndarray = np.ndarray
_reduce: Any = np.add.reduce

_LARGE = 4096  # below this NumPy's own order is accurate enough, and the detour would cost more than it saves
_MANY = 256  # as many rows may be added one by one
_FOLD = 16
_SHORT = 16  # rows up to this length are summed column by column


def wide(x: Any) -> Any:
    """float16, bfloat16 and float8 as float32, in which they are accumulated; anything else as it is."""
    return x.astype(np.float32) if is_narrow(x) else x


def total(x: Any, axis: tuple[int, ...], keepdims: bool = False) -> Any:
    """The sum over sorted axes; float16, bfloat16 and float8 give float32, so that the caller rounds once."""
    dtype = x.dtype
    if dtype.char not in "fdFD":
        if dtype.kind in "iu":
            return _reduce(x, axis, dtype, None, keepdims)
        x = wide(x)
    if x.size > _LARGE and type(x) is _ndarray and axis:
        return _large(x, axis, keepdims)
    return _reduce(x, axis, None, None, keepdims)


def _large(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    if len(axis) == 1 and _SHORT < x.shape[axis[0]] <= _MANY:
        return _reduce(x, axis, None, None, keepdims)
    work, axes = x, axis
    if x.flags.c_contiguous:
        if len(axis) == x.ndim:
            return _reduce(x, None, None, None, keepdims)
        work, axes = _merged(x, axis)
    for a in _order(work, axes):
        work = _along(work, a)
    shape = tuple([1 if i in axis else n for i, n in enumerate(x.shape) if keepdims or i not in axis])
    return work.reshape(shape) if shape else work.reshape(())[()]


def _order(x: Any, axes: tuple[int, ...]) -> list[int]:
    """Axes in the order to sum them: long rows first, then the longest axis, so that little remains."""
    return sorted(axes, key=lambda a: (x.shape[a] <= _SHORT or not _innermost(x, a), -x.shape[a]))


def _innermost(x: Any, axis: int) -> bool:
    """True if neighbours along an axis are neighbours in memory, as far as the array has any: NumPy sums it pairwise."""
    own: int = abs(x.strides[axis])
    return 0 < own <= min([abs(s) for s, n in zip(x.strides, x.shape, strict=True) if n > 1], default=0)


def _merged(x: Any, axis: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """A contiguous array with neighbouring reduced axes made one, and neighbouring kept axes too."""
    shape: list[int] = []
    reduced: list[bool] = []
    for i, n in enumerate(x.shape):
        if n == 1:
            continue
        if reduced and reduced[-1] == (i in axis):
            shape[-1] *= n
        else:
            shape.append(n)
            reduced.append(i in axis)
    return x.reshape(shape), tuple([i for i, flag in enumerate(reduced) if flag])


def _along(x: Any, axis: int) -> Any:
    """The sum along one axis, which stays with length 1."""
    n = x.shape[axis]
    if _innermost(x, axis):
        return _short_rows(x, axis) if 2 <= n <= _SHORT else _reduce(x, axis, None, None, True)
    before = (slice(None),) * axis
    rest = None
    while n > 2 * _FOLD:
        q = n // _FOLD
        if n > _FOLD * q:
            more = _reduce(x[(*before, slice(_FOLD * q, None))], axis, None, None, True)
            rest = more if rest is None else rest + more
        folded = x[(*before, slice(0, _FOLD * q))].reshape((*x.shape[:axis], _FOLD, q, *x.shape[axis + 1 :]))
        x = _reduce(folded, axis)
        n = q
    x = _reduce(x, axis, None, None, True)
    return x if rest is None else x + rest


def _short_rows(x: Any, axis: int) -> Any:
    columns = [x[(slice(None),) * axis + (slice(i, i + 1),)] for i in range(x.shape[axis])]
    result = columns[0] + columns[1]
    for column in columns[2:]:
        result += column
    return result
