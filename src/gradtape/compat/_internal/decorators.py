"""Decorators: those that remember the function, marks of public names and deprecations, and functions with other meanings for other classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class TFDecorator:
    """A function that stands for another one."""

    def __init__(
        self, decorator_name: str, target: Any, decorator_doc: str = "", decorator_argspec: Any = None
    ) -> None:
        self.decorator_name, self._decorated_target = decorator_name, target
        self.decorator_argspec, self.decorated_target = decorator_argspec, target
        self.__wrapped__ = target

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._decorated_target(*args, **kwargs)


def make_decorator(
    target: Any,
    decorator_func: Any,
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Any:
    """The decorating function, with the name of the decorated one."""
    decorator = TFDecorator(
        str(decorator_name or getattr(decorator_func, "__name__", "")), target, decorator_doc, decorator_argspec
    )
    decorator_func._tf_decorator = decorator
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        if hasattr(target, name):
            setattr(decorator_func, name, getattr(target, name))
    decorator_func.__wrapped__ = target
    if decorator_argspec is not None:
        decorator_func.__signature__ = decorator_argspec
    return decorator_func


def unwrap(maybe_tf_decorator: Any) -> tuple[list[Any], Any]:
    """The decorators of a function, and the undecorated function."""
    found: list[Any] = []
    current = maybe_tf_decorator
    while True:
        decorator = current if isinstance(current, TFDecorator) else getattr(current, "_tf_decorator", None)
        if decorator is None:
            return found, current
        found.append(decorator)
        current = decorator.decorated_target


def rewrap(decorator_func: Any, previous_target: Any, new_target: Any) -> Any:
    """The decorated function with another one inside."""
    decorators, _ = unwrap(decorator_func)
    for decorator in decorators:
        if decorator.decorated_target is previous_target:
            decorator._decorated_target = decorator.decorated_target = new_target
    return decorator_func


_named: dict[str, Any] = {}
_names: dict[int, str] = {}


class tf_export:  # noqa: N801
    """A decorator that notes the public names of a function or class."""

    def __init__(self, *names: str, **_: Any) -> None:
        self._names_given = names

    def __call__(self, func: Any) -> Any:
        for name in self._names_given:
            _named[name] = func
        if self._names_given:
            _names[id(func)] = self._names_given[0]
            _named.setdefault(f"{id(func)}", func)  # so that the number is not given to another object
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Nothing: a constant cannot be found by itself."""


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> Any:
    """The first public name of a function or class; None if it has none."""
    return _names.get(id(symbol))


def get_symbol_from_name(name: str) -> Any:
    """The function or class that has a public name; None if there is none."""
    return _named.get(name)


def _unchanged(value: Any) -> Any:
    return value


def deprecated(*_: Any, **__: Any) -> Callable[[Any], Any]:
    """A decorator that leaves a function or class as it is."""
    return _unchanged


deprecated_args = deprecated_arg_values = deprecated_endpoints = deprecated


def deprecated_alias(deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True) -> Any:
    """The function or class that the old name stands for."""
    return func_or_class


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that has two names; ValueError if both are given."""
    if old_value is not None and new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return new_value if old_value is None else old_value


@contextmanager
def silence() -> Iterator[None]:
    """A block without messages about old names: there are none anyway."""
    yield


DISPATCHERS: list[Any] = []


class OpDispatcher:
    """Base of objects that handle calls of one function with arguments of other classes."""

    NOT_SUPPORTED = object()

    def handle(self, args: Any, kwargs: Any) -> Any:
        """The result, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op: Any) -> None:
        """Handle calls of a function."""
        dispatchers = op.__dict__.setdefault("_tf_fallback_dispatchers", [])
        dispatchers.append(self)


class GlobalOpDispatcher:
    """Base of objects that handle calls of all functions with arguments of other classes."""

    NOT_SUPPORTED = OpDispatcher.NOT_SUPPORTED

    def handle(self, op: Any, args: Any, kwargs: Any) -> Any:
        """The result, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Handle calls of all functions."""
        DISPATCHERS.append(self)


def add_dispatch_support(target: Any = None, iterable_parameters: Any = None) -> Any:
    """A decorator that lets a function be called with arguments of other classes: as it is."""
    if target is None:
        return lambda function: function
    return target


def dispatch_for_types(op: Any, *types: Any) -> Callable[[Any], Any]:
    """A decorator of a function that takes the place of another one for some classes."""
    return lambda function: function


def register_dispatchable_type(cls: Any) -> Any:
    """The class itself."""
    return cls
