"""Classes of datasets and iterators that programs compare with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import gradtape as tf
from gradtape.compat._internal.names import absent_class
from gradtape.toplevel import specs
from gradtape.toplevel.specs import TypeSpec

_WHY = "all datasets are of one class"
GeneratorDataset = absent_class("_GeneratorDataset", _WHY)
SparseTensorSliceDataset = absent_class("_SparseTensorSliceDataset", _WHY)
TensorSliceDataset = absent_class("_TensorSliceDataset", _WHY)
TensorDataset = absent_class("_TensorDataset", _WHY)
RangeDataset = absent_class("_RangeDataset", _WHY)


class NoneTensorSpec(TypeSpec):
    """The spec of None in a structure."""

    value_type = property(lambda self: type(None))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for None, or its spec."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)


def type_spec_from_value(element: Any, use_fallback: bool = True) -> Any:
    """The specs of an element of a dataset: of the values in dicts, tuples and objects that say what they consist of.

    Args:
      element: the element.
      use_fallback: whether what is no tensor is converted to one.
    """
    if isinstance(element, Mapping):
        items = [(k, type_spec_from_value(v)) for k, v in element.items()]
        kind: Any = type(element)
        return kind(element.default_factory, items) if isinstance(element, defaultdict) else kind(items)
    if isinstance(element, tuple):
        found = [type_spec_from_value(v) for v in element]
        return type(getattr(element, "__wrapped__", element))(*found) if hasattr(element, "_fields") else tuple(found)
    if hasattr(element, "__tf_flatten__"):
        metadata, parts = element.__tf_flatten__()
        return element.__tf_unflatten__(metadata, type_spec_from_value(parts))
    if not use_fallback and isinstance(element, (int, float, complex, str, bytes, list)):
        raise TypeError(f"Could not build a `TypeSpec` for {element!r} with type {type(element).__name__}")
    return specs.type_spec_from_value(element)


def get_flat_tensor_shapes(element_spec: Any) -> list[Any]:
    """The shapes in a structure of specs."""
    return [spec.shape for spec in tf.nest.flatten(element_spec)]


def get_flat_tensor_types(element_spec: Any) -> list[Any]:
    """The dtypes in a structure of specs."""
    return [spec.dtype for spec in tf.nest.flatten(element_spec)]


def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator."""
    return iter(dataset)
