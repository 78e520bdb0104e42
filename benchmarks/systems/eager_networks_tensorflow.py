"""TensorFlow, without `tf.function`."""

from __future__ import annotations

import os
from typing import Any

os.environ["KERAS_BACKEND"] = "tensorflow"

import tensorflow as tf

from systems.eager_network_programs import EagerPrograms
from systems.tensorflow_eager import use_threads  # noqa: F401 - the worker calls it

programs = EagerPrograms(tf)


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
