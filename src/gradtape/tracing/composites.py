"""Structures that hold IndexedSlices, sparse and ragged tensors, and slices of Python: taken apart into tensors, and put
together again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gradtape.core import nest
from gradtape.core.composite import Composite, Pieces, taken_apart
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor


class Parts(NamedTuple):
    """The parts of IndexedSlices, as a structure of three leaves."""

    values: Any
    indices: Any
    dense_shape: Any


class Bounds(NamedTuple):
    """The parts of a slice of Python."""

    start: Any
    stop: Any
    step: Any


def unfold(structure: Any) -> Any:
    """A structure with Parts, Bounds and Pieces in place of IndexedSlices, slices and composite values."""
    if isinstance(structure, (IndexedSlices, slice, Composite)):
        return _parts(structure)
    if not nest.is_nested(structure):
        return structure
    return nest.pack_sequence_as(structure, [_parts(leaf) for leaf in nest.flatten(structure)])


def _parts(leaf: Any) -> Any:
    if isinstance(leaf, slice):
        return Bounds(leaf.start, leaf.stop, leaf.step)
    if isinstance(leaf, Composite):
        return taken_apart(leaf)
    if not isinstance(leaf, IndexedSlices):
        return leaf
    shape = leaf.dense_shape
    return Parts(leaf.values, leaf.indices, list(shape) if isinstance(shape, tuple) else shape)


def opened(structure: Any) -> Any:
    """A structure with Pieces in place of composite values; IndexedSlices stay."""
    if isinstance(structure, Composite):
        return taken_apart(structure)
    leaves = nest.flatten(structure) if nest.is_nested(structure) else []
    if not any(isinstance(leaf, Composite) for leaf in leaves):
        return structure
    return nest.pack_sequence_as(
        structure, [taken_apart(leaf) if isinstance(leaf, Composite) else leaf for leaf in leaves]
    )


def fold(structure: Any) -> Any:
    """What `unfold` was given, perhaps with other tensors."""
    if isinstance(structure, Pieces):
        return structure.form.build(structure)
    if isinstance(structure, Parts):
        return IndexedSlices(*structure)
    if isinstance(structure, Bounds):
        return slice(*structure)
    if isinstance(structure, Tensor):
        return structure
    if isinstance(structure, Mapping):
        folded = {key: fold(value) for key, value in structure.items()}
        return folded if type(structure) is dict else nest.pack_sequence_as(structure, nest.flatten(folded))
    if isinstance(structure, (list, tuple)):
        items = [fold(item) for item in structure]
        if all(new is old for new, old in zip(items, structure, strict=True)):
            return structure
        if hasattr(structure, "_fields"):
            return type(structure)(*items)
        return items if type(structure) is list else type(structure)(items)
    return structure
