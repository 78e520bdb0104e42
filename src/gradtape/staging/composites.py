"""Structures that hold IndexedSlices and slices of Python: taken apart into tensors, and put together again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gradtape.core import nest
from gradtape.core.slices import IndexedSlices
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
    """A structure with Parts and Bounds in place of IndexedSlices and slices."""
    if isinstance(structure, (IndexedSlices, slice)):
        return _parts(structure)
    if not nest.is_nested(structure):
        return structure
    return nest.pack_sequence_as(structure, [_parts(leaf) for leaf in nest.flatten(structure)])


def _parts(leaf: Any) -> Any:
    if isinstance(leaf, slice):
        return Bounds(leaf.start, leaf.stop, leaf.step)
    if not isinstance(leaf, IndexedSlices):
        return leaf
    shape = leaf.dense_shape
    return Parts(leaf.values, leaf.indices, list(shape) if isinstance(shape, tuple) else shape)


def fold(structure: Any) -> Any:
    """What `unfold` was given, perhaps with other tensors."""
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
