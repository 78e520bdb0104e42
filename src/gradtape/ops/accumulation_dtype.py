"""The dtype that kernels compute in: float16, bfloat16 and float8 have too few digits for sums, products and series."""

from __future__ import annotations

from typing import Any


def is_narrow(x: Any) -> bool:
    """True for an array of float16, bfloat16 or float8."""
    return bool(x.dtype.kind == "V" or x.dtype.char == "e")
