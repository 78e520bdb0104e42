"""The base class that Keras's optimizers inherit from the backend: rows of embeddings, replicas, and reports on missing gradients."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import gradtape as tf
from gradtape.core import attribute_hints, errors, provenance, refusals
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor
from gradtape.distribute._context import get_replica_context, get_strategy
from gradtape.distribute._cross_replica_ops import ReduceOp, reduced, summed
from gradtape.distribute._per_replica import PerReplica
from gradtape.transform.tape import explain_missing


def install() -> None:
    """Give the bare class between Keras's Optimizer and its base the methods below."""
    from keras.src.optimizers import base_optimizer, optimizer
    from keras.src.optimizers.loss_scale_optimizer import LossScaleOptimizer

    from gradtape.keras_backend import repeated_updates, sparse_updates

    base = base_optimizer.BaseOptimizer
    apply_scaled, check_finite = LossScaleOptimizer.apply, LossScaleOptimizer.check_finite

    def update_by(apply_grads: Any, self: Any, grads: Any, variables: Any) -> Any:
        def checked(optimizer: Any, given: Any, chosen: Any) -> Any:
            _check_shapes(given, chosen)
            return apply_grads(optimizer, given, chosen)

        given = sparse_updates.gradients_for(self, grads)
        if variables is not None:
            variables = list(variables)
            _check_order(variables)
            if repeated_updates.run(self, given, variables, checked):
                return None
        return checked(self, given, variables)

    def apply(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        return update_by(base.apply, self, grads, trainable_variables)

    def apply_unscaled(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        return update_by(apply_scaled, self, grads, trainable_variables)

    def is_finite(self: Any, grads: Any) -> Any:
        found = check_finite(self, [_values(g) for g in grads])
        # An optimizer over several ranks inside of this one reduces gradients later: all must know now.
        agree = getattr(self.inner_optimizer, "_gradtape_all_finite", None)
        return found if agree is None else agree(found)

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
            advice = (
                why
                or "\n  fix: compute the loss inside the tape, from these variables; print(tape.explain(loss, variable)) says what is missing."
            )
            raise ValueError(f"{problem}{advice}") from None
        for warning in caught:
            warnings.warn(f"{warning.message}{why}", warning.category, stacklevel=provenance.stacklevel())
        return found

    def apply_gradients(self: Any, grads_and_vars: Any, *more: Any) -> Any:
        if more:
            what = (
                "apply_gradients: expected one argument, pairs (gradient, variable), got gradients and variables apart."
            )
            raise errors.build(TypeError, what, "optimizer.apply_gradients(zip(gradients, variables)).")
        pairs = list(grads_and_vars)
        if not pairs:
            what = "apply_gradients: there must be at least one gradient, got none: the list of variables is empty."
            raise errors.build(ValueError, what, "call the model once before, and check that model.trainable is True.")
        if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
            raise errors.build(
                ValueError,
                f"apply_gradients: expected pairs (gradient, variable), got {_first_no_pair(pairs)}.",
                "optimizer.apply_gradients(zip(gradients, variables)).",
            )
        group = next((g for g, _ in pairs if isinstance(g, (list, tuple))), None)
        if group is not None:
            raise errors.build(
                ValueError,
                f"apply_gradients: each gradient must be a tensor, got a list of {len(group)}.",
                "optimizer.apply_gradients(zip(gradients, variables)); gradients, norm = tf.clip_by_global_norm(gradients, 1.0).",
            )
        return base.apply_gradients(self, pairs)

    apply_gradients.__qualname__ = "Optimizer.apply_gradients"
    begin = base.__init__

    @functools.wraps(begin)
    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            begin(self, *args, **kwargs)
        except ValueError as problem:
            rate = kwargs.get("learning_rate", args[0] if args else None)
            if isinstance(rate, (list, tuple)) and "learning_rate" in str(problem):
                what = (
                    f"{type(self).__name__}: learning_rate must be a number or a schedule, got a list of {len(rate)}."
                )
                fix = (
                    f"keras.optimizers.{type(self).__name__}(0.001); variables are passed to apply_gradients, not here."
                )
                raise errors.build(ValueError, what, fix) from None
            if "lr" not in kwargs:
                raise
            what = f"{problem}".rstrip(".") + ": 'lr' must be written as learning_rate."
            fix = f"keras.optimizers.{type(self).__name__}(learning_rate={kwargs['lr']!r})."
            raise errors.build(ValueError, what, fix) from None

    base.__init__ = initialize
    optimizer.BackendOptimizer.apply_gradients = apply_gradients
    for name, instead in _HABITS.items():
        text = f"Keras optimizers have no attribute {name!r}. {attribute_hints.sentence(instead)}"
        setattr(optimizer.BackendOptimizer, name, attribute_hints.Absent(name, text))
    optimizer.BackendOptimizer.apply = _once_for_all(apply)
    optimizer.BackendOptimizer._filter_empty_gradients = filtered
    optimizer.BackendOptimizer._clip_gradients = clipped
    optimizer.BackendOptimizer._backend_update_step = update
    LossScaleOptimizer.apply = _once_for_all(apply_unscaled)
    LossScaleOptimizer.check_finite = is_finite


_LOOP = "with tf.GradientTape() as tape: loss = ...; optimizer.apply_gradients(zip(tape.gradient(loss, vs), vs))"
# Methods of TensorFlow 1, Keras 2 and PyTorch, and the code to write instead.
_HABITS = {
    "minimize": _LOOP,
    "compute_gradients": _LOOP,
    "get_gradients": "tape.gradient(loss, variables), of a tf.GradientTape",
    "step": "optimizer.apply_gradients(zip(gradients, variables))",
    "zero_grad": "leave it out: every tape starts with no gradients",
}


def _first_no_pair(given: list[Any]) -> str:
    """What stands where a pair should be."""
    return refusals.described(next(p for p in given if not (isinstance(p, (tuple, list)) and len(p) == 2)))


def _check_order(variables: Any) -> None:
    """Refuse gradients in the place of variables: `zip(variables, gradients)`."""
    if variables and isinstance(variables[0], Tensor):
        raise errors.build(
            TypeError,
            f"apply_gradients: variables must be variables, got {refusals.described(variables[0])}: the pairs are swapped.",
            "optimizer.apply_gradients(zip(gradients, variables)).",
        )


def _check_shapes(gradients: Any, variables: Any) -> None:
    """Refuse a gradient of another shape than its variable."""
    for gradient, variable in zip(gradients, variables or (), strict=False):
        if isinstance(gradient, Tensor) and not gradient.get_shape().is_compatible_with(variable.shape):
            raise errors.build(
                errors.ShapeError,
                f"apply_gradients: shapes differ: the gradient is {gradient.shape}, variable {variable.name!r} is {tuple(variable.shape)}.",
                "optimizer.apply_gradients(zip(gradients, variables)), in the order of tape.gradient(loss, variables).",
            )


def _once_for_all(apply: Any) -> Any:
    """A method that replicas of a strategy call together, with the sums of their gradients."""

    @functools.wraps(apply)
    def run(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        replica = get_replica_context()
        if replica is None or replica.num_replicas_in_sync == 1:
            return apply(self, grads, trainable_variables)
        workers = replica.strategy._workers
        if workers is not None:
            return replica.merge_call(lambda *_: apply(self, _sums(self, workers, grads), trainable_variables))
        return replica.merge_call(
            lambda _, parts: apply(self, [_sum(p) for p in parts], trainable_variables), (list(grads),)
        )

    return run


def _sum(gradient: Any) -> Any:
    """The sum of the gradients of all replicas; those that one does not have do not count."""
    if not isinstance(gradient, PerReplica):
        return gradient if gradient is None else reduced(ReduceOp.SUM, gradient, get_strategy().num_replicas_in_sync)
    return summed([part for part in gradient if part is not None])


def _sums(optimizer: Any, workers: Any, grads: Any) -> list[Any]:
    """The sums of the gradients of all workers, which send them together; without the scale of the loss, which could overflow."""
    given = list(grads)
    chosen = [i for i, g in enumerate(given) if g is not None]
    scale = getattr(optimizer, "dynamic_scale", None) if getattr(optimizer, "built", False) else None
    sent = [given[i] if scale is None else scaled_by(given[i], 1.0 / scale.value) for i in chosen]
    for i, total in zip(chosen, workers.reduce(ReduceOp.SUM, sent), strict=True):
        given[i] = total if scale is None else scaled_by(total, scale.value)
    return given


def scaled_by(gradient: Any, factor: Any) -> Any:
    """A gradient times a number."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(scaled_by(gradient.values, factor), gradient.indices, gradient.dense_shape)
    return gradient * tf.cast(factor, gradient.dtype)


def _explanation(variable: Any) -> str:
    """Why a variable has no gradient, in further lines; empty if no tape knows."""
    report = explain_missing(getattr(variable, "__gradient_source__", lambda: variable)())
    return "" if report is None else f"\n{getattr(variable, 'path', variable.name)}: {report}"


def _values(gradient: Any) -> Any:
    """A tensor with the elements of a gradient, of rows without those that are zero."""
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient
