"""Sizes of dimensions, which were objects in TensorFlow 1."""

from __future__ import annotations

from typing import Any

from gradtape.core.dimension import Dimension, dimension_value

__all__ = ["Dimension", "dimension_at_index", "dimension_value"]


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """The dimension of a shape at an index, unknown if the rank is."""
    return Dimension(None if shape.rank is None else dimension_value(shape[index]))
