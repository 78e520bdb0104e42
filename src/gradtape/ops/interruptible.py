"""Large arrays in parts that do not depend on each other, so that Ctrl-C is heard between two of them.

Python handles a signal when NumPy returns. The parts are the same rows that one call would go through, so the bits are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

PART = 1 << 22  # elements; sorting as many takes less than half a second


def by_rows(function: Callable[[Any], Any], x: Any, axes: int = 1, part: int = PART) -> Any:
    """What a function of arrays gives that works on the last axes of each, for all rows, about `part` elements at a time; it has
    one result, or a tuple of some."""
    if x.size <= part or type(x) is not np.ndarray:
        return function(x)
    count = math.prod(x.shape[: x.ndim - axes])
    if count < 2:
        return function(x)
    rows = x.reshape(count, *x.shape[x.ndim - axes :])
    step = max(1, part * count // x.size)
    parts = [function(rows[i : i + step]) for i in range(0, count, step)]
    lead = x.shape[: x.ndim - axes]
    if not isinstance(parts[0], tuple):
        return _joined(parts, lead)
    joined = [_joined(column, lead) for column in zip(*parts, strict=True)]
    return type(parts[0])(*joined) if hasattr(parts[0], "_fields") else tuple(joined)


def _joined(parts: Any, lead: tuple[int, ...]) -> Any:
    whole = np.concatenate(parts)
    return whole.reshape(*lead, *whole.shape[1:])


def accumulate(ufunc: np.ufunc, source: Any, axis: int, target: Any) -> None:
    """`ufunc.accumulate` into `target`, a part of the axis at a time: each begins with the last result of the one before."""
    length = source.shape[axis]
    step = max(1, PART * length // max(source.size, 1))
    before = (slice(None),) * axis
    ufunc.accumulate(
        source[(*before, slice(0, step))], axis=axis, dtype=target.dtype, out=target[(*before, slice(0, step))]
    )
    for start in range(step, length, step):
        last, part = (*before, slice(start - 1, start)), (*before, slice(start, start + step))
        both = np.concatenate([target[last], source[part]], axis=axis)
        done = ufunc.accumulate(both, axis=axis, dtype=target.dtype)
        target[part] = done[(*before, slice(1, None))]
