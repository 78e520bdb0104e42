"""Calls in rewritten functions: the user's functions are rewritten in their turn, all others run as they are."""

from __future__ import annotations

import functools
import inspect
import os
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from gradtape.autograph import _allowlist as allowlist
from gradtape.core import errors, log, state

_AS_IT_IS = (types.BuiltinFunctionType, types.MethodWrapperType, types.WrapperDescriptorType, type)
_warned: set[Any] = set()


class _Status(threading.local):
    enabled = False
    prints = False  # whether `print` shows the values of tensors, when the function runs


_status = _Status()


@contextmanager
def enabled(flag: bool, features: Any = None) -> Iterator[None]:
    """Run a block with AutoGraph turned on or off. `features` are optional ones of AutoGraph."""
    before = _status.enabled, _status.prints
    wanted = features if isinstance(features, (list, tuple, set)) else (features,)
    prints = any(getattr(f, "name", "") in ("BUILTIN_FUNCTIONS", "ALL") for f in wanted)
    _status.enabled, _status.prints = flag, prints
    try:
        yield
    finally:
        _status.enabled, _status.prints = before


def is_enabled() -> bool:
    """True where functions that the user hands over are rewritten."""
    return _status.enabled


def adapted(function: Any) -> Any:
    """A function that the user handed to one of ours, rewritten if AutoGraph is on around the call."""
    return converted(function) if _status.enabled else function


def converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, rewritten if it is the user's and needs it; itself otherwise."""
    if isinstance(function, types.MethodType):
        inner = converted(function.__func__)
        return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
    if isinstance(function, functools.partial):
        inner = converted(function.func)
        return function if inner is function.func else functools.partial(inner, *function.args, **function.keywords)
    if not isinstance(function, FunctionType):
        return _converted_object(function)
    if allowlist.is_marked(function) or not allowlist.is_users(function.__code__, function.__module__):
        return function
    if function.__code__.co_flags & inspect.CO_GENERATOR:
        return function  # as in TensorFlow, without a word: its branches are Python's
    if not (allowlist.wants_conversion(function) or _status.prints or _is_strict()):
        return function
    return _rewritten(function)


def _converted_object(target: Callable[..., Any]) -> Callable[..., Any]:
    """An object with a method `__call__` of the user's."""
    if isinstance(target, _AS_IT_IS) or allowlist.is_marked(target):
        return target
    method = getattr(type(target), "__call__", None)  # noqa: B004 - the method itself is wanted
    if not isinstance(method, FunctionType):
        return target
    inner = converted(method)
    return target if inner is method else functools.partial(inner, target)


def _rewritten(function: FunctionType) -> FunctionType:
    from gradtape.autograph._source import Unavailable, has_control_flow

    try:
        from gradtape.autograph._cache import rewritten

        return rewritten(function, called)
    except Unavailable as problem:
        if _is_strict():
            raise _not_supported(function, problem) from None
        if function.__code__ not in _warned and has_control_flow(function.__code__):
            _warned.add(function.__code__)
            log.warning(
                "AutoGraph could not transform %s and will run it as-is.\nCause: %s\nTo silence this warning, decorate the "
                "function with @tf.autograph.experimental.do_not_convert",
                function,
                problem,
            )
        return function


def _is_strict() -> bool:
    """Whether a function that cannot be rewritten is an error."""
    return os.environ.get("AUTOGRAPH_STRICT_CONVERSION") == "1"


def _not_supported(function: FunctionType, problem: Exception) -> Exception:
    """The error in place of the warning, for users who ask for it."""
    return NotImplementedError(
        errors.compose(
            f"AutoGraph could not transform {function.__qualname__}: {problem}.",
            "rewrite it, or unset AUTOGRAPH_STRICT_CONVERSION to run it as it is.",
        )
    )


def called(function: Any) -> Any:
    """The replacement for a callable that a rewritten function calls."""
    if state.current.trace is None:  # in a Python function that a graph calls when it runs: all values are known
        return function
    if not isinstance(function, _AS_IT_IS):
        if getattr(function, "__name__", "") == "range" and _origin(function) == "gradtape.arrays.creation":
            return _noted_range(converted(function))
        return converted(function)
    from gradtape.autograph._builtins import CALLING, OVERLOADS, print_values

    if function is print and _status.prints:
        return print_values
    try:
        calling = CALLING.get(function)
        return OVERLOADS.get(function, function) if calling is None else functools.partial(calling, converted)
    except TypeError:  # a method of something that is not hashable
        return function


def _origin(function: Any) -> str:
    """The module that defines a function; a public one may be a wrapper that says where it is shown."""
    return str(getattr(function, "__wrapped__", function).__module__)


def _noted_range(function: Any) -> Any:
    from gradtape.autograph._ranges import noted

    return noted(function)
