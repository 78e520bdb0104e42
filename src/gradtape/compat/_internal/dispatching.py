"""Other meanings of TensorFlow's functions for other classes: Keras 2 gives its symbolic tensors one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
