"""Keras on TensorFlow, by XLA."""

from __future__ import annotations

import functools
import os
from typing import Any

os.environ["KERAS_BACKEND"] = "tensorflow"

import tensorflow as tf

from systems.keras_programs import KerasPrograms
from systems.tensorflow_eager import use_threads  # noqa: F401 - the worker calls it

programs = KerasPrograms(tf.keras, True, functools.partial(tf.function, jit_compile=True), tf.GradientTape)


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
