"""Keras 2 idioms that Keras 3 dropped and programs still use, available where gradtape stands in for TensorFlow.

metric.reset_states()                   reset_state()
Adam(lr=…), optimizer.lr                learning_rate
optimizer.weights, optimizer.variables() variables
model.compile(experimental_run_tf_function=False)   without it
backend.get_value, backend.set_value    numpy() and assign, also of Keras's own variables
optimizers.legacy.Adam                  optimizers.Adam
Loss(reduction="auto")                  reduction="sum_over_batch_size"
get_scaled_loss, get_unscaled_gradients scale_loss, and gradients as they are without a scale
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

from keras.src.losses import loss as losses
from keras.src.trainers import trainer

import gradtape as tf
import keras


@functools.cache
def install() -> None:
    """Give Keras's classes the names and arguments of Keras 2."""
    metric, optimizer = keras.metrics.Metric, keras.optimizers.Optimizer
    metric.reset_states = lambda self: self.reset_state()
    optimizer.lr = property(
        lambda self: self.learning_rate, lambda self, value: setattr(self, "learning_rate", value), doc="learning_rate."
    )
    optimizer.weights = property(lambda self: self.variables, doc="The variables.")
    variables = optimizer.variables
    optimizer.variables = property(lambda self: _Variables(variables.fget(self)), doc="The variables.")
    # Where Keras defines it: a model whose class has another `compile` is loaded without its optimizer.
    trainer.Trainer.compile = _without_run_tf_function(trainer.Trainer.compile)
    for name in dir(keras.optimizers):
        kind: Any = getattr(keras.optimizers, name)
        if inspect.isclass(kind) and issubclass(kind, optimizer) and "__init__" in vars(kind) and kind is not optimizer:
            setattr(kind, "__init__", _taking_lr(vars(kind)["__init__"]))  # noqa: B010 - mypy refuses the assignment
    _bring_back_legacy_optimizers()
    _read_and_set_variables()
    _accept_automatic_reduction()
    _scale_losses(keras.optimizers.LossScaleOptimizer)


def _taking_lr(init: Any) -> Any:
    @functools.wraps(init)
    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        if "lr" in kwargs:
            kwargs["learning_rate"] = kwargs.pop("lr")
        init(self, *args, **kwargs)

    return initialize


class _Variables(list[Any]):
    """A list that may be called, since `variables` was a method."""

    def __call__(self) -> list[Any]:
        return self


def _without_run_tf_function(method: Any) -> Any:
    @functools.wraps(method)
    def compile_model(self: Any, *args: Any, experimental_run_tf_function: Any = None, **kwargs: Any) -> None:
        method(self, *args, **kwargs)

    return compile_model


def _bring_back_legacy_optimizers() -> None:
    from keras._tf_keras.keras.optimizers import legacy

    for name in [n for n in dir(legacy) if hasattr(keras.optimizers, n)]:
        setattr(legacy, name, getattr(keras.optimizers, name))


def _read_and_set_variables() -> None:
    from keras._tf_keras.keras import backend
    from keras.src.legacy import backend as legacy

    def get_value(x: Any) -> Any:
        return x.numpy() if hasattr(x, "numpy") else x

    def set_value(x: Any, value: Any) -> None:
        x.assign(value)

    for module in (backend, legacy):
        module.get_value, module.set_value = get_value, set_value


def _accept_automatic_reduction() -> None:
    known = losses.standardize_reduction

    def standardize(reduction: Any) -> Any:
        return known("sum_over_batch_size" if reduction == "auto" else reduction)

    losses.standardize_reduction = standardize


def _scale_losses(kind: Any) -> None:
    """Keras 3's `apply` takes the gradients of the scaled loss and divides them. Programs of Keras 2 divide them before,
    and may clip them then; they are multiplied again, exactly, since scales are powers of two."""
    apply = kind.apply

    def get_scaled_loss(self: Any, loss: Any) -> Any:
        return self.scale_loss(loss() if callable(loss) and not tf.is_tensor(loss) else loss)

    def get_unscaled_gradients(self: Any, grads: Any) -> Any:
        self.__dict__["_divided"] = True
        scale = _scale(self)
        return [_times(g, 1.0 / scale) for g in grads]

    def apply_multiplied(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        if self.__dict__.pop("_divided", False):
            scale = _scale(self)
            grads = [_times(g, scale) for g in grads]
        return apply(self, grads, trainable_variables)

    kind.get_scaled_loss, kind.get_unscaled_gradients, kind.apply = (
        get_scaled_loss,
        get_unscaled_gradients,
        apply_multiplied,
    )


def _scale(optimizer: Any) -> Any:
    return tf.convert_to_tensor(optimizer.dynamic_scale if optimizer.built else optimizer.initial_scale)


def _times(gradient: Any, factor: Any) -> Any:
    """A gradient times a number; rows stay rows."""
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(_times(gradient.values, factor), gradient.indices, gradient.dense_shape)
    return None if gradient is None else gradient * tf.cast(factor, gradient.dtype)
