"""TensorFlow's internal functions of nested structures: up to a shallow structure, and with the paths of the leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gradtape.core import composite, nest


def flatten_dict_items(dictionary: Mapping[Any, Any]) -> dict[Any, Any]:
    """A dict with a key for each value of a dict whose keys are structures like the values."""
    if not isinstance(dictionary, Mapping):
        raise TypeError("input must be a dictionary")
    found: dict[Any, Any] = {}
    for key, value in dictionary.items():
        keys, values = nest.flatten(key), nest.flatten(value)
        if not nest.is_nested(key):
            keys, values = [key], [value]
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had {len(values)} elements. "
                f"Key: {keys}, value: {values}."
            )
        for k, v in zip(keys, values, strict=True):
            if k in found:
                raise ValueError(f"Could not flatten dictionary: key {k} is not unique.")
            found[k] = v
    return found


def is_mapping(value: Any) -> bool:
    """True for a dict and other mappings."""
    return isinstance(value, Mapping)


def is_attrs(value: Any) -> bool:
    """True for an object of a class made with attrs."""
    return hasattr(type(value), "__attrs_attrs__")


def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """True for a named tuple; with `strict`, subclasses with additional attributes do not count."""
    if strict and type(instance).__base__ is not tuple:
        return False
    return isinstance(instance, tuple) and isinstance(getattr(instance, "_fields", None), tuple)


def is_composite(value: Any) -> bool:
    """True for a value that consists of tensors."""
    return isinstance(value, composite.Composite)


def is_nested_or_composite(value: Any) -> bool:
    """True for a structure, and for a value that consists of tensors."""
    return nest.is_nested(value) or is_composite(value)


def sequence_like(instance: Any, args: Sequence[Any]) -> Any:
    """A structure of the same type as another one, with other elements in its order."""
    if isinstance(instance, Mapping):
        return _shallow(instance, list(args))
    if is_namedtuple(instance):
        return type(instance)(*args)
    if nest.has_parts(instance):
        return nest.with_parts(instance, args)
    if is_composite(instance):
        return _rebuilt(instance, args)
    return list(args) if type(instance) is list else type(instance)(args)


def _rebuilt(instance: Any, args: Sequence[Any]) -> Any:
    """A value of the kind of another one, from its components, which are one element."""
    (components,) = args
    if nest.inside(instance) is None:
        return instance._from_components(nest.flatten(components, expand_composites=True))
    return instance._with_inside(components)


def yield_sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """The elements of a structure with their keys, in the order of flattening."""
    if isinstance(iterable, Mapping):
        for key in nest.sorted_keys(iterable):
            yield key, iterable[key]
    elif is_namedtuple(iterable):
        yield from zip(iterable._fields, iterable, strict=True)
    elif is_attrs(iterable):
        for attribute in type(iterable).__attrs_attrs__:
            yield attribute.name, getattr(iterable, attribute.name)
    elif nest.has_parts(iterable):
        yield from enumerate(nest.parts(iterable))
    elif is_composite(iterable):
        inner = nest.inside(iterable)
        kind = getattr(iterable._type_spec, "value_type", type(iterable))
        yield kind.__name__, list(iterable._components()) if inner is None else inner
    else:
        yield from enumerate(iterable)


def yield_value(iterable: Any) -> Iterator[Any]:
    """The elements of a structure, in the order of flattening."""
    for _, value in yield_sorted_items(iterable):
        yield value


def list_to_tuple(structure: Any) -> Any:
    """A structure with tuples in place of lists."""
    if isinstance(structure, list):
        return tuple([list_to_tuple(item) for item in structure])
    if not nest.is_nested(structure):
        return structure
    return sequence_like(structure, [list_to_tuple(item) for item in yield_value(structure)])


def _is_inner(structure: Any, expand_composites: bool) -> bool:
    return is_nested_or_composite(structure) if expand_composites else nest.is_nested(structure)


def _with_paths(structure: Any, expand: bool, before: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if not _is_inner(structure, expand):
        yield before, structure
        return
    for key, value in yield_sorted_items(structure):
        yield from _with_paths(value, expand, (*before, key))


def flatten_with_tuple_paths(structure: Any, expand_composites: bool = False) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves of a structure with the keys that lead to them."""
    return list(_with_paths(structure, expand_composites))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """The leaves of a structure with the keys that lead to them, as one string."""
    found = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join([str(key) for key in path]), leaf) for path, leaf in found]


