"""`tf.experimental.dlpack`: tensors to and from other libraries through DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import convert
from gradtape.core.tensor import Tensor, wrap


class _Capsule:
    """A capsule with the two methods that `np.from_dlpack` asks for."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def to_dlpack(tf_tensor: Any) -> Any:
    """A DLPack capsule of a copy of the tensor: tensors are immutable, and a consumer may write.

    >>> tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))).numpy()
    array([1., 2.], dtype=float32)
    """
    return convert.convert_to_tensor(tf_tensor).__dlpack__()


def from_dlpack(dlcapsule: Any) -> Tensor:
    """A tensor of a DLPack capsule, or of any object with `__dlpack__` (PyTorch, JAX, CuPy, NumPy). The data is copied."""
    source = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    return wrap(np.array(np.from_dlpack(source)))
