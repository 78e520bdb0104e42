"""Purity: a user function that only uses functions of tf may be traced once and run on many elements.

Nothing is run: the code is read, and the names in it are followed to what they mean. Whatever is not known to be harmless
(variables, objects, NumPy's random numbers, files, assignments to what lies outside) makes a function impure, and it then
runs in Python, once for each element.
"""

from __future__ import annotations

import builtins
import dis
import enum
import math
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, CodeType, EllipsisType, FunctionType, ModuleType
from typing import Any

import numpy as np

from gradtape.autograph._allowlist import codes
from gradtape.core.dtypes import DType
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor

_CONSTANTS = (
    type(None), bool, int, float, complex, str, bytes, np.generic, enum.Enum, EllipsisType, DType, TensorShape, TensorSpec,
)  # fmt: skip
_BUILTINS = frozenset(
    [abs, bool, complex, dict, divmod, enumerate, float, int, isinstance, len, list, max, min, pow, range, reversed,
     round, slice, str, sum, tuple, type, zip, ValueError, TypeError, AssertionError, NotImplementedError]
)  # fmt: skip
# Instructions with effects outside of a function, or of generators and coroutines.
_OUTWARD = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_", "YIELD_", "RETURN_GENERATOR")
_NAMES = ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "LOAD_NAME")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_MISSING: Any = object()


class Reading:
    """An analysis of the code of a function.

    Attributes:
      is_pure: whether the function only computes.
    """

    def __init__(self, function: Any) -> None:
        self._read: dict[int, Any] = {}  # functions, by their ids: they may call each other
        self._outside: list[tuple[Callable[[], Any], Any]] = []
        self.is_pure = self._allows(function)

    def is_current(self) -> bool:
        """False if an outside name has changed its meaning since the code was read."""
        return all(now() is value for now, value in self._outside)

    def _allows(self, value: Any) -> bool:
        """True if an outside value is harmless: a constant, or a function that only computes."""
        if isinstance(value, (*_CONSTANTS, Tensor)):
            return True
        if type(value) is tuple:
            return all(self._allows(item) for item in value)
        if isinstance(value, FunctionType):
            return _is_ours(value) or self._allows_function(value)
        if type(value).__module__ == "gradtape.polymorphic_function.function":
            return self._allows(value.python_function)
        if isinstance(value, type):
            return value in _BUILTINS or issubclass(value, np.generic)
        if isinstance(value, BuiltinFunctionType):
            return value in _BUILTINS or value.__module__ == math.__name__
        return isinstance(value, ModuleType) and value.__name__.partition(".")[0] in ("gradtape", "tensorflow")

    def _allows_function(self, function: FunctionType) -> bool:
        if id(function) in self._read:
            return True
        self._read[id(function)] = function
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        names = _names(function)
        return all(map(self._allows, defaults)) and all(
            self._allows_code(code, names, function) for code in codes(function.__code__)
        )

    def _allows_code(self, code: CodeType, names: dict[str, Callable[[], Any]], function: FunctionType) -> bool:
        value = _MISSING
        for instruction in dis.get_instructions(code):
            opname, name = instruction.opname, instruction.argval
            if isinstance(value, ModuleType) and not self._allows(value) and opname not in _ATTRIBUTES:
                return False  # a foreign module may be used for a constant in it, but not passed around
            if opname.startswith(_OUTWARD) or (opname == "STORE_DEREF" and name in function.__code__.co_freevars):
                return False
            if opname in _NAMES and name in names:
                value = names[name]()
                self._outside.append((names[name], value))
            elif opname in _ATTRIBUTES and isinstance(value, ModuleType):
                value = getattr(value, name, _MISSING)
            else:
                value = _MISSING
            if value is not _MISSING and not isinstance(value, ModuleType) and not self._allows(value):
                return False
        return True


def _is_ours(function: FunctionType) -> bool:
    return (function.__module__ or "").partition(".")[0] == "gradtape"


def _names(function: FunctionType) -> dict[str, Callable[[], Any]]:
    """The current meaning of each outside name that a function uses."""
    space = function.__globals__
    used = {name for code in codes(function.__code__) for name in code.co_names}
    found: dict[str, Callable[[], Any]] = {
        name: partial(_global, space, name) for name in used if name in space or hasattr(builtins, name)
    }
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        found[name] = partial(_held, cell)
    return found


def _global(space: dict[str, Any], name: str) -> Any:
    return space.get(name, getattr(builtins, name, _MISSING))


def _held(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING
