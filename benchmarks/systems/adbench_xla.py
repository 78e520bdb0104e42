"""ADBench on TensorFlow, by `tf.function(jit_compile=True)`."""

from __future__ import annotations

import functools
from typing import Any

import tensorflow as tf

from systems.adbench_tape import TapePrograms
from systems.tensorflow_eager import use_threads  # noqa: F401 - the worker calls it

programs = TapePrograms(tf, functools.partial(tf.function, jit_compile=True))


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
