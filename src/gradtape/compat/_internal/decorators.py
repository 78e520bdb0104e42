"""Decorators that remember the decorated function, and marks of public names."""

from __future__ import annotations

from collections.abc import Callable
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


def identity_decorator(*_: Any, **__: Any) -> Callable[[Any], Any]:
    """A decorator that leaves functions as they are."""
    return lambda function: function
