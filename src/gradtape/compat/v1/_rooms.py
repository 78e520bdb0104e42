"""Modules of version 1 that are those of version 2 with a few names more."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def from_room(room: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that shows the names of a public one."""

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(f"gradtape.{room}"), name)

    return get
