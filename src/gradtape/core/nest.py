"""Nested structures: lists, tuples, other sequences, dicts and other mappings, with tensors as leaves.

Dicts are flattened in the order of their sorted keys; results keep the order and type of the container. Classes of `attrs`, and
those with TensorFlow's methods `__tf_flatten__` and `__tf_unflatten__`, are structures too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MappingView, Sequence
from typing import Any

from gradtape.core import errors
from gradtape.core.composite import CompositeSpec
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

_LEAVES = (Tensor, Variable)
_PLAIN = {Tensor, Variable}
_TEXTS = (str, bytes, bytearray)


def is_nested(seq: Any) -> bool:
    """True for a list, tuple or other sequence but text, a dict or other mapping, or an object of parts; False for a leaf."""
    if isinstance(seq, _LEAVES):
        return False
    return isinstance(seq, (list, tuple, Mapping)) or has_parts(seq) or _is_row(seq)


def _is_row(value: Any) -> bool:
    """True for a sequence that is no list or tuple, such as a deque or a range, and for the keys, values or items of a mapping."""
    return isinstance(value, (Sequence, MappingView)) and not isinstance(value, _TEXTS)


def _row_like(row: Any, items: list[Any]) -> Any:
    """A sequence of the same class as another one; a list for what is a view or a rule, and has no items of its own."""
    return items if isinstance(row, (MappingView, range)) else type(row)(items)


def has_parts(value: Any) -> bool:
    """True for an object that lists its parts."""
    kind = type(value)
    return hasattr(kind, "__tf_flatten__") or hasattr(kind, "__attrs_attrs__")


def parts(value: Any) -> list[Any]:
    """The parts of an object that lists them."""
    if hasattr(type(value), "__tf_flatten__"):
        return list(value.__tf_flatten__()[1])
    return [getattr(value, attribute.name) for attribute in type(value).__attrs_attrs__]


def besides_parts(value: Any) -> Any:
    """The metadata of an object, from `__tf_flatten__`."""
    return value.__tf_flatten__()[0] if hasattr(type(value), "__tf_flatten__") else None


def with_parts(value: Any, parts: Iterable[Any]) -> Any:
    """An object like another one, of other parts."""
    if hasattr(type(value), "__tf_flatten__"):
        return value.__tf_unflatten__(value.__tf_flatten__()[0], tuple(parts))
    return type(value)(*parts)


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, in order.

    >>> tf.nest.flatten({"b": [1, 2], "a": 3})
    [3, 1, 2]
    """
    if type(structure) is list and set(map(type, structure)) <= _PLAIN:
        return structure.copy()
    flat: list[Any] = []
    _flatten(structure, flat, expand_composites)
    return flat


def _flatten(structure: Any, flat: list[Any], expand: bool) -> None:
    if isinstance(structure, _LEAVES):
        # What is usual first: asking an abstract class takes ten times as long.
        flat.append(structure)
    elif isinstance(structure, Mapping):
        for key in sorted_keys(structure):
            _flatten(structure[key], flat, expand)
    elif isinstance(structure, (list, tuple)):
        for item in structure:
            _flatten(item, flat, expand)
    elif expand and isinstance(structure, IndexedSlices):
        flat.extend(_slices_parts(structure))
    elif expand and _is_composite(structure):
        inner = inside(structure)
        if inner is None:
            flat.extend(structure._components())
        else:
            _flatten(inner, flat, expand)
    elif expand and isinstance(structure, CompositeSpec):
        flat.extend(structure._component_specs())
    elif has_parts(structure):
        for item in parts(structure):
            _flatten(item, flat, expand)
    elif _is_row(structure):
        for item in structure:
            _flatten(item, flat, expand)
    else:
        flat.append(structure)


def _slices_parts(slices: IndexedSlices) -> list[Any]:
    return [part for part in (slices.values, slices.indices, slices.dense_shape) if part is not None]


def _is_composite(value: Any) -> bool:
    """True for values of several tensors, and for a `TensorArray`; not for a user's object with an attribute `_components`."""
    return hasattr(value, "_components") and hasattr(value, "_from_components")


def inside(composite: Any) -> Any:
    """The structure that a composite value of a library consists of, where not all leaves of it are tensors; None of others."""
    ask = getattr(composite, "_inside", None)
    return None if ask is None else ask()


def sorted_keys(mapping: Mapping[Any, Any]) -> Iterable[Any]:
    try:
        return sorted(mapping)
    except TypeError:
        # Keys without an order, such as `.ref()` objects: insertion order is the only one there is.
        return list(mapping)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """A structure like another one, with leaves from a flat list.

    >>> tf.nest.pack_sequence_as({"a": 0, "b": (0, 0)}, [1, 2, 3])
    {'a': 1, 'b': (2, 3)}
    """
    if not is_nested(flat_sequence) and isinstance(flat_sequence, (str, bytes, int, float, Tensor)):
        raise TypeError(
            errors.compose(
                f"Attempted to pack value:\n  {errors.brief(flat_sequence)}\ninto a structure, but found incompatible type "
                f"`{type(flat_sequence)}` instead.",
                "give a list with one value for each leaf.",
            )
        )
    flat = list(flat_sequence)
    if type(structure) is list and len(flat) == len(structure) and all(isinstance(s, _LEAVES) for s in structure):
        return flat
    count = len(flatten(structure, expand_composites))
    if count != len(flat):
        raise ValueError(
            errors.compose(
                f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had {len(flat)} items.",
                "flatten and pack with the same structure: tf.nest.pack_sequence_as(s, tf.nest.flatten(s)).",
            )
        )
    return _pack(structure, iter(flat), expand_composites)


