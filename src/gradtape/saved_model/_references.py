"""Ops, functions and classes of the library by name, so that a description can speak of them.

Only what belongs to gradtape can be referred to: reading a description never imports, nor calls, anything else. Ops that
a program declares itself are found by their name once it has declared them.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import REGISTRY, Op

_PACKAGE = "gradtape."
# NumPy's functions among the parameters of ops are ufuncs and functions of its main module.
_NUMPY = "numpy:"


class UnsaveableError(Exception):
    """What cannot be described; the text names it."""


def name_of(value: Any) -> str:
    """Where a function or class is found: `module:name`."""
    known: Any = getattr(np, getattr(value, "__name__", " "), None)
    if value is not None and known is value:
        return _NUMPY + str(known.__name__)
    module, name = getattr(value, "__module__", None) or "", getattr(value, "__qualname__", "")
    if module.startswith(_PACKAGE) and "<" not in name and _unwrapped(_found(module, name)) is _unwrapped(value):
        return f"{module}:{name}"
    raise UnsaveableError(described(value))


def described(function: Any) -> str:
    """A function in words, with the line where it is defined."""
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    name = getattr(function, "__name__", type(function).__name__)
    if code is None:
        return f"the Python object {name}"
    return f"the Python function {name} ({code.co_filename}:{code.co_firstlineno})"


def function_of(name: str) -> Any:
    """The function of a name, without what adapts it to traces."""
    if name.startswith(_NUMPY):
        return getattr(np, name.removeprefix(_NUMPY))
    found = _resolved(name)
    if not callable(found) or isinstance(found, type):
        raise _missing("function", name)
    return _unwrapped(found)


def class_of(name: str, base: type) -> Any:
    """The class of a name; it must be derived from another one."""
    found = _resolved(name)
    if not (isinstance(found, type) and issubclass(found, base)):
        raise _missing("class", name)
    return found


def data_class_of(name: str) -> Any:
    """The data class of a name."""
    found = class_of(name, object)
    if not dataclasses.is_dataclass(found):
        raise _missing("class", name)
    return found


def _resolved(name: str) -> Any:
    module, _, path = name.partition(":")
    if not module.startswith(_PACKAGE) or "__" in module:
        raise _missing("function", name)
    try:
        importlib.import_module(module)
        return _found(module, path)
    except (ImportError, AttributeError):
        raise _missing("function", name) from None


def _found(module: str, path: str) -> Any:
    value: Any = sys.modules[module]
    for part in path.split("."):
        value = getattr(value, part)
    return value


def _unwrapped(function: Any) -> Any:
    return getattr(function, "__wrapped__", function)


def _missing(what: str, name: str) -> Exception:
    return errors.build(
        errors.NotFoundError,
        f"saved_model.load: the saved graph uses the {what} {name!r}, which this version of gradtape does not have.",
        "load it with the version that saved it, or save it again with this one.",
    )


class OpNames:
    """The names of all ops that stand in modules of the library, whether they are registered or not."""

    def __init__(self) -> None:
        self._places: dict[int, tuple[Any, list[str]]] = {}

    def of(self, op: Any) -> list[str] | None:
        """The name of an op, and where it is found; None if it is made for one place in a graph."""
        name: str = op.name
        if REGISTRY.get(name) is op:
            return [name, type(op).__module__]
        known = self._places.get(id(op))
        if known is None:
            self._places = {id(found): (found, place) for found, place in _standing()}
            known = self._places.get(id(op))
        return None if known is None else known[1]


def _standing() -> Iterator[tuple[Any, list[str]]]:
    """Ops in variables of modules, and in dicts that are such."""
    for module in [m for m in sorted(sys.modules) if m.startswith(_PACKAGE)]:
        for name, value in list(vars(sys.modules[module]).items()):
            if _is_op(value):
                yield value, [value.name, module, name]
            elif isinstance(value, dict) and value is not REGISTRY and not name.startswith("__"):
                yield from [(v, [v.name, module, name, k]) for k, v in list(value.items()) if _is_op(v)]


def _is_op(value: Any) -> bool:
    return isinstance(value, Op) or (hasattr(type(value), "effect") and hasattr(type(value), "kernel"))


def op_of(name: list[str]) -> Any:
    """The op of a name."""
    if len(name) > 2:
        found = _resolved(f"{name[1]}:{name[2]}")
        found = found.get(name[3]) if len(name) > 3 else found
        if not _is_op(found):
            raise _missing("op", name[0])
        return found
    if name[0] not in REGISTRY and name[1].startswith(_PACKAGE):
        try:
            importlib.import_module(name[1])
        except ImportError:
            from gradtape.ops import load_all

            load_all()
    if name[0] not in REGISTRY:
        if name[1].startswith(_PACKAGE):
            raise _missing("op", name[0])
        raise errors.build(
            errors.NotFoundError,
            f"saved_model.load: the saved graph uses the op {name[0]!r}, which the module {name[1]!r} declares.",
            f"import {name[1]} before loading.",
        )
    return REGISTRY[name[0]]
