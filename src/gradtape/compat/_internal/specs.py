"""BoundedTensorSpec: a spec with the least and the largest value."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes
from gradtape.core.shape import TensorSpec
from gradtape.polymorphic_function.function_signature import graph_name

sanitize_spec_name = graph_name


class BoundedTensorSpec(TensorSpec):
    """The spec of tensors whose elements lie between two bounds."""

    __slots__ = ("_maximum", "_minimum")

    def __init__(self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None) -> None:
        super().__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            raise ValueError("minimum and maximum can not be None")
        self._minimum = np.array(minimum, self.dtype.as_numpy_dtype)
        self._maximum = np.array(maximum, self.dtype.as_numpy_dtype)
        for what, limit in (("minimum", self._minimum), ("maximum", self._maximum)):
            try:
                np.broadcast_shapes(limit.shape, tuple(self.shape))
            except ValueError:
                raise ValueError(f"`{what}` {limit} is not compatible with the shape {self.shape}.") from None
        self._minimum.setflags(write=False)
        self._maximum.setflags(write=False)

    minimum = property(lambda self: self._minimum, doc="The least value.")
    maximum = property(lambda self: self._maximum, doc="The largest value.")

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """A spec with bounds like another one: those of the dtype if it has none."""
        dtype = dtypes.as_dtype(spec.dtype)
        low, high = getattr(spec, "minimum", None), getattr(spec, "maximum", None)
        return cls(
            spec.shape,
            dtype,
            dtype.min if low is None else low,
            dtype.max if high is None else high,
            name or spec.name,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundedTensorSpec) or not super().__eq__(other):
            return False
        return bool(np.allclose(self._minimum, other._minimum) and np.allclose(self._maximum, other._maximum))

    def __hash__(self) -> int:
        return hash((super().__hash__(), self._minimum.tobytes(), self._maximum.tobytes()))

    def __reduce__(self) -> Any:
        return BoundedTensorSpec, (self.shape, self.dtype, self._minimum, self._maximum, self.name)

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )
