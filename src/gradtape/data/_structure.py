"""Elements: nested tuples and dicts of tensors. Lists in them are tensors too, as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.control_flow.tensor_array import TensorArray
from gradtape.core import convert, errors, nest
from gradtape.core.array_values import RaggedTensorValue, SparseTensorValue
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.shape import TensorShape, TensorSpec, spec_of
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.data import _composites as composites
from gradtape.data import _nested as nested
from gradtape.data._specs import DatasetSpec, OptionalSpec
from gradtape.toplevel.specs import TensorArraySpec

# The names in a tuple of arrays that TensorFlow takes for a sparse tensor, `tf.compat.v1.SparseTensorValue`.
_SPARSE = SparseTensorValue._fields


def tensors(value: Any) -> Any:
    """A structure with its leaves as tensors. Sparse and ragged tensors, arrays of tensors, datasets, specs and None stay."""
    if (
        isinstance(value, (Tensor, Composite, TensorArray))
        or value is None
        or nested.is_nested(value)
        or hasattr(value, "has_value")
    ):
        return value
    if isinstance(value, list) and value and nested.is_nested(value[0]):
        return nested.Datasets(value)
    if isinstance(value, RaggedTensorValue) or getattr(value, "_fields", None) == _SPARSE:
        return composites.of_arrays(value)
    if isinstance(value, tuple):
        items = [tensors(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, Mapping):
        converted = {key: tensors(item) for key, item in value.items()}
        return nest.mapping_like(value, converted)
    if nest.has_parts(value):
        return nest.with_parts(value, [tensors(part) for part in nest.parts(value)])
    return convert.convert_to_tensor(value)


def result(value: Any, who: str = "map") -> Any:
    """The result of a user function, with tensors as leaves. A list counts as a tuple: functions such as
    `tf.numpy_function` return lists of tensors that cannot be stacked."""
    if value is None:
        raise errors.build(
            errors.DTypeError,
            "the function must return an element, it returned None.",
            "end it with `return`: def f(x): ...; return x.",
        )
    try:
        return tensors(tuple(value) if type(value) is list else value)
    except errors.ConversionError as problem:
        raise errors.build(
            errors.ReturnedError,
            f"Unsupported return value from function passed to Dataset.{who}(): {str(problem).partition(chr(10))[0]}",
            "return tensors, or nested tuples and dicts of them.",
        ) from problem


def packer(structure: Any) -> Callable[[Sequence[Any]], Any]:
    """A function that gives leaves the form of a structure; quick for the usual ones."""
    if not nest.is_nested(structure):
        return lambda leaves: leaves[0]
    if type(structure) is tuple and not any(nest.is_nested(item) for item in structure):
        return tuple
    return lambda leaves: nest.pack_sequence_as(structure, leaves)


def row(column: Any, i: Any) -> Tensor:
    """Row i of an array as a tensor."""
    value = column[i]
    if column.dtype.kind == "O" and column.ndim == 1:
        scalar = np.empty((), object)
        scalar[()] = value
        value = scalar
    return wrap(value)


def stack(who: str, elements: Sequence[Any]) -> Any:
    """Several elements stacked into one, whose tensors have a leading axis."""
    first = elements[0]
    if len(elements) == 1:
        return nest.map_structure(lambda t: _stacked(who, [t], 0), first)
    if isinstance(first, Tensor):
        return _stacked(who, elements, 0)
    if all(type(e) is tuple and all(isinstance(leaf, Tensor) for leaf in e) for e in elements):
        return tuple(_stacked(who, column, k) for k, column in enumerate(zip(*elements, strict=True)))
    columns = zip(*[nest.flatten(e) for e in elements], strict=True)
    return nest.pack_sequence_as(first, [_stacked(who, column, k) for k, column in enumerate(columns)])


def stack_rows(who: str, elements: Sequence[Any], specs: Sequence[Any]) -> Any:
    """As `stack`, where some leaves are rows of ragged tensors. The specs are those of the results."""
    columns = zip(*[nest.flatten(e) for e in elements], strict=True)
    made = [
        composites.ragged(column, s) if isinstance(s, CompositeSpec) else _stacked(who, column, k)
        for k, (column, s) in enumerate(zip(columns, specs, strict=True))
    ]
    return nest.pack_sequence_as(elements[0], made)


def _stacked(who: str, column: Sequence[Any], number: int) -> Any:
    if column[0] is None:
        return None
    if isinstance(column[0], Composite):
        return composites.stacked(who, column)
    if isinstance(column[0], TensorArray):
        raise TypeError(
            errors.compose(f"{who}: elements must not be {column[0]!r}.", "use map to stack it: lambda x: x.stack().")
        )
    if nested.is_nested(column[0]):
        return nested.Datasets(column)
    if len(column) == 1 and isinstance(column[0], Tensor):
        return wrap(host(column[0]._array)[None])
    try:
        arrays = [host(t._array) for t in column]
    except AttributeError:
        raise TypeError(
            errors.compose(
                f"{who}: elements must be tensors, got {column[0]!r}.",
                "convert it with map first.",
            )
        ) from None
    first = arrays[0]
    for i, array in enumerate(arrays):
        if array.shape != first.shape or array.dtype != first.dtype:
            raise errors.build(
                errors.ShapeError,
                f"{who}: Cannot batch tensors with different {'shapes' if array.shape != first.shape else 'dtypes'} in component "
                f"{number}. First element had shape {list(first.shape)} and element {i} had shape {list(array.shape)}: they are "
                f"{spec_of(first)} and {spec_of(array)}.",
                "use padded_batch, or give them one shape with map first.",
            )
    result = np.empty((len(arrays), *first.shape), first.dtype)
    if first.ndim or first.dtype.kind == "O":
        for i, array in enumerate(arrays):
            result[i] = array if first.ndim else array[()]
    else:
        result[:] = arrays
    return wrap(result)


def spec(value: Any) -> Any:
    """The structure of specs of an element."""
    return nest.map_structure(_leaf_spec, value)


def _leaf_spec(leaf: Any) -> Any:
    if leaf is None or isinstance(leaf, (TensorSpec, CompositeSpec, DatasetSpec)):
        return leaf
    if hasattr(leaf, "has_value"):
        return OptionalSpec(leaf.element_spec)
    if isinstance(leaf, Composite):
        return leaf._spec()
    if isinstance(leaf, TensorArray):
        return TensorArraySpec.from_value(leaf)
    if hasattr(leaf, "_spec_as_element"):
        return leaf._spec_as_element()
    return TensorSpec(leaf.get_shape(), leaf.dtype)


def with_rows(structure: Any, count: int | None) -> Any:
    """Specs with a leading axis."""

    def raised(s: Any) -> Any:
        if s is None:
            return None
        if isinstance(s, DatasetSpec):
            return DatasetSpec(s.element_spec, TensorShape([count]).concatenate(s.shape))
        if isinstance(s, TensorArraySpec):
            raise TypeError(errors.compose(f"elements of {s!r} cannot be batched.", "use map to stack them first."))
        if isinstance(s, (CompositeSpec, composites.RowSpec)):
            return composites.with_rows(s, count)
        return TensorSpec(TensorShape([count]).concatenate(s.shape), s.dtype)

    return nest.map_structure(raised, structure)


def without_rows(structure: Any) -> Any:
    """Specs of the rows."""

    def lowered(s: Any) -> Any:
        if s is None:
            return None
        if isinstance(s, DatasetSpec):
            return DatasetSpec(s.element_spec, s.shape[1:])
        return composites.without_rows(s) if isinstance(s, CompositeSpec) else TensorSpec(s.shape[1:], s.dtype)

    return nest.map_structure(lowered, structure)


def merged(a: Any, b: Any) -> Any:
    """The narrowest specs that hold both."""
    return nest.map_structure(lambda s, t: None if s is None else s.most_specific_compatible_type(t), a, b)
