"""SyncBatchNormalization: batch normalization with the statistics of all ranks."""

from __future__ import annotations

from typing import Any

import gradtape_keras_hook
from gradtape.horovod._functions import Sum, grouped_allreduce
from gradtape.horovod._process import size

_keras = gradtape_keras_hook.keras()
BatchNormalization: Any = _keras.layers.BatchNormalization


class SyncBatchNormalization(BatchNormalization):
    """Batch normalization whose mean and variance are those of the batches of all ranks together, during training.

    Args:
      fused: accepted if it is False.
      **kwargs: see `keras.layers.BatchNormalization`.
    """

    def __init__(self, fused: bool | None = False, **kwargs: Any) -> None:
        if fused is not False:
            raise ValueError(f"SyncBatchNormalization does not support fused={fused}.")
        super().__init__(**kwargs)

    def _moments(self, inputs: Any, mask: Any) -> Any:
        if size() == 1:
            return super()._moments(inputs, mask)
        ops, axes = _keras.ops, self._reduction_axes
        x = ops.cast(inputs, "float32") if inputs.dtype in ("float16", "bfloat16") else inputs
        weights = ops.ones_like(x[..., :1]) if mask is None else ops.cast(ops.expand_dims(mask, -1), x.dtype)
        weights = ops.broadcast_to(weights, ops.shape(x))
        total, count = _sums(ops.sum(x * weights, axes, keepdims=True), ops.sum(weights, axes, keepdims=True))
        mean = total / count
        (squares,) = _sums(ops.sum(ops.square(x - mean) * weights, axes, keepdims=True))
        return [ops.cast(ops.squeeze(v, axes), inputs.dtype) for v in (mean, squares / count)]


def _sums(*values: Any) -> list[Any]:
    return grouped_allreduce(values, op=Sum)
