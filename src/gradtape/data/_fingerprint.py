"""Fingerprints of pipelines: equal, in every process, for pipelines with the same stages, parameters and functions.

It follows the parameters of stages, the code of functions, and what that code reads from outside. Of modules, classes and other objects that
are neither numbers nor tensors it takes the attributes that the code around names: `config.scale` counts, the rest of `config` does not.
"""

from __future__ import annotations

import builtins
import enum
import hashlib
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from gradtape.autograph._allowlist import LIBRARIES, codes, is_users
from gradtape.core import dtypes, nest
from gradtape.core.composite import Composite
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor, host
from gradtape.core.variable import Variable
from gradtape.data._seeds import Seeds
from gradtape.data._stage import Stage
from gradtape.data._user_functions import Function

_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, range, slice, enum.Enum, dtypes.DType, TensorShape, TensorSpec,
)  # fmt: skip
# Facts that stages learn at run time, and the file of a function: equal pipelines may differ in these.
_FOUND = frozenset(
    [
        "_spec",
        "_before",
        "_table",
        "_kept",
        "_vectorized",
        "_pace",
        "_reading",
        "_site",
        "draws",
        "version",
        "options",
        "_calls",
    ]
)
_DEPTH = 20  # objects nested in objects of the same class may be a linked list of any length
_NONE = object()  # stands for a missing attribute


def fingerprint(stage: Stage) -> str:
    """The fingerprint of a stage and those before it: 20 digits, like the names of the folders of snapshots in TensorFlow."""
    digest = hashlib.blake2b(digest_size=8)
    _Walk(digest).add(stage)
    return f"{int.from_bytes(digest.digest(), 'little'):020d}"


