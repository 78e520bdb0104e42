"""Classes of datasets and iterators that programs compare with."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.compat._internal.names import absent_class
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


def get_flat_tensor_shapes(element_spec: Any) -> list[Any]:
    """The shapes in a structure of specs."""
    return [spec.shape for spec in tf.nest.flatten(element_spec)]


def get_flat_tensor_types(element_spec: Any) -> list[Any]:
    """The dtypes in a structure of specs."""
    return [spec.dtype for spec in tf.nest.flatten(element_spec)]


def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator."""
    return iter(dataset)
