"""The ways to reduce arrays of several ranks."""

from __future__ import annotations

import enum
import functools
from typing import Any

import numpy as np

from gradtape.compiler import eager
from gradtape.core import dtypes, errors
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import wrap
from gradtape.polymorphic_function.function import function


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
    """The dtype used to add values: MPI adds 16-bit numbers slowly, and has no bfloat16 and no booleans."""
    if dtype.itemsize <= 2 and dtype.kind in "fV":
        return np.dtype("f4")
    return np.dtype("i4") if dtype.kind == "b" else dtype


_COMPILED = 1 << 14  # numbers from which on machine code adds: NumPy converts 16-bit numbers one at a time


def sum_narrow(parts: np.ndarray, scale: float) -> np.ndarray:
    """The sum over the first axis of 16-bit numbers, added and scaled in float32: scaled before, small numbers would be lost."""
    factor = np.float32(scale)
    if parts.size < _COMPILED:
        return np.ascontiguousarray((parts.astype(np.float32).sum(0) * factor).astype(parts.dtype))
    return np.ascontiguousarray(_narrow_program()(wrap(parts), wrap(factor))._array)


@functools.cache
def _narrow_program() -> Any:
    cast, add = REGISTRY["cast"], REGISTRY["add"]

    def total(parts: Any, factor: Any) -> Any:
        rows = [cast(parts[i], dtype=dtypes.float32) for i in range(parts.shape[0])]
        return cast(functools.reduce(add, rows) * factor, dtype=parts.dtype)

    return function(total)


def scale_integers(array: np.ndarray, scale: float, count: int = 1) -> np.ndarray:
    """Integers times a number, over a count; rounded towards zero, as Horovod does."""
    if scale != 1.0:
        array = np.trunc(array * scale).astype(array.dtype)
    if count == 1:
        return array
    quotient: np.ndarray = array // count
    quotient += ((quotient < 0) & (quotient * count != array)).astype(array.dtype)
    return quotient


def neutral(op: ReduceOp, dtype: Any) -> Any:
    """The number that changes nothing when it is reduced with others."""
    if op is ReduceOp.PRODUCT:
        return dtype.type(1)
    if op not in (ReduceOp.MIN, ReduceOp.MAX):
        return dtype.type(0)
    if dtype.kind == "f":
        return dtype.type(np.inf if op is ReduceOp.MIN else -np.inf)
    limits = np.iinfo(dtype)
    return limits.max if op is ReduceOp.MIN else limits.min


_PIECES = (
    1 << 20,
    1 << 17,
    1 << 14,
    1 << 11,
)  # numbers of a call of machine code, which is made for a size; NumPy converts the rest


def pack(array: Any, view: np.ndarray) -> None:
    """Copy an array to its place in a bucket. Wider numbers become 16-bit numbers on the way, in one pass of machine code."""
    if view.dtype.itemsize != 2 or array.dtype == view.dtype:
        view[...] = array
        return
    source, target = np.ascontiguousarray(array).reshape(-1), view.reshape(-1)
    start = 0
    for size in _PIECES:
        while source.size - start >= size:
            kernel = _conversion(source.dtype, target.dtype, size)
            if kernel is None:
                target[start : start + size] = source[start : start + size]
            else:
                kernel(source[start : start + size], out=target[start : start + size])
            start += size
    with np.errstate(over="ignore"):  # what is too large is infinite, as machine code makes it
        target[start:] = source[start:]


@functools.cache
def _conversion(source: Any, target: Any, size: int) -> Any:
    """Machine code that converts so many numbers; None where there is none."""
    return eager.generate(REGISTRY["cast"], [np.empty(size, source)], {"dtype": dtypes.as_dtype(target)})


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
