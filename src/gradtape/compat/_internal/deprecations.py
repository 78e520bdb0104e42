"""Decorators for functions that TensorFlow has deprecated: they change nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


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
