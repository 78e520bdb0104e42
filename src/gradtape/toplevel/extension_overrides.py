"""Functions of `tf` that take extension types."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gradtape.core import doors

_OF_ROWS = {("control_flow", "map_fn"): "map_fn", ("transform", "vectorized_map"): "vectorized_map"}


def answer(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of `tf` returns where extension types are among its arguments; NotImplemented if it takes none."""
    name = _OF_ROWS.get(doors.key_of(function))
    if name is None:
        return NotImplemented
    batches = importlib.import_module("gradtape.toplevel.extension_batches")
    return doors.adapt(getattr(batches, name))(*args, **kwargs)
