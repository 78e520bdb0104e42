"""Keras on PyTorch, eager."""

from __future__ import annotations

import os
from typing import Any

os.environ["KERAS_BACKEND"] = "torch"

import torch

import keras
from systems.keras_programs import KerasPrograms

programs = KerasPrograms(keras, False)


def use_threads(count: int) -> None:
    """Size the pool."""
    torch.set_num_threads(count)


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
