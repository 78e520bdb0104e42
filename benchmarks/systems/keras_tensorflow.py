"""Keras on TensorFlow, without XLA."""

from __future__ import annotations

import os
from typing import Any

os.environ["KERAS_BACKEND"] = "tensorflow"

import tensorflow as tf

from systems.keras_programs import KerasPrograms
from systems.tensorflow_eager import use_threads  # noqa: F401 - the worker calls it

programs = KerasPrograms(tf.keras, False, tf.function, tf.GradientTape)


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
