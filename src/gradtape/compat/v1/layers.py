"""`tf.compat.v1.layers`: left out; Keras's layers compute the same."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"tf.compat.v1.layers.{name} is left out: Keras has replaced it.\n  fix: use tf.keras.layers.", name=name
    )
