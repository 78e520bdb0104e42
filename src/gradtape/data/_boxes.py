"""Boxes: tensors of rank 0 whose only element is an object of Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.tensor import Tensor, wrap


def boxed(value: Any) -> Tensor:
    """A box with an object in it."""
    box = np.empty((), object)
    box[()] = value
    return wrap(box)


def received(array: Any) -> Tensor:
    """A value that a Python function received as a tensor; scalar strings arrive as bytes."""
    return boxed(array) if isinstance(array, bytes) else wrap(array)


def opened(box: Any) -> Any:
    """The object in a box; functions of Python get the content of arrays of rank 0."""
    return box[()] if isinstance(box, np.ndarray) else box
