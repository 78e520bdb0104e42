"""gradtape, without `tf.function`."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from systems.eager_network_programs import EagerPrograms

programs = EagerPrograms(tf)


def use_threads(count: int) -> None:
    """BLAS and the kernels take the number from the environment."""


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
