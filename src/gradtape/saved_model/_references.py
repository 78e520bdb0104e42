"""Ops, functions and classes of the library by name, so that a description can speak of them.

A name is looked up in a table (`_names.py`), and what is not in it is refused: a description never imports, reaches or calls
anything else. Ops that a program declares itself are found by their name once it has declared them.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
from types import FunctionType
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import REGISTRY, Op
from gradtape.saved_model._names import NAMES
from gradtape.saved_model._renamed import RENAMED
from gradtape.toplevel.extension_types import ExtensionType

_PACKAGE = "gradtape."
# NumPy's functions among the parameters of ops are ufuncs, which only compute.
_NUMPY = "numpy:"


class UnsaveableError(Exception):
    """Raised for a value that cannot be described; the text names it."""


def name_of(value: Any) -> str:
    """The location of a function or class: `module:name`."""
    known: Any = vars(np).get(getattr(value, "__name__", ""))
    if isinstance(known, np.ufunc) and known is value:
        return _NUMPY + str(known.__name__)
    defined = _unwrapped(value)
    module, name = getattr(defined, "__module__", None) or "", getattr(defined, "__qualname__", "")
    if name in NAMES.get(module, ()) and _unwrapped(_listed(module, name)) is _unwrapped(value):
        return f"{module}:{name}"
    raise UnsaveableError(described(value))


def described(function: Any) -> str:
    """A description of a function for messages, with the line where it is defined."""
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    name = getattr(function, "__name__", type(function).__name__)
    if code is None:
        return f"the Python object {name}"
    return f"the Python function {name} ({code.co_filename}:{code.co_firstlineno})"


def function_of(name: str) -> Any:
    """The function of a name, without what adapts it to traces."""
    if name.startswith(_NUMPY):
        found = vars(np).get(name.removeprefix(_NUMPY))
        if not isinstance(found, np.ufunc):
            raise _refusal("function", name)
        return found
    found = _unwrapped(_resolved("function", name))
    if not isinstance(found, FunctionType):
        raise _refusal("function", name)
    return found


def class_of(name: str, base: type) -> Any:
    """The class of a name; it must be derived from another one."""
    found = _resolved("class", name)
    if not (isinstance(found, type) and issubclass(found, base)):
        raise _refusal("class", name)
    return found


def extension_type_name(kind: type) -> str:
    """The name by which programs that load a model find an extension type: the `__name__` in its class body."""
    own = vars(kind).get("__name__")
    if not isinstance(own, str):
        raise UnsaveableError(f"the class {kind.__qualname__}, an ExtensionType without a field __name__")
    return own


def extension_type(name: str) -> Any:
    """The extension type of a name, among those that the program has defined."""
    todo, found = [ExtensionType], None
    while todo:
        kind = todo.pop()
        todo += kind.__subclasses__()
        if vars(kind).get("__name__") == name:
            found = kind
    if found is None:
        raise errors.build(
            errors.NotFoundError,
            f"saved_model.load: the saved graph uses the ExtensionType {name!r}, which the program has not defined.",
            f"define or import the class with __name__ = {name!r} before loading.",
        )
    return found


def data_class_of(name: str) -> Any:
    """The data class of a name."""
    found = class_of(name, object)
    if not dataclasses.is_dataclass(found):
        raise _refusal("class", name)
    return found


def _resolved(what: str, name: str) -> Any:
    """The object that a name in the table stands for, in its present or a former module."""
    given, _, path = RENAMED.get(name, name).partition(":")
    module = next((m for m in RENAMED.get(given, given).split() if path in NAMES.get(m, ())), None)
    if module is None:
        raise _refusal(what, name)
    importlib.import_module(module)
    found = _listed(module, path)
    if found is None:
        raise _refusal(what, name)
    return found


def _listed(module: str, name: str) -> Any:
    """The listed object: a variable of a module, a method of a class, or an entry of a dict; None if it no longer exists."""
    own, _, part = name.partition(".")
    value = vars(sys.modules[module]).get(own)
    if not part or value is None:
        return value
    return (value if isinstance(value, dict) else vars(value)).get(part)


def _unwrapped(function: Any) -> Any:
    return getattr(function, "__wrapped__", function)


def _refusal(what: str, name: str) -> Exception:
    return errors.build(
        errors.NotFoundError,
        f"saved_model.load: the saved graph uses the {what} {name!r}, which saved models may not refer to.",
        "load it with the version of gradtape that saved it, or save it again with this one.",
    )


class OpNames:
    """The names of all ops that stand in modules of the library, whether they are registered or not."""

    def __init__(self) -> None:
        self._places: dict[int, list[str]] = {}

    def of(self, op: Any) -> list[str] | None:
        """The name of an op, and where it is found; None if it is made for one place in a graph, or may not be saved."""
        name: str = op.name
        if REGISTRY.get(name) is op:
            return [name, type(op).__module__]
        if id(op) not in self._places:
            self._places = _places()
        return self._places.get(id(op))


def _places() -> dict[int, list[str]]:
    """The locations of the loaded ops in the table, by their `id`."""
    found = {}
    for module, names in NAMES.items():
        for name in names if module in sys.modules else ():
            value = _listed(module, name)
            if _is_op(value):
                found[id(value)] = [value.name, module, *name.split(".", 1)]
    return found


def _is_op(value: Any) -> bool:
    return isinstance(value, Op) or (hasattr(type(value), "effect") and hasattr(type(value), "kernel"))


def op_of(name: list[str]) -> Any:
    """The op of a name."""
    if len(name) > 2:
        found = _resolved("op", f"{name[1]}:{'.'.join(name[2:])}")
        if not _is_op(found):
            raise _refusal("op", name[0])
        return found
    if name[0] not in REGISTRY:
        from gradtape.ops import load_all

        load_all()
    if name[0] in REGISTRY:
        return REGISTRY[name[0]]
    if name[1].startswith(_PACKAGE):
        raise _refusal("op", name[0])
    raise errors.build(
        errors.NotFoundError,
        f"saved_model.load: the saved graph uses the op {name[0]!r}, which the module {name[1]!r} declares: it is not allowed.",
        f"import {name[1]} before loading.",
    )
