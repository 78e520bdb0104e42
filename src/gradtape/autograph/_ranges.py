"""`for i in tf.range(n)` where n is known only when the function runs: a loop that counts, without the numbers as a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gradtape.core import convert, dtypes
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor
from gradtape.tracing.symbol import Symbol
from gradtape.tracing.trace import current_trace


class Bounds(NamedTuple):
    """Where a range begins and ends, and the step, which is known."""

    start: Any
    limit: Any
    delta: int


def noted(function: Callable[..., Any]) -> Callable[..., Any]:
    """`tf.range`, which also writes down the bounds of a range of integers whose length is not known."""

    def range_(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
        made = function(start, limit, delta, dtype, name)
        if isinstance(made, Symbol) and made.dtype in _COUNTABLE and type(delta) is int and delta:
            first, last = (0, start) if limit is None else (start, limit)
            made.trace.ranges[made.value] = Bounds(_cast(first, made.dtype), _cast(last, made.dtype), delta)
        elif type(made) is Tensor and made.shape[0] == 0 and (trace := current_trace()) is not None:
            first = 0 if limit is None else start
            ranges: Any = trace.ranges
            ranges[id(made)] = made, convert.convert_to_tensor(first, made.dtype)
        return made

    return range_


_COUNTABLE = (dtypes.int32, dtypes.int64)


def _cast(value: Any, dtype: dtypes.DType) -> Any:
    value = convert.convert_to_tensor(value) if isinstance(value, Tensor) else convert.convert_to_tensor(value, dtype)
    return value if value.dtype is dtype else REGISTRY["cast_to_discrete"](value, dtype=dtype)


def bounds_of(x: Any) -> Bounds | None:
    """The bounds of a tensor that is a range; None for all others."""
    return x.trace.ranges.get(x.value) if isinstance(x, Symbol) else None


def start_of(x: Any) -> Any:
    """Where a range without numbers begins; None for all other tensors."""
    trace: Any = current_trace()
    found = trace.ranges.get(id(x)) if type(x) is Tensor and trace is not None else None
    return None if found is None else found[1]
