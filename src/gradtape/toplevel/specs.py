"""Specs: descriptions of values other than tensors, and the spec of any value."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.control_flow.tensor_array import TensorArray
from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.composite import Composite
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.variable import Variable


class TypeSpec(abc.ABC):  # noqa: B024
    """Base of the specs: all classes that can tell whether a value is compatible.

    A subclass for values of its own says of which tensors they consist: `value_type`, `_serialize`, `_component_specs`,
    `_to_components` and `_from_components`. Comparisons follow from `_serialize`.

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

    def _serialize(self) -> tuple[Any, ...]:
        """What tells this spec from others of its class."""
        return tuple(vars(self).values())

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> Any:
        """The spec that was serialized."""
        return cls(*serialization)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if a value or a spec is of this kind."""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else type_spec_from_value(spec_or_value)
        return type(other) is type(self) and TypeSpec.__is_compatible(self._serialize(), other._serialize())

    def is_subtype_of(self, other: Any) -> bool:
        """True if every value of this kind is one of the other."""
        return type(other) is type(self) and _is_below(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest spec of which this and the others are cases; None if there is none."""
        if any(type(other) is not type(self) for other in others):
            return None
        merged = _merged([self._serialize(), *[other._serialize() for other in others]])
        return None if merged is _NONE else self._deserialize(merged)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """As `most_specific_common_supertype` of one other spec; ValueError if there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return nest.flatten(self._component_specs, expand_composites=True)

    @property
    def _component_specs(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._component_specs")

    @staticmethod
    def __is_compatible(a: Any, b: Any) -> bool:
        if isinstance(a, (TypeSpec, TensorShape, dtypes.DType)):
            return bool(a.is_compatible_with(b))
        if type(a) is not type(b) and not _are_alike(a, b):
            return False
        if isinstance(a, (list, tuple)):
            return len(a) == len(b) and all(TypeSpec.__is_compatible(x, y) for x, y in zip(a, b, strict=True))
        if isinstance(a, Mapping):
            return list(a) == list(b) and all(TypeSpec.__is_compatible(a[key], b[key]) for key in a)
        return bool(a == b)

    def __make_cmp_key(self, value: Any) -> Any:
        """A value as something that can be compared and hashed."""
        if isinstance(value, Mapping):
            return tuple([(self.__make_cmp_key(k), self.__make_cmp_key(value[k])) for k in nest.sorted_keys(value)])
        if isinstance(value, (list, tuple)):
            return tuple([self.__make_cmp_key(v) for v in value])
        if isinstance(value, TensorShape):
            return TensorShape, None if value.rank is None else tuple(value)
        if isinstance(value, np.ndarray):
            return np.ndarray, value.shape, self.__make_cmp_key(value.tolist())
        return value

    def __get_cmp_key(self) -> Any:
        return type(self), self.__make_cmp_key(self._serialize())

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__get_cmp_key() == other.__get_cmp_key()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.__get_cmp_key())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


_NONE = object()


def _are_alike(a: Any, b: Any) -> bool:
    """Whether two containers are of one type; named tuples of one name and the same fields are."""
    return type(a) is type(b) or (isinstance(a, tuple) and isinstance(b, tuple) and nest.are_alike(a, b))


def _is_below(a: Any, b: Any) -> bool:
    if hasattr(a, "is_subtype_of"):
        return bool(a.is_subtype_of(b))
    if isinstance(a, (list, tuple)) and _are_alike(a, b):
        return len(a) == len(b) and all(_is_below(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return set(a) == set(b) and all(_is_below(a[key], b[key]) for key in a)
    return bool(a == b)


def _merged(values: list[Any]) -> Any:
    """What serialized specs have in common: specs and shapes become wider, all else must be equal."""
    first = values[0]
    if hasattr(first, "most_specific_common_supertype"):
        found = first.most_specific_common_supertype(values[1:])
        return _NONE if found is None else found
    if isinstance(first, TensorShape):
        return functools.reduce(TensorShape.most_specific_compatible_shape, values)
    if isinstance(first, (list, tuple)):
        if any(not _are_alike(first, v) or len(v) != len(first) for v in values):
            return _NONE
        parts = [_merged(list(column)) for column in zip(*values, strict=True)]
        if any(p is _NONE for p in parts):
            return _NONE
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    if isinstance(first, Mapping):
        if any(not isinstance(v, Mapping) or set(v) != set(first) for v in values):
            return _NONE
        found = {key: _merged([v[key] for v in values]) for key in first}
        return _NONE if any(v is _NONE for v in found.values()) else found
    return first if all(v == first for v in values) else _NONE


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

    def _opened(self) -> IndexedSlices:
        """Slices of specs: what a function of such slices is traced with."""
        count = self._indices_shape[:1] if self._indices_shape.rank else [None]
        rows = TensorShape(None) if self._shape.rank is None else TensorShape([*count, *self._shape[1:]])
        sizes = None if self._dense_shape_dtype is None else TensorSpec([self._shape.rank], self._dense_shape_dtype)
        return IndexedSlices(TensorSpec(rows, self._dtype), TensorSpec(self._indices_shape, self._indices_dtype), sizes)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        opened = self._opened()
        return tuple([s for s in (opened.values, opened.indices, opened.dense_shape) if s is not None])

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

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """The spec of an array."""
        return cls(value.element_shape, value.dtype, value.dynamic_size, value._one_shape)

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

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


# What libraries have registered: a class, the function that makes the spec of its objects, and whether it does so for subclasses.
CONVERTERS: list[tuple[type, Callable[[Any], Any], bool]] = []


def type_spec_from_value(value: Any) -> Any:
    """The spec of a tensor, variable, array, dataset, IndexedSlices or of another value that has one.

    >>> tf.type_spec_from_value(tf.ones([2, 3]))
    TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)
    """
    if isinstance(value, IndexedSlices):
        return _spec_of_slices(value)
    if isinstance(value, TensorArray):
        return TensorArraySpec.from_value(value)
    if isinstance(value, Composite):
        return value._spec()
    if hasattr(value, "_type_spec"):
        return value._type_spec
    if isinstance(value, Variable):
        return TensorSpec(value.shape, value.dtype)
    for kind, converter, with_subclasses in CONVERTERS:
        if type(value) is kind or (with_subclasses and isinstance(value, kind)):
            return converter(value)
    if isinstance(value, Mapping):
        raise _without_spec(value)
    try:
        return TensorSpec.from_tensor(convert.convert_to_tensor(value))
    except (TypeError, ValueError):
        raise _without_spec(value) from None


def _spec_of_slices(slices: IndexedSlices) -> IndexedSlicesSpec:
    shape = TensorShape([None]).concatenate(slices.values.shape[1:])
    sizes = None
    if slices.dense_shape is not None:
        sizes = dtypes.as_dtype(slices.dense_shape.dtype)
        shape = shape.merge_with(slices.shape)
    rows = slices.indices.shape.merge_with(slices.values.shape[:1])
    return IndexedSlicesSpec(shape, slices.dtype, slices.indices.dtype, sizes, rows)


def _without_spec(value: Any) -> TypeError:
    return TypeError(
        errors.compose(
            f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.",
            "pass a tensor, or call it on each part of a structure with tf.nest.map_structure.",
            depth=2,
        )
    )
