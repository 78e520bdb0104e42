"""Work on large arrays in independent parts, so that Ctrl-C takes effect between two of them.

Python handles a signal when NumPy returns. The parts are the same rows that one call would go through, so the bits are the same. A call that
cannot be divided, such as the decomposition of one matrix, runs on another thread, for which the main thread waits.
"""

from __future__ import annotations

import contextvars
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import locks, threads

PART = 1 << 22  # elements; sorting as many takes less than half a second


def by_rows(function: Callable[[Any], Any], x: Any, axes: int = 1, part: int = PART, long: int = 2 * PART) -> Any:
    """What a function of arrays gives that works on the last axes of each, for all rows, about `part` elements at a time; it has
    one result, or a tuple of some. One row of `long` elements is worth a thread."""
    if x.size <= part or type(x) is not np.ndarray:
        return function(x)
    count = math.prod(x.shape[: x.ndim - axes])
    if count < 2:
        return apart(function, x) if x.size >= long else function(x)
    rows = x.reshape(count, *x.shape[x.ndim - axes :])
    step = max(1, part * count // x.size)
    parts = [function(rows[i : i + step]) for i in range(0, count, step)]
    lead = x.shape[: x.ndim - axes]
    if not isinstance(parts[0], tuple):
        return _joined(parts, lead)
    joined = [_joined(column, lead) for column in zip(*parts, strict=True)]
    return type(parts[0])(*joined) if hasattr(parts[0], "_fields") else tuple(joined)


def apart(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a long call returns that releases the interpreter's lock. Ctrl-C ends the wait for it at once; the call itself goes on to its
    end on its thread, and nobody sees the result. Signals come to the main thread only, so others call it themselves."""
    if threading.current_thread() is not threading.main_thread():
        return function(*args, **kwargs)
    results: list[Any] = []
    problems: list[BaseException] = []
    done = locks.event("long call")
    context = contextvars.copy_context()  # which has NumPy's errstate

    def work() -> None:
        try:
            with threads.companion():
                results.append(context.run(function, *args, **kwargs))
        except BaseException as problem:
            problems.append(problem)
        finally:
            done.set()

    threading.Thread(target=work, name="gradtape-long-call", daemon=True).start()
    done.wait()
    if problems:
        raise problems[0]
    return results[0]


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
