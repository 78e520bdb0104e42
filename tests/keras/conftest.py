"""Keras on gradtape for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def keras() -> Iterator[Any]:
    """Keras, with a seed and names that start anew."""
    import gradtape as tf

    tf.keras.utils.clear_session()
    tf.keras.utils.set_random_seed(7)
    yield tf.keras
    tf.keras.config.set_floatx("float32")
    tf.keras.config.set_dtype_policy("float32")
