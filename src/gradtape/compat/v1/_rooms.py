"""Modules of version 1: those of version 2 with a few additional names."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from gradtape.compat.v1 import _arguments


def from_room(room: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and the `__dir__` of a module that shows the names of a public one, and names of its own."""

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise no_attribute(room, name)
        try:
            return _arguments.adapt(room, name, getattr(importlib.import_module(f"gradtape.{room}"), name))
        except AttributeError as problem:
            if "\n  fix: " in str(problem):
                raise
            raise no_attribute(room, name) from None

    def names() -> list[str]:
        own = vars(sys.modules[f"gradtape.compat.v1.{room}"])
        return sorted({*dir(importlib.import_module(f"gradtape.{room}")), *own})

    return get, names


def no_attribute(room: str, name: str) -> AttributeError:
    """The error for a name that a module of version 1 does not have; with the module, Python adds "Did you mean"."""
    module = f"gradtape.compat.v1.{room}".removesuffix(".")
    text = f"module {module.replace('gradtape', 'tensorflow')!r} has no attribute {name!r}"
    return AttributeError(text, name=name, obj=sys.modules[module])


def left_out(room: str, name: str, reason: str, fix: str) -> AttributeError:
    """The error for a name of a module that is left out."""
    if name.startswith("__"):
        return no_attribute(room, name)
    # Without the module: a suggestion of Python's would only repeat the fix.
    return AttributeError(f"tf.compat.v1.{room}.{name} is left out: {reason}.\n  fix: {fix}", name=name)
