"""Sizes and values that are unknown while a `tf.function` is traced, and the functions that can wait for them.

Public functions are written for tensors whose sizes are known, and for numbers whose values are. Where a function asks a symbolic
tensor for a size or a value that only a run will tell, `Unknown` is raised, and the whole function becomes one node of
the graph (`doors.py`), which runs when they are known.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any


class Unknown(NotImplementedError):
    """A size or value that is known only when the function runs."""


# Its name in tracebacks, and in `tf.errors`.
Unknown.__name__ = Unknown.__qualname__ = "UnknownValueError"
Unknown.__module__ = "gradtape.errors"


# The packages that define public functions.
_ROOMS = frozenset(
    [
        "api",
        "arrays",
        "audio",
        "autodiff",
        "bitwise",
        "config",
        "control_flow",
        "debugging",
        "distribute",
        "experimental",
        "image",
        "io",
        "linalg",
        "lookup",
        "math",
        "nn",
        "numpy_protocol",
        "profiler",
        "protos",
        "quantization",
        "queue",
        "ragged",
        "random",
        "saved_model",
        "sets",
        "signal",
        "sparse",
        "strings",
        "summary",
        "sysconfig",
        "test",
        "toplevel",
        "train",
        "types",
    ]
)
# Functions of these modules call functions of the user, whose tensors are not among the arguments, or need no sizes.
_AS_THEY_ARE = {
    "gradtape.control_flow.functions",
    "gradtape.debugging._value_checks",
    "gradtape.config._devices",
    "gradtape.control_flow.mapping",
    "gradtape.toplevel.module",
    "gradtape.toplevel.printing",
    "gradtape.toplevel.status",
}
# Functions of elements: they need no sizes, and are called most often.
_elementwise: set[FunctionType] = set()


def needs_no_sizes(function: Any) -> None:
    """Note a function of elements."""
    _elementwise.add(function)


def is_elementwise(function: Any) -> bool:
    """True for a function that `needs_no_sizes` was told of."""
    return function in _elementwise


def can_wait(value: Any) -> bool:
    """True for a public function that may become a graph node when it needs an unknown size or value."""
    if type(value) is not FunctionType or hasattr(value, "__wrapped__"):
        return False
    origin = value.__module__ or ""  # code that was made at run time has none
    return defines_public_functions(origin) and origin not in _AS_THEY_ARE and value not in _elementwise


def defines_public_functions(module: str) -> bool:
    """True for a module of a package that defines public functions."""
    return module.startswith("gradtape.") and module.split(".", 2)[1] in _ROOMS


# The modules that show functions to users, as far as they are loaded.
_shown: list[str] = []


def shows(module: str) -> None:
    """Note a module that shows functions to users."""
    _shown.append(module)


def shown_modules() -> tuple[str, ...]:
    """The modules that show functions to users, as far as they are loaded."""
    return tuple(_shown)
