"""Specs: descriptions of values other than tensors, and the spec of any value."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

from gradtape.control_flow.tensor_array import TensorArray
from gradtape.core import convert, dtypes, errors
from gradtape.core.composite import Composite
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.variable import Variable


class TypeSpec(abc.ABC):
    """Base of the specs: all classes that can tell whether a value is compatible.

    >>> isinstance(tf.TensorSpec([2]), tf.TypeSpec)
    True
    """

    @classmethod
    def __subclasshook__(cls, kind: type) -> Any:
        return (
            True
            if cls is TypeSpec and hasattr(kind, "is_compatible_with") and hasattr(kind, "dtype")
            else NotImplemented
        )

    @abc.abstractmethod
    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if a value or a spec is of this kind."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), *[str(v) for v in vars(self).values()]))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name.lstrip('_')}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({fields})"


class IndexedSlicesSpec(TypeSpec):
    """The spec of `tf.IndexedSlices`.

    >>> tf.IndexedSlicesSpec([4, 2]).is_compatible_with(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), [4, 2]))
    True
    """

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape, self._dtype = TensorShape(shape), dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape([None] if indices_shape is None else indices_shape)

    value_type = IndexedSlices
    shape = property(lambda self: self._shape, doc="The shape of the whole tensor.")
    dtype = property(lambda self: self._dtype, doc="The dtype of the values.")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for slices or a spec of the same dtype and a compatible shape."""
        if not isinstance(spec_or_value, (IndexedSlices, IndexedSlicesSpec)):
            return False
        return spec_or_value.dtype == self._dtype and self._shape.is_compatible_with(spec_or_value.shape)


class TensorArraySpec(TypeSpec):
    """The spec of a `tf.TensorArray`.

    >>> tf.TensorArraySpec(dtype=tf.int32).is_compatible_with(tf.TensorArray(tf.int32, 2))
    True
    """

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = dtypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape, self._dtype = TensorShape(element_shape), dtypes.as_dtype(dtype)
        self._dynamic_size, self._infer_shape = dynamic_size, infer_shape

    value_type = TensorArray
    dtype = property(lambda self: self._dtype, doc="The dtype of the elements.")
    element_shape = property(lambda self: self._element_shape, doc="The shape of an element.")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for arrays or a spec of the same dtype and a compatible shape of elements."""
        if not isinstance(spec_or_value, (TensorArray, TensorArraySpec)):
            return False
        return spec_or_value.dtype == self._dtype and self._element_shape.is_compatible_with(
            spec_or_value.element_shape
        )


class OptionalSpec(TypeSpec):
    """The spec of a `tf.experimental.Optional`.

    >>> tf.OptionalSpec(tf.TensorSpec([], tf.int32)).element_spec
    TensorSpec(shape=(), dtype=tf.int32, name=None)
    """

    dtype = None

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    element_spec = property(lambda self: self._element_spec, doc="The structure of specs of the value.")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for an Optional, or the spec of one, of equal elements."""
        return bool(getattr(spec_or_value, "element_spec", None) == self._element_spec)


def type_spec_from_value(value: Any) -> Any:
    """The spec of a tensor, variable, array, dataset, IndexedSlices or of another value that has one.

    >>> tf.type_spec_from_value(tf.ones([2, 3]))
    TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)
    """
    if isinstance(value, IndexedSlices):
        return IndexedSlicesSpec(value.shape, value.dtype, value.indices.dtype)
    if isinstance(value, TensorArray):
        return TensorArraySpec(value.element_shape, value.dtype)
    if isinstance(value, Composite):
        return value._spec()
    if hasattr(value, "_type_spec"):
        return value._type_spec
    if hasattr(value, "has_value"):
        return OptionalSpec(value.element_spec)
    if isinstance(value, Variable):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, Mapping):
        raise _without_spec(value)
    try:
        return TensorSpec.from_tensor(convert.convert_to_tensor(value))
    except (TypeError, ValueError):
        raise _without_spec(value) from None


def _without_spec(value: Any) -> TypeError:
    return TypeError(
        errors.compose(
            f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.",
            "pass a tensor, or call it on each part of a structure with tf.nest.map_structure.",
            depth=2,
        )
    )