class _Walk:
    """A walk through a pipeline, whose parts go into a digest."""

    def __init__(self, digest: Any) -> None:
        self._digest = digest
        self._seen: dict[int, tuple[int, Any]] = {}  # the numbers of the parts seen so far, by id
        self._names: frozenset[str] = frozenset()  # the attributes that the surrounding code reads
        self._depth = 0  # of objects in attributes of objects
        self._read: dict[int, set[str]] = {}  # the attributes of objects that the digest already contains

    def add(self, part: Any) -> None:
        """Add a part to the digest."""
        if isinstance(part, (*_PLAIN, np.generic)):
            self._note(f"{type(part).__name__} {part!r}")
        elif isinstance(part, np.ndarray):
            self._add_array(part)
        elif id(part) in self._seen:
            self._note(f"again {self._seen[id(part)][0]}")
            if id(part) in self._read:  # other code may read other attributes
                self._add_attributes(part)
        else:
            self._seen[id(part)] = len(self._seen), part
            self._note(type(part).__qualname__)
            self._add_parts(part)

    def _add_parts(self, part: Any) -> None:
        if isinstance(part, Variable):
            self._note(f"{part.dtype} {part.shape}")
        elif isinstance(part, Tensor):
            self.add(np.asarray(host(part._array)))
        elif isinstance(part, Composite):
            self._add_all(nest.flatten(part, expand_composites=True))
        elif isinstance(part, Seeds):
            self.add(part.given)
        elif isinstance(part, (Stage, Function)):
            self._add_mapping({name: value for name, value in vars(part).items() if name not in _FOUND})
        elif isinstance(part, Mapping):
            self._add_mapping(part)
        elif isinstance(part, (list, tuple)):
            self._add_all(part)
        elif isinstance(part, (set, frozenset)):
            self._add_all(sorted(part, key=repr))
        elif hasattr(part, "_stage"):
            self.add(part._stage)
        else:
            self._add_callable(part)

    def _add_callable(self, part: Any) -> None:
        if isinstance(part, FunctionType):
            self._add_function(part)
        elif isinstance(part, CodeType):
            self._add_all([part.co_code, part.co_names, part.co_consts])
        elif isinstance(part, MethodType):
            with self._reading(part.__func__):
                self._add_all([part.__func__, part.__self__])
        elif isinstance(part, partial):
            with self._reading(part.func):
                self._add_all([part.func, part.args, part.keywords])
        elif hasattr(part, "python_function"):
            self.add(part.python_function)
        else:
            self._add_object(part)

    def _add_function(self, function: FunctionType) -> None:
        self.add(function.__code__)
        with self._reading(function) as names:
            self._add_all([function.__defaults__, function.__kwdefaults__])
            for cell in function.__closure__ or ():
                try:
                    self.add(cell.cell_contents)
                except ValueError:  # a name that has no value yet
                    self._note("empty")
            if is_users(function.__code__, function.__module__):
                for name in sorted(names):
                    if name in function.__globals__ and not hasattr(builtins, name):
                        self.add(function.__globals__[name])

    @contextmanager
    def _reading(self, function: Any) -> Iterator[frozenset[str]]:
        """The names in a function's code, while the values that it reads are added to the digest."""
        outer, code = self._names, getattr(function, "__code__", None)
        names = frozenset(name for part in codes(code) for name in part.co_names) if code is not None else frozenset()
        self._names = outer | names
        try:
            yield names
        finally:
            self._names = outer

    def _add_object(self, part: Any) -> None:
        """Add a module, a class or another object: its name or class, and the attributes that code reads."""
        named = isinstance(part, ModuleType) or hasattr(part, "__qualname__")
        if named:
            self._note(getattr(part, "__qualname__", None) or part.__name__)
        if _is_librarys(part) or self._depth == _DEPTH:
            return
        self._read[id(part)] = set()
        self._depth += 1
        self._add_attributes(part)
        self._depth -= 1
        call = None if named else getattr(type(part), "__call__", None)  # noqa: B004 - the method itself is wanted
        if call is not None:
            self._add_method(part, call)

    def _add_attributes(self, part: Any) -> None:
        known = self._read[id(part)]
        for name in sorted(self._names - known):
            value = inspect.getattr_static(part, name, _NONE)
            if isinstance(value, MemberDescriptorType):  # an attribute in a slot
                value = getattr(part, name, _NONE)
            if value is not _NONE:
                known.add(name)
                self._note(name)
                method = _method(value)
                if method is None:
                    self.add(value)
                else:
                    self._add_method(part, method)

    def _add_method(self, part: Any, method: Any) -> None:
        """Add a function of an object or module, and the attributes of the object that it reads."""
        if isinstance(method, FunctionType) and _is_programs(method):
            self.add(method)
            with self._reading(method):
                self._add_attributes(part)

    def _add_array(self, array: np.ndarray[Any, Any]) -> None:
        self._note(f"{array.dtype} {array.shape}")
        if array.dtype.kind == "O":
            self._add_all(array.ravel().tolist())
        else:
            self._digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

    def _add_mapping(self, parts: Mapping[Any, Any]) -> None:
        for name in sorted(parts, key=repr):
            self._note(repr(name))
            self.add(parts[name])

    def _add_all(self, parts: Iterable[Any]) -> None:
        for part in parts:
            self.add(part)

    def _note(self, text: str) -> None:
        self._digest.update(text.encode() + b"\0")


def _method(value: Any) -> Any:
    """The function behind an attribute of a class or module; None for other attributes."""
    if isinstance(value, (staticmethod, classmethod)):
        return value.__func__
    if isinstance(value, (property, cached_property)):
        return value.fget if isinstance(value, property) else value.func
    return value if isinstance(value, FunctionType) else None


def _is_programs(function: FunctionType) -> bool:
    """True if a function belongs to the program, not to Python or an installed library."""
    code = function.__code__
    return not _is_installed(code.co_filename) and is_users(code, function.__module__)


def _is_librarys(part: Any) -> bool:
    """True if a module, a class, or the class of an object belongs to a library: its contents depend on what was loaded."""
    if not isinstance(part, ModuleType):
        owner = part if hasattr(part, "__qualname__") else type(part)
        return str(getattr(owner, "__module__", "")).partition(".")[0] in LIBRARIES
    root = part.__name__.partition(".")[0]
    return root in LIBRARIES or root in sys.stdlib_module_names or _is_installed(getattr(part, "__file__", None) or "")


def _is_installed(path: str) -> bool:
    return "site-packages" in path or "dist-packages" in path
