"""Public functions while a `tf.function` is traced.

They are written for tensors whose sizes are known, and for numbers whose values are. Where a function asks a symbolic
tensor for a size or a value that only a run will tell, `Unknown` is raised, and the whole function becomes one node of
the graph, which runs when they are known.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

from gradtape.core import state

_current = state.current


class Unknown(NotImplementedError):
    """A size or value that is known only when the function runs."""


@functools.cache
def adapt(function: Callable[..., Any]) -> Callable[..., Any]:
    """A public function that becomes a node of the graph where it needs what is not known yet."""

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Unknown as missing:
            if _current.trace is None:
                raise
            return _current.trace.later(function, args, kwargs, missing)
        except Exception as problem:
            clear = _clear(problem, function, args, kwargs)
            if clear is problem:
                raise
            raise clear from None

    return public


@functools.cache
def guard(function: Callable[..., Any]) -> Callable[..., Any]:
    """A public function whose errors are about its arguments; for those that never wait."""

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as problem:
            clear = _clear(problem, function, args, kwargs)
            if clear is problem:
                raise
            raise clear from None

    return public


def _clear(problem: Exception, function: Callable[..., Any], args: Any, kwargs: Any) -> Exception:
    """An error with the three lines, whatever went wrong. Loaded when something does."""
    if "\n  fix: " in str(problem):
        return problem
    refusals = importlib.import_module("gradtape.core.refusals")
    return refusals.translated(problem, function, args, kwargs)  # type: ignore[no-any-return]


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
# Where functions of elements are made: they need no sizes, and are called most often.
_MAKERS = ("dispatch.py", "families.py")


class _Modules:
    """The modules that show functions to users, and whether these are adapted: only programs that trace pay for it."""

    names: ClassVar[list[str]] = []
    are_adapted = False


def named(wrapper: Any, module: str, name: str) -> Any:
    """A wrapper that says where it is shown: pickle looks for it there."""
    wrapper.__module__, wrapper.__qualname__ = module, name
    return wrapper


def adapted(value: Any) -> Any:
    """What a module shows to users in place of a value: functions of `gradtape.api` are adapted, others stay."""
    return adapt(value) if _Modules.are_adapted and can_wait(value) else value


def guarded(value: Any) -> Any:
    """What a module shows in place of a value that it loads later: functions are adapted, so that their errors are about arguments.
    The others, which every program needs, check theirs, and are as quick as they can be."""
    if getattr(value, "__module__", None) in _QUICK:
        return adapted(value)
    if can_wait(value):
        return adapt(value)
    is_function = type(value) is FunctionType and not hasattr(value, "__wrapped__")
    return guard(value) if is_function and _is_quiet(value) else value


# The modules of functions that programs call millions of times.
_QUICK = {
    "gradtape.arrays.creation",
    "gradtape.arrays.indexing",
    "gradtape.arrays.joining",
    "gradtape.arrays.movement",
    "gradtape.arrays.shapes",
    "gradtape.arrays.slicing",
    "gradtape.config._devices",
    "gradtape.core.convert",
    "gradtape.linalg._products",
    "gradtape.math._activations",
    "gradtape.math._clipping",
    "gradtape.math._conversion",
    "gradtape.math._elementwise",
    "gradtape.math._reductions",
    "gradtape.toplevel.status",
    "gradtape.transform.custom_gradient",
    "gradtape.transform.py_function",
    "gradtape.transform.recompute_grad",
    "gradtape.transform.stop_gradient",
    "gradtape.transform.vectorized_map",
}


def _is_quiet(function: Any) -> bool:
    """True for a function of ours that was not made for speed."""
    module = str(function.__module__)
    is_ours = module.startswith("gradtape.") and not module.startswith(
        "gradtape.keras_backend."
    )  # Keras has its own checks
    return is_ours and not function.__code__.co_filename.endswith(_MAKERS)


def guard_module(module: str) -> None:
    """Guard the public functions that a module defines or imports; for modules that no program calls millions of times."""
    space = vars(sys.modules[module])
    for name in space.get("__all__", ()):
        value = space.get(name)
        if type(value) is FunctionType and not hasattr(value, "__wrapped__"):
            space[name] = adapt(value) if can_wait(value) else guard(value)


def can_wait(value: Any) -> bool:
    """True for a public function that may become a node of the graph where it needs what is not known yet."""
    if type(value) is not FunctionType or hasattr(value, "__wrapped__"):
        return False
    origin = value.__module__ or ""  # code that was made at run time has none
    is_public = defines_public_functions(origin) and origin not in _AS_THEY_ARE
    return is_public and not value.__code__.co_filename.endswith(_MAKERS)


def defines_public_functions(module: str) -> bool:
    """True for a module of a package that defines public functions."""
    return module.startswith("gradtape.") and module.split(".", 2)[1] in _ROOMS


def shows(module: str) -> None:
    """Note a module that shows functions to users."""
    _Modules.names.append(module)
    _adapt_all(module)


def shown_modules() -> tuple[str, ...]:
    """The modules that show functions to users, as far as they are loaded."""
    return tuple(_Modules.names)


def adapt_functions() -> None:
    """From now on, the functions that modules show to users are adapted."""
    if not _Modules.are_adapted:
        _Modules.are_adapted = True
        for module in _Modules.names:
            _adapt_all(module)


def _adapt_all(module: str) -> None:
    space = vars(sys.modules[module])
    for name, value in list(space.items()):
        shown = adapted(value)
        if shown is not value:
            space[name] = named(shown, module, name)
