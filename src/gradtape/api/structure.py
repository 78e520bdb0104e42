"""Split nested values into tensors and a comparable remainder, and rebuild them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gradtape.core import nest
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable


class Part(NamedTuple):
    """A value without its tensors: a tensor, a composite value with its form, a variable, a container with its parts, or a literal."""

    kind: str
    content: Any = None
    size: int = 0


def emptied(value: Any, tensors: list[Any]) -> Part:
    """A value without its tensors, which are added to a list."""
    if isinstance(value, (Tensor, TensorSpec)):
        tensors.append(value)
        return Part("tensor")
    if isinstance(value, (Composite, CompositeSpec)):
        parts = value._components() if isinstance(value, Composite) else value._component_specs()
        tensors += parts
        return Part("composite", value._form(), len(parts))
    if isinstance(value, IndexedSlices):
        inner = (value.values, value.indices, value.dense_shape)
        return Part("slices", tuple([emptied(v, tensors) for v in inner]))
    if isinstance(value, Mapping):
        # The tensors in the order of `nest.flatten`; the entries in their own.
        found = {key: emptied(value[key], tensors) for key in nest.sorted_keys(value)}
        return Part("mapping", tuple([(key, found[key]) for key in value]))
    if isinstance(value, Variable):
        return Part("variable", value.ref())  # part of the form: a function is traced for each
    if isinstance(value, tuple):
        return Part("tuple", tuple([emptied(v, tensors) for v in value]))
    return Part("literal", value)


def filled(part: Part, tensors: list[Any]) -> Any:
    """The value with tensors from the front of a list."""
    if part.kind == "tensor":
        return tensors.pop(0)
    if part.kind == "composite":
        return part.content.build([tensors.pop(0) for _ in range(part.size)])
    if part.kind == "mapping":
        parts = dict(part.content)
        made = {key: filled(parts[key], tensors) for key in nest.sorted_keys(parts)}
        return {key: made[key] for key in parts}
    if part.kind == "literal":
        return part.content
    if part.kind == "variable":
        return part.content.deref()
    inner = [filled(v, tensors) for v in part.content]
    return IndexedSlices(*inner) if part.kind == "slices" else tuple(inner)