def mapping_like(mapping: Mapping[Any, Any], items: dict[Any, Any]) -> Any:
    """A mapping of the same class as another one, with other items."""
    kind = type(mapping)
    if kind is dict:
        return items
    if hasattr(mapping, "default_factory"):
        return kind(mapping.default_factory, items)  # type: ignore[call-arg]
    return kind(items)  # type: ignore[call-arg]


def _pack(structure: Any, leaves: Any, expand: bool) -> Any:
    # Loops instead of comprehensions, which are frames of their own: structures may be nested nearly as deep as Python's stack.
    if isinstance(structure, _LEAVES):
        return next(leaves)
    if isinstance(structure, Mapping):
        packed = {}
        for key in sorted_keys(structure):
            packed[key] = _pack(structure[key], leaves, expand)
        return mapping_like(structure, {key: packed[key] for key in structure})
    if isinstance(structure, (list, tuple)):
        items = []
        for item in structure:
            items.append(_pack(item, leaves, expand))
        if hasattr(structure, "_fields"):
            return type(structure)(*items)
        return items if type(structure) is list else type(structure)(items)
    if expand and isinstance(structure, IndexedSlices):
        return IndexedSlices(*[next(leaves) for _ in _slices_parts(structure)])
    if expand and _is_composite(structure):
        inner = inside(structure)
        if inner is None:
            return structure._from_components([next(leaves) for _ in structure._components()])
        return structure._with_inside(_pack(inner, leaves, expand))
    if expand and isinstance(structure, CompositeSpec):
        return structure._build([next(leaves) for _ in structure._component_specs()])
    if has_parts(structure):
        return with_parts(structure, [_pack(item, leaves, expand) for item in parts(structure)])
    if _is_row(structure):
        items = []
        for item in structure:
            items.append(_pack(item, leaves, expand))
        return _row_like(structure, items)
    return next(leaves)


def map_structure(func: Callable[..., Any], *structures: Any, **options: Any) -> Any:
    """A structure of the results of `func` on corresponding leaves.

    >>> tf.nest.map_structure(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    if not structures:
        raise ValueError(
            errors.compose("map_structure: at least one structure is needed.", "tf.nest.map_structure(f, structure).")
        )
    if not callable(func):
        raise TypeError(
            errors.compose(
                f"map_structure: func must be callable, got {errors.brief(func)}.",
                "tf.nest.map_structure(f, structure).",
            )
        )
    if unknown := [name for name in options if name not in ("check_types", "expand_composites")]:
        raise ValueError(
            errors.compose(
                "Only valid keyword arguments for `map_structure` are: `check_types` and `expand_composites`, got: "
                f"`{'`, `'.join(unknown)}`",
                "give further arguments of the function with functools.partial.",
            )
        )
    expand = options.get("expand_composites", False)
    for other in structures[1:]:
        assert_same_structure(structures[0], other, options.get("check_types", True), expand)
    columns = zip(*[flatten(s, expand) for s in structures], strict=True)
    return pack_sequence_as(structures[0], [func(*leaves) for leaves in columns], expand)


def check_same_structure(who: str, fix: str, first: Any, second: Any) -> None:
    """Raise what `assert_same_structure` raises, as an error of a function, with its own fix."""
    try:
        assert_same_structure(first, second)
    except (TypeError, ValueError) as problem:
        raise type(problem)(errors.compose(f"{who} {problem}", fix, depth=3)) from None


def _differ(how: str, first: Any, second: Any) -> str:
    what = f"The two structures don't have {how}: {errors.brief(first)} and {errors.brief(second)}."
    return errors.compose(what, "print tf.nest.flatten of both, and build the second like the first.", depth=3)


def are_alike(first: Any, second: Any) -> bool:
    """Whether two containers are of the same type, or lists, mappings or tuples of types that may stand for each other."""
    if type(first) is type(second):
        return True
    if isinstance(first, tuple) and isinstance(second, tuple):
        names = [(type(t).__name__, t._fields) if hasattr(t, "_fields") else None for t in (first, second)]
        return names[0] == names[1] and (names[0] is not None or tuple in (type(first), type(second)))
    return any(isinstance(first, kind) and isinstance(second, kind) for kind in (list, Mapping))


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """ValueError if the structures differ in their nesting, TypeError if in the types of their containers."""
    if expand_composites and not _of_one_kind(nest1, nest2):
        raise ValueError(_differ("the same nested structure", nest1, nest2))
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError(_differ("the same nested structure", nest1, nest2))
    if not is_nested(nest1):
        return
    if check_types and not are_alike(nest1, nest2):
        raise TypeError(_differ("the same nested structure: not the same sequence type", type(nest1), type(nest2)))
    if has_parts(nest1):
        nest1, nest2 = parts(nest1), parts(nest2)
    if len(nest1) != len(nest2):
        number = f"the same nested structure: not the same number of elements ({len(nest1)} vs {len(nest2)})"
        raise ValueError(_differ(number, nest1, nest2))
    if isinstance(nest1, Mapping):
        if set(nest1) != set(nest2):
            raise ValueError(_differ("the same set of keys", list(nest1), list(nest2)))
        for key in nest1:
            assert_same_structure(nest1[key], nest2[key], check_types, expand_composites)
        return
    for a, b in zip(nest1, nest2, strict=True):
        assert_same_structure(a, b, check_types, expand_composites)


def _of_one_kind(first: Any, second: Any) -> bool:
    """Whether two values consist of tensors in the same way: both composite values, of which one spec could tell, or neither."""
    own, other = [
        v if isinstance(v, CompositeSpec) else getattr(v, "_type_spec", None) if _is_composite(v) else None
        for v in (first, second)
    ]
    if own is None or other is None:
        return own is other
    return own.most_specific_common_supertype([other]) is not None
