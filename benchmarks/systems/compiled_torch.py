"""PyTorch, by `torch.compile` with its own code generator."""

from __future__ import annotations

from typing import Any

import torch

from systems.compiled_pytorch import TorchPrograms, to_numpy, use_threads  # noqa: F401 - the worker calls them

programs = TorchPrograms(torch.compile, compiles=True)


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
