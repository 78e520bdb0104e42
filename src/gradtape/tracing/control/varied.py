"""Varied: a list of arrays of different shapes, in place of the array that a `TensorArray` is in a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.tracing.control.stacking import Apart


class Varied(Apart):
    """Elements by number. Arithmetic goes element by element; an element that is missing or empty is zero."""

    __slots__ = ()

    def __init__(self, rows: list[Any], dtype: Any, rank: int) -> None:
        self.rows, self.dtype, self.turned = rows, np.dtype(dtype), False
        self.shape = (len(rows), *[None] * rank)

    def __getitem__(self, t: Any) -> Any:
        if isinstance(t, slice):
            return Varied(self.rows[t], self.dtype, self.ndim - 1)
        if isinstance(t, tuple) and t:
            raise errors.build(
                errors.UnimplementedError,
                "TensorArray: elements of different shapes cannot be vectorized.",
                "use tf.map_fn in place of tf.vectorized_map, and experimental_use_pfor=False for Jacobians.",
            )
        return super().__getitem__(t)

    def row(self, i: int, shape: Sequence[int] | None = None) -> Any:
        """An element; zeros of a shape if it is missing or empty."""
        found = self.rows[i] if i < len(self.rows) else None
        if shape is not None and (found is None or found.shape != tuple(shape)):
            return np.zeros(shape, self.dtype)
        return found

    def fitted(self, count: int) -> Varied:
        """As many elements as are asked for: without the last ones, or with empty ones behind."""
        blank = np.zeros((0,) * (self.ndim - 1), self.dtype)
        return Varied(self.rows[:count] + [blank] * (count - len(self.rows)), self.dtype, self.ndim - 1)

    def put(self, i: int, row: Any) -> Varied:
        """With another element."""
        rows = list(self.fitted(max(i + 1, len(self.rows))).rows)
        rows[i] = np.asarray(row)
        return Varied(rows, self.dtype, self.ndim - 1)

    def _each(self, function: Any, inputs: Any, options: Any) -> Varied:
        count = max(len(x) for x in inputs if isinstance(x, Varied))
        rows = [self._one(function, [_part(x, i) for x in inputs], options) for i in range(count)]
        dtype = rows[0].dtype if rows else self.dtype
        return Varied(rows, dtype, self.ndim - 1)

    @staticmethod
    def _one(function: Any, parts: list[Any], options: Any) -> Any:
        shape = next((p.shape for p in parts if isinstance(p, np.ndarray) and p.size), None)
        if shape is not None:
            parts = [np.zeros(shape, p.dtype) if isinstance(p, np.ndarray) and not p.size else p for p in parts]
        return np.asarray(function(*parts, **options))


def _part(x: Any, i: int) -> Any:
    if not isinstance(x, Varied):
        return x
    return np.asarray(x.rows[i]) if i < len(x) else np.zeros((0,) * (x.ndim - 1), x.dtype)
