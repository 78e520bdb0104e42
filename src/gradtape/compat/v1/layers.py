"""`tf.compat.v1.layers`: left out; Keras's layers compute the same."""

from __future__ import annotations

from typing import NoReturn

from gradtape.compat.v1 import _rooms


def __getattr__(name: str) -> NoReturn:
    raise _rooms.left_out("layers", name, "Keras has replaced it", "use tf.keras.layers.")
