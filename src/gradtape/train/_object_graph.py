"""What an object consists of, for checkpoints: names and parts.

Parts are found without asking the object to take part in it: the attributes of a `tf.Module`, of a checkpoint and of any
object that has variables; the elements of lists, tuples and dicts that hold such objects. Keras keeps some of its parts
in lists only; those have the names of the lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any

from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.toplevel.module import Module
from gradtape.toplevel.trackable import Trackable
from gradtape.train._state_cells import cells

VALUE = ".ATTRIBUTES/VARIABLE_VALUE"  # the end of the key of a variable's value
# Lists in which Keras keeps parts that need not be attributes. Layers come without those that stand for inputs only.
_LAYER_LISTS = ("_layers", "_trainable_variables", "_non_trainable_variables", "_seed_generators")
_OTHER_LISTS = ("_variables",)
_NEVER = (type, FunctionType, MethodType, ModuleType, Tensor, str, bytes, int, float, complex, type(None))


def variable_of(value: Any) -> Variable | None:
    """The variable that an object is, or that a variable of Keras holds; None if it is something else."""
    if isinstance(value, Variable):
        return value
    if isinstance(value, _NEVER) or not hasattr(type(value), "assign"):
        return None
    held = getattr(value, "_value", None)
    return held if isinstance(held, Variable) else None


def is_trackable(value: Any) -> bool:
    """True if an object may have parts that a checkpoint holds, now or later."""
    return _is_trackable(value, set())


def _is_trackable(value: Any, seen: set[int]) -> bool:
    if variable_of(value) is not None:
        return True
    if isinstance(value, _NEVER) or id(value) in seen:
        return False
    if isinstance(value, (Module, Trackable)):
        return True
    if isinstance(value, (list, tuple, Mapping)):
        seen.add(id(value))
        return any(_is_trackable(v, seen) for v in (value.values() if isinstance(value, Mapping) else value))
    kind = type(value)
    if kind.__module__.startswith("gradtape.tracing"):  # functions know variables, and own none
        return False
    if hasattr(kind, "variables"):
        return True
    return any(variable_of(v) is not None for v in getattr(value, "__dict__", {}).values())


def parts(value: Any) -> dict[str, Any]:
    """The parts of an object by name, variables as they are; those that cannot hold any are left out."""
    if isinstance(value, Mapping):
        named: Iterator[tuple[str, Any]] = ((str(k), v) for k, v in value.items() if isinstance(k, (str, int)))
        return {k: v for k, v in named if is_trackable(v)}
    if isinstance(value, (list, tuple)):
        return {str(i): v for i, v in enumerate(value) if is_trackable(v)}
    own: Callable[[], dict[str, Any]] | None = getattr(value, "_checkpoint_parts", None)
    if own is not None:
        return own()
    attributes = getattr(value, "__dict__", {})
    if not isinstance(value, Trackable):
        return _duck_parts(value, attributes)
    found = {k: v for k, v in value._trackable_children().items() if is_trackable(v)} | cells(value)
    says_itself = found or type(value)._trackable_children is not Trackable._trackable_children
    return found if says_itself else _duck_parts(value, attributes)


def _duck_parts(value: Any, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of an object of unknown class: attributes that are variables, public ones that have some, and the rest of
    the variables by their place in lists."""
    found = {k: v for k, v in attributes.items() if variable_of(v) is not None}
    found |= {k: v for k, v in attributes.items() if not k.startswith("_") and k not in found and is_trackable(v)}
    lists = _LAYER_LISTS if "_layers" in attributes else _OTHER_LISTS
    known = {id(leaf) for part in found.values() for leaf in _leaves(part)}
    for name in lists:
        items = attributes.get(name)
        if not isinstance(items, (list, tuple)):
            continue
        places = [v for v in items if type(v).__name__ != "InputLayer"]
        rest = {str(i): v for i, v in enumerate(places) if id(v) not in known and is_trackable(v)}
        if rest:
            found[name] = Places(value, name, rest)
    if not found and not any(name in attributes for name in lists):
        variables = getattr(value, "variables", ())
        if isinstance(variables, (list, tuple)) and variables:
            found["variables"] = variables
    return found


class Places:
    """Some of the elements of a list in an object, under their indices."""

    def __init__(self, owner: Any, name: str, items: dict[str, Any]) -> None:
        self.key = (id(owner), name)
        self._items = items

    def _checkpoint_parts(self) -> dict[str, Any]:
        return self._items


def _leaves(value: Any) -> Iterator[Any]:
    """An object, or the elements of a structure of lists and dicts."""
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _leaves(v)
    elif isinstance(value, Mapping):
        for v in value.values():
            yield from _leaves(v)
    else:
        yield value


def identity(value: Any) -> Any:
    """What is equal for an object that is found twice."""
    held = variable_of(value)
    if held is not None:
        return id(held)
    return value.key if isinstance(value, Places) else id(value)


def escaped(name: str) -> str:
    """A part's name in a path, where slashes divide."""
    return name.replace(".", "..").replace("/", ".S")
