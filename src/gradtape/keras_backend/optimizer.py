"""What Keras's optimizers inherit from the backend: gradients of embeddings stay rows where the optimizer allows it."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.core.slices import IndexedSlices
from gradtape.keras_backend.conversion import cast_tensor, convert_to_tensor


def install() -> None:
    """Give the bare class between Keras's Optimizer and its base the methods below."""
    from keras.src.optimizers import base_optimizer, optimizer
    from keras.src.optimizers.sgd import SGD

    base = base_optimizer.BaseOptimizer

    def takes_rows(self: Any) -> bool:
        """Whether a row without a gradient stays as it is, whatever came before: only then is an update of some rows right."""
        plain = type(self).update_step is SGD.update_step and not self.momentum
        scaled = self.loss_scale_factor or self.gradient_accumulation_steps
        clipped = self.clipnorm or self.clipvalue or self.global_clipnorm
        return plain and not scaled and not clipped

    def apply(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        grads = list(grads)
        if not takes_rows(self):
            grads = [convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in grads]
        return base.apply(self, grads, trainable_variables)

    def update(self: Any, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
        for gradient, variable in zip(grads, trainable_variables, strict=True):
            if isinstance(gradient, IndexedSlices):
                _descend(variable, gradient, learning_rate)
            else:
                self.update_step(gradient, variable, learning_rate)

    optimizer.BackendOptimizer.apply = apply
    optimizer.BackendOptimizer._backend_update_step = update


def _descend(variable: Any, rows: IndexedSlices, learning_rate: Any) -> None:
    """Subtract rows from a variable; rows that are named twice are subtracted twice."""
    value = variable.value
    step = cast_tensor(rows.values, value.dtype) * convert_to_tensor(learning_rate, value.dtype)
    variable.assign(tf.tensor_scatter_nd_sub(value, tf.expand_dims(rows.indices, -1), step))
