"""The ways to reduce arrays of several ranks."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from gradtape.core import errors


class ReduceOp(enum.IntEnum):
    """How values of ranks become one."""

    AVERAGE = 0
    SUM = 1
    ADASUM = 2
    MIN = 3
    MAX = 4
    PRODUCT = 5


_NAMES = {
    ReduceOp.AVERAGE: "SUM",
    ReduceOp.SUM: "SUM",
    ReduceOp.MIN: "MIN",
    ReduceOp.MAX: "MAX",
    ReduceOp.PRODUCT: "PROD",
}


def mpi_op(mpi: Any, op: ReduceOp) -> Any:
    """MPI's operation; an average is a sum that is scaled beforehand."""
    return getattr(mpi, _NAMES[op])


def check(op: ReduceOp, dtype: Any, who: str) -> None:
    """An error for a dtype that cannot be reduced."""
    if dtype.kind == "O":
        raise errors.build(errors.DTypeError, f"{who}: strings cannot be reduced.", "use hvd.allgather_object(value).")
    if dtype.kind == "c" and op in (ReduceOp.MIN, ReduceOp.MAX):
        raise errors.build(
            errors.DTypeError,
            f"{who}: complex numbers have no order, so they cannot be reduced by {op.name}.",
            "use op=hvd.Sum.",
        )
    if op is ReduceOp.ADASUM and dtype.kind not in "fV":
        raise errors.build(
            errors.DTypeError, f"{who}: Adasum must have floating numbers, got {dtype}.", "use op=hvd.Sum for integers."
        )


def wide(dtype: Any) -> Any:
    """The dtype in which values are added: MPI adds 16-bit numbers slowly, and knows no bfloat16 and no booleans."""
    if dtype.itemsize <= 2 and dtype.kind in "fV":
        return np.dtype("f4")
    return np.dtype("i4") if dtype.kind == "b" else dtype


def adasum(parts: list[np.ndarray]) -> np.ndarray:
    """Adaptive summation of the ranks' arrays, by pairs in a tree.

    The sum of two gradients that point the same way is their mean; of two that are orthogonal, their sum.
    """
    while len(parts) > 1:
        pairs = [_pair(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[2 * len(pairs) :]
    return parts[0]


def _pair(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    x, y = a.ravel().astype("f8"), b.ravel().astype("f8")
    dot, xx, yy = float(x @ y), float(x @ x), float(y @ y)
    of_a = 1.0 - dot / (2.0 * xx) if xx else 1.0
    of_b = 1.0 - dot / (2.0 * yy) if yy else 1.0
    return (of_a * x + of_b * y).reshape(a.shape).astype(a.dtype)
