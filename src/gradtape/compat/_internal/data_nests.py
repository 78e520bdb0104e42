"""The structures of `tensorflow.python.data.util.nest`: as those of `tf.nest`, but lists, and the arrays of a sparse tensor, are leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.compat._internal import nests
from gradtape.core import nest
from gradtape.core.array_values import SparseTensorValue


class _Leaf:
    """A list as a leaf."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _covered(structure: Any) -> Any:
    """A structure with its lists as leaves."""
    if isinstance(structure, (list, SparseTensorValue)):
        return _Leaf(structure)
    if not nest.is_nested(structure):
        return structure
    return nests.sequence_like(structure, [_covered(part) for part in nests.yield_value(structure)])


def _bare(part: Any) -> Any:
    """A structure with its lists as they were."""
    if type(part) is _Leaf:
        return part.value
    if not nest.is_nested(part):
        return part
    return nests.sequence_like(part, [_bare(inner) for inner in nests.yield_value(part)])


def is_nested(structure: Any) -> bool:
    """True for a tuple, a dict, or an object of parts."""
    return not isinstance(structure, (list, SparseTensorValue)) and nest.is_nested(structure)


def flatten(structure: Any) -> list[Any]:
    """The leaves of a structure, in order."""
    return [leaf.value if type(leaf) is _Leaf else leaf for leaf in nest.flatten(_covered(structure))]


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """ValueError or TypeError unless two structures are alike."""
    nest.assert_same_structure(_covered(nest1), _covered(nest2), check_types)


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """A structure like another one, with other leaves."""
    return nest.pack_sequence_as(_covered(structure), list(flat_sequence))


def map_structure(func: Callable[..., Any], *structure: Any, **options: Any) -> Any:
    """A structure of the results of a function on the leaves."""
    for other in structure[1:]:
        assert_same_structure(structure[0], other, options.get("check_types", True))
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*map(flatten, structure), strict=True)])


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """ValueError or TypeError unless a structure begins as a shallow one does."""
    nests.assert_shallow_structure(_covered(shallow_tree), _covered(input_tree), check_types)


def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """The parts of a structure that stand where a shallow one has leaves."""
    return [_bare(part) for part in nests.flatten_up_to(_covered(shallow_tree), _covered(input_tree))]


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any) -> Any:
    """A structure like a shallow one, of the results of a function on the parts that stand where it has leaves."""
    columns = [flatten_up_to(shallow_tree, tree) for tree in inputs]
    return pack_sequence_as(shallow_tree, [func(*parts) for parts in zip(*columns, strict=True)])
