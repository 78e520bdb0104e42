"""`tf.compat.v1.flags`: absl's flags, under which TensorFlow shows them."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(importlib.import_module("absl.flags"), name)
