"""PyTorch, and Keras on it, eager."""

from __future__ import annotations

import os
from typing import Any

os.environ["KERAS_BACKEND"] = "torch"

import keras
from systems import adbench_pytorch
from systems.compiled_pytorch import programs as compiled
from systems.compiled_pytorch import to_numpy, use_threads  # noqa: F401 - the worker calls them
from systems.eager_network_programs import KerasLoops


def _gradients(loss_of: Any, variables: list[Any]) -> tuple[Any, list[Any]]:
    values = [v.value for v in variables]
    for value in values:
        value.grad = None
    loss = loss_of()
    loss.backward()
    return loss, [value.grad for value in values]


loops = KerasLoops(keras, _gradients)


def __getattr__(name: str) -> Any:
    if name.startswith("keras_"):
        return getattr(loops, name)
    return getattr(adbench_pytorch if name.startswith("gmm") else compiled, name)
