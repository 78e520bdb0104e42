"""Pipelines of TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from systems.data_tape import DataPrograms
from systems.tensorflow_eager import use_threads  # noqa: F401 - the worker calls it

programs = DataPrograms(tf)


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
