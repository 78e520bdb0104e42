"""Keras on gradtape."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from systems.keras_programs import KerasPrograms

programs = KerasPrograms(tf.keras, "auto", tf.function, tf.GradientTape)


def use_threads(count: int) -> None:
    """The compiled kernels take the number from the environment."""


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