def yield_flat_paths(nested: Any, expand_composites: bool = False) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to the leaves of a structure."""
    for path, _ in _with_paths(nested, expand_composites):
        yield path


def _up_to(
    shallow: Any, structure: Any, check_types: bool, expand: bool, before: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if not _is_inner(shallow, expand):
        yield before, structure
        return
    inner = dict(yield_sorted_items(structure))
    for key, part in yield_sorted_items(shallow):
        yield from _up_to(part, inner[key], check_types, expand, (*before, key))


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """ValueError or TypeError unless a structure begins as a shallow one does."""
    if not _is_inner(shallow_tree, expand_composites):
        return
    if not _is_inner(input_tree, expand_composites):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(input_tree).__name__}."
        )
    if check_types and not _are_alike(shallow_tree, input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    shallow, inner = list(yield_sorted_items(shallow_tree)), dict(yield_sorted_items(input_tree))
    if len(shallow) != len(inner):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(inner)}, while shallow structure has length {len(shallow)}."
        )
    for key, part in shallow:
        if key not in inner:
            raise ValueError(
                f"The two structures don't have the same keys. Input structure has keys {sorted(map(str, inner))}, "
                f"while shallow structure has keys {sorted(str(k) for k, _ in shallow)}."
            )
        assert_shallow_structure(part, inner[key], check_types, expand_composites)


def _are_alike(a: Any, b: Any) -> bool:
    if is_composite(a) or is_composite(b):
        return isinstance(a, type(b)) or isinstance(b, type(a)) or hasattr(a, "_component_specs")
    return nest.are_alike(a, b)


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """The parts of a structure at the leaves of a shallow one."""
    found = flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types, expand_composites)
    return [part for _, part in found]


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[tuple[Any, ...], Any]]:
    """The parts of a structure at the leaves of a shallow one, with the keys that lead there."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return list(_up_to(shallow_tree, input_tree, check_types, expand_composites))


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any) -> Any:
    """A structure like a shallow one, of the results of a function on the parts at its leaves."""
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *parts, **others: func(*parts, **others), *inputs, **kwargs
    )


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """As `map_structure_up_to`, of a function that also takes the keys that lead to the parts."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    columns = [flatten_with_tuple_paths_up_to(shallow_tree, tree, check_types, expand) for tree in inputs]
    results = [func(row[0][0], *[part for _, part in row], **kwargs) for row in zip(*columns, strict=True)]
    return nest.pack_sequence_as(shallow_tree, results, expand_composites=expand)


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """A structure of the results of a function of the keys that lead to the leaves, and of these."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """A structure of the results of a function of the keys that lead to the leaves, as one string, and of these."""
    return map_structure_with_tuple_paths(
        lambda path, *leaves, **others: func("/".join([str(key) for key in path]), *leaves, **others),
        *structure,
        **kwargs,
    )


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """A structure of booleans, whose depth a function decides: it returns a bool, or a structure with one for each element."""
    answer = traverse_fn(structure)
    if not _is_inner(structure, expand_composites):
        if not isinstance(answer, bool):
            raise TypeError(f"traverse_fn returned structure: {answer} for non-structure: {structure}")
        return answer
    if isinstance(answer, bool):
        if not answer:
            return False
        parts = yield_value(structure)
        return _shallow(structure, [get_traverse_shallow_structure(traverse_fn, p, expand_composites) for p in parts])
    assert_shallow_structure(answer, structure, expand_composites=expand_composites)
    inner = [
        get_traverse_shallow_structure(traverse_fn, part, expand_composites) if go_on else False
        for go_on, part in zip(yield_value(answer), yield_value(structure), strict=True)
    ]
    return _shallow(structure, inner)


def _shallow(structure: Any, parts: list[Any]) -> Any:
    if isinstance(structure, Mapping):
        made = dict(zip(nest.sorted_keys(structure), parts, strict=True))
        kind: Any = type(structure)
        ordered = {key: made[key] for key in structure}
        if hasattr(structure, "default_factory"):
            return kind(structure.default_factory, ordered)
        return ordered if kind is dict else kind(ordered)
    if is_composite(structure) and not hasattr(structure, "_with_inside"):
        return parts[0]  # such a value has no place for anything but tensors
    return structure._with_inside(parts[0]) if is_composite(structure) else sequence_like(structure, parts)
