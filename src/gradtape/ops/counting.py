"""Counts of small integers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.shape import Spec
from gradtape.ops.family import NO_LOWERING
from gradtape.ops.row_positions import batch_positions


@declare("bincount")
class BinCount(Op):
    """How often each of the numbers from 0 to `size - 1` occurs along the last axis; larger ones are not counted.

    `binary` only says whether a number occurs.
    """

    kinds = "iu"
    vjp = NotDifferentiable("a count is an integer")
    lower = NO_LOWERING

    def infer(self, x: Spec, *, size: int, binary: bool = False, dtype: dtypes.DType) -> Spec:
        self.check_dtypes(x)
        if not x.rank:
            raise self.error(
                errors.ShapeError, f"x is {x}, and must not be a scalar.", "there must be at least one axis."
            )
        if size < 0:
            raise self.error(errors.ShapeError, f"the size must not be negative, got {size}.", "use 0 or more.")
        return Spec((*x.shape[:-1], size), dtype)

    def kernel(self, x: Any, *, size: int, binary: bool = False, dtype: dtypes.DType) -> Any:
        if not x.ndim or size < 0:
            raise ValueError("x is a scalar, or the size negative")
        refuse_negative(x)
        rows = math.prod(x.shape[:-1])
        # One more place in each row takes what is not counted.
        flat = np.minimum(np.reshape(x, (rows, x.shape[-1])), _within(size, x.dtype)).astype(np.intp)
        flat = batch_positions(flat, size + 1)
        found = np.bincount(np.reshape(flat, (flat.size,)), minlength=rows * (size + 1))
        found = np.reshape(found, (*x.shape[:-1], size + 1))[..., :size]
        return (np.minimum(found, 1) if binary else found).astype(dtype.numpy)

    def batch(self, batched: tuple[bool, ...], x: Any, **params: Any) -> Any:
        return self(x, **params)


def refuse_negative(x: Any) -> None:
    """Raises if one of the numbers to count is negative."""
    if x.dtype.kind == "i" and x.size and (least := np.min(x)) < 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"bincount: arr holds {least}, and must not be negative.",
            "shift the numbers, or mask negative ones out.",
        )


def _within(size: int, dtype: np.dtype[Any]) -> Any:
    """A size as a number of a dtype: its largest one, if the size is larger."""
    return dtype.type(min(size, np.iinfo(dtype).max))
