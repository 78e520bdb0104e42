"""ADBench on gradtape."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from systems.adbench_tape import TapePrograms

programs = TapePrograms(tf, tf.function)


def use_threads(count: int) -> None:
    """BLAS and the compiled kernels take the number from the environment."""


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
