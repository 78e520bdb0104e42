"""What Keras's optimizers inherit from the backend: gradients of embeddings stay rows where the optimizer allows it."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import gradtape as tf
from gradtape.core import provenance
from gradtape.core.slices import IndexedSlices
from gradtape.keras_backend.conversion import cast_tensor, convert_to_tensor
from gradtape.names.distribute.context import get_replica_context, get_strategy
from gradtape.names.distribute.reduction import ReduceOp, reduced, summed
from gradtape.names.distribute.values import PerReplica
from gradtape.transform.tape import explain_missing


def install() -> None:
    """Give the bare class between Keras's Optimizer and its base the methods below."""
    from keras.src.optimizers import base_optimizer, optimizer
    from keras.src.optimizers.loss_scale_optimizer import LossScaleOptimizer
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

    def filtered(self: Any, grads: Any, variables: Any) -> Any:
        missing = next((v for g, v in zip(grads, variables, strict=True) if g is None), None)
        if missing is None:
            return base._filter_empty_gradients(self, grads, variables)
        why = _explanation(missing)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found = base._filter_empty_gradients(self, grads, variables)
        except ValueError as problem:
            raise ValueError(f"{problem}{why}") from None
        for warning in caught:
            warnings.warn(f"{warning.message}{why}", warning.category, stacklevel=provenance.stacklevel())
        return found

    optimizer.BackendOptimizer._filter_empty_gradients = filtered
    optimizer.BackendOptimizer.apply = _once_for_all(apply)
    LossScaleOptimizer.apply = _once_for_all(LossScaleOptimizer.apply)
    optimizer.BackendOptimizer._backend_update_step = update


def _once_for_all(apply: Any) -> Any:
    """A method that replicas of a strategy call together, with the sums of their gradients."""

    @functools.wraps(apply)
    def run(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        replica = get_replica_context()
        if replica is None or replica.num_replicas_in_sync == 1:
            return apply(self, grads, trainable_variables)
        return replica.merge_call(
            lambda _, parts: apply(self, [_sum(p) for p in parts], trainable_variables), (list(grads),)
        )

    return run


def _sum(gradient: Any) -> Any:
    """The sum of the gradients of all replicas; those that one does not have do not count."""
    if not isinstance(gradient, PerReplica):
        return gradient if gradient is None else reduced(ReduceOp.SUM, gradient, get_strategy().num_replicas_in_sync)
    return summed([part for part in gradient if part is not None])


def _explanation(variable: Any) -> str:
    """Why a variable has no gradient, in further lines; empty if no tape knows."""
    report = explain_missing(getattr(variable, "__gradient_source__", lambda: variable)())
    return "" if report is None else f"\n{getattr(variable, 'path', variable.name)}: {report}"


def _descend(variable: Any, rows: IndexedSlices, learning_rate: Any) -> None:
    """Subtract rows from a variable; rows that are named twice are subtracted twice."""
    value = variable.value
    step = cast_tensor(rows.values, value.dtype) * convert_to_tensor(learning_rate, value.dtype)
    variable.assign(tf.tensor_scatter_nd_sub(value, tf.expand_dims(rows.indices, -1), step))
