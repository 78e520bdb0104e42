"""What Keras's optimizers inherit from the backend: rows of embeddings, replicas, and why a variable has no gradient."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from gradtape.core import provenance
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.distribute._context import get_replica_context, get_strategy
from gradtape.distribute._cross_replica_ops import ReduceOp, reduced, summed
from gradtape.distribute._per_replica import PerReplica
from gradtape.transform.tape import explain_missing


def install() -> None:
    """Give the bare class between Keras's Optimizer and its base the methods below."""
    from keras.src.optimizers import base_optimizer, optimizer
    from keras.src.optimizers.loss_scale_optimizer import LossScaleOptimizer

    from gradtape.keras_backend import sparse_updates

    base = base_optimizer.BaseOptimizer
    apply_scaled, check_finite = LossScaleOptimizer.apply, LossScaleOptimizer.check_finite

    def apply(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        return base.apply(self, sparse_updates.gradients_for(self, grads), trainable_variables)

    def apply_unscaled(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        return apply_scaled(self, sparse_updates.gradients_for(self, grads), trainable_variables)

    def is_finite(self: Any, grads: Any) -> Any:
        return check_finite(self, [_values(g) for g in grads])

    def clipped(self: Any, grads: Any) -> Any:
        found = base._clip_gradients(self, [_values(g) for g in grads])
        return [g.holding(c) if isinstance(g, sparse_updates.Rows) else c for g, c in zip(grads, found, strict=True)]

    def update(self: Any, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
        for gradient, variable in zip(grads, trainable_variables, strict=True):
            if isinstance(gradient, sparse_updates.Rows):
                sparse_updates.update(self, gradient, variable, learning_rate)
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

    optimizer.BackendOptimizer.apply = _once_for_all(apply)
    optimizer.BackendOptimizer._filter_empty_gradients = filtered
    optimizer.BackendOptimizer._clip_gradients = clipped
    optimizer.BackendOptimizer._backend_update_step = update
    LossScaleOptimizer.apply = _once_for_all(apply_unscaled)
    LossScaleOptimizer.check_finite = is_finite


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


def _values(gradient: Any) -> Any:
    """A tensor with the elements of a gradient, of rows without those that are zero."""
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient
