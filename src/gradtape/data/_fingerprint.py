"""What a pipeline computes, as a name: pipelines with the same stages, parameters and functions have the same one, in every process.

It follows the parameters of stages, the code of functions, and what that code reads from outside. Of objects that are neither numbers nor
tensors it takes the class only: two pipelines that differ in such an object count as one.
"""

from __future__ import annotations

import builtins
import enum
import hashlib
from collections.abc import Iterable, Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from gradtape.autograph._allowlist import codes
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
# What stages find out when they run, and where a function was written: the same pipeline may have it or not.
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


def fingerprint(stage: Stage) -> str:
    """The name of what a stage computes: 20 digits, as of the folders that snapshots have in TensorFlow."""
    digest = hashlib.blake2b(digest_size=8)
    _Walk(digest).add(stage)
    return f"{int.from_bytes(digest.digest(), 'little'):020d}"


class _Walk:
    """A walk through a pipeline, whose parts go into a digest."""

    def __init__(self, digest: Any) -> None:
        self._digest = digest
        self._seen: dict[int, tuple[int, Any]] = {}  # the parts that were met, by their ids, with their numbers

    def add(self, part: Any) -> None:
        """Take a part into the digest."""
        if isinstance(part, (*_PLAIN, np.generic)):
            self._note(f"{type(part).__name__} {part!r}")
        elif isinstance(part, np.ndarray):
            self._add_array(part)
        elif id(part) in self._seen:
            self._note(f"again {self._seen[id(part)][0]}")
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
            self._add_all([part.__func__, part.__self__])
        elif isinstance(part, partial):
            self._add_all([part.func, part.args, part.keywords])
        elif hasattr(part, "python_function"):
            self.add(part.python_function)
        elif isinstance(part, ModuleType) or hasattr(part, "__qualname__"):
            self._note(getattr(part, "__qualname__", part.__name__))

    def _add_function(self, function: FunctionType) -> None:
        self.add(function.__code__)
        self._add_all([function.__defaults__, function.__kwdefaults__])
        for cell in function.__closure__ or ():
            try:
                self.add(cell.cell_contents)
            except ValueError:  # a name that has no value yet
                self._note("empty")
        if (function.__module__ or "").partition(".")[0] == "gradtape":
            return
        for name in sorted({name for code in codes(function.__code__) for name in code.co_names}):
            if name in function.__globals__ and not hasattr(builtins, name):
                self.add(function.__globals__[name])

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
