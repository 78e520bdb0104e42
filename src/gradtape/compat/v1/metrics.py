"""`tf.compat.v1.metrics`: left out; Keras's metrics count the same."""

from __future__ import annotations

from typing import NoReturn

from gradtape.compat.v1 import _rooms


def __getattr__(name: str) -> NoReturn:
    raise _rooms.left_out("metrics", name, "metrics are objects", "use tf.keras.metrics.")
