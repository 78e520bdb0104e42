"""`tf.compat.v1.flags`: absl's flags, under which TensorFlow shows them."""

from __future__ import annotations

import importlib
from typing import Any

from gradtape.compat.v1 import _rooms


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise _rooms.no_attribute("flags", name)
    try:
        flags = importlib.import_module("absl.flags")
    except ModuleNotFoundError:
        text = f"tf.compat.v1.flags.{name} needs absl-py, which is not installed.\n  fix: pip install absl-py"
        raise AttributeError(text, name=name) from None
    if not hasattr(flags, name):
        raise _rooms.no_attribute("flags", name)
    return getattr(flags, name)
