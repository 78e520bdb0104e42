"""`tf.compat.v1.strings`: functions of strings."""

from typing import Any

import gradtape as tf
from gradtape.compat.v1 import _rooms

__getattr__ = _rooms.from_room("strings")


def length(input: Any, name: str | None = None, unit: str = "BYTE") -> Any:
    """The lengths of strings."""
    return tf.strings.length(input, unit)
