"""Arguments of a call, matched with the description of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradtape.core import convert, nest, state
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.polymorphic_function.cache_key import Description, is_boxed
from gradtape.polymorphic_function.function_type import VariableSpec


class DoesNotFit(Exception):
    """A trace is for other arguments."""


class MatchedLeaves:
    """The tensors and variables of arguments, in the order in which a trace takes them.

    Args:
      converts: whether numbers and lists become tensors.
      reads: whether a tensor fits a number of Python that it equals.
    """

    def __init__(self, converts: bool, reads: bool = True) -> None:
        self._converts, self._reads = converts, reads
        self.tensors: list[Any] = []
        self.variables: list[Variable] = []

    def take(self, value: Any, described: Any) -> None:
        """Add what a value holds; raises if it is not as the trace describes it."""
        if isinstance(described, TensorSpec):
            self.tensors.append(self._tensor(value, described))
        elif isinstance(described, VariableSpec):
            self._variable(value, described)
        elif isinstance(described, IndexedSlices):
            self._must(isinstance(value, IndexedSlices))
            for own, its in zip(_parts(value), _parts(described), strict=True):
                self.take(own, its)
        elif isinstance(described, CompositeSpec):
            self._must(isinstance(value, (Composite, CompositeSpec)) and described.is_compatible_with(value))
            self.tensors += value._components() if isinstance(value, Composite) else []
        elif isinstance(described, Mapping):
            self._must(isinstance(value, Mapping) and set(value) == set(described))
            for key in sorted(described, key=str):
                self.take(value[key], described[key])
        elif isinstance(described, (list, tuple)):
            self._must(isinstance(value, (list, tuple)) and len(value) == len(described))
            self._must(getattr(value, "_fields", None) == getattr(described, "_fields", None))
            for own, its in zip(value, described, strict=True):
                self.take(own, its)
        elif is_boxed(described):
            self._must(is_boxed(value) and described.is_compatible_with(value))
            self.tensors.append(value._boxed())
        elif nest.has_parts(described):
            self._must(type(value) is type(described))
            self._must(nest.besides_parts(value) == nest.besides_parts(described))
            self.take(nest.parts(value), nest.parts(described))
        else:
            self._must((self._reads or not isinstance(value, (Tensor, Variable))) and _is_same(value, described))

    @staticmethod
    def _must(truth: bool) -> None:
        if not truth:
            raise DoesNotFit

    def _tensor(self, value: Any, spec: TensorSpec) -> Any:
        if isinstance(value, Variable):
            value = value._read()
        if not isinstance(value, (Tensor, TensorSpec)):
            self._must(self._converts or isinstance(value, (np.ndarray, np.generic)))
            value = self._converted(value, spec)
        shape = value.get_shape() if hasattr(value, "get_shape") else value.shape
        self._must(value.dtype is spec.dtype and _covers(spec.shape, shape))
        return value

    def _converted(self, value: Any, spec: TensorSpec) -> Tensor:
        try:
            if self._converts and isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fiub":
                value = value.astype(spec.dtype.numpy)
            return convert.convert_to_tensor(value, spec.dtype if self._converts else None)
        except (TypeError, ValueError):
            raise DoesNotFit from None

    def _variable(self, value: Any, spec: VariableSpec) -> None:
        self._must(isinstance(value, Variable))
        self._must(VariableSpec(value.shape, value.dtype, value.trainable) == spec)
        if not any(value is known for known in self.variables):
            self.variables.append(value)


def _is_same(value: Any, described: Any) -> bool:
    """True if a value of Python is the one that the trace was made for. Objects are only known in words."""
    if isinstance(described, Description):
        return not isinstance(value, (Tensor, Variable, np.ndarray))
    if (
        isinstance(value, Tensor) and state.current.trace is not None
    ):  # also constants, which have a value while tracing
        return False
    try:
        return bool(value == described)
    except (TypeError, ValueError, NotImplementedError):  # a tensor without a value, an array
        return False


def _parts(slices: IndexedSlices) -> list[Any]:
    return [p for p in (slices.values, slices.indices, slices.dense_shape) if p is not None]


def _covers(general: Any, shape: Any) -> bool:
    """True if every value of a shape has the general shape."""
    if general.rank is None:
        return True
    return shape.rank == general.rank and all(m in (None, n) for m, n in zip(general, shape, strict=True))
