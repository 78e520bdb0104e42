"""ADBench on TensorFlow, by `tf.function`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from systems.adbench_tape import TapePrograms
from systems.tensorflow_eager import use_threads  # noqa: F401 - the worker calls it

programs = TapePrograms(tf, tf.function)


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
