"""Keras on JAX, by `jit`."""

from __future__ import annotations

import os
from typing import Any

os.environ["KERAS_BACKEND"] = "jax"

import jax  # noqa: F401 - the worker asks for its version

import keras
from systems.keras_programs import KerasPrograms

programs = KerasPrograms(keras, True)


def use_threads(count: int) -> None:
    """XLA takes the number from the environment."""


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
