"""Keras on PyTorch, by `torch.compile`."""

from __future__ import annotations

from typing import Any

from systems.keras_programs import KerasPrograms
from systems.keras_pytorch import keras, use_threads  # noqa: F401 - the worker calls it

programs = KerasPrograms(keras, True)


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
