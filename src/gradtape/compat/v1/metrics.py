"""`tf.compat.v1.metrics`: left out; Keras's metrics count the same."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"tf.compat.v1.metrics.{name} is left out: metrics are objects.\n  fix: use tf.keras.metrics.", name=name
    )
