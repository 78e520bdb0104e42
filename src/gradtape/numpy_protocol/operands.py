"""The operands of NumPy functions: tensors among other values, and arguments without a counterpart in gradtape."""

from __future__ import annotations

from typing import Any

from gradtape.core import convert
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

OURS = (Tensor, Variable)


class NotCovered(Exception):
    """An argument of a NumPy function that ours has no counterpart for."""


def alike(inputs: Any) -> list[Tensor]:
    """The inputs as tensors; NumPy and Python values take the dtype of the first tensor."""
    dtype = next(x.dtype for x in inputs if isinstance(x, OURS))
    return [
        x if isinstance(x, Tensor) else x._read() if isinstance(x, Variable) else convert.like(x, dtype) for x in inputs
    ]
